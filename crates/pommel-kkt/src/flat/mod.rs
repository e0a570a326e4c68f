//! Elimination by single numbers, for systems with little fill.
//!
//! Where columns of the factor have a few entries only, blocks would hold more zeros than numbers.
//! Then the elimination is a list of products and their places, found once, and the same for every
//! scalar.

mod kernel;
mod plan;

pub(crate) use kernel::{factorize, substitute};
pub(crate) use plan::Plan;
