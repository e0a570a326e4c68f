//! M, J and C as dense matrices.

use pommel_math::Real;

use crate::dense::Equilibration;
use crate::error::KktError;
use crate::pattern::{Entries, Pattern, Values};

/// The matrices of one system, column-major: M and C as lower triangles.
#[derive(Clone, Debug)]
pub(super) struct Parts<T> {
    pattern: Pattern,
    pub(super) n: usize,
    pub(super) m: usize,
    pub(super) mass: Vec<T>,
    pub(super) jacobian: Vec<T>,
    pub(super) compliance: Vec<T>,
}

impl<T: Real> Parts<T> {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        Parts {
            pattern: pattern.clone(),
            n,
            m,
            mass: vec![T::zero(); n * n],
            jacobian: vec![T::zero(); m * n],
            compliance: vec![T::zero(); m * m],
        }
    }

    /// The blocks of M: its bodies, or one block if it has entries between bodies.
    pub(super) fn mass_blocks(&self) -> Vec<u32> {
        let bodies = &self.pattern.bodies;
        let body = |x: usize| bodies.partition_point(|first| *first as usize <= x);
        if self.pattern.mass.iter().all(|(i, j, _)| body(i) == body(j)) {
            bodies.clone()
        } else {
            vec![0, self.n as u32]
        }
    }

    /// Copies the values to their places.
    pub(super) fn fill(&mut self, values: &Values<'_, T>) -> Result<(), KktError> {
        let (n, m) = (self.n, self.m);
        values.check(&self.pattern)?;
        let Pattern { mass, jacobian, compliance, negated, .. } = &self.pattern;
        scatter(mass, values.mass, n, &mut self.mass);
        scatter(jacobian, values.jacobian, m, &mut self.jacobian);
        scatter(compliance, values.compliance, m, &mut self.compliance);
        if *negated {
            self.compliance.iter_mut().for_each(|c| *c = -*c);
        }
        Ok(())
    }

    /// The entry of `[M Jᵀ; J −C]` at row `i`, column `j ≤ i`.
    pub(super) fn entry(&self, i: usize, j: usize) -> T {
        let (n, m) = (self.n, self.m);
        match (i < n, j < n) {
            (true, _) => self.mass[j * n + i],
            (false, true) => self.jacobian[j * m + i - n],
            (false, false) => -self.compliance[(j - n) * m + i - n],
        }
    }

    /// Finds the scales of `[M Jᵀ; J −C]`.
    pub(super) fn equilibrate(&self, scales: &mut Equilibration) {
        scales.find_by_mean::<T>(|i, j| self.entry(i, j).lane(0).abs());
    }

    /// A row in which C has a number.
    pub(super) fn compliant_row(&self) -> Option<usize> {
        let entries = self.pattern.compliance.iter();
        entries
            .filter(|(i, j, _)| self.compliance[j * self.m + i] != T::zero())
            .map(|(i, ..)| i)
            .min()
    }
}

fn scatter<T: Real>(entries: &Entries, values: &[T], stride: usize, dense: &mut [T]) {
    for (i, j, e) in entries.iter() {
        dense[j * stride + i] = values[e];
    }
}
