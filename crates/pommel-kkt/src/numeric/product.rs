//! Products with the matrix itself, from the values as the caller keeps them.

use pommel_math::{InstructionSet, Kernel, Real, dispatch};

use crate::pattern::{Entries, Pattern, Values};

/// `residual = b − K x`, `bound = |K| |x| + |b|`.
pub(super) fn residual<T: Real>(
    pattern: &Pattern,
    values: &Values<'_, T>,
    x: &[T],
    b: &[T],
    residual: &mut [T],
    bound: &mut [T],
) {
    dispatch(Residual { pattern, values: *values, x, b, residual, bound });
}

struct Residual<'a, T> {
    pattern: &'a Pattern,
    values: Values<'a, T>,
    x: &'a [T],
    b: &'a [T],
    residual: &'a mut [T],
    bound: &'a mut [T],
}

impl<T: Real> Kernel for Residual<'_, T> {
    type Output = ();
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let Residual { pattern, values, x, b, residual, bound } = self;
        for i in 0..b.len() {
            residual[i] = b[i];
            bound[i] = b[i].abs();
        }
        let n = pattern.unknowns();
        let sign = T::from_f64(if pattern.negated { 1.0 } else { -1.0 });
        subtract(&pattern.mass, values.mass, T::one(), [0, 0], x, residual, bound);
        subtract(&pattern.jacobian, values.jacobian, T::one(), [n, 0], x, residual, bound);
        subtract(&pattern.compliance, values.compliance, sign, [n, n], x, residual, bound);
    }
}

/// Takes one part of the matrix and its transpose off.
#[inline(always)]
fn subtract<T: Real>(
    entries: &Entries,
    values: &[T],
    sign: T,
    offset: [usize; 2],
    x: &[T],
    residual: &mut [T],
    bound: &mut [T],
) {
    for e in 0..entries.len() {
        let row = entries.rows[e] as usize + offset[0];
        let column = entries.columns[e] as usize + offset[1];
        let v = sign * values[entries.index[e] as usize];
        let a = v.abs();
        residual[row] = (-v).mul_add(x[column], residual[row]);
        bound[row] = a.mul_add(x[column].abs(), bound[row]);
        if row != column {
            residual[column] = (-v).mul_add(x[row], residual[column]);
            bound[column] = a.mul_add(x[row].abs(), bound[column]);
        }
    }
}
