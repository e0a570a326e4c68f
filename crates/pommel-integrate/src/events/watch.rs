//! Zeros of event functions within a step.

use super::Events;
use crate::{Control, Observer, Step};

/// Where in a step event functions are looked at: two zeros of one function between two of these are
/// not seen.
const POINTS: usize = 8;
/// Functions that are zero at the start of a step are looked at earlier, too, by these parts of the step: what rises
/// from zero may be back long before the first of the others.
const EARLY: [f64; 4] = [1e-9, 1e-6, 1e-4, 1e-2];
/// Times of events are found to this part of the step.
const TOLERANCE: f64 = 1e-12;
/// Rates of functions are differences over this part of the step.
const RATE_OVER: f64 = 1e-3;
/// A function that is zero at all points of so many steps tells nothing.
const ZERO_STEPS: usize = 5;

/// The first zero in a step, by its interpolant.
#[derive(Clone, Debug)]
pub(super) struct Zero {
    /// the functions that have it, in order
    pub(super) events: Vec<usize>,
    /// where the step began
    pub(super) from: f64,
    /// the time after the zero at which signs have changed
    pub(super) t: f64,
    /// what the first of the functions changes by in a unit of time
    pub(super) rate: f64,
}

/// What a step had.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Nothing,
    Event(Zero),
    NotFinite { event: usize, t: f64 },
    ConstantZero { event: usize, t: f64 },
}

/// Memory of the functions.
#[derive(Clone, Debug)]
pub(super) struct Signs {
    /// the last value that was not zero; zero if there was none
    last: Vec<f64>,
    g: Vec<f64>,
    y: Vec<f64>,
    /// steps at which a function was zero throughout, and whether it is in this one
    zeros: Vec<usize>,
    nothing: Vec<bool>,
    /// values at a point of the step
    values: Vec<f64>,
    /// the state at the beginning of the step with an event
    pub(super) begin: Vec<f64>,
    /// what the time of the last event is known to
    known: f64,
}

impl Signs {
    pub(super) fn new(events: usize, dim: usize) -> Self {
        Signs {
            last: vec![0.0; events],
            g: vec![0.0; events],
            y: vec![0.0; dim],
            zeros: vec![0; events],
            nothing: vec![false; events],
            values: vec![0.0; events],
            begin: vec![0.0; dim],
            known: 0.0,
        }
    }

    /// Values at a start. A function that is zero there, or whose event has just been, counts from its next
    /// value on: what is zero at the start is no event.
    pub(super) fn start(
        &mut self,
        events: &mut impl Events,
        t: f64,
        y: &[f64],
        just: &[usize],
    ) -> Found {
        events.values(t, y, &mut self.g);
        if let Some(event) = self.g.iter().position(|g| !g.is_finite()) {
            return Found::NotFinite { event, t };
        }
        self.last.copy_from_slice(&self.g);
        just.iter().for_each(|event| self.last[*event] = 0.0);
        Found::Nothing
    }

    /// Value of a function at a time within the step.
    fn at(&mut self, events: &mut impl Events, step: &Step<'_, f64>, t: f64) {
        step.interpolate(t, &mut self.y);
        events.values(t, &self.y, &mut self.g);
    }

    /// The value of a function at a time of the step.
    fn value(
        &mut self,
        events: &mut impl Events,
        step: &Step<'_, f64>,
        event: usize,
        t: f64,
    ) -> f64 {
        self.at(events, step, t);
        self.g[event]
    }

