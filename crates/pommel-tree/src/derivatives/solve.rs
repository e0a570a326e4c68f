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
        for (&k, factor) in beyond.iter().zip(&mut *factors) {
            *factor = lower[(2 * k as usize + 1) * tiles + i / WIDTH][i % WIDTH];
        }
        // columns beyond i become rubbish that nobody reads
        for span in relation.spans_before.of(i) {
            let t = span.tile as usize;
            let mut sum = rows[(3 * i + 2) * tiles + t];
            // the row that is finished last comes last
            for (&k, &factor) in beyond.iter().zip(&*factors).rev() {
                let row = &lower[2 * k as usize * tiles + t];
                for l in 0..WIDTH {
                    sum[l] = factor.mul_add(row[l], sum[l]);
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
        let list = relation.before.values_mut(i, by_rows);
        for (&j, x) in relation.before.of(i).iter().zip(list) {
            let j = j as usize;
            *x = lower[(2 * i + 1) * tiles + j / WIDTH][j % WIDTH];
        }
    }
}

/// Puts the unit matrix in the place of `M` and solves for all of `rows`.
#[inline(always)]
pub(super) fn solve<T: Real>(memory: &mut DerivativeWorkspace<T>) {
    let tiles = memory.relation.tiles();
    for (k, row) in memory.rows.chunks_exact_mut(3 * tiles).enumerate() {
        for tile in &mut row[2 * tiles..] {
            *tile = Tile::zero();
        }
        row[2 * tiles + k / WIDTH][k % WIDTH] = T::one();
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
        let list = relation.beyond.values(i, columns_beyond);
        for (&k, &l) in relation.beyond.of(i).iter().zip(list) {
            add(&mut sum, l, panel(rows, width * k as usize + start));
        }
        rows[width * i + start..][..P].copy_from_slice(&sum);
    }
    // x = L⁻¹ D⁻¹ y
    for k in 0..inverse.len() {
        let mut sum = *panel::<T, P>(rows, width * k + start);
        for tile in &mut sum {
            for x in &mut **tile {
                *x *= inverse[k];
            }
        }
        let list = relation.before.values(k, rows_before);
        for (&i, &l) in relation.before.of(k).iter().zip(list) {
            add(&mut sum, l, panel(rows, width * i as usize + start));
        }
        rows[width * k + start..][..P].copy_from_slice(&sum);
    }
    P
}

#[inline(always)]
fn panel<T: Real, const P: usize>(rows: &[Tile<T>], at: usize) -> &[Tile<T>; P] {
    rows[at..].first_chunk().expect("rows are whole panels")
}

/// `sum + l x`.
#[inline(always)]
fn add<T: Real, const P: usize>(sum: &mut [Tile<T>; P], l: T, x: &[Tile<T>; P]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        for c in 0..WIDTH {
            sum[c] = l.mul_add(x[c], sum[c]);
        }
    }
}
