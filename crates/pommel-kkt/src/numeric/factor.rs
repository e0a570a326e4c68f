//! The sweep over the fronts that factors a system.

use pommel_math::{InstructionSet, Kernel, Real, dispatch};

use super::front::{Pivots, Target};
use super::pivot::Outcome;
use super::workspace::{WIDE, Workspace, is_plain};
use super::{assemble, front, narrow, pivot_front};
use crate::flat;
use crate::pattern::Values;

/// Factors the system whose values are given.
pub(super) fn factorize<T: Real>(workspace: &mut Workspace<T>, values: &Values<'_, T>) -> Outcome {
    dispatch(Factorize { workspace, values: *values })
}

struct Factorize<'a, T> {
    workspace: &'a mut Workspace<T>,
    values: Values<'a, T>,
}

impl<T: Real> Kernel for Factorize<'_, T> {
    type Output = Outcome;
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Outcome {
        let w = &mut *self.workspace;
        if let Some(plan) = &w.flat {
            let mut numbers = flat::Numbers {
                columns: &mut w.columns,
                lower: &mut w.lower,
                inverse: &mut w.inverse,
                size: &mut w.size,
            };
            let sign = w.compliance_sign;
            return flat::factorize::<T, false>(
                plan,
                &self.values,
                sign,
                w.tolerance,
                &mut numbers,
            );
        }
        if is_plain::<T>() {
            sweep::<T, WIDE>(self.workspace, &self.values)
        } else {
            sweep::<T, 1>(self.workspace, &self.values)
        }
    }
}

#[inline(always)]
fn sweep<T: Real, const W: usize>(workspace: &mut Workspace<T>, values: &Values<'_, T>) -> Outcome {
    let Workspace { layout, panels, updates, inverse, sign, size, weights, pivoting, .. } =
        workspace;
    let compliance_sign = workspace.compliance_sign;
    let mut outcome = Outcome::NONE;
    for f in 0..layout.fronts.len() - 1 {
        let front = &layout.fronts[f];
        if front.untouched {
            assemble::prepare::<T, W>(layout, f, values, compliance_sign, panels, size);
        }
        if front.opens_parent {
            let parent = front.parent as usize;
            assemble::prepare::<T, W>(layout, parent, values, compliance_sign, panels, size);
        }
        if front.joins < layout.fronts[f + 1].joins {
            assemble::join::<T, W>(layout, f, panels, updates, size);
        }
        let (first, p, u) = (front.first as usize, front.pivots as usize, front.boundary as usize);
        let (panel, after) = panels[front.panel as usize..].split_at_mut(front.panel_length());
        let (size, size_after) = size[first..].split_at_mut(p);
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
            let (columns, sizes) = updates[front.update as usize..].split_at_mut(length);
            Target { columns, stride: front.boundary_stride as usize, sizes, fresh: front.fresh }
        };
        let mut pivots = Pivots {
            inverse: &mut inverse[first..first + p],
            size,
            sign: &sign[first..first + p],
            tolerance: workspace.tolerance,
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
