//! Numbers that may be written in more than one way: two or three components, one or many values.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

/// One value for all, or one value for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a single value or a list of values")]
pub enum OneOrMany<T> {
    /// A single value.
    One(T),
    /// A list of values.
    Many(Vec<T>),
}

impl<T: Default> Default for OneOrMany<T> {
    fn default() -> Self {
        Self::One(T::default())
    }
}

impl<T> OneOrMany<T> {
    /// The values as a slice: one element for [`OneOrMany::One`].
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }

    /// The value for item `index`: the single value serves every item.
    pub fn get(&self, index: usize) -> Option<&T> {
        match self {
            Self::One(value) => Some(value),
            Self::Many(values) => values.get(index),
        }
    }
}

/// Whether a field has its default, and so need not be written.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads `[x, y]` or `[x, y, z]`; the third component defaults to zero.
pub(super) fn vector<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 3], D::Error> {
    let values = Vec::<f64>::deserialize(deserializer)?;
    match values[..] {
        [x, y] => Ok([x, y, 0.0]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(serde::de::Error::invalid_length(values.len(), &"2 (planar) or 3 numbers")),
    }
}

/// As [`vector`], for a field that may be missing.
pub(super) fn option_vector<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<[f64; 3]>, D::Error> {
    vector(deserializer).map(Some)
}

/// Schema of a vector: two numbers are for planar models only.
pub(super) fn vector_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {"type": "number"},
        "minItems": 2,
        "maxItems": 3,
        "x-spatial-items": 3
    })
}
