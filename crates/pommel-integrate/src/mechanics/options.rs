//! What the caller chooses.

use super::Scheme;
use crate::options::{Stepping, check_step};
use crate::{Adaptive, Controller, InputError};

/// A scheme and its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct MechanicsOptions {
    pub(super) scheme: Scheme,
    pub(super) stepping: Stepping,
    pub(super) max_steps: u64,
}

impl MechanicsOptions {
    /// Steps of size `h > 0` towards the end time, as [`Options::fixed`](crate::Options::fixed); their equations
    /// are solved to rounding.
    pub fn fixed(scheme: Scheme, h: f64) -> Self {
        MechanicsOptions { scheme, stepping: Stepping::Fixed(h), max_steps: u64::MAX }
    }

    /// Steps whose size follows the error of `(q, v)`: each is taken as a whole and as two halves, which go on; the
    /// difference is the error of the whole, some `2^p` times that of the halves. Schemes that leave velocities off
    /// their constraints have them projected: after a change of the step size the violation would be a jump. At most
    /// 100 000 steps, unless [`max_steps`](Self::max_steps) says otherwise. The norm is that of [`Adaptive`].
    pub fn adaptive(scheme: Scheme, settings: Adaptive) -> Self {
        MechanicsOptions { scheme, stepping: Stepping::Adaptive(settings), max_steps: 100_000 }
    }

    /// A run that needs more steps, rejected ones included, is a failure.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = steps;
        self
    }

    /// The method.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
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
        self.scheme.check().map_err(InputError::Scheme)?;
        match &self.stepping {
            Stepping::Fixed(h) => check_step(*h),
            Stepping::Adaptive(settings) if settings.controller != Controller::Pi => {
                Err(InputError::NoController { name: settings.controller.name() })
            }
            Stepping::Adaptive(settings) => settings.check(dim),
        }
    }
}
