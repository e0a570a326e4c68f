//! Motion of mechanisms with constraints, in absolute coordinates.
//!
//! | [`Approach`] | [`Stabilization`] | what it does | what is left of Φ |
//! |--------------|-------------------|--------------|-------------------|
//! | `Explicit`, `Implicit`: accelerations satisfy `Φ_q v̇ = γ` (index 1) | `None` | nothing | grows quadratically |
//! | the same | `Baumgarte` | `Φ̈ + 2α Φ̇ + β² Φ = 0`: violations die out | bounded, about the errors of `1/α` seconds |
//! | the same | `Projection` | the nearest state on the constraints, after every step | rounding, at most 1e-10 of the reach |
//! | the same | `Partitioning` | dependent coordinates follow from independent ones | rounding |
//! | `Constrained`: positions or velocities of every step satisfy Φ (index 3 and 2) | none | [`mechanics`](pommel_integrate::mechanics) | a thousandth of the tolerance, but for [`Level::Velocity`](pommel_integrate::mechanics::Level::Velocity) |
//!
//! Motion is smooth here: limits of joints and contacts do nothing, and dry friction does not stick
//! ([`nonsmooth`](crate::nonsmooth) is for these).
//!
//! Planar mechanisms that pass no singular position may be integrated in the angles of their bodies
//! ([`integrate_open_loop`]), with fewer unknowns; the bench program `integration_cases` compares both.
//!
//! Positions that are singular for a moment, where Φ_q loses rank and the motion passes smoothly, need no flag: where
//! steps shrink before one, whatever the approach, it is passed in one step of high order that looks at states on both
//! sides (`passage.rs` tells how), and integration starts anew beyond. A motion that does not continue there ends with
//! an error.

mod approach;
mod balance;
#[cfg(test)]
mod crossing;
mod lookout;
mod mechanics;
mod open_loop;
mod pace;
mod passage;
mod shrinkage;
mod simulate;
mod system;
mod verified;
mod watch;
mod way;

pub use approach::{Approach, Stabilization};
pub(crate) use balance::Balance;
pub use mechanics::AbsoluteMechanics;
pub use open_loop::{OpenLoopSystem, integrate_open_loop};
pub use simulate::{Accuracy, ConstrainedSample, ConstrainedTrajectory, simulate_constrained};
pub use system::ConstrainedSystem;
pub use verified::{VerifiedRun, integrate_verified};

use lookout::{Lookout, Terms};
use pace::Pace;
use pommel_integrate::mechanics::MechanicsStepper;
use pommel_integrate::{
    Adaptive, Cause, Failure, ImplicitStepper, InputError, IntegrateError, Observer, Statistics,
    Stepper,
};
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::{FormulationError, Method};
use watch::Watch;

use crate::absolute::AbsoluteState;
use crate::error::check_end;
use crate::forces::forced;
use crate::{AbsoluteDynamics, Error};

/// A state in absolute coordinates at the end of a motion, and what the way there was like.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedRun {
    /// Time reached, s: the end, unless the observer stopped.
    pub t: f64,
    /// Coordinates of the system.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Counts of the integration.
    pub statistics: Statistics,
    /// The largest `|Φ|` at the start and at the ends of steps, after stabilization; m, rad.
    pub position_residual: f64,
    /// The largest `|Φ_q v − ν|` there; m/s, rad/s.
    pub velocity_residual: f64,
}

