//! The sweep over the fronts that factors a system.

use core::ops::Range;

use pommel_math::{InstructionSet, Kernel, Real, dispatch};

use super::front::{Pivots, Target};
use super::pivot::Outcome;
use super::workspace::{WIDE, Workspace, is_plain};
use super::{assemble, front, narrow, pivot_front};
use crate::analysis::{Front, Layout, Part, Program};
use crate::pattern::Values;
use crate::{flat, pairs};

/// Factors the system whose values are given.
pub(super) fn factorize<T: Real>(workspace: &mut Workspace<T>, values: &Values<'_, T>) -> Outcome {
    if workspace.program.is_some() {
        return dispatch(SingleNumbers { workspace, values: *values });
    }
    let (task, mut piece, scratch) = workspace.sweep(values);
    let all = 0..task.layout.fronts.len() as u32 - 1;
    dispatch(Fronts { task: &task, fronts: all, piece: &mut piece, scratch: &mut scratch[0] })
}

struct SingleNumbers<'a, T> {
    workspace: &'a mut Workspace<T>,
    values: Values<'a, T>,
}

impl<T: Real> Kernel for SingleNumbers<'_, T> {
    type Output = Outcome;
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Outcome {
        let w = &mut *self.workspace;
        let mut numbers = flat::Numbers {
            columns: &mut w.columns,
            lower: &mut w.lower,
            inverse: &mut w.inverse,
            size: &mut w.size,
        };
        let (values, sign, tolerance) = (&self.values, w.compliance_sign, w.tolerance);
        match &w.program {
            None => Outcome::NONE,
            Some(Program::Numbers(plan)) => {
                flat::factorize::<T, false>(plan, values, sign, tolerance, &mut numbers)
            }
            Some(Program::Pairs(plan)) => {
                pairs::factorize::<T, false>(plan, values, tolerance, &mut numbers)
            }
        }
    }
}

/// What all fronts read.
#[derive(Clone, Copy)]
pub(super) struct Task<'a, T> {
    pub(super) layout: &'a Layout,
    pub(super) values: Values<'a, T>,
    pub(super) sign: &'a [T],
    pub(super) compliance_sign: T,
    pub(super) tolerance: T,
}

/// Numbers of a range of fronts, and where they start in those of all.
pub(super) struct Piece<'a, T> {
    pub(super) panels: &'a mut [T],
    pub(super) panel: usize,
    pub(super) updates: &'a mut [T],
    pub(super) update: usize,
    pub(super) inverse: &'a mut [T],
    pub(super) size: &'a mut [T],
    /// First pivot.
    pub(super) first: usize,
}

impl<T> Piece<'_, T> {
    #[inline(always)]
    pub(super) fn reborrow(&mut self) -> Piece<'_, T> {
        Piece {
            panels: self.panels,
            panel: self.panel,
            updates: self.updates,
            update: self.update,
            inverse: self.inverse,
            size: self.size,
            first: self.first,
        }
    }
}

/// Memory for one front at a time.
#[derive(Clone, Debug)]
pub(super) struct Scratch<T> {
    pub(super) weights: Vec<T>,
    pub(super) pivoting: pivot_front::Scratch<T>,
}

impl<T: Real> Scratch<T> {
    /// For one thread, and with several threads for every part.
    pub(super) fn of(layout: &Layout) -> Vec<Self> {
        let part = |part: &Part| {
            let own = part.own.iter().cloned().flatten();
            Scratch::new(own.map(|f| &layout.fronts[f as usize]))
        };
        let parts = if cfg!(feature = "rayon") { &layout.parts[..] } else { &[] };
        core::iter::once(Scratch::new(layout.fronts.iter())).chain(parts.iter().map(part)).collect()
    }

    /// Enough for these fronts.
    fn new<'a>(fronts: impl Iterator<Item = &'a Front>) -> Self {
        let (mut deepest, mut deepest_pivoted) = (1, 0);
        for front in fronts {
            let pivots = front.pivots as usize;
            deepest = deepest.max(pivots);
            if front.pivoted {
                deepest_pivoted = deepest_pivoted.max(pivots);
            }
        }
        Scratch {
            weights: vec![T::zero(); 4 * deepest],
            pivoting: pivot_front::Scratch::new(deepest_pivoted),
        }
    }
}

/// Eliminates a range of fronts.
pub(super) struct Fronts<'a, 'b, T> {
    pub(super) task: &'a Task<'a, T>,
    pub(super) fronts: Range<u32>,
    pub(super) piece: &'a mut Piece<'b, T>,
    pub(super) scratch: &'a mut Scratch<T>,
}

