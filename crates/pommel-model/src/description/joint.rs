//! Joints and what acts in them.

use super::frame::Frame;
use super::number::{OneOrMany, is_default, option_vector, vector, vector_schema};
use super::time_function::TimeFunction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a joint lets its child do relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointType {
    /// One angle about `axis`.
    Revolute,
    /// One displacement along `axis`.
    Prismatic,
    /// One angle about `axis` with a displacement `pitch · angle` along it.
    Helical,
    /// An angle about and a displacement along `axis`, in that order.
    Cylindrical,
    /// An angle about `axis`, then one about `axis2` (in the frame after the first rotation).
    Universal,
    /// A ball joint: quaternion child → joint frame; velocity in child axes.
    Spherical,
    /// Displacements along x and y of the joint frame, then an angle about its z.
    Planar,
    /// No motion.
    #[default]
    Fixed,
    /// All motion. Connects `ground` with a body; the coordinates are the body's own placement.
    Free,
}

impl JointType {
    /// The name in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Helical => "helical",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Spherical => "spherical",
            Self::Planar => "planar",
            Self::Fixed => "fixed",
            Self::Free => "free",
        }
    }

    /// Number of position coordinates.
    pub fn nq(self, planar: bool) -> usize {
        match self {
            Self::Free if planar => 3,
            Self::Free => 7,
            Self::Spherical => 4,
            other => other.nv(planar),
        }
    }

    /// Number of velocity coordinates.
    pub fn nv(self, planar: bool) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic | Self::Helical => 1,
            Self::Cylindrical | Self::Universal => 2,
            Self::Spherical | Self::Planar => 3,
            Self::Free if planar => 3,
            Self::Free => 6,
        }
    }

    /// Where the quaternion starts among the position coordinates, if there is one.
    pub fn quaternion_offset(self, planar: bool) -> Option<usize> {
        match self {
            Self::Spherical => Some(0),
            Self::Free if !planar => Some(3),
            _ => None,
        }
    }

    /// What to append to the joint name to name its position coordinates.
    pub fn coordinate_suffixes(self, planar: bool) -> &'static [&'static str] {
        match self {
            Self::Free if !planar => &[".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"],
            Self::Spherical => &[".qw", ".qx", ".qy", ".qz"],
            other => other.velocity_suffixes(planar),
        }
    }

    /// What to append to the joint name to name its velocity coordinates.
    pub fn velocity_suffixes(self, planar: bool) -> &'static [&'static str] {
        match self {
            Self::Fixed => &[],
            Self::Revolute | Self::Prismatic | Self::Helical => &[""],
            Self::Cylindrical => &[".angle", ".slide"],
            Self::Universal => &[".angle1", ".angle2"],
            Self::Spherical => &[".wx", ".wy", ".wz"],
            Self::Planar => &[".x", ".y", ".angle"],
            Self::Free if planar => &[".x", ".y", ".angle"],
            Self::Free => &[".wx", ".wy", ".wz", ".vx", ".vy", ".vz"],
        }
    }
}

/// Whether a joint carries its child or closes a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Carries its child if no earlier joint does, else closes a loop.
    #[default]
    Auto,
    /// Carries its child and has coordinates.
    Tree,
    /// Closes a loop and has no coordinates.
    Loop,
}

/// A joint between two bodies.
///
/// With `in_parent` and `in_child` the joint frame on either side, the placement of the child in
/// its parent is `in_parent · motion(q) · in_child⁻¹`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Unique name among the joints.
    pub name: String,
    /// What the joint lets its child do.
    #[serde(rename = "type")]
    pub joint_type: JointType,
    /// Body on the parent side, or `ground`.
    pub parent: String,
    /// Body on the child side; `ground` only for joints that close a loop.
    pub child: String,
    /// Joint frame in the parent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_parent: Frame,
    /// Joint frame in the child.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_child: Frame,
    /// Axis in the joint frame; normalised on use. Default `[0, 0, 1]`.
    #[serde(default = "z", skip_serializing_if = "is_z", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub axis: [f64; 3],
    /// Second axis of a universal joint, in the frame after the first rotation; normalised on use.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "option_vector")]
    #[schemars(schema_with = "vector_schema")]
    pub axis2: Option<[f64; 3]>,
    /// Pitch of a helical joint, m/rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Whether the joint carries its child or closes a loop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub role: Role,
    /// Stops; a list for joints with several coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<OneOrMany<Limits>>,
    /// Viscous damping, N·m·s/rad or N·s/m; a list for one value a coordinate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: OneOrMany<f64>,
    /// Stiffness of a spring in the joint, N·m/rad or N/m; a list for one value a coordinate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stiffness: OneOrMany<f64>,
    /// Coordinate at which that spring is relaxed, rad or m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rest: OneOrMany<f64>,
    /// Dry friction in the joint; a list for joints with several coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<OneOrMany<Friction>>,
    /// Applied generalized force as a function of time, N·m or N; a list for several coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<OneOrMany<TimeFunction>>,
    /// Inertia added on the diagonal of the joint-space inertia matrix, kg·m² or kg.
    #[serde(default, skip_serializing_if = "is_default")]
    pub armature: OneOrMany<f64>,
    /// A geared rotor carried by the parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotor: Option<Rotor>,
}

impl Default for Joint {
    fn default() -> Self {
        Self {
            name: String::new(),
            joint_type: JointType::default(),
            parent: String::new(),
            child: String::new(),
            in_parent: Frame::default(),
            in_child: Frame::default(),
            axis: z(),
            axis2: None,
            pitch: None,
            role: Role::default(),
            limits: None,
            damping: OneOrMany::default(),
            stiffness: OneOrMany::default(),
            rest: OneOrMany::default(),
            friction: None,
            torque: None,
            armature: OneOrMany::default(),
            rotor: None,
        }
    }
}

fn z() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

fn is_z(axis: &[f64; 3]) -> bool {
    *axis == z()
}

/// Stops of one coordinate, and the bounds that URDF files carry.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-expected" = "a table such as { lower = -1.0, upper = 1.0 }"))]
pub struct Limits {
    /// Lower stop, rad or m; none if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Upper stop, rad or m; none if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Coefficient of restitution at the stops, 0 to 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restitution: f64,
    /// Largest actuator effort, N·m or N; carried, not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<f64>,
    /// Largest speed, rad/s or m/s; carried, not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
}

/// Dry friction of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-expected" = "a table with the key 'coulomb', such as { coulomb = 1.0 }"))]
pub struct Friction {
    /// Sliding friction, N·m or N, against the sliding velocity.
    pub coulomb: f64,
    /// Largest friction while sticking, N·m or N; default the sliding friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#static: Option<f64>,
    /// Part proportional to the sliding velocity, N·m·s/rad or N·s/m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub viscous: f64,
    /// Velocity of the surface that rubs, rad/s or m/s: sliding velocity = joint velocity - this.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surface_velocity: f64,
}

impl Friction {
    /// Largest friction while sticking.
    pub fn static_limit(&self) -> f64 {
        self.r#static.unwrap_or(self.coulomb)
    }
}

/// A rotor carried by the parent of a one-coordinate joint that turns `ratio` times as fast.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotor {
    /// Inertia about its axis, kg·m².
    pub inertia: f64,
    /// Rotor speed divided by joint speed; negative if it turns the other way.
    pub ratio: f64,
    /// Axis in the joint frame; default the joint axis.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "option_vector")]
    #[schemars(schema_with = "vector_schema")]
    pub axis: Option<[f64; 3]>,
}
