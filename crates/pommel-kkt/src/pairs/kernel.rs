//! The elimination itself.

use pommel_math::{Mask, Real};

use super::Plan;
use crate::flat::Numbers;
use crate::flat::index::{at, at_mut};
use crate::numeric::{Outcome, take};
use crate::pattern::Values;

/// Factors.
///
/// In pairs, `inverse` is `1/b` for both pivots, and `size` what `a` and `b` were left by. Where a row's
/// pivot vanishes that should not, beside what was in the row or what is left of it, `inverse` is zero
/// and `size` infinite; so it is for a dropped row of which something is left. All numbers of the factor
/// stand in `lower`.
#[inline(always)]
pub(crate) fn factorize<T: Real, const CHECKED: bool>(
    plan: &Plan,
    values: &Values<'_, T>,
    tolerance: T,
    numbers: &mut Numbers<'_, T>,
) -> Outcome {
    let places = plan.places();
    assert!(plan.takes(values));
    assert!(numbers.lower.len() == places);
    let Numbers { lower, inverse, size, .. } = numbers;
    let (inverse, size) = (&mut inverse[..plan.len()], &mut size[..plan.len()]);
    let (mass, jacobian) = (values.mass, values.jacobian);
    let code = &plan.factor_code[..];
    // pivots are those of J itself, not of squares
    let share = tolerance.sqrt();
    let mut outcome = Outcome::NONE;
    let (mut here, mut place, mut k) = (0, 0, 0);
    for block in &plan.blocks {
        if !block.pair {
            let coupled = at::<CHECKED, _>(code, here) as usize;
            here += 1;
            let (d, from) = terms::<T, CHECKED, true>(code, &mut here, mass, lower);
            let d = take(d, from, T::one(), tolerance, &mut outcome);
            *at_mut::<CHECKED, _>(inverse, k) = d;
            *at_mut::<CHECKED, _>(size, k) = from;
            k += 1;
            for copy in place + 1..place + 1 + coupled {
                let v = sum::<T, CHECKED>(code, &mut here, mass, lower);
                *at_mut::<CHECKED, _>(lower, copy) = v;
                *at_mut::<CHECKED, _>(lower, copy + coupled) = v * d;
            }
            place = block.end as usize;
            continue;
        }
        let [row, shared, coupled, others] =
            [0, 1, 2, 3].map(|i| at::<CHECKED, _>(code, here + i) as usize);
        here += 4;
        let scale = largest::<T, CHECKED>(code, &mut here, jacobian, &plan.weights);
        let weight = at::<CHECKED, _>(&plan.weights, at::<CHECKED, _>(code, here) as usize);
        here += 1;
        let (b, from) = terms::<T, CHECKED, true>(code, &mut here, jacobian, lower);
        let (a, size_of_a) = terms::<T, CHECKED, true>(code, &mut here, mass, lower);
        let first = block.first as usize;
        let mut most = scale;
        for place in first..first + row {
            let v = sum::<T, CHECKED>(code, &mut here, jacobian, lower);
            let unit = at::<CHECKED, _>(&plan.units, at::<CHECKED, _>(&plan.rows, place) as usize);
            most = most.max(v.abs() * T::from_f64(unit));
            *at_mut::<CHECKED, _>(lower, place) = v;
        }
        let good = (share * from).lt(b.abs()) & (share * most).lt(b.abs() * T::from_f64(weight));
        let mut factor = T::one() / b;
        let mut size_of_pivot = from;
        if !(good & factor.is_finite()).is_all(T::LANES) {
            [factor, size_of_pivot] = vanished(b, from, good, factor, &mut outcome);
        }
        for (k, size_of_pivot) in [(k, size_of_a), (k + 1, size_of_pivot)] {
            *at_mut::<CHECKED, _>(inverse, k) = factor;
            *at_mut::<CHECKED, _>(size, k) = size_of_pivot;
        }
        k += 2;
        *at_mut::<CHECKED, _>(lower, place) = factor;
        *at_mut::<CHECKED, _>(lower, place + 1) = a;
        let mut copy = place + 2;
        place = first;
        for _ in 0..row {
            let of_row = at_mut::<CHECKED, _>(lower, place);
            *of_row *= factor;
            place += 1;
        }
        for of_row in first..first + shared {
            let is_copied = at::<CHECKED, _>(code, here) != 0;
            let v = sum::<T, CHECKED>(code, &mut here, mass, lower);
            if is_copied {
                *at_mut::<CHECKED, _>(lower, copy) = v;
                copy += 1;
            }
            // what is coupled has a sum of something: a number of M, or a product that coupled it
            debug_assert!(copy <= first);
            let of_row = at::<CHECKED, _>(lower, of_row);
            *at_mut::<CHECKED, _>(lower, place) = (-a).mul_add(of_row, v);
            place += 1;
        }
        for _ in shared..coupled {
            let v = sum::<T, CHECKED>(code, &mut here, mass, lower);
            *at_mut::<CHECKED, _>(lower, place) = v;
            place += 1;
        }
        for _ in 0..others {
            let v = sum::<T, CHECKED>(code, &mut here, jacobian, lower);
            *at_mut::<CHECKED, _>(lower, place) = v;
            place += 1;
        }
    }
    for k in k..plan.len() {
        let scale = largest::<T, CHECKED>(code, &mut here, jacobian, &plan.weights);
        let count = at::<CHECKED, _>(code, here) as usize;
        here += 1;
        let mut nothing = Mask::all(T::LANES);
        for _ in 0..count {
            let weight = at::<CHECKED, _>(&plan.weights, at::<CHECKED, _>(code, here) as usize);
            here += 1;
            let v = sum::<T, CHECKED>(code, &mut here, jacobian, lower);
            nothing &= (v.abs() * T::from_f64(weight)).le(share * scale);
        }
        outcome.dropped = Mask::all(T::LANES);
        inverse[k] = T::zero();
        size[k] = T::select(nothing, T::zero(), T::from_f64(f64::INFINITY));
    }
    outcome
}

