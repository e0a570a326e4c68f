//! Motion of mechanisms with constraints, in absolute coordinates.
//!
//! Accelerations satisfy the constraints at every state, `Φ_q v̇ = γ` (index 1), by any formulation. Errors of
//! the integration let positions drift off all the same: quadratically with time, where nothing is done.
//!
//! | stabilization | what it does                                                              | what is left |
//! |---------------|---------------------------------------------------------------------------|--------------|
//! | [`None`](Stabilization::None) | nothing                                                   | grows        |
//! | [`Baumgarte`](Stabilization::Baumgarte) | `Φ̈ + 2α Φ̇ + β² Φ = 0`: violations die out       | bounded, about the errors of `1/α` seconds |
//! | [`Projection`](Stabilization::Projection) | the nearest state on the constraints, after every step | rounding |

mod system;

pub use system::{ConstrainedSystem, Stabilization};

use pommel_integrate::{Cause, Failure, IntegrateError, Observer, Options, Statistics, Stepper};
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::{FormulationError, Method};

use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// A state in absolute coordinates at the end of a motion, and what the way there was like.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedRun {
    /// Coordinates of the system.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Counts of the integration.
    pub statistics: Statistics,
    /// The largest `|Φ|` at the end of a step, after stabilization; m, rad.
    pub position_residual: f64,
    /// The largest `|Φ_q v − ν|` there; m/s, rad/s.
    pub velocity_residual: f64,
}

/// Integrates a mechanism from time 0 to `end`.
///
/// # Arguments
/// - `observer` sees every step of `y = (q, v)`
///
/// # Errors
/// [`Error::Formulation`] if the formulation does not know something of the mechanism,
/// [`Error::Constrained`] with the time if it refuses on the way, [`Error::Projection`] if a state there
/// cannot be projected; [`Error::Integration`] for options that make no sense.
///
/// # Panics
/// If the state is not one of this mechanism.
pub fn integrate_constrained(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    method: Method,
    stabilization: Stabilization,
    options: &Options,
    end: f64,
    observer: &mut impl Observer<f64>,
) -> Result<ConstrainedRun, Error> {
    let mut system = ConstrainedSystem::new(dynamics, state, method, stabilization)?;
    let mut y = [&state.q[..], &state.v].concat();
    let input = |error| Error::Integration(IntegrateError::Input(error));
    let mut stepper = Stepper::new(y.len(), options).map_err(input)?;
    let mut watch = Watch {
        evaluation: Evaluation::new(dynamics.system()),
        dynamics,
        observer,
        residuals: [0.0; 2],
    };
    watch.evaluation.set_turns(&state.turns);
    let run = stepper.run(&mut system, 0.0, end, &mut y, &mut watch).map_err(input)?;
    let [position_residual, velocity_residual] = watch.residuals;
    if let Some((time, source)) = system.failure() {
        return Err(Error::Projection { time: *time, source: source.clone() });
    }
    let outcome = run.into_result().map_err(|failure| ended(dynamics, failure))?;
    let (q, v) = y.split_at(dynamics.system().nq());
    Ok(ConstrainedRun {
        q: q.to_vec(),
        v: v.to_vec(),
        statistics: outcome.statistics(0),
        position_residual,
        velocity_residual,
    })
}

/// Measures what the ends of steps leave of the constraints.
struct Watch<'a, O> {
    dynamics: &'a AbsoluteDynamics,
    evaluation: Evaluation<f64>,
    observer: &'a mut O,
    residuals: [f64; 2],
}

impl<O: Observer<f64>> Observer<f64> for Watch<'_, O> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.observer.start(t, y);
    }

    fn step(&mut self, step: &pommel_integrate::Step<'_, f64>) -> pommel_integrate::Control {
        let system = self.dynamics.system();
        let (q, v) = step.y_new().split_at(system.nq());
        system.evaluate(step.t_new(), q, v, &mut self.evaluation);
        system.track(&mut self.evaluation);
        let position = self.evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let velocity = system.velocity_residual(v, &self.evaluation);
        self.residuals = [self.residuals[0].max(position), self.residuals[1].max(velocity)];
        self.observer.step(step)
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.observer.interpolates(t_new)
    }
}

/// An early end, with the names of what the formulation counts.
fn ended(dynamics: &AbsoluteDynamics, failure: Failure<FormulationError>) -> Error {
    let place = match &failure.cause {
        Cause::Rhs(source) => dynamics.system().place_of(source),
        _ => None,
    };
    Error::Constrained { failure: Box::new(failure), place }
}
