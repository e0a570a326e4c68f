//! Joint coordinates and absolute coordinates of one mechanism, one from the other.

mod closures;
mod model;
mod relative;

pub use model::tree_model;

use pommel_math::{Mat3, Quaternion, Real};
use pommel_model::{Mechanism, ResolvedState};
use pommel_tree::{
    BodyAcceleration, BodyId, BodyMotion, Model, TreeError, Workspace, forward_accelerations,
    forward_kinematics,
};

use crate::System;
pub(crate) use closures::closures;
use relative::Relative;

/// Takes states of a mechanism from joint coordinates to absolute ones and back.
///
/// Joint coordinates are those of the tree that the model's joints span
/// ([`Mechanism::coordinate_names`]). No call allocates.
#[derive(Clone, Debug)]
pub struct JointSpace {
    model: Model<f64>,
    /// the tree body of each body that moves
    bodies: Vec<BodyId>,
    workspace: Workspace<f64>,
    motions: Vec<BodyMotion<f64>>,
    accelerations: Vec<BodyAcceleration<f64>>,
    relative: Relative,
    /// what the angles of frames add along the tree, in the plane: for each body in tree order its
    /// parent, the coordinate of its angle with its sign, and the constant part
    angles: Vec<PlanarAngle>,
    planar: bool,
}

/// The angle of a body in the plane: that of its parent, a coordinate, a constant.
#[derive(Clone, Copy, Debug)]
struct PlanarAngle {
    body: usize,
    parent: Option<usize>,
    coordinate: Option<(usize, f64)>,
    constant: f64,
}

impl JointSpace {
    /// For a mechanism and its system.
    ///
    /// # Errors
    /// [`TreeError`] if the tree cannot be built.
    pub fn new(mechanism: &Mechanism, system: &System<f64>) -> Result<Self, TreeError> {
        let (model, ids) = tree_model(mechanism)?;
        let bodies =
            (0..ids.len()).filter(|&b| system.body_of_model(b).is_some()).map(|b| ids[b]).collect();
        let count = model.body_count();
        Ok(JointSpace {
            workspace: Workspace::new(&model),
            motions: vec![BodyMotion::default(); count],
            accelerations: vec![BodyAcceleration::default(); count],
            relative: Relative::new(mechanism),
            angles: relative::planar_angles(mechanism),
            planar: system.is_planar(),
            bodies,
            model,
        })
    }

    /// The tree.
    pub fn model(&self) -> &Model<f64> {
        &self.model
    }

    /// The tree body of each body of the system.
    pub fn bodies(&self) -> &[BodyId] {
        &self.bodies
    }

    /// Absolute coordinates and velocities of a state in joint coordinates.
    ///
    /// # Arguments
    /// - `joint` positions and velocities of the joints, lengths `nq` and `nv` of the model
    /// - `q`, `v` **out**, coordinates and velocities of the [`System`]
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn to_absolute(&mut self, joint: (&[f64], &[f64]), q: &mut [f64], v: &mut [f64]) {
        let (theta, rates) = joint;
        forward_kinematics(&self.model, &mut self.workspace, theta, rates, &mut self.motions);
        for (i, body) in self.bodies.iter().enumerate() {
            let motion = &self.motions[body.index()];
            let (centre, velocity) = (motion.centre, motion.velocity);
            if self.planar {
                q[3 * i..3 * i + 2].copy_from_slice(&[centre.x, centre.y]);
                v[3 * i..3 * i + 3].copy_from_slice(&[
                    velocity.x,
                    velocity.y,
                    motion.angular_velocity.z,
                ]);
            } else {
                let rotation = motion.placement.rotation;
                centre.write_to(&mut q[7 * i..]);
                Quaternion::from_rotation(rotation).write_to(&mut q[7 * i + 3..]);
                rotation.transpose_mul(motion.angular_velocity).write_to(&mut v[6 * i..]);
                velocity.write_to(&mut v[6 * i + 3..]);
            }
        }
        // angles count their turns along the tree
        for at in &self.angles {
            let parent = at.parent.map_or(0.0, |parent| q[3 * parent + 2]);
            let own = at.coordinate.map_or(0.0, |(k, sign)| sign * theta[k]);
            q[3 * at.body + 2] = parent + own + at.constant;
        }
    }

