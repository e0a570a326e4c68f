//! Who sees that a singular position is ahead.

use pommel_integrate::{Cause, Control, Failure, Observer, Statistics, Step};
use pommel_mechanism::formulation::Method;

use super::ConstrainedRun;
use super::pace::Pace;
use super::passage::{Passage, Span};
use super::shrinkage::Shrinkage;
use super::watch::Watch;
use super::way::Way;
use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// Spans of passages that are tried, as parts of the longest.
const SPANS: [f64; 5] = [1.0, 0.7, 0.5, 0.35, 0.25];
/// What is asked of the integration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// by which rates are found within passages
    pub(super) method: Method,
    /// what an end of a passage may be off, relative to `1 + |y|`
    pub(super) tolerance: f64,
    pub(super) pace: Pace,
    /// the most steps, rejected ones included
    pub(super) limit: u64,
    /// of the motion
    pub(super) end: f64,
}

/// Watches steps, and where they shrink before a singular position, passes it.
pub(super) struct Lookout<'a, O> {
    dynamics: &'a AbsoluteDynamics,
    state: &'a AbsoluteState,
    watch: Watch<'a, O>,
    terms: Terms,
    started: bool,
    way: Way,
    /// where the run began that steps belong to
    since: f64,
    shrinkage: Shrinkage,
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
        terms: Terms,
    ) -> Self {
        Lookout {
            dynamics,
            state,
            watch,
            terms,
            started: false,
            way: Way::default(),
            since: 0.0,
            shrinkage: Shrinkage::new(),
            passage: None,
            passed: false,
            stopped: false,
            statistics: Statistics::default(),
        }
    }

    /// Turns of joints in space at the state that was seen last.
    pub(super) fn turns(&self) -> &[f64] {
        self.watch.turns()
    }

    /// How many steps are left of the most that the options allow.
    pub(super) fn left(&self) -> u64 {
        self.terms.limit.saturating_sub(self.statistics.steps + self.statistics.rejected)
    }

    /// Whether a failure may be one of a singular position, with the limit on steps that was asked for.
    pub(super) fn may_pass<E>(&self, failure: &mut Failure<E>) -> bool {
        match &mut failure.cause {
            Cause::TooManySteps { limit } => {
                *limit = self.terms.limit;
                false
            }
            Cause::Time | Cause::InitialState { .. } | Cause::StepBelowResolution => false,
            _ => true,
        }
    }

    /// Runs, and passes singular positions between them, until the end or until the observer stops.
    ///
    /// # Arguments
    /// - `run` integrates from a time and state, in place, in as many steps as are left, and tells the time reached;
    ///   the outer error ends the motion, the inner one may be passed
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
                    if !self.passed && !self.pass(0.0) {
                        return Err(error);
                    }
                }
            }
            if std::mem::take(&mut self.passed)
                && let Some(past) = self.way.past.last()
            {
                t = past.t;
                y.copy_from_slice(&past.y);
                if t < self.terms.end && !self.stopped {
                    continue;
                }
            }
            return Ok(self.watch.conclude(t, &y, self.statistics));
        }
    }

    /// Passes a singular position, if there is one ahead that can be passed, and remembers if there is not.
    fn pass(&mut self, h: f64) -> bool {
        if self.way.past.is_empty() {
            return false;
        }
        self.passed = self.cross().is_some();
        if self.passed {
            self.shrinkage = Shrinkage::new();
        } else {
            self.shrinkage.refused(h);
        }
        self.passed
    }

    fn cross(&mut self) -> Option<()> {
        if self.passage.is_none() {
            self.passage = Passage::new(self.dynamics, self.state, self.terms.method);
        }
        let passage = self.passage.as_mut()?;
        let Terms { tolerance, pace, end, .. } = self.terms;
        let foreseen = passage.foresee(&mut self.way, self.since);
        self.statistics.evaluations += passage.take_evaluations();
        let (time, reach) = foreseen?;
        let now = self.way.past.last()?.clone();
        for part in SPANS {
            let span = Span { time, reach: part * reach, since: self.since };
            let ends = pace.ends(now.t, (span.near(), span.far()), end);
            let Some(ends) = ends.filter(|ends| ends.first().is_some_and(|t| *t > now.t)) else {
                continue;
            };
            let holds = passage.cross(&self.way, span, tolerance);
            self.statistics.evaluations += passage.take_evaluations();
            if !holds {
                continue;
            }
            passage.enter(&now);
            for t in ends {
                let step = passage.step(t, span, tolerance);
                let h = t - step.t_old();
                self.stopped = self.watch.step(&step) != Control::Continue;
                let one =
                    Statistics { steps: 1, smallest_step: h, largest_step: h, ..<_>::default() };
                self.statistics.add(&one);
                self.since = t;
                if self.stopped {
                    break;
                }
            }
            self.statistics.evaluations += passage.take_evaluations();
            let new = passage.reached();
            self.way.remember(new.t, (&new.y, &new.dy), self.watch.turns());
            return Some(());
        }
        None
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
        self.way.remember(step.t_new(), (step.y_new(), step.dy_new()), self.watch.turns());
        self.stopped = control != Control::Continue;
        let h = step.t_new() - step.t_old();
        if self.stopped || step.t_new() >= self.terms.end || !self.shrinkage.asks(h) {
            return control;
        }
        if self.pass(h) { Control::Stop } else { control }
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.watch.interpolates(t_new)
    }
}
