//! What belongs to one lane: its progress, its step size, its counts.

use crate::Controller;
use crate::control::StepControl;

/// The most lanes that a scalar has.
pub(crate) const MAX_LANES: usize = 8;

/// Counts of one lane's integration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected steps.
    pub rejected: u64,
    /// Evaluations of the right-hand side that this lane took part in while it was running: as
    /// many as its integration alone would have made.
    pub evaluations: u64,
    /// Matrices of derivatives that implicit methods took; their differences count as evaluations, too.
    pub jacobians: u64,
    /// Factorizations of implicit methods: one a distinct eigenvalue of the method.
    pub factorizations: u64,
    /// Magnitude of the smallest accepted step (often the last, which ends at the end time).
    pub smallest_step: f64,
    /// Magnitude of the largest accepted step.
    pub largest_step: f64,
}

impl Statistics {
    /// Adds the counts of another piece of the same motion.
    pub fn add(&mut self, piece: &Statistics) {
        if piece.steps > 0 {
            let first = self.steps == 0;
            self.smallest_step = if first {
                piece.smallest_step
            } else {
                self.smallest_step.min(piece.smallest_step)
            };
        }
        self.largest_step = self.largest_step.max(piece.largest_step);
        self.steps += piece.steps;
        self.rejected += piece.rejected;
        self.evaluations += piece.evaluations;
        self.jacobians += piece.jacobians;
        self.factorizations += piece.factorizations;
    }

    pub(crate) fn count_accepted(&mut self, h: f64) {
        self.smallest_step = if self.steps == 0 { h } else { self.smallest_step.min(h) };
        self.largest_step = self.largest_step.max(h);
        self.steps += 1;
    }
}

/// One lane on its way. Step sizes are magnitudes; `direction` is their sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) running: bool,
    pub(crate) stopped: bool,
    pub(crate) direction: f64,
    /// Size of the next step to try.
    pub(crate) h: f64,
    /// Size of the step being tried, at most `h`.
    pub(crate) h_tried: f64,
    /// Whether the step being tried ends at the end time.
    pub(crate) last: bool,
    /// Number of steps of a run with fixed steps.
    pub(crate) total_steps: u64,
    pub(crate) h_max: f64,
    pub(crate) control: StepControl,
    pub(crate) statistics: Statistics,
}

impl Lane {
    pub(crate) fn new(controller: Controller, k: usize) -> Lane {
        Lane {
            running: false,
            stopped: false,
            direction: 1.0,
            h: 0.0,
            h_tried: 0.0,
            last: false,
            total_steps: 0,
            h_max: f64::INFINITY,
            control: StepControl::new(controller, k),
            statistics: Statistics::default(),
        }
    }

    /// Chooses the adaptive step to try when `remaining` is left: the end time is taken if it is
    /// within reach, or a little beyond it, so that no tiny step is left over.
    pub(crate) fn plan_adaptive(&mut self, remaining: f64) {
        self.last = self.control.reaches_end(self.h, remaining, self.h_max);
        self.h_tried = if self.last { remaining } else { self.h };
    }

    /// Chooses the fixed step to try when `remaining` is left.
    pub(crate) fn plan_fixed(&mut self, remaining: f64) {
        self.last = self.statistics.steps + 1 >= self.total_steps;
        self.h_tried = if self.last { remaining } else { self.h };
    }

    /// Whether more steps are needed than allowed.
    pub(crate) fn limit_reached(&self, limit: u64) -> bool {
        self.running && self.statistics.steps + self.statistics.rejected >= limit
    }
}
