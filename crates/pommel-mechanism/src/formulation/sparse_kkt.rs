//! The saddle-point system by `pommel-kkt`.

use pommel_kkt::{Analysis, Options, Pattern, Refinement, Values, Verdict, Workspace};

use super::residuals::{Missed, Residuals};
use super::{Formulation, FormulationError, Method, Outcome};
use crate::Equations;

/// The saddle-point system, sparse.
///
/// One step costs a factorization, a substitution and the residuals of all rows: where these are
/// small, as they mostly are, nothing more is done; else the solution is refined. Rows that
/// depend on others to about 5·10⁻⁷ of their size are left out, their multipliers are zero. M may be
/// singular.
///
/// The order of elimination is that of `pommel-kkt` which takes least work: coordinates partitioned
/// by the numbers, or bodies before rows. Where numbers do not suit it any more, it is chosen again,
/// the only case that allocates.
#[derive(Debug)]
pub struct SparseKkt {
    pattern: Pattern,
    workspace: Workspace<f64>,
    residuals: Residuals,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    analyses: usize,
}

/// A solution with residuals below this part of the terms of its rows is not refined.
const GOOD: f64 = 1e-13;
/// A refined solution must do as well as this.
const ACCEPTABLE: f64 = 1e-9;

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
            residuals: Residuals::new(pattern),
            rhs: vec![0.0; total],
            solution: vec![0.0; total],
            analyses: 1,
        }
    }

    /// How many orders of elimination were chosen so far.
    pub fn analyses(&self) -> usize {
        self.analyses
    }

    /// One factorization and solution, refined if it has to be.
    fn attempt(&mut self, equations: &Equations<'_>) -> Result<Attempt, FormulationError> {
        let values = equations.values();
        let (n, m) = (self.pattern.unknowns(), self.pattern.rows());
        let mut factor = self.workspace.factorize(&values)?;
        if factor.misplaced(0) > 0 {
            return Ok(Attempt::Failed { backward_error: f64::INFINITY });
        }
        self.residuals.leave_out(factor.dependent_rows(0));
        let rank = m - self.residuals.left_out();
        factor.substitute(&self.rhs, &mut self.solution)?;
        let mut missed = self.residuals.of(equations, &self.solution);
        if !(missed.backward_error <= GOOD) {
            // contradictions are judged here
            let refinement = Refinement { consistency: f64::INFINITY, ..Refinement::quick() };
            let report = factor.solve(&self.rhs, &mut self.solution, &refinement)?;
            if matches!(report.verdict(0), Verdict::NotFinite) {
                factor.check_finite(0)?;
            }
            missed = self.residuals.of(equations, &self.solution);
        }
        if !(missed.backward_error <= ACCEPTABLE) {
            return Ok(Attempt::Failed { backward_error: missed.backward_error });
        }
        // every independent row makes one eigenvalue of each sign, every motion with inertia one more
        let (method, dimension) = (Method::SparseKkt, n - rank);
        let positive = factor.inertia(0).positive.saturating_sub(rank);
        if positive < dimension {
            return Err(FormulationError::MotionWithoutInertia { method, dimension, positive });
        }
        Ok(Attempt::Solved { rank, missed })
    }

    /// The first number of the equations that is none, if the solution has such.
    fn find_not_finite(&self, equations: &Equations<'_>) -> Result<(), FormulationError> {
        super::dense::check_equations(
            equations,
            &self.solution[..self.pattern.unknowns()],
            &self.solution[self.pattern.unknowns()..],
        )
    }
}

/// What came of an order of elimination.
enum Attempt {
    Solved { rank: usize, missed: Missed },
    Failed { backward_error: f64 },
}

/// The order that takes least work.
fn analysis(pattern: &Pattern, equations: &Equations<'_>) -> Result<Analysis, FormulationError> {
    let values = Values::new(equations.mass, equations.jacobian);
    let first = Analysis::for_values(pattern, &values, &Options::default())?;
    if first.is_partitioned() {
        return Ok(first);
    }
    let options = Options { partitioned: Some(true), ..Options::default() };
    let other = Analysis::for_values(pattern, &values, &options)?;
    let cheaper = other.cost().multiply_adds < first.cost().multiply_adds;
    Ok(if other.is_partitioned() && cheaper { other } else { first })
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
        let (n, m) = (self.pattern.unknowns(), self.pattern.rows());
        for (array, expected, found) in [
            ("force", n, equations.force.len()),
            ("gamma", m, equations.gamma.len()),
            ("qdd", n, qdd.len()),
            ("lambda", m, lambda.len()),
        ] {
            assert_eq!(found, expected, "{array} has {found} entries, not {expected}");
        }
        self.rhs[..n].copy_from_slice(equations.force);
        self.rhs[n..].copy_from_slice(equations.gamma);
        let mut attempt = self.attempt(equations)?;
        if let Attempt::Failed { .. } = attempt {
            self.find_not_finite(equations)?;
            self.workspace = Workspace::new(&analysis(&self.pattern, equations)?);
            self.analyses += 1;
            attempt = self.attempt(equations)?;
        }
        match attempt {
            Attempt::Failed { backward_error } => {
                Err(FormulationError::Inaccurate { method: Method::SparseKkt, backward_error })
            }
            Attempt::Solved { rank, missed } => {
                missed.check(Method::SparseKkt)?;
                qdd.copy_from_slice(&self.solution[..n]);
                lambda.copy_from_slice(&self.solution[n..]);
                Ok(Outcome { rank: Some(rank) })
            }
        }
    }
}
