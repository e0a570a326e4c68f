//! The saddle-point system by `pommel-kkt`.

use pommel_kkt::{Analysis, KktError, Options, Pattern, Values, Workspace};

use super::residuals::Residuals;
use super::{COARSEST, Formulation, FormulationError, Method, Outcome, RANK_TOLERANCE};
use crate::Equations;
use crate::suited::pivot_tolerance;

/// The saddle-point system, sparse.
///
/// One step costs a factorization, a substitution and the residuals of all rows: where these are
/// small, as they mostly are, nothing more is done; else the solution is refined. Where coordinates are
/// partitioned, all rows are independent, no number of a row is more than 20 times the pivot that it determines
/// its unknown by, inertias differ by no more than a factor of a million, and residuals were small without refinement
/// where they were looked at last, this is elimination with threshold pivoting on numbers of like size, and residuals are
/// only looked at in one solution of eight: those of the others are below 1e-11 of the terms of their rows. Where masses
/// and lengths are of very different sizes, small rows suffer although no pivot is poor, and all solutions are looked
/// at. Rows that
/// depend on others to about 5·10⁻⁷ of their size, or to the threshold for ranks where drift makes that
/// larger ([`Equations::rank_tolerance`]), are left out, their multipliers are zero. M may be
/// singular.
///
/// The order of elimination is that of `pommel-kkt` which takes least work: coordinates partitioned
/// by the numbers, or bodies before rows. Where numbers do not suit it any more, it is chosen again,
/// the only case that allocates. So the last bits of a solution depend on what was solved before: where
/// they must not, make one anew for each instance.
#[derive(Debug)]
pub struct SparseKkt {
    pattern: Pattern,
    workspace: Workspace<f64>,
    residuals: Residuals,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    rest: Vec<f64>,
    change: Vec<f64>,
    analyses: usize,
    partitioned: bool,
    /// whether M is known to be positive definite, with a diagonal of like numbers
    is_tame: bool,
    /// whether the last factor left unknowns out
    dropped: bool,
    /// solutions until rows are tried at the coarsest threshold again
    coarse_after: usize,
    /// solutions since the last analysis
    solved: usize,
    /// whether residuals were small where they were looked at last, without refinement
    trusted: bool,
    rank_tolerance: f64,
}

