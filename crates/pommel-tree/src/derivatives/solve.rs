//! `M = Lᵀ D L`, and many right-hand sides.
//!
//! `L` is unit lower triangular; row `k` has entries only at velocities before `k`, so that nothing
//! is filled in `[Fea08, Tables 6.3 to 6.5]`.

use pommel_math::Real;

use super::memory::DerivativeWorkspace;
use super::{Tile, WIDTH};

/// Factorizes the inertia matrix in `rows`.
///
/// Row `i` of `D L` is that of `M` less what the rows beyond take; `lower` holds the rows of `D L`
/// and of `−L` side by side.
#[inline(always)]
pub(super) fn factorize<T: Real>(memory: &mut DerivativeWorkspace<T>) {
    let DerivativeWorkspace { relation, rows, lower, inverse, .. } = memory;
    let (by_rows, by_columns) = (&mut memory.rows_before, &mut memory.columns_beyond);
    let tiles = relation.tiles();
    for i in (0..relation.order.len()).rev() {
        let beyond = relation.beyond.of(i);
        let factors = relation.beyond.values_mut(i, by_columns);
        for e in 0..beyond.len() {
            factors[e] = lower[(2 * beyond[e] as usize + 1) * tiles + i / WIDTH][i % WIDTH];
        }
        // columns beyond i become rubbish that nobody reads
        for span in relation.spans_before.of(i) {
            let t = span.tile as usize;
            let mut sum = rows[(3 * i + 2) * tiles + t];
            // the row that is finished last comes last
            for e in (0..beyond.len()).rev() {
                let (factor, row) = (factors[e], &lower[2 * beyond[e] as usize * tiles + t]);
                for l in 0..WIDTH {
                    sum[l] = factor.mul_add_each(row[l], sum[l]);
                }
            }
            lower[2 * i * tiles + t] = sum;
        }
        let pivot = lower[2 * i * tiles + i / WIDTH][i % WIDTH].recip();
        inverse[i] = pivot;
        for span in relation.spans_before.of(i) {
            let t = span.tile as usize;
            let row = lower[2 * i * tiles + t];
            for l in 0..WIDTH {
                lower[(2 * i + 1) * tiles + t][l] = -(row[l] * pivot);
            }
        }
        let (before, list) = (relation.before.of(i), relation.before.values_mut(i, by_rows));
        for e in 0..before.len() {
            let j = before[e] as usize;
            list[e] = lower[(2 * i + 1) * tiles + j / WIDTH][j % WIDTH];
        }
    }
}

/// Puts the unit matrix in the place of `M` and solves for all of `rows`.
#[inline(always)]
pub(super) fn solve<T: Real>(memory: &mut DerivativeWorkspace<T>) {
    let tiles = memory.relation.tiles();
    for k in 0..memory.relation.order.len() {
        let unit = &mut memory.rows[(3 * k + 2) * tiles..(3 * k + 3) * tiles];
        for t in 0..tiles {
            unit[t] = Tile::zero();
        }
        unit[k / WIDTH][k % WIDTH] = T::one();
    }
    let mut start = 0;
    while start < 3 * tiles {
        // rows are a multiple of three tiles; many tiles hide the latency of the sums, and wide
        // scalars need the registers themselves
        start += match 3 * tiles - start {
            3 => solve_panel::<T, 3>(memory, start),
            _ if T::LANES > 1 => solve_panel::<T, 3>(memory, start),
            6 | 12 => solve_panel::<T, 6>(memory, start),
            _ => solve_panel::<T, 9>(memory, start),
        };
    }
}

/// Solves for `P` tiles of right-hand sides, and returns `P`.
#[inline(always)]
fn solve_panel<T: Real, const P: usize>(
    memory: &mut DerivativeWorkspace<T>,
    start: usize,
) -> usize {
    let DerivativeWorkspace { relation, rows, rows_before, columns_beyond, inverse, .. } = memory;
    let width = 3 * relation.tiles();
    // y = L⁻ᵀ b
    for i in (0..inverse.len()).rev() {
        let mut sum = *panel::<T, P>(rows, width * i + start);
        let (beyond, list) = (relation.beyond.of(i), relation.beyond.values(i, columns_beyond));
        for e in 0..beyond.len() {
            add(&mut sum, list[e], panel(rows, width * beyond[e] as usize + start));
        }
        put(rows, width * i + start, &sum);
    }
    // x = L⁻¹ D⁻¹ y
    for k in 0..inverse.len() {
        let mut sum = *panel::<T, P>(rows, width * k + start);
        for p in 0..P {
            for l in 0..WIDTH {
                sum[p][l] *= inverse[k];
            }
        }
        let (before, list) = (relation.before.of(k), relation.before.values(k, rows_before));
        for e in 0..before.len() {
            add(&mut sum, list[e], panel(rows, width * before[e] as usize + start));
        }
        put(rows, width * k + start, &sum);
    }
    P
}

#[inline(always)]
fn panel<T: Real, const P: usize>(rows: &[Tile<T>], at: usize) -> &[Tile<T>; P] {
    rows[at..].first_chunk().expect("rows are whole panels")
}

#[allow(clippy::manual_memcpy, reason = "tiles are stored from registers, one by one")]
#[inline(always)]
fn put<T: Real, const P: usize>(rows: &mut [Tile<T>], at: usize, sum: &[Tile<T>; P]) {
    let rows = &mut rows[at..at + P];
    for p in 0..P {
        rows[p] = sum[p];
    }
}

/// `sum + l x`.
#[inline(always)]
fn add<T: Real, const P: usize>(sum: &mut [Tile<T>; P], l: T, x: &[Tile<T>; P]) {
    for p in 0..P {
        for c in 0..WIDTH {
            sum[p][c] = l.mul_add_each(x[p][c], sum[p][c]);
        }
    }
}
