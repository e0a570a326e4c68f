//! Ordinary differential equations `y' = f(t, y)`, solved with explicit Runge-Kutta methods, and stiff or
//! differential-algebraic ones, `M y' = f(t, y)`, with implicit ones.
//!
//! The crate knows no mechanisms: whatever implements [`System`] can be integrated, over any scalar
//! of [`pommel_math`].
//!
//! | want                                   | use                                              |
//! |----------------------------------------|--------------------------------------------------|
//! | the end state, accuracy chosen by me   | [`integrate`] with [`Options::adaptive`]         |
//! | a fixed step (controller, comparison)  | [`integrate`] with [`Options::fixed`]            |
//! | values at given times                  | [`Sampler`] as the observer                      |
//! | every step, an interpolant, a stop     | an [`Observer`] (any closure over [`Step`])      |
//! | several instances at once              | [`integrate_lanes`] over [`pommel_math::Lanes`]  |
//! | derivatives of the end state           | [`integrate`] over [`pommel_math::Dual`]         |
//! | stiff or differential-algebraic systems | [`integrate_implicit`] with a [`StiffSystem`]   |
//! | mechanisms with constraints in every step | [`mechanics`]                          |
//! | any differential-algebraic system, `F(t, y, y') = 0` | [`consistent_state`], [`ReducedDae`] |
//! | zeros of functions, impacts, friction, stops | [`integrate_events`] with [`Events`]     |
//! | my own loop                            | [`Stepper`]                                      |
//! | the steps that MATLAB's `ode45` takes  | [`Controller::Ode45`] in [`Adaptive::controller`] |
//! | a method by its name                   | [`ExplicitMethod`]                               |
//! | another method                         | [`Tableau::new`], which checks order conditions  |
//!
//! # One step size per lane
//!
//! With a scalar of several lanes each lane is an integration of its own: it has its own time, end
//! time, direction, step, error norm and decision to accept, and performs exactly the operations
//! of a run alone. So its result and its statistics are the same to the bit. A lane that is
//! finished waits with a step of zero; one that fails is reported and disturbs no other.
//!
//! This is so for explicit methods. Implicit ones ([`ImplicitStepper`]) and schemes with constraints in every step
//! ([`mechanics::MechanicsStepper`]) integrate one system of `f64` at a time; batches of them go over threads.
//!
//! # Promises
//!
//! * The end time is reached exactly, never passed: no stage is evaluated beyond it (for nodes `c`
//!   up to 1), and the last point asked from a [`Sampler`] is the end state itself, bit for bit.
//! * What is not finite is never returned as a result: a step that meets it is cut, and if that
//!   does not help the failure names time, step, component and the system's own error.
//! * No step allocates; events do, one by one.
//!
//! ```
//! use pommel_integrate::{Adaptive, Options, Tableau, from_fn, integrate};
//!
//! let mut pendulum = from_fn(2, |_t, y: &[f64], dy: &mut [f64]| {
//!     dy[0] = y[1];
//!     dy[1] = -9.81 * y[0].sin();
//! });
//! let options = Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-9, 1e-12));
//! let mut y = [0.5, 0.0];
//! let outcome = integrate(&mut pendulum, 0.0, 10.0, &mut y, &options, &mut ())?;
//! assert_eq!(outcome.t, 10.0);
//! let energy = 0.5 * y[1] * y[1] - 9.81 * y[0].cos();
//! assert!((energy + 9.81 * 0.5_f64.cos()).abs() < 1e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod bridge;
mod control;
mod dae;
mod dense;
mod drive;
mod error;
mod events;
mod implicit;
mod kernels;
mod lane;
pub mod mechanics;
mod method;
mod nodes;
mod options;
mod precision;
mod sample;
mod start;
mod stepper;
mod system;
pub mod tableau;
mod verdict;

pub use bridge::Bridge;
pub use dae::{
    Analysis, ConsistentState, Dae, DaeError, DaeOptions, HiddenConstraint, MatrixTimes, Moved,
    Quasilinear, QuasilinearDae, ReducedDae, Structure, analyze, consistent_state, structure,
};
pub use dense::Step;
pub use drive::{Control, LaneOutcome, Observer, Outcome, integrate, integrate_lanes};
pub use error::{Cause, Failure, InputError, IntegrateError};
pub use events::{
    Direction, EventError, EventRun, Events, Integrator, MAX_EVENTS, Occurrence, Reaction,
    integrate_events,
};
pub use implicit::{ImplicitOptions, ImplicitStepper, StiffSystem, integrate_implicit};
pub use lane::Statistics;
pub use nodes::Visits;
pub use options::{Adaptive, Controller, Options, Tolerance};
pub use sample::{Grid, Sample, Sampler};
pub use stepper::{Attempt, Stepper};
pub use system::{FnSystem, System, TryFnSystem, from_fn, try_from_fn};
pub use tableau::{
    DenseParts, Embedded, ExplicitMethod, ExtraStage, ImplicitMethod, ImplicitParts,
    ImplicitTableau, LowerWeights, Tableau, TableauError, TableauParts,
};
