//! The second half of an attempt: which lanes accept their step, and what becomes of the others.

use std::sync::Arc;

use pommel_math::{Kernel, Mask, Real};

use crate::control::{Powers, StepControl};
use crate::kernels::{ErrorMaximum, ErrorSquare, Errors, Probe, Scale};
use crate::lane::MAX_LANES;
use crate::method::Method;
use crate::options::Stepping;
use crate::stepper::count_call;
use crate::{Attempt, Cause, Controller, Failure, Stepper, System};

/// The verdict on a lane's step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verdict {
    /// With this error norm.
    Accept(f64),
    /// With this error norm, mostly from this component.
    Reject { error: f64, component: usize },
    /// A number is not finite.
    NonFinite { stage: usize, component: usize },
    /// The lane does not run.
    Idle,
}

impl<T: Real> Stepper<T> {
    /// Accepts or rejects by the error norm; a fixed step is always accepted here.
    #[inline(always)]
    pub(crate) fn judge(&mut self) -> [Verdict; MAX_LANES] {
        let mut verdicts = [Verdict::Idle; MAX_LANES];
        if let Stepping::Fixed(_) = self.options.stepping {
            for (verdict, lane) in verdicts[..T::LANES].iter_mut().zip(&self.lanes) {
                if lane.running {
                    *verdict = Verdict::Accept(0.0);
                }
            }
            return verdicts;
        }
        let controller = self.options.stepping.controller();
        let Method { rtol, atol, error, lower, .. } = &self.method;
        let scale = Scale { rtol, atol, y0: &self.y_old, y1: &self.y_new };
        // the stages are done, so their state is free
        let (h, k, ratios) = (self.h, &self.k[..], &mut self.y_stage[..]);
        let tempered = if lower.is_empty() {
            None
        } else {
            Some(norm(controller, Errors { h, k, row: lower, scale, ratios: &mut *ratios }))
        };
        let norm = norm(controller, Errors { h, k, row: error, scale, ratios });
        let (norm, tempered) = (lanes(norm), tempered.map(lanes));
        for (i, verdict) in verdicts[..T::LANES].iter_mut().enumerate() {
            let error = match tempered {
                Some(lower) => temper(self.size(norm[i]), self.size(lower[i])),
                None => self.size(norm[i]),
            };
            if self.lanes[i].running {
                *verdict = if error <= 1.0 {
                    Verdict::Accept(error)
                } else if error.is_nan() {
                    self.non_finite(i)
                } else {
                    self.reject(i, error)
                };
            }
        }
        verdicts
    }

    /// The component is looked up only if the next step may be too small.
    #[cold]
    fn reject(&self, i: usize, error: f64) -> Verdict {
        let lane = &self.lanes[i];
        let near_end = lane.control.may_end(lane.h_tried, self.smallest_step(i));
        let component = if near_end { self.largest_error(i) } else { 0 };
        Verdict::Reject { error, component }
    }

    /// The component with the largest error in lane `i`, from the ratios that its norm was taken of.
    fn largest_error(&self, i: usize) -> usize {
        let mut largest = (0, 0.0);
        for (component, ratio) in self.y_stage.iter().enumerate() {
            let ratio = ratio.lane(i).abs();
            if ratio > largest.1 {
                largest = (component, ratio);
            }
        }
        largest.0
    }

    /// Where lane `i` has its first number that is not finite.
    #[cold]
    fn non_finite(&self, i: usize) -> Verdict {
        let n = self.n;
        let evaluated = &self.k[..self.method.end + n];
        if let Some(at) = evaluated.iter().position(|k| !k.is_finite().lane(i)) {
            return Verdict::NonFinite { stage: at / n, component: at % n };
        }
        let component = self.y_new.iter().position(|y| !y.is_finite().lane(i)).unwrap_or(0);
        Verdict::NonFinite { stage: self.method.stages, component }
    }

    /// Derivative at the new state, projection, and the test that both are finite, for the lanes
    /// that are to be accepted; the others see their old state.
    ///
    /// # Errors
    /// That of the system.
    #[inline(always)]
    pub(crate) fn finish<S: System<T>>(
        &mut self,
        system: &mut S,
        verdicts: &mut [Verdict; MAX_LANES],
    ) -> Result<(), S::Error> {
        let end = self.method.end;
        let accepted = accepted::<T>(verdicts);
        if accepted.is_none() {
            return Ok(());
        }
        if !self.method.first_same_as_last {
            self.restore(!accepted);
            count_call::<T>(&mut self.calls, &mut self.lanes, accepted);
            system.rhs(self.t_new, &self.y_new, &mut self.k[end..end + self.n])?;
        }
        self.restore(!accepted);
        let derivative = &mut self.k[end..end + self.n];
        system.project(self.t_new, &mut self.y_new, derivative);
        let finite = Probe { a: &self.y_new, b: derivative }.run().is_finite();
        for (i, verdict) in verdicts[..T::LANES].iter_mut().enumerate() {
            if accepted.lane(i) && !finite.lane(i) {
                *verdict = self.non_finite(i);
            }
        }
        Ok(())
    }

