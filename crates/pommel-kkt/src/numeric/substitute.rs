//! The sweeps over the fronts that solve with a factor.

use pommel_math::{InstructionSet, Kernel, Real, dispatch};

use super::workspace::{WIDE, Workspace, is_plain};
use super::{narrow, pivot_front, solve};
use crate::analysis::Program;
use crate::pattern::Values;
use crate::{flat, pairs};

/// Solves for a right-hand side; that is what stands in `x` if `None`.
pub(super) fn substitute<T: Real>(
    workspace: &mut Workspace<T>,
    values: &Values<'_, T>,
    rhs: Option<&[T]>,
    x: &mut [T],
) {
    dispatch(Substitute { workspace, values, rhs, x });
}

struct Substitute<'a, T> {
    workspace: &'a mut Workspace<T>,
    values: &'a Values<'a, T>,
    rhs: Option<&'a [T]>,
    x: &'a mut [T],
}

impl<T: Real> Kernel for Substitute<'_, T> {
    type Output = ();
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let w = &mut *self.workspace;
        if let Some(program) = &w.program {
            let numbers = [&w.lower[..], &w.inverse];
            let (rhs, x, y) = (self.rhs, self.x, &mut w.y);
            return match program {
                Program::Numbers(plan) => {
                    flat::substitute::<T, false>(plan, self.values, numbers, rhs, x, y)
                }
                Program::Pairs(plan) => pairs::substitute::<T, false>(plan, numbers, rhs, x, y),
            };
        }
        if is_plain::<T>() {
            sweeps::<T, WIDE>(self.workspace, self.rhs, self.x)
        } else {
            sweeps::<T, 1>(self.workspace, self.rhs, self.x)
        }
    }
}

#[inline(always)]
fn sweeps<T: Real, const W: usize>(workspace: &mut Workspace<T>, rhs: Option<&[T]>, x: &mut [T]) {
    let Workspace { layout, panels, inverse, y, local, sequence, scratch, .. } = workspace;
    let pivoting = &mut scratch[0].pivoting;
    let source = rhs.unwrap_or(x);
    for (y, &s) in y.iter_mut().zip(sequence.iter()) {
        *y = source[s as usize] + T::zero();
    }
    let count = layout.fronts.len() - 1;
    for f in 0..count {
        let front = &layout.fronts[f];
        let p = front.pivots as usize;
        let panel = &panels[front.panel as usize..][..front.panel_length()];
        let inverse = &inverse[front.first as usize..][..p];
        let rows = &layout.rows[front.rows as usize..][..front.boundary as usize];
        if front.pivoted {
            pivot_front::forward(front, panel, rows, y, pivoting);
            continue;
        }
        match p {
            1 if W == 1 => narrow::forward::<T, 1>(front, panel, inverse, rows, y),
            2 if W == 1 => narrow::forward::<T, 2>(front, panel, inverse, rows, y),
            3 if W == 1 => narrow::forward::<T, 3>(front, panel, inverse, rows, y),
            5 if W == 1 => narrow::forward::<T, 5>(front, panel, inverse, rows, y),
            6 if W == 1 => narrow::forward::<T, 6>(front, panel, inverse, rows, y),
            1 => solve::forward::<T, W, 1>(front, panel, inverse, rows, y, local),
            2 => solve::forward::<T, W, 2>(front, panel, inverse, rows, y, local),
            3 => solve::forward::<T, W, 3>(front, panel, inverse, rows, y, local),
            4 => solve::forward::<T, W, 4>(front, panel, inverse, rows, y, local),
            5 => solve::forward::<T, W, 5>(front, panel, inverse, rows, y, local),
            7 => solve::forward::<T, W, 7>(front, panel, inverse, rows, y, local),
            6 => solve::forward::<T, W, 6>(front, panel, inverse, rows, y, local),
            _ => solve::forward::<T, W, 0>(front, panel, inverse, rows, y, local),
        }
    }
    for f in (0..count).rev() {
        let front = &layout.fronts[f];
        let p = front.pivots as usize;
        let panel = &panels[front.panel as usize..][..front.panel_length()];
        let inverse = &inverse[front.first as usize..][..p];
        let rows = &layout.rows[front.rows as usize..][..front.boundary as usize];
        if front.pivoted {
            pivot_front::backward(front, panel, rows, y, pivoting);
            continue;
        }
        match p {
            1 if W == 1 => narrow::backward::<T, 1>(front, panel, inverse, rows, y),
            2 if W == 1 => narrow::backward::<T, 2>(front, panel, inverse, rows, y),
            3 if W == 1 => narrow::backward::<T, 3>(front, panel, inverse, rows, y),
            5 if W == 1 => narrow::backward::<T, 5>(front, panel, inverse, rows, y),
            6 if W == 1 => narrow::backward::<T, 6>(front, panel, inverse, rows, y),
            1 => solve::backward::<T, W, 1>(front, panel, inverse, rows, y, local),
            2 => solve::backward::<T, W, 2>(front, panel, inverse, rows, y, local),
            3 => solve::backward::<T, W, 3>(front, panel, inverse, rows, y, local),
            4 => solve::backward::<T, W, 4>(front, panel, inverse, rows, y, local),
            5 => solve::backward::<T, W, 5>(front, panel, inverse, rows, y, local),
            7 => solve::backward::<T, W, 7>(front, panel, inverse, rows, y, local),
            6 => solve::backward::<T, W, 6>(front, panel, inverse, rows, y, local),
            _ => solve::backward::<T, W, 0>(front, panel, inverse, rows, y, local),
        }
    }
    for (y, &s) in y.iter().zip(sequence.iter()) {
        x[s as usize] = *y;
    }
}
