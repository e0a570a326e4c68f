//! What the caller chooses: method, step size control, limits.

use crate::{InputError, Tableau};

/// A tolerance: one number for all components, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Tolerance {
    /// The same for every component.
    Scalar(f64),
    /// One number per component of the state.
    PerComponent(Vec<f64>),
}

impl Tolerance {
    /// The tolerance of one component.
    ///
    /// # Panics
    /// If there are tolerances per component and `component` is not below their number.
    pub fn of(&self, component: usize) -> f64 {
        match self {
            Tolerance::Scalar(x) => *x,
            Tolerance::PerComponent(x) => x[component],
        }
    }

    fn check(&self, dim: usize) -> Result<(), InputError> {
        if let Tolerance::PerComponent(x) = self
            && x.len() != dim
        {
            return Err(InputError::ToleranceLength { expected: dim, found: x.len() });
        }
        for component in 0..dim {
            let value = self.of(component);
            // NaN fails this comparison, too
            if !(value >= 0.0 && value.is_finite()) {
                return Err(InputError::Tolerance { component, value });
            }
        }
        Ok(())
    }
}

impl From<f64> for Tolerance {
    fn from(x: f64) -> Tolerance {
        Tolerance::Scalar(x)
    }
}

impl From<Vec<f64>> for Tolerance {
    fn from(x: Vec<f64>) -> Tolerance {
        Tolerance::PerComponent(x)
    }
}

impl From<&[f64]> for Tolerance {
    fn from(x: &[f64]) -> Tolerance {
        Tolerance::PerComponent(x.to_vec())
    }
}

/// How the size of adaptive steps is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Controller {
    /// The PI controller of DOPRI5 [HNW93, appendix], with an automatic first step that costs one
    /// evaluation more. It errs with the root mean square over all components, and smooths the
    /// step over time.
    #[default]
    Pi,
    /// The step control of MATLAB's `ode45` \[SR97\], for whoever compares with it: with
    /// [`Tableau::dormand_prince_54`](crate::Tableau::dormand_prince_54), which is its pair, it
    /// takes the same steps. What it is tested against is an emulation of `ode45`, attempt by
    /// attempt, not MATLAB itself.
    ///
    /// * A step is accepted if every component's error is at most
    ///   `max(atol_i, rtol_i max(|y_i|, |y_i'|))`; so `atol_i / rtol_i` is the size below which a
    ///   component counts as zero.
    /// * The first step is the one over which the state would change by `0.8 rtol^(1/k)` of its
    ///   size (or of that threshold) at its first rate, with an error that goes as `h^k`: no
    ///   evaluation but the first derivative itself.
    /// * A step accepted at once is followed by one of at most five times its size, aimed at 0.8 of
    ///   what the error allows; one accepted after a rejection by one of its own size. The first
    ///   rejection of a step shrinks it at most to a tenth, every one after it halves it.
    /// * No step is larger than a tenth of the interval, or than
    ///   [`max_step`](Adaptive::max_step) if that is given, except the last one, which is stretched
    ///   up to a tenth of its size to reach the end. The smallest is 16 spacings of the time, and
    ///   is tried before a lane fails.
    ///
    /// Relative tolerances must be positive. `ode45` raises those below 100 rounding errors, here
    /// they are taken as they are; and a step that meets what is not finite is cut as with any
    /// controller, where `ode45` would go on.
    Ode45,
}

impl Controller {
    /// The name by which a person chooses it.
    pub fn name(self) -> &'static str {
        match self {
            Controller::Pi => "pi",
            Controller::Ode45 => "ode45",
        }
    }
}

/// Settings of adaptive steps.
///
/// A step is accepted if the root mean square of `error_i / (atol_i + rtol_i max(|y_i|, |y_i'|))`
/// is at most 1, with the state before (`y`) and after (`y'`) the step; or by the norm of another
/// [`Controller`].
#[derive(Clone, Debug, PartialEq)]
pub struct Adaptive {
    pub(crate) rtol: Tolerance,
    pub(crate) atol: Tolerance,
    pub(crate) first_step: Option<f64>,
    pub(crate) max_step: Option<f64>,
    pub(crate) min_step: f64,
    pub(crate) controller: Controller,
}

impl Adaptive {
    /// Relative and absolute tolerance, each one number or one per component.
    pub fn new(rtol: impl Into<Tolerance>, atol: impl Into<Tolerance>) -> Adaptive {
        Adaptive {
            rtol: rtol.into(),
            atol: atol.into(),
            first_step: None,
            max_step: None,
            min_step: 0.0,
            controller: Controller::Pi,
        }
    }

