//! TOML text as a tree of values with line numbers.

use crate::document::Source;
use crate::error::ModelError;
use crate::path::{child, push_index};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses TOML.
pub(crate) fn parse(text: &str) -> Result<Source, ModelError> {
    let table = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let mut reader = Reader { starts: line_starts(text), source: Source::default() };
    let value = reader.table(table.get_ref(), "");
    Ok(Source { value, ..reader.source })
}

fn syntax(text: &str, error: &toml::de::Error) -> ModelError {
    let place = error.span().map(|span| {
        let starts = line_starts(text);
        let line = line_of(&starts, span.start);
        let before = text.get(starts[line - 1]..span.start).unwrap_or_default();
        (line, before.chars().count() + 1)
    });
    ModelError::Syntax {
        path: None,
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        message: format!("{}{}", error.message(), remedy(error.message())),
    }
}

/// What to do about what the parser says; it explains other faults itself.
fn remedy(message: &str) -> &'static str {
    let number = ["float", "integer", "number"].iter().any(|kind| message.contains(kind));
    if message.starts_with("invalid") && number {
        "; write a number as 1, 1.0 or 1e-3, and a text in quotes"
    } else {
        ""
    }
}

/// Byte offsets at which lines start.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

/// Line, from 1, of a byte offset.
fn line_of(starts: &[usize], offset: usize) -> usize {
    starts.partition_point(|start| *start <= offset).max(1)
}

struct Reader {
    starts: Vec<usize>,
    source: Source,
}

impl Reader {
    fn table(&mut self, table: &DeTable<'_>, path: &str) -> Value {
        // the parser sorts keys; the file's own order reads better in messages
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut map = Map::new();
        for (key, value) in entries {
            let below = child(path, key.get_ref());
            let line = line_of(&self.starts, key.span().start);
            self.source.lines.insert(below.clone(), line);
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
                    let mut below = path.to_owned();
                    push_index(&mut below, index);
                    let line = line_of(&self.starts, item.span().start);
                    self.source.lines.insert(below.clone(), line);
                    list.push(self.value(item, &below));
                }
                Value::Array(list)
            }
        }
    }

    /// A float; NaN and infinities are noted and stand as zero.
    fn float(&mut self, text: &str, path: &str) -> Value {
        let value = text.parse().unwrap_or(f64::NAN);
        match Number::from_f64(value) {
            Some(number) => Value::Number(number),
            None => {
                self.source.not_finite.push((path.to_owned(), value));
                Value::from(0.0)
            }
        }
    }
}
