//! The elimination itself.

use pommel_math::{Mask, Real};

use super::Plan;
use super::index::{at, at_mut};
use crate::numeric::{Outcome, take};
use crate::pattern::Values;

/// The numbers of a factor.
#[derive(Debug)]
pub(crate) struct Numbers<'a, T> {
    /// Columns `V = L D` of the rest, below the diagonal.
    pub(crate) columns: &'a mut [T],
    /// The same of `L`.
    pub(crate) lower: &'a mut [T],
    /// `1/d` of every pivot.
    pub(crate) inverse: &'a mut [T],
    /// Size of what a pivot of the rest was left by.
    pub(crate) size: &'a mut [T],
}

/// Factors.
///
/// If all pivots have the signs that they should have, what multipliers are left by is as large as
/// what isolated unknowns have left there; else all that is subtracted is counted.
#[inline(always)]
pub(crate) fn factorize<T: Real, const CHECKED: bool>(
    plan: &Plan,
    values: &Values<'_, T>,
    compliance_sign: T,
    tolerance: T,
    numbers: &mut Numbers<'_, T>,
) -> Outcome {
    let (total, isolated, places) = (plan.len(), plan.isolated, plan.places());
    assert!(plan.takes(values));
    assert!(numbers.columns.len() == places && numbers.lower.len() == places);
    let Numbers { columns, lower, inverse, size } = numbers;
    let (inverse, inverse_of_rest) = inverse[..total].split_at_mut(isolated);
    let size_of_rest = &mut size[isolated..total];
    let outcome = isolate::<T, CHECKED>(plan, values.mass, tolerance, inverse);
    let moved = plan.coupled > 0 || plan.moves.iter().any(|list| !list.is_empty());
    let mut counted = if plan.coupled > 0 { Mask::all(T::LANES) } else { outcome.turned };
    if moved {
        columns.fill(T::zero());
        size_of_rest.fill(T::zero());
        let lists = [values.mass, values.jacobian, values.compliance];
        let factors = [T::one(), T::one(), compliance_sign];
        for part in 0..3 {
            for e in &plan.moves[part] {
                // a zero is added to make a negative zero positive
                let value = at::<CHECKED, _>(lists[part], e.value as usize);
                let value = factors[part].mul_add(value, T::zero());
                let place = e.place as usize;
                if let Some(below) = place.checked_sub(size_of_rest.len()) {
                    *at_mut::<CHECKED, _>(columns, below) = value;
                } else {
                    *at_mut::<CHECKED, _>(size_of_rest, place) = value;
                    let signed = if place < plan.coupled { value } else { -value };
                    counted |= signed.lt(T::zero());
                }
            }
        }
    }
    let rest = Rest {
        code: &plan.factor_code,
        coupled: plan.coupled,
        jacobian: values.jacobian,
        isolated: inverse,
        tolerance,
        counted,
    };
    let of_rest = Numbers { columns, lower, inverse: inverse_of_rest, size: size_of_rest };
    match (moved, counted.any()) {
        (false, false) => eliminate::<T, CHECKED, false, false>(&rest, of_rest, outcome),
        (true, false) => eliminate::<T, CHECKED, true, false>(&rest, of_rest, outcome),
        (false, true) => eliminate::<T, CHECKED, false, true>(&rest, of_rest, outcome),
        (true, true) => eliminate::<T, CHECKED, true, true>(&rest, of_rest, outcome),
    }
}

/// Inverts the masses of isolated unknowns.
#[inline(always)]
fn isolate<T: Real, const CHECKED: bool>(
    plan: &Plan,
    mass: &[T],
    tolerance: T,
    inverse: &mut [T],
) -> Outcome {
    let masses = &plan.masses[..inverse.len()];
    let mut good = Mask::all(T::LANES);
    for i in 0..inverse.len() {
        let d = at::<CHECKED, _>(mass, masses[i] as usize);
        inverse[i] = T::one() / d;
        good &= T::zero().lt(inverse[i]) & inverse[i].is_finite();
    }
    let mut outcome = Outcome::NONE;
    if !good.is_all(T::LANES) {
        for i in 0..inverse.len() {
            let d = at::<CHECKED, _>(mass, masses[i] as usize);
            inverse[i] = take(d, d.abs(), T::one(), tolerance, &mut outcome);
            outcome.broken |= !inverse[i].is_finite() & Mask::all(T::LANES);
        }
    }
    outcome
}

/// What the elimination of the rest reads.
struct Rest<'a, T> {
    code: &'a [u32],
    /// So many pivots should be positive, the others negative.
    coupled: usize,
    jacobian: &'a [T],
    /// `1/m` of isolated unknowns.
    isolated: &'a [T],
    tolerance: T,
    /// Lanes in which sizes are counted.
    counted: Mask,
}

