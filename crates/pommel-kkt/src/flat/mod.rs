//! Elimination by single numbers, for systems with little fill.
//!
//! Where columns of the factor have a few entries only, blocks would hold more zeros than numbers.
//! Then the elimination is a list of products and their places, found once, and the same for every
//! scalar. All unknowns come before all multipliers: with a diagonal M, what is factored then is
//! `−(C + J M⁻¹ Jᵀ)`. Every number of the factor is found at one go, as the sum of its products, so that
//! memory is walked through once.

pub(crate) mod index;
mod kernel;
mod plan;
mod solve;
mod structure;

pub(crate) use kernel::{Numbers, factorize};
pub(crate) use plan::Plan;
pub(crate) use solve::substitute;
pub(crate) use structure::Lists;
