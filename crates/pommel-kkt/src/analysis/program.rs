//! Programs of single numbers, for systems with little fill.

use std::sync::Arc;

use crate::{flat, pairs};

/// What is done with which number.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// All unknowns before all rows.
    Numbers(Arc<flat::Plan>),
    /// Rows with the unknowns that they determine.
    Pairs(Arc<pairs::Plan>),
}

impl Program {
    /// For every pivot: its scalar in the order `x`, λ.
    pub(crate) fn sequence(&self) -> &[u32] {
        match self {
            Program::Numbers(plan) => &plan.sequence,
            Program::Pairs(plan) => &plan.sequence,
        }
    }

    /// Number of entries of the factor that are stored.
    pub(crate) fn places(&self) -> usize {
        match self {
            Program::Numbers(plan) => plan.places(),
            Program::Pairs(plan) => plan.places(),
        }
    }

    /// Numbers of pivots and of rows below them, in the order of elimination.
    pub(super) fn front_sizes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (numbers, pairs) = match self {
            Program::Numbers(plan) => (Some(plan.front_sizes()), None),
            Program::Pairs(plan) => (None, Some(plan.front_sizes())),
        };
        numbers.into_iter().flatten().chain(pairs.into_iter().flatten())
    }

    /// Pivots that are taken one by one.
    pub(crate) fn single_pivots(&self) -> impl Iterator<Item = usize> + '_ {
        let (numbers, pairs) = match self {
            Program::Numbers(plan) => (Some(0..plan.len()), None),
            Program::Pairs(plan) => (None, Some(plan.single_pivots())),
        };
        numbers.into_iter().flatten().chain(pairs.into_iter().flatten())
    }
}
