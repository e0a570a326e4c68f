//! Reading `datasets/`.

use std::path::PathBuf;

use pommel::model::Mechanism;
use serde_json::Value;

/// A path below `datasets/`.
pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets")).join(name)
}

pub(crate) fn mechanism(name: &str) -> Mechanism {
    let file = path(name);
    Mechanism::from_path(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

pub(crate) fn json(name: &str) -> Value {
    let file = path(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).expect("valid JSON")
}

/// A list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("a list, not {value}"));
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}
