//! Formulations of constrained dynamics: ways from `(M, Φ_q, γ, Q)` to `(q̈, λ)`.
//!
//! All solve `M q̈ + Φ_qᵀ λ = Q`, `Φ_q q̈ = γ` and agree to rounding where all that they need holds
//! ([`Penalty`] approximates). Accelerations are unique where every motion that the rows leave free
//! has inertia, multipliers where rows do not depend on others; where they do, each method makes
//! its own choice, with the same forces `Φ_qᵀ λ`.
//!
//! | formulation                | what it decomposes                            | M        | multipliers of dependent rows |
//! |----------------------------|-----------------------------------------------|----------|-------------------------------|
//! | [`SparseKkt`]              | `[M Φᵀ; Φ 0]`, sparse                         | any      | zero     |
//! | [`DenseKkt`]               | the same, dense                               | any      | zero     |
//! | [`RangeSpace`]             | M and `Φ M⁻¹ Φᵀ`                              | definite | zero     |
//! | [`ZeroEigenvalue`]         | `ΦᵀΦ`, eigenvectors                           | any      | shortest |
//! | [`Qr`], [`Putd`]           | `Φᵀ P = Q R`                                  | any      | zero     |
//! | [`SvdNullSpace`]           | `Φᵀ = W Λ Uᵀ`                                 | any      | shortest |
//! | [`Qtz`]                    | `Φ = Q T Zᵀ`                                  | any      | shortest |
//! | [`Schur`]                  | `ΦᵀΦ`, Schur vectors                          | any      | shortest |
//! | [`SimplePartitioning`]     | Φ by elimination, then the saddle-point matrix | any     | zero     |
//! | [`CoordinatePartitioning`] | Φ by elimination, then `M̂`                    | any      | zero     |
//! | [`UdwadiaKalaba`]          | `Φ M^(−1/2)`, singular values                 | definite | shortest, weighted |
//! | [`UdwadiaPhohomsiri`]      | Φ, singular values; `[(I − Φ⁺Φ) M; Φ]`        | any      | shortest |
//! | [`DeFalco1`]               | `Φ M⁻¹ Φᵀ`, eigenvectors                      | definite | shortest, weighted |
//! | [`DeFalco2`]               | Φ, singular values; `E M E`, eigenvectors     | any      | shortest |
//! | [`Penalty`]                | `M + Φᵀ α Φ`; approximate                     | any      | shared by stiffness α |
//! | [`AugmentedLagrangian`]    | the same, iterated                            | any      | shared by stiffness α |
//!
//! Φ is Φ_q with rows of unit length; "shortest" is meant of multipliers of these rows, "weighted"
//! of rows of `Φ M^(−1/2)` of unit length. "Any" M is one that gives all free motions inertia.
//!
//! Dense methods see displacements per length that is typical for the mechanism, and rows of unit length, so that units do not matter, and solve for their residuals once more: with ranks and
//! factors at hand that costs little, and takes back what squared conditions lose.
//!
//! ```
//! use pommel_kkt::Pattern;
//! use pommel_mechanism::Equations;
//! use pommel_mechanism::formulation::Method;
//!
//! // two masses of 1 kg and 3 kg move as one, which two rows say: 8 N give 2 m/s²
//! let rows = [(0, 0), (0, 1), (1, 0), (1, 1)];
//! let pattern = Pattern::from_places(&[1, 1], &[1, 1], &[(0, 0), (1, 1)], &rows, &[])?;
//! let equations = Equations {
//!     pattern: &pattern,
//!     mass: &[1.0, 3.0],
//!     jacobian: &[1.0, -1.0, 2.0, -2.0],
//!     force: &[8.0, 0.0],
//!     gamma: &[0.0, 0.0],
//!     phi: &[],
//!     scales: &[],
//!     state: None,
//! };
//! for method in Method::ALL.into_iter().filter(|method| method.is_exact()) {
//!     let Ok(mut formulation) = method.build(&equations) else { continue };
//!     let (mut qdd, mut lambda) = ([0.0; 2], [0.0; 2]);
//!     formulation.solve(&equations, &mut qdd, &mut lambda)?;
//!     assert!((qdd[0] - 2.0).abs() < 1e-14 && (qdd[1] - 2.0).abs() < 1e-14);
//!     assert!((lambda[0] + 2.0 * lambda[1] - 6.0).abs() < 1e-13);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sources
//!
//! * `[dFGP08]` D. de Falco, D. Guida, E. Pennestrì, *A review of multibody dynamics formulations*,
//!   First AAM, New Orleans 2008.
//! * `[Som12]` H. J. Sommer III, *Integrating differential algebraic equations*, lecture notes
//!   2012.

mod build;
mod dense;
mod driver;
mod error;
mod joint_coordinates;
mod method;
mod null_space;
mod partitioning;
mod penalty;
mod pseudoinverse;
mod residuals;
mod saddle;
mod sparse_kkt;

