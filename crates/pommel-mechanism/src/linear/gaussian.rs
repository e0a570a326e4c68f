//! Gaussian elimination of rectangular matrices, with pivot rows normalised to 1.
//!
//! | here    | meaning                                                  | shape   |
//! |---------|----------------------------------------------------------|---------|
//! | `a`     | on and right of the diagonal `U` with ones on it; below what was eliminated | m × n |
//! | `pivot` | what each pivot row was divided by                       | m       |
//! | `b`     | right-hand sides, eliminated alike                       | m × k   |
//!
//! With full pivoting this is the partition of coordinates: the first `rank` unknowns in the order
//! of elimination are dependent, the others independent \[Som12\]. The routine printed there looks
//! for no column pivot in the last row, so that of nine choices of the independent coordinate in
//! its own example it takes one with a condition number of 380 where 34 is to be had; here the last
//! row is searched like all others.

use super::{LinearError, Pivoting, check_finite, check_length, largest};

/// Memory and result of the elimination of `m × n` matrices with `k` right-hand sides.
///
/// ```
/// use pommel_mechanism::linear::{Gaussian, Pivoting};
///
/// // x + 2 y + 2 z = 4 and its double: one unknown depends on two others
/// let mut gaussian = Gaussian::new(2, 3, 1);
/// let a = [1.0, 2.0, 2.0, 2.0, 4.0, 4.0];
/// let rank = gaussian.eliminate(&a, &[4.0, 8.0], Pivoting::Full, 1e-12)?;
/// assert_eq!((rank, gaussian.dependent(), gaussian.independent()), (1, &[1][..], &[0, 2][..]));
/// let mut x = [0.0, 0.0, 1.0];
/// gaussian.back_substitute(0, &mut x);
/// assert_eq!(x, [0.0, 1.0, 1.0]);
/// # Ok::<(), pommel_mechanism::linear::LinearError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gaussian {
    rows: usize,
    columns: usize,
    sides: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    pivot: Vec<f64>,
    row_order: Vec<usize>,
    column_order: Vec<usize>,
    rank: usize,
    pivoting: Pivoting,
    limit: f64,
}

impl Gaussian {
    /// Room for matrices of `rows × columns` with `sides` right-hand sides.
    pub fn new(rows: usize, columns: usize, sides: usize) -> Self {
        Gaussian {
            rows,
            columns,
            sides,
            a: vec![0.0; rows * columns],
            b: vec![0.0; rows * sides],
            pivot: vec![1.0; rows],
            row_order: (0..rows).collect(),
            column_order: (0..columns).collect(),
            rank: 0,
            pivoting: Pivoting::Full,
            limit: 0.0,
        }
    }

    /// Takes a matrix (row by row) and its right-hand sides (`rows × sides`, row by row) without
    /// eliminating anything yet: [`step`](Self::step) does. A pivot that is not above `tolerance`
    /// times the largest entry (with full pivoting, the first pivot) counts as zero.
    ///
    /// # Errors
    /// [`LinearError::NotFinite`] for an entry of the matrix.
    ///
    /// # Panics
    /// If a slice has another length than stated.
    pub fn start(
        &mut self,
        a: &[f64],
        b: &[f64],
        pivoting: Pivoting,
        tolerance: f64,
    ) -> Result<(), LinearError> {
        check_length("the matrix", self.a.len(), a.len());
        check_length("the right-hand side", self.b.len(), b.len());
        check_finite(a, self.columns)?;
        self.a.copy_from_slice(a);
        self.b.copy_from_slice(b);
        self.pivot.fill(1.0);
        self.row_order.iter_mut().enumerate().for_each(|(i, row)| *row = i);
        self.column_order.iter_mut().enumerate().for_each(|(j, column)| *column = j);
        self.rank = 0;
        self.pivoting = pivoting;
        self.limit = tolerance * self.a.iter().fold(0.0, |most, x| x.abs().max(most));
        Ok(())
    }

