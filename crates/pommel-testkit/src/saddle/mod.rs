//! Random saddle-point systems and their dense solution.
//!
//! ```text
//! ⎡ M   Jᵀ ⎤ ⎡ x ⎤   ⎡ f ⎤
//! ⎣ J  −C  ⎦ ⎣ λ ⎦ = ⎣ g ⎦
//! ```

mod doubled;
mod equilibrate;
mod mechanisms;
mod random;
mod reference;
mod shape;

pub use mechanisms::{
    SaddleMechanism, cloth, planar_four_bars, plate_lattice, revolute_chain, revolute_tree,
    scattered_mass, spatial_four_bars,
};
pub use random::random_saddle;
pub use reference::{DenseSaddle, SaddleError};
pub use shape::{SaddleCompliance, SaddleGraph, SaddleRedundancy, SaddleShape, SaddleUnits};

/// A saddle-point system as plain numbers, and how it was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SaddleSystem {
    /// Number of unknowns of every body.
    pub body_widths: Vec<usize>,
    /// Number of rows of every constraint.
    pub constraint_rows: Vec<usize>,
    /// The bodies on which every constraint acts.
    pub constraint_bodies: Vec<Vec<usize>>,
    /// Lower triangle of M: row, column, value. Every body has all of its block or its diagonal.
    pub mass: Vec<(usize, usize, f64)>,
    /// J: row, column, value; zeros of a block are among them.
    pub jacobian: Vec<(usize, usize, f64)>,
    /// Lower triangle of C: row, column, value. A constraint has all of its block, its diagonal or
    /// nothing.
    pub compliance: Vec<(usize, usize, f64)>,
    /// The right-hand side of M.
    pub f: Vec<f64>,
    /// The right-hand side of J.
    pub g: Vec<f64>,
    /// How it was made.
    pub truth: SaddleTruth,
}

/// How a random system was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SaddleTruth {
    /// The unknowns from which the right-hand sides were computed.
    pub x: Vec<f64>,
    /// The multipliers from which the right-hand sides were computed.
    pub lambda: Vec<f64>,
    /// Rows of J that were made from other rows; J may have more that depend on others.
    pub redundant_rows: usize,
    /// Bodies whose block of M is singular.
    pub massless_bodies: usize,
    /// Whether something was added to `g` that no unknowns explain if rows depend on each other.
    pub contradicted: bool,
}

impl SaddleSystem {
    /// Number `n` of unknowns.
    pub fn unknowns(&self) -> usize {
        self.body_widths.iter().sum()
    }

    /// Number `m` of rows of J.
    pub fn rows(&self) -> usize {
        self.constraint_rows.iter().sum()
    }

    /// `[f; g]`.
    pub fn right_hand_side(&self) -> Vec<f64> {
        [self.f.as_slice(), &self.g].concat()
    }

    /// The entries of the lower triangle of `[M Jᵀ; J −C]`: row, column, value.
    pub fn lower_entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let n = self.unknowns();
        let jacobian = self.jacobian.iter().map(move |(i, j, v)| (n + i, *j, *v));
        let compliance = self.compliance.iter().map(move |(i, j, v)| (n + i, n + j, -v));
        self.mass.iter().copied().chain(jacobian).chain(compliance)
    }

    /// `[M Jᵀ; J −C] [x; λ]`.
    pub fn times(&self, solution: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; solution.len()];
        for (i, j, value) in self.lower_entries() {
            product[i] += value * solution[j];
            if i != j {
                product[j] += value * solution[i];
            }
        }
        product
    }
}
