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

pub use analysis::{Analysis, Cost};
pub use error::{KktError, Part};
pub use numeric::{Factor, Workspace};
pub use pattern::{Pattern, PatternBuilder, Values};
pub use pommel_math;
