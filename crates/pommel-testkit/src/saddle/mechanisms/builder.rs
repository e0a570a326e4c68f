//! Systems from dense blocks.

use nalgebra::DMatrix;

use super::SaddleMechanism;
use crate::Rng;
use crate::saddle::SaddleSystem;
use crate::saddle::doubled::Doubled;

/// A system to which bodies and constraints are added.
#[derive(Default)]
pub(super) struct Builder {
    system: SaddleSystem,
    /// First unknown of every body, and the number of unknowns.
    first: Vec<usize>,
    rows: usize,
}

impl Builder {
    pub(super) fn new() -> Self {
        Builder { first: vec![0], ..Builder::default() }
    }

    /// Adds a body with this block of M; returns its number.
    pub(super) fn body(&mut self, mass: &DMatrix<f64>) -> usize {
        let width = mass.nrows();
        let first = self.first[self.first.len() - 1];
        for i in 0..width {
            let row = (0..=i).map(|j| (first + i, first + j, mass[(i, j)]));
            self.system.mass.extend(row);
        }
        self.first.push(first + width);
        self.system.body_widths.push(width);
        self.first.len() - 2
    }

    /// Adds a constraint with these blocks of J.
    pub(super) fn constraint(&mut self, blocks: &[(usize, DMatrix<f64>)]) {
        let count = blocks[0].1.nrows();
        for row in 0..count {
            for (body, block) in blocks {
                let (down, right) = (self.rows, self.first[*body]);
                let entries = (0..block.ncols()).map(|c| (down + row, right + c, block[(row, c)]));
                self.system.jacobian.extend(entries);
            }
        }
        self.rows += count;
        self.system.constraint_rows.push(count);
        self.system.constraint_bodies.push(blocks.iter().map(|(body, _)| *body).collect());
    }

    /// Adds right-hand sides: those of unknowns and multipliers between −1 and 1 on a grid of 2⁻²⁰.
    pub(super) fn finish(self, seed: u64, dependent_rows: Option<usize>) -> SaddleMechanism {
        let mut system = self.system;
        let n = system.unknowns();
        let mut rng = Rng::new(seed);
        let solution: Vec<f64> = (0..n + system.rows())
            .map(|_| (rng.symmetric(1.0) * 1_048_576.0).round() / 1_048_576.0)
            .collect();
        let mut rhs = vec![Doubled::default(); solution.len()];
        for (i, j, value) in system.lower_entries() {
            rhs[i] = rhs[i].plus_product(value, Doubled::new(solution[j]));
            if i != j {
                rhs[j] = rhs[j].plus_product(value, Doubled::new(solution[i]));
            }
        }
        let rhs: Vec<f64> = rhs.iter().map(|b| b.value()).collect();
        system.f = rhs[..n].to_vec();
        system.g = rhs[n..].to_vec();
        system.truth.x = solution[..n].to_vec();
        system.truth.lambda = solution[n..].to_vec();
        system.truth.redundant_rows = dependent_rows.unwrap_or(0);
        SaddleMechanism { system, dependent_rows }
    }
}
