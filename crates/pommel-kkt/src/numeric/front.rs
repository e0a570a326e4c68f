//! Elimination of the pivots of one front.
//!
//! Column `k` of the panel is kept as `V_k = L_k d_k`; with `1/d_k` beside it nothing is scaled
//! twice. An entry is formed as `a_ij − Σ_k (V_jk / d_k) V_ik`, fused, `k` ascending: in that order
//! whatever the width of vectors, so that the bits are the same.

use pommel_math::{Mask, Real};

use super::factor::Outcome;
use crate::analysis::Front;

/// What a front writes besides its columns.
pub(super) struct Pivots<'a, T> {
    /// `1/d`, zero where a pivot was dropped.
    pub(super) inverse: &'a mut [T],
    /// Magnitude of what a pivot is left by.
    pub(super) size: &'a mut [T],
    /// 1 for a pivot that should be positive, −1 for one that should be negative.
    pub(super) sign: &'a [T],
    /// A pivot is dropped where it is below this times its size.
    pub(super) tolerance: T,
    pub(super) outcome: Outcome,
}

impl<T: Real> Pivots<'_, T> {
    /// Takes pivot `j`, `d` as left of numbers of `size`.
    #[inline(always)]
    pub(super) fn take(&mut self, j: usize, d: T, size: T) {
        self.size[j] = size;
        let limit = self.tolerance * size;
        let signed = d * self.sign[j];
        let good = limit.lt(signed);
        if good.is_all(T::LANES) {
            self.inverse[j] = T::one() / d;
        } else {
            self.take_with_care(j, d, limit, signed);
        }
    }

    #[cold]
    #[inline(never)]
    fn take_with_care(&mut self, j: usize, d: T, limit: T, signed: T) {
        let all = Mask::all(T::LANES);
        let kept = limit.lt(signed) | limit.lt(-signed);
        let broken = !(d.is_finite() & limit.is_finite()) & all;
        self.outcome.dropped |= !kept & all;
        self.outcome.turned |= limit.lt(-signed);
        self.outcome.broken |= broken;
        self.inverse[j] = T::select(kept, T::one() / d, T::zero());
    }
}

/// Where the update of a front goes: columns of boundary rows, and the sizes of their diagonal.
pub(super) struct Target<'a, T> {
    pub(super) columns: &'a mut [T],
    pub(super) stride: usize,
    pub(super) sizes: &'a mut [T],
    /// Whether there is nothing yet: what stands there is not read.
    pub(super) fresh: bool,
}

/// `acc − w x[at..]`.
#[inline(always)]
fn subtract<T: Real, const W: usize>(acc: &mut [T; W], w: T, x: &[T], at: usize) {
    let minus = -w;
    let x = &x[at..at + W];
    for i in 0..W {
        acc[i] = minus.mul_add(x[i], acc[i]);
    }
}

#[inline(always)]
fn load<T: Real, const W: usize>(x: &[T], at: usize) -> [T; W] {
    let x = &x[at..at + W];
    let mut y = [T::zero(); W];
    y[..W].copy_from_slice(x);
    y
}

#[inline(always)]
fn store<T: Real, const W: usize>(x: &mut [T], at: usize, y: &[T; W]) {
    x[at..at + W].copy_from_slice(y);
}

