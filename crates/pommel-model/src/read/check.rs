//! Checks a tree of values against a JSON Schema, finds every fault, and suggests what was meant.
//!
//! Only the keywords that our own schemas use are known: `$ref`, `type`, `const`, `properties`,
//! `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `minimum`, `anyOf`,
//! `oneOf`, and the two of ours.

use crate::fault::{FaultKind, suggestion};
use crate::path::{child, push_index};
use serde_json::{Map, Value};

/// A schema and what has been found so far.
pub(crate) struct Checker {
    root: &'static Value,
    planar: bool,
}

type Found = Vec<(String, FaultKind)>;

impl Checker {
    pub(crate) fn new(root: &'static Value, planar: bool) -> Self {
        Self { root, planar }
    }

    /// All faults, with their paths. Unknown keys are removed from the value.
    pub(crate) fn check(&self, value: &mut Value) -> Found {
        let mut found = Vec::new();
        self.value(self.root, value, "", &mut found);
        found
    }

    fn value(&self, schema: &Value, value: &mut Value, path: &str, found: &mut Found) {
        let schema = self.follow(schema);
        let alternatives = self.alternatives(schema);
        if !alternatives.is_empty() {
            return self.any(schema, &alternatives, value, path, found);
        }
        if let Some(word) = schema.get("const") {
            if value != word {
                self.unknown_word(&[schema], value, path, found);
            }
            return;
        }
        if !fits(schema, value) {
            found.push((path.to_owned(), wrong_type(schema, value)));
            return;
        }
        match value {
            Value::Object(map) => self.object(schema, map, path, found),
            Value::Array(items) => self.array(schema, items, path, found),
            Value::Number(number) => {
                let minimum = schema.get("minimum").and_then(Value::as_f64);
                if let (Some(minimum), Some(value)) = (minimum, number.as_f64())
                    && value < minimum
                {
                    found.push((path.to_owned(), FaultKind::Negative { value }));
                }
            }
            _ => {}
        }
    }

