//! Other ways to solve the same system, for comparison.
//!
//! | solver         | what it factors                        | what it needs                       |
//! |----------------|----------------------------------------|-------------------------------------|
//! | [`DenseKkt`]   | the whole matrix, `L B Lᵀ`             | nothing                             |
//! | [`RangeSpace`] | M and `J M⁻¹ Jᵀ + C`                   | M positive definite                 |
//! | [`NullSpace`]  | `Jᵀ = Q R` and `Zᵀ M Z`, where `J Z = 0` | C = 0, M positive definite on `Z` |
//!
//! All are dense inside: they are short, and what they cost grows with the cube of the size. All
//! find rows of J that depend on others, set their multipliers to zero and solve with the rest.
//! A rank is judged by rounding, and what a heavy body is rounded by may weigh as much as a light
//! one. The range-space method forgets a heavy body beside one that is more than 10⁸ times lighter;
//! in random systems whose masses differ by up to 10¹⁶ the other two misjudged about 3 in 1000.
//!
//! After construction none allocates. A scalar with several lanes is solved lane by lane: each lane
//! has its own pivots and its own rank.

mod dense_kkt;
mod lanewise;
mod null_space;
mod parts;
mod range_space;

pub use dense_kkt::DenseKkt;
pub use null_space::NullSpace;
pub use range_space::RangeSpace;

use pommel_math::Real;

use crate::error::KktError;
use crate::inertia::Inertia;
use crate::pattern::Values;

/// What a factorization found.
///
/// Of several lanes: what was found in the one with the lowest rank, the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Signs of the eigenvalues of `[M Jᵀ; J −C]`.
    pub inertia: Inertia,
    /// How many rows of `[J −C]` depend on others: their multipliers are set to zero.
    pub dependent_rows: usize,
    /// Rank of `[M Jᵀ; J −C]`.
    pub rank: usize,
}

/// A way to solve `[M Jᵀ; J −C] [x; λ] = [f; g]`.
pub trait SaddleSolver<T: Real> {
    /// A name of a few words.
    fn name(&self) -> &'static str;

    /// Factors the matrix with these values.
    ///
    /// # Errors
    /// [`KktError::Length`] or [`KktError::NotFinite`] for values that do not fit the pattern, and
    /// what the method needs and does not find. After an error, factor again before solving.
    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError>;

    /// From now on, rows of J count as dependent if others leave no more than about this share of them, in
    /// [0, 1): for rows that are inexact by more than rounding, as those of mechanisms whose positions have
    /// drifted. With 0, as at first, only rounding counts. Rows that compliance alone holds are dropped as
    /// well, if it holds them by less than that.
    ///
    /// # Errors
    /// [`KktError::Tolerance`].
    fn set_row_tolerance(&mut self, share: f64) -> Result<(), KktError>;

    /// Solves with the last factor: `rhs` is `[f; g]`, `solution` becomes `[x; λ]`.
    ///
    /// # Panics
    /// If a slice has another length than `n + m`.
    fn solve(&mut self, rhs: &[T], solution: &mut [T]);
}
