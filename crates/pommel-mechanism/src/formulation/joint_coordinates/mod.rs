//! Methods in joint coordinates: they need the state and the model.
//!
//! Joints hold by construction, so what the equations demand of their rows (γ) must be what joints
//! do; where it is something else, as after stabilization, they refuse.

mod multipliers;
mod recursion;
mod velocity_transformation;

/// Rows hold to this part of their terms: states drift off the joints, which these methods take no
/// notice of.
const ROWS_HOLD_TO: f64 = 1e-3;

pub use recursion::Recursion;
pub use velocity_transformation::VelocityTransformation;
