//! Factorization and solution.

mod assemble;
mod estimate;
mod factor;
mod factored;
mod front;
mod narrow;
mod pivot_front;
mod pivoted;
mod product;
mod refine;
mod solve;
mod status;
mod substitute;
mod workspace;

pub use factored::Factor;
pub use refine::{Refinement, Report, Verdict};
pub use workspace::Workspace;
