//! Multibody dynamics: one mechanism, described once, solved and swept.
//!
//! This crate ties the others together: a [`model::Mechanism`] from a file becomes
//! [`TreeDynamics`] in
//! joint coordinates, which [`simulate()`] integrates.
//!
//! ```
//! use pommel::prelude::*;
//!
//! let arm = Mechanism::from_toml_str(r#"
//!     name = "pendulum"
//!     gravity = [0.0, 0.0, -9.81]
//!
//!     [[bodies]]
//!     name = "rod"
//!     mass = 1.0
//!     com = [0.0, 0.0, -0.5]
//!     inertia = [0.083, 0.083, 0.0]
//!
//!     [[joints]]
//!     name = "hinge"
//!     type = "revolute"
//!     axis = [1.0, 0.0, 0.0]
//!     parent = "ground"
//!     child = "rod"
//!
//!     [initial.q]
//!     hinge = 0.5
//! "#)?;
//! let dynamics = TreeDynamics::new(&arm)?;
//! let mut options = SimulateOptions::new(2.0);
//! options.every = Some(0.5);
//! let trajectory = simulate(&dynamics, arm.initial_state(), &options, &mut |_| ())?;
//! assert_eq!(trajectory.samples.len(), 5);
//! assert!(trajectory.diagnostics.energy_drift < 1e-7);
//! # Ok::<(), pommel::Error>(())
//! ```
//!
//! Forces that a model file cannot say are given as code: [`forces`].
//!
//! The parts stand on their own too: [`kkt`] solves sparse saddle-point systems from anywhere,
//! [`tree`] the dynamics of trees, [`integrate`] differential equations, [`batch`] runs sweeps.

#![forbid(unsafe_code)]

pub use pommel_batch as batch;
pub use pommel_integrate as integrate;
pub use pommel_kkt as kkt;
pub use pommel_math as math;
pub use pommel_mechanism as mechanism;
pub use pommel_model as model;
pub use pommel_tree as tree;

pub mod absolute;
pub mod codegen;
pub mod compare;
pub mod constrained;
pub mod dynamics;
mod error;
pub mod forces;
mod initial;
pub mod kernels;
pub mod nonsmooth;
pub mod precision;
pub mod simulate;
pub mod sweep;
mod units;

pub use absolute::AbsoluteDynamics;
pub use constrained::{Approach, Stabilization, integrate_constrained, integrate_verified};
pub use dynamics::{Accelerations, TreeDynamics};
pub use error::Error;
pub use initial::{initial_state, resolve};
pub use nonsmooth::{NonsmoothDynamics, NonsmoothMotion, NonsmoothOptions};
pub use simulate::simulate;
pub use units::{acceleration_units, coordinate_units, velocity_units};

/// What most programs need.
pub mod prelude {
    pub use crate::model::{LoadOptions, Mechanism, State};
    pub use crate::simulate::{Integrator, SimulateOptions, Trajectory};
    pub use crate::{Error, TreeDynamics, initial_state, simulate};
}
