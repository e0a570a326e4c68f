//! A digest of a description that depends on its content only.

use crate::description::Description;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl Description {
    /// SHA-256 (hexadecimal) of the canonical JSON of the description: keys sorted, numbers in
    /// their shortest exact form, defaults left out, gravity spelled out. The file format, the
    /// order of keys and the spelling of numbers do not matter; the order of bodies and joints
    /// does, since it numbers the coordinates.
    pub fn digest(&self) -> String {
        let mut full = self.clone();
        full.gravity = Some(self.gravity());
        let mut text = String::new();
        canonical(&full.to_value(), &mut text);
        let mut digest = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            // writing to a string cannot fail
            let _ = write!(digest, "{byte:02x}");
        }
        digest
    }
}

/// Appends the canonical JSON of a value.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (n, (key, value)) in entries.into_iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                // writing to a string cannot fail
                let _ = write!(text, "{}:", Value::from(key.as_str()));
                canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                canonical(item, text);
            }
            text.push(']');
        }
        Value::Number(number) => {
            // adding zero makes one zero of the two
            let _ = match number.as_f64() {
                Some(float) => write!(text, "{:?}", float + 0.0),
                None => write!(text, "{number}"),
            };
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}
