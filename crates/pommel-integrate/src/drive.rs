//! Whole integrations, and who watches them.

use std::sync::Arc;

use pommel_math::{Mask, Real};

use crate::lane::MAX_LANES;
use crate::{
    Cause, Failure, InputError, IntegrateError, Options, Statistics, Step, Stepper, System,
};

/// What an observer wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End all lanes where they are.
    Stop,
    /// End these lanes where they are.
    StopLanes(Mask),
}

/// Sees an integration as it happens.
///
/// A closure `FnMut(&Step<T>) -> Control` is one, and `()` is one that sees nothing.
pub trait Observer<T: Real> {
    /// Before the first step: initial time and state.
    fn start(&mut self, t: T, y: &[T]) {
        let _ = (t, y);
    }

    /// After every step that some lane accepted.
    fn step(&mut self, step: &Step<'_, T>) -> Control;

    /// Whether it will interpolate within a step that ends at `t_new`. Methods whose dense output takes
    /// more evaluations make them only if so; a step that was said not to be interpolated
    /// interpolates by a cubic.
    fn interpolates(&self, t_new: T) -> bool {
        let _ = t_new;
        true
    }
}

impl<T: Real> Observer<T> for () {
    fn step(&mut self, _step: &Step<'_, T>) -> Control {
        Control::Continue
    }

    fn interpolates(&self, _t_new: T) -> bool {
        false
    }
}

impl<T: Real, F: FnMut(&Step<'_, T>) -> Control> Observer<T> for F {
    fn step(&mut self, step: &Step<'_, T>) -> Control {
        self(step)
    }
}

/// How an integration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome<T> {
    /// Time reached: the end time, exactly, unless the lane was stopped (or failed).
    pub t: T,
    /// Lanes that the observer stopped.
    pub stopped: Mask,
    /// Calls of the right-hand side, for all lanes at once.
    pub calls: u64,
    statistics: [Statistics; MAX_LANES],
}

impl<T: Real> Outcome<T> {
    /// Counts of one lane (0 for a scalar with one).
    ///
    /// # Panics
    /// If `lane` is not below the number of lanes.
    pub fn statistics(&self, lane: usize) -> Statistics {
        self.statistics[..T::LANES][lane]
    }
}

/// How an integration of one lane ended.
pub(crate) fn outcome_of_one(t: f64, stopped: Mask, of: Statistics) -> Outcome<f64> {
    let mut statistics = [Statistics::default(); MAX_LANES];
    statistics[0] = of;
    Outcome { t, stopped, calls: of.evaluations, statistics }
}

/// How an integration of several lanes ended, some of which may have failed.
#[derive(Clone, Debug)]
#[must_use]
pub struct LaneOutcome<T, E> {
    /// What holds for all lanes.
    pub outcome: Outcome<T>,
    /// The lanes that failed, in the order of failing; their states are those of their last
    /// accepted step.
    pub failures: Vec<Failure<E>>,
}

impl<T: Real, E> LaneOutcome<T, E> {
    /// The lanes that failed.
    pub fn failed(&self) -> Mask {
        Mask::from_fn(T::LANES, |i| self.failure(i).is_some())
    }

    /// Why lane `lane` failed, if it did.
    pub fn failure(&self, lane: usize) -> Option<&Failure<E>> {
        self.failures.iter().find(|failure| failure.lane == lane)
    }

    /// The outcome, if no lane failed.
    ///
    /// # Errors
    /// The failure of the lowest lane that failed.
    pub fn into_result(self) -> Result<Outcome<T>, Failure<E>> {
        match self.failures.into_iter().min_by_key(|failure| failure.lane) {
            None => Ok(self.outcome),
            Some(failure) => Err(failure),
        }
    }
}

