//! Substitution.

use pommel_math::Real;

use super::Plan;
use super::index::{at, at_mut};
use crate::pattern::Values;

/// Solves for a right-hand side, that in `x` if `None`; `y` is scratch. Of the factor, `numbers` are
/// entries of `L` and `1/d`.
#[inline(always)]
pub(crate) fn substitute<T: Real, const CHECKED: bool>(
    plan: &Plan,
    values: &Values<'_, T>,
    numbers: [&[T]; 2],
    rhs: Option<&[T]>,
    x: &mut [T],
    y: &mut [T],
) {
    let [lower, inverse] = numbers;
    let (total, isolated) = (plan.len(), plan.isolated);
    assert!(plan.takes(values) && lower.len() == plan.places());
    let source = &rhs.unwrap_or(x)[..total];
    let (inverse, inverse_of_rest) = inverse[..total].split_at(isolated);
    let jacobian = values.jacobian;
    let (first, others) = plan.sequence.split_at(isolated);
    let (z, y) = y[..total].split_at_mut(isolated);
    for i in 0..isolated {
        z[i] = inverse[i].mul_add(at::<CHECKED, _>(source, first[i] as usize), T::zero());
    }
    let code = &plan.forward_code[..];
    let mut at_code = 0;
    for k in 0..others.len() {
        let mut sum = at::<CHECKED, _>(source, others[k] as usize) + T::zero();
        sum = row::<T, CHECKED>(sum, code, &mut at_code, jacobian, z);
        y[k] = row::<T, CHECKED>(sum, code, &mut at_code, lower, y);
    }
    let x = &mut x[..total];
    let structure = &plan.structure;
    let mut end = lower.len();
    for k in (0..others.len()).rev() {
        let begin = at::<CHECKED, _>(&structure.start, k) as usize;
        let mut sum = y[k] * inverse_of_rest[k];
        // what has just been found comes last
        for e in (begin..end).rev() {
            let row = at::<CHECKED, _>(&structure.rows, e) as usize;
            let factor = -at::<CHECKED, _>(lower, e);
            sum = factor.mul_add(at::<CHECKED, _>(y, row), sum);
        }
        y[k] = sum;
        *at_mut::<CHECKED, _>(x, others[k] as usize) = sum;
        end = begin;
    }
    let columns = &plan.isolated_columns;
    let mut e = 0;
    for i in 0..isolated {
        let mut sum = T::zero();
        let end = at::<CHECKED, _>(&columns.ends, i) as usize;
        while e < end {
            let [row, value] = at::<CHECKED, _>(&columns.items, e);
            let factor = at::<CHECKED, _>(jacobian, value as usize);
            sum = factor.mul_add(at::<CHECKED, _>(y, row as usize), sum);
            e += 1;
        }
        *at_mut::<CHECKED, _>(x, first[i] as usize) = (-inverse[i]).mul_add(sum, z[i]);
    }
}

/// `x` less some products of `a` and `b`.
#[inline(always)]
fn row<T: Real, const CHECKED: bool>(
    x: T,
    code: &[u32],
    at_code: &mut usize,
    a: &[T],
    b: &[T],
) -> T {
    let mut x = x;
    let count = at::<CHECKED, _>(code, *at_code) as usize;
    let mut here = *at_code + 1;
    for _ in 0..count {
        let left = at::<CHECKED, _>(code, here) as usize;
        let right = at::<CHECKED, _>(code, here + 1) as usize;
        here += 2;
        x = (-at::<CHECKED, _>(a, left)).mul_add(at::<CHECKED, _>(b, right), x);
    }
    *at_code = here;
    x
}
