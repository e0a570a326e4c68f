//! Elimination by single numbers, for systems with little fill.
//!
//! Where columns of the factor have a few entries only, blocks would hold more zeros than numbers.
//! Then the elimination is a list of products and their places, found once, and the same for every
//! scalar.

mod plan;

pub(crate) use plan::Plan;

use pommel_math::{Mask, Real};

use crate::numeric::{Outcome, take};
use crate::pattern::Values;

/// Factors: `numbers` holds the diagonal and the columns below it, `V = L D`.
#[inline(always)]
pub(crate) fn factorize<T: Real>(
    plan: &Plan,
    values: &Values<'_, T>,
    compliance_sign: T,
    sign: &[T],
    tolerance: T,
    numbers: &mut [T],
    inverse: &mut [T],
    size: &mut [T],
) -> Outcome {
    let total = inverse.len();
    numbers.fill(T::zero());
    // a zero is added to make a negative zero positive
    for e in &plan.moves[0] {
        numbers[e.place as usize] = values.mass[e.value as usize] + T::zero();
    }
    for e in &plan.moves[1] {
        numbers[e.place as usize] = values.jacobian[e.value as usize] + T::zero();
    }
    for e in &plan.moves[2] {
        numbers[e.place as usize] =
            compliance_sign.mul_add(values.compliance[e.value as usize], T::zero());
    }
    let (diagonal, below) = numbers.split_at_mut(total);
    for k in 0..total {
        size[k] = diagonal[k].abs();
    }
    let mut outcome = Outcome { dropped: Mask::NONE, turned: Mask::NONE, broken: Mask::NONE };
    let mut target = 0;
    for k in 0..total {
        let (begin, end) = (plan.start[k] as usize, plan.start[k + 1] as usize);
        let d = take(diagonal[k], size[k], sign[k], tolerance, &mut outcome);
        inverse[k] = d;
        for a in begin..end {
            let v = below[a];
            let w = v * d;
            let row = plan.rows[a] as usize;
            diagonal[row] = (-w).mul_add(v, diagonal[row]);
            size[row] += (w * v).abs();
            for b in a + 1..end {
                let place = plan.targets[target] as usize - total;
                below[place] = (-w).mul_add(below[b], below[place]);
                target += 1;
            }
        }
    }
    outcome
}

/// Solves in place, in elimination order.
#[inline(always)]
pub(crate) fn substitute<T: Real>(plan: &Plan, numbers: &[T], inverse: &[T], y: &mut [T]) {
    let total = inverse.len();
    let below = &numbers[total..];
    for k in 0..total {
        let z = y[k] * inverse[k];
        y[k] = z;
        for e in plan.start[k] as usize..plan.start[k + 1] as usize {
            let row = plan.rows[e] as usize;
            y[row] = (-z).mul_add(below[e], y[row]);
        }
    }
    for k in (0..total).rev() {
        let mut s = T::zero();
        for e in plan.start[k] as usize..plan.start[k + 1] as usize {
            s = below[e].mul_add(y[plan.rows[e] as usize], s);
        }
        y[k] = (-s).mul_add(inverse[k], y[k]);
    }
}
