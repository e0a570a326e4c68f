//! Sparse saddle-point systems.
//!
//! ```text
//! ⎡ M   Jᵀ ⎤ ⎡ x ⎤   ⎡ f ⎤
//! ⎣ J  −C  ⎦ ⎣ λ ⎦ = ⎣ g ⎦
//! ```

mod analysis;
mod error;
mod numeric;
pub mod pattern;

pub use analysis::{Analysis, Cost, Options};
pub use error::{KktError, Part};
pub use numeric::{Factor, Inertia, Refinement, Report, Verdict, Workspace};
pub use pattern::{Pattern, PatternBuilder, Values};
pub use pommel_math;
