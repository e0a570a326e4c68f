//! Elimination and substitution for scalars that are vectors themselves: nothing is padded, and only
//! lower triangles are formed. The bits are those of the kernels for single numbers.

use pommel_math::Real;

use super::front::{Pivots, Target};
use crate::analysis::Front;

/// Eliminates `P` pivots.
#[inline(always)]
pub(super) fn eliminate<T: Real, const P: usize>(
    front: &Front,
    panel: &mut [T],
    target: &mut Target<'_, T>,
    pivots: &mut Pivots<'_, T>,
) {
    let u = front.boundary as usize;
    let (own, below) = panel.split_at_mut(P * P);
    let below = &mut below[..P * u];
    for j in 0..P {
        let mut w = [T::zero(); P];
        let mut s = pivots.size[j];
        for k in 0..j {
            let v = own[k * P + j];
            w[k] = -(v * pivots.inverse[k]);
            s += (w[k] * v).abs();
        }
        for i in j..P {
            let mut a = own[j * P + i];
            for k in 0..j {
                a = w[k].mul_add(own[k * P + i], a);
            }
            own[j * P + i] = a;
        }
        pivots.take(j, own[j * P + j], s);
        for i in 0..u {
            let mut a = below[j * u + i];
            for k in 0..j {
                a = w[k].mul_add(below[k * u + i], a);
            }
            below[j * u + i] = a;
        }
    }
    for j in 0..u {
        let mut w = [T::zero(); P];
        for k in 0..P {
            w[k] = -(below[k * u + j] * pivots.inverse[k]);
        }
        let column = &mut target.columns[j * target.stride..][..u];
        for i in j..u {
            let mut a = if target.fresh { T::zero() } else { column[i] };
            for k in 0..P {
                a = w[k].mul_add(below[k * u + i], a);
            }
            column[i] = a;
        }
        let mut s = if target.fresh { T::zero() } else { target.sizes[j] };
        for k in 0..P {
            let x = below[k * u + j].abs();
            s += x * pivots.inverse[k].abs() * x;
        }
        target.sizes[j] = s;
    }
}

/// `L z = y`, `D⁻¹ z` in its place.
#[inline(always)]
pub(super) fn forward<T: Real, const P: usize>(
    front: &Front,
    panel: &[T],
    inverse: &[T],
    rows: &[u32],
    y: &mut [T],
) {
    let (u, first) = (front.boundary as usize, front.first as usize);
    let (own, below) = panel.split_at(P * P);
    let below = &below[..P * u];
    let inverse = &inverse[..P];
    let (mine, later) = y[first..].split_at_mut(P);
    let mut z = [T::zero(); P];
    for j in 0..P {
        let mut x = mine[j];
        for k in 0..j {
            x = (-z[k]).mul_add(own[k * P + j], x);
        }
        z[j] = x * inverse[j];
        mine[j] = z[j];
    }
    let later = &mut later[..];
    for i in 0..u {
        let mut a = T::zero();
        for k in 0..P {
            a = (-z[k]).mul_add(below[k * u + i], a);
        }
        later[rows[i] as usize - first - P] += a;
    }
}

/// `Lᵀ x = y`.
#[inline(always)]
pub(super) fn backward<T: Real, const P: usize>(
    front: &Front,
    panel: &[T],
    inverse: &[T],
    rows: &[u32],
    y: &mut [T],
) {
    let (u, first) = (front.boundary as usize, front.first as usize);
    let (own, below) = panel.split_at(P * P);
    let below = &below[..P * u];
    let inverse = &inverse[..P];
    let (mine, later) = y[first..].split_at_mut(P);
    if u > 0 {
        let mut acc = [[T::zero(); 8]; P];
        let mut row = 0;
        while row < u {
            for i in 0..8 {
                if row + i < u {
                    let x = later[rows[row + i] as usize - first - P];
                    for k in 0..P {
                        acc[k][i] = below[k * u + row + i].mul_add(x, acc[k][i]);
                    }
                }
            }
            row += 8;
        }
        for k in 0..P {
            let a = &acc[k];
            let sum = ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
            mine[k] = (-sum).mul_add(inverse[k], mine[k]);
        }
    }
    for k in (0..P).rev() {
        let mut s = T::zero();
        for i in (k + 1..P).rev() {
            s = own[k * P + i].mul_add(mine[i], s);
        }
        mine[k] = (-s).mul_add(inverse[k], mine[k]);
    }
}
