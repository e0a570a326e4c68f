//! Mechanisms in absolute coordinates: constraints, kinematic analysis, formulations of motion.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod equations;
pub mod formulation;
pub mod linear;

pub use equations::{Equations, State};
