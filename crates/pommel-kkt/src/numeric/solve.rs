//! Substitution with the factors of one front.

use pommel_math::Real;

use crate::analysis::Front;

/// Products that are summed side by side: sums are formed in this many parts on every scalar, so
/// that the bits are the same.
const PARTS: usize = 8;

/// Sums over so many boundary rows are not formed in parts if there are few pivots.
pub(super) const SHORT: usize = 8;

/// `L z = y` for the pivots of a front, `D⁻¹ z` in their place; the boundary rows of `y` are brought
/// up to date.
#[inline(always)]
pub(super) fn forward<T: Real, const W: usize, const P: usize>(
    front: &Front,
    panel: &[T],
    inverse: &[T],
    rows: &[u32],
    y: &mut [T],
    local: &mut [T],
) {
    let p = if P > 0 { P } else { front.pivots as usize };
    let u = front.boundary as usize;
    let pivot_stride = if P > 0 && W > 1 { W } else { front.pivot_stride as usize };
    let stride = front.boundary_stride as usize;
    let first = front.first as usize;
    let (own, below) = panel.split_at(p * pivot_stride);
    let inverse = &inverse[..p];
    let (mine, later) = y[first..].split_at_mut(p);
    if P > 0 {
        // in registers
        let mut z = [T::zero(); P];
        for j in 0..P {
            z[j] = mine[j];
            for k in 0..j {
                z[j] = (-z[k]).mul_add(own[j * pivot_stride + k], z[j]);
            }
        }
        for j in 0..P {
            mine[j] = z[j] * inverse[j];
        }
    } else {
        for j in 0..p {
            let mut z = mine[j];
            for k in 0..j {
                z = (-mine[k]).mul_add(own[j * pivot_stride + k], z);
            }
            mine[j] = z;
        }
        for j in 0..p {
            mine[j] *= inverse[j];
        }
    }
    let mut row = 0;
    while row < stride {
        let mut acc = [T::zero(); W];
        for k in 0..p {
            let minus = -mine[k];
            let x = &below[k * stride + row..k * stride + row + W];
            for i in 0..W {
                acc[i] = minus.mul_add(x[i], acc[i]);
            }
        }
        if front.run {
            // what is beyond the boundary is zero
            let y = &mut later[rows[0] as usize - first - p + row..][..W];
            for i in 0..W {
                y[i] += acc[i];
            }
        } else {
            local[row..row + W].copy_from_slice(&acc);
        }
        row += W;
    }
    if !front.run {
        for i in 0..u {
            later[rows[i] as usize - first - p] += local[i];
        }
    }
}

/// `Lᵀ x = y` for the pivots of a front, given the boundary rows of `x`.
#[inline(always)]
pub(super) fn backward<T: Real, const W: usize, const P: usize>(
    front: &Front,
    panel: &[T],
    inverse: &[T],
    rows: &[u32],
    y: &mut [T],
    local: &mut [T],
) {
    let p = if P > 0 { P } else { front.pivots as usize };
    let u = front.boundary as usize;
    let pivot_stride = if P > 0 && W > 1 { W } else { front.pivot_stride as usize };
    let stride = front.boundary_stride as usize;
    let first = front.first as usize;
    let (own, below) = panel.split_at(p * pivot_stride);
    let inverse = &inverse[..p];
    let (mine, later) = y[first..].split_at_mut(p);
    if P > 0 && u <= SHORT {
        let mut sum = [T::zero(); P];
        for i in 0..u {
            let x = later[rows[i] as usize - first - P];
            for k in 0..P {
                sum[k] = below[k * stride + i].mul_add(x, sum[k]);
            }
        }
        let mut x = [T::zero(); P];
        for k in (0..P).rev() {
            x[k] = (-sum[k]).mul_add(inverse[k], mine[k]);
            for i in (k + 1..P).rev() {
                x[k] = (-x[i]).mul_add(own[i * pivot_stride + k], x[k]);
            }
        }
        mine.copy_from_slice(&x);
        return;
    }
    if u > 0 {
        let x = if front.run {
            &later[rows[0] as usize - first - p..]
        } else {
            for i in 0..u {
                local[i] = later[rows[i] as usize - first - p];
            }
            &*local
        };
        // products of the boundary, for each pivot
        for k in 0..p {
            let column = &below[k * stride..(k + 1) * stride];
            let mut acc = [T::zero(); PARTS];
            if W == PARTS {
                let mut row = 0;
                while row < stride {
                    let (x, v) = (&x[row..row + PARTS], &column[row..row + PARTS]);
                    for i in 0..PARTS {
                        let x = if row + i < u { x[i] } else { T::zero() };
                        acc[i] = v[i].mul_add(x, acc[i]);
                    }
                    row += PARTS;
                }
            } else {
                for row in 0..u {
                    acc[row % PARTS] = column[row].mul_add(x[row], acc[row % PARTS]);
                }
            }
            let sum =
                ((acc[0] + acc[4]) + (acc[2] + acc[6])) + ((acc[1] + acc[5]) + (acc[3] + acc[7]));
            mine[k] = (-sum).mul_add(inverse[k], mine[k]);
        }
    }
    for k in (0..p).rev() {
        let mut x = mine[k];
        for i in (k + 1..p).rev() {
            x = (-mine[i]).mul_add(own[i * pivot_stride + k], x);
        }
        mine[k] = x;
    }
}
