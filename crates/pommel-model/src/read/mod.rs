//! From text to a description: syntax, then structure against the schema, then the types.

pub(crate) mod check;
mod json;
pub(crate) mod schema;
mod toml;
mod urdf;

use crate::description::Description;
use crate::document::Source;
use crate::error::ModelError;
use crate::fault::{Fault, FaultKind};
use crate::path::{Lines, child, list_item};
use check::Checker;
pub(crate) use json::parse as parse_json;
use serde_json::Value;
use std::path::Path;
pub(crate) use toml::parse as parse_toml;
pub(crate) use urdf::parse as parse_urdf;

/// A description with the structural faults found on the way to it.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) description: Description,
    pub(crate) lines: Lines,
    pub(crate) faults: Vec<Fault>,
}

impl Draft {
    /// The description, if it has no structural faults.
    pub(crate) fn finish(self) -> Result<Description, ModelError> {
        if self.faults.is_empty() {
            Ok(self.description)
        } else {
            Err(ModelError::Invalid { path: None, faults: self.faults })
        }
    }
}

/// Checks the values against the schema and turns them into a description.
pub(crate) fn draft(source: Source) -> Result<Draft, ModelError> {
    let Source { mut value, lines, not_finite } = source;
    let planar = value.get("kind").is_some_and(|kind| kind == "planar");
    let mut found: Vec<_> = not_finite
        .into_iter()
        .map(|(path, value)| (path, FaultKind::NotFinite { value }))
        .collect();
    // unknown keys are reported and taken out, so that the rest can be judged too
    found.extend(Checker::new(schema::model(), planar).check(&mut value));
    let faults = |found: Vec<(String, FaultKind)>| -> Vec<Fault> {
        found.into_iter().map(|(path, kind)| locate(path, kind, &value, &lines)).collect()
    };
    match serde_path_to_error::deserialize::<_, Description>(&value) {
        Ok(mut description) => {
            description.gravity = Some(description.gravity());
            let faults = faults(found);
            Ok(Draft { description, lines, faults })
        }
        Err(error) => {
            if found.is_empty() {
                let path = match error.path().to_string() {
                    path if path == "." => String::new(),
                    path => path,
                };
                found.push((path, FaultKind::Rejected { message: error.inner().to_string() }));
            }
            Err(ModelError::Invalid { path: None, faults: faults(found) })
        }
    }
}

/// A fault with the name of its list item and its line.
fn locate(path: String, kind: FaultKind, value: &Value, lines: &Lines) -> Fault {
    let name = list_item(&path).and_then(|(list, index, _)| {
        let name = value.get(list)?.get(index)?.get("name")?.as_str()?;
        Some(name.to_owned())
    });
    // an unknown key has a line of its own
    let line = match &kind {
        FaultKind::UnknownKey { key, .. } => lines.find(&child(&path, key)),
        _ => lines.find(&path),
    };
    Fault { path, name, line, kind }
}

/// Reads a model file by its ending.
pub(crate) fn draft_of_file(path: &Path) -> Result<Draft, ModelError> {
    let parse = match path.extension().and_then(|ending| ending.to_str()) {
        Some(ending) if ending.eq_ignore_ascii_case("toml") => parse_toml,
        Some(ending) if ending.eq_ignore_ascii_case("json") => parse_json,
        Some(ending) if ending.eq_ignore_ascii_case("urdf") => {
            return parse_urdf(&read(path)?).map_err(|error| error.in_file(path));
        }
        _ => return Err(ModelError::Format { path: path.to_path_buf() }),
    };
    parse(&read(path)?).and_then(draft).map_err(|error| error.in_file(path))
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, ModelError> {
    std::fs::read_to_string(path)
        .map_err(|source| ModelError::Read { path: path.to_path_buf(), source })
}

impl Description {
    /// Reads a TOML model.
    ///
    /// # Errors
    /// [`ModelError::Syntax`], or [`ModelError::Invalid`] with every structural fault: unknown and
    /// missing keys, wrong types and lengths. Whether the mechanism makes sense is checked by
    /// [`Mechanism::new`](crate::Mechanism::new).
    pub fn from_toml_str(text: &str) -> Result<Self, ModelError> {
        parse_toml(text).and_then(draft)?.finish()
    }

    /// Reads a JSON model.
    ///
    /// # Errors
    /// As [`Description::from_toml_str`].
    pub fn from_json_str(text: &str) -> Result<Self, ModelError> {
        parse_json(text).and_then(draft)?.finish()
    }

    /// Reads a URDF model. A root link that is called `world` or `ground`, or has no inertia and
    /// only fixed or floating joints, is the ground; any other root link is fixed to the ground by
    /// a joint `root`. Limits, damping, friction and mimic joints are carried over; shapes are not.
    ///
    /// # Errors
    /// [`ModelError::Syntax`].
    pub fn from_urdf_str(text: &str) -> Result<Self, ModelError> {
        parse_urdf(text)?.finish()
    }

    /// Reads a model file: `.toml`, `.json` or `.urdf`.
    ///
    /// # Errors
    /// [`ModelError::Read`], [`ModelError::Format`], or as [`Description::from_toml_str`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        draft_of_file(path.as_ref())?.finish().map_err(|error| error.in_file(path.as_ref()))
    }
}
