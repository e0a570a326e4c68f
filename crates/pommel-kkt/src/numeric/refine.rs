//! Solutions that know how good they are.

use core::fmt;

use pommel_math::{Mask, Real};

use super::factored::Factor;
use super::product;
use super::status::kept;
use super::substitute::substitute;
use super::workspace::Workspace;
use crate::error::{KktError, check_lane};

/// When to refine a solution, and what to call good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// Most steps of iterative refinement.
    pub steps: usize,
    /// Componentwise backward error at which to stop, in units of the scalar's ε.
    pub target: f64,
    /// Largest residual of a dropped row, relative to the size of its terms, that still counts as
    /// consistent; at least 10³ ε.
    pub consistency: f64,
    /// Largest estimated relative error of the unknowns that counts as good; at least 10⁴ ε.
    pub accuracy: f64,
    /// Whether to estimate the error of the solution: costs eight to eighteen more substitutions.
    pub estimate_error: bool,
}

impl Default for Refinement {
    /// Two steps to 4 ε, consistency 10⁻⁹, accuracy 10⁻⁶, with an estimate of the error.
    fn default() -> Self {
        Refinement {
            steps: 2,
            target: 4.0,
            consistency: 1e-9,
            accuracy: 1e-6,
            estimate_error: true,
        }
    }
}

impl Refinement {
    /// The same without an estimate of the error.
    pub fn quick() -> Self {
        Refinement { estimate_error: false, ..Refinement::default() }
    }
}

/// What a solution is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// The solution, unique and accurate. It need not be a minimum: see [`Factor::inertia`].
    Good,
    /// Rows of J depend on others to within the tolerance ([`Options::tolerance`](crate::Options)) and
    /// agree with them: the unknowns are unique, the multipliers one choice among many.
    GoodWithDependentRows {
        /// Number of these rows.
        count: usize,
    },
    /// Rows that depend on others to within the tolerance ([`Options::tolerance`](crate::Options))
    /// contradict them: no solution exists, or none that the tolerance lets be found. The unknowns solve
    /// the others.
    Inconsistent {
        /// The row that is violated most of those that were left out. Which rows of a dependent set
        /// are left out follows from the order of elimination: a row that it depends on may be the
        /// wrong one.
        row: usize,
        /// By how much: its residual `g − J x + C λ`.
        residual: f64,
        /// The residual relative to the size of its terms.
        relative: f64,
        /// Number of rows that are violated.
        count: usize,
    },
    /// Some motions meet neither mass nor constraints: the unknowns are not unique.
    Singular {
        /// Number of these motions.
        count: usize,
    },
    /// The solution may be wrong by more than was asked for.
    Inaccurate {
        /// Estimated relative error of the unknowns; infinite if refinement failed.
        estimated_error: f64,
    },
    /// The order of elimination does not suit these numbers; analyse again with
    /// [`Analysis::for_values`](crate::Analysis::for_values).
    Misplaced {
        /// Number of pivots that vanish although they should not.
        count: usize,
    },
    /// A number is infinite or NaN, or so large that it overflows: [`Factor::check_finite`] and
    /// [`Factor::check_rhs`] name it.
    NotFinite,
}

impl Verdict {
    /// Whether the unknowns can be relied on.
    pub fn is_good(&self) -> bool {
        matches!(self, Verdict::Good | Verdict::GoodWithDependentRows { .. })
    }
}

/// How good a solution is, lane by lane.
#[derive(Clone, Copy)]
pub struct Report<T> {
    /// Steps of refinement that were made.
    pub steps: usize,
    /// Componentwise backward error: the least `ω` such that the solution is exact for numbers that
    /// are wrong by the share `ω` each: the largest `|b − K s| / max(|K| |s| + |b|, t)` of a row (Oettli
    /// and Prager). The floor `t` is `N ε` times the largest `|K| |s| + |b|` of the `N` rows, so that
    /// rows of nothing but rounding do not count, plus the least normal number, below which products
    /// are rounded by more than ε. Rows that were dropped do not count. NaN if a number, or a
    /// `|K| |s| + |b|` of any row, is infinite or NaN.
    pub backward_error: T,
    /// Estimated relative error of the unknowns, largest error over largest unknown; NaN if it was
    /// not asked for. Where forces balance and the unknowns vanish, it is relative to √ε of what the
    /// forces would do to the masses alone.
    pub unknowns_error: T,
    /// Estimated relative error of the multipliers, in the same sense.
    pub multipliers_error: T,
    verdicts: [Verdict; 8],
}

/// With the verdicts of the lanes that the scalar has.
impl<T: Real> fmt::Debug for Report<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("steps", &self.steps)
            .field("backward_error", &self.backward_error)
            .field("unknowns_error", &self.unknowns_error)
            .field("multipliers_error", &self.multipliers_error)
            .field("verdicts", &&self.verdicts[..T::LANES])
            .finish()
    }
}

