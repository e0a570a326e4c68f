//! From text to a plan: syntax, then structure against the schema, then the types, then sense.

use super::Plan;
use super::check::check;
use super::fault::{PlanFault, PlanFaultKind};
use super::structure::{self, Found};
use crate::error::PlanError;
use pommel_model::ModelError;
use pommel_model::document::{Source, child};
use serde_json::Value;
use std::path::Path;

impl Plan {
    /// Reads and checks a TOML plan.
    ///
    /// # Errors
    /// [`PlanError::Syntax`], or [`PlanError::Invalid`] with every fault, path and line.
    pub fn from_toml_str(text: &str) -> Result<Self, PlanError> {
        let source = Source::from_toml(text).map_err(toml_error)?;
        read(&source, || {
            serde_path_to_error::deserialize(&source.value).map_err(|error| {
                let kind = PlanFaultKind::Rejected { message: error.inner().to_string() };
                invalid(vec![(error.path().to_string(), kind)], &source)
            })
        })
    }

    /// Reads and checks a JSON plan.
    ///
    /// # Errors
    /// [`PlanError::Syntax`], or [`PlanError::Invalid`] with every fault and path.
    pub fn from_json_str(text: &str) -> Result<Self, PlanError> {
        let value: Value = serde_json::from_str(text).map_err(|error| json_error(&error))?;
        let source = Source::from(value);
        // from the text, since the tree hides keys that are given twice
        read(&source, || serde_json::from_str(text).map_err(|error| json_error(&error)))
    }

    /// Reads and checks a plan file: `.toml` or `.json`.
    ///
    /// # Errors
    /// [`PlanError::Read`], [`PlanError::Format`], [`PlanError::Syntax`] or
    /// [`PlanError::Invalid`] with every fault.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, PlanError> {
        Self::with_text(path.as_ref()).map(|(plan, _)| plan)
    }

    /// As [`Plan::from_path`], with the text if it is TOML.
    pub(crate) fn with_text(path: &Path) -> Result<(Self, Option<String>), PlanError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_toml = ending.eq_ignore_ascii_case("toml");
        if !is_toml && !ending.eq_ignore_ascii_case("json") {
            return Err(PlanError::Format { path: path.to_path_buf() });
        }
        let text = std::fs::read_to_string(path)
            .map_err(|source| PlanError::Read { path: path.to_path_buf(), source })?;
        let plan = if is_toml { Self::from_toml_str(&text) } else { Self::from_json_str(&text) };
        Ok((plan.map_err(|error| error.in_file(path))?, is_toml.then_some(text)))
    }

    /// Every fault that can be seen without the model; empty for a plan that was read.
    pub fn faults(&self) -> Vec<PlanFault> {
        let place = |(path, kind)| PlanFault { path, line: None, kind };
        check(self).into_iter().map(place).collect()
    }

    /// Adds lines to faults that were found after the text was read.
    pub(crate) fn locate(text: &str, mut error: PlanError) -> PlanError {
        if let (PlanError::Invalid { faults, .. }, Ok(source)) =
            (&mut error, Source::from_toml(text))
        {
            faults.iter_mut().for_each(|fault| fault.line = source.line(&fault.path));
        }
        error
    }
}

/// The error of the TOML parser.
fn toml_error(error: ModelError) -> PlanError {
    match error {
        ModelError::Syntax { path, line, column, message } => {
            PlanError::Syntax { path, line, column, message }
        }
        other => PlanError::Model(other),
    }
}

/// The error of the JSON parser; its place is a field of ours.
fn json_error(error: &serde_json::Error) -> PlanError {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    PlanError::Syntax {
        path: None,
        line: Some(error.line()),
        column: Some(error.column()),
        message: message.to_owned(),
    }
}

/// Checks the structure, builds the plan, checks its sense.
fn read(
    source: &Source,
    build: impl FnOnce() -> Result<Plan, PlanError>,
) -> Result<Plan, PlanError> {
    let mut found = structure::check(&source.value);
    let not_finite = source.not_finite.iter();
    found.extend(
        not_finite.map(|(path, value)| (path.clone(), PlanFaultKind::NotFinite { value: *value })),
    );
    if !found.is_empty() {
        return Err(invalid(found, source));
    }
    let plan = build()?;
    let found = check(&plan);
    if found.is_empty() { Ok(plan) } else { Err(invalid(found, source)) }
}

/// The error with every fault on its line.
fn invalid(found: Found, source: &Source) -> PlanError {
    let place = |(path, kind): (String, PlanFaultKind)| {
        // an unknown key has a line of its own
        let line = match &kind {
            PlanFaultKind::UnknownKey { key, .. } => source.line(&child(&path, key)),
            _ => source.line(&path),
        };
        PlanFault { path, line, kind }
    };
    PlanError::Invalid { path: None, faults: found.into_iter().map(place).collect() }
}
