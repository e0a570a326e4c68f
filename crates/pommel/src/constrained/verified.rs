//! Motions whose end is as accurate as asked, not only their steps.

use pommel_integrate::Observer;

use super::{Approach, ConstrainedRun, integrate_constrained};
use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// A motion, and how accurate its end is.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedRun {
    /// The run with the smallest tolerance.
    pub run: ConstrainedRun,
    /// That tolerance.
    pub tolerance: f64,
    /// How much the end of the run before it differs, the largest of `|Δy| / (1 + |y|)`: about the error of that
    /// run, so this one is better.
    pub difference: f64,
    /// How many runs it took.
    pub runs: usize,
}

/// Runs begin with this part of the accuracy as their tolerance.
const FIRST: f64 = 0.1;
/// From one run to the next, tolerances fall by this factor at least, and at most.
const LEAST_FACTOR: f64 = 0.1;
const MOST_FACTOR: f64 = 1e-4;
/// So many runs may fail on their way, each time with a smaller tolerance.
const FAILURES: usize = 8;
const ELSEWHERE: f64 = 0.7;
/// Below, errors of steps are rounding.
const SMALLEST: f64 = 1e-14;
/// Runs tell each other's errors if their tolerances differ by this factor at least.
const APART: f64 = 0.2;

/// Integrates a mechanism from time 0 to `end` again and again, with smaller and smaller tolerances, until the ends
/// of two runs agree to `accuracy`.
///
/// Tolerances bound errors of steps; how these grow until the end is the motion's own. Here it is measured. Motions
/// that double errors many times (chaotic ones) may need more digits than numbers have, which is an error, and no
/// wrong end.
///
/// # Arguments
/// - `approach` makes the approach of a tolerance
/// - `accuracy` that of every component y of the end, relative to `1 + |y|`
/// - `observer` sees the steps of all runs: each begins with [`Observer::start`]
///
/// # Errors
/// [`Error::Accuracy`] if the ends do not agree with the smallest tolerance, 1e-14, or if that is next to the one
/// before (below an accuracy of about 1e-12); [`Error::NotAdaptive`] if the approach is the same at all tolerances;
/// and as [`integrate_constrained`].
///
/// # Panics
/// If the state is not one of this mechanism.
pub fn integrate_verified(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    approach: impl Fn(f64) -> Approach,
    end: f64,
    accuracy: f64,
    observer: &mut impl Observer<f64>,
) -> Result<VerifiedRun, Error> {
    if approach(1e-6) == approach(1e-7) {
        return Err(Error::NotAdaptive);
    }
    let mut failures = 0;
    // a step that ends right at a singular position may find no way on; steps of another tolerance end elsewhere
    let mut run = |mut tolerance: f64| loop {
        match integrate_constrained(dynamics, state, &approach(tolerance), end, observer) {
            Err(Error::Constrained { .. } | Error::Projection { .. })
                if failures < FAILURES && tolerance > SMALLEST =>
            {
                failures += 1;
                tolerance = (tolerance * ELSEWHERE).max(SMALLEST);
            }
            other => return other.map(|run| (run, tolerance)),
        }
    };
    let (mut before, mut tolerance) = run((FIRST * accuracy).max(SMALLEST))?;
    let mut factor = LEAST_FACTOR;
    let mut runs = 1;
    loop {
        runs += 1;
        let (found, next) = run((tolerance * factor).max(SMALLEST))?;
        let difference = difference(&before, &found);
        if difference <= accuracy && next <= APART * tolerance {
            return Ok(VerifiedRun { run: found, tolerance: next, difference, runs });
        }
        if next <= SMALLEST {
            return Err(Error::Accuracy { accuracy, difference, tolerance: next });
        }
        // errors fall about as tolerances do; the run that differed is that of the larger one
        factor = (accuracy / difference * (tolerance / next)).clamp(MOST_FACTOR, LEAST_FACTOR);
        (before, tolerance) = (found, next);
    }
}

fn difference(a: &ConstrainedRun, b: &ConstrainedRun) -> f64 {
    let ends = (a.q.iter().chain(&a.v)).zip(b.q.iter().chain(&b.v));
    ends.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / (1.0 + b.abs())))
}
