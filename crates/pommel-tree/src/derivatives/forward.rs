//! How the accelerations depend on the state and the forces.

use pommel_math::{Kernel, Mask, Real, Wrench, dispatch};

use super::memory::DerivativeWorkspace;
use super::{factors, inverse, solve};
use crate::forward_dynamics::{failed, forward_dynamics};
use crate::model::Model;
use crate::{TreeError, factor};

/// Where [`forward_dynamics_derivatives`] writes. The matrices have nv × nv entries, row after row:
/// `matrix[i * nv + j]` is `∂q̈_i/∂x_j`.
#[derive(Debug)]
pub struct ForwardDynamicsDerivatives<'a, T> {
    /// `q̈`, length nv.
    pub qdd: &'a mut [T],
    /// `∂q̈/∂q` along the tangent of the velocities.
    pub position: &'a mut [T],
    /// `∂q̈/∂v`.
    pub velocity: &'a mut [T],
    /// `∂q̈/∂τ`, the inverse `M⁻¹` of the inertia matrix.
    pub force: &'a mut [T],
}

/// Accelerations and their derivatives by positions, velocities and joint forces.
///
/// `∂q̈/∂x = −M⁻¹ ∂τ/∂x` at the accelerations of
/// [`forward_dynamics`](crate::forward_dynamics()), with the derivatives of
/// [`inverse_dynamics_derivatives`](crate::inverse_dynamics_derivatives): the same tangent for
/// positions, the same external wrenches.
///
/// # Arguments
/// - `q`, `v`, `tau`, `external` as in [`forward_dynamics`](crate::forward_dynamics())
/// - `out` **out**, accelerations of length nv (rad/s², m/s²) and three matrices of nv × nv entries,
///   by rows; units are those of `q̈` over those of the variable
///
/// The derivatives are found towards the free joint, also where `q̈` goes by way of a heavier body
/// ([`Elimination`](crate::Elimination)), and lose digits then, which `q̈` keeps. [`build_with_root`](crate::TreeBuilder::build_with_root) avoids that.
///
/// # Errors
/// Those of [`forward_dynamics`](crate::forward_dynamics()). The failed lanes of all outputs are
/// then NaN, and the others valid.
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// That of the forward dynamics, whose `U` and `D` are used again, and of the derivatives of the
/// inverse dynamics, and for each pair of a velocity and one that carries it 6 nv multiplications,
/// eight at a time. No allocation.
///
/// # Source
/// J. Carpentier, N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*, Robotics:
/// Science and Systems 2018; the factorization is `[Fea08, Table 6.3]`.
pub fn forward_dynamics_derivatives<T: Real>(
    model: &Model<T>,
    workspace: &mut DerivativeWorkspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    external: Option<&[Wrench<T>]>,
    out: ForwardDynamicsDerivatives<'_, T>,
) -> Result<(), TreeError> {
    let nv = model.nv();
    for matrix in [&*out.position, &*out.velocity, &*out.force] {
        assert_eq!(matrix.len(), nv * nv, "a derivative must have nv × nv entries");
    }
    assert!(workspace.fits(model), "the workspace is that of another topology");
    let mut result = forward_dynamics(model, &mut workspace.tree, q, v, tau, external, out.qdd);
    if model.rerooted.is_some() || model.planar.is_some() {
        // that went by way of another body, and left the columns there, or in the plane
        if let Some(failure) = factor::eliminate(model, &mut workspace.tree, q) {
            let lanes = failure.lanes;
            let error = failed((model, model), failure, q, out.qdd);
            result = Err(result.err().map_or(error, |first| first.and_lanes(lanes)));
        }
    }
    let ForwardDynamicsDerivatives { qdd, position, velocity, force } = out;
    dispatch(Derivatives {
        model,
        workspace,
        q,
        v,
        qdd,
        external,
        out: [position, velocity, force],
    });
    if result.is_err() {
        let failed = qdd.iter().fold(Mask::NONE, |bad, x| bad | !x.is_finite());
        let nan = T::from_f64(f64::NAN);
        for x in [position, velocity, force].into_iter().flatten() {
            *x = T::select(failed, nan, *x);
        }
    }
    result
}

struct Derivatives<'a, 'b, T> {
    model: &'a Model<T>,
    workspace: &'a mut DerivativeWorkspace<T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
    external: Option<&'a [Wrench<T>]>,
    out: [&'b mut [T]; 3],
}

impl<T: Real> Kernel for Derivatives<'_, '_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let Derivatives { model, workspace, q, v, qdd, external, out } = self;
        // the joints were turned where the columns were found
        inverse::find::<T, false>(model, workspace, q, v, qdd, external);
        factors::find_factors(model, workspace);
        solve::solve(workspace);
        let [position, velocity, force] = out;
        inverse::write::<T, true>(workspace, 0, position);
        inverse::write::<T, true>(workspace, 1, velocity);
        inverse::write::<T, false>(workspace, 2, force);
    }
}
