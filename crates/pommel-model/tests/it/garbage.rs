//! Damaged files give an answer, never a panic.

use crate::support::{RICH, datasets};
use pommel_model::{Description, Mechanism, ModelError, ParameterPath, State};

/// A small generator, so that the damage is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Calls `read` with truncated and damaged versions of `text`; counts those that are refused.
fn damage(text: &str, read: impl Fn(&str) -> Result<(), ModelError>) -> usize {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut refused = 0;
    for round in 0..400 {
        let mut bytes = text.as_bytes().to_vec();
        match round % 4 {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => {
                let at = random.below(bytes.len());
                bytes[at] = random.below(128) as u8;
            }
            2 => {
                let (from, length) = (random.below(bytes.len()), random.below(30));
                bytes.drain(from..(from + length).min(text.len()));
            }
            _ => {
                let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
                let piece: Vec<_> = bytes[from..(from + 20).min(text.len())].to_vec();
                bytes.splice(to..to, piece);
            }
        }
        let damaged = String::from_utf8_lossy(&bytes);
        if let Err(error) = read(&damaged) {
            refused += 1;
            assert!(!error.to_string().is_empty());
        }
    }
    refused
}

#[test]
fn damaged_toml_is_read_or_refused() {
    let refused = damage(RICH, |text| Mechanism::from_toml_str(text).map(drop));
    assert!((200..400).contains(&refused), "{refused}");
}

#[test]
fn damaged_json_is_read_or_refused() {
    let json = Description::from_toml_str(RICH).expect("rich").to_json_string();
    let refused = damage(&json, |text| Mechanism::from_json_str(text).map(drop));
    assert!((200..400).contains(&refused), "{refused}");
}

#[test]
fn damaged_urdf_is_read_or_refused() {
    let path = datasets("robots/puma560_fixed/model.urdf");
    let urdf = std::fs::read_to_string(path).expect("urdf");
    let refused = damage(&urdf, |text| Mechanism::from_urdf_str(text).map(drop));
    assert!((100..400).contains(&refused), "{refused}");
}

#[test]
fn damaged_states_are_read_or_refused() {
    let mechanism = Mechanism::from_toml_str(RICH).expect("rich");
    let text = r#"{"q": {"elbow": 1.5, "shoulder": [2, 3]}, "v": {"elbow": -1}, "wrenches": {}}"#;
    let refused = damage(text, |text| State::from_json_str(text)?.resolve(&mechanism).map(drop));
    assert!((100..400).contains(&refused), "{refused}");
}

#[test]
fn values_of_every_wrong_type_at_every_place_are_refused_or_read() {
    let rich = Description::from_toml_str(RICH).expect("rich");
    let value = serde_json::to_value(&rich).expect("value");
    let mut pointers = Vec::new();
    collect(&value, String::new(), &mut pointers);
    assert!(pointers.len() > 300, "{}", pointers.len());
    for pointer in pointers {
        for wrong in ["null", "true", "1", "-1.5", "\"text\"", "[]", "[[1]]", "{}", "{\"type\": 3}"]
        {
            let mut changed = value.clone();
            *changed.pointer_mut(&pointer).expect("place") =
                serde_json::from_str(wrong).expect("value");
            // whatever comes of it, it comes with a place
            if let Err(error) = Mechanism::from_json_str(&changed.to_string()) {
                assert!(!error.faults().is_empty(), "{pointer} {wrong}: {error}");
            }
        }
    }
}

fn collect(value: &serde_json::Value, at: String, pointers: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                collect(value, format!("{at}/{key}"), pointers);
            }
        }
        serde_json::Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(at);
}

#[test]
fn damaged_parameter_paths_are_read_or_refused() {
    let rich = Description::from_toml_str(RICH).expect("rich");
    let mut random = Random(7);
    let text = "joints['left.arm'][12].torque[1].amplitude";
    let mut refused = 0;
    for _ in 0..2000 {
        let mut chars: Vec<char> = text.chars().collect();
        let at = random.below(chars.len());
        chars[at] = ['[', ']', '\'', '.', '\\', 'é', '9', '"'][random.below(8)];
        chars.truncate(1 + random.below(chars.len()));
        let text: String = chars.into_iter().collect();
        refused += usize::from(ParameterPath::parse(&text).and_then(|p| p.resolve(&rich)).is_err());
    }
    assert_eq!(refused, 2000);
}
