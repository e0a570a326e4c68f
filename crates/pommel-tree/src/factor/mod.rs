//! The factorization `M = U D Uᵀ` as a value.

mod condition;
mod explicit;
mod factorize;
mod mobility;
mod operational;
mod perform;
mod sweeps;

use pommel_math::{Real, dispatch};

use crate::error::TreeError;
use crate::forward_dynamics::failed;
use crate::sweep::eliminate::Singular;
use crate::{Model, Workspace};
use factorize::Factorize;
use perform::Operation;

/// Right-hand sides that are solved at once.
pub(crate) const BLOCK: usize = 8;

/// Factors the generalized inertia matrix: `M(q) = U D Uᵀ`.
///
/// One sweep from the tips to the root; no velocities, no forces, no gravity enter. The factor
/// borrows the workspace until it is dropped.
///
/// # Arguments
/// - `q` positions as in [`forward_dynamics`](crate::forward_dynamics)
///
/// # Errors
/// [`TreeError::SingularPivot`], [`TreeError::PivotNotFinite`], or [`TreeError::PositionNotFinite`]
/// instead of the latter if a position is to blame. For scalars with several lanes the
/// error names the lanes that failed; there is no factor then, not even of the good lanes.
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of joints; no allocation.
///
/// # Source
/// `[Sah99]` eqs. (12) to (15) and (24) to (28), with the corrections that
/// [`the_algorithm`](crate::the_algorithm) states.
pub fn factorize<'w, T: Real>(
    model: &'w Model<T>,
    workspace: &'w mut Workspace<T>,
    q: &[T],
) -> Result<UdutFactor<'w, T>, TreeError> {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    match eliminate(model, workspace, q) {
        Some(failure) => Err(failed((model, model), failure, q, &mut [])),
        None => Ok(UdutFactor { model, workspace, placed: false }),
    }
}

/// Leaves the columns of `U` and the pivots in the workspace.
pub(crate) fn eliminate<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
) -> Option<Singular> {
    dispatch(Factorize { model, workspace, q })
}

/// The factors of the generalized inertia matrix, `M = U D Uᵀ`.
///
/// `U` is unit upper triangular if velocities are numbered from the root to the tips; its entry
/// `U_ji` is other than zero only if joint `j` carries joint `i`. `D` is block diagonal: the
/// articulated inertia of a free body (6 × 6), that of a spherical joint (3 × 3), and for every
/// other velocity the pivot `m̂`, the inertia that the joint's motor feels while the joints beyond
/// it are free. Matrices are in the coordinates of the model: those of a free body in world axes.
///
/// Made by [`factorize`].
///
/// ```
/// use pommel_tree::pommel_math::{Transform, Vec3};
/// use pommel_tree::{BodySpec, Joint, TreeBuilder, Workspace, factorize, mass_matrix};
///
/// // two rods of 1 m and 1 kg, the second at the end of the first
/// let mut builder = TreeBuilder::<f64>::new();
/// let mut parent = None;
/// for (name, x) in [("upper", 0.0), ("lower", 1.0)] {
///     let in_parent = Transform { translation: Vec3::new(x, 0.0, 0.0), ..Transform::identity() };
///     let rod = BodySpec::new(name, parent, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
///         .placed(in_parent)
///         .with_inertia(1.0, Vec3::new(0.5, 0.0, 0.0), [0.0, 0.083, 0.083, 0.0, 0.0, 0.0]);
///     parent = Some(builder.add(rod)?);
/// }
/// let model = builder.build()?;
/// let mut workspace = Workspace::new(&model);
///
/// let (q, b) = ([0.3, -0.7], [1.0, 2.0]);
/// let mut matrix = [0.0; 4];
/// mass_matrix(&model, &mut workspace, &q, &mut matrix);
///
/// let mut factor = factorize(&model, &mut workspace, &q)?;
/// let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
/// factor.solve(&b, &mut x);
/// factor.multiply(&x, &mut y);
/// for row in 0..2 {
///     let product = matrix[2 * row] * x[0] + matrix[2 * row + 1] * x[1];
///     assert!((product - b[row]).abs() < 1e-14);
///     assert!((y[row] - b[row]).abs() < 1e-14);
/// }
/// // the inertia that the outer motor feels: that of its rod about the joint
/// let mut pivots = [0.0; 2];
/// factor.pivots(&mut pivots);
/// assert!((pivots[1] - 0.333).abs() < 1e-15);
/// # Ok::<(), pommel_tree::TreeError>(())
/// ```
#[derive(Debug)]
pub struct UdutFactor<'w, T> {
    model: &'w Model<T>,
    workspace: &'w mut Workspace<T>,
    /// whether the placements and axes in the workspace are those of the factored positions
    placed: bool,
}

