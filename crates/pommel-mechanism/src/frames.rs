//! Named frames of a model: how points of bodies move.

use pommel_math::{Quaternion, Vec3};
use pommel_model::Mechanism;

use crate::System;
use crate::system::{Attached, Bodies, transform};

/// The named frames of a model, whose origins move with its bodies: points that trace coupler curves, tips
/// of tools.
#[derive(Clone, Debug)]
pub struct Frames {
    names: Vec<String>,
    frames: Vec<Attached>,
    planar: bool,
}

/// How a point moves, in world axes; in the plane third components are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointMotion {
    /// m.
    pub position: [f64; 3],
    /// m/s.
    pub velocity: [f64; 3],
    /// m/s².
    pub acceleration: [f64; 3],
}

impl Frames {
    /// The frames of a model, in its order.
    pub fn new(mechanism: &Mechanism, system: &System<f64>) -> Self {
        let bodies = Bodies::new(mechanism);
        let description = mechanism.description();
        let attach = |frame: &pommel_model::NamedFrame| {
            bodies.attach(description.body_index(&frame.body), transform(&frame.frame()))
        };
        Frames {
            names: description.frames.iter().map(|frame| frame.name.clone()).collect(),
            frames: description.frames.iter().map(attach).collect(),
            planar: system.is_planar(),
        }
    }

    /// Names of the frames.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How the origin of a frame moves, where coordinates, velocities and accelerations are those of the
    /// system:
    ///
    /// ```text
    /// P = r + R s      Ṗ = ṙ + ω × R s      P̈ = r̈ + α × R s + ω × (ω × R s)
    /// ```
    ///
    /// # Panics
    /// If there is no such frame, or a slice is shorter than the system says.
    pub fn motion(&self, frame: usize, q: &[f64], v: &[f64], a: &[f64]) -> PointMotion {
        let Attached { pose, point, .. } = self.frames[frame];
        let body = pose as usize;
        let per_body = if self.planar { 3 } else { 7 };
        if body * per_body >= q.len() {
            return PointMotion { position: point.to_array(), ..PointMotion::default() };
        }
        let (centre, arm, rates, changes);
        if self.planar {
            let (q, v, a) = (&q[3 * body..], &v[3 * body..], &a[3 * body..]);
            let (sin, cos) = q[2].sin_cos();
            centre = Vec3::new(q[0], q[1], 0.0);
            arm = Vec3::new(cos * point.x - sin * point.y, sin * point.x + cos * point.y, 0.0);
            rates = (Vec3::new(0.0, 0.0, v[2]), Vec3::new(v[0], v[1], 0.0));
            changes = (Vec3::new(0.0, 0.0, a[2]), Vec3::new(a[0], a[1], 0.0));
        } else {
            let (q, v, a) = (&q[7 * body..], &v[6 * body..], &a[6 * body..]);
            let rotation = Quaternion::from_slice(&q[3..]).rotation();
            centre = Vec3::from_slice(q);
            arm = rotation * point;
            // d/dt (R ω) = R ω̇
            rates = (rotation * Vec3::from_slice(v), Vec3::from_slice(&v[3..]));
            changes = (rotation * Vec3::from_slice(a), Vec3::from_slice(&a[3..]));
        }
        let turning = rates.0.cross(arm);
        PointMotion {
            position: (centre + arm).to_array(),
            velocity: (rates.1 + turning).to_array(),
            acceleration: (changes.1 + changes.0.cross(arm) + rates.0.cross(turning)).to_array(),
        }
    }
}
