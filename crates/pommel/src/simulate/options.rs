//! How to integrate.

use pommel_integrate::{Adaptive, Controller, ExplicitMethod, Options};

/// An integration method with its accuracy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Integrator {
    /// Steps that follow the error estimate of a pair.
    Adaptive {
        /// The pair ([`ExplicitMethod::is_pair`]).
        method: ExplicitMethod,
        /// How steps are chosen. With [`Controller::Ode45`], that of MATLAB's `ode45`, no step is
        /// larger than a tenth of the time between two breakpoints of the loads.
        controller: Controller,
        /// Relative tolerance; above zero for `ode45`.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// Steps of one size.
    Fixed {
        /// The method.
        method: ExplicitMethod,
        /// Step, s; a shorter one ends at each breakpoint of the loads and at the end.
        step: f64,
    },
}

impl Integrator {
    /// Default relative tolerance.
    pub const RTOL: f64 = 1e-8;

    /// Default of both tolerances of [`Integrator::ode45`].
    pub const ODE45_TOLERANCE: f64 = 1e-6;

    /// A pair with adaptive steps; what is not given is [`RTOL`](Integrator::RTOL), and a hundredth
    /// of the relative tolerance as the absolute one.
    pub fn adaptive(method: ExplicitMethod, rtol: Option<f64>, atol: Option<f64>) -> Self {
        let rtol = rtol.unwrap_or(Integrator::RTOL);
        let atol = atol.unwrap_or(0.01 * rtol);
        Integrator::Adaptive { method, controller: Controller::Pi, rtol, atol }
    }

    /// Dormand and Prince 5(4), the default; see [`adaptive`](Integrator::adaptive).
    pub fn dormand_prince(rtol: Option<f64>, atol: Option<f64>) -> Self {
        Integrator::adaptive(ExplicitMethod::DormandPrince54, rtol, atol)
    }

    /// The steps of MATLAB's `ode45`; what is not given is
    /// [`ODE45_TOLERANCE`](Integrator::ODE45_TOLERANCE). MATLAB's own defaults are 1e-3 relative,
    /// too coarse for mechanisms that run long, and 1e-6 absolute.
    pub fn ode45(rtol: Option<f64>, atol: Option<f64>) -> Self {
        Integrator::Adaptive {
            method: ExplicitMethod::DormandPrince54,
            controller: Controller::Ode45,
            rtol: rtol.unwrap_or(Integrator::ODE45_TOLERANCE),
            atol: atol.unwrap_or(Integrator::ODE45_TOLERANCE),
        }
    }

    /// Steps of one size, s.
    pub fn fixed(method: ExplicitMethod, step: f64) -> Self {
        Integrator::Fixed { method, step }
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
    /// End time, s, not before the start, which is 0.
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
            Integrator::Adaptive { method, controller, rtol, atol } => {
                let steps = Adaptive::new(rtol, atol).controller(controller);
                let steps = match self.first_step {
                    Some(h) => steps.first_step(h),
                    None => steps,
                };
                Options::adaptive(method.tableau(), steps)
            }
            Integrator::Fixed { method, step } => Options::fixed(method.tableau(), step),
        };
        options.max_steps(self.max_steps)
    }
}
