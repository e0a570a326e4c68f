//! Three- and six-dimensional algebra of rigid bodies.
//!
//! # Conventions
//!
//! * Angular part first. A [`Twist`] is `(ω, v)`: angular velocity, and velocity of the body point
//!   that is momentarily at the frame's origin. A [`Wrench`] is `(n, f)`: moment about the frame's origin, and force.
//!   Their [`dot`](Twist::dot) is a power.
//! * A [`Transform`] from a child frame to its parent holds the rotation `R` (child components →
//!   parent components) and the position `r` of the child's origin in parent components.
//! * A [`Quaternion`] is `(w, x, y, z)` and rotates body components into parent components.
//! * Inertias are about the origin of the frame that they are written in. The inertia tensor has
//!   its entries as they stand in the matrix (`xy` is the tensor entry, not the product of inertia).
//!
//! | here                     | Saha                | Featherstone            | Jain          |
//! |--------------------------|---------------------|-------------------------|---------------|
//! | `Twist`                  | `t = [ω; v]`        | motion vector `v`       | `V`           |
//! | `Wrench`                 | `w = [n; f]`        | force vector `f`        | `f`           |
//! | `Transform::twist_to_child` | `B_ij` with rotation | `ⁱX_λ(i)`           | `φᵀ`          |
//! | `Transform::wrench_to_parent` | `B_ijᵀ`        | `ˡX*_i`                 | `φ`           |
//! | `ArticulatedInertia`     | `M̂_i`               | `I^A_i`                 | `P`           |
//!
//! Units are SI: m, rad/s, N·m, kg, kg·m².

mod articulated_inertia;
mod mat3;
mod quaternion;
mod rigid_inertia;
mod sym3;
mod transform;
mod twist;
mod vec3;

pub use articulated_inertia::ArticulatedInertia;
pub use mat3::Mat3;
pub use quaternion::Quaternion;
pub use rigid_inertia::RigidInertia;
pub use sym3::Sym3;
pub use transform::Transform;
pub use twist::{Twist, Wrench};
pub use vec3::Vec3;
