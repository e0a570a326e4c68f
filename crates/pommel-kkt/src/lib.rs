//! Sparse saddle-point systems.
//!
//! ```text
//! ⎡ M   Jᵀ ⎤ ⎡ x ⎤   ⎡ f ⎤
//! ⎣ J  −C  ⎦ ⎣ λ ⎦ = ⎣ g ⎦
//! ```

pub mod compare;
pub mod dense;
mod error;
mod inertia;
pub mod pattern;

pub use error::{KktError, Part};
pub use inertia::Inertia;
pub use pattern::{Pattern, PatternBuilder, Values};
pub use pommel_math;
