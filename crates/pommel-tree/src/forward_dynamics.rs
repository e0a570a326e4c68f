//! Accelerations from forces.

use pommel_math::{Kernel, Mask, Real, Wrench, dispatch};

use crate::sweep::eliminate::{PivotCheck, Singular};
use crate::sweep::{bias, eliminate, substitute};
use crate::{Model, TreeError, Workspace, external, rerooted};

/// Accelerations of a tree under gravity, joint forces and external wrenches.
///
/// Solves `M(q) q̈ + h(q, v) = τ` for `q̈` by the `U D Uᵀ` factorization of `M`, which is formed
/// and used column by column and never stored as a matrix.
///
/// # Arguments
/// - `q`   positions, length [`nq`](Model::nq); rad, m. Quaternions need not have unit norm.
/// - `v`   velocities, length [`nv`](Model::nv); rad/s, m/s
/// - `tau` joint forces, length [`nv`](Model::nv); N·m, N
/// - `external` wrench on each body, length [`body_count`](Model::body_count): moment about the
///   body's mass centre (N·m) and force (N), both in **world** axes; `None` for no wrenches
/// - `qdd` **out**, accelerations, length [`nv`](Model::nv); rad/s², m/s²
///
/// The coordinates of a free body are those of [`Joint::Free`](crate::Joint::Free).
///
/// # Errors
/// [`TreeError::SingularPivot`] if the inertia felt at a joint is not positive (a massless tip),
/// [`TreeError::PivotNotFinite`] if it is NaN, [`TreeError::AccelerationNotFinite`] if a result is.
/// The failed lanes of `qdd` are then NaN, and the others valid.
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Two sweeps out, one in, each linear in the number of joints; no allocation.
/// 188 multiplications, a division and 175 additions for each further revolute joint of a chain
/// (test `counts`; the table stands at [`the_algorithm`](crate::the_algorithm)).
///
/// A free tree that carries a body ten times heavier than its free one is solved by way of that
/// body ([`Elimination`](crate::Elimination)); the chain between is then run through twice more.
///
/// # Source
/// Reverse Gaussian elimination of `[Sah99]`: eqs. (16) to (18) with the corrected (26), in body
/// axes; the pivots are those of `[Fea08, Table 7.1]`.
///
/// An example stands at [`TreeBuilder`](crate::TreeBuilder).
pub fn forward_dynamics<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    external: Option<&[Wrench<T>]>,
    qdd: &mut [T],
) -> Result<(), TreeError> {
    let (nq, nv) = (model.nq(), model.nv());
    assert_eq!(q.len(), nq, "q must have the model's nq entries");
    assert_eq!(v.len(), nv, "v must have the model's nv entries");
    assert_eq!(tau.len(), nv, "tau must have the model's nv entries");
    assert_eq!(qdd.len(), nv, "qdd must have the model's nv entries");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    if let Some(external) = external {
        assert_eq!(external.len(), model.body_count(), "one external wrench per body");
    }
    if let (Some(rerooted), Some(memory)) = (&model.rerooted, &mut workspace.rerooted) {
        return rerooted::solve((model, rerooted), memory, (q, v, tau), external, qdd);
    }
    match dispatch(ForwardDynamics { model, workspace, q, v, tau, external, qdd }) {
        Verdict { singular: Some(singular), .. } => Err(failed(model, singular, qdd)),
        Verdict { finite, .. } if !finite.is_all(T::LANES) => Err(not_finite(finite, qdd)),
        Verdict { .. } => Ok(()),
    }
}

/// How a solve went.
struct Verdict {
    singular: Option<Singular>,
    /// lanes whose accelerations are all finite
    finite: Mask,
}

struct ForwardDynamics<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    external: Option<&'a [Wrench<T>]>,
    qdd: &'a mut [T],
}

impl<T: Real> Kernel for ForwardDynamics<'_, T> {
    type Output = Verdict;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Verdict {
        let ForwardDynamics { model, workspace, q, v, tau, external, qdd } = self;
        if let Some(wrenches) = external {
            external::to_links(model, workspace, q, wrenches, true);
        }
        let mut check = PivotCheck::default();
        bias::turn_joints(model, workspace, q);
        bias::sweep::<T, false>(model, workspace, q, v, external.is_some());
        eliminate::sweep(model, workspace, tau, &mut check, qdd);
        substitute::sweep(model, workspace, qdd);
        let mut finite = Mask::all(T::LANES);
        for x in qdd {
            finite &= x.is_finite();
        }
        Verdict { singular: check.failure, finite }
    }
}

#[cold]
pub(crate) fn not_finite<T: Real>(finite: Mask, qdd: &mut [T]) -> TreeError {
    let lanes = !finite & Mask::all(T::LANES);
    let bad = |x: &T| !(x.is_finite() | finite).is_all(T::LANES);
    let velocity = qdd.iter().position(bad).unwrap_or(0);
    spoil(qdd, lanes);
    TreeError::AccelerationNotFinite { velocity, lanes }
}

/// NaN in the failed lanes.
fn spoil<T: Real>(qdd: &mut [T], lanes: Mask) {
    let nan = T::from_f64(f64::NAN);
    for x in qdd {
        *x = T::select(lanes, nan, *x);
    }
}

#[cold]
pub(crate) fn failed<T: Real>(model: &Model<T>, failure: Singular, qdd: &mut [T]) -> TreeError {
    spoil(qdd, failure.lanes);
    singular(model, failure)
}

/// The error of a joint that feels no inertia.
#[cold]
pub(crate) fn singular<T: Real>(model: &Model<T>, failure: Singular) -> TreeError {
    let Singular { link, velocity, pivot, limit, lanes } = failure;
    let body = model.topology.link_name(link).to_owned();
    if pivot.is_finite() {
        TreeError::SingularPivot { body, velocity, pivot, limit, lanes }
    } else {
        TreeError::PivotNotFinite { body, velocity, lanes }
    }
}