impl<T: Real> Report<T> {
    /// What the solution in a lane is worth.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn verdict(&self, lane: usize) -> Verdict {
        check_lane::<T>(lane);
        self.verdicts[lane]
    }

    /// Whether the solution is good in all lanes.
    pub fn is_good(&self) -> bool {
        (0..T::LANES).all(|lane| self.verdicts[lane].is_good())
    }
}

impl<T: Real> Factor<'_, T> {
    /// Solves, refines, and says what the solution is worth; does not allocate.
    ///
    /// `rhs` is `[f; g]`, `solution` is `[x; λ]`, both of length `n + m`.
    ///
    /// # Errors
    /// [`KktError::Length`].
    pub fn solve(
        &mut self,
        rhs: &[T],
        solution: &mut [T],
        refinement: &Refinement,
    ) -> Result<Report<T>, KktError> {
        self.substitute(rhs, solution)?;
        let target = T::from_f64(refinement.target * T::EPSILON);
        let mut error = self.find_residual(rhs, solution);
        let mut steps = 0;
        while steps < refinement.steps && !error.le(target).is_all(T::LANES) {
            // lanes that are good enough keep what they have
            let active = !error.le(target) & Mask::all(T::LANES);
            let workspace = &mut *self.workspace;
            let mut direction = core::mem::take(&mut workspace.direction);
            let residual = core::mem::take(&mut workspace.residual);
            substitute(workspace, &self.values, Some(&residual), &mut direction);
            workspace.residual = residual;
            for (x, d) in solution.iter_mut().zip(&mut direction) {
                let before = *x;
                *x = T::select(active, before + *d, before);
                *d = before;
            }
            self.workspace.direction = direction;
            let refined = self.find_residual(rhs, solution);
            let better = refined.lt(error) & active;
            steps += 1;
            if (better | !active).is_all(T::LANES) {
                error = refined;
                continue;
            }
            // and lanes that got no better go back
            for (x, before) in solution.iter_mut().zip(&self.workspace.direction) {
                *x = T::select(better | !active, *x, *before);
            }
            error = self.find_residual(rhs, solution);
            if better.is_none() {
                break;
            }
        }
        if self.status.dropped.any() {
            self.forgive(refinement);
        }
        let (unknowns_error, multipliers_error) = if refinement.estimate_error {
            self.estimate_errors(solution)
        } else {
            (T::from_f64(f64::NAN), T::from_f64(f64::NAN))
        };
        let mut report = Report {
            steps,
            backward_error: error,
            unknowns_error,
            multipliers_error,
            verdicts: [Verdict::NotFinite; 8],
        };
        for lane in 0..T::LANES {
            report.verdicts[lane] = self.verdict(&report, refinement, lane);
        }
        Ok(report)
    }

    /// Residual and bound of a solution into the workspace; its backward error.
    fn find_residual(&mut self, rhs: &[T], solution: &[T]) -> T {
        let Self { workspace, values, status } = self;
        let Workspace { pattern, residual, bound, inverse, sequence, .. } = &mut **workspace;
        product::residual(pattern, values, solution, rhs, residual, bound);
        let (largest, tiny) = floor(bound);
        // beside an infinite bound any residual would be nothing
        let mut error = T::select(largest.is_finite(), T::zero(), T::from_f64(f64::NAN));
        if status.dropped.any() {
            // residuals of dropped rows are judged apart: they stay, but a copy is not needed
            for (k, &s) in sequence.iter().enumerate() {
                let s = s as usize;
                let kept = kept(inverse[k]);
                let e = residual[s].abs() / bound[s].max(tiny);
                error = T::select(kept, largest_of(error, e), error);
            }
            return error;
        }
        for (r, b) in residual.iter().zip(bound.iter()) {
            error = largest_of(error, r.abs() / b.max(tiny));
        }
        error
    }

    /// Rows of J that were kept and whose backward error, in any lane, is above a limit; residual and
    /// bound stand in the workspace.
    pub(crate) fn rows_with_errors_above(&self, limit: f64) -> Vec<usize> {
        let Workspace { pattern, residual, bound, inverse, sequence, .. } = &*self.workspace;
        let (_, tiny) = floor(bound);
        let limit = T::from_f64(limit);
        let wrong = |&(k, s): &(usize, usize)| {
            (kept(inverse[k]) & limit.lt(residual[s].abs() / bound[s].max(tiny))).any()
        };
        let scalars = sequence.iter().enumerate().map(|(k, &s)| (k, s as usize)).filter(wrong);
        scalars.filter_map(|(_, s)| s.checked_sub(pattern.unknowns())).collect()
    }

    /// Leaves nothing of residuals of dropped rows that may be rounding: of those that residuals of kept
    /// rows, and errors of ε of their bounds, make by way of the unknowns.
    fn forgive(&mut self, refinement: &Refinement) {
        let consistency = T::from_f64(refinement.consistency.max(1e3 * T::EPSILON));
        let Workspace { bound, residual, inverse, sequence, .. } = &*self.workspace;
        let doubtful = |(k, &s): (usize, &u32)| {
            let limit = consistency * bound[s as usize].max(least());
            (!kept(inverse[k]) & limit.lt(residual[s as usize].abs())).any()
        };
        if !sequence.iter().enumerate().any(doubtful) {
            return;
        }
        let mut doubt = core::mem::take(&mut self.workspace.direction);
        for signs in SIGNS {
            let Workspace { pattern, bound, residual, inverse, sequence, .. } = &*self.workspace;
            let n = pattern.unknowns();
            for (k, &s) in sequence.iter().enumerate() {
                let odd = s.wrapping_mul(signs) >> 31 == 1;
                let s = s as usize;
                let error = bound[s].mul_add(T::from_f64(T::EPSILON), residual[s].abs());
                let error = if odd { -error } else { error };
                doubt[s] = T::select(kept(inverse[k]), error, T::zero());
            }
            substitute(self.workspace, &self.values, None, &mut doubt);
            doubt[n..].fill(T::zero());
            let Workspace { pattern, bound, residual, inverse, sequence, .. } =
                &mut *self.workspace;
            for (row, column, index) in pattern.jacobian.iter() {
                let lever = self.values.jacobian[index];
                doubt[n + row] = lever.mul_add(doubt[column], doubt[n + row]);
            }
            let (factor, own) = (T::from_f64(DOUBT), T::from_f64(DOUBT * T::EPSILON));
            for (k, &s) in sequence.iter().enumerate() {
                let s = s as usize;
                let open = doubt[s].abs().mul_add(factor, own * bound[s]);
                let forgiven = !kept(inverse[k]) & residual[s].abs().le(open);
                if s >= n && forgiven.any() {
                    residual[s] = T::select(forgiven, T::zero(), residual[s]);
                }
            }
        }
        self.workspace.direction = doubt;
    }

    fn verdict(&self, report: &Report<T>, refinement: &Refinement, lane: usize) -> Verdict {
        let error = report.backward_error.lane(lane);
        // rows that were dropped do not count in the error
        let residual =
            |k: usize| self.workspace.residual[self.workspace.sequence[k] as usize].lane(lane);
        let broken = self.status.broken.lane(lane) || error.is_nan();
        if broken || !self.dropped_pivots(lane).all(|k| residual(k).is_finite()) {
            return Verdict::NotFinite;
        }
        let misplaced = self.misplaced(lane);
        if misplaced > 0 {
            return Verdict::Misplaced { count: misplaced };
        }
        let singular = self.free_unknowns(lane).count();
        if singular > 0 {
            return Verdict::Singular { count: singular };
        }
        let (mut count, mut dependent, mut worst) = (0, 0, (0, 0.0, 0.0));
        let Workspace { pattern, sequence, residual, bound, .. } = &*self.workspace;
        for k in self.dropped_pivots(lane) {
            let scalar = sequence[k] as usize;
            dependent += 1;
            let residual = residual[scalar].lane(lane);
            let relative = residual.abs() / bound[scalar].lane(lane).max(f64::MIN_POSITIVE);
            if relative > refinement.consistency.max(1e3 * T::EPSILON) {
                count += 1;
            }
            if relative > worst.2 {
                worst = (scalar - pattern.unknowns(), residual, relative);
            }
        }
        if count > 0 {
            let (row, residual, relative) = worst;
            return Verdict::Inconsistent { row, residual, relative, count };
        }
        let estimated = report.unknowns_error.lane(lane);
        // far above rounding: refinement did not converge
        if error > 1e4 * T::EPSILON {
            let estimated_error = if estimated.is_nan() { f64::INFINITY } else { estimated };
            return Verdict::Inaccurate { estimated_error };
        }
        if estimated > refinement.accuracy.max(1e4 * T::EPSILON) {
            return Verdict::Inaccurate { estimated_error: estimated };
        }
        if dependent > 0 {
            return Verdict::GoodWithDependentRows { count: dependent };
        }
        Verdict::Good
    }
}

/// Errors are this much larger than the largest of a few choices of signs.
const DOUBT: f64 = 16.0;

/// Multipliers that make signs of numbers.
const SIGNS: [u32; 4] = [0x9e37_79b9, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// The largest bound of a row, and that below which a row is nothing but rounding.
#[inline(always)]
fn floor<T: Real>(bound: &[T]) -> (T, T) {
    let mut largest = T::zero();
    for b in bound {
        largest = largest_of(largest, *b);
    }
    (largest, largest * T::from_f64(bound.len() as f64 * T::EPSILON) + least())
}

/// The greater, NaN if one of them is.
#[inline(always)]
fn largest_of<T: Real>(a: T, b: T) -> T {
    T::select(b.le(a), a, T::select(a.lt(b), b, a + b))
}

/// The least positive number of a scalar with all of its digits.
pub(super) fn least<T: Real>() -> T {
    let single = T::EPSILON > f64::EPSILON;
    T::from_f64(if single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE })
}
