//! JSON text as a tree of values; a key given twice is an error.

use crate::document::Source;
use crate::error::ModelError;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses JSON.
pub(crate) fn parse(text: &str) -> Result<Source, ModelError> {
    match serde_json::from_str::<Strict>(text) {
        Ok(Strict(value)) => Ok(Source::from(value)),
        Err(error) => Err(syntax(text, &error)),
    }
}

/// The parser's error, explained where a number is none.
fn syntax(text: &str, error: &serde_json::Error) -> ModelError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    // the parser appends the place, which the error holds already
    let mut message =
        full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message).to_owned();
    let rest: String = text
        .lines()
        .nth(line.saturating_sub(1))
        .map(|line| line.chars().skip(column.saturating_sub(2)).take(10).collect())
        .unwrap_or_default();
    let rest = rest.trim_start_matches([' ', ':', ',', '[', '-']).to_lowercase();
    if ["nan", "inf", "an", "nf"].iter().any(|word| rest.starts_with(word)) {
        message.push_str("; NaN and Infinity are not numbers in JSON: every value must be finite");
    }
    if !text.trim_start().starts_with(['{', '[']) {
        message.push_str("; JSON begins with {: is this file one of another kind?");
    }
    ModelError::Syntax { path: None, line: Some(line), column: Some(column), message }
}

/// A value without keys given twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Strict, E> {
        Number::from_f64(value)
            .map(|number| Strict(Value::Number(number)))
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Strict(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Strict, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key '{key}' is given twice")));
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Strict(Value::Object(map)))
    }
}
