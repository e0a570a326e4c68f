//! Rows weighted by masses, `D = Φ_q L⁻ᵀ` with `M = L Lᵀ`.

use pommel_kkt::Pattern;

use super::super::dense::{MassFactor, largest};
use super::{FormulationError, Matrix, Method, System, dot};

/// The factor of M, and D with rows of unit length.
#[derive(Debug)]
pub(super) struct WeightedRows {
    pub(super) mass: MassFactor,
    /// `Dᵀ`, n × m.
    pub(super) rows: Matrix,
    /// What rows of D are multiplied by.
    pub(super) weight: Vec<f64>,
}

impl WeightedRows {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        WeightedRows {
            mass: MassFactor::new(pattern),
            rows: Matrix::new(n, m),
            weight: vec![0.0; m],
        }
    }

    /// # Errors
    /// [`FormulationError::MassNotPositive`].
    pub(super) fn fill(&mut self, system: &System, method: Method) -> Result<(), FormulationError> {
        self.mass.factorize(&system.mass, method)?;
        self.rows.data_mut().copy_from_slice(system.rows.data());
        for (i, weight) in self.weight.iter_mut().enumerate() {
            let row = self.rows.column_mut(i);
            self.mass.solve_lower(row);
            *weight = 1.0;
            let most = largest(row);
            if most > 0.0 {
                row.iter_mut().for_each(|x| *x /= most);
                let length = dot(row, row).sqrt();
                row.iter_mut().for_each(|x| *x /= length);
                *weight = 1.0 / (length * most);
            }
        }
        Ok(())
    }

    /// `b ← γ − D z`, weighted.
    pub(super) fn rest(&self, gamma: &[f64], z: &[f64], b: &mut [f64]) {
        for (i, b) in b.iter_mut().enumerate() {
            *b = self.weight[i] * gamma[i] - dot(self.rows.column(i), z);
        }
    }
}
