//! Who sees that a singular position is ahead.

use pommel_integrate::{Control, Observer, Statistics, Step};
use pommel_mechanism::formulation::Method;

use super::ConstrainedRun;
use super::passage::{Passage, Past, Span};
use super::watch::Watch;
use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// So many states of the way so far are remembered.
const HISTORY: usize = 24;
/// Steps that have shrunk to this part tell of a place that is hard to pass.
const SHRUNK: f64 = 0.25;
/// The size that they have shrunk from is forgotten by this factor a step.
const FORGOTTEN: f64 = 0.9;
/// Spans of passages that are tried, as parts of the longest.
const SPANS: [f64; 5] = [1.0, 0.7, 0.5, 0.35, 0.25];

/// Watches steps, and where they shrink before a singular position, passes it.
pub(super) struct Lookout<'a, O> {
    dynamics: &'a AbsoluteDynamics,
    state: &'a AbsoluteState,
    watch: Watch<'a, O>,
    method: Method,
    /// what an end of a passage may be off, relative to `1 + |y|`
    tolerance: f64,
    end: f64,
    started: bool,
    /// states on the way, in order of time, the denser the later
    past: Vec<Past>,
    /// where the run began that steps belong to
    since: f64,
    largest: f64,
    /// steps below are looked at again
    quiet: f64,
    passage: Option<Passage<'a>>,
    passed: bool,
    /// the observer wants no more
    stopped: bool,
    pub(super) statistics: Statistics,
}

impl<'a, O: Observer<f64>> Lookout<'a, O> {
    pub(super) fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &'a AbsoluteState,
        watch: Watch<'a, O>,
        (method, tolerance): (Method, f64),
        end: f64,
    ) -> Self {
        Lookout {
            dynamics,
            state,
            watch,
            method,
            tolerance,
            end,
            started: false,
            past: Vec::with_capacity(HISTORY),
            since: 0.0,
            largest: 0.0,
            quiet: f64::INFINITY,
            passage: None,
            passed: false,
            stopped: false,
            statistics: Statistics::default(),
        }
    }

    /// Runs, and passes singular positions between them, until the end or until the observer stops.
    ///
    /// # Arguments
    /// - `run` integrates from a time and state, in place, and tells the time reached; the outer error ends the
    ///   motion, the inner one may be passed
    pub(super) fn travel(
        mut self,
        mut y: Vec<f64>,
        mut run: impl FnMut(&mut Self, f64, &mut [f64]) -> Result<Result<f64, Error>, Error>,
    ) -> Result<ConstrainedRun, Error> {
        let mut t = 0.0;
        loop {
            match run(&mut self, t, &mut y)? {
                Ok(reached) => t = reached,
                Err(error) => {
                    // a position may have been passed in the step that failed otherwise
                    if !self.passed && !self.pass() {
                        return Err(error);
                    }
                }
            }
            if std::mem::take(&mut self.passed)
                && let Some(past) = self.past.last()
            {
                t = past.t;
                y.copy_from_slice(&past.y);
                if t < self.end && !self.stopped {
                    continue;
                }
            }
            return Ok(self.watch.conclude(t, &y, self.statistics));
        }
    }

    /// Remembers a state; of many, that one goes whose neighbours are nearest for its age.
    fn remember(&mut self, t: f64, y: &[f64], dy: &[f64]) {
        if self.past.len() < HISTORY {
            self.past.push(Past { t, y: y.to_vec(), dy: dy.to_vec() });
            return;
        }
        let gap = |i: usize| (self.past[i + 1].t - self.past[i - 1].t) / (t - self.past[i].t);
        let mut least = (1, gap(1));
        for i in 2..HISTORY - 1 {
            if gap(i) < least.1 {
                least = (i, gap(i));
            }
        }
        self.past[least.0..].rotate_left(1);
        let past = &mut self.past[HISTORY - 1];
        past.t = t;
        past.y.copy_from_slice(y);
        past.dy.copy_from_slice(dy);
    }

    /// Whether steps have shrunk, and much more than when that was asked last.
    fn has_shrunk(&mut self, h: f64) -> bool {
        self.largest = h.max(FORGOTTEN * self.largest);
        if h > 2.0 * SHRUNK * self.largest {
            self.quiet = f64::INFINITY;
        }
        let shrunk = h < SHRUNK * self.largest && h < self.quiet;
        if shrunk {
            self.quiet = SHRUNK * h;
        }
        shrunk
    }

    /// Passes a singular position, if there is one ahead that can be passed.
    fn pass(&mut self) -> bool {
        if self.past.is_empty() {
            return false;
        }
        if self.passage.is_none() {
            self.passage = Passage::new(self.dynamics, self.state, self.method);
        }
        let Some(passage) = &mut self.passage else { return false };
        let Some((time, reach)) = passage.foresee(&self.past, self.since) else { return false };
        for part in SPANS {
            let span = Span { time, reach: part * reach, end: self.end };
            passage.set_turns(self.watch.turns());
            let found = passage.cross(&self.past, span, self.tolerance);
            self.statistics.evaluations += passage.take_evaluations();
            let (Some(t), Some(now)) = (found, self.past.last()) else { continue };
            let step = passage.step(now, t);
            self.stopped = self.watch.step(&step) != Control::Continue;
            let (y, dy) = (step.y_new().to_vec(), step.dy_new().to_vec());
            let h = t - step.t_old();
            let one = Statistics { steps: 1, smallest_step: h, largest_step: h, ..<_>::default() };
            self.statistics.add(&one);
            self.remember(t, &y, &dy);
            (self.since, self.largest, self.quiet) = (t, 0.0, f64::INFINITY);
            self.passed = true;
            return true;
        }
        false
    }
}

impl<O: Observer<f64>> Observer<f64> for Lookout<'_, O> {
    fn start(&mut self, t: f64, y: &[f64]) {
        if !std::mem::replace(&mut self.started, true) {
            self.watch.start(t, y);
        }
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        let control = self.watch.step(step);
        self.remember(step.t_new(), step.y_new(), step.dy_new());
        self.stopped = control != Control::Continue;
        let shrunk = self.has_shrunk(step.t_new() - step.t_old());
        if self.stopped || step.t_new() >= self.end || !shrunk {
            return control;
        }
        if self.pass() { Control::Stop } else { control }
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.watch.interpolates(t_new)
    }
}
