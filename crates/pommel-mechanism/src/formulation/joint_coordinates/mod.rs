//! Methods in joint coordinates: they need the state and the model.

mod multipliers;
mod recursion;
mod velocity_transformation;

pub use recursion::Recursion;
pub use velocity_transformation::VelocityTransformation;
