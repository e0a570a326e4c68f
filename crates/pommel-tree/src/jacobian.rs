//! Geometric Jacobians.

use pommel_math::{Kernel, Real, Twist, Vec3, dispatch};

use crate::model::{BodyId, LinkShape};
use crate::{Model, Workspace, axes, kinematics};

/// The geometric Jacobian of a point of a body: `[ω; ẋ] = J v`.
///
/// # Arguments
/// - `q` positions as in [`forward_dynamics`](crate::forward_dynamics)
/// - `body` the body, `point` the point in its frame, m
/// - `jacobian` **out**, 6 × [`nv`](Model::nv) row by row: three rows of the angular velocity
///   (rad/s), three of the velocity of the point (m/s), both in world axes. Columns of joints that
///   do not carry the body are zero.
///
/// What velocities contribute to accelerations, `J̇ v`, is the acceleration of the point at `q̈ = 0`:
/// [`forward_accelerations`](crate::forward_accelerations) with
/// [`BodyAcceleration::at`](crate::BodyAcceleration::at).
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of joints; no allocation.
pub fn jacobian<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    body: BodyId,
    point: Vec3<T>,
    jacobian: &mut [T],
) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(jacobian.len(), 6 * model.nv(), "the Jacobian is 6 × nv");
    assert!(body.index() < model.body_count(), "the body is not one of the model");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    dispatch(PointJacobian { model, workspace, q, body, point, jacobian });
}

struct PointJacobian<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    body: BodyId,
    point: Vec3<T>,
    jacobian: &'a mut [T],
}

impl<T: Real> Kernel for PointJacobian<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let PointJacobian { model, workspace: ws, q, body, point, jacobian } = self;
        jacobian.fill(T::zero());
        let nv = model.nv();
        let Some(mut link) = model.topology.bodies[body.index()].link else { return };
        kinematics::place_links(model, ws, q);
        axes::find_axes(model, ws);
        let in_link = model.bodies[body.index()].placement.point_to_parent(point);
        let r = ws.placements[link as usize].point_to_parent(in_link);
        loop {
            let shape: LinkShape = model.topology.links[link as usize];
            let iv = shape.v as usize;
            for k in iv..iv + shape.kind.coordinates().1 {
                let Twist { angular, linear } = ws.axes[k];
                let velocity = angular.cross_add(r, linear);
                for (row, x) in
                    angular.to_array().into_iter().chain(velocity.to_array()).enumerate()
                {
                    jacobian[row * nv + k] = x;
                }
            }
            match shape.parent {
                Some(p) => link = p,
                None => break,
            }
        }
    }
}
