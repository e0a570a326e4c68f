//! A factored system.

use pommel_math::Real;

use super::status::{Status, all_finite, first_not_finite};
use super::substitute::substitute;
use super::workspace::Workspace;
use crate::analysis::Program;
use crate::error::{KktError, check_length};
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
    pub fn inertia(&self, lane: usize) -> Inertia {
        let n = self.workspace.pattern.unknowns();
        let m = self.workspace.pattern.rows();
        if !self.status.dropped.lane(lane) && !self.status.turned.lane(lane) {
            return Inertia { positive: n, negative: m, zero: 0 };
        }
        let mut inertia = Inertia::default();
        for x in &self.workspace.inverse {
            match x.lane(lane) {
                x if x > 0.0 => inertia.positive += 1,
                x if x < 0.0 => inertia.negative += 1,
                _ => inertia.zero += 1,
            }
        }
        inertia
    }

    /// Rank of `[J −C]` in a lane: the number of rows that do not depend on others.
    pub fn rank(&self, lane: usize) -> usize {
        self.workspace.pattern.rows() - self.dependent_rows(lane).count()
    }

    /// Rows that depend on others, in a lane, in the order of elimination: they were left out, and
    /// their multipliers are zero.
    ///
    /// Which rows of a dependent set these are follows from the order of elimination.
    pub fn dependent_rows(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let n = self.workspace.pattern.unknowns();
        self.dropped(lane).filter_map(move |s| s.checked_sub(n))
    }

    /// Unknowns in whose direction nothing resists, in a lane: neither mass nor constraints. They
    /// were left out and are zero in solutions.
    pub fn free_unknowns(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let n = self.workspace.pattern.unknowns();
        self.dropped(lane).filter(move |&s| s < n)
    }

    fn dropped(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        self.dropped_pivots(lane).map(|k| self.workspace.sequence[k] as usize)
    }

    /// Pivots that were dropped in a lane.
    pub(super) fn dropped_pivots(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let any = self.status.dropped.lane(lane);
        let count = if any { self.workspace.inverse.len() } else { 0 };
        (0..count).filter(move |&k| self.workspace.inverse[k].lane(lane) == 0.0)
    }

    /// Number of pivots, in a lane, that vanish although their rows do not depend on others: the
    /// order of elimination does not suit these numbers. Analyse again with
    /// [`Analysis::for_values`](crate::Analysis::for_values).
    pub fn misplaced(&self, lane: usize) -> usize {
        self.workspace.unresolved.iter().filter(|u| usize::from(u.1) == lane).count()
    }

    /// Scalars, in the order `x`, λ, of misplaced pivots in any lane.
    pub(crate) fn misplaced_scalars(&self) -> impl Iterator<Item = usize> + '_ {
        let list = self.workspace.unresolved.iter();
        list.map(|u| self.workspace.sequence[u.0 as usize] as usize)
    }

    /// The number that made a lane fail: infinite, NaN, or so large that a pivot overflows.
    ///
    /// # Errors
    /// [`KktError::NotFinite`], [`KktError::Overflow`].
    pub fn check_finite(&self, lane: usize) -> Result<(), KktError> {
        // where coordinates are partitioned, pivots do not depend on masses
        let (pattern, values) = (&self.workspace.pattern, &self.values);
        let blind = matches!(self.workspace.program, Some(Program::Pairs(_)));
        if self.status.broken.lane(lane) || blind && !all_finite(pattern, values, lane) {
            return Err(first_not_finite(pattern, values, lane));
        }
        Ok(())
    }

    /// Largest ratio, in a lane, of what was cancelled in forming a pivot to the pivot that was left:
    /// the decimal digits that elimination lost are its logarithm.
    pub fn cancellation(&self, lane: usize) -> f64 {
        let mut largest = 1.0f64;
        for k in self.workspace.single_pivots() {
            let inverse = self.workspace.inverse[k].lane(lane).abs();
            largest = largest.max(self.workspace.size[k].lane(lane) * inverse);
        }
        largest
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
