//! Models that the tests start from.

use pommel_model::{Fault, Mechanism, ModelError};
use std::path::PathBuf;

/// One of everything.
pub(crate) const RICH: &str = include_str!("rich.toml");

/// A planar four-bar: crank, coupler and rocker; the joint `d` closes the loop.
pub(crate) const FOUR_BAR: &str = r#"
name = "four-bar"
kind = "planar"
bodies = [
    { name = "crank", mass = 1.0, inertia = 0.1, com = [0.5, 0.0] },
    { name = "coupler", mass = 2.0, inertia = 0.2 },
    { name = "rocker", mass = 3.0, inertia = 0.3 },
]
joints = [
    { name = "a", type = "revolute", parent = "ground", child = "crank" },
    { name = "b", type = "revolute", parent = "crank", child = "coupler" },
    { name = "c", type = "revolute", parent = "ground", child = "rocker" },
    { name = "d", type = "revolute", parent = "coupler", child = "rocker" },
]
"#;

/// A folder of the data sets.
pub(crate) fn datasets(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(folder)
}

/// The faults of a model that must have some.
pub(crate) fn faults(text: &str) -> Vec<Fault> {
    match Mechanism::from_toml_str(text) {
        Err(ModelError::Invalid { faults, .. }) => faults,
        other => panic!("expected faults, got {other:?}"),
    }
}

/// Replaces `from` by `to` in the rich model and returns the faults as text.
pub(crate) fn faults_with(from: &str, to: &str) -> Vec<String> {
    changed_faults(RICH, from, to)
}

/// Replaces `from` by `to` in a model and returns the faults as text.
pub(crate) fn changed_faults(model: &str, from: &str, to: &str) -> Vec<String> {
    assert!(model.contains(from), "the model has no {from:?}");
    faults(&model.replacen(from, to, 1)).iter().map(ToString::to_string).collect()
}

/// The one fault that arises from replacing `from` by `to` in the rich model.
pub(crate) fn fault_with(from: &str, to: &str) -> String {
    let faults = faults_with(from, to);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults[0].clone()
}

/// Line of the first occurrence of a text in the rich model, from 1.
pub(crate) fn line_of(text: &str) -> usize {
    RICH.lines().position(|line| line.contains(text)).expect("in the model") + 1
}
