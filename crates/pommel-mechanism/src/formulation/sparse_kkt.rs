//! The saddle-point system by `pommel-kkt`.

use pommel_kkt::{Analysis, Factor, Options, Pattern, Refinement, Values, Verdict, Workspace};

use super::dense::{RowCheck, check_equations};
use super::driver::check_size;
use super::{Formulation, FormulationError, Method, Outcome, RANK_TOLERANCE};
use crate::Equations;

/// The saddle-point system, sparse.
///
/// One step costs a factorization and a solution with at most two steps of refinement. Rows that
/// depend on others to about 5·10⁻⁷ of their size are left out, their multipliers are zero. M may
/// be singular.
///
/// Where numbers do not suit the order of elimination any more, it is chosen again for them, the
/// only case that allocates.
#[derive(Debug)]
pub struct SparseKkt {
    pattern: Pattern,
    workspace: Workspace<f64>,
    check: RowCheck,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    analyses: usize,
}

impl SparseKkt {
    /// Room for systems of a pattern whose bodies all have mass; where they do not, the first
    /// solution chooses another order.
    ///
    /// # Errors
    /// [`FormulationError::Kkt`] if the pattern is too large.
    pub fn new(pattern: &Pattern) -> Result<Self, FormulationError> {
        Ok(Self::with(pattern, &Analysis::new(pattern)?))
    }

    /// Room for systems with numbers like these.
    ///
    /// # Errors
    /// [`FormulationError::Kkt`] if the pattern is too large or the values do not fit it.
    pub fn for_values(equations: &Equations<'_>) -> Result<Self, FormulationError> {
        let pattern = equations.pattern;
        Ok(Self::with(pattern, &analysis(pattern, equations)?))
    }

    fn with(pattern: &Pattern, analysis: &Analysis) -> Self {
        let total = pattern.unknowns() + pattern.rows();
        SparseKkt {
            pattern: pattern.clone(),
            workspace: Workspace::new(analysis),
            check: RowCheck::new(pattern),
            rhs: vec![0.0; total],
            solution: vec![0.0; total],
            analyses: 1,
        }
    }

    /// How many orders of elimination were chosen so far.
    pub fn analyses(&self) -> usize {
        self.analyses
    }

    /// One factorization and solution; a verdict that is no answer, or the rank.
    fn attempt(&mut self, equations: &Equations<'_>) -> Result<Attempt, FormulationError> {
        let values = Values::new(equations.mass, equations.jacobian);
        let (n, m) = (self.pattern.unknowns(), self.pattern.rows());
        let mut factor = self.workspace.factorize(&values)?;
        // contradictions are judged by the check of all methods
        let refinement = Refinement { consistency: f64::INFINITY, ..Refinement::quick() };
        let report = factor.solve(&self.rhs, &mut self.solution, &refinement)?;
        let backward_error = report.backward_error;
        Ok(match report.verdict(0) {
            Verdict::Good => inertia(&factor, n, m)?,
            Verdict::GoodWithDependentRows { count } => inertia(&factor, n, m - count)?,
            Verdict::Singular { .. } => inertia(&factor, n, factor.rank(0))?,
            Verdict::NotFinite => {
                factor.check_finite(0)?;
                Attempt::Failed { backward_error }
            }
            Verdict::Misplaced { .. } => Attempt::Failed { backward_error: f64::INFINITY },
            _ => Attempt::Failed { backward_error },
        })
    }
}

/// What came of an order of elimination.
enum Attempt {
    Solved { rank: usize },
    Failed { backward_error: f64 },
}

fn analysis(pattern: &Pattern, equations: &Equations<'_>) -> Result<Analysis, FormulationError> {
    let values = Values::new(equations.mass, equations.jacobian);
    Ok(Analysis::for_values(pattern, &values, &Options::default())?)
}

/// Every independent row makes one eigenvalue of each sign, every motion with inertia a positive
/// one.
fn inertia(factor: &Factor<'_, f64>, n: usize, rank: usize) -> Result<Attempt, FormulationError> {
    let (method, dimension) = (Method::SparseKkt, n - rank);
    let positive = factor.inertia(0).positive.saturating_sub(rank);
    if positive < dimension {
        return Err(FormulationError::MotionWithoutInertia { method, dimension, positive });
    }
    Ok(Attempt::Solved { rank })
}

impl Formulation for SparseKkt {
    fn method(&self) -> Method {
        Method::SparseKkt
    }

    fn solve(
        &mut self,
        equations: &Equations<'_>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Outcome, FormulationError> {
        check_equations(equations, qdd, lambda)?;
        let n = self.pattern.unknowns();
        check_size(equations.pattern, n, self.pattern.rows());
        self.rhs[..n].copy_from_slice(equations.force);
        self.rhs[n..].copy_from_slice(equations.gamma);
        let mut attempt = self.attempt(equations)?;
        if matches!(attempt, Attempt::Failed { .. }) {
            self.workspace = Workspace::new(&analysis(&self.pattern, equations)?);
            self.analyses += 1;
            attempt = self.attempt(equations)?;
        }
        match attempt {
            Attempt::Failed { backward_error } => {
                if let Some(index) = self.solution[..n].iter().position(|x| !x.is_finite()) {
                    return Err(FormulationError::NotFinite { array: "qdd", index });
                }
                Err(FormulationError::Inaccurate { method: Method::SparseKkt, backward_error })
            }
            Attempt::Solved { rank } => {
                qdd.copy_from_slice(&self.solution[..n]);
                lambda.copy_from_slice(&self.solution[n..]);
                let hold_to = 10.0 * RANK_TOLERANCE;
                self.check.check(equations, qdd, lambda, Method::SparseKkt, hold_to)?;
                Ok(Outcome { rank: Some(rank) })
            }
        }
    }
}
