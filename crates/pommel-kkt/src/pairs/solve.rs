//! Substitution.

use pommel_math::Real;

use super::Plan;
use crate::flat::index::{at, at_mut};

/// Solves for a right-hand side, that in `x` if `None`; `y` is scratch. Of the factor, `numbers` are
/// entries of `L` and, for single pivots, `1/d`.
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
    let mut here = 0;
    for k in 0..kept {
        let mut sum = at::<CHECKED, _>(source, sequence[k] as usize) + T::zero();
        let count = at::<CHECKED, _>(code, here) as usize;
        here += 1;
        for _ in 0..count {
            let l = at::<CHECKED, _>(lower, at::<CHECKED, _>(code, here) as usize);
            let other = at::<CHECKED, _>(y, at::<CHECKED, _>(code, here + 1) as usize);
            sum = (-l).mul_add(other, sum);
            here += 2;
        }
        y[k] = sum;
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
            let z = column::<T, CHECKED>(start, begin + 1..end, lower, rows, y);
            *at_mut::<CHECKED, _>(y, k) = z;
            *at_mut::<CHECKED, _>(x, at::<CHECKED, _>(sequence, k) as usize) = z;
            continue;
        }
        k -= 2;
        let middle = begin + 2 + block.row as usize;
        let [factor, mean] = [at::<CHECKED, _>(lower, begin), at::<CHECKED, _>(lower, begin + 1)];
        let [of_unknown, of_row] = [at::<CHECKED, _>(y, k), at::<CHECKED, _>(y, k + 1)];
        let unknown = of_row * factor;
        let multiplier = (-mean).mul_add(of_row, of_unknown) * factor;
        let unknown = column::<T, CHECKED>(unknown, begin + 2..middle, lower, rows, y);
        let multiplier = column::<T, CHECKED>(multiplier, middle..end, lower, rows, y);
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
