//! Factorization and solution.

mod adjoint;
mod assemble;
mod estimate;
mod factor;
mod factored;
mod front;
mod narrow;
#[cfg(feature = "rayon")]
mod parallel;
mod pivot;
mod pivot_front;
mod pivoted;
mod product;
mod refine;
mod solve;
mod status;
mod substitute;
mod workspace;

pub use adjoint::Gradient;
pub use factored::Factor;
pub use refine::{Refinement, Report, Verdict};
pub use workspace::Workspace;

pub(crate) use pivot::{Outcome, take};
