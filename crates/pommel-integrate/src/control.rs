//! Step size control of one lane: the PI controller of Gustafsson with the constants of DOPRI5
//! [HW96, section IV.2; HNW93, appendix].
//!
//! | here      | meaning                                                         |
//! |-----------|-----------------------------------------------------------------|
//! | `k`       | order of the error estimate plus 1: the error goes as `h^k`      |
//! | `err`     | error norm of the step; at most 1 is accepted                    |
//! | `err_old` | that of the last accepted step, at least 1e-4                    |
//!
//! After an accepted step `h_new = h · clamp(0.9 · err^(−α) · err_old^β, 0.2, 10)` with
//! `β = 0.04` and `α = 1/k − 0.75 β`; after a rejected one
//! `h_new = h · max(0.9 · err^(−α), 0.2)`, and the first step accepted after it does not grow.
//!
//! All of it is `f64` arithmetic, the same for every scalar and every lane.

use pommel_math::Real;

const SAFETY: f64 = 0.9;
const BETA: f64 = 0.04;
/// The least that an error norm shrinks a step by.
pub(crate) const SMALLEST_FACTOR: f64 = 0.2;
const LARGEST_FACTOR: f64 = 10.0;
const SMALLEST_MEMORY: f64 = 1e-4;
/// What a step is multiplied with when a number in it is not finite: there is no error to go by.
const CUT: f64 = 0.25;

/// Memory of one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PiControl {
    alpha: f64,
    err_old: f64,
    after_rejection: bool,
}

impl PiControl {
    /// For an error that goes as `h^k`.
    pub(crate) fn new(k: usize) -> PiControl {
        let alpha = 1.0 / k as f64 - 0.75 * BETA;
        PiControl { alpha, err_old: SMALLEST_MEMORY, after_rejection: false }
    }

    /// The factor to the next step size after a step with error `err <= 1`.
    pub(crate) fn accept(&mut self, err: f64) -> f64 {
        let factor = SAFETY * power(self.err_old, BETA) / power(err, self.alpha);
        let mut factor = factor.clamp(SMALLEST_FACTOR, LARGEST_FACTOR);
        if self.after_rejection {
            factor = factor.min(1.0);
        }
        self.err_old = err.max(SMALLEST_MEMORY);
        self.after_rejection = false;
        factor
    }

    /// The factor to the next step size after a step with error `err > 1`.
    pub(crate) fn reject(&mut self, err: f64) -> f64 {
        self.after_rejection = true;
        (SAFETY / power(err, self.alpha)).max(SMALLEST_FACTOR)
    }

    /// The factor after a step in which something was not finite.
    pub(crate) fn cut(&mut self) -> f64 {
        self.after_rejection = true;
        CUT
    }
}

/// `x^a` for `x >= 0`, from pommel's own exponential and logarithm: the same on every machine.
pub(crate) fn power(x: f64, a: f64) -> f64 {
    Real::exp(a * Real::ln(x))
}
