//! The published JSON Schema of the model file, which is also what files are checked against.

use crate::description::Description;
use crate::state::State;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;
use std::sync::OnceLock;

/// The JSON Schema (draft 2020-12) of a model file, with units in the descriptions.
///
/// Two keywords are ours and ignored by other validators: `x-spatial-items`, the length that a
/// vector has in a spatial model, and `x-expected`, what belongs at a place, in words.
pub fn schema() -> Value {
    model().clone()
}

/// Schema of a model file.
pub(crate) fn model() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(generate::<Description>)
}

/// Schema of a state file.
pub(crate) fn state() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(generate::<State>)
}

fn generate<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}
