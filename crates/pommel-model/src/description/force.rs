//! Forces that act between bodies.

use super::frame::Frame;
use super::number::{is_default, vector, vector_schema};
use super::time_function::TimeFunction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A force element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Force {
    /// A spring with a damper along the line between two points.
    SpringDamper(SpringDamper),
    /// Six linear springs with dampers between two frames.
    Bushing(Bushing),
    /// A force and a moment on one body as functions of time.
    Wrench(Wrench),
    /// A torque between two bodies as a function of time.
    Torque(Torque),
}

/// Tension `stiffness · (l - rest_length) + damping · dl/dt + preload` along the line between two
/// points.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringDamper {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// First body, or `ground`.
    pub body1: String,
    /// Point in the frame of the first body, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point1: [f64; 3],
    /// Second body, or `ground`.
    pub body2: String,
    /// Point in the frame of the second body, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point2: [f64; 3],
    /// N/m.
    #[serde(default)]
    pub stiffness: f64,
    /// N·s/m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: f64,
    /// Length at which the spring is relaxed, m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rest_length: f64,
    /// Tension at the rest length, N.
    #[serde(default, skip_serializing_if = "is_default")]
    pub preload: f64,
}

/// Springs and dampers along and about the axes of `frame1`, against the displacement and small
/// rotation of `frame2` relative to `frame1`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bushing {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// First body, or `ground`.
    pub body1: String,
    /// Frame in the first body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame1: Frame,
    /// Second body, or `ground`.
    pub body2: String,
    /// Frame in the second body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame2: Frame,
    /// Along the axes, N/m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stiffness: [f64; 3],
    /// Along the axes, N·s/m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: [f64; 3],
    /// About the axes, N·m/rad.
    #[serde(default, skip_serializing_if = "is_default")]
    pub torsional_stiffness: [f64; 3],
    /// About the axes, N·m·s/rad.
    #[serde(default, skip_serializing_if = "is_default")]
    pub torsional_damping: [f64; 3],
}

/// Axes in which a wrench is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WrenchAxes {
    /// World axes.
    #[default]
    World,
    /// Axes of the body: a follower force.
    Body,
}

/// A force at a point of a body and a moment on it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wrench {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Body that feels it.
    pub body: String,
    /// Point of application in the body frame, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point: [f64; 3],
    /// Axes of `force` and `moment`: `world` (default) or `body`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame: WrenchAxes,
    /// Force, three functions of time, N.
    #[serde(default, skip_serializing_if = "is_default")]
    pub force: [TimeFunction; 3],
    /// Moment, three functions of time, N·m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub moment: [TimeFunction; 3],
}

/// A torque on `body2` about an axis fixed in `body1`, and the opposite torque on `body1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torque {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Body that feels the opposite torque, or `ground`.
    pub body1: String,
    /// Body that feels the torque, or `ground`.
    pub body2: String,
    /// Axis in the frame of the first body; normalised on use. Default `[0, 0, 1]`.
    #[serde(default = "z", skip_serializing_if = "is_z", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub axis: [f64; 3],
    /// N·m.
    pub torque: TimeFunction,
}

fn z() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

fn is_z(axis: &[f64; 3]) -> bool {
    *axis == z()
}