/// A solution with residuals below this part of the terms of its rows is not refined.
const GOOD: f64 = 2e-14;
/// Where a row is this many times larger than the pivot that it determines its unknown by,
/// coordinates are partitioned anew: rows that are left out because they depend on it would be
/// better kept in its place, since drift makes them differ by that factor.
const POOR: f64 = 20.0;
/// Every so many solutions, partitions are looked at, and residuals of what elimination is stable for.
const WATCH: usize = 8;
/// So many solutions are found without a try at the coarsest threshold after one that failed.
const PAUSE: usize = 64;
/// Pivots are not taken by size, so drift leaves dependent rows more than in methods where they are.
const LOOSER: f64 = 2.0;
/// Most steps of refinement.
const STEPS: usize = 3;
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
        Ok(Self::with(pattern, &analysis(pattern, equations, LOOSER * equations.rank_tolerance())?))
    }

    fn with(pattern: &Pattern, analysis: &Analysis) -> Self {
        let total = pattern.unknowns() + pattern.rows();
        SparseKkt {
            pattern: pattern.clone(),
            workspace: Workspace::new(analysis),
            residuals: Residuals::new(pattern),
            rhs: vec![0.0; total],
            solution: vec![0.0; total],
            rest: vec![0.0; total],
            change: vec![0.0; total],
            analyses: 1,
            partitioned: analysis.is_partitioned(),
            is_tame: false,
            dropped: false,
            coarse_after: 0,
            solved: 0,
            trusted: false,
            rank_tolerance: RANK_TOLERANCE,
        }
    }

    /// How many orders of elimination were chosen so far.
    pub fn analyses(&self) -> usize {
        self.analyses
    }

    /// The matrices M to come are positive definite, also where they are not diagonal, and have the diagonal of these
    /// equations: whether its numbers are of like size is asked once.
    pub(crate) fn trust_mass(&mut self, equations: &Equations<'_>) {
        self.residuals.take_scales(equations);
        self.is_tame = self.residuals.mass_is_tame(equations);
    }

    /// `[M Φ_qᵀ; Φ_q 0] x = rhs` with the factor of the solution found last, unrefined; rows that it left out have no
    /// multipliers. False if there is none.
    pub(crate) fn solve_again(
        &mut self,
        values: &Values<'_, f64>,
        rhs: &[f64],
        x: &mut [f64],
    ) -> Result<bool, KktError> {
        let Some(mut factor) = self.workspace.factored(values)? else { return Ok(false) };
        factor.substitute(rhs, x)?;
        Ok(true)
    }

    /// One factorization and solution, refined if it has to be.
    fn attempt(&mut self, equations: &Equations<'_>) -> Result<Attempt, FormulationError> {
        let values = equations.values();
        let (n, m) = (self.pattern.unknowns(), self.pattern.rows());
        self.workspace.set_tolerance(pivot_tolerance(self.rank_tolerance))?;
        let mut factor = self.workspace.factorize(&values)?;
        if factor.misplaced(0) > 0 {
            return Ok(Attempt::Failed { backward_error: f64::INFINITY });
        }
        self.residuals.leave_out(factor.dependent_rows(0));
        self.dropped = factor.free_unknowns(0).next().is_some();
        let rank = m - self.residuals.left_out();
        self.solved += 1;
        let growth = if self.partitioned { factor.growth(0) } else { f64::INFINITY };
        if self.partitioned && self.solved.is_multiple_of(WATCH) && growth > POOR {
            return Ok(Attempt::Failed { backward_error: f64::NAN });
        }
        factor.substitute(&self.rhs, &mut self.solution)?;
        let definite = self.is_tame || self.residuals.mass_is_positive(equations);
        let tame = self.is_tame || (definite && self.residuals.mass_is_tame(equations));
        let watched = !self.trusted || self.solved % WATCH == 1;
        if growth <= POOR && rank == m && tame && !watched && are_finite(&self.solution) {
            return Ok(Attempt::Solved { rank });
        }
        let mut missed = self.residuals.of(equations, &self.solution, GOOD);
        self.trusted = missed == 0.0;
        for _ in 0..STEPS {
            // NaN is left to those who name it
            if missed == 0.0 || missed.is_nan() {
                break;
            }
            // K δ = what is left
            self.residuals.write_rest(&mut self.rest);
            factor.substitute(&self.rest, &mut self.change)?;
            self.solution.iter_mut().zip(&self.change).for_each(|(x, d)| *x += d);
            let before = missed;
            missed = self.residuals.of(equations, &self.solution, GOOD);
            let better = missed < before;
            if !better {
                // not better: it was as good as it gets
                self.solution.iter_mut().zip(&self.change).for_each(|(x, d)| *x -= d);
                missed = self.residuals.of(equations, &self.solution, GOOD);
                break;
            }
        }
        if !definite {
            // every independent row makes one eigenvalue of each sign, every motion with inertia one more
            let (method, dimension) = (Method::SparseKkt, n - rank.min(n));
            let positive = factor.inertia(0).positive.saturating_sub(rank);
            if positive < dimension && missed.is_finite() {
                return Err(FormulationError::MotionWithoutInertia { method, dimension, positive });
            }
        }
        let accepted =
            missed <= ACCEPTABLE || self.residuals.beyond_rounding(equations) <= ACCEPTABLE;
        Ok(if accepted {
            Attempt::Solved { rank }
        } else {
            Attempt::Failed { backward_error: missed }
        })
    }

    /// The solution where all rows are independent by the coarsest threshold that there is: then they are by any, and what
    /// the state says of it need not be asked. None where that is not so.
    fn attempt_coarsely(&mut self, equations: &Equations<'_>) -> Option<Outcome> {
        if self.coarse_after > 0 {
            self.coarse_after -= 1;
            return None;
        }
        self.rank_tolerance = LOOSER * COARSEST;
        let solved = self.solved;
        match self.attempt(equations) {
            // the threshold is that of motions with inertia, too
            Ok(Attempt::Solved { rank }) if rank == self.pattern.rows() && !self.dropped => {
                Some(Outcome { rank: Some(rank) })
            }
            // errors are told by the attempt that follows
            _ => {
                self.coarse_after = PAUSE;
                self.solved = solved;
                None
            }
        }
    }

    /// The same by an order of elimination for these numbers.
    #[cold]
    fn attempt_anew(&mut self, equations: &Equations<'_>) -> Result<Attempt, FormulationError> {
        let analysis = analysis(&self.pattern, equations, self.rank_tolerance)?;
        self.partitioned = analysis.is_partitioned();
        self.workspace = Workspace::new(&analysis);
        self.analyses += 1;
        self.solved = 0;
        self.attempt(equations)
    }

    /// The rank, if a solution was found that rows that were left out do not contradict.
    fn conclude(
        &self,
        equations: &Equations<'_>,
        attempt: Attempt,
    ) -> Result<usize, FormulationError> {
        match attempt {
            Attempt::Failed { backward_error } => {
                self.find_not_finite(equations)?;
                Err(FormulationError::Inaccurate { method: Method::SparseKkt, backward_error })
            }
            Attempt::Solved { rank } => {
                self.residuals.check(equations, Method::SparseKkt, self.rank_tolerance)?;
                Ok(rank)
            }
        }
    }

    /// The first number that is none, of the equations or of the solution.
    #[cold]
    fn find_not_finite(&self, equations: &Equations<'_>) -> Result<(), FormulationError> {
        let (qdd, lambda) = self.solution.split_at(self.pattern.unknowns());
        super::dense::check_equations(equations, qdd, lambda)?;
        for (array, list) in [("qdd", qdd), ("lambda", lambda)] {
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(FormulationError::NotFinite { array, index });
            }
        }
        Ok(())
    }
}

