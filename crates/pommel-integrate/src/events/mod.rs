//! Events: zeros of functions of time and state, and what happens at them.
//!
//! Every step is searched for changes of sign at eight points of its interpolant. The first zero is
//! narrowed down to 1e-12 of the step; then the step is taken again up to there, once to correct the time by
//! what the function is there, and once for good. So the state at an event is as accurate as the steps
//! are, not only as their interpolant is. Then the event says what happens: the state may change, and the
//! integration goes on from there, with first steps of its own.
//!
//! Events of several functions at one time, as far as it is known, happen in the order of the functions. A
//! function whose event has just been, or that is zero at a start, counts from its next value on.

mod error;
mod functions;
mod watch;

pub use error::EventError;
pub use functions::{Direction, Events, Reaction};

use watch::{Found, Signs, Steps, Watch, Zero};

use crate::{
    ImplicitStepper, InputError, IntegrateError, Observer, Outcome, Statistics, Stepper,
    StiffSystem, System,
};

/// The most events of an integration.
pub const MAX_EVENTS: usize = 1_000_000;
/// Restarts of one function whose gaps shrink so many times in a row may pile up.
const SHRINKING: usize = 10;
/// They do if they would end within this part of their first gap.
const PILED_UP: f64 = 1e-8;

/// Who takes steps: [`Stepper`] or [`ImplicitStepper`].
pub trait Integrator<S: System<f64>> {
    /// Integrates from `t0` to `t1`, as [`integrate`](crate::integrate).
    ///
    /// # Errors
    /// As [`integrate`](crate::integrate).
    fn advance(
        &mut self,
        system: &mut S,
        t0: f64,
        t1: f64,
        y: &mut [f64],
        observer: &mut impl Observer<f64>,
    ) -> Result<Outcome<f64>, IntegrateError<S::Error>>;
}

impl<S: System<f64>> Integrator<S> for Stepper<f64> {
    fn advance(
        &mut self,
        system: &mut S,
        t0: f64,
        t1: f64,
        y: &mut [f64],
        observer: &mut impl Observer<f64>,
    ) -> Result<Outcome<f64>, IntegrateError<S::Error>> {
        self.run(system, t0, t1, y, observer)?.into_result().map_err(IntegrateError::Failed)
    }
}

impl<S: StiffSystem> Integrator<S> for ImplicitStepper {
    fn advance(
        &mut self,
        system: &mut S,
        t0: f64,
        t1: f64,
        y: &mut [f64],
        observer: &mut impl Observer<f64>,
    ) -> Result<Outcome<f64>, IntegrateError<S::Error>> {
        self.run(system, t0, t1, y, observer)
    }
}

/// An event that was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occurrence {
    /// Its function.
    pub event: usize,
    /// When it was.
    pub t: f64,
    /// What followed.
    pub reaction: Reaction,
}

/// How an integration with events ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRun {
    /// Time reached: the end, or that of the event that ended it, or where the observer stopped.
    pub t: f64,
    /// All events, in order.
    pub log: Vec<Occurrence>,
    /// The event that ended it, if one did.
    pub stopped_by: Option<usize>,
    /// Counts, of steps that were taken again, too.
    pub statistics: Statistics,
}

