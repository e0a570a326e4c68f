//! `L U` factors by Crout's method.
//!
//! `L` has ones on its diagonal, `U` the pivots: at step `i` the first row of what is left is that
//! of `U`, its first column divided by the pivot is that of `L`, and `l uᵀ` is subtracted from the
//! rest \[Nik88, eq. 3.23 and section 3.3.3\]. Nothing is moved in vain: both factors stand where the
//! matrix stood. Rows and columns that were exchanged are told by two lists.
//!
//! The subroutine printed there tests no last pivot, and the others against an absolute number;
//! here all are compared with the largest entry of the matrix.

use super::{LinearError, Pivoting, check_finite, check_length, largest};

/// Memory and factors of `n × n` matrices.
///
/// The same with full pivoting, for matrices too large for this: `faer::linalg::solvers::FullPivLu`
/// or `nalgebra::linalg::FullPivLU`.
///
/// ```
/// use pommel_mechanism::linear::{Crout, Pivoting};
///
/// let mut crout = Crout::new(2);
/// crout.factorize(&[0.0, 2.0, 4.0, 2.0], Pivoting::Row, 1e-14)?;
/// let mut b = [2.0, 6.0];
/// crout.solve(&mut b);
/// assert_eq!((b, crout.row_order()), ([1.0, 1.0], &[1, 0][..]));
/// # Ok::<(), pommel_mechanism::linear::LinearError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Crout {
    n: usize,
    lu: Vec<f64>,
    row_order: Vec<usize>,
    column_order: Vec<usize>,
    scratch: Vec<f64>,
}

impl Crout {
    /// Room for matrices of `n × n`.
    pub fn new(n: usize) -> Self {
        Crout {
            n,
            lu: vec![0.0; n * n],
            row_order: (0..n).collect(),
            column_order: (0..n).collect(),
            scratch: vec![0.0; n],
        }
    }

    /// Factors matrices of `n × n` from now on; never more than it was made for.
    ///
    /// # Panics
    /// If there is no room for that.
    pub fn resize(&mut self, n: usize) {
        assert!(n <= self.scratch.len(), "room for {} rows, not {n}", self.scratch.len());
        self.n = n;
    }

    /// Factors a matrix, given row by row.
    ///
    /// # Errors
    /// [`LinearError::Singular`] if a pivot is not above `tolerance` times the largest entry;
    /// [`LinearError::NotFinite`]. Without full pivoting, `rank` is that of what was eliminated: a
    /// lower bound.
    ///
    /// # Panics
    /// If the matrix has another length than `n²`.
    ///
    /// # Cost
    /// `n³/3` multiply-adds, as many comparisons with full pivoting; no allocation.
    pub fn factorize(
        &mut self,
        a: &[f64],
        pivoting: Pivoting,
        tolerance: f64,
    ) -> Result<(), LinearError> {
        let n = self.n;
        check_length("the matrix", n * n, a.len());
        check_finite(a, n)?;
        self.lu[..n * n].copy_from_slice(a);
        self.row_order.iter_mut().enumerate().for_each(|(i, row)| *row = i);
        self.column_order.iter_mut().enumerate().for_each(|(j, column)| *column = j);
        let lu = &mut self.lu[..n * n];
        let limit = tolerance * a.iter().fold(0.0, |most, x| x.abs().max(most));
        for i in 0..n {
            let (row, column, size) = largest(lu, n, pivoting.search(i, n, n));
            if size <= limit {
                let (row, column) = (self.row_order[row], self.column_order[column]);
                return Err(LinearError::Singular { rank: i, row, column, pivot: size, limit });
            }
            if row != i {
                (0..n).for_each(|j| lu.swap(row * n + j, i * n + j));
                self.row_order.swap(row, i);
            }
            if column != i {
                lu.chunks_exact_mut(n).for_each(|row| row.swap(column, i));
                self.column_order.swap(column, i);
            }
            // l = s / u_ii,  D ← H − l uᵀ
            let (above, below) = lu.split_at_mut((i + 1) * n);
            let u = &above[i * n + i..];
            for row in below.chunks_exact_mut(n) {
                if row[i] != 0.0 {
                    let l = row[i] / u[0];
                    row[i] = l;
                    row[i + 1..].iter_mut().zip(&u[1..]).for_each(|(x, u)| *x -= l * u);
                }
            }
        }
        Ok(())
    }

    /// The entry of `L` below the diagonal, or of `U` on and above it, in the order of elimination.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.lu[i * self.n + j]
    }

    /// The row of the matrix at every place.
    pub fn row_order(&self) -> &[usize] {
        &self.row_order[..self.n]
    }

    /// The column of the matrix at every place.
    pub fn column_order(&self) -> &[usize] {
        &self.column_order[..self.n]
    }

    /// `b ← A⁻¹ b` by `L y = b`, `U x = y` \[Nik88, eqs. 3.25, 3.26\].
    ///
    /// # Panics
    /// If `b` has another length than `n`.
    pub fn solve(&mut self, b: &mut [f64]) {
        check_length("the right-hand side", self.n, b.len());
        let Crout { n, lu, row_order, column_order, scratch } = self;
        let (n, y) = (*n, &mut scratch[..*n]);
        y.iter_mut().zip(row_order).for_each(|(y, row)| *y = b[*row]);
        for i in 0..n {
            let known = lu[i * n..i * n + i].iter().zip(&*y);
            y[i] = known.fold(y[i], |sum, (l, y)| sum - l * y);
        }
        for i in (0..n).rev() {
            let known = lu[i * n + i + 1..(i + 1) * n].iter().zip(&y[i + 1..]);
            y[i] = known.fold(y[i], |sum, (u, x)| sum - u * x) / lu[i * n + i];
        }
        y.iter().zip(column_order).for_each(|(x, column)| b[*column] = *x);
    }
}
