//! What a random saddle-point system is like.

use crate::Rng;

/// Which bodies the constraints join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaddleGraph {
    /// Every body but the first to an earlier one.
    Tree,
    /// A tree and some constraints between any two bodies.
    Loops,
    /// Every body to the first.
    Star,
    /// Several chains, and bodies on their own.
    Disconnected,
    /// Every constraint on one body.
    Grounded,
    /// Constraints on three to five bodies, beside a tree.
    Many,
}

/// Which rows of J depend on others on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaddleRedundancy {
    /// None.
    None,
    /// Copies of rows of a constraint.
    Copies,
    /// Sums of small integer multiples of the rows of a constraint.
    Combinations,
    /// Rows of zeros.
    Zeros,
    /// Sums of small integer multiples of the rows of two constraints, on the bodies of both.
    Chains,
}

/// What stands in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaddleCompliance {
    /// Nothing.
    None,
    /// Numbers not below zero on the diagonal, for about half of the constraints.
    Diagonal,
    /// Positive semidefinite blocks of any rank, for about half of the constraints.
    Blocks,
}

/// In which units the unknowns and the rows are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaddleUnits {
    /// In units of about 1.
    Same,
    /// Each in its own: powers of two, which round nothing, from 2⁻²⁶ to 2²⁶.
    PowersOfTwo,
    /// Each in its own: any factor from 10⁻⁸ to 10⁸.
    Any,
}

/// What a random system is like.
#[derive(Clone, Debug, PartialEq)]
pub struct SaddleShape {
    /// Which bodies the constraints join.
    pub graph: SaddleGraph,
    /// Number of bodies, of width 1, 2, 3 or 6.
    pub bodies: usize,
    /// Greatest number of unknowns and rows: bodies and constraints beyond it are left out.
    pub size: usize,
    /// Whether all bodies have one width.
    pub one_width: bool,
    /// Probability that a body has a singular block of M, or none.
    pub massless: f64,
    /// Which rows depend on others on purpose.
    pub redundancy: SaddleRedundancy,
    /// What stands in C.
    pub compliance: SaddleCompliance,
    /// Whether blocks of M are multiplied by factors from 10⁻⁸ to 10⁸.
    pub scaled_masses: bool,
    /// Whether rows of J are multiplied by factors from 10⁻⁸ to 10⁸.
    pub scaled_rows: bool,
    /// In which units unknowns and rows are measured.
    pub units: SaddleUnits,
    /// Whether entries of J are integers from −3 to 3, else short fractions: sums of multiples of
    /// either are exact.
    pub integers: bool,
    /// Whether `g` gets something added that no unknowns explain if rows depend on each other.
    pub contradicted: bool,
}

impl SaddleShape {
    /// Random choices: a few thousand of them meet every kind of system.
    pub fn random(rng: &mut Rng) -> Self {
        use SaddleGraph::{Disconnected, Grounded, Loops, Many, Star, Tree};
        use SaddleRedundancy::{Chains, Combinations, Copies, Zeros};
        let graph = [Tree, Loops, Star, Disconnected, Grounded, Many][rng.below(6)];
        let redundancy = match rng.below(8) {
            0 => Copies,
            1 => Combinations,
            2 => Zeros,
            3 => Chains,
            _ => SaddleRedundancy::None,
        };
        let compliance = match rng.below(6) {
            0 => SaddleCompliance::Diagonal,
            1 => SaddleCompliance::Blocks,
            _ => SaddleCompliance::None,
        };
        let units = match rng.below(6) {
            0 => SaddleUnits::PowersOfTwo,
            1 => SaddleUnits::Any,
            _ => SaddleUnits::Same,
        };
        let massless = [0.0, 0.0, 0.0, 0.2, 0.6, 1.0][rng.below(6)];
        SaddleShape {
            graph,
            bodies: rng.below(13),
            size: 5 + rng.below(56),
            one_width: rng.below(3) == 0,
            massless,
            redundancy,
            compliance,
            scaled_masses: rng.below(8) == 0,
            scaled_rows: rng.below(6) == 0,
            units,
            integers: rng.below(3) == 0,
            contradicted: rng.below(5) == 0,
        }
    }
}
