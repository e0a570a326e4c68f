//! Cholesky factors of the blocks of a mass matrix.

use pommel_math::Real;

/// A pivot that is smaller than this many standard roundings counts as zero.
const ROUNDINGS: f64 = 32.0;

/// Replaces the lower triangle of a symmetric matrix (column-major, `n` rows, column stride
/// `stride`) by `L` with `A = L Lᵀ`; false if a pivot is not positive. `growth` has room for `n`
/// numbers: by how much each pivot is smaller than what it was rounded with. Scalars of one lane.
pub(crate) fn cholesky<T: Real>(a: &mut [T], n: usize, stride: usize, growth: &mut [f64]) -> bool {
    for k in 0..n {
        let mut d = a[k * stride + k];
        let mut rounded = d.lane(0).abs();
        for c in 0..k {
            let l = a[c * stride + k];
            d = (-l).mul_add(l, d);
            // an inexact pivot makes an inexact product
            rounded += l.lane(0) * l.lane(0) * growth[c];
        }
        if !T::from_f64(ROUNDINGS * T::EPSILON * rounded).lt(d).lane(0) {
            return false;
        }
        growth[k] = rounded / d.lane(0);
        let root = d.sqrt();
        a[k * stride + k] = root;
        for i in k + 1..n {
            let mut x = a[k * stride + i];
            for c in 0..k {
                x = (-a[c * stride + i]).mul_add(a[c * stride + k], x);
            }
            a[k * stride + i] = x / root;
        }
    }
    true
}

/// `b ← L⁻¹ b`.
pub(crate) fn solve_lower<T: Real>(l: &[T], stride: usize, b: &mut [T]) {
    for k in 0..b.len() {
        b[k] = b[k] / l[k * stride + k];
        for i in k + 1..b.len() {
            b[i] = (-l[k * stride + i]).mul_add(b[k], b[i]);
        }
    }
}

/// `b ← L⁻ᵀ b`.
pub(crate) fn solve_lower_transposed<T: Real>(l: &[T], stride: usize, b: &mut [T]) {
    for k in (0..b.len()).rev() {
        let mut x = b[k];
        for i in k + 1..b.len() {
            x = (-l[k * stride + i]).mul_add(b[i], x);
        }
        b[k] = x / l[k * stride + k];
    }
}
