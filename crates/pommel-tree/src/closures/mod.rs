//! Loop closures on a tree: constrained accelerations and their multipliers.

mod close;
mod cross;
mod description;
mod eliminate;
mod ends;
mod error;
mod rows;
mod substitute;
mod workspace;

pub use description::{Attachment, Closure, LoopClosures, Stabilization};
pub use error::{ClosureError, ClosureQuantity};
pub use workspace::ClosureWorkspace;

use pommel_math::{Kernel, Mask, Real, Wrench, dispatch};

use crate::forward_dynamics::{failed, not_finite, position_not_finite};
use crate::sweep::bias;
use crate::sweep::eliminate::{PivotCheck, Singular};
use crate::{Model, Workspace, external, posture};

/// Accelerations of a tree with closed loops, and the multipliers of the closures.
///
/// Solves
///
/// ```text
/// M(q) q̈ + Φ_qᵀ λ + h(q, v) = τ
/// Φ_q q̈ = γ − 2 α Φ̇ − β² Φ
/// ```
///
/// for `q̈` and `λ`, one multiplier a row. The closures exert the forces `−Φ_qᵀ λ`. The state need
/// not satisfy the closures; what they demand of accelerations is stated at [`Closure`]. Rows that
/// depend on others are recognised, checked and dropped: their multipliers are zero
/// ([`ClosureWorkspace::dependent_rows`]); the accelerations do not depend on which are dropped.
///
/// # Singular postures
/// Where a mechanism can branch, such as a parallelogram stretched out, a row loses its lever.
/// Within `1.6e-9` of that (relative to the lengths) it is dropped as dependent; farther away its
/// multiplier grows as the inverse of the lever, and accelerations lose digits.
/// [`ClosureWorkspace::least_share`] says how near a posture is. Velocities from which no acceleration
/// continues at such a posture are [`ClosureError::Inconsistent`].
///
/// # Drift
/// A simulation leaves the closures by the errors of its steps, and redundant closures by different
/// amounts, which [`Stabilization`] then asks to undo in different ways: beyond rounding that is
/// [`ClosureError::Inconsistent`]. [`LoopClosures::tolerate`] lets it pass up to an acceleration of
/// your choice.
///
/// # Arguments
/// - `closures` the closures of `model`; `workspace` and `memory` made for both
/// - `state` positions and velocities, `(q, v)` of [`forward_dynamics`](crate::forward_dynamics)
/// - `tau`, `external`, `qdd` as there
/// - `lambda` **out**, multipliers, length [`rows`](LoopClosures::rows); N for rows of places, N·m
///   for rows of directions and angles
///
/// The rows of a closure, in order: those of directions, then those of places. Places are compared
/// in world axes for welds, spherical, revolute and universal joints, else along axes of `A`.
///
/// # Errors
/// [`ClosureError::Inconsistent`] if a dependent row contradicts the others beyond rounding,
/// [`ClosureError::NotFinite`] if a row demands what is no number; `qdd` and `lambda` are then NaN.
/// [`ClosureError::Tree`] as in [`forward_dynamics`](crate::forward_dynamics): each joint of the
/// tree must feel inertia without the closures, so a massless body that only a closure ties to mass
/// is refused.
///
/// # Panics
/// If a slice has another length than stated, if a workspace is another one's, or if the scalar has
/// several lanes: which rows depend on others differs from lane to lane.
///
/// # Cost
/// Linear in the number of joints and of loops as long as loops are local: a row costs something at
/// every joint between its ends and where they meet. The program `rigid_body_cases` of the `benches`
/// member measures chains of local loops (`loopchain`) and of loops that overlap (`comb`). No
/// allocation.
///
/// # Source
/// The recursion of Popov, Vereshchagin and others with early elimination of the multipliers: see
/// A. S. Sathya, J. Carpentier, *Constrained articulated body dynamics algorithms*, and their work
/// on closed loops; the bordered elimination here is that of `[Sah99]` with rows added.
///
/// # Example
/// A four-bar linkage with opposite bars of equal length, released at rest: the coupler stays
/// level, so that the linkage has the acceleration of a pendulum.
///
/// ```
/// use pommel_tree::pommel_math::{Transform, Vec3};
/// use pommel_tree::{
///     Attachment, BodySpec, Closure, ClosureWorkspace, Joint, LoopClosures, Stabilization,
///     TreeBuilder, Workspace, constrained_dynamics,
/// };
///
/// // rods of 1 kg/m in the xy plane, one at the end of the other
/// let along = |x: f64| Transform::new(Transform::identity().rotation, Vec3::new(x, 0.0, 0.0));
/// let mut builder = TreeBuilder::<f64>::new();
/// builder.gravity(Vec3::new(0.0, -9.81, 0.0));
/// let (mut parent, mut end) = (None, 0.0);
/// for (name, length) in [("crank", 1.0_f64), ("coupler", 2.0), ("rocker", 1.0)] {
///     let moment = length.powi(3) / 12.0;
///     let centre = Vec3::new(length / 2.0, 0.0, 0.0);
///     let rod = BodySpec::new(name, parent, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
///         .placed(along(end))
///         .with_inertia(length, centre, [0.0, moment, moment, 0.0, 0.0, 0.0]);
///     (parent, end) = (Some(builder.add(rod)?), length);
/// }
/// let model = builder.build()?;
///
/// // the end of the rocker turns about a point of the ground, 2 m from the crank's axis
/// let rocker = Attachment { body: parent, frame: along(1.0) };
/// let hinge = Closure::Revolute(Attachment::ground(along(2.0)), rocker);
/// let stabilization = Stabilization { alpha: 10.0, beta: 10.0 };
/// let closures = LoopClosures::new(&model, vec![hinge], stabilization)?;
/// let mut workspace = Workspace::new(&model);
/// let mut memory = ClosureWorkspace::new(&closures);
///
/// let angle = 0.5_f64;
/// let q = [angle, -angle, std::f64::consts::PI + angle];
/// let (v, tau) = ([0.0; 3], [0.0; 3]);
/// let mut qdd = [0.0; 3];
/// let mut lambda = vec![0.0; closures.rows()];
/// constrained_dynamics(
///     &model, &closures, &mut workspace, &mut memory, (&q, &v), &tau, None, &mut qdd, &mut lambda,
/// )?;
/// // inertia 1/3 + 2 + 1/3 kg·m², moment of gravity −g (1/2 + 2 + 1/2) cos(angle)
/// let expected = -9.81 * 3.0 * angle.cos() / (8.0 / 3.0);
/// for (found, sign) in qdd.into_iter().zip([1.0, -1.0, 1.0]) {
///     assert!((found - sign * expected).abs() < 1e-13 * 9.81);
/// }
/// // the linkage is closed; of the five rows, the three out of the plane say nothing new
/// assert!(memory.position_residuals().all(|x| x.abs() < 1e-15));
/// assert_eq!(memory.dependent_rows().count(), 3);
/// # Ok::<(), pommel_tree::ClosureError>(())
/// ```
pub fn constrained_dynamics<T: Real>(
    model: &Model<T>,
    closures: &LoopClosures<T>,
    workspace: &mut Workspace<T>,
    memory: &mut ClosureWorkspace<T>,
    state: (&[T], &[T]),
    tau: &[T],
    external: Option<&[Wrench<T>]>,
    qdd: &mut [T],
    lambda: &mut [T],
) -> Result<(), ClosureError> {
    let (q, v) = state;
    assert_eq!(T::LANES, 1, "closures need a scalar with one lane");
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(v.len(), model.nv(), "v must have the model's nv entries");
    assert_eq!(tau.len(), model.nv(), "tau must have the model's nv entries");
    assert_eq!(qdd.len(), model.nv(), "qdd must have the model's nv entries");
    assert_eq!(lambda.len(), closures.rows, "one multiplier per row");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    let fits = closures.topology.has_the_links_of(&model.topology);
    assert!(fits, "the closures were made for another model");
    assert!(memory.fits(closures), "the workspace of the closures was made for other closures");
    if let Some(external) = external {
        assert_eq!(external.len(), model.body_count(), "one external wrench per body");
    }
    let kernel = Constrained { model, closures, workspace, memory, q, v, tau, external, qdd };
    let result = match dispatch(kernel) {
        Ok(None) => {
            let finite = qdd.iter().fold(Mask::all(1), |all, x| all & x.is_finite());
            if finite.is_all(1) { Ok(()) } else { Err(not_finite(model, finite, q, qdd).into()) }
        }
        Ok(Some(failure)) => Err(failed((model, model), failure, q, qdd).into()),
        // a position that is none makes rows none
        Err(error @ ClosureError::NotFinite { .. }) => {
            Err(position_not_finite(model, q, Mask::all(1)).map_or(error, ClosureError::Tree))
        }
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => {
            for (index, &first) in closures.first_row.iter().enumerate() {
                let count = memory.counts[index];
                lambda[first..first + count].copy_from_slice(&memory.multipliers[index][..count]);
            }
        }
        Err(_) => {
            qdd.fill(T::from_f64(f64::NAN));
            lambda.fill(T::from_f64(f64::NAN));
        }
    }
    result
}

struct Constrained<'a, T> {
    model: &'a Model<T>,
    closures: &'a LoopClosures<T>,
    workspace: &'a mut Workspace<T>,
    memory: &'a mut ClosureWorkspace<T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    external: Option<&'a [Wrench<T>]>,
    qdd: &'a mut [T],
}

impl<T: Real> Kernel for Constrained<'_, T> {
    type Output = Result<Option<Singular>, ClosureError>;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Constrained { model, closures, workspace: ws, memory, q, v, tau, external, qdd } = self;
        if let Some(wrenches) = external {
            external::to_links(model, ws, q, wrenches, true);
        }
        bias::turn_joints(model, ws, q);
        bias::sweep::<T, true>(model, ws, q, v, external.is_some());
        posture::place(model, ws, q);
        posture::move_links(model, ws, v);
        rows::find_rows(model, closures, ws, (q, v), memory);
        let mut check = PivotCheck::default();
        let closed = eliminate::sweep(model, closures, ws, memory, tau, &mut check, qdd);
        // a joint without inertia is the cause, a row that then demands anything the effect
        if check.failure.is_none() {
            closed?;
            substitute::sweep(model, ws, memory, qdd);
        }
        Ok(check.failure)
    }
}
