//! Plan text as a tree of values, with line numbers where the format gives them.

use crate::error::PlanError;
use serde_json::{Map, Number, Value};
use std::collections::HashMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A tree of values, the lines they stand on, and the numbers that no value can hold.
#[derive(Default)]
pub(super) struct Source {
    pub(super) value: Value,
    pub(super) lines: HashMap<String, usize>,
    /// Paths of NaN and infinities, which stand as zero in `value`.
    pub(super) not_finite: Vec<(String, f64)>,
}

impl Source {
    /// Parses TOML.
    pub(super) fn from_toml(text: &str) -> Result<Self, PlanError> {
        let table = DeTable::parse(text).map_err(|error| {
            let place = error.span().map(|span| place(text, span.start));
            PlanError::Syntax {
                path: None,
                line: place.map(|(line, _)| line),
                column: place.map(|(_, column)| column),
                message: error.message().to_owned(),
            }
        })?;
        let mut reader = Reader { text, source: Self::default() };
        let value = reader.table(table.get_ref(), "");
        Ok(Self { value, ..reader.source })
    }

    /// Parses JSON.
    pub(super) fn from_json(text: &str) -> Result<Self, PlanError> {
        match serde_json::from_str(text) {
            Ok(value) => Ok(Self { value, ..Self::default() }),
            Err(error) => Err(json_error(&error)),
        }
    }

    /// Line of a part, or of the closest part that contains it.
    pub(super) fn line(&self, path: &str) -> Option<usize> {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path) {
                return Some(*line);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }
}

/// The parser's error; its place is a field of ours.
pub(super) fn json_error(error: &serde_json::Error) -> PlanError {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    PlanError::Syntax {
        path: None,
        line: Some(error.line()),
        column: Some(error.column()),
        message: message.to_owned(),
    }
}

/// Path of a key below `path`.
pub(super) fn child(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Line and column, from 1, of a byte offset.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

struct Reader<'a> {
    text: &'a str,
    source: Source,
}

impl Reader<'_> {
    fn note(&mut self, path: &str, offset: usize) {
        let (line, _) = place(self.text, offset);
        self.source.lines.insert(path.to_owned(), line);
    }

    fn table(&mut self, table: &DeTable<'_>, path: &str) -> Value {
        // the parser sorts keys; the file's own order reads better in messages
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut map = Map::new();
        for (key, value) in entries {
            let below = child(path, key.get_ref());
            self.note(&below, key.span().start);
            let value = self.value(value, &below);
            map.insert(key.get_ref().to_string(), value);
        }
        Value::Object(map)
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, path: &str) -> Value {
        match value.get_ref() {
            DeValue::String(text) => Value::from(text.as_ref()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Datetime(time) => Value::from(time.to_string()),
            DeValue::Integer(integer) => {
                match i64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(integer) => Value::from(integer),
                    Err(_) => self.float(integer.as_str(), path),
                }
            }
            DeValue::Float(float) => self.float(float.as_str(), path),
            DeValue::Table(table) => self.table(table, path),
            DeValue::Array(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let below = format!("{path}[{index}]");
                    // long lists of numbers need no line each
                    if matches!(item.get_ref(), DeValue::Table(_)) {
                        self.note(&below, item.span().start);
                    }
                    list.push(self.value(item, &below));
                }
                Value::Array(list)
            }
        }
    }

    /// A float; NaN and infinities are noted and stand as zero.
    fn float(&mut self, text: &str, path: &str) -> Value {
        let value = text.parse().unwrap_or(f64::NAN);
        Number::from_f64(value).map_or_else(
            || {
                self.source.not_finite.push((path.to_owned(), value));
                Value::from(0.0)
            },
            Value::Number,
        )
    }
}
