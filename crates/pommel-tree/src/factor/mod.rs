//! The factorization `M = U D Uᵀ` as a value.

mod block;
mod factorize;
mod sweeps;

use pommel_math::{Kernel, Real, dispatch};

use crate::error::TreeError;
use crate::forward_dynamics::singular;
use crate::{Model, Workspace};
use factorize::Factorize;
use sweeps::Columns;

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
/// [`TreeError::SingularPivot`], [`TreeError::PivotNotFinite`]. For scalars with several lanes the
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
    match dispatch(Factorize { model, workspace: &mut *workspace, q }) {
        Some(failure) => Err(singular(model, failure)),
        None => Ok(UdutFactor { model, workspace }),
    }
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
#[derive(Debug)]
pub struct UdutFactor<'w, T> {
    model: &'w Model<T>,
    workspace: &'w mut Workspace<T>,
}

/// What to apply to a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Solve,
    Multiply,
    Upper,
    UpperInverse,
    UpperTransposed,
    UpperTransposedInverse,
    Diagonal,
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

    fn apply(&mut self, operation: Operation, b: &[T], x: &mut [T]) {
        let nv = self.model.nv();
        assert_eq!(b.len(), nv, "the given vector must have the model's nv entries");
        assert_eq!(x.len(), nv, "the resulting vector must have the model's nv entries");
        dispatch(Apply { factor: self, operation, b, x });
    }

    fn apply_many(&mut self, operation: Operation, b: &[T], x: &mut [T]) {
        let nv = self.model.nv();
        assert_eq!(b.len(), x.len(), "as many results as right-hand sides");
        assert!(nv == 0 || b.len().is_multiple_of(nv), "vectors of nv entries, one after another");
        dispatch(ApplyMany { factor: self, operation, b, x });
    }
}

struct Apply<'a, 'w, T> {
    factor: &'a mut UdutFactor<'w, T>,
    operation: Operation,
    b: &'a [T],
    x: &'a mut [T],
}

impl<T: Real> Kernel for Apply<'_, '_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let (columns, mut scratch) = sweeps::narrow(self.factor.model, self.factor.workspace);
        for (row, &b) in scratch.rows.iter_mut().zip(self.b) {
            row[0] = b;
        }
        perform(&columns, &mut scratch, self.operation);
        for (x, row) in self.x.iter_mut().zip(&*scratch.rows) {
            *x = row[0];
        }
    }
}

struct ApplyMany<'a, 'w, T> {
    factor: &'a mut UdutFactor<'w, T>,
    operation: Operation,
    b: &'a [T],
    x: &'a mut [T],
}

impl<T: Real> Kernel for ApplyMany<'_, '_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let ApplyMany { factor, operation, b, x } = self;
        let nv = factor.model.nv();
        if nv == 0 {
            return;
        }
        let mut blocks = (b.chunks(BLOCK * nv)).zip(x.chunks_mut(BLOCK * nv));
        if T::LANES > 1 {
            // lanes are wide enough
            for (b, x) in b.chunks_exact(nv).zip(x.chunks_exact_mut(nv)) {
                Apply { factor: &mut *factor, operation, b, x }.run();
            }
            return;
        }
        for (b, x) in &mut blocks {
            let (columns, mut scratch) = sweeps::wide(factor.model, factor.workspace);
            let count = b.len() / nv;
            for (v, row) in scratch.rows.iter_mut().enumerate() {
                for k in 0..BLOCK {
                    row[k] = if k < count { b[k * nv + v] } else { T::zero() };
                }
            }
            perform(&columns, &mut scratch, operation);
            for (v, row) in scratch.rows.iter().enumerate() {
                for k in 0..count {
                    x[k * nv + v] = row[k];
                }
            }
        }
    }
}

#[inline(always)]
fn perform<T: Real, const K: usize>(
    columns: &Columns<'_, T>,
    scratch: &mut sweeps::Scratch<'_, T, K>,
    operation: Operation,
) {
    match operation {
        Operation::Solve => {
            columns.towards_root::<K, true>(scratch);
            columns.scale::<K, true>(scratch.rows);
            columns.towards_tips::<K, true>(scratch);
        }
        Operation::Multiply => {
            columns.towards_tips::<K, false>(scratch);
            columns.scale::<K, false>(scratch.rows);
            columns.towards_root::<K, false>(scratch);
        }
        Operation::Upper => columns.towards_root::<K, false>(scratch),
        Operation::UpperInverse => columns.towards_root::<K, true>(scratch),
        Operation::UpperTransposed => columns.towards_tips::<K, false>(scratch),
        Operation::UpperTransposedInverse => columns.towards_tips::<K, true>(scratch),
        Operation::Diagonal => columns.scale::<K, false>(scratch.rows),
    }
}
