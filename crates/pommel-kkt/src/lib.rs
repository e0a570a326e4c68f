//! Sparse saddle-point systems.
//!
//! ```text
//! ⎡ M   Jᵀ ⎤ ⎡ x ⎤   ⎡ f ⎤
//! ⎣ J  −C  ⎦ ⎣ λ ⎦ = ⎣ g ⎦
//! ```

mod analysis;
pub mod compare;
pub mod dense;
mod error;
mod flat;
mod inertia;
mod minimum_norm;
mod numeric;
pub mod pattern;

pub use analysis::{Analysis, Cost, Options};
pub use error::{KktError, Part};
pub use inertia::Inertia;
pub use minimum_norm::MinimumNorm;
pub use numeric::{Factor, Gradient, Refinement, Report, Verdict, Workspace};
pub use pattern::{Pattern, PatternBuilder, Values};
pub use pommel_math;