    /// Joint coordinates and velocities of a state in absolute ones; loops and constraints are not
    /// looked at.
    ///
    /// # Arguments
    /// - `q`, `v` of the [`System`]
    /// - `theta`, `rates` **out**, lengths `nq` and `nv` of the model
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn to_joint(&mut self, q: &[f64], v: &[f64], theta: &mut [f64], rates: &mut [f64]) {
        self.relative.write(q, v, theta, rates);
    }

    /// Adds joint forces to the forces on the bodies at a state in absolute coordinates.
    ///
    /// # Arguments
    /// - `q`, `v` of the [`System`]
    /// - `tau` length `nv` of the model: N·m, N; of a ball joint the moment in axes of the child's
    ///   joint frame, of a free body moment about and force at its frame's origin, world axes
    /// - `force` **in/out**, length `nv` of the [`System`]
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn add_joint_forces(&mut self, q: &[f64], v: &[f64], tau: &[f64], force: &mut [f64]) {
        self.relative.add_forces(q, v, tau, force);
    }

    /// Accelerations of the bodies, as derivatives of the system's velocities, from those of the
    /// joints.
    ///
    /// # Arguments
    /// - `theta`, `rates`, `joint` positions, velocities and accelerations of the joints
    /// - `a` **out**, length `nv` of the [`System`]
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn accelerations(&mut self, theta: &[f64], rates: &[f64], joint: &[f64], a: &mut [f64]) {
        let Self { model, workspace, accelerations, motions, .. } = self;
        forward_accelerations(model, workspace, theta, rates, joint, accelerations);
        if !self.planar {
            forward_kinematics(model, workspace, theta, rates, motions);
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let found = &self.accelerations[body.index()];
            let linear = found.linear;
            if self.planar {
                a[3 * i..3 * i + 3].copy_from_slice(&[linear.x, linear.y, found.angular.z]);
            } else {
                let rotation = self.motions[body.index()].placement.rotation;
                rotation.transpose_mul(found.angular).write_to(&mut a[6 * i..]);
                linear.write_to(&mut a[6 * i + 3..]);
            }
        }
    }

    /// The initial state of a model in absolute coordinates.
    ///
    /// Joints with a coordinate in the model's initial state place their bodies; other bodies are
    /// where the model places them, if it does; the rest follow from the joints.
    pub fn initial_state(
        &mut self,
        mechanism: &Mechanism,
        system: &System<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let state = mechanism.initial_state();
        let (mut q, mut v) = (vec![0.0; system.nq()], vec![0.0; system.nv()]);
        self.to_absolute((&state.q, &state.v), &mut q, &mut v);
        let description = mechanism.description();
        let placed = relative::placed_bodies(mechanism);
        if placed.iter().any(|&placed| placed) {
            for (b, body) in description.bodies.iter().enumerate() {
                let (true, Some(i)) = (placed[b], system.body_of_model(b)) else { continue };
                relative::place_body(body, self.planar, i, &mut q, &mut v);
            }
            // joints carry the other bodies along from where their parents were placed
            let ResolvedState { q: mut theta, v: mut rates, .. } = state.clone();
            let (absolute_q, absolute_v) = (q.clone(), v.clone());
            self.relative.write_of(
                mechanism,
                &placed,
                (&absolute_q, &absolute_v),
                &mut theta,
                &mut rates,
            );
            self.to_absolute((&theta, &rates), &mut q, &mut v);
            for (b, placed) in placed.iter().enumerate() {
                let (true, Some(i)) = (*placed, system.body_of_model(b)) else { continue };
                let (nq, nv) = (system.coordinates_per_body(), system.velocities_per_body());
                q[nq * i..nq * (i + 1)].copy_from_slice(&absolute_q[nq * i..nq * (i + 1)]);
                v[nv * i..nv * (i + 1)].copy_from_slice(&absolute_v[nv * i..nv * (i + 1)]);
            }
            relative::count_turns(mechanism, system, &mut q);
        }
        (q, v)
    }
}

/// Whether the initial state of a model is not that of its joint coordinates alone: it places bodies
/// whose joints it gives no coordinates.
pub fn places_bodies(mechanism: &Mechanism) -> bool {
    relative::placed_bodies(mechanism).contains(&true)
}

/// Rotation of a body of a spatial system.
pub(crate) fn rotation_of<T: Real>(q: &[T], body: usize) -> Mat3<T> {
    Quaternion::from_slice(&q[7 * body + 3..]).rotation()
}
