//! A motion from event to event.

use core::cell::RefCell;

use pommel_integrate::{
    Cause, Control, EventError, IntegrateError, Observer, Statistics, Step, Stepper,
    integrate_events,
};
use pommel_mechanism::impact::{ImpactSolver, Interactions, Target};
use pommel_mechanism::{Energy, Evaluation};

use super::functions::{Flow, Watches};
use super::log::{EventKind, EventRecord};
use super::phase::{At, Phase};
use super::state::{MotionState, Shifts, Shown};
use super::status::{RubStatus, Statuses};
use super::{NonsmoothDynamics, NonsmoothError, NonsmoothOptions};
use crate::absolute::AbsoluteState;
use crate::forces::forced;
use crate::{Error, Stabilization};

/// The motion of a mechanism with dry friction, stops and contacts, from time 0 on.
///
/// It keeps its state, time and log where an integration ends early, too.
pub struct NonsmoothMotion<'a> {
    state: MotionState<'a>,
    t: f64,
    y: Vec<f64>,
    statistics: Vec<Statistics>,
}

impl core::fmt::Debug for NonsmoothMotion<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("NonsmoothMotion")
            .field("t", &self.t)
            .field("y", &self.y)
            .field("statuses", &self.state.statuses)
            .finish_non_exhaustive()
    }
}

impl<'a> NonsmoothMotion<'a> {
    /// From a state at time 0, whose applied forces act all the time.
    ///
    /// Angles of joints in space, which states know up to full turns only, are taken next to those of the
    /// model's initial state.
    ///
    /// # Errors
    /// [`Error::Nonsmooth`]: the state lies beyond a stop ([`NonsmoothError::Penetrates`]), the options make
    /// no sense, impacts at the start or accelerations are not found. [`Error::Force`] if a force given as code is no
    /// number.
    ///
    /// # Panics
    /// If the state is not one of this mechanism.
    pub fn new(
        dynamics: &'a NonsmoothDynamics,
        state: &AbsoluteState,
        options: &NonsmoothOptions,
    ) -> Result<Self, Error> {
        let speed = options.rest_speed;
        let sound = speed >= 0.0;
        if !sound {
            return Err(NonsmoothError::RestSpeed { speed }.into());
        }
        if options.stabilization == Stabilization::Partitioning {
            return Err(NonsmoothError::Partitioning.into());
        }
        let system = dynamics.system();
        let interactions = dynamics.interactions();
        let statuses = Statuses::free(interactions);
        let at = At { t: 0.0, q: &state.q, v: &state.v };
        let phase = Phase::new(dynamics, options, &statuses, at, (&state.turns, &state.applied))?;
        let mut state_of = MotionState {
            dynamics,
            options: options.clone(),
            applied: state.applied.clone(),
            statuses,
            phase,
            free: Evaluation::new(system),
            near: initial_coordinates(dynamics)?,
            impacts: ImpactSolver::new(),
            shown: Shown::default(),
            shifts: Shifts::default(),
            log: Vec::new(),
            failure: None,
        };
        state_of.track(at);
        for gap in 0..interactions.gaps().len() {
            let [value, _] = state_of.gap(gap);
            let within = value >= -state_of.touching_limit(gap);
            if !within {
                let name = state_of.gap_name(gap);
                return Err(NonsmoothError::Penetrates { name, gap: value }.into());
            }
        }
        let mut y = [&state.q[..], &state.v].concat();
        let (q, v) = y.split_at_mut(system.nq());
        state_of.transition(0.0, q, v)?;
        // that something sticks or is closed from the start is no event, but an impact is one
        let struck = |e: &EventRecord| {
            e.before != 0.0 && matches!(e.kind, EventKind::Impact | EventKind::Closed)
        };
        state_of.log.retain(struck);
        Ok(NonsmoothMotion { state: state_of, t: 0.0, y, statistics: Vec::new() })
    }

    /// Integrates up to a time.
    ///
    /// May be called again for a later time. Kinks of loads in time are where steps end; events that pile up
    /// are looked for between these and within one call.
    ///
    /// # Arguments
    /// - `observer` sees every step of `y = (q, v)`, and a start before the first one after a kink; it may
    ///   end the motion early
    ///
    /// # Errors
    /// [`Error::Nonsmooth`] with the time and the reason, [`Error::Force`] if that is a force given as code; time, state
    /// and log are those that were reached.
    pub fn integrate_to(
        &mut self,
        end: f64,
        observer: &mut impl Observer<f64>,
    ) -> Result<(), Error> {
        let backwards = end.is_nan() || end < self.t;
        if backwards {
            return Err(NonsmoothError::Backwards { time: self.t, end }.into());
        }
        let kinks = self.state.dynamics.breakpoints();
        let mut kinks: Vec<f64> = kinks.into_iter().filter(|t| *t > self.t && *t < end).collect();
        kinks.reverse();
        let input = |error| NonsmoothError::from(IntegrateError::Input(error));
        let mut stepper =
            Stepper::new(self.y.len(), &self.state.options.integration).map_err(input)?;
        loop {
            let kink = kinks.pop();
            // loads jump at a kink: steps before it see what is before
            let stop = kink.map_or(end, f64::next_down);
            if stop > self.t && !self.advance(&mut stepper, stop, observer)? {
                return Ok(());
            }
            let Some(kink) = kink else { return Ok(()) };
            self.t = kink;
            self.state.shown = Shown { t: kink, kink: true, ..Shown::default() };
            let (q, v) = self.y.split_at_mut(self.state.dynamics.system().nq());
            self.state.transition(kink, q, v)?;
        }
    }

