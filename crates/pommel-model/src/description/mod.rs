//! What a model file says, field by field; nothing here is derived or checked.

mod body;
mod constraint;
mod contact;
mod force;
mod frame;
mod joint;
mod number;
mod time_function;

pub use body::{AngularVelocity, Body, Inertia};
pub use constraint::{Cam, Constraint, Distance, Driver, Gear, PointOnLine, Rolling};
pub use contact::{Contact, Plane};
pub use force::{Bushing, Force, SpringDamper, Torque, Wrench, WrenchAxes};
pub use frame::{Frame, NamedFrame};
pub use joint::{Friction, Joint, JointType, Limits, Role, Rotor};
pub use number::OneOrMany;
pub use time_function::{Interpolation, TimeFunction};

use number::{is_default, option_vector, vector_schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether a mechanism lives in space or in the x-y plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Three dimensions.
    #[default]
    Spatial,
    /// Motion in the x-y plane, rotation about z; vectors may be written with two numbers.
    Planar,
}

/// A mechanism as a model file describes it. SI units, radians.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Name of the mechanism.
    pub name: String,
    /// `spatial` (default) or `planar`.
    #[serde(default)]
    pub kind: Kind,
    /// What the mechanism is, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the numbers come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What to mind when using the numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// Gravitational acceleration in world axes, m/s². Default `[0, 0, -9.81]` in space and
    /// `[0, -9.81]` in the plane.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "option_vector")]
    #[schemars(schema_with = "vector_schema")]
    pub gravity: Option<[f64; 3]>,
    /// The rigid bodies.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// The joints, in the order in which coordinates are numbered.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// Named frames on bodies, such as end effectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<NamedFrame>,
    /// Springs, bushings, wrenches, torques.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<Force>,
    /// Constraints that are not joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// Joint coordinates whose motion is prescribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<Driver>,
    /// Unilateral contacts of body points with planes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<Contact>,
    /// Initial joint coordinates and velocities.
    #[serde(default, skip_serializing_if = "is_default")]
    pub initial: Initial,
}

/// Initial state by joint name. What is missing is zero (the identity for orientations), except
/// for a free joint, which takes the placement and velocity given on its body.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Initial {
    /// Coordinates by joint name: a number or a list (rad, m, unit quaternions).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub q: BTreeMap<String, OneOrMany<f64>>,
    /// Velocities by joint name: a number or a list (rad/s, m/s).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub v: BTreeMap<String, OneOrMany<f64>>,
}

impl Description {
    /// Whether this is a planar mechanism.
    pub fn is_planar(&self) -> bool {
        self.kind == Kind::Planar
    }

    /// Gravitational acceleration, m/s², world axes: as given, else the default of the kind.
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity.unwrap_or(match self.kind {
            Kind::Spatial => [0.0, 0.0, -9.81],
            Kind::Planar => [0.0, -9.81, 0.0],
        })
    }

    /// Index of a body by name.
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// Index of a joint by name.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}