/// Integrates `system` from `t0` to `t1` through events, and leaves the end state in `y`.
///
/// # Arguments
/// - `integrator` takes the steps
/// - `y`        **in/out**, initial state, then that at the end; after an error, the last one known
/// - `events`   functions and what happens at their zeros
/// - `observer` sees one start and every step, of which one ends at each event
///
/// # Errors
/// [`EventError`].
pub fn integrate_events<S: System<f64>>(
    integrator: &mut impl Integrator<S>,
    system: &mut S,
    t0: f64,
    t1: f64,
    y: &mut [f64],
    events: &mut impl Events,
    observer: &mut impl Observer<f64>,
) -> Result<EventRun, EventError<S::Error>> {
    let count = events.count();
    if system.dim() != y.len() {
        let (expected, found) = (system.dim(), y.len());
        return Err(IntegrateError::Input(InputError::Dimension { expected, found }).into());
    }
    let mut signs = Signs::new(count, y.len());
    let mut run =
        EventRun { t: t0, log: Vec::new(), stopped_by: None, statistics: Statistics::default() };
    let mut piles: Vec<Pile> = vec![Pile::default(); count];
    let mut just: Vec<usize> = Vec::new();
    observer.start(t0, y);
    if y.iter().all(|y| y.is_finite()) && t0.is_finite() {
        told(signs.start(events, t0, y, &just), events)?;
    }
    while run.t != t1 {
        let mut watch =
            Watch { events, signs: &mut signs, observer, found: Found::Nothing, stopped: false };
        let outcome = integrator.advance(system, run.t, t1, y, &mut watch)?;
        let (found, stopped) = (watch.found, watch.stopped);
        run.statistics.add(&outcome.statistics(0));
        let Found::Event(zero) = found else {
            run.t = outcome.t;
            told(found, events)?;
            if stopped {
                break;
            }
            continue;
        };
        // the step again, up to the event
        let time = correct(integrator, system, events, &signs.begin, &zero, &mut run.statistics)?;
        y.copy_from_slice(&signs.begin);
        let mut steps = Steps { observer, stopped: false };
        let outcome = integrator.advance(system, zero.from, time, y, &mut steps)?;
        let stopped = steps.stopped;
        run.statistics.add(&outcome.statistics(0));
        run.t = outcome.t;
        if stopped && run.t != time {
            break;
        }
        just.clone_from(&zero.events);
        for &event in &zero.events {
            if run.log.len() >= MAX_EVENTS {
                return Err(EventError::TooMany { name: events.name(event), t: time });
            }
            let reaction = events.react(event, time, y);
            run.log.push(Occurrence { event, t: time, reaction });
            if reaction == Reaction::Stop {
                run.stopped_by = Some(event);
                return Ok(run);
            }
            if reaction == Reaction::Restart
                && let Some(limit) = piles[event].add(time)
            {
                let (name, count) = (events.name(event), piles[event].count);
                return Err(EventError::Zeno { name, t: time, limit, count });
            }
        }
        if stopped {
            break;
        }
        told(signs.start(events, run.t, y, &just), events)?;
    }
    Ok(run)
}

/// The time of an event by the steps themselves: where the interpolant has it, less what the function is
/// there by its rate.
fn correct<S: System<f64>>(
    integrator: &mut impl Integrator<S>,
    system: &mut S,
    events: &mut impl Events,
    begin: &[f64],
    &Zero { events: ref list, from, t, rate }: &Zero,
    statistics: &mut Statistics,
) -> Result<f64, EventError<S::Error>> {
    let mut y = begin.to_vec();
    let outcome = integrator.advance(system, from, t, &mut y, &mut ())?;
    statistics.add(&outcome.statistics(0));
    let mut g = vec![0.0; events.count()];
    events.values(t, &y, &mut g);
    let shift = -g[list[0]] / rate;
    let span = t - from;
    // a rate that is next to nothing corrects nothing
    let believable = shift.abs() <= 1e-3 * span.abs();
    Ok(if believable { t + shift } else { t })
}

/// What is wrong with a function, if something is.
fn told<E>(found: Found, events: &impl Events) -> Result<(), EventError<E>> {
    match found {
        Found::NotFinite { event, t } => Err(EventError::NotFinite { name: events.name(event), t }),
        Found::ConstantZero { event, t } => {
            Err(EventError::ConstantZero { name: events.name(event), t })
        }
        Found::Nothing | Found::Event(_) => Ok(()),
    }
}

/// Restarts of one function whose gaps shrink.
#[derive(Clone, Copy, Debug, Default)]
struct Pile {
    last: Option<f64>,
    gap: f64,
    first_gap: f64,
    shrinking: usize,
    count: usize,
}

impl Pile {
    /// One more; where they pile up, if they do.
    fn add(&mut self, t: f64) -> Option<f64> {
        self.count += 1;
        let last = self.last.replace(t)?;
        let gap = t - last;
        let ratio = (gap / self.gap).abs();
        self.gap = gap;
        let shrinks = ratio < 0.999;
        if !shrinks {
            (self.shrinking, self.first_gap) = (0, gap);
            return None;
        }
        self.shrinking += 1;
        // a geometric series
        let rest = gap * ratio / (1.0 - ratio);
        let piled_up = self.shrinking >= SHRINKING && rest.abs() <= PILED_UP * self.first_gap.abs();
        piled_up.then_some(t + rest)
    }
}
