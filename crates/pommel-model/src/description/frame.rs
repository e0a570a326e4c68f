//! Frames fixed in a body: a position and one of three ways to write an orientation.

use super::number::{is_default, vector, vector_schema};
use crate::rotation::{
    Matrix3, quaternion_of, rotation_about_z, rotation_of_quaternion, rotation_of_rpy,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A frame in a body (or in the world): position of its origin and orientation of its axes.
/// Give at most one of `rpy`, `quaternion`, `angle`; none means parallel axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Origin of the frame, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub position: [f64; 3],
    /// Roll, pitch, yaw, rad: `R = Rz(yaw) Ry(pitch) Rx(roll)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpy: Option<[f64; 3]>,
    /// Quaternion (w, x, y, z), frame → body; normalised on use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Angle about z, rad; planar models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
}

impl Frame {
    /// Rotation matrix, frame components → body components.
    pub fn rotation(&self) -> Matrix3 {
        rotation(self.rpy, self.quaternion, self.angle)
    }

    /// Unit quaternion (w, x, y, z) of [`Frame::rotation`].
    pub fn unit_quaternion(&self) -> [f64; 4] {
        quaternion_of(&self.rotation())
    }

    /// Whether the frame coincides with the body frame.
    pub fn is_identity(&self) -> bool {
        self.position == [0.0; 3]
            && self.rpy.is_none_or(|rpy| rpy == [0.0; 3])
            && self.quaternion.is_none_or(|q| q[1..] == [0.0; 3])
            && self.angle.is_none_or(|angle| angle == 0.0)
    }
}

/// A named frame on a body, such as an end effector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedFrame {
    /// Unique name among the frames.
    pub name: String,
    /// Body that carries the frame, or `ground`.
    pub body: String,
    /// Origin of the frame in the body frame, m.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "vector")]
    #[schemars(schema_with = "vector_schema")]
    pub position: [f64; 3],
    /// Roll, pitch, yaw, rad: `R = Rz(yaw) Ry(pitch) Rx(roll)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpy: Option<[f64; 3]>,
    /// Quaternion (w, x, y, z), frame → body; normalised on use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Angle about z, rad; planar models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
}

impl NamedFrame {
    /// Position and orientation in the body frame.
    pub fn frame(&self) -> Frame {
        Frame {
            position: self.position,
            rpy: self.rpy,
            quaternion: self.quaternion,
            angle: self.angle,
        }
    }
}

/// Rotation matrix of whichever of the three forms is given; the identity if none is.
fn rotation(rpy: Option<[f64; 3]>, quaternion: Option<[f64; 4]>, angle: Option<f64>) -> Matrix3 {
    match (rpy, quaternion, angle) {
        (Some(rpy), _, _) => rotation_of_rpy(rpy),
        (None, Some(quaternion), _) => rotation_of_quaternion(quaternion),
        (None, None, angle) => rotation_about_z(angle.unwrap_or(0.0)),
    }
}
