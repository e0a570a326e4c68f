//! The memory of a factorization.

use core::any::TypeId;
use std::sync::Arc;

use pommel_math::Real;

use super::factor::{Piece, Scratch, Task, factorize as sweep};
use super::factored::Factor;
use super::status::Status;
use crate::analysis::{Analysis, Layout, Program, tolerance_or_default};
use crate::error::KktError;
use crate::pattern::{Pattern, Values};

/// Width of the vectors of rows for scalars of one number.
pub(super) const WIDE: usize = 8;

/// Whether rows are taken in vectors.
#[inline(always)]
pub(super) fn is_plain<T: 'static>() -> bool {
    TypeId::of::<T>() == TypeId::of::<f64>() || TypeId::of::<T>() == TypeId::of::<f32>()
}

/// All memory of factorizations and solutions of one pattern, with no results of its own.
///
/// One workspace serves one thread; an [`Analysis`] serves any number of workspaces.
#[derive(Clone, Debug)]
pub struct Workspace<T> {
    pub(super) pattern: Arc<Pattern>,
    /// The program of single numbers, with its numbers; there are no fronts then.
    pub(super) program: Option<Program>,
    pub(super) columns: Vec<T>,
    pub(super) lower: Vec<T>,
    pub(super) layout: Layout,
    /// For every pivot: its scalar in the order `x`, λ.
    pub(super) sequence: Vec<u32>,
    pub(super) sign: Vec<T>,
    pub(super) panels: Vec<T>,
    pub(super) updates: Vec<T>,
    /// `1/d` of every pivot, zero where it was dropped; in pivoted fronts 1, −1 or 0.
    pub(super) inverse: Vec<T>,
    pub(super) size: Vec<T>,
    /// For one thread, then for every part of the layout, if there may be several.
    pub(super) scratch: Vec<Scratch<T>>,
    pub(super) local: Vec<T>,
    pub(super) y: Vec<T>,
    pub(super) residual: Vec<T>,
    pub(super) bound: Vec<T>,
    pub(super) direction: Vec<T>,
    /// Dropped pivots whose column does not vanish with them: pivot, lane.
    pub(super) unresolved: Vec<(u32, u8)>,
    pub(super) compliance_sign: T,
    pub(super) tolerance: T,
    /// of the last factorization
    pub(super) status: Option<Status>,
}

impl<T: Real> Workspace<T> {
    /// Memory for the factorizations of an analysis.
    pub fn new(analysis: &Analysis) -> Self {
        let program = analysis.program();
        let width = if is_plain::<T>() { WIDE } else { 1 };
        let layout = if program.is_some() { Layout::empty() } else { analysis.layout(width) };
        // pairs have all of their numbers in one array
        let in_one = matches!(program, Some(Program::Pairs(_)));
        let places = program.as_ref().map_or(0, |program| program.places());
        let sequence = analysis.sequence();
        let pattern = analysis.shared_pattern();
        let unknowns = pattern.unknowns();
        let total = sequence.len();
        let sign = (sequence.iter())
            .map(|&s| T::from_f64(if (s as usize) < unknowns { 1.0 } else { -1.0 }))
            .collect();
        let zeros = |n: usize| vec![T::zero(); n];
        Workspace {
            sign,
            lower: zeros(places),
            columns: zeros(if in_one { 0 } else { places }),
            program,
            panels: zeros(layout.panels),
            updates: zeros(layout.updates),
            inverse: zeros(total),
            size: zeros(total + 2 * WIDE),
            scratch: Scratch::of(&layout),
            local: zeros(layout.tallest + WIDE),
            y: zeros(total + 2 * WIDE),
            residual: zeros(total),
            bound: zeros(total),
            direction: zeros(total),
            unresolved: Vec::with_capacity(total * T::LANES),
            compliance_sign: T::from_f64(if pattern.negated { 1.0 } else { -1.0 }),
            tolerance: T::from_f64(tolerance_or_default::<T>(analysis.tolerance())),
            status: None,
            pattern,
            layout,
            sequence,
        }
    }

    /// Takes pivots for zero below another share of what they were left by, from now on; see
    /// [`Options::tolerance`](crate::Options::tolerance). For rows of J that are known to be inexact: of
    /// a mechanism whose positions have drifted, rows that depend on others differ by about the
    /// drift, and their pivots by its square. Rows that compliance alone holds are dropped as well, if it
    /// holds them by less than that.
    ///
    /// # Errors
    /// [`KktError::Tolerance`] if it is not in [0, 1).
    pub fn set_tolerance(&mut self, tolerance: f64) -> Result<(), KktError> {
        if !(0.0..1.0).contains(&tolerance) {
            return Err(KktError::Tolerance { value: tolerance });
        }
        self.tolerance = T::from_f64(tolerance);
        Ok(())
    }