    /// Integrates a piece without kinks; whether its end was reached.
    fn advance(
        &mut self,
        stepper: &mut Stepper<f64>,
        stop: f64,
        observer: &mut impl Observer<f64>,
    ) -> Result<bool, Error> {
        let mut clock = Clock { observer, t: self.t };
        let shared = RefCell::new(&mut self.state);
        let (mut flow, mut watches) = (Flow(&shared), Watches(&shared));
        let y = &mut self.y;
        let found = integrate_events(stepper, &mut flow, self.t, stop, y, &mut watches, &mut clock);
        self.t = clock.t;
        if let Some(failure) = self.state.failure.take() {
            return Err(failure);
        }
        match found {
            Ok(run) => {
                self.t = run.t;
                self.statistics.push(run.statistics);
                Ok(run.t == stop)
            }
            Err(source) => {
                let Phase { system, evaluation, .. } = &self.state.phase;
                if let EventError::Integrate(IntegrateError::Failed(failure)) = &source
                    && let Some(source) = system.unsound_force(evaluation)
                    && forced(&failure.cause)
                {
                    return Err(Error::Force { source, reached: Some(failure.t) });
                }
                let place = match &source {
                    EventError::Integrate(IntegrateError::Failed(failure)) => {
                        match &failure.cause {
                            Cause::Rhs(source) => self.state.phase.system.place_of(source),
                            _ => None,
                        }
                    }
                    _ => None,
                };
                Err(NonsmoothError::Events { source, place }.into())
            }
        }
    }

    /// The time that was reached, s.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// Coordinates of the system there.
    pub fn q(&self) -> &[f64] {
        &self.y[..self.state.dynamics.system().nq()]
    }

    /// Velocities.
    pub fn v(&self) -> &[f64] {
        &self.y[self.state.dynamics.system().nq()..]
    }

    /// All events so far, in order of time; at one time impacts, then joints, then what closes or opens, each in
    /// the order of the model. The first ones may be of the start.
    pub fn log(&self) -> &[EventRecord] {
        &self.state.log
    }

    /// What a joint with dry friction does, by its place in [`Interactions::rubs`].
    ///
    /// # Panics
    /// If there is no such.
    pub fn rub(&self, index: usize) -> RubStatus {
        self.state.statuses.rubs[index]
    }

    /// Whether a stop or contact is closed, by its place in [`Interactions::gaps`].
    ///
    /// # Panics
    /// If there is no such.
    pub fn is_closed(&self, index: usize) -> bool {
        self.state.statuses.is_shut(index)
    }

    /// What may stick, stop or touch.
    pub fn interactions(&self) -> &Interactions {
        self.state.dynamics.interactions()
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> Energy<f64> {
        let system = self.state.dynamics.system();
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(&self.state.phase.turns());
        system.place(self.t, self.q(), self.v(), &mut evaluation);
        system.energy(self.v(), &evaluation)
    }

    /// Counts of the integrations between kinks, in order.
    pub fn statistics(&self) -> &[Statistics] {
        &self.statistics
    }
}

/// Remembers the time of the last step.
struct Clock<'o, O> {
    observer: &'o mut O,
    t: f64,
}

impl<O: Observer<f64>> Observer<f64> for Clock<'_, O> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.observer.start(t, y);
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        self.t = step.t_new();
        self.observer.step(step)
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.observer.interpolates(t_new)
    }
}

/// Coordinates of rubs and gaps at the initial state of the model; zero for joints that close loops, and for
/// contacts.
///
/// # Errors
/// As [`crate::initial_state`].
fn initial_coordinates(dynamics: &NonsmoothDynamics) -> Result<Vec<f64>, Error> {
    let mechanism = dynamics.smooth().mechanism();
    let initial = crate::initial_state(mechanism)?;
    let of = |joint: usize, coordinate: usize| {
        let mut places = mechanism.joints()[joint].q.clone();
        places.nth(coordinate).and_then(|place| initial.q.get(place).copied()).unwrap_or_default()
    };
    let interactions = dynamics.interactions();
    let rubs = interactions.rubs().iter().map(|rub| of(rub.joint, rub.coordinate));
    let gaps = interactions.gaps().iter().map(|gap| match gap.target {
        Target::Joint { joint, coordinate } => of(joint, coordinate),
        Target::Gap { .. } => 0.0,
    });
    Ok(rubs.chain(gaps).collect())
}