/// Eliminates `P` pivots, at most `W` (any number if `P` is zero), with `C` vectors of boundary rows.
#[inline(always)]
pub(super) fn small<T: Real, const W: usize, const P: usize, const C: usize>(
    front: &Front,
    panel: &mut [T],
    target: &mut Target<'_, T>,
    pivots: &mut Pivots<'_, T>,
) {
    let p = if P > 0 { P } else { front.pivots as usize };
    let u = front.boundary as usize;
    let stride = C * W;
    let (own, below) = panel.split_at_mut(p * W);
    let below = &mut below[..p * stride];
    for j in 0..p {
        let (before, column) = own.split_at_mut(j * W);
        let (before_below, column_below) = below.split_at_mut(j * stride);
        let mut acc: [T; W] = load(column, 0);
        let mut acc_below = [[T::zero(); W]; C];
        for c in 0..C {
            acc_below[c] = load(column_below, c * W);
        }
        let mut d = column[j];
        let mut s = pivots.size[j];
        for k in 0..j {
            let v = before[k * W + j];
            let w = v * pivots.inverse[k];
            d = (-w).mul_add(v, d);
            s += (w * v).abs();
            subtract(&mut acc, w, before, k * W);
            for c in 0..C {
                subtract(&mut acc_below[c], w, before_below, k * stride + c * W);
            }
        }
        store(column, 0, &acc);
        for c in 0..C {
            store(column_below, c * W, &acc_below[c]);
        }
        pivots.take(j, d, s);
    }
    if C == 0 {
        return;
    }
    for j in 0..u {
        let mut acc = [[T::zero(); W]; C];
        if !target.fresh {
            for c in 0..C {
                acc[c] = load(target.columns, j * target.stride + c * W);
            }
        }
        for k in 0..p {
            let w = below[k * stride + j] * pivots.inverse[k];
            for c in 0..C {
                subtract(&mut acc[c], w, below, k * stride + c * W);
            }
        }
        for c in 0..C {
            store(target.columns, j * target.stride + c * W, &acc[c]);
        }
    }
    let mut acc = [[T::zero(); W]; C];
    if !target.fresh {
        for c in 0..C {
            acc[c] = load(target.sizes, c * W);
        }
    }
    for k in 0..p {
        let inverse = pivots.inverse[k].abs();
        for c in 0..C {
            let x: [T; W] = load(below, k * stride + c * W);
            for i in 0..W {
                acc[c][i] += x[i].abs() * inverse * x[i].abs();
            }
        }
    }
    for c in 0..C {
        store(target.sizes, c * W, &acc[c]);
    }
}

/// Columns that are brought up to date together.
const COLUMNS: usize = 4;

/// Columns of a block of the panel.
const BLOCK: usize = 8;

/// Eliminates the pivots of any front.
#[inline(always)]
pub(super) fn large<T: Real, const W: usize>(
    front: &Front,
    panel: &mut [T],
    target: &mut Target<'_, T>,
    weights: &mut [T],
    pivots: &mut Pivots<'_, T>,
) {
    let (p, u) = (front.pivots as usize, front.boundary as usize);
    let (pivot_stride, stride) = (front.pivot_stride as usize, front.boundary_stride as usize);
    let (own, below) = panel.split_at_mut(p * pivot_stride);
    let below = &mut below[..p * stride];
    let mut first = 0;
    while first < p {
        let end = p.min(first + BLOCK);
        if first > 0 {
            let (before, block) = own.split_at_mut(first * pivot_stride);
            let (before_below, block_below) = below.split_at_mut(first * stride);
            let mut j = first;
            while j < end {
                let n = COLUMNS.min(end - j);
                find_weights(before, pivot_stride, j, n, pivots.inverse, weights);
                let at = (j - first) * pivot_stride;
                bring_up::<T, W>(
                    before,
                    pivot_stride,
                    j / W * W,
                    &mut block[at..],
                    pivot_stride,
                    n,
                    weights,
                );
                let at = (j - first) * stride;
                if u > 0 {
                    bring_up::<T, W>(
                        before_below,
                        stride,
                        0,
                        &mut block_below[at..],
                        stride,
                        n,
                        weights,
                    );
                }
                j += n;
            }
        }
        for j in first..end {
            let (before, column) = own.split_at_mut(j * pivot_stride);
            let (before_below, column_below) = below.split_at_mut(j * stride);
            let mut d = column[j];
            let mut s = pivots.size[j];
            for k in 0..first {
                let v = before[k * pivot_stride + j];
                s += (v * pivots.inverse[k] * v).abs();
            }
            for k in first..j {
                let v = before[k * pivot_stride + j];
                let w = v * pivots.inverse[k];
                d = (-w).mul_add(v, d);
                s += (w * v).abs();
                let mut row = j / W * W;
                while row < pivot_stride {
                    let mut acc: [T; W] = load(column, row);
                    subtract(&mut acc, w, before, k * pivot_stride + row);
                    store(column, row, &acc);
                    row += W;
                }
                let mut row = 0;
                while row < stride {
                    let mut acc: [T; W] = load(column_below, row);
                    subtract(&mut acc, w, before_below, k * stride + row);
                    store(column_below, row, &acc);
                    row += W;
                }
            }
            pivots.take(j, d, s);
        }
        first = end;
    }
    if u == 0 {
        return;
    }
    if target.fresh {
        for j in 0..u {
            target.columns[j * target.stride..][..stride].fill(T::zero());
        }
        target.sizes[..stride].fill(T::zero());
    }
    let mut j = 0;
    while j < u {
        let n = COLUMNS.min(u - j);
        find_weights(below, stride, j, n, pivots.inverse, weights);
        let at = j * target.stride;
        bring_up::<T, W>(
            below,
            stride,
            j / W * W,
            &mut target.columns[at..],
            target.stride,
            n,
            weights,
        );
        j += n;
    }
    for row in 0..u {
        let mut s = target.sizes[row];
        for k in 0..p {
            let x = below[k * stride + row].abs();
            s += x * pivots.inverse[k].abs() * x;
        }
        target.sizes[row] = s;
    }
}

