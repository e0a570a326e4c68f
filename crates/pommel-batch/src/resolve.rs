//! Finds the numbers that a plan sets, each at most once.

use crate::plan::{PlanFault, PlanFaultKind};
use crate::target::{Setting, Target};
use pommel_model::{Description, Mechanism, OneOrMany, Parameter, ParameterPath, Segment};

/// Finds numbers of the model and settings, each at most once.
pub(crate) struct Resolver<'a> {
    mechanism: &'a Mechanism,
    base: Description,
    /// What is set already, with the part of the plan that does.
    all: Vec<(String, Target)>,
    faults: Vec<PlanFault>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(mechanism: &'a Mechanism) -> Self {
        let base = mechanism.description().clone();
        Self { mechanism, base, all: Vec::new(), faults: Vec::new() }
    }

    /// The targets of a part of the plan, such as `parameters[2]`, given as `path` or `paths`.
    pub(crate) fn targets(&mut self, part: &str, paths: &[String], single: bool) -> Vec<Target> {
        let mut targets = Vec::new();
        for (n, text) in paths.iter().enumerate() {
            match self.resolve(part, text) {
                Ok(target) => targets.push(target),
                Err(kind) => {
                    let key = if single { "path".to_owned() } else { format!("paths[{n}]") };
                    self.fault(format!("{part}.{key}"), kind);
                }
            }
        }
        targets
    }

    /// Another fault of the plan.
    pub(crate) fn fault(&mut self, path: String, kind: PlanFaultKind) {
        self.faults.push(PlanFault { path, line: None, kind });
    }

    /// The model as it stands.
    pub(crate) fn base(&self) -> &Description {
        &self.base
    }

    /// The model, with everything spelled out that the plan addresses.
    ///
    /// # Errors
    /// Every fault.
    pub(crate) fn finish(self) -> Result<Description, Vec<PlanFault>> {
        if self.faults.is_empty() { Ok(self.base) } else { Err(self.faults) }
    }

    fn resolve(&mut self, part: &str, text: &str) -> Result<Target, PlanFaultKind> {
        let path = ParameterPath::parse(text)?;
        let found = match Setting::find(&path) {
            Some(setting) => Target::Setting(setting?),
            None => {
                self.spell_out(&path);
                Target::Number(path.resolve(&self.base)?)
            }
        };
        if let Some((first, other)) = self.all.iter().find(|(_, other)| self.same(&found, other)) {
            return Err(PlanFaultKind::SameNumber {
                path: text.to_owned(),
                other: other.path(),
                first: first.clone(),
            });
        }
        self.all.push((part.to_owned(), found.clone()));
        Ok(found)
    }

    fn same(&self, a: &Target, b: &Target) -> bool {
        match (a, b) {
            (Target::Number(a), Target::Number(b)) => self.same_number(a, b),
            (Target::Setting(a), Target::Setting(b)) => a == b,
            _ => false,
        }
    }

    fn same_number(&self, a: &Parameter, b: &Parameter) -> bool {
        let mut probe = self.base.clone();
        b.set(&mut probe, f64::NAN);
        a.get(&probe).is_some_and(f64::is_nan)
    }

    /// Writes an initial state that the path addresses and the file leaves at its default into the
    /// description, where a parameter can set it.
    fn spell_out(&mut self, path: &ParameterPath) {
        let [Segment::Key(initial), Segment::Key(list), Segment::Key(name), ..] = path.segments()
        else {
            return;
        };
        let Some(joint) = self.base.joint_index(name).filter(|_| initial == "initial") else {
            return;
        };
        let resolved = &self.mechanism.joints()[joint];
        let state = self.mechanism.initial_state();
        let (map, values) = match list.as_str() {
            "q" => (&mut self.base.initial.q, &state.q[resolved.q.clone()]),
            "v" => (&mut self.base.initial.v, &state.v[resolved.v.clone()]),
            _ => return,
        };
        // a joint that closes a loop, or is fixed, has none
        if !values.is_empty() && !map.contains_key(name) {
            let given = match values {
                [value] if path.segments().len() == 3 => OneOrMany::One(*value),
                values => OneOrMany::Many(values.to_vec()),
            };
            map.insert(name.clone(), given);
        }
    }
}
