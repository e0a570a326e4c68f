//! Momentum and energy of a tree, from the motion of its bodies.

use pommel_math::{Real, Vec3};

use crate::inverse_dynamics::rotor_momentum;
use crate::{BodyMotion, Model};

/// Momentum of all bodies that can move and of the rotors on them, in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Momentum<T> {
    /// Mass, kg.
    pub mass: T,
    /// Mass centre, m.
    pub centre: Vec3<T>,
    /// Linear momentum, kg·m/s.
    pub linear: Vec3<T>,
    /// Angular momentum about the mass centre, kg·m²/s.
    pub angular: Vec3<T>,
}

/// Energy of all bodies that can move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Energy<T> {
    /// Kinetic energy, J.
    pub kinetic: T,
    /// Potential energy of uniform gravity, `−Σ m g·c`, J: zero with the mass centre at the world's
    /// origin.
    pub potential: T,
}

impl<T: Real> Momentum<T> {
    /// Angular momentum about the world's origin, kg·m²/s.
    pub fn angular_about_origin(&self) -> Vec3<T> {
        self.centre.cross_add(self.linear, self.angular)
    }
}

/// Linear and angular momentum.
///
/// The angular part is summed about the common mass centre, from differences of positions, so a
/// robot far from the world's origin keeps its digits.
///
/// # Arguments
/// - `v` velocities, length [`nv`](Model::nv), for the spin of geared rotors
/// - `bodies` motion of each body from [`forward_kinematics`](crate::forward_kinematics), length
///   [`body_count`](Model::body_count)
///
/// # Panics
/// If a slice has another length.
pub fn momentum<T: Real>(model: &Model<T>, v: &[T], bodies: &[BodyMotion<T>]) -> Momentum<T> {
    let mut sum = Momentum::default();
    let mut moment = Vec3::zero();
    for (body, motion) in moving(model, bodies) {
        sum.mass += body.mass;
        moment = motion.centre.scale_add(body.mass, moment);
        sum.linear = motion.velocity.scale_add(body.mass, sum.linear);
    }
    // without mass there is no mass centre: leave it at the origin
    let inverse = T::select(T::zero().lt(sum.mass), sum.mass.recip(), T::zero());
    sum.centre = moment.scale(inverse);
    let mean = sum.linear.scale(inverse);
    for (body, motion) in moving(model, bodies) {
        let rotation = motion.placement.rotation;
        let spin = rotation * (body.inertia * rotation.transpose_mul(motion.angular_velocity));
        let arm = motion.centre - sum.centre;
        let linear = (motion.velocity - mean).scale(body.mass);
        sum.angular += arm.cross_add(linear, spin);
    }
    for spin in rotor_spins(model, v, bodies) {
        sum.angular += spin.momentum;
    }
    sum
}

/// Kinetic and potential energy.
///
/// # Arguments
/// - `v` velocities, length [`nv`](Model::nv), for the spin of geared rotors
/// - `bodies` motion of each body from [`forward_kinematics`](crate::forward_kinematics), length
///   [`body_count`](Model::body_count)
///
/// # Panics
/// If a slice has another length.
pub fn energy<T: Real>(model: &Model<T>, v: &[T], bodies: &[BodyMotion<T>]) -> Energy<T> {
    let half = T::from_f64(0.5);
    let mut sum = moving(model, bodies).fold(Energy::default(), |mut sum, (body, motion)| {
        let omega = motion.placement.rotation.transpose_mul(motion.angular_velocity);
        let spin = omega.dot(body.inertia * omega);
        let twice = motion.velocity.norm_squared().mul_add(body.mass, spin);
        sum.kinetic = half.mul_add(twice, sum.kinetic);
        sum.potential = (-body.mass).mul_add(model.gravity.dot(motion.centre), sum.potential);
        sum
    });
    for (&armature, &v) in model.armature.iter().zip(v) {
        sum.kinetic = (half * armature).mul_add(v * v, sum.kinetic);
    }
    for spin in rotor_spins(model, v, bodies) {
        sum.kinetic += spin.momentum.dot(spin.carrier_velocity);
    }
    sum
}

/// The spin of a rotor relative to the body that carries it, in world axes.
struct RotorSpin<T> {
    momentum: Vec3<T>,
    carrier_velocity: Vec3<T>,
}

fn rotor_spins<'a, T: Real>(
    model: &'a Model<T>,
    v: &'a [T],
    bodies: &'a [BodyMotion<T>],
) -> impl Iterator<Item = RotorSpin<T>> + 'a {
    assert_eq!(v.len(), model.nv(), "v must have the model's nv entries");
    let geared = model.topology.links.iter().zip(&model.links);
    geared.filter_map(move |(shape, link)| {
        let rotor = shape.rotor?;
        let carrier = model.topology.bodies[shape.body as usize].parent?.index();
        let (motion, body) = (&bodies[carrier], &model.bodies[carrier]);
        let in_link = rotor_momentum(model, rotor, *shape, link);
        let in_body = body.placement.rotation.transpose_mul(in_link);
        Some(RotorSpin {
            momentum: (motion.placement.rotation * in_body).scale(v[shape.v as usize]),
            carrier_velocity: motion.angular_velocity,
        })
    })
}

fn moving<'a, T: Real>(
    model: &'a Model<T>,
    bodies: &'a [BodyMotion<T>],
) -> impl Iterator<Item = (&'a crate::model::Body<T>, &'a BodyMotion<T>)> {
    assert_eq!(bodies.len(), model.body_count(), "one motion per body");
    let shapes = &model.topology.bodies;
    (model.bodies.iter().zip(bodies).zip(shapes))
        .filter(|(_, shape)| shape.link.is_some())
        .map(|(pair, _)| pair)
}