/// Integrates `system` from `t0` to `t1`, forward or backward, and leaves the end state in `y`.
///
/// With `t1 = t0` the state stays as it is and nothing is evaluated. With several lanes, all run to
/// their own ends; one that failed makes the whole call an error (see [`integrate_lanes`]).
///
/// # Arguments
/// - `t0`, `t1` start and end; a lane each
/// - `y`        **in/out**, initial state, then that at the end; after an error, that of the last
///   accepted step
/// - `observer` sees every accepted step; `&mut ()` if nobody does
///
/// # Errors
/// [`IntegrateError::Input`] for options, lengths and tolerances that make no sense;
/// [`IntegrateError::Failed`] says when, at which step size and why the integration ended early.
///
/// # Cost
/// Allocates the memory of a [`Stepper`] once; take one and [`run`](Stepper::run) it to do many
/// integrations without.
pub fn integrate<T: Real, S: System<T>>(
    system: &mut S,
    t0: T,
    t1: T,
    y: &mut [T],
    options: &Options,
    observer: &mut impl Observer<T>,
) -> Result<Outcome<T>, IntegrateError<S::Error>> {
    let run = integrate_lanes(system, t0, t1, y, options, observer)?;
    run.into_result().map_err(IntegrateError::Failed)
}

/// Like [`integrate`], with failures lane by lane: those that fail do not spoil the others.
///
/// # Errors
/// [`InputError`] for options, lengths and tolerances that make no sense.
pub fn integrate_lanes<T: Real, S: System<T>>(
    system: &mut S,
    t0: T,
    t1: T,
    y: &mut [T],
    options: &Options,
    observer: &mut impl Observer<T>,
) -> Result<LaneOutcome<T, S::Error>, InputError> {
    Stepper::new(system.dim(), options)?.run(system, t0, t1, y, observer)
}

impl<T: Real> Stepper<T> {
    /// Extends the last step; lanes for which that fails end here, since what the observer asks for
    /// is not known.
    fn look_inside<S: System<T>>(&mut self, system: &mut S, failures: &mut Vec<Failure<S::Error>>) {
        let result = self.extend(system);
        let (n, first) = (self.n, self.method.end + self.n);
        let source = result.err().map(Arc::new);
        for i in (0..T::LANES).filter(|&i| self.advanced.lane(i)) {
            let cause = match &source {
                Some(source) => Cause::Rhs(Arc::clone(source)),
                None => {
                    let extra = &self.k[first..];
                    let Some(at) = extra.iter().position(|k| !k.is_finite().lane(i)) else {
                        continue;
                    };
                    Cause::NonFinite { stage: first / n + at / n, component: at % n }
                }
            };
            self.lanes[i].running = false;
            let step = (self.t_new - self.t_old).lane(i);
            failures.push(Failure { lane: i, t: self.t_new.lane(i), step, cause });
        }
    }

    /// A whole integration, as [`integrate_lanes`] does it, in the memory of this stepper.
    ///
    /// # Errors
    /// [`InputError::Dimension`] if system, state and stepper do not agree.
    pub fn run<S: System<T>>(
        &mut self,
        system: &mut S,
        t0: T,
        t1: T,
        y: &mut [T],
        observer: &mut impl Observer<T>,
    ) -> Result<LaneOutcome<T, S::Error>, InputError> {
        let mut failures = self.start(system, t0, t1, y)?;
        observer.start(t0, y);
        while self.running().any() {
            let attempt = self.step(system);
            failures.extend(attempt.failures);
            if attempt.accepted.any() {
                if self.needs_extra() && observer.interpolates(self.t()) {
                    self.look_inside(system, &mut failures);
                }
                match observer.step(&self.last_step()) {
                    Control::Continue => {}
                    Control::Stop => self.stop(Mask::all(T::LANES)),
                    Control::StopLanes(lanes) => self.stop(lanes),
                }
            }
        }
        y.copy_from_slice(self.y());
        let statistics =
            std::array::from_fn(|i| if i < T::LANES { self.statistics(i) } else { <_>::default() });
        let outcome =
            Outcome { t: self.t(), stopped: self.stopped(), calls: self.calls(), statistics };
        Ok(LaneOutcome { outcome, failures })
    }
}