    /// The pattern of the systems.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Factors `[M Jᵀ; J −C]`; does not allocate.
    ///
    /// A singular system is no error, nor one with infinite numbers: the factor tells inertia, rank
    /// and dependent rows, and every solution says what it is worth.
    ///
    /// # Errors
    /// [`KktError::Length`] if an array of values has another length than the pattern says.
    pub fn factorize<'w>(&'w mut self, values: &Values<'w, T>) -> Result<Factor<'w, T>, KktError> {
        values.check_lengths(&self.pattern)?;
        self.status = None;
        let outcome = sweep(self, values);
        let status = Status::new(self, values, outcome);
        self.status = Some(status);
        Ok(Factor { workspace: self, values: *values, status })
    }

    /// The factor of the last factorization once more, without its work; none before the first.
    ///
    /// For iterations that keep a factor while the numbers go on. `values` must be those that were factored:
    /// [`Factor::substitute`] and [`Factor::solve`] read them, too.
    ///
    /// ```
    /// use pommel_kkt::{Analysis, Pattern, Values, Workspace};
    ///
    /// // 2 x + λ = f, x = g
    /// let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[])?;
    /// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
    /// let values = Values::new(&[2.0], &[1.0]);
    /// assert!(workspace.factored(&values)?.is_none());
    /// workspace.factorize(&values)?;
    /// let mut solution = [0.0; 2];
    /// if let Some(mut factor) = workspace.factored(&values)? {
    ///     factor.substitute(&[4.0, 1.0], &mut solution)?;
    /// }
    /// assert_eq!(solution, [1.0, 2.0]);
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    ///
    /// # Errors
    /// [`KktError::Length`] if an array of values has another length than the pattern says.
    pub fn factored<'w>(
        &'w mut self,
        values: &Values<'w, T>,
    ) -> Result<Option<Factor<'w, T>>, KktError> {
        values.check_lengths(&self.pattern)?;
        let status = self.status;
        Ok(status.map(|status| Factor { workspace: self, values: *values, status }))
    }

    /// Like [`factorize`](Self::factorize), to the bit, by the threads of the `rayon` pool in which it is
    /// called: `pool.install(|| workspace.factorize_in_parallel(&values))`, or else of `rayon`'s global
    /// pool.
    ///
    /// Threads share the subtrees of fronts that the analysis found
    /// ([`Cost::subtrees`](crate::Cost::subtrees)). Where there are none, as in every system of less than
    /// [`Analysis::CUT_FROM`] multiply-adds, it is the same as `factorize`, and `rayon` is not called.
    /// Solutions are found by one thread.
    ///
    /// Nothing is allocated here; `rayon` may allocate when it starts its pool, when a thread outside of
    /// a pool hands work to it, and when the queue of a thread grows.
    ///
    /// # Errors
    /// [`KktError::Length`] if an array of values has another length than the pattern says.
    #[cfg(feature = "rayon")]
    pub fn factorize_in_parallel<'w>(
        &'w mut self,
        values: &Values<'w, T>,
    ) -> Result<Factor<'w, T>, KktError> {
        if self.layout.parts.is_empty() {
            return self.factorize(values);
        }
        values.check_lengths(&self.pattern)?;
        self.status = None;
        let outcome = super::parallel::factorize(self, values);
        let status = Status::new(self, values, outcome);
        self.status = Some(status);
        Ok(Factor { workspace: self, values: *values, status })
    }
}

impl<T: Copy> Workspace<T> {
    /// What the sweep over the fronts reads, writes, and needs beside.
    pub(super) fn sweep<'a>(
        &'a mut self,
        values: &Values<'a, T>,
    ) -> (Task<'a, T>, Piece<'a, T>, &'a mut [Scratch<T>]) {
        let task = Task {
            layout: &self.layout,
            values: *values,
            sign: &self.sign,
            compliance_sign: self.compliance_sign,
            tolerance: self.tolerance,
        };
        let piece = Piece {
            panels: &mut self.panels,
            panel: 0,
            updates: &mut self.updates,
            update: 0,
            inverse: &mut self.inverse,
            size: &mut self.size,
            first: 0,
        };
        (task, piece, &mut self.scratch)
    }
}

impl<T> Workspace<T> {
    /// Pivots that were taken one by one: ranges of elimination order.
    pub(super) fn single_pivots(&self) -> impl Iterator<Item = usize> + '_ {
        let program = self.program.iter().flat_map(|program| program.single_pivots());
        let fronts = self.layout.fronts.iter().filter(|f| !f.pivoted);
        program.chain(fronts.flat_map(|f| f.first as usize..(f.first + f.pivots) as usize))
    }
}