    /// The first event of a step.
    pub(super) fn look(&mut self, events: &mut impl Events, step: &Step<'_, f64>) -> Found {
        let (t0, t1) = (step.t_old(), step.t_new());
        let span = t1 - t0;
        let mut before = t0;
        self.nothing.fill(true);
        let early = if self.last.contains(&0.0) { &EARLY[..] } else { &[] };
        let inner = (1..POINTS).map(|point| point as f64 / POINTS as f64);
        let parts = early.iter().copied().chain(inner);
        for t in parts.map(|part| span.mul_add(part, t0)).chain([t1]) {
            // no time can tell them apart, or the start from the event that was there
            if t == before || (t != t1 && (t - t0).abs() <= self.known) {
                continue;
            }
            self.at(events, step, t);
            self.values.copy_from_slice(&self.g);
            if let Some(event) = self.g.iter().position(|g| !g.is_finite()) {
                return Found::NotFinite { event, t };
            }
            let mut zeros: Vec<(usize, f64)> = Vec::new();
            for event in 0..self.values.len() {
                let (last, g) = (self.last[event], self.values[event]);
                self.nothing[event] &= g == 0.0;
                if events.direction(event).takes(last, g) {
                    zeros.push((event, self.narrow(events, step, event, (before, last), (t, g))));
                }
            }
            let first = zeros.iter().fold(None, |first: Option<f64>, (_, time)| {
                Some(first.map_or(*time, |f| if (time - f) * span < 0.0 { *time } else { f }))
            });
            if let Some(time) = first {
                // those that are as near as times are known are simultaneous
                let near = 2.0 * self.resolution(span, time);
                zeros.retain(|(_, other)| (other - time).abs() <= near);
                let event = zeros[0].0;
                // no rate of what was before the step
                let ago = (RATE_OVER * span.abs()).min(0.5 * (time - t0).abs()).copysign(span);
                let rate = (self.value(events, step, event, time)
                    - self.value(events, step, event, time - ago))
                    / ago;
                self.begin.copy_from_slice(step.y_old());
                self.known = near;
                let events = zeros.into_iter().map(|(event, _)| event).collect();
                return Found::Event(Zero { events, from: t0, t: time, rate });
            }
            for (last, g) in self.last.iter_mut().zip(&self.values) {
                if *g != 0.0 {
                    *last = *g;
                }
            }
            before = t;
        }
        for (event, nothing) in self.nothing.iter().enumerate() {
            self.zeros[event] = if *nothing { self.zeros[event] + 1 } else { 0 };
            if self.zeros[event] >= ZERO_STEPS {
                return Found::ConstantZero { event, t: t0 };
            }
        }
        Found::Nothing
    }

    /// What times of events are known to.
    fn resolution(&self, span: f64, t: f64) -> f64 {
        TOLERANCE * span.abs() + 2.0 * f64::EPSILON * t.abs()
    }

    /// A zero between two points, by regula falsi that halves what stands still (Illinois), and by halving
    /// where that is slow; the end at which the sign has changed.
    fn narrow(
        &mut self,
        events: &mut impl Events,
        step: &Step<'_, f64>,
        event: usize,
        (mut a, mut ga): (f64, f64),
        (mut b, mut gb): (f64, f64),
    ) -> f64 {
        let least = self.resolution(step.t_new() - step.t_old(), b);
        let changed = gb > 0.0;
        let mut side = 0_i32;
        for round in 0..200 {
            if (b - a).abs() <= least {
                break;
            }
            let mut t = b - gb * (b - a) / (gb - ga);
            let inside = (t - a) * (b - t) > 0.0;
            if !inside || round % 3 == 2 {
                t = 0.5 * (a + b);
            }
            // no nearer to an end than what is asked for
            let margin = 0.5 * least.copysign(b - a);
            t = if (t - a).abs() < margin.abs() { a + margin } else { t };
            t = if (b - t).abs() < margin.abs() { b - margin } else { t };
            let g = self.value(events, step, event, t);
            if (g > 0.0) == changed && g != 0.0 {
                (b, gb) = (t, g);
                if side == 1 {
                    ga *= 0.5;
                }
                side = 1;
            } else {
                // zero counts as not changed yet
                (a, ga) = (t, if g == 0.0 { ga.signum() * f64::MIN_POSITIVE } else { g });
                if side == -1 {
                    gb *= 0.5;
                }
                side = -1;
            }
        }
        b
    }
}

/// Stops an integration at the step with the first event, which its own observer does not see.
pub(super) struct Watch<'a, V, O> {
    pub(super) events: &'a mut V,
    pub(super) signs: &'a mut Signs,
    pub(super) observer: &'a mut O,
    pub(super) found: Found,
    /// whether the observer ended the integration
    pub(super) stopped: bool,
}

impl<V: Events, O: Observer<f64>> Observer<f64> for Watch<'_, V, O> {
    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        self.found = self.signs.look(self.events, step);
        if !matches!(self.found, Found::Nothing) {
            return Control::Stop;
        }
        let control = self.observer.step(step);
        self.stopped = control != Control::Continue;
        control
    }
}

/// An observer that sees steps but no starts.
pub(super) struct Steps<'a, O> {
    pub(super) observer: &'a mut O,
    pub(super) stopped: bool,
}

impl<O: Observer<f64>> Observer<f64> for Steps<'_, O> {
    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        let control = self.observer.step(step);
        self.stopped = control != Control::Continue;
        control
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.observer.interpolates(t_new)
    }
}