impl<T: Real> Kernel for Fronts<'_, '_, T> {
    type Output = Outcome;
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Outcome {
        if is_plain::<T>() { sweep::<T, WIDE>(self) } else { sweep::<T, 1>(self) }
    }
}

#[inline(always)]
fn sweep<T: Real, const W: usize>(work: Fronts<'_, '_, T>) -> Outcome {
    let Fronts { task, fronts, piece, scratch } = work;
    let mut piece = piece.reborrow();
    let Task { layout, values, sign, compliance_sign, tolerance } = *task;
    let Scratch { weights, pivoting } = scratch;
    let mut outcome = Outcome::NONE;
    for f in fronts.start as usize..fronts.end as usize {
        let front = &layout.fronts[f];
        if front.untouched {
            assemble::prepare::<T, W>(layout, f, &values, compliance_sign, &mut piece);
        }
        if front.opens_parent {
            let parent = front.parent as usize;
            assemble::prepare::<T, W>(layout, parent, &values, compliance_sign, &mut piece);
        }
        if front.joins < layout.fronts[f + 1].joins {
            assemble::join::<T, W>(layout, f, &mut piece);
        }
        let (first, p, u) = (front.first as usize, front.pivots as usize, front.boundary as usize);
        let at = first - piece.first;
        let (panel, after) =
            piece.panels[front.panel as usize - piece.panel..].split_at_mut(front.panel_length());
        let (size, size_after) = piece.size[at..].split_at_mut(p);
        let mut target = if front.direct {
            let parent = &layout.fronts[front.parent as usize];
            let stride = parent.pivot_stride as usize;
            let row = front.update as usize;
            let start = (parent.panel - front.panel) as usize - panel.len();
            Target {
                columns: &mut after[start + row * stride + row..],
                stride,
                sizes: &mut size_after[parent.first as usize + row - first - p..],
                fresh: false,
            }
        } else {
            let length = u * front.boundary_stride as usize;
            let (columns, sizes) =
                piece.updates[front.update as usize - piece.update..].split_at_mut(length);
            Target { columns, stride: front.boundary_stride as usize, sizes, fresh: front.fresh }
        };
        let mut pivots = Pivots {
            inverse: &mut piece.inverse[at..at + p],
            size,
            sign: &sign[first..first + p],
            tolerance,
            outcome,
        };
        if front.pivoted {
            pivot_front::eliminate(front, panel, &mut target, &mut pivots, pivoting);
        } else if W > 1 {
            match (front.boundary_stride as usize / W, p) {
                (1, 1) => front::small::<T, W, 1, 1>(front, panel, &mut target, &mut pivots),
                (1, 2) => front::small::<T, W, 2, 1>(front, panel, &mut target, &mut pivots),
                (1, 3) => front::small::<T, W, 3, 1>(front, panel, &mut target, &mut pivots),
                (1, 4) => front::small::<T, W, 4, 1>(front, panel, &mut target, &mut pivots),
                (1, 5) => front::small::<T, W, 5, 1>(front, panel, &mut target, &mut pivots),
                (1, 7) => front::small::<T, W, 7, 1>(front, panel, &mut target, &mut pivots),
                (1, 6) => front::small::<T, W, 6, 1>(front, panel, &mut target, &mut pivots),
                (0, 0..=WIDE) => front::small::<T, W, 0, 0>(front, panel, &mut target, &mut pivots),
                (1, 0..=WIDE) => front::small::<T, W, 0, 1>(front, panel, &mut target, &mut pivots),
                (2, 0..=WIDE) => front::small::<T, W, 0, 2>(front, panel, &mut target, &mut pivots),
                (3, 0..=WIDE) => front::small::<T, W, 0, 3>(front, panel, &mut target, &mut pivots),
                _ => front::large::<T, W>(front, panel, &mut target, weights, &mut pivots),
            }
        } else {
            match p {
                1 => narrow::eliminate::<T, 1>(front, panel, &mut target, &mut pivots),
                2 => narrow::eliminate::<T, 2>(front, panel, &mut target, &mut pivots),
                3 => narrow::eliminate::<T, 3>(front, panel, &mut target, &mut pivots),
                5 => narrow::eliminate::<T, 5>(front, panel, &mut target, &mut pivots),
                6 => narrow::eliminate::<T, 6>(front, panel, &mut target, &mut pivots),
                _ => front::large::<T, W>(front, panel, &mut target, weights, &mut pivots),
            }
        }
        outcome = pivots.outcome;
    }
    outcome
}
