//! Elimination of the pivots of one front.
//!
//! Column `k` of the panel is kept as `V_k = L_k d_k`; with `1/d_k` beside it nothing is scaled
//! twice. Above the diagonal of the pivot block, where nothing would stand, column `j` keeps row `j`
//! of `L`. An entry is formed as `a_ij − Σ_k (V_jk / d_k) V_ik`, fused, `k` ascending: in that order
//! whatever the width of vectors, so that the bits are the same.

use pommel_math::Real;

use super::pivot::{Outcome, take};
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
        self.inverse[j] = take(d, size, self.sign[j], self.tolerance, &mut self.outcome);
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
    let mut l = [[T::zero(); W]; W];
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
            l[j][k] = w;
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
    // only now: a vector is not loaded soon after a part of it was stored
    for j in 0..p {
        for k in 0..j {
            own[j * W + k] = l[j][k];
        }
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
                for c in 0..n {
                    for k in 0..first {
                        block[at + c * pivot_stride + k] = weights[k * COLUMNS + c];
                    }
                }
                bring_up::<T, W, false>(
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
                    bring_up::<T, W, false>(
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
        let n = end - first;
        let l = diagonal_block(own, pivot_stride, first, n, pivots);
        // rows below it, in the pivot block and in the boundary
        let (_, block) = own.split_at_mut(first * pivot_stride);
        if end < p {
            finish_rows::<T, W>(&l, n, block, pivot_stride, end);
        }
        finish_rows::<T, W>(&l, n, &mut below[first * stride..], stride, 0);
        first = end;
    }
    if u == 0 {
        return;
    }
    if target.fresh {
        target.sizes[..stride].fill(T::zero());
    }
    let mut j = 0;
    while j < u {
        let n = COLUMNS.min(u - j);
        find_weights(below, stride, j, n, pivots.inverse, weights);
        let at = j * target.stride;
        let columns = &mut target.columns[at..];
        if target.fresh {
            bring_up::<T, W, true>(below, stride, j / W * W, columns, target.stride, n, weights);
        } else {
            bring_up::<T, W, false>(below, stride, j / W * W, columns, target.stride, n, weights);
        }
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

/// Rows of `L` of one block of columns.
type Block<T> = [[T; BLOCK]; BLOCK];

/// Eliminates the `n` pivots from `first` within their own rows.
#[inline(always)]
fn diagonal_block<T: Real>(
    own: &mut [T],
    stride: usize,
    first: usize,
    n: usize,
    pivots: &mut Pivots<'_, T>,
) -> Block<T> {
    let mut a = [[T::zero(); BLOCK]; BLOCK];
    let mut l = [[T::zero(); BLOCK]; BLOCK];
    for j in 0..n {
        for i in j..n {
            a[j][i] = own[(first + j) * stride + first + i];
        }
        // what earlier blocks took from this diagonal entry; their share of `L` stands above it
        for k in 0..first {
            let w = own[(first + j) * stride + k];
            let v = own[k * stride + first + j];
            pivots.size[first + j] += (w * v).abs();
        }
    }
    for k in 0..n {
        pivots.take(first + k, a[k][k], pivots.size[first + k]);
        let inverse = pivots.inverse[first + k];
        for j in k + 1..n {
            let v = a[k][j];
            let w = v * inverse;
            l[j][k] = w;
            pivots.size[first + j] += (w * v).abs();
            for i in j..n {
                a[j][i] = (-w).mul_add(a[k][i], a[j][i]);
            }
        }
    }
    for j in 0..n {
        let column = &mut own[(first + j) * stride + first..][..n];
        for i in 0..n {
            column[i] = if i < j { l[j][i] } else { a[j][i] };
        }
    }
    l
}

/// Brings the rows from `row` on of `n` columns up to date with each other.
#[inline(always)]
fn finish_rows<T: Real, const W: usize>(
    l: &Block<T>,
    n: usize,
    columns: &mut [T],
    stride: usize,
    row: usize,
) {
    match n {
        3 => finish_rows_of::<T, W, 3>(l, columns, stride, row),
        6 => finish_rows_of::<T, W, 6>(l, columns, stride, row),
        8 => finish_rows_of::<T, W, 8>(l, columns, stride, row),
        _ => {
            for j in 0..n {
                for k in 0..j {
                    let minus = -l[j][k];
                    for i in row..stride {
                        columns[j * stride + i] =
                            minus.mul_add(columns[k * stride + i], columns[j * stride + i]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn finish_rows_of<T: Real, const W: usize, const N: usize>(
    l: &Block<T>,
    columns: &mut [T],
    stride: usize,
    row: usize,
) {
    let columns = &mut columns[..N * stride];
    let mut row = row;
    while row < stride {
        let mut v = [[T::zero(); W]; N];
        for j in 0..N {
            v[j] = load(columns, j * stride + row);
            for k in 0..j {
                let minus = -l[j][k];
                for i in 0..W {
                    v[j][i] = minus.mul_add(v[k][i], v[j][i]);
                }
            }
        }
        for j in 0..N {
            store(columns, j * stride + row, &v[j]);
        }
        row += W;
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
fn bring_up<T: Real, const W: usize, const FRESH: bool>(
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
        while row + 4 * W <= stride {
            tile::<T, W, COLUMNS, 4, FRESH>(panel, stride, row, target, target_stride, weights);
            row += 4 * W;
        }
        while row + 2 * W <= stride {
            tile::<T, W, COLUMNS, 2, FRESH>(panel, stride, row, target, target_stride, weights);
            row += 2 * W;
        }
        while row < stride {
            tile::<T, W, COLUMNS, 1, FRESH>(panel, stride, row, target, target_stride, weights);
            row += W;
        }
    } else {
        while row < stride {
            for c in 0..n {
                let target = &mut target[c * target_stride..];
                tile::<T, W, 1, 1, FRESH>(panel, stride, row, target, target_stride, &weights[c..]);
            }
            row += W;
        }
    }
}

/// One tile of `R` vectors of rows and `N` columns.
#[inline(always)]
fn tile<T: Real, const W: usize, const N: usize, const R: usize, const FRESH: bool>(
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
            if !FRESH {
                acc[c][r] = load(target, c * target_stride + row + r * W);
            }
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
