//! Elimination of pairs: a row of J with the unknown that it determines.
//!
//! The unknowns are partitioned as coordinates are (Wehage and Haug, J. Mech. Des. 104 (1982)): each row
//! of J determines one of its unknowns, and the mass of what is left is reduced to the others. With the
//! pivot `b` of a row and the mass `a` of its unknown, the pivot block is `[a b; b 0]`. No pivot of a row
//! depends on a mass, so neither bodies without mass nor masses of all sizes do harm to it, and the rank is
//! that of J itself; pivots of the unknowns that are left are those of the reduced mass. Which unknowns are determined is chosen by the numbers of J, by size within a row and for
//! little fill; other numbers may need another choice, which the factorization notices.
//!
//! This is a sparse elimination by single numbers; where it fills in, fronts are better.

mod kernel;
mod lookup;
mod partition;
mod plan;
mod reduction;
mod solve;

pub(crate) use kernel::factorize;
pub(crate) use partition::choose;
#[cfg(feature = "serde")]
pub(crate) use partition::replay;
pub(crate) use plan::Plan;
pub(crate) use solve::substitute;