    /// Eliminates one unknown; false if the rank is found and nothing was done.
    ///
    /// # Errors
    /// [`LinearError::Pivot`] if no pivot is where it may be, but there is one elsewhere.
    pub fn step(&mut self) -> Result<bool, LinearError> {
        let (k, m, n) = (self.rank, self.rows, self.columns);
        if k == m.min(n) {
            return Ok(false);
        }
        let (row, column, size) = largest(&self.a, n, self.pivoting.search(k, m, n));
        if size <= self.limit {
            let (.., left) = largest(&self.a, n, (k..m, k..n));
            if left <= self.limit {
                return Ok(false);
            }
            let (row, column) = (self.row_order[row], self.column_order[column]);
            return Err(LinearError::Pivot { row, column, pivot: size, limit: self.limit, left });
        }
        self.swap_columns(k, column);
        self.swap_rows(k, row);
        // the pivot row becomes (1, *, *, …)
        let pivot = self.a[k * n + k];
        self.pivot[k] = pivot;
        let (above, below) = self.a.split_at_mut((k + 1) * n);
        let pivot_row = &mut above[k * n + k..];
        pivot_row.iter_mut().for_each(|x| *x /= pivot);
        let s = self.sides;
        let (b_above, b_below) = self.b.split_at_mut((k + 1) * s);
        let b_pivot = &mut b_above[k * s..];
        b_pivot.iter_mut().for_each(|x| *x /= pivot);
        // and every row below loses its multiple of it; the factor is kept in place of the zero
        for (i, row) in below.chunks_exact_mut(n).enumerate() {
            let d = row[k];
            if d != 0.0 {
                row[k + 1..].iter_mut().zip(&pivot_row[1..]).for_each(|(x, p)| *x -= d * p);
                let side = &mut b_below[i * s..(i + 1) * s];
                side.iter_mut().zip(&*b_pivot).for_each(|(x, p)| *x -= d * p);
            }
        }
        self.rank += 1;
        Ok(true)
    }

    /// Eliminates all; returns the rank.
    ///
    /// # Errors
    /// Those of [`start`](Self::start) and [`step`](Self::step).
    ///
    /// # Panics
    /// If a slice has another length than stated.
    ///
    /// # Cost
    /// `m n r` multiply-adds, as many comparisons with full pivoting; no allocation.
    pub fn eliminate(
        &mut self,
        a: &[f64],
        b: &[f64],
        pivoting: Pivoting,
        tolerance: f64,
    ) -> Result<usize, LinearError> {
        self.start(a, b, pivoting, tolerance)?;
        while self.step()? {}
        Ok(self.rank)
    }

    fn swap_columns(&mut self, j: usize, k: usize) {
        if j != k {
            self.a.chunks_exact_mut(self.columns).for_each(|row| row.swap(j, k));
            self.column_order.swap(j, k);
        }
    }

    fn swap_rows(&mut self, i: usize, k: usize) {
        if i != k {
            for c in 0..self.columns {
                self.a.swap(i * self.columns + c, k * self.columns + c);
            }
            for c in 0..self.sides {
                self.b.swap(i * self.sides + c, k * self.sides + c);
            }
            self.row_order.swap(i, k);
        }
    }

    /// Number of pivots so far: in the end, the rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The pivot of step `k`, before its row was normalised; 1 for steps that were not made.
    pub fn pivot(&self, k: usize) -> f64 {
        self.pivot[k]
    }

