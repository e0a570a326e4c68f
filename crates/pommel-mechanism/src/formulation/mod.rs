//! Formulations of constrained dynamics: ways from `(M, Φ_q, γ, Q)` to `(q̈, λ)`.
//!
//! All solve `M q̈ + Φ_qᵀ λ = Q`, `Φ_q q̈ = γ` and agree to rounding where all that they need holds.

mod error;
mod method;

pub use error::FormulationError;
pub use method::{Method, Need};

use crate::Equations;

/// Below this part of the largest, a singular value counts as zero.
///
/// It is taken of Φ_q with rows of unit length (and weighted by masses where a method does so).
/// Unstabilised drift makes rows that depend on others drift apart: their singular values grow like
/// the square of the drift, to about 1e-9 after some thousand steps at a tolerance of 1e-6. So a
/// threshold of 1e-10 fails where 1e-7 is right.
pub const RANK_TOLERANCE: f64 = 1e-7;

/// The same for eigenvalues of Gram matrices such as `Φ_q M⁻¹ Φ_qᵀ`: their rounding errors, `n ε`,
/// hide what is below the root of it.
pub const GRAM_TOLERANCE: f64 = 1e-12;

/// What a solution found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Rank of Φ_q.
    pub rank: usize,
}

/// A way to solve the equations of motion, with memory for one pattern.
pub trait Formulation {
    /// Which one it is.
    fn method(&self) -> Method;

    /// Solves for accelerations and multipliers; does not allocate.
    ///
    /// # Arguments
    /// - `qdd` **out**, length n
    /// - `lambda` **out**, length m; where rows depend on others, one choice of many
    ///
    /// # Errors
    /// [`FormulationError`] with what the method needs and does not find.
    ///
    /// # Panics
    /// If a slice has another length than stated.
    fn solve(
        &mut self,
        equations: &Equations<'_>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Outcome, FormulationError>;
}
