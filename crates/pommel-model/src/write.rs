//! A description as TOML or JSON text, laid out for people: one field a line, short lists inline.

use crate::description::Description;
use serde_json::{Map, Value};
use std::fmt::Write;

impl Description {
    /// The description as a tree of values. Numbers that are not finite become null.
    pub(crate) fn to_value(&self) -> Value {
        // every key is a string and every type is plain data, so this cannot fail
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The description as TOML. Numbers are written with as few digits as give the same double.
    pub fn to_toml_string(&self) -> String {
        let mut text = String::new();
        if let Value::Object(map) = self.to_value() {
            let nested = |value: &Value| match value {
                Value::Array(items) => items.iter().any(Value::is_object),
                other => other.is_object(),
            };
            for (key, value) in map.iter().filter(|(_, value)| !nested(value)) {
                toml_line(key, value, &mut text);
            }
            for (key, value) in map.iter().filter(|(_, value)| nested(value)) {
                let (items, open, close) = match value {
                    Value::Array(items) => (items.as_slice(), "[[", "]]"),
                    other => (std::slice::from_ref(other), "[", "]"),
                };
                for fields in items.iter().filter_map(Value::as_object) {
                    // writing to a string cannot fail
                    let _ = writeln!(text, "\n{open}{}{close}", toml_key(key));
                    for (key, value) in fields {
                        toml_line(key, value, &mut text);
                    }
                }
            }
        }
        text
    }

    /// The description as JSON. Numbers are written with as few digits as give the same double.
    pub fn to_json_string(&self) -> String {
        let mut text = String::new();
        json(&self.to_value(), 0, &mut text);
        text.push('\n');
        text
    }
}

fn toml_line(key: &str, value: &Value, text: &mut String) {
    text.push_str(&toml_key(key));
    text.push_str(" = ");
    toml_value(value, text);
    text.push('\n');
}

fn toml_value(value: &Value, text: &mut String) {
    match value {
        // TOML has no null; a number that is not finite was one
        Value::Null => text.push_str("nan"),
        Value::String(string) => text.push_str(&quoted(string)),
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n > 0 { ", " } else { "" });
                toml_value(item, text);
            }
            text.push(']');
        }
        Value::Object(map) => toml_table(map, text),
        other => text.push_str(&other.to_string()),
    }
}

fn toml_table(map: &Map<String, Value>, text: &mut String) {
    text.push('{');
    for (n, (key, value)) in map.iter().enumerate() {
        text.push_str(if n > 0 { ", " } else { " " });
        text.push_str(&toml_key(key));
        text.push_str(" = ");
        toml_value(value, text);
    }
    text.push_str(if map.is_empty() { "}" } else { " }" });
}

fn toml_key(key: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !key.is_empty() && key.bytes().all(plain) { key.to_owned() } else { quoted(key) }
}

/// A string with JSON's escapes, which are TOML's, but for DEL.
fn quoted(string: &str) -> String {
    Value::from(string).to_string().replace('\u{7f}', "\\u007F")
}

/// JSON with one key a line and lists of plain values on one line.
fn json(value: &Value, depth: usize, text: &mut String) {
    let indent = |text: &mut String, depth: usize| {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('{');
            for (n, (key, value)) in map.iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                indent(text, depth + 1);
                // writing to a string cannot fail
                let _ = write!(text, "{}: ", Value::from(key.as_str()));
                json(value, depth + 1, text);
            }
            indent(text, depth);
            text.push('}');
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                indent(text, depth + 1);
                json(item, depth + 1, text);
            }
            indent(text, depth);
            text.push(']');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n > 0 { ", " } else { "" });
                json(item, depth, text);
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}
