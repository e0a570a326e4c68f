//! The sweep over the fronts by several threads.
//!
//! Parts of the layout that do not wait for each other get pieces of memory that do not overlap, and
//! do in them what one thread does: the numbers are the same.

use pommel_math::{Real, dispatch};

use super::factor::{Fronts, Piece, Scratch, Task};
use super::pivot::Outcome;
use super::workspace::Workspace;
use crate::analysis::Part;
use crate::pattern::Values;

/// Factors a system that is cut into parts.
pub(super) fn factorize<T: Real>(workspace: &mut Workspace<T>, values: &Values<'_, T>) -> Outcome {
    let (task, piece, scratch) = workspace.sweep(values);
    forest(&task, 0, &task.layout.parts, &mut scratch[1..], piece)
}

/// Eliminates whole trees of parts, of which the first part is number `base`.
fn forest<T: Real>(
    task: &Task<'_, T>,
    base: u32,
    parts: &[Part],
    scratch: &mut [Scratch<T>],
    mut piece: Piece<'_, T>,
) -> Outcome {
    let Some(last) = parts.last() else { return Outcome::NONE };
    let split = (last.below - base) as usize;
    if split == 0 {
        return tree(task, base, parts, scratch, piece);
    }
    let front = &task.layout.fronts[last.first as usize];
    let (before, parts) = parts.split_at(split);
    let (scratch_before, scratch) = scratch.split_at_mut(split);
    let starts = [front.panel, parts[0].updates, front.first];
    let (piece_before, piece) = piece.split_at(starts.map(|start| start as usize));
    let (a, b) = rayon::join(
        || forest(task, base, before, scratch_before, piece_before),
        || tree(task, last.below, parts, scratch, piece),
    );
    a.and(b)
}

/// Eliminates one tree of parts: the last one after all others.
fn tree<T: Real>(
    task: &Task<'_, T>,
    base: u32,
    parts: &[Part],
    scratch: &mut [Scratch<T>],
    mut piece: Piece<'_, T>,
) -> Outcome {
    let (Some((part, below)), Some((scratch, scratch_below))) =
        (parts.split_last(), scratch.split_last_mut())
    else {
        return Outcome::NONE;
    };
    let mut outcome = forest(task, base, below, scratch_below, piece.reborrow());
    for fronts in part.own.iter().cloned() {
        outcome = outcome.and(dispatch(Fronts { task, fronts, piece: &mut piece, scratch }));
    }
    outcome
}

impl<T> Piece<'_, T> {
    /// Splits where a panel, an update and a pivot start.
    fn split_at(&mut self, [panel, update, first]: [usize; 3]) -> (Piece<'_, T>, Piece<'_, T>) {
        let (panels, panels_after) = self.panels.split_at_mut(panel - self.panel);
        let (updates, updates_after) = self.updates.split_at_mut(update - self.update);
        let (inverse, inverse_after) = self.inverse.split_at_mut(first - self.first);
        let (size, size_after) = self.size.split_at_mut(first - self.first);
        let before = Piece {
            panels,
            panel: self.panel,
            updates,
            update: self.update,
            inverse,
            size,
            first: self.first,
        };
        let after = Piece {
            panels: panels_after,
            panel,
            updates: updates_after,
            update,
            inverse: inverse_after,
            size: size_after,
            first,
        };
        (before, after)
    }
}
