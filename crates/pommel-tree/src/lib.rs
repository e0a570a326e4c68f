//! Dynamics of kinematic trees, linear in the number of joints.
//!
//! The generalized inertia matrix of a tree factors as `M(q) = U D Uᵀ`: `U` is unit upper
//! triangular with the sparsity of the ancestor relation, `D` holds the inertia that each joint
//! feels. Saha's reverse Gaussian elimination produces a column of `U` and a pivot of `D` per joint
//! in one sweep from the tips to the root, and never a matrix. [`forward_dynamics`] solves with
//! it.
//!
//! * [`the_algorithm`] teaches it;
//! * [`TreeBuilder`] makes an immutable [`Model`] from bodies and joints;
//! * [`Workspace`] owns all memory; no function here allocates;
//! * all functions are generic over [`pommel_math::Real`], so one source serves `f64`, `f32`,
//!   lanes, dual, counting and recording numbers.
//!
//! Angular velocities and relative positions are all that enters: adding an orbital velocity to a
//! free-floating robot leaves its joint accelerations as they are, to the last digits.
//!
//! # Sources
//!
//! * `[Sah99]` S. K. Saha, *Dynamics of serial multibody systems using the decoupled natural
//!   orthogonal complement matrices*, J. Appl. Mech. 66 (1999), and his symbolic factorization for
//!   space robots, with the corrections that [`the_algorithm`] states.
//! * `[Fea08]` R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008.
//! * `[KD02]` W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002.

#![forbid(unsafe_code)]

/// The scalars and spatial types of this crate's interface.
pub use pommel_math;

mod accelerate;
mod acceleration;
mod axes;
mod closures;
mod derivatives;
mod error;
mod external;
mod factor;
mod forward_dynamics;
mod inverse_dynamics;
mod jacobian;
mod kinematics;
mod mass_matrix;
mod model;
mod momentum;
mod posture;
mod screw;
mod sweep;
pub mod the_algorithm;
mod workspace;

pub use acceleration::{BodyAcceleration, forward_accelerations};
pub use closures::{
    Attachment, Closure, ClosureError, ClosureWorkspace, LoopClosures, Stabilization,
    constrained_dynamics,
};
pub use derivatives::{
    DerivativeWorkspace, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, PARAMETERS,
    forward_dynamics_derivatives, inertial_parameter_regressor, inverse_dynamics_derivatives,
};
pub use error::{Quantity, TreeError};
pub use factor::{UdutFactor, factorize};
pub use forward_dynamics::forward_dynamics;
pub use inverse_dynamics::{bias_forces, gravity_forces, inverse_dynamics};
pub use jacobian::jacobian;
pub use kinematics::{BodyMotion, forward_kinematics, normalize, position_rate, quaternion_defect};
pub use mass_matrix::{centroidal_momentum_matrix, mass_matrix};
pub use model::{BodyId, BodySpec, Joint, Model, Rotor, Topology, TreeBuilder};
pub use momentum::{Energy, Momentum, energy, momentum};
pub use workspace::Workspace;
