//! Gauss-Jordan reduction: to the identity, or to the reduced row echelon form.
//!
//! Pivots are looked for in given columns only. Where right-hand sides stand beside a Jacobian, as
//! in `rref([Psi gamma])`, a pivot among them would raise the rank by one as soon as rows that
//! depend on others are the least inconsistent.

use super::{LinearError, Pivoting, check_finite, check_length, largest};

/// Memory and result of the reduction of `m × n` matrices.
///
/// ```
/// use pommel_mechanism::linear::{GaussJordan, Pivoting};
///
/// // [1 2 | 3; 2 4 | 6.1]: the second row depends on the first, and contradicts it
/// let mut reduced = GaussJordan::new(2, 3);
/// let rank = reduced.reduce(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.1], &[0, 1], Pivoting::Row, 1e-12)?;
/// assert_eq!((rank, reduced.pivots()), (1, &[0][..]));
/// assert_eq!(reduced.row(0), [1.0, 2.0, 3.05]);
/// # Ok::<(), pommel_mechanism::linear::LinearError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussJordan {
    rows: usize,
    columns: usize,
    a: Vec<f64>,
    row_order: Vec<usize>,
    pivots: Vec<usize>,
}

impl GaussJordan {
    /// Room for matrices of `rows × columns`, right-hand sides counted as columns.
    pub fn new(rows: usize, columns: usize) -> Self {
        GaussJordan {
            rows,
            columns,
            a: vec![0.0; rows * columns],
            row_order: (0..rows).collect(),
            pivots: Vec::with_capacity(rows),
        }
    }

    /// Reduces a matrix (row by row) with pivots in the given columns, in their order; returns the
    /// rank of these. Columns without a pivot are left as they are, and what is left of them below
    /// the last pivot is set to zero.
    ///
    /// A pivot that is not above `tolerance` times the largest entry of the given columns counts as
    /// zero. [`Pivoting::Row`] exchanges rows, [`Pivoting::None`] does not; columns keep their
    /// places.
    ///
    /// # Errors
    /// [`LinearError::Pivot`] without pivoting, where exchanged rows would give a pivot;
    /// [`LinearError::NotFinite`].
    ///
    /// # Panics
    /// If the matrix has another length than stated, a column does not exist, or pivoting exchanges
    /// columns.
    ///
    /// # Cost
    /// `m n r` multiply-adds; no allocation.
    pub fn reduce(
        &mut self,
        a: &[f64],
        in_columns: &[usize],
        pivoting: Pivoting,
        tolerance: f64,
    ) -> Result<usize, LinearError> {
        let (m, n) = (self.rows, self.columns);
        check_length("the matrix", m * n, a.len());
        let exchanges = matches!(pivoting, Pivoting::Column | Pivoting::Full);
        assert!(!exchanges, "{pivoting:?}: columns keep their places");
        check_finite(a, n)?;
        self.a.copy_from_slice(a);
        self.row_order.iter_mut().enumerate().for_each(|(i, row)| *row = i);
        self.pivots.clear();
        let sizes = in_columns.iter().flat_map(|&j| (0..m).map(move |i| a[i * n + j].abs()));
        let limit = tolerance * sizes.fold(0.0, f64::max);
        for &column in in_columns {
            let k = self.pivots.len();
            if k == m {
                break;
            }
            let rows = if pivoting == Pivoting::None { k..k + 1 } else { k..m };
            let (row, _, size) = largest(&self.a, n, (rows, column..column + 1));
            if size <= limit {
                let (.., left) = largest(&self.a, n, (k..m, column..column + 1));
                if left > limit {
                    let row = self.row_order[k];
                    return Err(LinearError::Pivot { row, column, pivot: size, limit, left });
                }
                (k..m).for_each(|i| self.a[i * n + column] = 0.0);
                continue;
            }
            self.pivot(k, row, column);
            self.pivots.push(column);
        }
        Ok(self.pivots.len())
    }

    /// Brings a row to place `k`, divides it by its pivot, and clears the column beside it.
    fn pivot(&mut self, k: usize, row: usize, column: usize) {
        let n = self.columns;
        if row != k {
            (0..n).for_each(|j| self.a.swap(row * n + j, k * n + j));
            self.row_order.swap(row, k);
        }
        let (above, rest) = self.a.split_at_mut(k * n);
        let (pivot_row, below) = rest.split_at_mut(n);
        let pivot = pivot_row[column];
        pivot_row.iter_mut().for_each(|x| *x /= pivot);
        pivot_row[column] = 1.0;
        for other in above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n)) {
            let d = other[column];
            if d != 0.0 {
                other.iter_mut().zip(&*pivot_row).for_each(|(x, p)| *x -= d * p);
                other[column] = 0.0;
            }
        }
    }

    /// The columns with pivots, one for every row up to the rank.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// Row `i` of the reduced matrix.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.a[i * self.columns..(i + 1) * self.columns]
    }

    /// The row of the given matrix at every place.
    pub fn row_order(&self) -> &[usize] {
        &self.row_order
    }
}
