//! The equations and the events of a motion as the integrator takes them.

use core::cell::RefCell;

use pommel_integrate::{Direction, Events, Reaction, System as Ode};
use pommel_mechanism::formulation::FormulationError;

use super::NonsmoothError;
use super::phase::At;
use super::state::{MotionState, Shown};
use super::status::RubStatus;

/// `y = (q, v)`, by the equations of the phase that holds.
pub(super) struct Flow<'c, 's, 'a>(pub(super) &'c RefCell<&'s mut MotionState<'a>>);

impl Ode<f64> for Flow<'_, '_, '_> {
    type Error = FormulationError;

    fn dim(&self) -> usize {
        let state = self.0.borrow();
        let system = state.dynamics.system();
        system.nq() + system.nv()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), FormulationError> {
        self.0.borrow_mut().derivatives(t, y, dy)
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        let mut shared = self.0.borrow_mut();
        let state = &mut **shared;
        let system = state.dynamics.system();
        let nq = system.nq();
        system.normalize(&mut y[..nq], &mut dy[..nq]);
        let (q, v) = y.split_at_mut(nq);
        state.track(At { t, q, v });
        if !state.phase.projects() {
            return;
        }
        let projected = state.phase.project(t, q, v);
        let again = projected.is_ok() && state.derivatives(t, y, dy).is_ok();
        if let Err(source) = projected {
            let failure = NonsmoothError::Projection { time: t, source };
            state.failure.get_or_insert(failure.into());
        }
        if !again {
            dy.fill(f64::NAN);
        }
    }
}

impl MotionState<'_> {
    fn derivatives(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), FormulationError> {
        let (q, v) = y.split_at(self.dynamics.system().nq());
        let (qd, a) = dy.split_at_mut(q.len());
        self.phase.solve(At { t, q, v }, &self.applied, true)?;
        self.dynamics.system().position_rate(q, v, qd);
        a.copy_from_slice(&self.phase.a);
        Ok(())
    }
}

/// What an event function tells.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// the sliding velocity of a joint
    Sliding(usize),
    /// what is left to the limit of friction
    Friction(usize),
    /// a gap
    Gap(usize),
    /// the force that pushes a closed gap open
    Push(usize),
}

/// Two functions for each rub, two for each gap; what they tell of a status that does not hold is constant.
pub(super) struct Watches<'c, 's, 'a>(pub(super) &'c RefCell<&'s mut MotionState<'a>>);

impl Watches<'_, '_, '_> {
    fn meaning(&self, event: usize) -> Meaning {
        let rubs = self.0.borrow().interactions().rubs().len();
        let (index, second) = (event / 2, event % 2 == 1);
        match (index < rubs, second) {
            (true, false) => Meaning::Sliding(index),
            (true, true) => Meaning::Friction(index),
            (false, false) => Meaning::Gap(index - rubs),
            (false, true) => Meaning::Push(index - rubs),
        }
    }
}

/// What a function is worth that tells nothing.
const IDLE: f64 = 1.0;

impl Events for Watches<'_, '_, '_> {
    fn count(&self) -> usize {
        2 * self.0.borrow().interactions().count()
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let mut shared = self.0.borrow_mut();
        let state = &mut **shared;
        let (q, v) = y.split_at(state.dynamics.system().nq());
        let at = At { t, q, v };
        if y.iter().any(|y| !y.is_finite()) {
            // an interpolant outside of its step, or what the integrator tells by itself
            g.fill(f64::NAN);
            return;
        }
        state.place(at);
        g.fill(IDLE);
        if state.statuses.holds()
            && let Err(source) = state.phase.solve(at, &state.applied, true)
        {
            let failure = state.no_accelerations(&state.phase, t, source);
            state.failure.get_or_insert(failure);
            g.fill(f64::NAN);
            return;
        }
        let (rubs, gaps) = g.split_at_mut(2 * state.interactions().rubs().len());
        for (index, g) in rubs.chunks_mut(2).enumerate() {
            match state.statuses.rubs[index] {
                RubStatus::Slides { sense } => {
                    g[0] = sense.mul_add(state.sliding(index), state.shifts.speed);
                }
                RubStatus::Sticks { .. } => {
                    let limit = state.interactions().rubs()[index].friction.static_limit();
                    g[1] = limit - state.phase.holding(index).abs();
                }
                RubStatus::Carried { .. } => {}
            }
        }
        for (gap, g) in gaps.chunks_mut(2).enumerate() {
            if state.statuses.closed[gap] {
                g[1] = state.push(gap) + state.shifts.force;
            } else if !state.statuses.carried[gap] {
                g[0] = state.gap(gap)[0];
            }
        }
    }

    fn direction(&self, _event: usize) -> Direction {
        Direction::Falling
    }

    fn react(&mut self, event: usize, t: f64, y: &mut [f64]) -> Reaction {
        let meaning = self.meaning(event);
        let mut shared = self.0.borrow_mut();
        let state = &mut **shared;
        let (q, v) = y.split_at_mut(state.dynamics.system().nq());
        if state.shown.t != t {
            state.shown = Shown { t, ..Shown::default() };
        }
        match meaning {
            Meaning::Sliding(rub) => {
                // an event before, at the same time, may have made it slide anew, or stick
                let rest = matches!(state.statuses.rubs[rub], RubStatus::Slides { .. });
                if !rest || state.shown.released.iter().any(|(released, _)| *released == rub) {
                    return Reaction::Restart;
                }
                state.shown.at_rest.push(rub);
            }
            Meaning::Friction(rub) => {
                let RubStatus::Sticks { .. } = state.statuses.rubs[rub] else {
                    return Reaction::Restart;
                };
                let at = At { t, q, v };
                if let Err(source) = state.phase.solve(at, &state.applied, false) {
                    let failure = state.no_accelerations(&state.phase, t, source);
                    state.failure.get_or_insert(failure);
                    return Reaction::Stop;
                }
                let sense = -1.0_f64.copysign(state.phase.holding(rub));
                state.shown.released.push((rub, sense));
            }
            Meaning::Gap(gap) => {
                if state.statuses.is_shut(gap) || state.shown.touching.contains(&gap) {
                    return Reaction::Restart;
                }
                state.shown.touching.push(gap);
            }
            Meaning::Push(gap) => {
                if !state.statuses.closed[gap] {
                    return Reaction::Restart;
                }
                state.shown.opening.push(gap);
            }
        }
        match state.transition(t, q, v) {
            Ok(()) => Reaction::Restart,
            Err(failure) => {
                state.failure.get_or_insert(failure);
                Reaction::Stop
            }
        }
    }

    fn name(&self, event: usize) -> String {
        let meaning = self.meaning(event);
        let state = self.0.borrow();
        match meaning {
            Meaning::Sliding(rub) | Meaning::Friction(rub) => {
                format!("friction of '{}'", state.interactions().rubs()[rub].name)
            }
            Meaning::Gap(gap) | Meaning::Push(gap) => state.gap_name(gap),
        }
    }
}
