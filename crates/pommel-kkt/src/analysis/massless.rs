//! Bodies whose block of M is singular.

use pommel_math::Real;

use crate::pattern::{Pattern, Values};

/// Bodies whose own block of M is not safely positive definite in every lane; lengths were checked.
pub(super) fn bodies_without_mass<T: Real>(
    pattern: &Pattern,
    values: &Values<'_, T>,
) -> Vec<usize> {
    let count = pattern.body_count();
    let mut start = vec![0usize; count + 1];
    for i in 0..count {
        let w = pattern.body(i).len();
        start[i + 1] = start[i] + w * w;
    }
    let mut blocks = vec![0.0; start[count]];
    let mut massless = vec![false; count];
    let body_of = pattern.bodies_of_unknowns();
    for lane in 0..T::LANES {
        blocks.fill(0.0);
        for (row, column, index) in pattern.mass.iter() {
            let i = body_of[row] as usize;
            if body_of[column] as usize == i {
                let (first, w) = (pattern.body(i).start, pattern.body(i).len());
                let at = start[i] + (column - first) * w + row - first;
                blocks[at] = values.mass[index].lane(lane);
            }
        }
        for i in 0..count {
            let w = pattern.body(i).len();
            massless[i] |= !is_definite(&mut blocks[start[i]..start[i + 1]], w, T::EPSILON);
        }
    }
    (0..count).filter(|&i| massless[i]).collect()
}

/// The largest mass of every body, in any lane.
pub(super) fn masses<T: Real>(pattern: &Pattern, values: &Values<'_, T>) -> Vec<f64> {
    let body_of = pattern.bodies_of_unknowns();
    let mut mass = vec![0.0f64; pattern.body_count()];
    for (row, column, index) in pattern.mass.iter() {
        if row == column {
            let most = &mut mass[body_of[row] as usize];
            for lane in 0..T::LANES {
                *most = most.max(values.mass[index].lane(lane).abs());
            }
        }
    }
    mass
}

/// For every constraint with one of these rows: the body on it with the least mass that is not among
/// the `known`, which ascend.
pub(super) fn lightest_on<T: Real>(
    pattern: &Pattern,
    values: &Values<'_, T>,
    rows: &[usize],
    known: &[usize],
) -> Vec<usize> {
    let body_of = pattern.bodies_of_unknowns();
    let mass = masses(pattern, values);
    let mut wanted = vec![false; pattern.constraint_count()];
    rows.iter().for_each(|&row| wanted[pattern.constraint_of(row)] = true);
    let mut lightest = vec![usize::MAX; pattern.constraint_count()];
    for (row, column, _) in pattern.jacobian.iter() {
        let (constraint, body) = (pattern.constraint_of(row), body_of[column] as usize);
        let least = &mut lightest[constraint];
        let new = wanted[constraint] && known.binary_search(&body).is_err();
        if new && (*least == usize::MAX || mass[body] < mass[*least]) {
            *least = body;
        }
    }
    lightest.retain(|&body| body != usize::MAX);
    lightest
}

/// Whether the lower triangle of a block has positive pivots, well above rounding: above what a block
/// without full rank makes of it whose other pivots have lost half of the digits.
fn is_definite(a: &mut [f64], w: usize, epsilon: f64) -> bool {
    let limit = epsilon.sqrt().max(1e4 * epsilon);
    for j in 0..w {
        let size: f64 = a[j * w + j].abs();
        let mut d = a[j * w + j];
        let mut cancelled = size;
        for k in 0..j {
            let term = a[k * w + j] * a[k * w + j] / a[k * w + k];
            d -= term;
            cancelled = cancelled.max(term.abs());
        }
        // NaN is not for this test to find
        if d <= limit * cancelled {
            return false;
        }
        for i in j + 1..w {
            for k in 0..j {
                a[j * w + i] -= a[k * w + j] * a[k * w + i] / a[k * w + k];
            }
        }
        a[j * w + j] = d;
    }
    true
}
