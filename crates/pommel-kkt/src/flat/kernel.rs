//! The elimination itself.
//!
//! Indices that the plan has found once and for all are not checked again. The same source with checks
//! is run by a test on the same numbers; in a build with debug assertions, and under Miri, an index out
//! of range stops the unchecked one, too.
#![allow(unsafe_code, reason = "indices of a plan are checked when it is made")]

use pommel_math::Real;

use super::Plan;
use crate::numeric::{Outcome, take};
use crate::pattern::Values;

/// `x[i]`.
#[inline(always)]
fn at<const CHECKED: bool, X: Copy>(x: &[X], i: usize) -> X {
    if CHECKED {
        return x[i];
    }
    debug_assert!(i < x.len());
    // SAFETY: callers pass indices of a `Plan` into arrays of the lengths that they have compared
    // with it; `Plan::new` makes no index that is out of their range.
    unsafe { *x.get_unchecked(i) }
}

/// `x[i]`, to be written.
#[inline(always)]
fn at_mut<const CHECKED: bool, X>(x: &mut [X], i: usize) -> &mut X {
    if CHECKED {
        return &mut x[i];
    }
    debug_assert!(i < x.len());
    // SAFETY: as for `at`: the index is one of a `Plan`, and the array has the length that the caller has
    // compared with that plan.
    unsafe { x.get_unchecked_mut(i) }
}

/// Factors: `numbers` holds the diagonal and the columns below it, `V = L D`.
#[inline(always)]
pub(crate) fn factorize<T: Real, const CHECKED: bool>(
    plan: &Plan,
    values: &Values<'_, T>,
    compliance_sign: T,
    sign: &[T],
    tolerance: T,
    numbers: &mut [T],
    inverse: &mut [T],
    size: &mut [T],
) -> Outcome {
    let total = plan.len();
    assert!(numbers.len() == plan.places() && plan.takes(values));
    let (sign, inverse, size) = (&sign[..total], &mut inverse[..total], &mut size[..total]);
    numbers.fill(T::zero());
    // a zero is added to make a negative zero positive
    for e in &plan.moves[0] {
        let value = at::<CHECKED, _>(values.mass, e.value as usize);
        *at_mut::<CHECKED, _>(numbers, e.place as usize) = value + T::zero();
    }
    for e in &plan.moves[1] {
        let value = at::<CHECKED, _>(values.jacobian, e.value as usize);
        *at_mut::<CHECKED, _>(numbers, e.place as usize) = value + T::zero();
    }
    for e in &plan.moves[2] {
        let value = at::<CHECKED, _>(values.compliance, e.value as usize);
        *at_mut::<CHECKED, _>(numbers, e.place as usize) =
            compliance_sign.mul_add(value, T::zero());
    }
    let (diagonal, below) = numbers.split_at_mut(total);
    for k in 0..total {
        size[k] = diagonal[k].abs();
    }
    let mut outcome = Outcome::NONE;
    let mut target = 0;
    let mut begin = 0;
    for k in 0..total {
        let end = at::<CHECKED, _>(&plan.start, k + 1) as usize;
        let d = take(diagonal[k], size[k], sign[k], tolerance, &mut outcome);
        inverse[k] = d;
        for a in begin..end {
            let v = at::<CHECKED, _>(below, a);
            let w = v * d;
            let row = at::<CHECKED, _>(&plan.rows, a) as usize;
            let pivot = at_mut::<CHECKED, _>(diagonal, row);
            *pivot = (-w).mul_add(v, *pivot);
            *at_mut::<CHECKED, _>(size, row) += (w * v).abs();
            for b in a + 1..end {
                let place = at::<CHECKED, _>(&plan.targets, target) as usize - total;
                let factor = at::<CHECKED, _>(below, b);
                let entry = at_mut::<CHECKED, _>(below, place);
                *entry = (-w).mul_add(factor, *entry);
                target += 1;
            }
        }
        begin = end;
    }
    outcome
}

/// Solves in place, in elimination order.
#[inline(always)]
pub(crate) fn substitute<T: Real, const CHECKED: bool>(
    plan: &Plan,
    numbers: &[T],
    inverse: &[T],
    y: &mut [T],
) {
    let total = plan.len();
    assert!(numbers.len() == plan.places());
    let (below, inverse, y) = (&numbers[total..], &inverse[..total], &mut y[..total]);
    let mut begin = 0;
    for k in 0..total {
        let end = at::<CHECKED, _>(&plan.start, k + 1) as usize;
        let z = y[k] * inverse[k];
        y[k] = z;
        for e in begin..end {
            let factor = at::<CHECKED, _>(below, e);
            let row = at::<CHECKED, _>(&plan.rows, e) as usize;
            let x = at_mut::<CHECKED, _>(y, row);
            *x = (-z).mul_add(factor, *x);
        }
        begin = end;
    }
    let mut end = begin;
    for k in (0..total).rev() {
        let begin = at::<CHECKED, _>(&plan.start, k) as usize;
        let mut s = T::zero();
        for e in begin..end {
            let row = at::<CHECKED, _>(&plan.rows, e) as usize;
            s = at::<CHECKED, _>(below, e).mul_add(at::<CHECKED, _>(y, row), s);
        }
        y[k] = (-s).mul_add(inverse[k], y[k]);
        end = begin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, Pattern};
    use pommel_testkit::{Rng, SaddleShape, random_saddle};

    /// Random systems, whatever their structure: the unchecked kernel does what the checked one does.
    #[test]
    fn no_check_of_an_index_ever_fails() {
        let mut rng = Rng::new(41);
        let mut programs = 0;
        for _ in 0..500 {
            let shape = SaddleShape::random(&mut rng);
            let system = random_saddle(&mut rng, &shape);
            let places = |list: &[(usize, usize, f64)]| -> Vec<_> {
                list.iter().map(|e| (e.0, e.1)).collect()
            };
            let numbers =
                |list: &[(usize, usize, f64)]| -> Vec<f64> { list.iter().map(|e| e.2).collect() };
            let pattern = Pattern::from_places(
                &system.body_widths,
                &system.constraint_rows,
                &places(&system.mass),
                &places(&system.jacobian),
                &places(&system.compliance),
            )
            .expect("a system of the testkit");
            let [mass, jacobian, compliance] =
                [numbers(&system.mass), numbers(&system.jacobian), numbers(&system.compliance)];
            let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
            let sequence = Analysis::new(&pattern).expect("small").sequence();
            let plan = Plan::new(&pattern, &sequence, usize::MAX).expect("no limit");
            let total = sequence.len();
            let sign: Vec<f64> = (sequence.iter())
                .map(|&s| if (s as usize) < pattern.unknowns() { 1.0 } else { -1.0 })
                .collect();
            let mut found = Vec::new();
            for checked in [true, false] {
                let mut x = vec![0.0; plan.places()];
                let (mut inverse, mut size) = (vec![0.0; total], vec![0.0; total]);
                let mut y: Vec<f64> = (0..total).map(|i| i as f64 - 3.5).collect();
                let run = if checked { factorize::<f64, true> } else { factorize::<f64, false> };
                run(&plan, &values, -1.0, &sign, 3e-13, &mut x, &mut inverse, &mut size);
                let run = if checked { substitute::<f64, true> } else { substitute::<f64, false> };
                run(&plan, &x, &inverse, &mut y);
                found.push([x, inverse, size, y].concat());
            }
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found[0]), bits(&found[1]));
            programs += usize::from(total > 0);
        }
        assert!(programs > 450);
    }
}
