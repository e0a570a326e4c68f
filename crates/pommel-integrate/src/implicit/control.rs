//! Step sizes of implicit methods: Gustafsson's predictive controller [HW96, section IV.8].
//!
//! After a step with error norm `err`, where errors go as `h^k`, the next size is
//!
//! ```text
//! h_new = h · min(s err^(−1/k), (s h/h_old) (err_old/err²)^(1/k))
//! ```
//!
//! within bounds, and with a safety `s` that is smaller where Newton's method took many steps.

use crate::control::power;

const SAFETY: f64 = 0.9;
const SMALLEST_FACTOR: f64 = 0.2;
const LARGEST_FACTOR: f64 = 8.0;
/// Steps that would grow by less than this stay as they are, and keep their factors.
const NOT_WORTH: f64 = 1.2;

#[derive(Clone, Copy, Debug)]
pub(super) struct Predictive {
    k: f64,
    /// size and error of the last accepted step
    last: Option<(f64, f64)>,
    rejected: bool,
}

impl Predictive {
    pub(super) fn new(k: usize) -> Self {
        Predictive { k: k as f64, last: None, rejected: false }
    }

    /// The power of the step that errors go as.
    pub(super) fn k(&self) -> f64 {
        self.k
    }

    fn safety(newton: usize, most: usize) -> f64 {
        let most = 2.0 * most as f64;
        SAFETY * (most + 1.0) / (most + newton as f64)
    }

    /// The size after an accepted step.
    pub(super) fn accept(&mut self, h: f64, err: f64, newton: usize, most: usize) -> f64 {
        let err = err.max(1e-10);
        let safety = Self::safety(newton, most);
        let mut factor = safety * power(err, -1.0 / self.k);
        if let Some((h_old, err_old)) = self.last {
            let predicted = safety * (h / h_old) * power(err_old / (err * err), 1.0 / self.k);
            factor = factor.min(predicted);
        }
        factor = factor.clamp(SMALLEST_FACTOR, LARGEST_FACTOR);
        if std::mem::take(&mut self.rejected) {
            factor = factor.min(1.0);
        }
        self.last = Some((h, err.max(1e-2)));
        h * if (1.0..NOT_WORTH).contains(&factor) { 1.0 } else { factor }
    }

    /// The size to try after a step with `err > 1`.
    pub(super) fn reject(&mut self, h: f64, err: f64, newton: usize, most: usize) -> f64 {
        self.rejected = true;
        let factor = Self::safety(newton, most) * power(err, -1.0 / self.k);
        h * factor.clamp(0.1, SAFETY)
    }

    /// The size to try after a step whose stages were not found, or not finite.
    pub(super) fn cut(&mut self, h: f64) -> f64 {
        self.rejected = true;
        0.5 * h
    }

    pub(super) fn is_after_rejection(&self) -> bool {
        self.rejected
    }
}