    /// Gives the lanes their old time, state and derivative again.
    #[inline(always)]
    fn restore(&mut self, lanes: Mask) {
        let end = self.method.end;
        if (lanes & Mask::all(T::LANES)).is_none() {
            return;
        }
        self.t_new = T::select(lanes, self.t_old, self.t_new);
        for i in 0..self.n {
            self.y_new[i] = T::select(lanes, self.y_old[i], self.y_new[i]);
            self.k[end + i] = T::select(lanes, self.k[i], self.k[end + i]);
        }
    }

    /// Applies the verdicts: next step sizes, counts, failures.
    #[inline(always)]
    pub(crate) fn conclude<E>(&mut self, verdicts: &[Verdict; MAX_LANES]) -> Attempt<E> {
        let accepted = accepted::<T>(verdicts);
        self.restore(!accepted);
        self.advanced = accepted;
        self.commit = accepted;
        let mut failures = Vec::new();
        let powers = self.powers(verdicts);
        for (i, verdict) in verdicts[..T::LANES].iter().enumerate() {
            let control = &mut self.lanes[i].control;
            let cause = match *verdict {
                Verdict::Accept(error) => self.accept(i, error, powers[i]),
                Verdict::Reject { error, component } => {
                    let factor = control.reject(error);
                    self.shrink(i, factor, Cause::Tolerance { error, component })
                }
                Verdict::NonFinite { stage, component } => {
                    let factor = control.cut();
                    self.shrink(i, factor, Cause::NonFinite { stage, component })
                }
                Verdict::Idle => None,
            };
            self.end(i, cause, &mut failures);
        }
        Attempt { accepted, failures }
    }

    /// The system returned an error: every running lane cuts its step.
    #[cold]
    pub(crate) fn retreat<E>(&mut self, error: E) -> Attempt<E> {
        self.restore(Mask::all(T::LANES));
        let source = Arc::new(error);
        let mut failures = Vec::new();
        for i in 0..T::LANES {
            if self.lanes[i].running {
                let factor = self.lanes[i].control.cut();
                let cause = self.shrink(i, factor, Cause::Rhs(Arc::clone(&source)));
                self.end(i, cause, &mut failures);
            }
        }
        Attempt { accepted: Mask::NONE, failures }
    }

    /// What controllers need of the errors of accepted steps, of all lanes at once: one lane after the other would
    /// wait for each.
    #[inline(always)]
    fn powers(&self, verdicts: &[Verdict; MAX_LANES]) -> [Powers; MAX_LANES] {
        let error = |i: usize| match verdicts[i] {
            Verdict::Accept(error) => error,
            _ => 1.0,
        };
        let lanes = &self.lanes;
        let control = |i: usize| &lanes[i].control;
        if T::LANES == 1 {
            let [powers] = StepControl::powers([control(0)], [error(0)]);
            return [powers; MAX_LANES];
        }
        if T::LANES <= 4 {
            use std::array::from_fn;
            let [a, b, c, d] = StepControl::powers::<4>(from_fn(control), from_fn(error));
            return [a, b, c, d, a, b, c, d];
        }
        StepControl::powers(std::array::from_fn(control), std::array::from_fn(error))
    }

    /// Counts an accepted step and sizes the next one.
    #[inline(always)]
    fn accept<E>(&mut self, i: usize, error: f64, powers: Powers) -> Option<Cause<E>> {
        let (h_min, limit) = (self.smallest_next_step(i), self.options.max_steps);
        let lane = &mut self.lanes[i];
        lane.statistics.count_accepted(lane.h_tried);
        lane.running = !lane.last;
        if let Stepping::Adaptive(_) = self.options.stepping {
            let h = lane.h_tried * lane.control.accept(error, powers);
            lane.h = h.max(h_min).min(lane.h_max);
        }
        lane.limit_reached(limit).then_some(Cause::TooManySteps { limit })
    }

