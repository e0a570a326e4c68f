//! The beginning of an integration: checks, first derivative, first step size.

use std::sync::Arc;

use pommel_math::{Mask, Real, dispatch};

use crate::control::power;
use crate::kernels::{Combine, NormSquare};
use crate::lane::{Lane, MAX_LANES};
use crate::options::{Adaptive, Stepping};
use crate::precision::rounding_of_quotient;
use crate::stepper::count_call;
use crate::{Cause, Controller, Failure, InputError, Stepper, System};

impl<T: Real> Stepper<T> {
    /// Begins an integration from `y0` at `t0` to `t1`, which may lie before `t0`.
    ///
    /// Returns the lanes that cannot even begin: their times or initial state are not finite, or
    /// the system cannot be evaluated there. A lane with `t1 = t0` is finished at once.
    ///
    /// # Errors
    /// [`InputError::Dimension`] if system, state and stepper do not agree.
    pub fn start<S: System<T>>(
        &mut self,
        system: &mut S,
        t0: T,
        t1: T,
        y0: &[T],
    ) -> Result<Vec<Failure<S::Error>>, InputError> {
        for found in [system.dim(), y0.len()] {
            if found != self.n {
                return Err(InputError::Dimension { expected: self.n, found });
            }
        }
        (self.t0, self.t1, self.t_old, self.t_new) = (t0, t1, t0, t0);
        self.y_old.copy_from_slice(y0);
        self.y_new.copy_from_slice(y0);
        self.k.fill(T::zero());
        self.calls = 0;
        Ok(self.begin(system, Mask::all(T::LANES)))
    }

    /// Begins other integrations in some lanes, while the others go on: so that lanes whose integrations have ended do
    /// not wait for the slowest.
    ///
    /// What runs in the other lanes is not touched, to the last bit, and an integration gives the same bits in any lane
    /// beside any others: as long as the system does not return `Err`, which stands for all lanes (NaN in the entries of
    /// a lane stands for that lane). The system must be that of the new integrations in these lanes from here on.
    /// [`last_step`](Stepper::last_step) is of no length then: look at it before.
    ///
    /// # Arguments
    /// - `lanes` to begin; what runs there is given up
    /// - `t0`, `t1` start and end; those of other lanes are not read
    /// - `y0` initial states, in these lanes
    ///
    /// # Errors
    /// As [`start`](Stepper::start).
    ///
    /// # Cost
    /// Two evaluations, as many as a start.
    pub fn restart<S: System<T>>(
        &mut self,
        system: &mut S,
        lanes: Mask,
        t0: T,
        t1: T,
        y0: &[T],
    ) -> Result<Vec<Failure<S::Error>>, InputError> {
        for found in [system.dim(), y0.len()] {
            if found != self.n {
                return Err(InputError::Dimension { expected: self.n, found });
            }
        }
        self.commit();
        self.t0 = T::select(lanes, t0, self.t0);
        self.t1 = T::select(lanes, t1, self.t1);
        self.t_old = T::select(lanes, t0, self.t_old);
        self.t_new = self.t_old;
        for (i, &y) in y0.iter().enumerate() {
            self.y_old[i] = T::select(lanes, y, self.y_old[i]);
            self.y_new[i] = self.y_old[i];
        }
        Ok(self.begin(system, lanes))
    }

    /// Begins lanes whose times and states are there. The other lanes have the same state and derivative in both places.
    fn begin<S: System<T>>(&mut self, system: &mut S, begun: Mask) -> Vec<Failure<S::Error>> {
        let controller = self.options.stepping.controller();
        let mut failures = Vec::new();
        for i in (0..T::LANES).filter(|&i| begun.lane(i)) {
            self.lanes[i] = Lane::new(controller, self.method.k);
            match self.begin_lane(i) {
                Some(cause) => self.fail(i, cause, &mut failures),
                None => self.lanes[i].running = self.t0.lane(i) != self.t1.lane(i),
            }
        }
        if (self.running() & begun).any() {
            self.first_derivative(system, begun, &mut failures);
        }
        if (self.running() & begun).any()
            && let Stepping::Adaptive(settings) = &self.options.stepping
        {
            let new = (0..T::LANES).filter(|&i| begun.lane(i));
            match (settings.first_step, controller) {
                (Some(h), _) => new.clone().for_each(|i| self.lanes[i].h = h),
                (None, Controller::Pi) => self.guess_first_step(system, begun),
                (None, Controller::Ode45) => self.first_step_by_rate(begun),
            }
            for i in new {
                let h = self.lanes[i].h.max(self.smallest_step(i));
                self.lanes[i].h = h.min(self.lanes[i].h_max);
            }
        }
        self.commit = Mask::all(T::LANES);
        self.advanced = Mask::NONE;
        self.extended = false;
        failures
    }

    fn fail<E>(&mut self, lane: usize, cause: Cause<E>, failures: &mut Vec<Failure<E>>) {
        self.lanes[lane].running = false;
        failures.push(Failure { lane, t: self.t0.lane(lane), step: 0.0, cause });
    }

