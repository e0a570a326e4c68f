//! Dense solvers of `pommel-kkt` behind the trait of formulations.

use pommel_kkt::compare::{DenseKkt as WholeMatrix, RangeSpace as MultipliersFirst, SaddleSolver};
use pommel_kkt::{KktError, Pattern, Values};

use super::dense::System;
use super::driver::{Solver, formulations};
use super::{FormulationError, Method, RANK_TOLERANCE};
use crate::Equations;

/// A solver of `pommel-kkt` as the method of a name.
pub(super) trait Named: SaddleSolver<f64> {
    const METHOD: Method;
    fn with_room(pattern: &Pattern) -> Self;
}

impl Named for WholeMatrix<f64> {
    const METHOD: Method = Method::DenseKkt;
    fn with_room(pattern: &Pattern) -> Self {
        WholeMatrix::new(pattern)
    }
}

impl Named for MultipliersFirst<f64> {
    const METHOD: Method = Method::RangeSpace;
    fn with_room(pattern: &Pattern) -> Self {
        MultipliersFirst::new(pattern)
    }
}

/// The solver, and `[f; g]` and `[x; λ]`.
#[derive(Debug)]
pub(super) struct Whole<S> {
    solver: S,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

impl<S: Named> Solver for Whole<S> {
    const METHOD: Method = S::METHOD;

    fn new(pattern: &Pattern) -> Self {
        let total = pattern.unknowns() + pattern.rows();
        Whole { solver: S::with_room(pattern), rhs: vec![0.0; total], solution: vec![0.0; total] }
    }

    fn factorize(
        &mut self,
        system: &System,
        equations: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        let method = S::METHOD;
        let values = Values::new(equations.mass, equations.jacobian);
        // without drift they know better by themselves, from rounding
        let drifted = system.rank_tolerance > RANK_TOLERANCE;
        self.solver.set_row_tolerance(if drifted { system.rank_tolerance } else { 0.0 })?;
        let summary = self.solver.factorize(&values).map_err(|error| match error {
            KktError::MassNotPositive { body } => {
                FormulationError::MassNotPositive { method, body }
            }
            other => FormulationError::Kkt(other),
        })?;
        let rank = system.m() - summary.dependent_rows;
        // every independent row makes one eigenvalue of each sign
        let dimension = system.n() - rank;
        let positive = summary.inertia.positive.saturating_sub(rank);
        if positive < dimension {
            return Err(FormulationError::MotionWithoutInertia { method, dimension, positive });
        }
        Ok(Some(rank))
    }

    fn apply(
        &mut self,
        system: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let n = system.n();
        // it has the equations as they are
        let forces = force.iter().zip(&system.unit);
        self.rhs[..n].iter_mut().zip(forces).for_each(|(to, (f, unit))| *to = f * unit);
        for (i, length) in system.length.iter().enumerate() {
            self.rhs[n + i] = gamma[i] * length;
        }
        self.solver.solve(&self.rhs, &mut self.solution);
        let found = self.solution[..n].iter().zip(&system.unit);
        qdd.iter_mut().zip(found).for_each(|(to, (x, unit))| *to = x * unit);
        for (i, length) in system.length.iter().enumerate() {
            lambda[i] = self.solution[n + i] * length;
        }
        Ok(())
    }
}

formulations! {
    /// The saddle-point system as one dense matrix, `L B Lᵀ` ([`pommel_kkt::compare::DenseKkt`]).
    ///
    /// M may be singular. Rows that depend on others to within rounding, or drift, are left out, their
    /// multipliers are zero.
    DenseKkt(Whole<WholeMatrix<f64>>);

    /// Multipliers first: `(Φ_q M⁻¹ Φ_qᵀ) λ = Φ_q M⁻¹ Q − γ`
    /// ([`pommel_kkt::compare::RangeSpace`]).
    ///
    /// Needs M positive definite. Rows that depend on others to within rounding, or drift, are left out, their
    /// multipliers are zero.
    RangeSpace(Whole<MultipliersFirst<f64>>);
}