    fn object(&self, schema: &Value, map: &mut Map<String, Value>, path: &str, found: &mut Found) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties");
        let mut unknown = Vec::new();
        for (key, value) in map.iter_mut() {
            let known = properties.and_then(|properties| properties.get(key));
            let other = additional.filter(|schema| schema.is_object());
            let below = child(path, key);
            match known.or(other) {
                Some(schema) => self.value(schema, value, &below, found),
                None if additional == Some(&Value::Bool(false)) => unknown.push(key.clone()),
                None => {}
            }
        }
        for key in unknown {
            map.shift_remove(&key);
            let known: Vec<_> =
                properties.map(|known| known.keys().cloned().collect()).unwrap_or_default();
            // the closest key that is not there yet
            let free = known.iter().map(String::as_str).filter(|known| !map.contains_key(*known));
            let suggestion = suggestion(&key, free);
            found.push((path.to_owned(), FaultKind::UnknownKey { key, suggestion, known }));
        }
        let required = schema.get("required").and_then(Value::as_array);
        for key in required.into_iter().flatten().filter_map(Value::as_str) {
            if !map.contains_key(key) {
                found.push((path.to_owned(), FaultKind::MissingKey { key: key.to_owned() }));
            }
        }
    }

    fn array(&self, schema: &Value, items: &mut [Value], path: &str, found: &mut Found) {
        let number = |key| schema.get(key).and_then(Value::as_u64);
        let minimum = match number("x-spatial-items") {
            Some(spatial) if !self.planar => Some(spatial),
            _ => number("minItems"),
        };
        let maximum = number("maxItems");
        let length = items.len() as u64;
        if minimum.is_some_and(|minimum| length < minimum)
            || maximum.is_some_and(|maximum| length > maximum)
        {
            let expected = match (minimum, maximum) {
                (Some(a), Some(b)) if a == b => a.to_string(),
                (Some(a), Some(b)) => format!("{a} to {b}"),
                (Some(a), None) => format!("at least {a}"),
                (None, b) => format!("at most {}", b.unwrap_or_default()),
            };
            let kind = FaultKind::WrongLength { expected, found: items.len() };
            found.push((path.to_owned(), kind));
        }
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter_mut().enumerate() {
                let mut below = path.to_owned();
                push_index(&mut below, index);
                self.value(schema, item, &below, found);
            }
        }
    }

    /// A value that may have one of several shapes.
    fn any(
        &self,
        schema: &Value,
        alternatives: &[&Value],
        value: &mut Value,
        path: &str,
        found: &mut Found,
    ) {
        if alternatives.iter().any(|schema| schema.get("const").is_some()) && value.is_string() {
            let words: Vec<_> = alternatives
                .iter()
                .copied()
                .filter(|schema| schema.get("const").is_some())
                .collect();
            if !words.iter().any(|schema| schema["const"] == *value) {
                self.unknown_word(&words, value, path, found);
            }
            return;
        }
        let fitting: Vec<_> =
            alternatives.iter().copied().filter(|schema| fits(schema, value)).collect();
        let tags: Vec<_> = fitting.iter().filter_map(|schema| tag(schema)).collect();
        if let (Value::Object(map), false) = (&mut *value, tags.is_empty()) {
            let chosen = fitting.iter().find(|schema| tag(schema) == map.get("type"));
            match (chosen, map.get("type")) {
                (Some(schema), _) => self.value(schema, value, path, found),
                (None, None) => {
                    let kind = FaultKind::MissingKey { key: "type".to_owned() };
                    found.push((path.to_owned(), kind));
                }
                (None, Some(given)) => {
                    let below = child(path, "type");
                    let given = given.clone();
                    let words: Vec<_> =
                        fitting.iter().filter_map(|s| s.pointer("/properties/type")).collect();
                    self.unknown_word(&words, &given, &below, found);
                }
            }
            return;
        }
        match fitting[..] {
            [] => {
                let expected = expected(schema).or_else(|| {
                    alternatives.iter().find_map(|schema| expected(self.follow(schema)))
                });
                let expected = expected.unwrap_or_else(|| {
                    let types: Vec<_> =
                        alternatives.iter().map(|schema| type_words(schema)).collect();
                    types.join(" or ")
                });
                let kind = FaultKind::WrongType { expected, found: describe(value) };
                found.push((path.to_owned(), kind));
            }
            [only] => self.value(only, value, path, found),
            _ => self.best(schema, &fitting, value, path, found),
        }
    }

    /// Several shapes of the same type, such as lists of different lengths.
    fn best(
        &self,
        schema: &Value,
        fitting: &[&Value],
        value: &mut Value,
        path: &str,
        found: &mut Found,
    ) {
        let tries: Vec<Found> = fitting
            .iter()
            .map(|schema| {
                let mut found = Vec::new();
                self.value(schema, &mut value.clone(), path, &mut found);
                found
            })
            .collect();
        if tries.iter().any(Vec::is_empty) {
            return;
        }
        // faults inside of the value say more than that its shape is wrong
        let inner = tries.into_iter().find(|faults| faults.iter().all(|(at, _)| at != path));
        match (inner, expected(schema)) {
            (Some(faults), _) => found.extend(faults),
            (None, Some(expected)) => {
                let kind = FaultKind::WrongType { expected, found: describe(value) };
                found.push((path.to_owned(), kind));
            }
            (None, None) => self.value(fitting[0], value, path, found),
        }
    }

    /// The word is none of the constants of the schemas.
    fn unknown_word(&self, words: &[&Value], value: &Value, path: &str, found: &mut Found) {
        let known: Vec<String> = words
            .iter()
            .filter_map(|schema| schema.get("const").and_then(Value::as_str))
            .map(str::to_owned)
            .collect();
        let kind = match value.as_str() {
            Some(word) => FaultKind::UnknownValue {
                found: word.to_owned(),
                suggestion: suggestion(word, known.iter().map(String::as_str)),
                known,
            },
            None => FaultKind::WrongType {
                expected: format!("one of {}", known.join(", ")),
                found: describe(value),
            },
        };
        found.push((path.to_owned(), kind));
    }

    /// The alternatives of a schema, flattened; without `null`, which no file needs.
    fn alternatives<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let list = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
        let mut flat = Vec::new();
        for alternative in list.into_iter().flatten() {
            let alternative = self.follow(alternative);
            let inner = self.alternatives(alternative);
            if !inner.is_empty() {
                flat.extend(inner);
            } else if alternative.get("type").is_none_or(|name| name != "null") {
                flat.push(alternative);
            }
        }
        flat
    }

    /// What a `$ref` points to.
    fn follow<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|target| self.root.pointer(target.strip_prefix('#')?));
        target.map_or(schema, |target| self.follow(target))
    }
}

/// The constant of the property `type`.
fn tag(schema: &Value) -> Option<&Value> {
    schema.pointer("/properties/type/const")
}

/// The first type that a schema allows, besides null.
fn type_name(schema: &Value) -> &str {
    let name = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().find(|name| *name != "null"),
        other => other,
    };
    name.and_then(Value::as_str).unwrap_or("any")
}

/// Whether the value has the type of the schema.
fn fits(schema: &Value, value: &Value) -> bool {
    match type_name(schema) {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        _ => true,
    }
}

fn expected(schema: &Value) -> Option<String> {
    schema.get("x-expected").and_then(Value::as_str).map(str::to_owned)
}

fn wrong_type(schema: &Value, value: &Value) -> FaultKind {
    let expected = expected(schema).unwrap_or_else(|| type_words(schema));
    FaultKind::WrongType { expected, found: describe(value) }
}

fn type_words(schema: &Value) -> String {
    match type_name(schema) {
        "object" => "a table".to_owned(),
        "array" => "a list".to_owned(),
        "integer" => "a whole number".to_owned(),
        other => format!("a {other}"),
    }
}

/// A value in a few words.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().count() > 40 => "a long text".to_owned(),
        Value::String(text) => format!("the text '{text}'"),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "a table".to_owned(),
    }
}
