//! Accelerations from forces.

use pommel_math::{Kernel, Mask, Real, Wrench, dispatch};

use crate::model::Planar;
use crate::sweep::eliminate::{PivotCheck, Singular};
use crate::sweep::{bias, eliminate, planar, substitute};
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
/// [`TreeError::PivotNotFinite`] if it is NaN, [`TreeError::AccelerationNotFinite`] if a result is;
/// [`TreeError::PositionNotFinite`] instead of these two if a position is to blame. The failed
/// lanes of `qdd` are then NaN, and the others valid.
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Two sweeps out, one in, each linear in the number of joints; no allocation.
/// 188 multiplications, a division and 175 additions for each further revolute joint of a chain
/// (test `counts`; the table stands at [`the_algorithm`](crate::the_algorithm)).
///
/// A tree on the ground whose joints are all revolute, about parallel axes and without armature, is
/// solved in the plane: a quarter of these operations
/// ([`the_algorithm`](crate::the_algorithm)), and the least time for two links, one on the other.
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
    let mut check = PivotCheck::default();
    let finite = eliminate(model, workspace, (q, v, tau), external, &mut check, qdd);
    if check.failure.is_none() && finite.is_all(T::LANES) {
        return Ok(());
    }
    Err(refused((model, model), &check, finite, q, qdd))
}

/// Eliminates towards the root of the model, even where another root would lose fewer digits.
/// Returns the lanes whose accelerations are all finite.
#[inline]
pub(crate) fn eliminate<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    external: Option<&[Wrench<T>]>,
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Mask {
    let Some(planar) = &model.planar else {
        let problem = Problem { model, workspace, q, v, tau, external, check, qdd };
        return dispatch(ForwardDynamics(problem));
    };
    if T::LANES > 1 && !planar.lanes.is_all(T::LANES) {
        // each lane as its instance would be solved alone
        check.ignored = planar.lanes;
        let (workspace, check) = (&mut *workspace, &mut *check);
        let qdd = &mut *qdd;
        let problem = Problem { model, workspace, q, v, tau, external, check, qdd };
        dispatch(ForwardDynamics(problem));
        check.ignored = !planar.lanes & Mask::all(T::LANES);
    }
    let problem = Problem { model, workspace, q, v, tau, external, check, qdd };
    dispatch(PlanarDynamics(problem, planar))
}

/// What is given and sought.
struct Problem<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    external: Option<&'a [Wrench<T>]>,
    check: &'a mut PivotCheck,
    qdd: &'a mut [T],
}

struct ForwardDynamics<'a, T>(Problem<'a, T>);

impl<T: Real> Kernel for ForwardDynamics<'_, T> {
    type Output = Mask;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Mask {
        let Problem { model, workspace, q, v, tau, external, check, qdd } = self.0;
        if let Some(wrenches) = external {
            external::to_links(model, workspace, q, wrenches, true);
        }
        bias::turn_joints(model, workspace, q);
        bias::sweep::<T, false>(model, workspace, q, v, external.is_some());
        eliminate::sweep(model, workspace, tau, check, qdd);
        substitute::sweep(model, workspace, qdd);
        let mut finite = Mask::all(T::LANES);
        for x in qdd {
            finite &= x.is_finite();
        }
        finite
    }
}

/// The accelerations given are those of the lanes that are not planar.
struct PlanarDynamics<'a, T>(Problem<'a, T>, &'a Planar<T>);

impl<T: Real> Kernel for PlanarDynamics<'_, T> {
    type Output = Mask;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Mask {
        let PlanarDynamics(problem, planar) = self;
        let Problem { model, workspace, q, v, tau, external, check, qdd } = problem;
        if planar.is_pair && external.is_none() {
            return planar::solve_pair(planar, &model.roots, (q, v, tau), check, qdd);
        }
        planar::turn(planar, workspace, q, v);
        planar::place(planar, &model.roots, workspace);
        if let Some(wrenches) = external {
            planar::collect(model, planar, workspace, wrenches);
        }
        planar::eliminate_joints(planar, workspace, tau, external.is_some(), check);
        planar::accelerate(planar, workspace, qdd)
    }
}

/// The error of a solve in the model `eliminated` for the state of `model`.
#[cold]
pub(crate) fn refused<T: Real>(
    models: (&Model<T>, &Model<T>),
    check: &PivotCheck,
    finite: Mask,
    q: &[T],
    qdd: &mut [T],
) -> TreeError {
    match check.failure {
        Some(failure) => failed(models, failure.and_lanes::<T>(finite), q, qdd),
        None => not_finite(models.0, finite, q, qdd),
    }
}

/// The error of accelerations that are finite only in the lanes `finite`.
#[cold]
pub(crate) fn not_finite<T: Real>(
    model: &Model<T>,
    finite: Mask,
    q: &[T],
    qdd: &mut [T],
) -> TreeError {
    let lanes = !finite & Mask::all(T::LANES);
    let velocity = first_not_finite(qdd, lanes).unwrap_or(0);
    spoil(qdd, lanes);
    position_not_finite(model, q, lanes)
        .unwrap_or(TreeError::AccelerationNotFinite { velocity, lanes })
}

/// The first number that is infinite or NaN in one of the lanes.
fn first_not_finite<T: Real>(list: &[T], lanes: Mask) -> Option<usize> {
    list.iter().position(|x| (!x.is_finite() & lanes).any())
}

/// The first position that is infinite or NaN, but for the places of free bodies, on which nothing
/// depends.
pub(crate) fn position_not_finite<T: Real>(
    model: &Model<T>,
    q: &[T],
    lanes: Mask,
) -> Option<TreeError> {
    let matters = |&i: &usize| !model.topology.is_a_place(i);
    let bad = |&i: &usize| (!q[i].is_finite() & lanes).any();
    let position = (0..q.len()).filter(matters).find(bad)?;
    let body = model.topology.position_name(position).to_owned();
    Some(TreeError::PositionNotFinite { body, position, lanes })
}

/// NaN in the failed lanes.
fn spoil<T: Real>(qdd: &mut [T], lanes: Mask) {
    let nan = T::from_f64(f64::NAN);
    for x in qdd {
        *x = T::select(lanes, nan, *x);
    }
}

/// The error of a failure in the model `eliminated`, for the positions `q` of `model`.
#[cold]
pub(crate) fn failed<T: Real>(
    (model, eliminated): (&Model<T>, &Model<T>),
    failure: Singular,
    q: &[T],
    qdd: &mut [T],
) -> TreeError {
    spoil(qdd, failure.lanes);
    let position =
        if failure.pivot.is_finite() { None } else { position_not_finite(model, q, failure.lanes) };
    position.unwrap_or_else(|| singular(eliminated, failure))
}

/// The error of a joint that feels no inertia.
#[cold]
pub(crate) fn singular<T: Real>(model: &Model<T>, failure: Singular) -> TreeError {
    let Singular { link, velocity, pivot, limit, lanes } = failure;
    let joint = model.topology.link_name(link).to_owned();
    let body = model.topology.carried_name(link).to_owned();
    if pivot.is_finite() {
        TreeError::SingularPivot { body, joint, velocity, pivot, limit, lanes }
    } else {
        TreeError::PivotNotFinite { body, joint, velocity, lanes }
    }
}