/// Eliminates the rest. `MOVED`: numbers of the matrix stand in the columns, and on the diagonal in
/// `size`; `COUNT`: some sizes are counted.
#[inline(always)]
fn eliminate<T: Real, const CHECKED: bool, const MOVED: bool, const COUNT: bool>(
    rest: &Rest<'_, T>,
    numbers: Numbers<'_, T>,
    outcome: Outcome,
) -> Outcome {
    let &Rest { code, coupled, jacobian, isolated, tolerance, counted } = rest;
    let Numbers { columns, lower, inverse, size } = numbers;
    let size = &mut size[..inverse.len()];
    let minus = -T::one();
    let mut outcome = outcome;
    let (mut at_code, mut place) = (0, 0);
    for k in 0..inverse.len() {
        let before = if MOVED { size[k] } else { T::zero() };
        let (mut d, terms) =
            triples::<T, CHECKED, COUNT>(before, code, &mut at_code, jacobian, isolated);
        let mut size_of_pivot = before.abs() + (d - before).abs();
        if COUNT {
            size_of_pivot = T::select(counted, before.abs() + terms, size_of_pivot);
        }
        let count = at::<CHECKED, _>(code, at_code) as usize;
        at_code += 1;
        for _ in 0..count {
            let e = at::<CHECKED, _>(code, at_code) as usize;
            at_code += 1;
            let (l, v) = (at::<CHECKED, _>(lower, e), at::<CHECKED, _>(columns, e));
            d = (-l).mul_add(v, d);
            if COUNT {
                size_of_pivot = T::select(counted, size_of_pivot + (l * v).abs(), size_of_pivot);
            }
        }
        // without numbers of the matrix, there are multipliers only
        let sign = if MOVED && k < coupled { T::one() } else { minus };
        let d = take(d, size_of_pivot, sign, tolerance, &mut outcome);
        inverse[k] = d;
        size[k] = size_of_pivot;
        let count = at::<CHECKED, _>(code, at_code) as usize;
        at_code += 1;
        for _ in 0..count {
            let before = if MOVED { at::<CHECKED, _>(columns, place) } else { T::zero() };
            let (mut v, _) =
                triples::<T, CHECKED, false>(before, code, &mut at_code, jacobian, isolated);
            let pairs = at::<CHECKED, _>(code, at_code) as usize;
            at_code += 1;
            for _ in 0..pairs {
                let a = at::<CHECKED, _>(code, at_code) as usize;
                let b = at::<CHECKED, _>(code, at_code + 1) as usize;
                at_code += 2;
                let l = at::<CHECKED, _>(lower, a);
                v = (-l).mul_add(at::<CHECKED, _>(columns, b), v);
            }
            *at_mut::<CHECKED, _>(columns, place) = v;
            *at_mut::<CHECKED, _>(lower, place) = v * d;
            place += 1;
        }
    }
    outcome
}

/// `x` less some products of two values of J and what is between them of `M⁻¹`; if counted, the sum of
/// their magnitudes.
#[inline(always)]
fn triples<T: Real, const CHECKED: bool, const COUNT: bool>(
    x: T,
    code: &[u32],
    at_code: &mut usize,
    jacobian: &[T],
    isolated: &[T],
) -> (T, T) {
    let (mut x, mut terms) = (x, T::zero());
    let count = at::<CHECKED, _>(code, *at_code) as usize;
    let mut here = *at_code + 1;
    for _ in 0..count {
        let a = at::<CHECKED, _>(code, here) as usize;
        let i = at::<CHECKED, _>(code, here + 1) as usize;
        let b = at::<CHECKED, _>(code, here + 2) as usize;
        here += 3;
        let w = at::<CHECKED, _>(jacobian, a) * at::<CHECKED, _>(isolated, i);
        let right = at::<CHECKED, _>(jacobian, b);
        x = (-w).mul_add(right, x);
        if COUNT {
            terms += (w * right).abs();
        }
    }
    *at_code = here;
    (x, terms)
}

#[cfg(test)]
mod tests {
    use super::super::substitute;
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
            let plan = Plan::new(&pattern, sequence.iter().copied(), usize::MAX).expect("no limit");
            let total = sequence.len();
            let mut found = Vec::new();
            for checked in [true, false] {
                let (mut columns, mut lower) = (vec![0.0; plan.places()], vec![0.0; plan.places()]);
                let (mut inverse, mut size) = (vec![0.0; total], vec![0.0; total]);
                let mut x: Vec<f64> = (0..total).map(|i| i as f64 - 3.5).collect();
                let mut y = vec![0.0; total];
                let run = if checked { factorize::<f64, true> } else { factorize::<f64, false> };
                let mut numbers = Numbers {
                    columns: &mut columns,
                    lower: &mut lower,
                    inverse: &mut inverse,
                    size: &mut size,
                };
                run(&plan, &values, -1.0, 3e-13, &mut numbers);
                let run = if checked { substitute::<f64, true> } else { substitute::<f64, false> };
                run(&plan, &values, [&lower, &inverse], None, &mut x, &mut y);
                found.push([columns, lower, inverse, size, x].concat());
            }
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found[0]), bits(&found[1]));
            programs += usize::from(total > 0);
        }
        assert!(programs > 450);
    }
}