    /// Counts a rejected step and shrinks it; `cause` is returned if it must not be smaller.
    #[inline(always)]
    fn shrink<E>(&mut self, i: usize, factor: f64, cause: Cause<E>) -> Option<Cause<E>> {
        let (h_min, limit) = (self.smallest_step(i), self.options.max_steps);
        let lane = &mut self.lanes[i];
        lane.statistics.rejected += 1;
        if matches!(self.options.stepping, Stepping::Fixed(_)) {
            return Some(cause);
        }
        let Some(h) = lane.control.shrink(lane.h_tried, factor, h_min) else {
            return Some(cause);
        };
        lane.h = h;
        lane.limit_reached(limit).then_some(Cause::TooManySteps { limit })
    }

    /// Ends lane `i` if there is a cause.
    #[inline(always)]
    fn end<E>(&mut self, i: usize, cause: Option<Cause<E>>, failures: &mut Vec<Failure<E>>) {
        if let Some(cause) = cause {
            let lane = &mut self.lanes[i];
            lane.running = false;
            let step = lane.direction * lane.h_tried;
            failures.push(Failure { lane: i, t: self.t_new.lane(i), step, cause });
        }
    }

    /// The least step of lane `i` from its old time on.
    #[inline(always)]
    pub(crate) fn smallest_step(&self, i: usize) -> f64 {
        self.smallest_step_from(self.t_old.lane(i), i)
    }

    /// The least step after an accepted one: `ode45` asks the time that it has reached, the others
    /// the one before.
    #[inline(always)]
    fn smallest_next_step(&self, i: usize) -> f64 {
        match self.options.stepping.controller() {
            Controller::Pi => self.smallest_step(i),
            Controller::Ode45 => self.smallest_step_from(self.t_new.lane(i), i),
        }
    }

    #[inline(always)]
    fn smallest_step_from(&self, t: f64, i: usize) -> f64 {
        // near t = 0, where a unit in the last place is as small as one likes
        let floor = self.epsilon * self.epsilon * (self.t1.lane(i) - self.t0.lane(i)).abs();
        let units = match self.options.stepping.controller() {
            Controller::Pi => 10.0 * self.epsilon * t.abs(),
            Controller::Ode45 => 16.0 * self.epsilon * power_of_two_below(t),
        };
        let resolution = units.max(floor);
        match &self.options.stepping {
            Stepping::Fixed(_) => resolution,
            Stepping::Adaptive(settings) => resolution.max(settings.min_step),
        }
    }

    pub(crate) fn scale(&self) -> Scale<'_, T> {
        let (rtol, atol) = (&self.method.rtol[..], &self.method.atol[..]);
        Scale { rtol, atol, y0: &self.y_old, y1: &self.y_new }
    }

    /// The size of errors by their norm.
    #[inline(always)]
    fn size(&self, norm: f64) -> f64 {
        match self.options.stepping.controller() {
            Controller::Pi => self.root_mean(norm),
            Controller::Ode45 => norm,
        }
    }

    #[inline(always)]
    pub(crate) fn root_mean(&self, square: f64) -> f64 {
        (square / self.n.max(1) as f64).sqrt()
    }
}

/// All lanes at once; one after the other they would be stored each time.
#[inline(always)]
fn lanes<T: Real>(x: T) -> [f64; MAX_LANES] {
    let mut list = [0.0; MAX_LANES];
    for (i, lane) in list[..T::LANES].iter_mut().enumerate() {
        *lane = x.lane(i);
    }
    list
}

/// The norm of errors that a controller goes by.
#[inline(always)]
fn norm<T: Real>(controller: Controller, errors: Errors<'_, T>) -> T {
    match controller {
        Controller::Pi => ErrorSquare(errors).run(),
        Controller::Ode45 => ErrorMaximum(errors).run(),
    }
}

/// `e² / √(e² + 0.01 ẽ²)`, the error by two estimates.
fn temper(error: f64, lower: f64) -> f64 {
    // zero over zero is no error
    if error == 0.0 && lower.is_finite() {
        return 0.0;
    }
    error * (error / (0.1 * lower).hypot(error))
}

/// The greatest power of two up to `|t|`, whose spacing is that of `t`; 0 below all normal numbers.
fn power_of_two_below(t: f64) -> f64 {
    f64::from_bits(t.to_bits() & f64::INFINITY.to_bits())
}

/// The lanes with an accepting verdict.
#[inline(always)]
fn accepted<T: Real>(verdicts: &[Verdict; MAX_LANES]) -> Mask {
    Mask::from_fn(T::LANES, |i| matches!(verdicts[i], Verdict::Accept(_)))
}
