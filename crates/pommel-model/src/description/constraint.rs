//! Constraints that are not joints, and drivers of joint coordinates.

use super::contact::Plane;
use super::number::{is_default, option_vector, vector, vector_schema};
use super::time_function::TimeFunction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A constraint between bodies or joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Constraint {
    /// Two points keep their distance.
    Distance(Distance),
    /// Two joint coordinates keep a linear relation.
    Gear(Gear),
    /// A point stays on a line.
    PointOnLine(PointOnLine),
    /// One joint coordinate follows a profile over another.
    Cam(Cam),
    /// A sphere, disc or wheel rolls on a plane without slip.
    Rolling(Rolling),
}

/// Two points keep their distance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distance {
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
    /// m; positive.
    pub length: f64,
}

/// `q(joint2) = profile(q(joint1))`, for joints with one coordinate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cam {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Joint that carries the cam.
    pub joint1: String,
    /// Joint of the follower.
    pub joint2: String,
    /// Coordinate of the follower over that of the cam, rad or m: a table (its `times` are
    /// coordinates of the cam), best with `cubic` interpolation, or another function.
    pub profile: TimeFunction,
    /// Coordinate after which the profile repeats, such as 2π; without it, it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
}

/// A sphere (in the plane: a wheel) whose centre is `point2` of `body2` rolls without slip on a
/// plane of `body1` (in the plane: a line); with an `axis`, a thin disc.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rolling {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Body that carries the plane, or `ground`.
    pub body1: String,
    /// The plane, in the frame of the first body; the normal points to the rolling body.
    pub plane: Plane,
    /// Body that rolls.
    pub body2: String,
    /// Its centre, in its own frame, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point2: [f64; 3],
    /// m; positive.
    pub radius: f64,
    /// Axis of a thin disc in the frame of the second body; normalised on use. Without it a sphere.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "option_vector")]
    #[schemars(schema_with = "vector_schema")]
    pub axis: Option<[f64; 3]>,
}

/// `q(joint2) = ratio · q(joint1) + offset`, for joints with one coordinate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gear {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Joint that leads.
    pub joint1: String,
    /// Joint that follows.
    pub joint2: String,
    /// Coordinate of the follower per coordinate of the leader.
    pub ratio: f64,
    /// Coordinate of the follower when the leader is at zero, rad or m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub offset: f64,
}

/// The point `point2` of `body2` stays on the line through `point1` along `axis`, fixed in `body1`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointOnLine {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Body that carries the line, or `ground`.
    pub body1: String,
    /// A point of the line in the frame of the first body, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point1: [f64; 3],
    /// Direction of the line in the frame of the first body; normalised on use.
    #[serde(deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub axis: [f64; 3],
    /// Body that carries the point, or `ground`.
    pub body2: String,
    /// Point in the frame of the second body, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub point2: [f64; 3],
}

/// Prescribes one coordinate of a joint as a function of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Name, for outputs and parameter paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Driven joint.
    pub joint: String,
    /// Which of its coordinates, from 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub coordinate: usize,
    /// rad or m.
    pub motion: TimeFunction,
}