/// Integrates a mechanism from time 0 to `end`.
///
/// Singular positions that the motion passes smoothly are passed in one step, which the observer sees as any other and
/// which counts as one; the evaluations that it takes count, too. No such step is larger than the largest that the
/// options allow ([`Adaptive::largest_step`](pommel_integrate::Adaptive::largest_step)) or, where they are fixed, of
/// another size: it is taken in parts then. The limit on steps is one of the whole motion, parts of passages included;
/// those of a passage that has begun are taken. Of a mechanism whose Φ_q has more than 100 000 entries, zeros
/// counted (about a hundred bodies in the plane), singular positions are not looked for: steps go through them as they
/// can, or end with an error.
///
/// # Arguments
/// - `observer` sees every step of `y = (q, v)`
///
/// # Errors
/// [`Error::End`] if the end is before the start, [`Error::Inconsistent`] if the state is not on the constraints,
/// [`Error::Formulation`] if the formulation does not know something of the mechanism, [`Error::Constrained`] with the
/// time if it refuses on the way, [`Error::Projection`] if a state there cannot be projected, [`Error::Force`] if a
/// force given as code is no number; [`Error::Integration`] for options that make no sense.
///
/// # Panics
/// If the state is not one of this mechanism.
pub fn integrate_constrained(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    approach: &Approach,
    end: f64,
    observer: &mut impl Observer<f64>,
) -> Result<ConstrainedRun, Error> {
    check_end(end)?;
    dynamics.check_consistent(state)?;
    let y = [&state.q[..], &state.v].concat();
    let dim = y.len();
    let watch = Watch::new(dynamics, state, observer);
    let terms = |method, settings: Option<&Adaptive>, fixed, limit| Terms {
        method,
        tolerance: settings.map_or(FIXED, |x| x.strictest(dim)),
        pace: Pace::new(settings, fixed),
        limit,
        end,
    };
    match approach {
        Approach::Explicit { method, stabilization, options } => {
            let mut system = ConstrainedSystem::new(dynamics, state, *method, *stabilization)?;
            // options that make no sense are told before they are used
            Stepper::<f64>::new(dim, options).map_err(input)?;
            let (settings, fixed) = (options.settings(), options.fixed_step());
            let terms = terms(*method, settings, fixed, options.most_steps());
            Lookout::new(dynamics, state, watch, terms).travel(y, |lookout, t, y| {
                system.forget_failure();
                system.set_turns(lookout.turns());
                let options = options.clone().max_steps(lookout.left());
                let mut stepper = Stepper::new(dim, &options).map_err(input)?;
                let run = stepper.run(&mut system, t, end, y, lookout).map_err(input)?;
                lookout.statistics.add(&run.outcome.statistics(0));
                match run.into_result() {
                    Ok(outcome) => Ok(Ok(outcome.t)),
                    Err(failure) => failed(lookout, failure, |f| ended(dynamics, &system, f)),
                }
            })
        }
        Approach::Implicit { method, stabilization, options } => {
            let mut system = ConstrainedSystem::new(dynamics, state, *method, *stabilization)?;
            // options that make no sense are told before they are used
            ImplicitStepper::new(dim, options).map_err(input)?;
            let (settings, fixed) = (options.settings(), options.fixed_step());
            let terms = terms(*method, settings, fixed, options.most_steps());
            Lookout::new(dynamics, state, watch, terms).travel(y, |lookout, t, y| {
                system.forget_failure();
                system.set_turns(lookout.turns());
                let options = options.clone().max_steps(lookout.left());
                let mut stepper = ImplicitStepper::new(dim, &options).map_err(input)?;
                let run = stepper.run(&mut system, t, end, y, lookout);
                lookout.statistics.add(&stepper.statistics());
                match run {
                    Ok(outcome) => Ok(Ok(outcome.t)),
                    Err(IntegrateError::Input(error)) => Err(input(error)),
                    Err(IntegrateError::Failed(failure)) => {
                        failed(lookout, failure, |f| ended(dynamics, &system, f))
                    }
                }
            })
        }
        Approach::Constrained(options) => {
            let mut system = AbsoluteMechanics::new(dynamics, state);
            let sizes = dynamics.system();
            // options that make no sense are told before they are used
            MechanicsStepper::new(sizes.nq(), sizes.nv(), sizes.rows(), options).map_err(input)?;
            let (settings, fixed) = (options.settings(), options.fixed_step());
            let terms = terms(Method::SparseKkt, settings, fixed, options.most_steps());
            Lookout::new(dynamics, state, watch, terms).travel(y, |lookout, t, y| {
                system.set_turns(lookout.turns());
                let options = options.clone().max_steps(lookout.left());
                let mut stepper =
                    MechanicsStepper::new(sizes.nq(), sizes.nv(), sizes.rows(), &options)
                        .map_err(input)?;
                let run = stepper.run(&mut system, t, end, y, lookout);
                lookout.statistics.add(&stepper.statistics());
                match run {
                    Ok(outcome) => Ok(Ok(outcome.t)),
                    Err(IntegrateError::Input(error)) => Err(input(error)),
                    Err(IntegrateError::Failed(failure)) => {
                        failed(lookout, failure, |f| early(dynamics, system.evaluation(), f))
                    }
                }
            })
        }
    }
}

/// Options that make no sense.
fn input(error: InputError) -> Error {
    Error::Integration(IntegrateError::Input(error))
}

/// An early end: the inner error may be one of a singular position.
fn failed<O: Observer<f64>>(
    lookout: &Lookout<'_, O>,
    mut failure: Failure<FormulationError>,
    name: impl FnOnce(Failure<FormulationError>) -> Error,
) -> Result<Result<f64, Error>, Error> {
    let may_pass = lookout.may_pass(&mut failure);
    let error = name(failure);
    if may_pass { Ok(Err(error)) } else { Err(error) }
}

/// What a passage may be off where steps are fixed.
const FIXED: f64 = 1e-9;

/// An early end, with the names of what the formulation counts.
fn ended(
    dynamics: &AbsoluteDynamics,
    system: &ConstrainedSystem<'_>,
    failure: Failure<FormulationError>,
) -> Error {
    if let Some((time, source)) = system.failure() {
        return Error::Projection { time: *time, source: source.clone() };
    }
    early(dynamics, system.evaluation(), failure)
}

/// An early end, by a force given as code if that is no number, with names of what its cause counts.
fn early(
    dynamics: &AbsoluteDynamics,
    evaluation: &Evaluation<f64>,
    failure: Failure<FormulationError>,
) -> Error {
    let system = dynamics.system();
    if let Some(source) = system.unsound_force(evaluation).filter(|_| forced(&failure.cause)) {
        return Error::Force { source, reached: Some(failure.t) };
    }
    let place = match &failure.cause {
        Cause::Rhs(source) => system.place_of(source),
        Cause::InitialState { component }
        | Cause::Tolerance { component, .. }
        | Cause::NonFinite { component, .. } => {
            let names = [system.coordinate_names(), system.velocity_names()].concat();
            names.get(*component).map(|name| format!("component {component} is {name}"))
        }
        Cause::OpenConstraint { row, .. } => {
            Some(format!("row {row} is '{}'", system.row_name(*row)))
        }
        _ => None,
    };
    Error::Constrained { failure: Box::new(failure), place }
}