    /// The entry at row `i` and column `j` of the eliminated matrix, in the order of elimination.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        if i > j && j < self.rank { 0.0 } else { self.a[i * self.columns + j] }
    }

    /// The entry at row `i` of a right-hand side, eliminated.
    pub fn side(&self, i: usize, side: usize) -> f64 {
        self.b[i * self.sides + side]
    }

    /// The unknown of every column, in the order of elimination (`xlist` of `[Som12]`, from 0).
    pub fn column_order(&self) -> &[usize] {
        &self.column_order
    }

    /// The row of the given matrix at every row, in the order of elimination.
    pub fn row_order(&self) -> &[usize] {
        &self.row_order
    }

    /// Unknowns that the rows determine once the others are given.
    pub fn dependent(&self) -> &[usize] {
        &self.column_order[..self.rank]
    }

    /// Unknowns that are free.
    pub fn independent(&self) -> &[usize] {
        &self.column_order[self.rank..]
    }

    /// Rows that do not depend on each other.
    pub fn independent_rows(&self) -> &[usize] {
        &self.row_order[..self.rank]
    }

    /// Solves for the dependent unknowns with the right-hand side `side`: the independent ones are
    /// read from `x`, the others written there. Rows that depend on others are not looked at:
    /// [`check_consistent`](Self::check_consistent).
    ///
    /// # Panics
    /// If `x` has another length than there are columns.
    pub fn back_substitute(&self, side: usize, x: &mut [f64]) {
        self.substitute(|k| self.side(k, side), x);
    }

    /// Solves for the dependent unknowns where all right-hand sides are zero: the independent ones
    /// are read from `x`, the others written there. So units become vectors of the null space.
    ///
    /// # Panics
    /// If `x` has another length than there are columns.
    pub fn solve_homogeneous(&self, x: &mut [f64]) {
        self.substitute(|_| 0.0, x);
    }

    fn substitute(&self, side: impl Fn(usize) -> f64, x: &mut [f64]) {
        check_length("the solution", self.columns, x.len());
        for k in (0..self.rank).rev() {
            let row = &self.a[k * self.columns..(k + 1) * self.columns];
            let known = row[k + 1..].iter().zip(&self.column_order[k + 1..]);
            x[self.column_order[k]] = known.fold(side(k), |sum, (u, &j)| sum - u * x[j]);
        }
    }

    /// Whether rows that depend on others agree with them: what is left of their right-hand side is
    /// not above `limit`.
    ///
    /// # Errors
    /// [`LinearError::Contradiction`] with the worst row.
    pub fn check_consistent(&self, side: usize, limit: f64) -> Result<(), LinearError> {
        let defect = |i: &usize| self.side(*i, side).abs();
        match (self.rank..self.rows).max_by(|i, j| defect(i).total_cmp(&defect(j))) {
            Some(i) if defect(&i) > limit => {
                let (row, defect) = (self.row_order[i], self.side(i, side));
                Err(LinearError::Contradiction { row, defect })
            }
            _ => Ok(()),
        }
    }

    /// `b ← Φ_u⁻¹ b` with the square matrix of independent rows and dependent unknowns: `b` is in
    /// the order of [`independent_rows`](Self::independent_rows), and becomes one in that of
    /// [`dependent`](Self::dependent).
    ///
    /// # Panics
    /// If `b` has another length than the rank.
    pub fn solve_dependent(&self, b: &mut [f64]) {
        let (r, n) = (self.rank, self.columns);
        check_length("the right-hand side", r, b.len());
        for k in 0..r {
            let known = self.a[k * n..k * n + k].iter().zip(&*b);
            b[k] = known.fold(b[k], |sum, (l, y)| sum - l * y) / self.pivot[k];
        }
        for k in (0..r).rev() {
            let known = self.a[k * n + k + 1..k * n + r].iter().zip(&b[k + 1..]);
            b[k] = known.fold(b[k], |sum, (u, x)| sum - u * x);
        }
    }

    /// `b ← Φ_u⁻ᵀ b`: from the order of dependent unknowns to that of independent rows.
    ///
    /// # Panics
    /// If `b` has another length than the rank.
    pub fn solve_dependent_transposed(&self, b: &mut [f64]) {
        let (r, n) = (self.rank, self.columns);
        check_length("the right-hand side", r, b.len());
        for k in 0..r {
            let (done, rest) = b.split_at_mut(k + 1);
            let row = &self.a[k * n + k + 1..k * n + r];
            rest.iter_mut().zip(row).for_each(|(x, u)| *x -= u * done[k]);
        }
        for k in (0..r).rev() {
            let (rest, done) = b.split_at_mut(k);
            done[0] /= self.pivot[k];
            let row = &self.a[k * n..k * n + k];
            rest.iter_mut().zip(row).for_each(|(x, l)| *x -= l * done[0]);
        }
    }
}
