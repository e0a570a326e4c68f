//! The whole matrix as one dense factor.

use pommel_math::Real;

use super::lanewise::{Instance, Lanewise};
use super::parts::Parts;
use super::{SaddleSolver, Summary};
use crate::dense::RookFactor;
use crate::error::KktError;
use crate::pattern::{Pattern, Values};

/// `L B Lᵀ` of the whole matrix, as [`DenseLblt`](crate::dense::DenseLblt) does it. Needs nothing:
/// massless bodies, dependent rows and compliance are welcome.
///
/// Cost: `(n + m)³/3` multiply-adds and about three times as many for the errors of entries.
#[derive(Clone, Debug)]
pub struct DenseKkt<T>(Lanewise<T, Single<T>, Single<f64>>);

impl<T: Real> DenseKkt<T> {
    /// Room for systems of this pattern.
    pub fn new(pattern: &Pattern) -> Self {
        DenseKkt(Lanewise::new(pattern))
    }
}

impl<T: Real> SaddleSolver<T> for DenseKkt<T> {
    fn name(&self) -> &'static str {
        "dense L B Lᵀ"
    }
    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        self.0.factorize(values)
    }
    fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        self.0.solve(rhs, solution);
    }
    fn set_row_tolerance(&mut self, share: f64) -> Result<(), KktError> {
        self.0.set_row_tolerance(share)
    }
}

/// One instance.
#[derive(Clone, Debug)]
struct Single<T> {
    parts: Parts<T>,
    factor: RookFactor<T>,
}

impl<T: Real> Instance<T> for Single<T> {
    fn new(pattern: &Pattern) -> Self {
        let parts = Parts::new(pattern);
        let factor = RookFactor::new(parts.n + parts.m);
        Single { parts, factor }
    }

    fn set_row_tolerance(&mut self, share: f64) {
        self.factor.set_inexact(self.parts.n, share);
    }

    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        self.parts.fill(values)?;
        let parts = &self.parts;
        self.factor.factorize(|i, j| parts.entry(i, j), |i, j| parts.entry(i, j).lane(0).abs());
        let inertia = self.factor.inertia();
        let dependent_rows = self.factor.dropped().iter().filter(|i| **i >= parts.n).count();
        Ok(Summary { inertia, dependent_rows, rank: inertia.rank() })
    }

    fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        solution.copy_from_slice(rhs);
        self.factor.solve(solution);
    }
}