impl<T: Real> UdutFactor<'_, T> {
    /// The model that was factored.
    pub fn model(&self) -> &Model<T> {
        self.model
    }

    /// `x = M⁻¹ b`: accelerations from forces, or jumps of velocities from impulses.
    ///
    /// # Arguments
    /// - `b` length [`nv`](Model::nv); N·m, N
    /// - `x` **out**, length [`nv`](Model::nv); rad/s², m/s²
    ///
    /// # Panics
    /// If a slice has another length than stated; so for all operations of a factor.
    ///
    /// # Cost
    /// Two sweeps, linear in the number of joints; no allocation.
    pub fn solve(&mut self, b: &[T], x: &mut [T]) {
        self.apply(Operation::Solve, b, x);
    }

    /// `X = M⁻¹ B` for many right-hand sides, eight at a time.
    ///
    /// # Arguments
    /// - `b` right-hand sides one after another, length `nv` times their number
    /// - `x` **out**, solutions one after another
    ///
    /// # Panics
    /// If the lengths differ or are no multiple of [`nv`](Model::nv).
    ///
    /// # Cost
    /// As that of [`solve`](UdutFactor::solve) for each; no allocation.
    pub fn solve_many(&mut self, b: &[T], x: &mut [T]) {
        self.apply_many(Operation::Solve, b, x);
    }

    /// `y = M x`.
    pub fn multiply(&mut self, x: &[T], y: &mut [T]) {
        self.apply(Operation::Multiply, x, y);
    }

    /// `y = U x`.
    pub fn multiply_u(&mut self, x: &[T], y: &mut [T]) {
        self.apply(Operation::Upper, x, y);
    }

    /// `y = Uᵀ x`.
    pub fn multiply_ut(&mut self, x: &[T], y: &mut [T]) {
        self.apply(Operation::UpperTransposed, x, y);
    }

    /// `y = D x`.
    pub fn multiply_d(&mut self, x: &[T], y: &mut [T]) {
        self.apply(Operation::Diagonal, x, y);
    }

    /// `x = U⁻¹ b`: what is left of the forces after the joints beyond are served, Saha's `φ̂`.
    pub fn solve_u(&mut self, b: &[T], x: &mut [T]) {
        self.apply(Operation::UpperInverse, b, x);
    }

    /// `x = U⁻ᵀ b`.
    pub fn solve_ut(&mut self, b: &[T], x: &mut [T]) {
        self.apply(Operation::UpperTransposedInverse, b, x);
    }

    /// The pivots, length [`nv`](Model::nv), kg·m² or kg: `m̂`, the inertia that a motor feels while
    /// the joints beyond are free. A joint with several velocities gives the pivots of `L D Lᵀ` of
    /// its block of `D`. All are positive.
    pub fn pivots(&mut self, out: &mut [T]) {
        assert_eq!(out.len(), self.model.nv(), "one pivot per velocity");
        sweeps::narrow(self.model, self.workspace).0.pivots(out);
    }

    /// The natural logarithm of the determinant of `M`, which itself overflows for long chains: the
    /// sum of the logarithms of the pivots.
    pub fn log_determinant(&mut self) -> T {
        let (columns, scratch) = sweeps::narrow(self.model, self.workspace);
        let pivots = scratch.rows.as_flattened_mut();
        columns.pivots(pivots);
        pivots.iter().fold(T::zero(), |sum, m| sum + m.ln())
    }
}
