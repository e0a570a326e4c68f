//! Many right-hand sides of `M = Lᵀ D L`.
//!
//! `L` is unit lower triangular; row `k` has entries only at velocities before `k`
//! `[Fea08, Tables 6.3 to 6.5]`.

use pommel_math::Real;

use super::memory::DerivativeWorkspace;
use super::{Tile, WIDTH};

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

#[inline(always)]
fn put<T: Real, const P: usize>(rows: &mut [Tile<T>], at: usize, sum: &[Tile<T>; P]) {
    *rows[at..].first_chunk_mut().expect("rows are whole panels") = *sum;
}

/// `sum + l x`.
#[inline(always)]
fn add<T: Real, const P: usize>(sum: &mut [Tile<T>; P], l: T, x: &[Tile<T>; P]) {
    for p in 0..P {
        for c in 0..WIDTH {
            sum[p][c] = l.mul_add(x[p][c], sum[p][c]);
        }
    }
}
