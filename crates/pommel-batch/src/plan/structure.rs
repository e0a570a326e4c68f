//! Checks a tree of values against the schema of plans and finds every structural fault.
//!
//! Only the keywords that our schema uses are known: `$ref`, `anyOf`, `type`, `properties`,
//! `required`, `items`, `minItems`, `minimum`, and `oneOf` with `const` for words.

use super::fault::PlanFaultKind;
use pommel_model::document::{child, describe, suggestion};
use serde_json::{Map, Value};

/// Faults with their paths.
pub(super) type Found = Vec<(String, PlanFaultKind)>;

/// All structural faults.
pub(super) fn check(value: &Value) -> Found {
    let mut found = Vec::new();
    visit(super::schema(), value, "", &mut found);
    found
}

fn visit(schema: &'static Value, value: &Value, path: &str, found: &mut Found) {
    let schema = follow(schema);
    if let Some(words) = words(schema) {
        let Some(word) = value.as_str() else {
            let expected = format!("one of {}", words.join(", "));
            let kind = PlanFaultKind::WrongType { expected, found: describe(value) };
            return found.push((path.to_owned(), kind));
        };
        if !words.iter().any(|known| known == word) {
            let suggestion = suggestion(word, words.iter().map(String::as_str));
            let kind =
                PlanFaultKind::UnknownValue { found: word.to_owned(), suggestion, known: words };
            found.push((path.to_owned(), kind));
        }
        return;
    }
    if let Some(expected) = misfit(schema, value) {
        let kind = PlanFaultKind::WrongType { expected, found: describe(value) };
        return found.push((path.to_owned(), kind));
    }
    match value {
        Value::Object(map) => object(schema, map, path, found),
        Value::Array(items) => {
            if let Some(expected) = schema.get("minItems").and_then(Value::as_u64)
                && items.len() as u64 != expected
            {
                let kind = PlanFaultKind::WrongLength { expected, found: items.len() };
                return found.push((path.to_owned(), kind));
            }
            for (index, item) in items.iter().enumerate() {
                visit(&schema["items"], item, &format!("{path}[{index}]"), found);
            }
        }
        Value::Number(number) => {
            let minimum = schema.get("minimum").and_then(Value::as_f64);
            if let (Some(minimum), Some(value)) = (minimum, number.as_f64())
                && value < minimum
            {
                found.push((path.to_owned(), PlanFaultKind::Negative { value }));
            }
        }
        _ => {}
    }
}

fn object(schema: &'static Value, map: &Map<String, Value>, path: &str, found: &mut Found) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (key, value) in map {
        match properties.get(key) {
            Some(schema) => visit(schema, value, &child(path, key), found),
            None => {
                let known: Vec<_> = properties.keys().cloned().collect();
                let free = known.iter().map(String::as_str).filter(|key| !map.contains_key(*key));
                let suggestion = suggestion(key, free);
                let kind = PlanFaultKind::UnknownKey { key: key.clone(), suggestion, known };
                found.push((path.to_owned(), kind));
            }
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for key in required.into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(key) {
            found.push((path.to_owned(), PlanFaultKind::MissingKey { key: key.to_owned() }));
        }
    }
}

/// The schema behind a reference; an optional part stands for the part.
fn follow(schema: &'static Value) -> &'static Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = target.strip_prefix('#').unwrap_or(target);
        return super::schema().pointer(pointer).unwrap_or(&Value::Null);
    }
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(parts) => parts.first().map_or(&Value::Null, follow),
        None => schema,
    }
}

/// The allowed words, if the schema is a choice of words.
fn words(schema: &Value) -> Option<Vec<String>> {
    let options = schema.get("oneOf")?.as_array()?;
    options.iter().map(|option| Some(option.get("const")?.as_str()?.to_owned())).collect()
}

/// What belongs here, if the value is of another type.
fn misfit(schema: &Value, value: &Value) -> Option<String> {
    let name = match schema.get("type")? {
        Value::String(name) => name.as_str(),
        // an optional part: its type, or null, which is the same as leaving it out
        Value::Array(names) if !value.is_null() => names.first()?.as_str()?,
        _ => return None,
    };
    let (fits, words) = match name {
        "object" => (value.is_object(), "a table"),
        "array" => (value.is_array(), "a list"),
        "string" => (value.is_string(), "a text"),
        "integer" => (value.is_u64() || value.is_i64(), "a whole number"),
        "number" => (value.is_number(), "a number"),
        _ => return None,
    };
    (!fits).then(|| words.to_owned())
}
