//! Scaling and ranks of dense matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, Par};

use super::error::RankError;

/// Columns whose entries are all below this, in scaled rows, are not enlarged: what stands there may be
/// rounding.
const LEAST_COLUMN: f64 = 1e-10;

/// A singular value within this factor of the rank tolerance is ambiguous.
const MARGIN: f64 = 30.0;

/// Factors, powers of 2, that make the largest entries of rows and columns about 1.
#[derive(Clone, Debug)]
pub(super) struct Scales {
    pub(super) rows: Vec<f64>,
    pub(super) columns: Vec<f64>,
}

impl Scales {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Scales { rows: vec![1.0; rows], columns: vec![1.0; columns] }
    }

    /// Fits the scales to a matrix: rows, columns, and rows again.
    pub(super) fn fit(&mut self, entry: impl Fn(usize, usize) -> f64) {
        let Scales { rows, columns } = self;
        columns.fill(1.0);
        for pass in 0..2 {
            for (i, row) in rows.iter_mut().enumerate() {
                let entries = columns.iter().enumerate().map(|(j, s)| (s * entry(i, j)).abs());
                *row = reciprocal(entries.fold(0.0, f64::max), 0.0);
            }
            if pass == 1 {
                break;
            }
            for (j, column) in columns.iter_mut().enumerate() {
                let entries = rows.iter().enumerate().map(|(i, s)| (s * entry(i, j)).abs());
                *column = reciprocal(entries.fold(0.0, f64::max), LEAST_COLUMN);
            }
        }
    }
}

/// The power of 2 nearest `1 / x`; 1 for an x that is not above `least`.
fn reciprocal(x: f64, least: f64) -> f64 {
    if x > least && x.is_finite() { (-x.log2().round()).exp2() } else { 1.0 }
}

/// A singular value decomposition `U Σ Vᵀ` with all of U and V, in memory for one size.
pub(super) struct Svd {
    a: Mat<f64>,
    u: Mat<f64>,
    sigma: Diag<f64>,
    v: Mat<f64>,
    memory: MemBuffer,
}

impl core::fmt::Debug for Svd {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Svd").field("sigma", &self.sigma).finish_non_exhaustive()
    }
}

impl Svd {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let full = ComputeSvdVectors::Full;
        let scratch = svd_scratch::<f64>(rows, columns, full, full, Par::Seq, Default::default());
        Svd {
            a: Mat::zeros(rows, columns),
            u: Mat::identity(rows, rows),
            sigma: Diag::zeros(rows.min(columns)),
            v: Mat::identity(columns, columns),
            memory: MemBuffer::new(scratch),
        }
    }

    /// Decomposes the matrix with these entries.
    ///
    /// # Errors
    /// [`RankError::Decomposition`].
    pub(super) fn decompose(
        &mut self,
        entry: impl Fn(usize, usize) -> f64,
    ) -> Result<(), RankError> {
        let (rows, columns) = (self.a.nrows(), self.a.ncols());
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        // full vectors of tall or wide matrices are completed from what stands there
        self.u.as_mut().fill(0.0);
        self.v.as_mut().fill(0.0);
        for j in 0..columns {
            for i in 0..rows {
                self.a[(i, j)] = entry(i, j);
            }
        }
        svd(
            self.a.as_ref(),
            self.sigma.as_mut(),
            Some(self.u.as_mut()),
            Some(self.v.as_mut()),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        )
        .map_err(|_| RankError::Decomposition)
    }

    pub(super) fn rows(&self) -> usize {
        self.u.nrows()
    }

    pub(super) fn columns(&self) -> usize {
        self.v.nrows()
    }

    /// Singular value i, in descending order.
    pub(super) fn sigma(&self, i: usize) -> f64 {
        self.sigma.column_vector()[i]
    }

    /// Entry i of left singular vector j; those from the rank on span the left null space.
    pub(super) fn u(&self, i: usize, j: usize) -> f64 {
        self.u[(i, j)]
    }

    /// Entry i of right singular vector j; those from the rank on span the null space.
    pub(super) fn v(&self, i: usize, j: usize) -> f64 {
        self.v[(i, j)]
    }

    /// Number of singular values above an absolute tolerance, without asking how clear that is.
    pub(super) fn count_above(&self, tolerance: f64) -> usize {
        (0..self.rows().min(self.columns())).filter(|&i| self.sigma(i) > tolerance).count()
    }

    /// Rank of a matrix with entries of about 1.
    ///
    /// # Errors
    /// [`RankError::Ambiguous`].
    pub(super) fn rank(&self, tolerance: f64, order: usize) -> Result<usize, RankError> {
        let rank = self.count_above(tolerance);
        for i in 0..self.rows().min(self.columns()) {
            let value = self.sigma(i);
            if value > tolerance / MARGIN && value < tolerance * MARGIN {
                return Err(RankError::Ambiguous { order, value, tolerance });
            }
        }
        Ok(rank)
    }
}
