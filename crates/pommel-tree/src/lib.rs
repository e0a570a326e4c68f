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
//! # Quick start
//!
//! ```
//! use pommel_tree::pommel_math::{Transform, Vec3};
//! use pommel_tree::{BodySpec, Joint, TreeBuilder, Workspace, bias_forces, factorize};
//!
//! fn main() -> Result<(), pommel_tree::TreeError> {
//!     // two rods of 1 m and 1 kg, hanging from the ground
//!     let mut builder = TreeBuilder::<f64>::new();
//!     builder.gravity(Vec3::new(0.0, 0.0, -9.81));
//!     let mut parent = None;
//!     for (name, z) in [("upper", 0.0), ("lower", -1.0)] {
//!         let translation = Vec3::new(0.0, 0.0, z);
//!         let in_parent = Transform { translation, ..Transform::identity() };
//!         let rod = BodySpec::new(name, parent, Joint::Revolute { axis: [0.0, 1.0, 0.0] })
//!             .placed(in_parent)
//!             .with_inertia(1.0, Vec3::new(0.0, 0.0, -0.5), [0.083, 0.083, 0.001, 0.0, 0.0, 0.0]);
//!         parent = Some(builder.add(rod)?);
//!     }
//!     let model = builder.build()?;
//!
//!     // all memory, once
//!     let mut workspace = Workspace::new(&model);
//!     let (mut bias, mut force, mut acceleration) = ([0.0; 2], [0.0; 2], [0.0; 2]);
//!
//!     // in the loop: M(q) q̈ + h(q, v) = τ, without allocation
//!     let (q, v, tau) = ([0.3, -0.2], [0.5, 0.1], [1.0, 0.0]);
//!     bias_forces(&model, &mut workspace, &q, &v, None, &mut bias);
//!     let mut factor = factorize(&model, &mut workspace, &q)?;
//!     for k in 0..2 {
//!         force[k] = tau[k] - bias[k];
//!     }
//!     factor.solve(&force, &mut acceleration);
//!     // the same factor again: how far the digits of a solution go
//!     assert!(factor.condition_estimate() < 100.0);
//!     Ok(())
//! }
//! ```
//!
//! [`factorize`] gives the factors as a value: solutions, `U` and `D`, explicit matrices, a condition
//! estimate, operational-space inertia, and the motions of bodies from wrenches on bodies.
//! [`forward_dynamics`] is the faster way where accelerations are all that is asked for.
//!
//! The example `foreign_simulator` (`cargo run --release -p pommel-tree --example foreign_simulator`)
//! is a whole simulator with an integrator, a contact and a controller of its own around this crate.
//!
//! # Sources
//!
//! * `[Sah99]` S. K. Saha, *Dynamics of serial multibody systems using the decoupled natural
//!   orthogonal complement matrices*, J. Appl. Mech. 66 (1999), and his symbolic factorization for
//!   space robots, with the corrections that [`the_algorithm`] states.
//! * `[Fea08]` R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008.
//! * `[Hig88]` N. J. Higham, *FORTRAN codes for estimating the one-norm of a real or complex matrix,
//!   with applications to condition estimation*, ACM Trans. Math. Softw. 14 (1988).
//! * `[Kha87]` O. Khatib, *A unified approach for motion and force control of robot manipulators: the
//!   operational space formulation*, IEEE J. Robot. Autom. 3 (1987).
//! * `[KJR92]` K. Kreutz-Delgado, A. Jain, G. Rodriguez, *Recursive formulation of operational space
//!   control*, Int. J. Robot. Res. 11 (1992).
//! * `[KD02]` W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002.

#![forbid(unsafe_code)]

/// The scalars and spatial types of this crate's interface.
pub use pommel_math;

mod accelerate;
mod acceleration;
mod axes;
mod block;
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
mod rerooted;
mod screw;
mod sweep;
pub mod the_algorithm;
mod workspace;

pub use acceleration::{BodyAcceleration, forward_accelerations};
pub use closures::{
    Attachment, Closure, ClosureError, ClosureQuantity, ClosureWorkspace, LoopClosures,
    Stabilization, constrained_dynamics,
};
pub use derivatives::{
    DerivativeWorkspace, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, PARAMETERS,
    forward_dynamics_derivatives, inertial_parameter_regressor, inverse_dynamics_derivatives,
};
pub use error::{Obstacle, Quantity, TreeError};
pub use factor::{UdutFactor, factorize};
pub use forward_dynamics::forward_dynamics;
pub use inverse_dynamics::{bias_forces, gravity_forces, inverse_dynamics};
pub use jacobian::jacobian;
pub use kinematics::{BodyMotion, forward_kinematics, normalize, position_rate, quaternion_defect};
pub use mass_matrix::{centroidal_momentum_matrix, mass_matrix};
pub use model::{BodyId, BodySpec, Elimination, Joint, Model, Rotor, Topology, TreeBuilder};
pub use momentum::{Energy, Momentum, energy, momentum};
pub use workspace::Workspace;
