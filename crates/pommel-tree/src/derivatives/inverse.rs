//! How the joint forces depend on the motion.

use pommel_math::{Kernel, Real, Wrench, dispatch};

use super::memory::DerivativeWorkspace;
use super::{WIDTH, composite, rows};
use crate::model::Model;
use crate::sweep::bias;

/// Where [`inverse_dynamics_derivatives`] writes: matrices of nv × nv entries, row after row, so
/// that `matrix[i * nv + j]` is `∂τ_i/∂x_j`.
#[derive(Debug)]
pub struct InverseDynamicsDerivatives<'a, T> {
    /// `∂τ/∂q` along the tangent of the velocities.
    pub position: &'a mut [T],
    /// `∂τ/∂v`.
    pub velocity: &'a mut [T],
    /// `∂τ/∂q̈`, the inertia matrix `M`.
    pub acceleration: &'a mut [T],
}

/// Derivatives of the joint forces `τ(q, v, q̈)` of
/// [`inverse_dynamics`](crate::inverse_dynamics()).
///
/// Positions vary along the tangent of the velocities: column `j` of `∂τ/∂q` is the rate of `τ`
/// while `q` moves as the unit velocity `j` moves it ([`position_rate`](crate::position_rate)). For
/// joints with one velocity that is the derivative by the coordinate. A spherical joint turns about
/// its child axes, `q ∘ exp(ε)`; a free body turns about world axes, `exp(ε) ∘ q`, and its origin
/// moves along them. `v` and `q̈` keep their components meanwhile.
///
/// External wrenches keep their moment and force in world axes and follow the mass centres of their
/// bodies. Gravity, armature and geared rotors are included.
///
/// Entries between velocities of which neither carries the other are zero, exactly. So are the
/// columns of `∂τ/∂q` and `∂τ/∂v` that belong to the position and the linear velocity of a free
/// body.
///
/// # Arguments
/// - `q`, `v`, `qdd`, `external` as in [`inverse_dynamics`](crate::inverse_dynamics())
/// - `out` **out**, three matrices of nv × nv entries, by rows; units are those of `τ` over those of
///   the variable
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of pairs of a velocity and one that carries it, eight pairs at a time; and
/// the square of nv for the output. No allocation.
///
/// # Source
/// S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of rigid-body dynamics using
/// spatial vector algebra*, IEEE Robotics and Automation Letters 7 (2022), with composite quantities
/// reduced to 28 numbers a link.
///
/// ```
/// use pommel_tree::pommel_math::Vec3;
/// use pommel_tree::{
///     BodySpec, DerivativeWorkspace, InverseDynamicsDerivatives, Joint, TreeBuilder,
///     inverse_dynamics_derivatives,
/// };
///
/// let mut builder = TreeBuilder::new();
/// builder.gravity(Vec3::new(0.0, -9.81, 0.0));
/// let rod = BodySpec::new("rod", None, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
///     .with_inertia(2.0, Vec3::new(0.5, 0.0, 0.0), [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
/// builder.add(rod)?;
/// let model = builder.build()?;
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let (mut position, mut velocity, mut acceleration) = ([0.0], [0.0], [0.0]);
/// let out = InverseDynamicsDerivatives {
///     position: &mut position,
///     velocity: &mut velocity,
///     acceleration: &mut acceleration,
/// };
/// let q: f64 = 0.3;
/// inverse_dynamics_derivatives(&model, &mut workspace, &[q], &[1.0], &[0.0], None, out);
/// // τ = (I + m c²) q̈ + m g c cos q
/// assert!((position[0] + 2.0 * 9.81 * 0.5 * q.sin()).abs() < 1e-14);
/// assert!(velocity[0].abs() < 1e-14);
/// assert!((acceleration[0] - 0.6).abs() < 1e-15);
/// # Ok::<(), pommel_tree::TreeError>(())
/// ```
pub fn inverse_dynamics_derivatives<T: Real>(
    model: &Model<T>,
    workspace: &mut DerivativeWorkspace<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    external: Option<&[Wrench<T>]>,
    out: InverseDynamicsDerivatives<'_, T>,
) {
    let (nq, nv) = (model.nq(), model.nv());
    assert_eq!(q.len(), nq, "q must have the model's nq entries");
    assert_eq!(v.len(), nv, "v must have the model's nv entries");
    assert_eq!(qdd.len(), nv, "qdd must have the model's nv entries");
    for matrix in [&*out.position, &*out.velocity, &*out.acceleration] {
        assert_eq!(matrix.len(), nv * nv, "a derivative must have nv × nv entries");
    }
    assert!(workspace.fits(model), "the workspace is that of another topology");
    if let Some(external) = external {
        assert_eq!(external.len(), model.body_count(), "one external wrench per body");
    }
    dispatch(Derivatives { model, workspace, q, v, qdd, external, out });
}

struct Derivatives<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut DerivativeWorkspace<T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
    external: Option<&'a [Wrench<T>]>,
    out: InverseDynamicsDerivatives<'a, T>,
}

impl<T: Real> Kernel for Derivatives<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let Derivatives { model, workspace, q, v, qdd, external, out } = self;
        bias::turn_joints(model, &mut workspace.tree, q);
        find::<T, true>(model, workspace, q, v, qdd, external);
        write::<T, false>(workspace, 0, out.position);
        write::<T, false>(workspace, 1, out.velocity);
        write::<T, false>(workspace, 2, out.acceleration);
    }
}

/// Fills `rows`, after the joints were turned; without `MASS` none of `M`.
#[inline(always)]
pub(super) fn find<T: Real, const MASS: bool>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    external: Option<&[Wrench<T>]>,
) {
    composite::find_columns(model, memory, q, v, qdd, external);
    match external {
        Some(_) => rows::find_rows::<T, true, MASS>(model, memory),
        None => rows::find_rows::<T, false, MASS>(model, memory),
    }
}

/// Part `part` of the rows, or its negative, into a matrix in the numbering of the model.
#[inline(always)]
pub(super) fn write<T: Real, const NEGATE: bool>(
    memory: &DerivativeWorkspace<T>,
    part: usize,
    out: &mut [T],
) {
    let relation = &memory.relation;
    let (n, tiles) = (relation.order.len(), relation.tiles());
    let change = |x: T| if NEGATE { -x } else { x };
    for k in 0..n {
        let row = &memory.rows[(3 * k + part) * tiles..(3 * k + part + 1) * tiles];
        let at = n * relation.order[k] as usize;
        let target = &mut out[at..at + n];
        if relation.is_ordered {
            let whole = n / WIDTH;
            for t in 0..whole {
                let target = &mut target[WIDTH * t..WIDTH * (t + 1)];
                for l in 0..WIDTH {
                    target[l] = change(row[t][l]);
                }
            }
            for j in WIDTH * whole..n {
                target[j] = change(row[whole][j % WIDTH]);
            }
        } else {
            for j in 0..n {
                target[relation.order[j] as usize] = change(row[j / WIDTH][j % WIDTH]);
            }
        }
    }
}