    /// How the step size is chosen; [`Controller::Pi`] otherwise.
    pub fn controller(mut self, controller: Controller) -> Adaptive {
        self.controller = controller;
        self
    }

    /// The size of the first step that is tried; found automatically otherwise.
    pub fn first_step(mut self, h: f64) -> Adaptive {
        self.first_step = Some(h);
        self
    }

    /// No step is larger, but for the last one of [`Controller::Ode45`].
    pub fn max_step(mut self, h: f64) -> Adaptive {
        self.max_step = Some(h);
        self
    }

    /// A step that would have to be smaller is a failure; the last step before the end time may
    /// be. Whatever is set, ten rounding errors of the time are the least, or what the
    /// [`Controller`] says.
    pub fn min_step(mut self, h: f64) -> Adaptive {
        self.min_step = h;
        self
    }

    /// The size that no step exceeds, where one is set.
    pub fn largest_step(&self) -> Option<f64> {
        self.max_step
    }

    /// The least error that a component of size 1 or less may have: the least of the absolute tolerances, or of the
    /// relative ones where these are larger.
    pub fn strictest(&self, dim: usize) -> f64 {
        (0..dim).fold(f64::INFINITY, |least, i| least.min(self.rtol.of(i).max(self.atol.of(i))))
    }

    pub(crate) fn check(&self, dim: usize) -> Result<(), InputError> {
        self.rtol.check(dim)?;
        self.atol.check(dim)?;
        if self.controller == Controller::Ode45
            && let Some(component) = (0..dim).find(|&i| self.rtol.of(i) == 0.0)
        {
            return Err(InputError::NoRelativeTolerance { component });
        }
        let exact = |i: &usize| self.rtol.of(*i) == 0.0 && self.atol.of(*i) == 0.0;
        if let Some(component) = (0..dim).find(exact) {
            return Err(InputError::NoTolerance { component });
        }
        for value in [self.first_step, self.max_step].into_iter().flatten() {
            check_step(value)?;
        }
        if !(self.min_step >= 0.0 && self.min_step.is_finite()) {
            return Err(InputError::Step { value: self.min_step });
        }
        Ok(())
    }
}

/// How the step size comes about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stepping {
    Fixed(f64),
    Adaptive(Adaptive),
}

impl Stepping {
    pub(crate) fn settings(&self) -> Option<&Adaptive> {
        match self {
            Stepping::Fixed(_) => None,
            Stepping::Adaptive(settings) => Some(settings),
        }
    }

    pub(crate) fn fixed(&self) -> Option<f64> {
        match self {
            Stepping::Fixed(h) => Some(*h),
            Stepping::Adaptive(_) => None,
        }
    }

    pub(crate) fn controller(&self) -> Controller {
        match self {
            Stepping::Fixed(_) => Controller::Pi,
            Stepping::Adaptive(settings) => settings.controller,
        }
    }
}

/// The method and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub(crate) tableau: Tableau,
    pub(crate) stepping: Stepping,
    pub(crate) max_steps: u64,
}

impl Options {
    /// Steps of size `h > 0` towards the end time, which is reached exactly: the last step takes
    /// what remains. Step `k` ends at `t0 + k h`, computed as a product, so time does not drift.
    /// The number of steps is not limited.
    pub fn fixed(tableau: Tableau, h: f64) -> Options {
        Options { tableau, stepping: Stepping::Fixed(h), max_steps: u64::MAX }
    }

    /// Steps whose size follows the error estimate of an embedded pair; at most 100 000 of them,
    /// unless [`max_steps`](Options::max_steps) says otherwise.
    pub fn adaptive(tableau: Tableau, settings: Adaptive) -> Options {
        Options { tableau, stepping: Stepping::Adaptive(settings), max_steps: 100_000 }
    }

    /// A run that needs more steps, rejected ones included, is a failure.
    pub fn max_steps(mut self, steps: u64) -> Options {
        self.max_steps = steps;
        self
    }

    /// The method.
    pub fn tableau(&self) -> &Tableau {
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

    pub(crate) fn check(&self, dim: usize) -> Result<(), InputError> {
        match &self.stepping {
            Stepping::Fixed(h) => check_step(*h),
            Stepping::Adaptive(_) if self.tableau.embedded().is_none() => {
                Err(InputError::NoErrorEstimate)
            }
            Stepping::Adaptive(settings) => settings.check(dim),
        }
    }
}

pub(crate) fn check_step(value: f64) -> Result<(), InputError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(InputError::Step { value }) }
}
