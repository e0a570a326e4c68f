//! Sparse saddle-point systems.
//!
//! ```text
//! ⎡ M   Jᵀ ⎤ ⎡ x ⎤   ⎡ f ⎤
//! ⎣ J  −C  ⎦ ⎣ λ ⎦ = ⎣ g ⎦
//! ```

mod error;
pub mod pattern;

pub use error::{KktError, Part};
pub use pattern::{Pattern, PatternBuilder, Values};
pub use pommel_math;
