//! A robot by the book: dense matrices in world axes, no recursion in the solve.
//!
//! The natural orthogonal complement: with the twist of every body `t_i = J_i v` at its mass
//! centre, `H = Σ J_iᵀ M_i J_i` and `h = Σ J_iᵀ (M_i ṫ_i° + [ω × I ω; 0] − w_i)`, where `ṫ_i°` is the
//! rate of the twist at `v̇ = 0`. Geared rotors and armature are added to both.

mod joint;
mod kinematics;
mod momentum;
mod random;
mod terms;

use std::ops::Range;

pub use joint::RobotJoint;
pub use kinematics::Motion;
pub use momentum::RobotMomentum;
pub use random::{RobotState, random_mechanism, random_robot, random_state};
pub use terms::DenseTerms;

/// A rotor geared to a joint of one coordinate and carried by the joint's parent or the ground.
///
/// It spins at `ratio · q̇` about its axis relative to the parent. Its mass and its whole inertia
/// tensor, the axial part too, are counted in the parent: what it adds to the kinetic energy is
/// `J N q̇ e·ω_p + ½ J N² q̇²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotRotor {
    /// Inertia `J` about the spin axis, kg·m².
    pub inertia: f64,
    /// Rotor speed divided by joint speed, `N`; for a prismatic joint in rad/m.
    pub ratio: f64,
    /// Spin axis `e`, of unit length, fixed in the joint frame before the joint's motion.
    pub axis: [f64; 3],
}

/// A body of a [`Robot`]; its frame is the joint frame after the joint's motion.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotBody {
    /// Parent, an earlier body; none for the ground.
    pub parent: Option<usize>,
    /// The joint to the parent.
    pub joint: RobotJoint,
    /// Roll, pitch, yaw of the joint frame in the parent, rad: `Rz(yaw) Ry(pitch) Rx(roll)`.
    pub rpy: [f64; 3],
    /// Origin of the joint frame in the parent, m.
    pub origin: [f64; 3],
    /// Mass, kg.
    pub mass: f64,
    /// Mass centre in the body frame, m.
    pub centre: [f64; 3],
    /// Inertia about the mass centre in body axes: entries `xx, yy, zz, xy, xz, yz` of the
    /// tensor, kg·m².
    pub inertia: [f64; 6],
    /// What is added to the diagonal of `H` for each velocity of the joint, in their order, kg·m²
    /// for an angle and kg for a displacement; entries beyond the joint's velocities are not used.
    pub armature: [f64; 6],
    /// A rotor geared to the joint; for joints of one coordinate only.
    pub rotor: Option<RobotRotor>,
}

impl RobotBody {
    /// A body without mass whose joint frame is the parent's frame; no armature, no rotor.
    pub const fn new(parent: Option<usize>, joint: RobotJoint) -> Self {
        let (mass, inertia) = (0.0, [0.0; 6]);
        let (rpy, origin, centre) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        let (armature, rotor) = ([0.0; 6], None);
        Self { parent, joint, rpy, origin, mass, centre, inertia, armature, rotor }
    }

    /// With the joint frame at roll, pitch, yaw (rad) and an origin (m) in the parent.
    pub const fn placed(self, rpy: [f64; 3], origin: [f64; 3]) -> Self {
        Self { rpy, origin, ..self }
    }

    /// With a mass (kg), a mass centre (m, body frame) and the inertia about it (kg·m², body axes,
    /// entries `xx, yy, zz, xy, xz, yz`).
    pub const fn with_inertia(self, mass: f64, centre: [f64; 3], inertia: [f64; 6]) -> Self {
        Self { mass, centre, inertia, ..self }
    }

    /// With armature, an entry for each velocity of the joint.
    pub const fn with_armature(self, armature: [f64; 6]) -> Self {
        Self { armature, ..self }
    }

    /// With a rotor geared to the joint.
    pub const fn with_rotor(self, rotor: RobotRotor) -> Self {
        Self { rotor: Some(rotor), ..self }
    }
}

/// A tree of bodies.
///
/// Positions `q` and velocities `v` are those of the joints in the order of the bodies;
/// [`RobotJoint`] says what each joint has.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    /// Bodies, parents first.
    pub bodies: Vec<RobotBody>,
    /// Gravity in world axes, m/s².
    pub gravity: [f64; 3],
}

impl Robot {
    /// Numbers of positions and velocities.
    pub fn sizes(&self) -> (usize, usize) {
        (self.bodies.iter()).fold((0, 0), |(q, v), body| {
            (q + body.joint.position_count(), v + body.joint.velocity_count())
        })
    }

    /// Where the positions and the velocities of the joint of body `i` are.
    ///
    /// # Panics
    ///
    /// If there is no such body.
    pub fn coordinates(&self, i: usize) -> (Range<usize>, Range<usize>) {
        let before = |count: fn(&RobotJoint) -> usize| {
            self.bodies[..i].iter().map(|body| count(&body.joint)).sum::<usize>()
        };
        let joint = &self.bodies[i].joint;
        let q = before(RobotJoint::position_count);
        let v = before(RobotJoint::velocity_count);
        (q..q + joint.position_count(), v..v + joint.velocity_count())
    }
}
