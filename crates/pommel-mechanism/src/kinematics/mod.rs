//! Kinematic analysis: assembly, degrees of freedom, motion under drivers.
//!
//! | question                                              | answer                                |
//! |-------------------------------------------------------|---------------------------------------|
//! | where are the bodies, if they are about here?         | [`Assembler`]                         |
//! | which velocities near these satisfy the constraints?  | [`VelocityProjector`]                 |
//! | which state on the constraints is nearest to one that has drifted off? | [`StateProjector`] |
//! | which motions are left, which constraints say nothing new? | [`mobility`]                     |
//! | what does rounding of the position make of accelerations? | [`sensitivity`]                  |
//! | how do the bodies move when drivers prescribe as much as is free? | [`DrivenMotion`], algorithm K-II |
//! | the same with coordinates that are known functions of time | [`PartitionedMotion`], algorithm K-I |
//!
//! K-I and K-II are the algorithms of \[Nik88, section 3.2\]: the first solves for the dependent
//! coordinates alone, the second appends the drivers to the constraints and solves for all.
//!
//! Sources: \[Nik88\] P. E. Nikravesh, *Computer-Aided Analysis of Mechanical Systems*, Prentice-Hall
//! 1988, chapter 3; \[Mar63\] D. W. Marquardt, *An algorithm for least-squares estimation of nonlinear
//! parameters*, J. SIAM 11 (1963); \[YF01\] N. Yamashita, M. Fukushima, *On the rate of convergence of
//! the Levenberg-Marquardt method*, Computing Supplementa 15 (2001).

mod assemble;
mod between;
mod correct;
mod driven;
mod error;
mod least_squares;
mod mobility;
mod newton;
mod partitioned;
mod project;
mod rounding;
mod singular;
mod state_projector;

pub use assemble::{AssembleOptions, Assembler, Assembly};
pub(crate) use correct::open_rows;
pub(crate) use driven::largest;
pub use driven::{DrivenMotion, MotionSample};
pub use error::{KinematicsError, OpenRow, Quantity};
pub use mobility::{Mobility, NAMED_PARTNERS, Redundancy, mobility, mobility_with_turns};
pub use newton::{Iterate, NewtonError, newton_raphson};
pub use partitioned::{KnownCoordinate, PartitionedMotion};
pub use project::VelocityProjector;
pub use rounding::sensitivity;
pub use singular::SingularPosition;
pub use state_projector::{Metric, Projected, StateProjector};
