//! Substitution.

use pommel_math::Real;

use super::Plan;
use crate::flat::index::{at, at_mut};

/// Solves for a right-hand side, that in `x` if `None`; `y` is scratch. Of the factor, `numbers` are
/// its entries and `1/d` or `1/b` of pivots.
#[inline(always)]
pub(crate) fn substitute<T: Real, const CHECKED: bool>(
    plan: &Plan,
    numbers: [&[T]; 2],
    rhs: Option<&[T]>,
    x: &mut [T],
    y: &mut [T],
) {
    let [lower, inverse] = numbers;
    let total = plan.len();
    assert!(lower.len() == plan.places());
    let (inverse, y) = (&inverse[..total], &mut y[..total]);
    let source = &rhs.unwrap_or(x)[..total];
    let sequence = &plan.sequence[..total];
    let code = &plan.forward_code[..];
    let kept = total - plan.dropped;
    let (mut here, mut k) = (0, 0);
    for block in &plan.blocks {
        for i in 0..if block.pair { 2 } else { 1 } {
            let sum = at::<CHECKED, _>(source, at::<CHECKED, _>(sequence, k) as usize) + T::zero();
            let sum = row::<T, CHECKED>(sum, code, &mut here, lower, y);
            // a row is taken over its pivot, as what stands in its column is not
            let factor = if i == 1 { at::<CHECKED, _>(inverse, k) } else { T::one() };
            *at_mut::<CHECKED, _>(y, k) = sum * factor;
            k += 1;
        }
    }
    y[kept..].fill(T::zero());
    let x = &mut x[..total];
    for &scalar in &sequence[kept..] {
        *at_mut::<CHECKED, _>(x, scalar as usize) = T::zero();
    }
    let rows = &plan.rows[..];
    let mut k = kept;
    for (b, block) in plan.blocks.iter().enumerate().rev() {
        let begin = if b == 0 { 0 } else { plan.blocks[b - 1].end as usize };
        let end = block.end as usize;
        if !block.pair {
            k -= 1;
            let start = at::<CHECKED, _>(y, k) * at::<CHECKED, _>(inverse, k);
            let z = column::<T, CHECKED>(start, block.first as usize..end, lower, rows, y);
            *at_mut::<CHECKED, _>(y, k) = z;
            *at_mut::<CHECKED, _>(x, at::<CHECKED, _>(sequence, k) as usize) = z;
            continue;
        }
        k -= 2;
        let first = block.first as usize;
        let middle = first + block.row as usize;
        let [factor, a] = [at::<CHECKED, _>(lower, begin), at::<CHECKED, _>(lower, begin + 1)];
        let [of_unknown, of_row] = [at::<CHECKED, _>(y, k), at::<CHECKED, _>(y, k + 1)];
        let multiplier = (-a).mul_add(of_row, of_unknown);
        let unknown = column::<T, CHECKED>(of_row, first..middle, lower, rows, y);
        let multiplier = column::<T, CHECKED>(multiplier, middle..end, lower, rows, y) * factor;
        for (k, z) in [(k, unknown), (k + 1, multiplier)] {
            *at_mut::<CHECKED, _>(y, k) = z;
            *at_mut::<CHECKED, _>(x, at::<CHECKED, _>(sequence, k) as usize) = z;
        }
    }
}

/// `x` less the entries of a column of the factor times what stands in their rows.
#[inline(always)]
fn column<T: Real, const CHECKED: bool>(
    x: T,
    places: core::ops::Range<usize>,
    lower: &[T],
    rows: &[u32],
    y: &[T],
) -> T {
    let mut x = x;
    for e in places {
        let other = at::<CHECKED, _>(y, at::<CHECKED, _>(rows, e) as usize);
        x = (-at::<CHECKED, _>(lower, e)).mul_add(other, x);
    }
    x
}

/// `x` less the entries of a row of the factor times what stands in their columns.
#[inline(always)]
fn row<T: Real, const CHECKED: bool>(
    x: T,
    code: &[u32],
    here: &mut usize,
    lower: &[T],
    y: &[T],
) -> T {
    let mut x = x;
    let count = at::<CHECKED, _>(code, *here) as usize;
    let mut next = *here + 1;
    for _ in 0..count {
        let l = at::<CHECKED, _>(lower, at::<CHECKED, _>(code, next) as usize);
        let other = at::<CHECKED, _>(y, at::<CHECKED, _>(code, next + 1) as usize);
        x = (-l).mul_add(other, x);
        next += 2;
    }
    *here = next;
    x
}
