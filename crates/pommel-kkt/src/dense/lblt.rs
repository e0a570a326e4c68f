//! The factor of a symmetric matrix, lane by lane.

use pommel_math::Real;

use super::rook::{Column, RookFactor};
use crate::error::check_lane;
use crate::inertia::Inertia;

/// `P A Pᵀ = L B Lᵀ` of a small dense symmetric matrix that need not be definite, nor regular.
///
/// `L` is unit lower triangular, `B` has 1×1 and 2×2 blocks, `P` is chosen by rook pivoting: every
/// lane of a scalar with several has its own. Dual numbers carry derivatives; what is chosen is
/// chosen by their values. A row that is left with nothing but rounding is dropped: [`inertia`]
/// counts it as zero, and [`solve`] sets its unknown to zero.
///
/// [`inertia`]: DenseLblt::inertia
/// [`solve`]: DenseLblt::solve
///
/// # Cost
/// `n³/3` multiply-adds and about three times as many for the errors of entries; `3 n²` numbers.
/// Nothing is allocated after [`new`](DenseLblt::new).
///
/// ```
/// use pommel_kkt::dense::DenseLblt;
///
/// // a mass of 2 kg on a line, held by a rod: 2 x + λ = 4, x = 3
/// let mut factor = DenseLblt::new(2);
/// factor.factorize(&[2.0, 1.0, 0.0, 0.0]);
/// let mut b = [4.0, 3.0];
/// factor.solve(&mut b);
/// assert_eq!(b, [3.0, -2.0]);
/// assert_eq!((factor.inertia(0).positive, factor.inertia(0).negative), (1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct DenseLblt<T> {
    n: usize,
    /// The factor of a scalar with one lane.
    one: Vec<RookFactor<T>>,
    /// One factor for each of several lanes.
    lanes: Vec<RookFactor<f64>>,
}

impl<T: Real> DenseLblt<T> {
    /// Room for a matrix of `n` rows.
    pub fn new(n: usize) -> Self {
        let count = if T::LANES == 1 { (1, 0) } else { (0, T::LANES) };
        DenseLblt {
            n,
            one: (0..count.0).map(|_| RookFactor::new(n)).collect(),
            lanes: (0..count.1).map(|_| RookFactor::new(n)).collect(),
        }
    }

    /// Factors a matrix given by its lower triangle, column-major: the entry at row `i`, column
    /// `j ≤ i` is `a[j n + i]`; those above the diagonal are not read. All must be finite: a row of
    /// NaN is dropped like a row of zeros.
    ///
    /// # Panics
    /// If `a` has another length than `n²`.
    pub fn factorize(&mut self, a: &[T]) {
        let n = self.n;
        assert_eq!(a.len(), n * n, "a matrix of {n} rows has {} entries, not {}", n * n, a.len());
        for factor in &mut self.one {
            factor.factorize(|i, j| a[j * n + i], |i, j| a[j * n + i].lane(0).abs());
        }
        for (lane, factor) in self.lanes.iter_mut().enumerate() {
            let entry = |i: usize, j: usize| a[j * n + i].lane(lane);
            factor.factorize(entry, |i, j| entry(i, j).abs());
        }
    }

    /// `b ← A⁻¹ b`. Where rows were dropped: a solution of the others, zero in the dropped ones.
    ///
    /// # Panics
    /// If `b` has another length than `n`.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        assert_eq!(b.len(), n, "a right-hand side of {n} entries, not {}", b.len());
        for factor in &self.one {
            factor.solve(b);
        }
        for (lane, factor) in self.lanes.iter().enumerate() {
            factor.solve(&mut Lane { column: b, lane });
        }
    }

    /// Signs of the eigenvalues in a lane (0 for a scalar with one); before the first
    /// [`factorize`](DenseLblt::factorize) all are zero in number.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    pub fn inertia(&self, lane: usize) -> Inertia {
        check_lane::<T>(lane);
        match self.one.first() {
            Some(factor) => factor.inertia(),
            None => self.lanes[lane].inertia(),
        }
    }

    /// The rows that were dropped in a lane, in no particular order.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    pub fn dropped(&self, lane: usize) -> &[usize] {
        check_lane::<T>(lane);
        match self.one.first() {
            Some(factor) => factor.dropped(),
            None => self.lanes[lane].dropped(),
        }
    }
}

/// One lane of a column.
struct Lane<'a, T> {
    column: &'a mut [T],
    lane: usize,
}

impl<T: Real> Column<f64> for Lane<'_, T> {
    fn get(&self, i: usize) -> f64 {
        self.column[i].lane(self.lane)
    }
    fn set(&mut self, i: usize, x: f64) {
        let old = self.column[i];
        self.column[i] = T::from_lanes(|lane| if lane == self.lane { x } else { old.lane(lane) });
    }
}
