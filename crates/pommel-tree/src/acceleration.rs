//! Accelerations of bodies.

use pommel_math::{Kernel, Real, Vec3, dispatch};

use crate::accelerate::accelerate_links;
use crate::{Model, Workspace, kinematics};

/// Acceleration of a body, in world axes.
///
/// Accelerations of points are the ordinary ones, second derivatives of positions, not the
/// components of a "spatial" acceleration.
#[derive(Clone, Copy, Debug)]
pub struct BodyAcceleration<T> {
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3<T>,
    /// Angular acceleration, rad/s².
    pub angular: Vec3<T>,
    /// Acceleration of the mass centre, m/s².
    pub linear: Vec3<T>,
}

impl<T: Real> Default for BodyAcceleration<T> {
    /// None.
    fn default() -> Self {
        let zero = Vec3::zero();
        BodyAcceleration { angular_velocity: zero, angular: zero, linear: zero }
    }
}

impl<T: Real> BodyAcceleration<T> {
    /// Acceleration of the body's point at `arm` from its mass centre (world axes, m), m/s².
    #[inline(always)]
    pub fn at(&self, arm: Vec3<T>) -> Vec3<T> {
        let centripetal = self.angular_velocity.cross(self.angular_velocity.cross(arm));
        self.angular.cross_add(arm, self.linear) + centripetal
    }
}

/// Accelerations of all bodies.
///
/// With `qdd` zero they are `J̇ v`, what velocities alone contribute: see
/// [`jacobian`](crate::jacobian).
///
/// # Arguments
/// - `q`, `v` state as in [`forward_dynamics`](crate::forward_dynamics)
/// - `qdd` joint accelerations, length [`nv`](Model::nv); rad/s², m/s²
/// - `bodies` **out**, length [`body_count`](Model::body_count)
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of joints; no allocation.
pub fn forward_accelerations<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    bodies: &mut [BodyAcceleration<T>],
) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(v.len(), model.nv(), "v must have the model's nv entries");
    assert_eq!(qdd.len(), model.nv(), "qdd must have the model's nv entries");
    assert_eq!(bodies.len(), model.body_count(), "one acceleration per body");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    dispatch(ForwardAccelerations { model, workspace, q, v, qdd, bodies });
}

struct ForwardAccelerations<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
    bodies: &'a mut [BodyAcceleration<T>],
}

impl<T: Real> Kernel for ForwardAccelerations<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let ForwardAccelerations { model, workspace: ws, q, v, qdd, bodies } = self;
        accelerate_links(model, ws, q, Some(v), Some(qdd), Vec3::zero());
        kinematics::place_links(model, ws, q);
        for (i, out) in bodies.iter_mut().enumerate() {
            *out = BodyAcceleration::default();
            if let Some(link) = model.topology.bodies[i].link {
                let flow = &ws.flows[link as usize];
                let world = ws.placements[link as usize].rotation;
                let data = &model.bodies[i];
                let centre = data.placement.point_to_parent(data.centre);
                *out = BodyAcceleration {
                    angular_velocity: world * flow.omega,
                    angular: world * flow.alpha,
                    linear: world * (flow.acceleration + flow.gradient * centre),
                };
            }
        }
    }
}