/// What came of an order of elimination.
enum Attempt {
    Solved { rank: usize },
    Failed { backward_error: f64 },
}

/// Whether all numbers are, by one sum: none of them cancels another that is not.
fn are_finite(list: &[f64]) -> bool {
    (list.iter().map(|x| x * 0.0).sum::<f64>()) == 0.0
}

/// The order that takes least work.
fn analysis(
    pattern: &Pattern,
    equations: &Equations<'_>,
    rank_tolerance: f64,
) -> Result<Analysis, FormulationError> {
    let values = Values::new(equations.mass, equations.jacobian);
    let options =
        Options { tolerance: Some(pivot_tolerance(rank_tolerance)), ..Options::default() };
    let first = Analysis::for_values(pattern, &values, &options)?;
    if first.is_partitioned() {
        return Ok(first);
    }
    let options = Options { partitioned: Some(true), ..options };
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
        let phi = equations.phi.len();
        assert!(phi == 0 || phi == m, "phi has {phi} entries, not {m} or none");
        if let Some(index) = equations.phi.iter().position(|x| !x.is_finite()) {
            return Err(FormulationError::NotFinite { array: "phi", index });
        }
        self.rhs[..n].copy_from_slice(equations.force);
        self.rhs[n..].copy_from_slice(equations.gamma);
        self.residuals.take_scales(equations);
        if let Some(found) = self.attempt_coarsely(equations) {
            qdd.copy_from_slice(&self.solution[..n]);
            lambda.copy_from_slice(&self.solution[n..]);
            return Ok(found);
        }
        let tolerance = self.residuals.rank_tolerance(equations);
        self.rank_tolerance =
            if tolerance > RANK_TOLERANCE { LOOSER * tolerance } else { tolerance };
        let mut attempt = self.attempt(equations)?;
        if let Attempt::Failed { .. } = attempt {
            self.find_not_finite(equations)?;
            attempt = self.attempt_anew(equations)?;
        }
        let mut found = self.conclude(equations, attempt);
        if let Err(FormulationError::Inconsistent { .. }) = found
            && self.rank_tolerance > tolerance
        {
            // a row may have passed for one that depends on others; the looser threshold is for pivots
            // that are not those of size, which those of a new order are
            self.rank_tolerance = tolerance;
            let attempt = self.attempt_anew(equations)?;
            found = self.conclude(equations, attempt);
        }
        let rank = found?;
        qdd.copy_from_slice(&self.solution[..n]);
        lambda.copy_from_slice(&self.solution[n..]);
        Ok(Outcome { rank: Some(rank) })
    }
}
