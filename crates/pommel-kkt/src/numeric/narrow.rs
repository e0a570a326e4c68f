//! Elimination and substitution for scalars that are vectors themselves: nothing is padded, and only
//! lower triangles are formed. The bits are those of the kernels for single numbers.

use pommel_math::Real;

use super::front::{Pivots, Target};
use super::solve::SHORT;
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

    // the pivot block
    let mut a = [[T::zero(); P]; P];
    let mut s = [T::zero(); P];
    let mut l = [[T::zero(); P]; P];
    for j in 0..P {
        for i in j..P {
            a[j][i] = own[j * P + i];
        }
        s[j] = pivots.size[j];
    }
    for k in 0..P {
        pivots.take(k, a[k][k], s[k]);
        let inverse = pivots.inverse[k];
        for j in k + 1..P {
            let v = a[k][j];
            let w = v * inverse;
            l[j][k] = w;
            s[j] += (w * v).abs();
            for i in j..P {
                a[j][i] = (-w).mul_add(a[k][i], a[j][i]);
            }
        }
    }
    for j in 0..P {
        for i in 0..P {
            own[j * P + i] = if i < j { l[j][i] } else { a[j][i] };
        }
    }

    // boundary rows, each on its own
    for i in 0..u {
        let mut v = [T::zero(); P];
        for j in 0..P {
            let mut x = below[j * u + i];
            for k in 0..j {
                x = (-l[j][k]).mul_add(v[k], x);
            }
            v[j] = x;
            below[j * u + i] = x;
        }
    }
    for j in 0..u {
        let mut w = [T::zero(); P];
        let mut s = if target.fresh { T::zero() } else { target.sizes[j] };
        for k in 0..P {
            let x = below[k * u + j];
            w[k] = x * pivots.inverse[k];
            s += (w[k] * x).abs();
        }
        target.sizes[j] = s;
        let column = &mut target.columns[j * target.stride..][..u];
        for i in j..u {
            let mut a = if target.fresh { T::zero() } else { column[i] };
            for k in 0..P {
                a = (-w[k]).mul_add(below[k * u + i], a);
            }
            column[i] = a;
        }
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
            x = (-z[k]).mul_add(own[j * P + k], x);
        }
        z[j] = x;
    }
    for j in 0..P {
        z[j] *= inverse[j];
    }
    mine.copy_from_slice(&z);
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
    if u <= SHORT {
        let mut sum = [T::zero(); P];
        for i in 0..u {
            let x = later[rows[i] as usize - first - P];
            for k in 0..P {
                sum[k] = below[k * u + i].mul_add(x, sum[k]);
            }
        }
        for k in 0..P {
            mine[k] = (-sum[k]).mul_add(inverse[k], mine[k]);
        }
    } else {
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
        let mut x = mine[k];
        for i in (k + 1..P).rev() {
            x = (-mine[i]).mul_add(own[i * P + k], x);
        }
        mine[k] = x;
    }
}
