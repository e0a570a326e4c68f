//! Settings of the analysis.

use super::DaeError;
use super::array::MAX_ORDER;

/// Settings of an analysis of a [`Dae`](crate::Dae).
#[derive(Clone, Debug, PartialEq)]
pub struct DaeOptions {
    pub(super) rank_tolerance: f64,
    pub(super) max_index: usize,
    pub(super) max_iterations: usize,
}

impl Default for DaeOptions {
    /// A rank tolerance of 1e-9, an index of at most 6, 50 iterations.
    fn default() -> Self {
        DaeOptions { rank_tolerance: 1e-9, max_index: 6, max_iterations: 50 }
    }
}

impl DaeOptions {
    /// Singular values below this count as zero, those above do not, and one that is within a factor of
    /// 30 of it is an error, [`DaeError::AmbiguousRank`]. They are those of matrices whose rows and
    /// columns were scaled such that their largest entries are about 1.
    ///
    /// Entries come from automatic differentiation, so what should vanish is about the rounding error
    /// times the condition of the blocks eliminated before, 1e-15 to 1e-12; the default leaves three
    /// magnitudes to that and nine to true values.
    pub fn rank_tolerance(mut self, tolerance: f64) -> DaeOptions {
        self.rank_tolerance = tolerance;
        self
    }

    /// The greatest index that is looked for, at most 8.
    pub fn max_index(mut self, index: usize) -> DaeOptions {
        self.max_index = index;
        self
    }

    /// The number of Gauss-Newton steps for consistent values.
    pub fn max_iterations(mut self, iterations: usize) -> DaeOptions {
        self.max_iterations = iterations;
        self
    }

    pub(super) fn check(&self) -> Result<(), DaeError> {
        if !(self.rank_tolerance > 0.0 && self.rank_tolerance < 1e-2) {
            return Err(DaeError::RankTolerance { value: self.rank_tolerance });
        }
        if self.max_index > MAX_ORDER {
            return Err(DaeError::MaxIndex { value: self.max_index, limit: MAX_ORDER });
        }
        Ok(())
    }
}
