//! Work and precision of integrators on one mechanism: what each digit costs.
//!
//! Every [`Contender`] integrates the same motion at several tolerances; the error is that of the end, relative to
//! `1 + |value|`, against a [`reference_end`] whose accuracy is known.

mod contenders;
mod drift;

pub use contenders::{Contender, contenders};
pub use drift::{DriftCurve, drift};

use cpu_time::ProcessTime;

use crate::absolute::AbsoluteState;
use crate::constrained::{Approach, VerifiedRun, integrate_constrained, integrate_verified};
use crate::{AbsoluteDynamics, Error};
use pommel_integrate::{Adaptive, Options, Tableau};

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisionRow {
    /// The contender.
    pub name: String,
    /// Relative and absolute tolerance of its steps.
    pub tolerance: f64,
    /// The largest error of the end, relative to `1 + |value|`; NaN if it was not reached.
    pub error: f64,
    /// Processor time of the run, s.
    pub cpu_seconds: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// The largest `|Φ|` at the end of a step; m, rad.
    pub position_residual: f64,
    /// Why the end was not reached, if it was not.
    pub failure: Option<String>,
}

/// Smallest accuracies that are tried for a reference.
const ACCURACIES: [f64; 4] = [1e-11, 1e-10, 1e-9, 1e-8];

/// The end of a motion, as accurate as it can be had, at least to 1e-8.
///
/// # Errors
/// [`Error::Accuracy`] if that is not accurate enough, and as [`integrate_verified`].
///
/// # Panics
/// If the state is not one of this mechanism.
pub fn reference_end(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    end: f64,
) -> Result<VerifiedRun, Error> {
    let approach = |tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        let options = Options::adaptive(Tableau::dormand_prince_853(), settings);
        Approach::projected(options.max_steps(contenders::MOST_STEPS))
    };
    let mut last = None;
    for accuracy in ACCURACIES {
        match integrate_verified(dynamics, state, approach, end, accuracy, &mut ()) {
            Err(error @ Error::Accuracy { .. }) => last = Some(error),
            other => return other,
        }
    }
    Err(last.unwrap_or(Error::Accuracy { accuracy: 1e-8, difference: f64::NAN, tolerance: 0.0 }))
}

/// Runs of one contender at falling tolerances; it ends after the first that takes longer than `seconds`.
///
/// # Arguments
/// - `reference` coordinates and velocities of the end, `(q, v)`
///
/// # Panics
/// If the state is not one of this mechanism, or `reference` has another length than `(q, v)`.
pub fn precision(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    end: f64,
    contender: &Contender,
    tolerances: &[f64],
    (reference, seconds): (&[f64], f64),
) -> Vec<PrecisionRow> {
    let system = dynamics.system();
    assert_eq!(reference.len(), system.nq() + system.nv(), "a reference holds q and v");
    let mut rows = Vec::new();
    for &tolerance in tolerances {
        let start = ProcessTime::now();
        let run =
            integrate_constrained(dynamics, state, &contender.approach(tolerance), end, &mut ());
        let cpu_seconds = start.elapsed().as_secs_f64();
        let row = PrecisionRow {
            name: contender.name().to_owned(),
            tolerance,
            error: f64::NAN,
            cpu_seconds,
            steps: 0,
            evaluations: 0,
            position_residual: f64::NAN,
            failure: None,
        };
        rows.push(match run {
            Ok(run) => PrecisionRow {
                error: difference(&[&run.q[..], &run.v].concat(), reference),
                steps: run.statistics.steps,
                evaluations: run.statistics.evaluations,
                position_residual: run.position_residual,
                ..row
            },
            Err(error) => PrecisionRow { failure: Some(error.to_string()), ..row },
        });
        if cpu_seconds > seconds {
            break;
        }
    }
    rows
}

/// The largest difference, relative to `1 + |b|`.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / (1.0 + b.abs())))
}
