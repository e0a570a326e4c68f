//! Rigid bodies and the ways to write an inertia.

use super::frame::Frame;
use super::number::{is_default, option_vector, vector, vector_schema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A rigid body: mass, mass centre and inertia in its own frame, and optionally where it starts.
///
/// `position`, orientation, `velocity` and `angular_velocity` place the **origin of the body
/// frame** (not the mass centre) in the world. Absolute-coordinate work starts from them; in joint
/// coordinates they serve as the initial state of a free joint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name; `ground` is reserved.
    pub name: String,
    /// Mass, kg; zero is allowed.
    pub mass: f64,
    /// Mass centre in the body frame, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub com: [f64; 3],
    /// Inertia about the mass centre in body axes, kg·m²; default zero (a point mass).
    #[serde(default, skip_serializing_if = "is_default")]
    pub inertia: Inertia,
    /// Initial position of the origin of the body frame in the world, m.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "option_vector")]
    #[schemars(schema_with = "vector_schema")]
    pub position: Option<[f64; 3]>,
    /// Initial roll, pitch, yaw, rad: `R = Rz(yaw) Ry(pitch) Rx(roll)`, body → world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpy: Option<[f64; 3]>,
    /// Initial quaternion (w, x, y, z), body → world; normalised on use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Initial angle about z, rad; planar models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Initial velocity of the origin of the body frame, world axes, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "option_vector")]
    #[schemars(schema_with = "vector_schema")]
    pub velocity: Option<[f64; 3]>,
    /// Initial angular velocity, world axes, rad/s; one number in planar models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<AngularVelocity>,
}

impl Body {
    /// Initial placement of the body frame in the world, if the file gives any part of it.
    pub fn placement(&self) -> Option<Frame> {
        let given = self.position.is_some()
            || self.rpy.is_some()
            || self.quaternion.is_some()
            || self.angle.is_some();
        given.then(|| Frame {
            position: self.position.unwrap_or_default(),
            rpy: self.rpy,
            quaternion: self.quaternion,
            angle: self.angle,
        })
    }
}

/// An angular velocity: a vector in world axes, or one number (about z) in planar models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a number (planar) or 3 numbers")]
pub enum AngularVelocity {
    /// About z, rad/s.
    Scalar(f64),
    /// World axes, rad/s.
    Vector([f64; 3]),
}

impl AngularVelocity {
    /// As a vector in world axes, rad/s.
    pub fn vector(&self) -> [f64; 3] {
        match *self {
            Self::Scalar(rate) => [0.0, 0.0, rate],
            Self::Vector(vector) => vector,
        }
    }
}

impl JsonSchema for AngularVelocity {
    fn schema_name() -> Cow<'static, str> {
        "AngularVelocity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "rad/s: one number (planar models), or 3 numbers in world axes.",
            "x-expected": "a number (planar models) or a list of 3 numbers",
            "anyOf": [{"type": "number"}, numbers(3)]
        })
    }
}

/// An inertia tensor about the mass centre, in body axes, kg·m². Off-diagonal entries are entries
/// of the tensor (`-∫ x y dm`), not products of inertia.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Inertia {
    /// About z, for planar models; zero in a spatial model means a point mass.
    Scalar(f64),
    /// `[xx, yy, zz]`.
    Diagonal([f64; 3]),
    /// `[xx, yy, zz, xy, xz, yz]`.
    Symmetric([f64; 6]),
    /// Three rows.
    Matrix([[f64; 3]; 3]),
}

impl Default for Inertia {
    fn default() -> Self {
        Self::Scalar(0.0)
    }
}

impl Inertia {
    /// The tensor as three rows. A scalar stands for rotation about z only.
    pub fn tensor(&self) -> [[f64; 3]; 3] {
        match *self {
            Self::Scalar(zz) => [[0.0; 3], [0.0; 3], [0.0, 0.0, zz]],
            Self::Diagonal([xx, yy, zz]) => [[xx, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, zz]],
            Self::Symmetric([xx, yy, zz, xy, xz, yz]) => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
            Self::Matrix(rows) => rows,
        }
    }

    /// Moment of inertia about z.
    pub fn about_z(&self) -> f64 {
        self.tensor()[2][2]
    }
}

/// What an inertia may look like in a file, for messages.
const FORMS: &str = "a number (planar), [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or 3 rows of 3";

impl<'de> Deserialize<'de> for Inertia {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "an inertia: a number, 3 or 6 numbers, or 3 rows of 3")]
        enum Form {
            Number(f64),
            List(Vec<f64>),
            Rows([[f64; 3]; 3]),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(value) => Ok(Self::Scalar(value)),
            Form::Rows(rows) => Ok(Self::Matrix(rows)),
            Form::List(list) => match list[..] {
                [a, b, c] => Ok(Self::Diagonal([a, b, c])),
                [a, b, c, d, e, f] => Ok(Self::Symmetric([a, b, c, d, e, f])),
                _ => Err(serde::de::Error::invalid_length(list.len(), &FORMS)),
            },
        }
    }
}

impl JsonSchema for Inertia {
    fn schema_name() -> Cow<'static, str> {
        "Inertia".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let rows = json_schema!({
            "type": "array", "items": numbers(3), "minItems": 3, "maxItems": 3
        });
        json_schema!({
            "description": "Tensor about the mass centre in body axes, kg·m²: a number (planar \
                models), [xx, yy, zz], [xx, yy, zz, xy, xz, yz], or three rows.",
            "x-expected": FORMS,
            "anyOf": [{"type": "number"}, numbers(3), numbers(6), rows]
        })
    }
}

/// Schema of a list of `n` numbers.
fn numbers(n: usize) -> Schema {
    json_schema!({"type": "array", "items": {"type": "number"}, "minItems": n, "maxItems": n})
}
