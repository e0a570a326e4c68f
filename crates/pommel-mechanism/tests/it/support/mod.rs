//! What tests share.

mod case;

pub(crate) use case::{Case, Shape, methods, random};

use std::path::Path;

use serde_json::Value;

/// A file of `datasets`.
pub(crate) fn dataset(path: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(path);
    let text = std::fs::read_to_string(&file).expect("the data set is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// A number, or a fraction in a string.
pub(crate) fn number(value: &Value) -> f64 {
    let Some(text) = value.as_str() else { return value.as_f64().expect("a number") };
    match text.split_once('/') {
        Some((over, under)) => over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap(),
        None => text.parse().unwrap(),
    }
}

/// A list of numbers; of rows of them, one after the other.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().flat_map(|x| if x.is_array() { numbers(x) } else { vec![number(x)] }).collect()
}

/// Panics unless all numbers agree to within `limit`.
#[track_caller]
pub(crate) fn assert_near(found: &[f64], expected: &[f64], limit: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= limit, "entry {i}: {x} is not {y} to {limit:e}");
    }
}
