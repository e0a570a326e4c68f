//! Multipliers of the constraints from accelerations that are known.

use pommel_kkt::{KktError, Pattern, Refinement, Values};

use crate::Equations;
use crate::suited::SuitedWorkspace;

/// Solves `Φ_qᵀ λ = Q − M q̈` with the least squares of what is left, by the saddle-point system of
/// the unit matrix and Φ_q.
#[derive(Clone, Debug)]
pub(super) struct Multipliers {
    unit: Vec<f64>,
    workspace: SuitedWorkspace,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

impl Multipliers {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let mut unit = vec![0.0; pattern.mass_len()];
        for (row, column, value) in pattern.mass_entries() {
            if row == column {
                unit[value] = 1.0;
            }
        }
        let size = pattern.unknowns() + pattern.rows();
        Multipliers {
            unit,
            workspace: SuitedWorkspace::default(),
            rhs: vec![0.0; size],
            solution: vec![0.0; size],
        }
    }

    pub(super) fn solve(
        &mut self,
        equations: &Equations<'_>,
        rank_tolerance: f64,
        qdd: &[f64],
        lambda: &mut [f64],
    ) -> Result<(), KktError> {
        let pattern = equations.pattern;
        let n = pattern.unknowns();
        self.rhs[..n].copy_from_slice(equations.force);
        for (row, column, value) in pattern.mass_entries() {
            let m = equations.mass[value];
            self.rhs[row] -= m * qdd[column];
            if row != column {
                self.rhs[column] -= m * qdd[row];
            }
        }
        self.rhs[n..].fill(0.0);
        let values = Values::new(&self.unit, equations.jacobian);
        self.workspace.with_factor(pattern, &values, rank_tolerance, |factor| {
            factor.solve(&self.rhs, &mut self.solution, &Refinement::quick())
        })?;
        lambda.copy_from_slice(&self.solution[n..]);
        Ok(())
    }
}