    /// Checks a lane's input and sets what follows from its interval.
    fn begin_lane<E>(&mut self, i: usize) -> Option<Cause<E>> {
        let (t0, t1) = (self.t0.lane(i), self.t1.lane(i));
        if !(t0.is_finite() && t1.is_finite()) {
            return Some(Cause::Time);
        }
        if let Some(component) = self.y_new.iter().position(|y| !y.is_finite().lane(i)) {
            return Some(Cause::InitialState { component });
        }
        let span = (t1 - t0).abs();
        let lane = &mut self.lanes[i];
        lane.direction = if t1 < t0 { -1.0 } else { 1.0 };
        match &self.options.stepping {
            Stepping::Fixed(h) => {
                if *h < 10.0 * self.epsilon * t0.abs().max(t1.abs()) && *h < span {
                    return Some(Cause::StepBelowResolution);
                }
                lane.h = *h;
                // a quotient that rounding put just above an integer costs no step
                let steps = span / h * (1.0 - rounding_of_quotient::<T>());
                lane.total_steps = steps.ceil().max(1.0) as u64;
            }
            Stepping::Adaptive(Adaptive { max_step, controller, .. }) => {
                let largest = match controller {
                    Controller::Pi => span,
                    Controller::Ode45 => 0.1 * span,
                };
                lane.h_max = max_step.unwrap_or(largest).min(span);
            }
        }
        None
    }

    /// `f(t0, y0)`, the first stage of the first step.
    fn first_derivative<S: System<T>>(
        &mut self,
        system: &mut S,
        begun: Mask,
        failures: &mut Vec<Failure<S::Error>>,
    ) {
        let running = self.running() & begun;
        let (n, end) = (self.n, self.method.end);
        count_call::<T>(&mut self.calls, &mut self.lanes, running);
        let range = end..end + n;
        let result = system.rhs(self.t_new, &self.y_new, &mut self.k[range.clone()]);
        if !begun.is_all(T::LANES) {
            for i in 0..n {
                self.k[end + i] = T::select(begun, self.k[end + i], self.k[i]);
            }
        }
        let source = result.err().map(Arc::new);
        for i in (0..T::LANES).filter(|i| running.lane(*i)) {
            if let Some(source) = &source {
                self.fail(i, Cause::Rhs(Arc::clone(source)), failures);
            } else if let Some(component) =
                self.k[range.clone()].iter().position(|k| !k.is_finite().lane(i))
            {
                self.fail(i, Cause::NonFinite { stage: 0, component }, failures);
            }
        }
    }

    /// The first step of `ode45`: the largest, unless a component would change by more than its part
    /// at its first rate. Numbers of one lane at a time: once an integration.
    fn first_step_by_rate(&mut self, begun: Mask) {
        let method = &self.method;
        let rates = &self.k[method.end..method.end + self.n];
        let lanes = self.lanes[..T::LANES].iter_mut().enumerate();
        for (i, lane) in lanes.filter(|(i, _)| begun.lane(*i)) {
            let mut fastest = 0.0_f64;
            for (c, (rate, y)) in rates.iter().zip(&self.y_new).enumerate() {
                let threshold = method.atol[c].lane(i) / method.rtol[c].lane(i);
                let size = y.lane(i).abs().max(threshold);
                fastest = fastest.max(rate.lane(i).abs() / size / method.first_parts[c]);
            }
            lane.h = if lane.h_max * fastest > 1.0 { 1.0 / fastest } else { lane.h_max };
        }
    }

    /// The automatic first step [HNW93, section II.4]: from the sizes of state and first derivative, and
    /// from the second derivative that an Euler step shows.
    fn guess_first_step<S: System<T>>(&mut self, system: &mut S, begun: Mask) {
        let (n, end, running) = (self.n, self.method.end, self.running() & begun);
        let d0 = dispatch(NormSquare { x: &self.y_new, scale: self.scale() });
        let d1 = dispatch(NormSquare { x: &self.k[end..end + n], scale: self.scale() });
        let mut h0 = [0.0; MAX_LANES];
        for i in (0..T::LANES).filter(|i| running.lane(*i)) {
            let (d0, d1) = (self.root_mean(d0.lane(i)), self.root_mean(d1.lane(i)));
            let h = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * (d0 / d1) };
            h0[i] = h.max(self.smallest_step(i)).min(self.lanes[i].h_max);
        }

        let lanes = &self.lanes;
        let h = T::from_lanes(|i| lanes[i].direction * h0[i]);
        let row = [(end, T::one())];
        let y_stage = &mut self.y_stage;
        dispatch(Combine { h, y: &self.y_old, k: &self.k, row: &row, out: y_stage });
        count_call::<T>(&mut self.calls, &mut self.lanes, running);
        // the first row is free until the first step begins: all lanes have their derivatives at the end, too
        let (first, rest) = self.k.split_at_mut(n);
        let evaluated = system.rhs(self.t_new + h, y_stage, first).is_ok();
        for (first, start) in first.iter_mut().zip(&rest[end - n..]) {
            *first -= *start;
        }

        let d2 = dispatch(NormSquare { x: &self.k[..n], scale: self.scale() });
        for i in (0..T::LANES).filter(|i| running.lane(*i)) {
            let d1 = self.root_mean(d1.lane(i));
            let d2 = self.root_mean(d2.lane(i)) / h0[i];
            let lane = &mut self.lanes[i];
            // where the trial left the domain of the system, its size is all that is known
            lane.h = h0[i];
            if evaluated && d2.is_finite() {
                let slope = d1.max(d2);
                let h1 = if slope <= 1e-15 {
                    (1e-3 * h0[i]).max(1e-6)
                } else {
                    power(0.01 / slope, 1.0 / self.method.k as f64)
                };
                lane.h = h1.min(100.0 * h0[i]);
            }
        }
    }
}
