//! A factored system.

use pommel_math::Real;

use super::status::{Status, all_finite, first_not_finite};
use super::substitute::substitute;
use super::workspace::Workspace;
use crate::analysis::Program;
use crate::error::{KktError, Part, check_lane, check_length};
use crate::inertia::Inertia;
use crate::pattern::Values;

/// A factored system. It borrows its workspace and its values: a stale factor does not compile.
#[derive(Debug)]
pub struct Factor<'w, T> {
    pub(super) workspace: &'w mut Workspace<T>,
    pub(super) values: Values<'w, T>,
    pub(super) status: Status,
}

impl<T: Real> Factor<'_, T> {
    /// Numbers of positive, negative and zero eigenvalues of `[M Jᵀ; J −C]`, in a lane.
    ///
    /// Zero eigenvalues are those that rounding cannot tell from zero: each belongs to a dependent
    /// row or to a motion without mass.
    ///
    /// A good verdict does not mean that `x` is a minimum: of `½ xᵀ M x − fᵀ x` where `J x = g`; with a
    /// definite C, of that plus `½ (J x − g)ᵀ C⁻¹ (J x − g)`. It is one if the inertia is `(n, m, 0)`,
    /// or `(n, rank, m − rank)` with dependent rows; without C that means that M is positive definite
    /// on what J leaves free.
    ///
    /// Inertia, rank, dependent rows and free unknowns mean nothing where
    /// [`check_finite`](Self::check_finite) finds an error.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn inertia(&self, lane: usize) -> Inertia {
        check_lane::<T>(lane);
        let n = self.workspace.pattern.unknowns();
        let m = self.workspace.pattern.rows();
        if !self.status.dropped.lane(lane) && !self.status.turned.lane(lane) {
            return Inertia { positive: n, negative: m, zero: 0 };
        }
        let mut inertia = Inertia::default();
        let inverse = &self.workspace.inverse;
        let mut count = |x: f64| match x {
            x if x > 0.0 => inertia.positive += 1,
            x if x < 0.0 => inertia.negative += 1,
            _ => inertia.zero += 1,
        };
        inverse.iter().for_each(|x| count(x.lane(lane)));
        if let Some(Program::Pairs(plan)) = &self.workspace.program {
            // a pair has one eigenvalue of each sign, and was counted twice by that of its pivot
            for x in plan.pairs().map(|k| inverse[k].lane(lane)) {
                if x > 0.0 {
                    (inertia.positive, inertia.negative) =
                        (inertia.positive - 1, inertia.negative + 1);
                } else if x < 0.0 {
                    (inertia.positive, inertia.negative) =
                        (inertia.positive + 1, inertia.negative - 1);
                }
            }
        }
        inertia
    }

    /// Rank of `[J −C]` in a lane: the number of rows that do not depend on others. It means nothing
    /// where [`check_finite`](Self::check_finite) finds an error.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn rank(&self, lane: usize) -> usize {
        self.workspace.pattern.rows() - self.dependent_rows(lane).count()
    }

    /// Rows that depend on others, in a lane, in the order of elimination: they were left out, and
    /// their multipliers are zero.
    ///
    /// Which rows of a dependent set these are follows from the order of elimination; what counts as
    /// dependent, from [`Options::tolerance`](crate::Options::tolerance). They mean nothing where
    /// [`check_finite`](Self::check_finite) finds an error.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn dependent_rows(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let n = self.workspace.pattern.unknowns();
        self.dropped(lane).filter_map(move |s| s.checked_sub(n))
    }

    /// Unknowns in whose direction nothing resists, in a lane: neither mass nor constraints. They
    /// were left out and are zero in solutions. They mean nothing where
    /// [`check_finite`](Self::check_finite) finds an error.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn free_unknowns(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let n = self.workspace.pattern.unknowns();
        self.dropped(lane).filter(move |&s| s < n)
    }

    #[track_caller]
    fn dropped(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        self.dropped_pivots(lane).map(|k| self.workspace.sequence[k] as usize)
    }

    /// Pivots that were dropped in a lane.
    #[track_caller]
    pub(super) fn dropped_pivots(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        check_lane::<T>(lane);
        let any = self.status.dropped.lane(lane);
        let count = if any { self.workspace.inverse.len() } else { 0 };
        (0..count).filter(move |&k| self.workspace.inverse[k].lane(lane) == 0.0)
    }

    /// Number of pivots, in a lane, that vanish although their rows do not depend on others: the
    /// order of elimination does not suit these numbers. Analyse again with
    /// [`Analysis::for_values`](crate::Analysis::for_values).
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn misplaced(&self, lane: usize) -> usize {
        check_lane::<T>(lane);
        self.workspace.unresolved.iter().filter(|u| usize::from(u.1) == lane).count()
    }

    /// Scalars, in the order `x`, λ, of misplaced pivots in any lane.
    pub(crate) fn misplaced_scalars(&self) -> impl Iterator<Item = usize> + '_ {
        let list = self.workspace.unresolved.iter();
        list.map(|u| self.workspace.sequence[u.0 as usize] as usize)
    }

    /// The number of M, J or C that made a lane fail: infinite, NaN, or so large that a pivot
    /// overflows. [`check_rhs`](Self::check_rhs) does this for a right-hand side; where both find
    /// nothing and the verdict is [`NotFinite`](crate::Verdict::NotFinite), the solution overflows.
    ///
    /// # Errors
    /// [`KktError::NotFinite`], [`KktError::Overflow`].
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn check_finite(&self, lane: usize) -> Result<(), KktError> {
        check_lane::<T>(lane);
        // where coordinates are partitioned, pivots of rows do not depend on masses
        let (pattern, values) = (&self.workspace.pattern, &self.values);
        let blind = matches!(self.workspace.program, Some(Program::Pairs(_)));
        if self.status.broken.lane(lane) || blind && !all_finite(pattern, values, lane) {
            return Err(first_not_finite(pattern, values, lane));
        }
        Ok(())
    }

    /// The first number of a right-hand side `[f; g]` that is infinite or NaN in a lane.
    ///
    /// # Errors
    /// [`KktError::NotFinite`] of [`Part::RightHandSide`], [`KktError::Length`].
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn check_rhs(&self, rhs: &[T], lane: usize) -> Result<(), KktError> {
        check_lane::<T>(lane);
        check_length("rhs", self.len(), rhs.len())?;
        match rhs.iter().position(|x| !x.lane(lane).is_finite()) {
            Some(entry) => Err(KktError::NotFinite { part: Part::RightHandSide, entry }),
            None => Ok(()),
        }
    }

    /// Largest ratio, in a lane, of what was cancelled in forming a pivot to the pivot that was left:
    /// the decimal digits that elimination lost are its logarithm.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn cancellation(&self, lane: usize) -> f64 {
        check_lane::<T>(lane);
        let mut largest = 1.0f64;
        for k in self.workspace.single_pivots() {
            let inverse = self.workspace.inverse[k].lane(lane).abs();
            largest = largest.max(self.workspace.size[k].lane(lane) * inverse);
        }
        largest
    }

    /// How poorly rows determine their unknowns, in a lane, where coordinates are partitioned: the
    /// largest number of a row relative to that of its unknown, in the units of the analysis; 1 where
    /// they are not.
    ///
    /// After an analysis it is at most about 10. What it grows to later on is lost in digits, and is
    /// what contradictions among dependent rows are multiplied with: above some 100, partition again.
    ///
    /// # Panics
    /// If the scalar has no such lane.
    #[track_caller]
    pub fn growth(&self, lane: usize) -> f64 {
        check_lane::<T>(lane);
        match &self.workspace.program {
            Some(Program::Pairs(plan)) => plan.growth(&self.workspace.lower, lane),
            _ => 1.0,
        }
    }

    /// Rows, in any lane, whose pivots are less than `share` of what they were left by.
    pub(crate) fn cancelled_rows(&self, share: f64) -> Vec<usize> {
        let n = self.workspace.pattern.unknowns();
        let mut rows = Vec::new();
        for k in self.workspace.single_pivots() {
            let (inverse, size) = (self.workspace.inverse[k], self.workspace.size[k]);
            let row = (self.workspace.sequence[k] as usize).checked_sub(n);
            let lost = |l| inverse.lane(l).abs() * size.lane(l) * share > 1.0;
            if (0..T::LANES).any(lost) {
                rows.extend(row);
            }
        }
        rows
    }

    /// Forward and back substitution: `solution = K⁻¹ rhs` without a check, the fastest way.
    ///
    /// `rhs` is `[f; g]`, `solution` is `[x; λ]`, both of length `n + m`.
    ///
    /// # Errors
    /// [`KktError::Length`].
    pub fn substitute(&mut self, rhs: &[T], solution: &mut [T]) -> Result<(), KktError> {
        check_length("rhs", self.len(), rhs.len())?;
        check_length("solution", self.len(), solution.len())?;
        substitute(self.workspace, &self.values, Some(rhs), solution);
        Ok(())
    }

    /// [`substitute`](Self::substitute) for several right-hand sides: each of `rhs` and `solution`
    /// holds them one after the other, `n + m` numbers each.
    ///
    /// ```
    /// use pommel_kkt::{Analysis, Pattern, Values, Workspace};
    ///
    /// // 2 x + λ = f, x = g
    /// let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[])?;
    /// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
    /// let mut factor = workspace.factorize(&Values::new(&[2.0], &[1.0]))?;
    /// let mut solutions = [0.0; 4];
    /// factor.substitute_all(&[4.0, 1.0, 0.0, 3.0], &mut solutions)?;
    /// assert_eq!(solutions, [1.0, 2.0, 3.0, -6.0]);
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    ///
    /// # Errors
    /// [`KktError::Length`] if the lengths differ or are no multiple of `n + m`.
    pub fn substitute_all(&mut self, rhs: &[T], solution: &mut [T]) -> Result<(), KktError> {
        let total = self.len().max(1);
        check_length("rhs", rhs.len() / total * self.len(), rhs.len())?;
        check_length("solution", rhs.len(), solution.len())?;
        for (rhs, x) in rhs.chunks_exact(total).zip(solution.chunks_exact_mut(total)) {
            substitute(self.workspace, &self.values, Some(rhs), x);
        }
        Ok(())
    }

    /// Number of unknowns and multipliers.
    #[allow(clippy::len_without_is_empty, reason = "a size, not a container")]
    pub fn len(&self) -> usize {
        self.workspace.sequence.len()
    }
}