pub use error::FormulationError;
pub use joint_coordinates::{Recursion, VelocityTransformation};
pub use method::{Method, Need};
pub use null_space::{Putd, Qr, Qtz, Schur, SvdNullSpace, ZeroEigenvalue};
pub use partitioning::{CoordinatePartitioning, SimplePartitioning};
pub use penalty::{AUGMENTED_STEPS, AugmentedLagrangian, Penalty, STIFFNESS};
pub use pseudoinverse::{
    DeFalco1, DeFalco2, UdwadiaKalaba, UdwadiaPhohomsiri, saddle_pseudoinverse_by_mass,
    saddle_pseudoinverse_by_projection,
};
pub use saddle::{DenseKkt, RangeSpace};
pub use sparse_kkt::SparseKkt;

use crate::Equations;

/// Below this part of the largest, a singular value counts as zero.
///
/// It is taken of Φ_q with displacements per typical length and rows of unit length (and weighted by masses where a method does so).
/// Unstabilised drift makes rows that depend on others drift apart: their singular values grow in
/// proportion to the violation of the constraints. So where that is more than a tenth of this, the
/// threshold is [`DRIFT_FACTOR`] times the violation.
pub const RANK_TOLERANCE: f64 = 1e-7;

/// At a state that violates the constraints by Φ, singular values count as zero below this times the
/// largest `|Φ|` per length of its row of Φ_q, free of units ([`Equations::rank_tolerance`]).
///
/// It covers what displacement at random leaves of dependent rows in all mechanisms of `datasets`
/// (`cargo test -p pommel-mechanism drift`), where pivots are taken by size; [`SparseKkt`], which does not,
/// takes twice the threshold.
pub const DRIFT_FACTOR: f64 = 10.0;

/// Singular values above this part of the largest never count as zero, whatever the violation. A state
/// that is off by more than a [`DRIFT_FACTOR`]th of it has no ranks worth the name.
pub const COARSEST: f64 = 5e-4;

/// The threshold for the rank of rows with the given squares of lengths at a violation Φ, which may be
/// empty.
pub(crate) fn rank_tolerance(phi: &[f64], square: impl Fn(usize) -> f64) -> f64 {
    // the largest of the quotients, found without division
    let (mut above, mut below) = (0.0_f64, 1.0_f64);
    for (row, phi) in phi.iter().enumerate() {
        let (part, square) = (phi * phi, square(row));
        // a row of nothing tells nothing
        if square > 0.0 && part * below > above * square {
            (above, below) = (part, square);
        }
    }
    (DRIFT_FACTOR * (above / below).sqrt()).clamp(RANK_TOLERANCE, COARSEST)
}

/// The same for eigenvalues of Gram matrices such as `Φ_q M⁻¹ Φ_qᵀ`: their rounding errors, `n ε`,
/// hide what is below the root of it. Where the threshold for singular values is above that root, its
/// square is taken.
pub const GRAM_TOLERANCE: f64 = 1e-12;

/// The threshold for eigenvalues of Gram matrices at one for singular values.
fn gram_tolerance(rank: f64) -> f64 {
    GRAM_TOLERANCE.max(rank * rank)
}

/// A motion that the rows leave free has no inertia below this part of the largest mass.
///
/// Rounding of `Vᵀ M V` and the like is about `n ε` of that.
pub const INERTIA_TOLERANCE: f64 = 1e-13;

/// Rows that depend on others may miss their γ by this part of the largest γ (rows of unit length),
/// and by ten times the threshold for ranks of the terms of `Φ_q q̈`; what misses by more contradicts.
///
/// Drift makes dependent rows slightly inconsistent: the part of γ that contradicts grows like the
/// square of the drift, or with its stabilisation like drift times its rate, and stays below 1e-5
/// where a simulation means something. Rows that ask for different things differ by about their γ.
pub const CONTRADICTION_TOLERANCE: f64 = 1e-3;

/// What a solution found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Rank of Φ_q; `None` from methods that need none ([`Penalty`], [`AugmentedLagrangian`]).
    pub rank: Option<usize>,
}

/// A way to solve the equations of motion, with memory for one pattern.
pub trait Formulation {
    /// Which one it is.
    fn method(&self) -> Method;

    /// Solves for accelerations and multipliers; does not allocate (but for a new order of
    /// elimination, which [`SparseKkt`] needs rarely).
    ///
    /// # Arguments
    /// - `qdd` **out**, length n; m/s², rad/s²
    /// - `lambda` **out**, length m; where rows depend on others, one choice of many
    ///
    /// Both mean nothing after an error.
    ///
    /// # Errors
    /// [`FormulationError`] with what the method needs and does not find.
    ///
    /// # Panics
    /// If a slice has another length than stated, or the pattern another size than the one that
    /// memory was made for.
    fn solve(
        &mut self,
        equations: &Equations<'_>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Outcome, FormulationError>;
}
