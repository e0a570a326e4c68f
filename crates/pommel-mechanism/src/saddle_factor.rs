//! The saddle-point matrix of a mechanism at one state, factored and kept.

use pommel_kkt::{KktError, Refinement, Values};

use crate::formulation::{RANK_TOLERANCE, rank_tolerance};
use crate::suited::SuitedWorkspace;
use crate::{Evaluation, System};

/// `[M Φ_qᵀ; Φ_q 0]` at one state, factored, for any number of solutions until it is factored again; redundant
/// rows are welcome.
///
/// Methods of integration keep it over the iterations of a step.
#[derive(Clone, Debug)]
pub struct SaddleFactor {
    workspace: SuitedWorkspace,
    jacobian: Vec<f64>,
    squares: Vec<f64>,
    rhs: Vec<f64>,
    rank_tolerance: f64,
    is_factored: bool,
}

impl SaddleFactor {
    /// Memory for a system.
    pub fn new(system: &System<f64>) -> Self {
        let pattern = system.pattern();
        SaddleFactor {
            workspace: SuitedWorkspace::default(),
            jacobian: vec![0.0; pattern.jacobian_len()],
            squares: vec![0.0; pattern.rows()],
            rhs: vec![0.0; pattern.unknowns() + pattern.rows()],
            rank_tolerance: RANK_TOLERANCE,
            is_factored: false,
        }
    }

    /// Factors the matrix at the state of an evaluation; allocates only where the order of elimination does not suit
    /// the numbers any more.
    ///
    /// # Errors
    /// [`KktError`] if numbers are none, or the pattern is too large.
    pub fn factorize(
        &mut self,
        system: &System<f64>,
        evaluation: &Evaluation<f64>,
    ) -> Result<(), KktError> {
        self.is_factored = false;
        self.jacobian.copy_from_slice(evaluation.jacobian());
        self.squares.fill(0.0);
        for (row, column, value) in system.pattern().jacobian_entries() {
            let entry = self.jacobian[value] / system.scales()[column];
            self.squares[row] += entry * entry;
        }
        self.rank_tolerance = rank_tolerance(evaluation.phi(), |row| self.squares[row]);
        let values = Values::new(system.mass(), &self.jacobian);
        self.workspace.with_factor(system.pattern(), &values, self.rank_tolerance, |factor| {
            factor.check_finite(0)
        })?;
        self.is_factored = true;
        Ok(())
    }

    /// `x ← [M Φ_qᵀ; Φ_q 0]⁻¹ x` with the matrix that was factored last; rows that depend on others count as zero.
    ///
    /// # Errors
    /// [`KktError`] if `x` has another length than velocities and rows together.
    ///
    /// # Panics
    /// If nothing has been factored, or [`factorize`](Self::factorize) failed last.
    pub fn solve(&mut self, system: &System<f64>, x: &mut [f64]) -> Result<(), KktError> {
        assert!(self.is_factored, "factorize comes first");
        let (expected, found) = (self.rhs.len(), x.len());
        if found != expected {
            return Err(KktError::Length { array: "x", expected, found });
        }
        let values = Values::new(system.mass(), &self.jacobian);
        self.rhs.copy_from_slice(x);
        let SaddleFactor { workspace, rhs, rank_tolerance, .. } = self;
        workspace.with_factored(system.pattern(), &values, *rank_tolerance, |factor| {
            factor.solve(rhs, x, &Refinement::quick()).map(|_| ())
        })
    }
}
