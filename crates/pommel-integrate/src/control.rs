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
//! After an accepted step `h_new = h · clamp(0.9 · err^(−α) · err_old^β, 0.2, 10)`, as a power of two, with
//! `β = 0.04` and `α = 1/k − 0.75 β`; after a rejected one
//! `h_new = h · max(0.9 · err^(−α), 0.2)`, and the first step accepted after it does not grow.
//!
//! [`Controller::Ode45`] is that of MATLAB's `ode45` \[SR97\], which aims at 0.8 of the step that the
//! error allows and remembers nothing of the steps before: a step accepted at once is followed by
//! `h · min(0.8 · err^(−1/k), 5)`, without a lower bound, one accepted after rejections by its own
//! size. The first rejection of a step shrinks it to `h · max(0.8 · err^(−1/k), 0.1)`, those after it
//! halve it.
//!
//! All of it is `f64` arithmetic, the same for every scalar and every lane; powers of the PI controller are taken
//! here, to 1e-14 and without branches, so that those of several lanes are found at once.

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
    ///
    /// `powers` are those of this lane.
    #[inline(always)]
    pub(crate) fn accept(&mut self, err: f64, powers: Powers) -> f64 {
        match self {
            StepControl::Pi(control) => control.accept(err, powers),
            StepControl::Ode45(control) => control.accept(err),
        }
    }

    /// What [`accept`](StepControl::accept) needs of errors that are accepted, of several lanes at once.
    #[inline(always)]
    pub(crate) fn powers<const L: usize>(
        controls: [&StepControl; L],
        errors: [f64; L],
    ) -> [Powers; L] {
        let (mut alpha, mut before) = ([0.0; L], [0.0; L]);
        for i in 0..L {
            if let StepControl::Pi(control) = controls[i] {
                (alpha[i], before[i]) = (control.alpha, control.log_err_old);
            }
        }
        let mut log_err = [0.0; L];
        let mut factor = [0.0; L];
        for i in 0..L {
            log_err[i] = log2(errors[i]);
            factor[i] = exp2(BETA * before[i] - alpha[i] * log_err[i]);
        }
        std::array::from_fn(|i| Powers { log_err: log_err[i], factor: factor[i] })
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
    #[inline(always)]
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
    #[inline(always)]
    pub(crate) fn reaches_end(&self, h: f64, remaining: f64, h_max: f64) -> bool {
        match self {
            StepControl::Pi(_) => remaining <= h || (remaining <= 1.01 * h && remaining <= h_max),
            StepControl::Ode45(_) => remaining <= 1.1 * h,
        }
    }
}

/// Powers of the error of an accepted step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Powers {
    /// Its logarithm to base 2.
    log_err: f64,
    /// `err^(−α) · err_old^β`.
    factor: f64,
}

/// Memory of one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PiControl {
    alpha: f64,
    /// Its logarithm to base 2: that of the error is needed anyway.
    log_err_old: f64,
    after_rejection: bool,
}

impl PiControl {
    fn new(k: usize) -> PiControl {
        let alpha = 1.0 / k as f64 - 0.75 * BETA;
        PiControl { alpha, log_err_old: log2(SMALLEST_MEMORY), after_rejection: false }
    }

    #[inline(always)]
    fn accept(&mut self, err: f64, powers: Powers) -> f64 {
        let log_err = powers.log_err;
        let mut factor = (SAFETY * powers.factor).clamp(SMALLEST_FACTOR, LARGEST_FACTOR);
        if self.after_rejection {
            factor = factor.min(1.0);
        }
        self.log_err_old = if err >= SMALLEST_MEMORY { log_err } else { log2(SMALLEST_MEMORY) };
        self.after_rejection = false;
        factor
    }

    fn reject(&mut self, err: f64) -> f64 {
        self.after_rejection = true;
        (SAFETY * exp2(-self.alpha * log2(err))).max(SMALLEST_FACTOR)
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

/// √½: numbers are taken as powers of two times what lies between this and √2.
const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
const MANTISSA: u64 = (1 << 52) - 1;

/// The logarithm to base 2 of a positive number, to 1e-14 of `1 + |log₂ x|`; −1022 or so of zero, 1024 of infinity.
#[inline(always)]
fn log2(x: f64) -> f64 {
    let shifted = x.to_bits().wrapping_sub(ROOT);
    let exponent = (shifted as i64) >> 52;
    let m = f64::from_bits((shifted & MANTISSA) + ROOT);
    // 2 artanh s = 2 (s + s³/3 + s⁵/5 + …), where s² is below 0.0295
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 1.0 / 17.0;
    for odd in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / odd;
    }
    exponent as f64 + 2.0 * std::f64::consts::LOG2_E * s * sum
}

/// `2^x` to 1e-14 of it, between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    // adding and subtracting 1.5 · 2⁵² rounds to an integer, whose low bits are then that
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let x = x.clamp(-1000.0, 1000.0);
    let shifted = x + ROUNDER;
    let r = (x - (shifted - ROUNDER)) * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for k in [12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0] {
        sum = sum * r * (1.0 / k) + 1.0;
    }
    let power = shifted.to_bits().wrapping_add(1023) << 52;
    sum * f64::from_bits(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_standard_library() {
        for k in -4000..4000 {
            let x = f64::from(k) * 0.0137;
            let (found, expected) = (exp2(x), f64::exp2(x));
            assert!((found / expected - 1.0).abs() < 1e-14, "2^{x}: {found} {expected}");
            let y = expected * 1.7;
            let (found, expected) = (log2(y), f64::log2(y));
            assert!((found - expected).abs() < 1e-14 * (1.0 + expected.abs()), "log2 {y}: {found}");
        }
        assert!(log2(0.0) < -1000.0 && log2(f64::INFINITY) >= 1023.0);
        assert!(exp2(f64::INFINITY).is_finite() && exp2(-1e300) > 0.0);
    }

    /// The factors are those of the formulas.
    #[test]
    fn factors_follow_the_formulas() {
        let mut control = StepControl::Pi(PiControl::new(5));
        let accept = |control: &mut StepControl, err: f64| {
            // beside other lanes
            let others = [StepControl::Pi(PiControl::new(8)); 2];
            let all = [&others[0], control, &others[1]];
            let [_, powers, _] = StepControl::powers(all, [0.1, err, 0.0]);
            control.accept(err, powers)
        };
        let alpha = 0.2 - 0.75 * 0.04;
        let first = 0.9 * f64::powf(0.3, -alpha) * f64::powf(1e-4, 0.04);
        assert!((accept(&mut control, 0.3) - first).abs() < 1e-13);
        let second = 0.9 * f64::powf(0.7, -alpha) * f64::powf(0.3, 0.04);
        assert!((accept(&mut control, 0.7) - second).abs() < 1e-13);
        let third = 0.9 * f64::powf(3.0, -alpha);
        assert!((control.reject(3.0) - third).abs() < 1e-13);
        // after a rejection steps do not grow, and errors of nothing grow them tenfold
        assert!(accept(&mut control, 0.0) <= 1.0);
        assert_eq!(accept(&mut control, 0.0), 10.0);
        assert_eq!(control.reject(f64::INFINITY), 0.2);
    }
}
