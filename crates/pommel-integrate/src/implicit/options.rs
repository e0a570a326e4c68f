//! What the caller of an implicit method chooses.

use crate::options::{Stepping, check_step};
use crate::tableau::ImplicitTableau;
use crate::{Adaptive, Controller, InputError};

/// An implicit method and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitOptions {
    pub(super) tableau: ImplicitTableau,
    pub(super) stepping: Stepping,
    pub(super) max_steps: u64,
    pub(super) newton_tolerance: f64,
    pub(super) newton_steps: usize,
}

impl ImplicitOptions {
    /// Steps of size `h > 0` towards the end time, as [`Options::fixed`](crate::Options::fixed). Stages are
    /// solved to rounding, see [`newton_tolerance`](Self::newton_tolerance).
    pub fn fixed(tableau: ImplicitTableau, h: f64) -> Self {
        ImplicitOptions {
            tableau,
            stepping: Stepping::Fixed(h),
            max_steps: u64::MAX,
            newton_tolerance: 1e-15,
            newton_steps: 30,
        }
    }

    /// Steps whose size follows the error estimate, and stages that are solved to a part of the tolerance;
    /// at most 100 000 steps, unless [`max_steps`](Self::max_steps) says otherwise. The norm is that
    /// of [`Adaptive`]; the step is that of Gustafsson's predictive controller \[HW96, section IV.8\].
    pub fn adaptive(tableau: ImplicitTableau, settings: Adaptive) -> Self {
        ImplicitOptions {
            tableau,
            stepping: Stepping::Adaptive(settings),
            max_steps: 100_000,
            newton_tolerance: 1e-15,
            newton_steps: 10,
        }
    }

    /// A run that needs more steps, rejected ones included, is a failure.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = steps;
        self
    }

    /// With fixed steps, stages are solved until a step of Newton's method changes them by less than this
    /// part of their size, or no longer less; 1e-15 if it is not set.
    pub fn newton_tolerance(mut self, part: f64) -> Self {
        self.newton_tolerance = part;
        self
    }

    /// The method.
    pub fn tableau(&self) -> &ImplicitTableau {
        &self.tableau
    }

    /// The settings of adaptive steps; none of fixed ones.
    pub fn settings(&self) -> Option<&Adaptive> {
        self.stepping.settings()
    }

    /// The size of fixed steps; none of adaptive ones.
    pub fn fixed_step(&self) -> Option<f64> {
        self.stepping.fixed()
    }

    /// The most steps of a run, rejected ones included.
    pub fn most_steps(&self) -> u64 {
        self.max_steps
    }

    pub(super) fn check(&self, dim: usize) -> Result<(), InputError> {
        match &self.stepping {
            Stepping::Fixed(h) => {
                check_step(*h)?;
                check_step(self.newton_tolerance)
            }
            Stepping::Adaptive(settings) if settings.controller != Controller::Pi => {
                Err(InputError::NoController { name: settings.controller.name() })
            }
            Stepping::Adaptive(settings) => settings.check(dim),
        }
    }
}
