//! Factors of small dense matrices.
//!
//! [`DenseLblt`] factors any symmetric matrix and says how many of its eigenvalues are positive,
//! negative and zero. The other factors here serve the solvers of [`compare`](crate::compare).

mod cholesky;
mod equilibrate;
mod householder;
mod lblt;
mod rook;

pub(crate) use cholesky::{cholesky, solve_lower, solve_lower_transposed};
pub(crate) use equilibrate::Equilibration;
pub(crate) use householder::PivotedQr;
pub use lblt::DenseLblt;
pub(crate) use rook::RookFactor;
