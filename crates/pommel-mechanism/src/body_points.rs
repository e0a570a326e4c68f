//! Points of bodies in absolute coordinates: how they move, and what a force there does to Q.

use pommel_math::{Quaternion, Transform, Vec3};
use pommel_model::Mechanism;

use crate::System;
use crate::system::Bodies;

/// Where the bodies of a model are in the coordinates of its system.
#[derive(Clone, Debug)]
pub struct BodyPoints {
    planar: bool,
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// index among the bodies that move, mass centre in the body frame
    Moving(usize, Vec3<f64>),
    /// a part of the ground
    Fixed(Transform<f64>),
}

/// How a point of a body moves, in world axes; in the plane third components are zero, but for turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPointMotion {
    /// m.
    pub position: Vec3<f64>,
    /// m/s.
    pub velocity: Vec3<f64>,
    /// Of the body, rad/s.
    pub angular_velocity: Vec3<f64>,
}

impl BodyPoints {
    /// For a model and its system.
    pub fn new(mechanism: &Mechanism, system: &System<f64>) -> Self {
        let bodies = Bodies::new(mechanism);
        let description = &mechanism.description().bodies;
        let place = |b: usize| match bodies.moving[b] {
            Some(index) => Place::Moving(index, Vec3::from_f64(description[b].com)),
            None => Place::Fixed(bodies.placement_on_ground(b)),
        };
        let places = (0..mechanism.bodies().len()).map(place).collect();
        BodyPoints { planar: system.is_planar(), places }
    }

    /// How a point moves.
    ///
    /// # Arguments
    /// - `body` its index in the model; none for the ground
    /// - `point` in the frame of the body, m
    /// - `q`, `v` those of the system
    ///
    /// # Panics
    /// If there is no such body, or a slice is shorter than the system says.
    pub fn motion(
        &self,
        body: Option<usize>,
        point: Vec3<f64>,
        q: &[f64],
        v: &[f64],
    ) -> BodyPointMotion {
        let (index, centre) = match body.map(|b| self.places[b]) {
            Some(Place::Moving(index, centre)) => (index, centre),
            Some(Place::Fixed(placement)) => return at_rest(placement.point_to_parent(point)),
            None => return at_rest(point),
        };
        let arm = self.turned(index, point - centre, q);
        let (middle, velocity, angular_velocity) = if self.planar {
            let (q, v) = (&q[3 * index..], &v[3 * index..]);
            let spin = Vec3::new(0.0, 0.0, v[2]);
            (Vec3::new(q[0], q[1], 0.0), Vec3::new(v[0], v[1], 0.0), spin)
        } else {
            let v = &v[6 * index..];
            let spin = self.turned(index, Vec3::from_slice(v), q);
            (Vec3::from_slice(&q[7 * index..]), Vec3::from_slice(&v[3..]), spin)
        };
        BodyPointMotion {
            position: middle + arm,
            velocity: velocity + angular_velocity.cross(arm),
            angular_velocity,
        }
    }

    /// A vector of a body's frame in world axes.
    ///
    /// # Panics
    /// As [`motion`](Self::motion).
    pub fn to_world(&self, body: Option<usize>, vector: Vec3<f64>, q: &[f64]) -> Vec3<f64> {
        match body.map(|b| self.places[b]) {
            Some(Place::Moving(index, _)) => self.turned(index, vector, q),
            Some(Place::Fixed(placement)) => placement.rotation * vector,
            None => vector,
        }
    }

    /// Adds to Q what a force at a point (N) and a moment on its body (N·m) do, both in world axes. In the plane only
    /// what lies in it counts; on the ground nothing does.
    ///
    /// # Panics
    /// As [`motion`](Self::motion).
    pub fn add_wrench(
        &self,
        (body, point): (Option<usize>, Vec3<f64>),
        (force, moment): (Vec3<f64>, Vec3<f64>),
        q: &[f64],
        to: &mut [f64],
    ) {
        let Some(Place::Moving(index, centre)) = body.map(|b| self.places[b]) else { return };
        let moment = moment + self.turned(index, point - centre, q).cross(force);
        let add = |to: &mut [f64], by: [f64; 3]| {
            to.iter_mut().zip(by).for_each(|(to, by)| *to += by);
        };
        if self.planar {
            return add(&mut to[3 * index..], [force.x, force.y, moment.z]);
        }
        // velocities of turns have body axes
        let rotation = Quaternion::from_slice(&q[7 * index + 3..]).normalized().rotation();
        add(&mut to[6 * index..], rotation.transpose_mul(moment).to_array());
        add(&mut to[6 * index + 3..], force.to_array());
    }

    /// A vector of the frame of a body that moves in world axes.
    fn turned(&self, index: usize, vector: Vec3<f64>, q: &[f64]) -> Vec3<f64> {
        if self.planar {
            let (sin, cos) = q[3 * index + 2].sin_cos();
            let (x, y) = (cos * vector.x - sin * vector.y, sin * vector.x + cos * vector.y);
            return Vec3::new(x, y, 0.0);
        }
        Quaternion::from_slice(&q[7 * index + 3..]).normalized().rotation() * vector
    }
}

fn at_rest(position: Vec3<f64>) -> BodyPointMotion {
    BodyPointMotion { position, velocity: Vec3::zero(), angular_velocity: Vec3::zero() }
}
