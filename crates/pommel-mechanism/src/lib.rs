//! Mechanisms in absolute coordinates: constraints, kinematic analysis, formulations of motion.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod constraint;
mod equations;
mod force;
pub mod formulation;
mod function;
mod gather;
pub mod joint_space;
pub mod kinematics;
pub mod linear;
mod space;
mod suited;
mod system;

pub use constraint::ConstraintInfo;
pub use equations::{Equations, State};
pub use system::{Energy, Evaluation, PackError, System, SystemError, UnsupportedFeature};
