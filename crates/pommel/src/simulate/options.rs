//! How to integrate.

use pommel_integrate::{Adaptive, Controller, Options, Tableau};

/// An integration method with its accuracy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Integrator {
    /// Dormand and Prince 5(4) with adaptive steps.
    DormandPrince54 {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// The same method with the step control of MATLAB's `ode45`
    /// ([`Controller::Ode45`](pommel_integrate::Controller::Ode45)): for comparisons with it. No step
    /// is larger than a tenth of the time between two breakpoints of the loads.
    Ode45 {
        /// Relative tolerance, above zero.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// The classical method of order four with a fixed step.
    Rk4 {
        /// Step, s; a shorter one ends at each breakpoint of the loads and at the end.
        step: f64,
    },
}

impl Integrator {
    /// The names by which a person chooses a method, with a line about each.
    pub const NAMES: [(&'static str, &'static str); 3] = [
        ("dopri5", "Dormand and Prince 5(4), adaptive steps (rtol, atol)"),
        ("ode45", "the same method with the step control of MATLAB's ode45 (rtol, atol)"),
        ("rk4", "classical Runge-Kutta of order 4, fixed step"),
    ];

    /// Default relative tolerance.
    pub const RTOL: f64 = 1e-8;

    /// Default of both tolerances of [`Integrator::Ode45`].
    pub const ODE45_TOLERANCE: f64 = 1e-6;

    /// Dormand and Prince 5(4); what is not given is [`RTOL`](Integrator::RTOL), and a hundredth
    /// of the relative tolerance as the absolute one.
    pub fn dormand_prince(rtol: Option<f64>, atol: Option<f64>) -> Self {
        let rtol = rtol.unwrap_or(Integrator::RTOL);
        Integrator::DormandPrince54 { rtol, atol: atol.unwrap_or(0.01 * rtol) }
    }

    /// The steps of MATLAB's `ode45`; what is not given is
    /// [`ODE45_TOLERANCE`](Integrator::ODE45_TOLERANCE). MATLAB's own defaults are 1e-3 relative,
    /// too coarse for mechanisms that run long, and 1e-6 absolute.
    pub fn ode45(rtol: Option<f64>, atol: Option<f64>) -> Self {
        Integrator::Ode45 {
            rtol: rtol.unwrap_or(Integrator::ODE45_TOLERANCE),
            atol: atol.unwrap_or(Integrator::ODE45_TOLERANCE),
        }
    }
}

impl Default for Integrator {
    fn default() -> Self {
        Integrator::dormand_prince(None, None)
    }
}

/// What to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulateOptions {
    /// End time, s; the start is 0.
    pub end: f64,
    /// Time between samples, s; none for start and end only.
    pub every: Option<f64>,
    /// The method.
    pub integrator: Integrator,
    /// The first step that an adaptive method tries, s; found automatically otherwise.
    pub first_step: Option<f64>,
    /// The most steps between two breakpoints of the loads, rejected ones included.
    pub max_steps: u64,
}

impl SimulateOptions {
    /// To the end time with the default method.
    pub fn new(end: f64) -> Self {
        SimulateOptions {
            end,
            every: None,
            integrator: Integrator::default(),
            first_step: None,
            max_steps: 10_000_000,
        }
    }

    pub(crate) fn method(&self) -> Options {
        let options = match self.integrator {
            Integrator::DormandPrince54 { rtol, atol } => self.adaptive(Adaptive::new(rtol, atol)),
            Integrator::Ode45 { rtol, atol } => {
                self.adaptive(Adaptive::new(rtol, atol).controller(Controller::Ode45))
            }
            Integrator::Rk4 { step } => Options::fixed(Tableau::rk4(), step),
        };
        options.max_steps(self.max_steps)
    }

    fn adaptive(&self, steps: Adaptive) -> Options {
        let steps = match self.first_step {
            Some(h) => steps.first_step(h),
            None => steps,
        };
        Options::adaptive(Tableau::dormand_prince_54(), steps)
    }
}