/// A pivot that vanishes in some lanes: `1/b`, and the size of what left it.
#[cold]
#[inline(never)]
fn vanished<T: Real>(b: T, from: T, good: Mask, factor: T, outcome: &mut Outcome) -> [T; 2] {
    let all = Mask::all(T::LANES);
    outcome.dropped |= !good & all;
    outcome.broken |= !(b.is_finite() & from.is_finite()) & all;
    outcome.broken |= good & !factor.is_finite();
    let infinite = T::from_f64(f64::INFINITY);
    [(factor, T::zero()), (from, infinite)].map(|(kept, lost)| T::select(good, kept, lost))
}

/// The largest of some numbers of J, in units of their columns.
#[inline(always)]
fn largest<T: Real, const CHECKED: bool>(
    code: &[u32],
    here: &mut usize,
    jacobian: &[T],
    weights: &[f64],
) -> T {
    let count = at::<CHECKED, _>(code, *here) as usize;
    let mut next = *here + 1;
    let mut largest = T::zero();
    for _ in 0..count {
        let value = at::<CHECKED, _>(jacobian, at::<CHECKED, _>(code, next) as usize);
        let weight = at::<CHECKED, _>(weights, at::<CHECKED, _>(code, next + 1) as usize);
        largest = largest.max(value.abs() * T::from_f64(weight));
        next += 2;
    }
    *here = next;
    largest
}

/// What is left at a place: a number of the matrix, if one stands there, less products.
#[inline(always)]
fn sum<T: Real, const CHECKED: bool>(
    code: &[u32],
    here: &mut usize,
    values: &[T],
    lower: &[T],
) -> T {
    terms::<T, CHECKED, false>(code, here, values, lower).0
}

/// The same, and the sum of the magnitudes of all terms if they are counted.
#[inline(always)]
fn terms<T: Real, const CHECKED: bool, const COUNT: bool>(
    code: &[u32],
    here: &mut usize,
    values: &[T],
    lower: &[T],
) -> (T, T) {
    let head = at::<CHECKED, _>(code, *here);
    let mut next = *here + 1;
    let mut x = T::zero();
    if head & 1 == 1 {
        x = at::<CHECKED, _>(values, at::<CHECKED, _>(code, next) as usize) + T::zero();
        next += 1;
    }
    let mut all = x.abs();
    for _ in 0..head >> 1 {
        let [l, v] =
            [next, next + 1].map(|i| at::<CHECKED, _>(lower, at::<CHECKED, _>(code, i) as usize));
        x = (-l).mul_add(v, x);
        if COUNT {
            all += (l * v).abs();
        }
        next += 2;
    }
    *here = next;
    (x, all)
}

#[cfg(test)]
mod tests {
    use super::super::{choose, substitute};
    use super::*;
    use crate::Pattern;
    use pommel_testkit::{Rng, SaddleCompliance, SaddleShape, random_saddle};

    /// Random systems: the unchecked kernel does what the checked one does.
    #[test]
    fn no_check_of_an_index_ever_fails() {
        let mut rng = Rng::new(43);
        let (mut programs, mut dropped) = (0, 0);
        for _ in 0..800 {
            let shape =
                SaddleShape { compliance: SaddleCompliance::None, ..SaddleShape::random(&mut rng) };
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
                &[],
            )
            .expect("a system of the testkit");
            let [mass, jacobian] = [numbers(&system.mass), numbers(&system.jacobian)];
            let values = Values { mass: &mass, jacobian: &jacobian, compliance: &[] };
            let steps = choose(&pattern, |i| jacobian[i], 5e-7, usize::MAX).expect("no limit");
            let plan = Plan::new(&pattern, steps).expect("no limit");
            let total = plan.len();
            let mut found = Vec::new();
            for checked in [true, false] {
                let mut lower = vec![0.0; plan.places()];
                let (mut inverse, mut size) = (vec![0.0; total], vec![0.0; total]);
                let mut x: Vec<f64> = (0..total).map(|i| i as f64 - 3.5).collect();
                let mut y = vec![0.0; total];
                let run = if checked { factorize::<f64, true> } else { factorize::<f64, false> };
                let mut numbers = Numbers {
                    columns: &mut [],
                    lower: &mut lower,
                    inverse: &mut inverse,
                    size: &mut size,
                };
                run(&plan, &values, 3e-13, &mut numbers);
                let run = if checked { substitute::<f64, true> } else { substitute::<f64, false> };
                run(&plan, [&lower, &inverse], None, &mut x, &mut y);
                found.push([lower, inverse, size, x].concat());
            }
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found[0]), bits(&found[1]));
            programs += usize::from(total > 0);
            dropped += usize::from(plan.dropped > 0);
        }
        assert!(programs > 700 && dropped > 100, "{programs} {dropped}");
    }
}
