//! Step size control of one lane.
//!
//! [`Controller::Pi`] is the PI controller of Gustafsson with the constants of DOPRI5 [HW96, section
//! IV.2; HNW93, appendix].
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
//! [`Controller::Ode45`] is that of MATLAB's `ode45` \[SR97\], which aims at 0.8 of the step that the
//! error allows and remembers nothing of the steps before: a step accepted at once is followed by
//! `h · min(0.8 · err^(−1/k), 5)`, without a lower bound, one accepted after rejections by its own
//! size. The first rejection of a step shrinks it to `h · max(0.8 · err^(−1/k), 0.1)`, those after it
//! halve it.
//!
//! All of it is `f64` arithmetic, the same for every scalar and every lane.

use pommel_math::Real;

use crate::Controller;

const SAFETY: f64 = 0.9;
const BETA: f64 = 0.04;
/// The least that an error norm shrinks a step by.
const SMALLEST_FACTOR: f64 = 0.2;
const LARGEST_FACTOR: f64 = 10.0;
const SMALLEST_MEMORY: f64 = 1e-4;
/// What a step is multiplied with when a number in it is not finite: there is no error to go by.
const CUT: f64 = 0.25;

/// The controller of one lane, with its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StepControl {
    Pi(PiControl),
    Ode45(Ode45Control),
}

impl StepControl {
    /// For an error that goes as `h^k`.
    pub(crate) fn new(controller: Controller, k: usize) -> StepControl {
        match controller {
            Controller::Pi => StepControl::Pi(PiControl::new(k)),
            Controller::Ode45 => StepControl::Ode45(Ode45Control::new(k)),
        }
    }

    /// The factor to the next step size after a step with error `err <= 1`.
    pub(crate) fn accept(&mut self, err: f64) -> f64 {
        match self {
            StepControl::Pi(control) => control.accept(err),
            StepControl::Ode45(control) => control.accept(err),
        }
    }

    /// The factor to the next step size after a step with error `err > 1`.
    pub(crate) fn reject(&mut self, err: f64) -> f64 {
        match self {
            StepControl::Pi(control) => control.reject(err),
            StepControl::Ode45(control) => control.reject(err),
        }
    }

    /// The factor after a step in which something was not finite.
    pub(crate) fn cut(&mut self) -> f64 {
        match self {
            StepControl::Pi(control) => control.after_rejection = true,
            StepControl::Ode45(control) => control.after_rejection = true,
        }
        CUT
    }

    /// The step to try after a rejected one of size `h_tried`, none if it must not be smaller.
    pub(crate) fn shrink(&self, h_tried: f64, factor: f64, h_min: f64) -> Option<f64> {
        let h = h_tried * factor;
        match self {
            StepControl::Pi(_) => (h >= h_min).then_some(h),
            // the smallest step is tried before the lane gives up
            StepControl::Ode45(_) => (h_tried > h_min).then_some(h.max(h_min)),
        }
    }

    /// Whether [`shrink`](StepControl::shrink) could find that a step must not be smaller.
    pub(crate) fn may_end(&self, h_tried: f64, h_min: f64) -> bool {
        match self {
            StepControl::Pi(_) => h_tried * SMALLEST_FACTOR < h_min,
            StepControl::Ode45(_) => h_tried <= h_min,
        }
    }

    /// Whether a step of size `h` is stretched, or cut, to the end of its interval at `remaining`.
    pub(crate) fn reaches_end(&self, h: f64, remaining: f64, h_max: f64) -> bool {
        match self {
            StepControl::Pi(_) => remaining <= h || (remaining <= 1.01 * h && remaining <= h_max),
            StepControl::Ode45(_) => remaining <= 1.1 * h,
        }
    }
}

/// Memory of one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PiControl {
    alpha: f64,
    /// Its logarithm: that of the error is needed anyway.
    ln_err_old: f64,
    after_rejection: bool,
}

impl PiControl {
    fn new(k: usize) -> PiControl {
        let alpha = 1.0 / k as f64 - 0.75 * BETA;
        PiControl { alpha, ln_err_old: Real::ln(SMALLEST_MEMORY), after_rejection: false }
    }

    fn accept(&mut self, err: f64) -> f64 {
        let ln_err = Real::ln(err);
        let factor = SAFETY * Real::exp(BETA * self.ln_err_old) / Real::exp(self.alpha * ln_err);
        let mut factor = factor.clamp(SMALLEST_FACTOR, LARGEST_FACTOR);
        if self.after_rejection {
            factor = factor.min(1.0);
        }
        self.ln_err_old = if err >= SMALLEST_MEMORY { ln_err } else { Real::ln(SMALLEST_MEMORY) };
        self.after_rejection = false;
        factor
    }

    fn reject(&mut self, err: f64) -> f64 {
        self.after_rejection = true;
        (SAFETY / power(err, self.alpha)).max(SMALLEST_FACTOR)
    }
}

/// What `ode45` aims at, as a part of the step that the error allows.
pub(crate) const ODE45_SAFETY: f64 = 0.8;
const ODE45_LARGEST_FACTOR: f64 = 5.0;
const ODE45_SMALLEST_FACTOR: f64 = 0.1;
const ODE45_HALF: f64 = 0.5;

/// Memory of one lane, only of the step that it tries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ode45Control {
    exponent: f64,
    after_rejection: bool,
}

impl Ode45Control {
    fn new(k: usize) -> Ode45Control {
        Ode45Control { exponent: 1.0 / k as f64, after_rejection: false }
    }

    fn accept(&mut self, err: f64) -> f64 {
        if std::mem::take(&mut self.after_rejection) {
            return 1.0;
        }
        (ODE45_SAFETY / power(err, self.exponent)).min(ODE45_LARGEST_FACTOR)
    }

    fn reject(&mut self, err: f64) -> f64 {
        if std::mem::replace(&mut self.after_rejection, true) {
            return ODE45_HALF;
        }
        (ODE45_SAFETY / power(err, self.exponent)).max(ODE45_SMALLEST_FACTOR)
    }
}

/// `x^a` for `x >= 0`, from pommel's own exponential and logarithm: the same on every machine.
pub(crate) fn power(x: f64, a: f64) -> f64 {
    Real::exp(a * Real::ln(x))
}
