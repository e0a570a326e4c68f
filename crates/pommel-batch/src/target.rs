//! Where a value of an instance goes: a number of the model, or a setting of the integration.

use crate::plan::Integrator;
use pommel_model::document::suggestion;
use pommel_model::{Parameter, ParameterError, ParameterPath, Segment};

/// Where a value of an instance goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A number of the model.
    Number(Parameter),
    /// A setting of the integration.
    Setting(Setting),
}

/// A setting of the integration that an instance can have of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// `integrator.rtol`.
    RelativeTolerance,
    /// `integrator.atol`.
    AbsoluteTolerance,
    /// `integrator.step`.
    Step,
    /// `end`.
    End,
}

impl Target {
    /// The path, as text.
    pub fn path(&self) -> String {
        match self {
            Self::Number(number) => number.path().to_string(),
            Self::Setting(setting) => setting.path().to_owned(),
        }
    }
}

impl Setting {
    const INTEGRATOR: [(&'static str, Self); 3] = [
        ("rtol", Self::RelativeTolerance),
        ("atol", Self::AbsoluteTolerance),
        ("step", Self::Step),
    ];

    /// The path that leads here.
    pub fn path(self) -> &'static str {
        match self {
            Self::RelativeTolerance => "integrator.rtol",
            Self::AbsoluteTolerance => "integrator.atol",
            Self::Step => "integrator.step",
            Self::End => "end",
        }
    }

    /// The setting of a path; none if the path leads into the model.
    pub(crate) fn find(path: &ParameterPath) -> Option<Result<Self, ParameterError>> {
        let known = || Self::INTEGRATOR.map(|(key, _)| key.to_owned()).to_vec();
        match path.segments() {
            [Segment::Key(end)] if end == "end" => Some(Ok(Self::End)),
            [Segment::Key(first), rest @ ..] if first == "integrator" => Some(match rest {
                [] => {
                    let path = path.to_string();
                    Err(ParameterError::NotANumber { path, known: known() })
                }
                [Segment::Key(key)] => {
                    Self::of_key(key).ok_or_else(|| Self::unknown(path, rest, known()))
                }
                _ => Err(Self::unknown(path, rest, known())),
            }),
            _ => None,
        }
    }

    /// The setting of a path given as text, if it is one.
    pub(crate) fn of_text(path: &str) -> Option<Self> {
        Self::find(&ParameterPath::parse(path).ok()?)?.ok()
    }

    fn of_key(key: &str) -> Option<Self> {
        Self::INTEGRATOR.iter().find(|(known, _)| *known == key).map(|(_, setting)| *setting)
    }

    /// The error for a path below `integrator` that leads nowhere.
    fn unknown(path: &ParameterPath, rest: &[Segment], known: Vec<String>) -> ParameterError {
        let text = |segment: &Segment| match segment {
            Segment::Key(key) => key.clone(),
            Segment::Index(index) => index.to_string(),
        };
        let first = rest.first().map(text).unwrap_or_default();
        let (at, segment, known) = match (Self::of_key(&first), rest.get(1)) {
            (Some(setting), Some(next)) => (setting.path().to_owned(), text(next), Vec::new()),
            _ => ("integrator".to_owned(), first, known),
        };
        ParameterError::Unknown {
            path: path.to_string(),
            at,
            suggestion: suggestion(&segment, known.iter().map(String::as_str)),
            segment,
            known,
        }
    }

    /// The value that the plan gives to all instances.
    pub(crate) fn get(self, integrator: &Integrator, end: f64) -> Option<f64> {
        match self {
            Self::RelativeTolerance => integrator.rtol,
            Self::AbsoluteTolerance => integrator.atol,
            Self::Step => integrator.step,
            Self::End => Some(end),
        }
    }

    /// Puts the value of an instance in; the end is elsewhere.
    pub(crate) fn set(self, integrator: &mut Integrator, value: f64) {
        match self {
            Self::RelativeTolerance => integrator.rtol = Some(value),
            Self::AbsoluteTolerance => integrator.atol = Some(value),
            Self::Step => integrator.step = Some(value),
            Self::End => {}
        }
    }
}
