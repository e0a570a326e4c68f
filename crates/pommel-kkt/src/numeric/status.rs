//! What a factorization tells about its matrix.

use pommel_math::{InstructionSet, Kernel, Mask, Real, dispatch};

use super::pivot::Outcome;
use super::workspace::Workspace;
use crate::analysis::{Program, tolerance_or_default};
use crate::error::{KktError, Part};
use crate::pairs;
use crate::pattern::{Entries, Pattern, Values};

/// What is known of a factor, lane by lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    pub(super) dropped: Mask,
    pub(super) turned: Mask,
    pub(super) broken: Mask,
}

impl Status {
    pub(super) fn new<T: Real>(
        workspace: &mut Workspace<T>,
        values: &Values<'_, T>,
        outcome: Outcome,
    ) -> Self {
        let Outcome { dropped, turned, broken } = outcome;
        workspace.unresolved.clear();
        if dropped.any() {
            dispatch(FindUnresolved(workspace, values));
        }
        Status { dropped, turned, broken }
    }
}

struct FindUnresolved<'a, T>(&'a mut Workspace<T>, &'a Values<'a, T>);

impl<T: Real> Kernel for FindUnresolved<'_, T> {
    type Output = ();
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        find_unresolved(self.0, self.1);
    }
}

/// Which part of a column is nothing: rounding, or what rows that are inexact leave, whose pivots count as
/// zero up to a tolerance above the usual one.
fn negligible<T: Real>(tolerance: T) -> f64 {
    let tolerance = tolerance.lane(0);
    let rounding = 2f64.powi(14) * T::EPSILON;
    if tolerance > tolerance_or_default::<T>(None) {
        rounding.max(tolerance.sqrt())
    } else {
        rounding
    }
}

/// A dropped pivot is that of a dependent row (or of a motion without mass) if its whole column
/// vanishes with it, to this share of what its entries are left by.
#[inline(always)]
fn find_unresolved<T: Real>(workspace: &mut Workspace<T>, values: &Values<'_, T>) {
    let negligible = negligible(workspace.tolerance);
    let Workspace { program, columns, lower, layout, inverse, panels, size, unresolved, .. } =
        workspace;
    if let Some(Program::Pairs(plan)) = program {
        find_in_pairs(plan, lower, inverse, size, negligible, unresolved);
        return;
    }
    if let Some(Program::Numbers(plan)) = program {
        for (k, inverse) in inverse.iter().enumerate() {
            if kept(*inverse).is_all(T::LANES) {
                continue;
            }
            for lane in (0..T::LANES).filter(|&l| inverse.lane(l) == 0.0) {
                let own = size[k].lane(lane);
                let significant = |(row, x): (usize, T)| {
                    let other = size[row].lane(lane);
                    x.lane(lane).abs() > negligible * (own * other).sqrt()
                };
                if plan.column(k, values.jacobian, columns).any(significant) {
                    unresolved.push((k as u32, lane as u8));
                }
            }
        }
        return;
    }
    for f in 0..layout.fronts.len() - 1 {
        let front = &layout.fronts[f];
        let (first, p) = (front.first as usize, front.pivots as usize);
        for k in 0..p {
            if kept(inverse[first + k]).is_all(T::LANES) {
                continue;
            }
            for lane in 0..T::LANES {
                if inverse[first + k].lane(lane) != 0.0 {
                    continue;
                }
                let own = size[first + k].lane(lane);
                let significant = |entry: T, size: T| {
                    let x = entry.lane(lane);
                    x.abs() > negligible * (own * size.lane(lane)).sqrt()
                };
                let panel = &panels[front.panel as usize..];
                let column = &panel[k * front.pivot_stride as usize..];
                // pivots that are chosen by size have nothing left among them
                let mut waits =
                    !front.pivoted && (k + 1..p).any(|i| significant(column[i], size[first + i]));
                let below =
                    &panel[p * front.pivot_stride as usize + k * front.boundary_stride as usize..];
                let rows = &layout.rows[front.rows as usize..][..front.boundary as usize];
                waits |= (rows.iter().enumerate())
                    .any(|(i, &row)| significant(below[i], size[row as usize]));
                if waits {
                    unresolved.push(((first + k) as u32, lane as u8));
                }
            }
        }
    }
}

/// Single pivots are judged likewise; pairs and dropped rows have said it themselves.
fn find_in_pairs<T: Real>(
    plan: &pairs::Plan,
    lower: &[T],
    inverse: &[T],
    size: &[T],
    negligible: f64,
    unresolved: &mut Vec<(u32, u8)>,
) {
    for (k, [left, columns]) in plan.pivots() {
        if kept(inverse[k]).is_all(T::LANES) {
            continue;
        }
        for lane in (0..T::LANES).filter(|&l| inverse[k].lane(l) == 0.0) {
            let own = size[k].lane(lane);
            let significant = |(x, place): (&T, usize)| {
                let other = size[plan.row(place)].lane(lane);
                x.lane(lane).abs() > negligible * (own * other).sqrt()
            };
            let mut below = lower[left.clone()].iter().zip(columns.clone());
            if own.is_infinite() || below.any(significant) {
                unresolved.push((k as u32, lane as u8));
            }
        }
    }
}

/// Where a pivot was kept.
#[inline(always)]
pub(super) fn kept<T: Real>(inverse: T) -> Mask {
    inverse.lt(T::zero()) | T::zero().lt(inverse)
}

/// Whether no number of a system is infinite or NaN in a lane.
pub(super) fn all_finite<T: Real>(pattern: &Pattern, values: &Values<'_, T>, lane: usize) -> bool {
    let finite = |list: &[T], entries: &Entries| {
        entries.index.iter().all(|&i| list[i as usize].lane(lane).is_finite())
    };
    finite(values.mass, &pattern.mass)
        && finite(values.jacobian, &pattern.jacobian)
        && finite(values.compliance, &pattern.compliance)
}

/// The first number of a system that is infinite or NaN in a lane; if there is none, a pivot
/// overflowed, and the largest number is blamed.
pub(super) fn first_not_finite<T: Real>(
    pattern: &Pattern,
    values: &Values<'_, T>,
    lane: usize,
) -> KktError {
    let lists = [
        (Part::Mass, values.mass, &pattern.mass),
        (Part::Jacobian, values.jacobian, &pattern.jacobian),
        (Part::Compliance, values.compliance, &pattern.compliance),
    ];
    let mut largest = (Part::Mass, 0, -1.0f64);
    for (part, list, entries) in lists {
        for &index in &entries.index {
            let x = list[index as usize].lane(lane);
            if !x.is_finite() {
                return KktError::NotFinite { part, entry: index as usize };
            }
            // its inverse overflows
            if part == Part::Mass && x != 0.0 && !x.recip().is_finite() {
                return KktError::Overflow { part, entry: index as usize, value: x };
            }
            if x.abs() > largest.2 {
                largest = (part, index as usize, x.abs());
            }
        }
    }
    KktError::Overflow { part: largest.0, entry: largest.1, value: largest.2 }
}
