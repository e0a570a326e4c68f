//! Unilateral contacts.

use super::number::{is_default, vector, vector_schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sphere (or point) on a body stays on one side of a plane fixed in the world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Body that touches.
    pub body: String,
    /// Centre of the sphere in the body frame, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point: [f64; 3],
    /// Radius of the sphere, m; zero for a point.
    #[serde(default, skip_serializing_if = "is_default")]
    pub radius: f64,
    /// The plane it may not cross.
    pub plane: Plane,
    /// Coefficient of restitution, 0 to 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restitution: f64,
    /// Coefficient of dry friction.
    #[serde(default, skip_serializing_if = "is_default")]
    pub friction: f64,
}

/// A plane in the world; bodies stay on the side to which the normal points.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of the plane, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point: [f64; 3],
    /// Normal, world axes; normalised on use.
    #[serde(deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub normal: [f64; 3],
}