/// `V_jk / d_k` for `n` columns from `j` and all `k`.
#[inline(always)]
fn find_weights<T: Real>(
    panel: &[T],
    stride: usize,
    j: usize,
    n: usize,
    inverse: &[T],
    weights: &mut [T],
) {
    let count = panel.len() / stride;
    let weights = &mut weights[..count * COLUMNS];
    for k in 0..count {
        for c in 0..n {
            weights[k * COLUMNS + c] = panel[k * stride + j + c] * inverse[k];
        }
    }
}

/// `target − V D⁻¹ Vᵀ` for `n` columns; rows from `row` on.
#[inline(always)]
fn bring_up<T: Real, const W: usize>(
    panel: &[T],
    stride: usize,
    row: usize,
    target: &mut [T],
    target_stride: usize,
    n: usize,
    weights: &[T],
) {
    let mut row = row;
    if n == COLUMNS {
        while row + 2 * W <= stride {
            tile::<T, W, COLUMNS, 2>(panel, stride, row, target, target_stride, weights);
            row += 2 * W;
        }
        while row < stride {
            tile::<T, W, COLUMNS, 1>(panel, stride, row, target, target_stride, weights);
            row += W;
        }
    } else {
        while row < stride {
            for c in 0..n {
                let target = &mut target[c * target_stride..];
                tile::<T, W, 1, 1>(panel, stride, row, target, target_stride, &weights[c..]);
            }
            row += W;
        }
    }
}

/// One tile of `R` vectors of rows and `N` columns.
#[inline(always)]
fn tile<T: Real, const W: usize, const N: usize, const R: usize>(
    panel: &[T],
    stride: usize,
    row: usize,
    target: &mut [T],
    target_stride: usize,
    weights: &[T],
) {
    let mut acc = [[[T::zero(); W]; R]; N];
    for c in 0..N {
        for r in 0..R {
            acc[c][r] = load(target, c * target_stride + row + r * W);
        }
    }
    let mut at = row;
    let mut weight = 0;
    while at < panel.len() {
        let x = &panel[at..at + R * W];
        let w = &weights[weight..weight + N];
        for c in 0..N {
            let minus = -w[c];
            for r in 0..R {
                for i in 0..W {
                    acc[c][r][i] = minus.mul_add(x[r * W + i], acc[c][r][i]);
                }
            }
        }
        at += stride;
        weight += COLUMNS;
    }
    for c in 0..N {
        for r in 0..R {
            store(target, c * target_stride + row + r * W, &acc[c][r]);
        }
    }
}
