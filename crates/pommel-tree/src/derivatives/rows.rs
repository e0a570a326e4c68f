//! The rows of `∂τ/∂q`, `∂τ/∂v` and `M`, eight columns at a time.

use pommel_math::Real;

use super::memory::{Above, Below, DerivativeWorkspace, Felt};
use super::{Tile, WIDTH};
use crate::model::Model;

/// Fills `rows` from `above`, `below` and `felt`; columns outside of the relation are zero.
/// Without `MASS`, there are none of `M`.
#[inline(always)]
pub(super) fn find_rows<T: Real, const LOADED: bool, const MASS: bool>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
) {
    let DerivativeWorkspace { relation, above, below, felt, own, rows, .. } = memory;
    let tiles = relation.tiles();
    for k in 0..relation.order.len() {
        let row = &mut rows[3 * tiles * k..3 * tiles * (k + 1)];
        for t in 0..3 * tiles {
            row[t] = Tile::zero();
        }
        let (tile, l) = (k / WIDTH, k % WIDTH);
        let spans = relation.spans_before.of(k);
        for s in 0..spans.len() {
            let (t, taken) = (spans[s].tile as usize, spans[s].columns);
            let found = across::<T, LOADED, MASS>(&below[tile], &felt[tile], l, &above[t]);
            for part in 0..if MASS { 3 } else { 2 } {
                merge(&mut row[part * tiles + t], &found[part], taken);
            }
        }
        let spans = relation.spans_beyond.of(k);
        for s in 0..spans.len() {
            let (t, taken) = (spans[s].tile as usize, spans[s].columns);
            let found = along::<T, MASS>(&above[tile], l, &below[t]);
            for part in 0..if MASS { 3 } else { 2 } {
                merge(&mut row[part * tiles + t], &found[part], taken);
            }
        }
        for part in 0..3 {
            row[part * tiles + tile][l] = felt[tile].diagonal[part][l];
        }
    }
    for (i, shape) in model.topology.links.iter().enumerate() {
        if !shape.kind.is_whole() {
            continue;
        }
        let (first, count) = (relation.first[i] as usize, shape.kind.coordinates().1);
        for k in 0..count {
            for j in 0..count {
                let at = first + j;
                let x = own[first + k][j];
                rows[3 * tiles * (first + k) + at / WIDTH][at % WIDTH] = x;
            }
        }
    }
}

/// The columns of `found` that `columns` has.
#[inline(always)]
fn merge<T: Real>(row: &mut Tile<T>, found: &Tile<T>, columns: u8) {
    if columns == u8::MAX {
        *row = *found;
        return;
    }
    for l in 0..WIDTH {
        row[l] = if (columns >> l) & 1 == 1 { found[l] } else { row[l] };
    }
}

/// `sum + x · row`.
#[inline(always)]
fn add<T: Real>(sum: &mut Tile<T>, x: T, row: &Tile<T>) {
    for l in 0..WIDTH {
        sum[l] = x.mul_add(row[l], sum[l]);
    }
}

/// Entries of the row of column `l` in a tile of velocities before it.
#[inline(always)]
fn across<T: Real, const LOADED: bool, const MASS: bool>(
    own: &Below<T>,
    felt: &Felt<T>,
    l: usize,
    tile: &Above<T>,
) -> [Tile<T>; 3] {
    let mut position = Tile::zero();
    let mut velocity = position;
    let mut mass = position;
    for c in 0..6 {
        let f = own[c][l];
        if MASS {
            add(&mut mass, f, &tile[c]);
        }
        add(&mut position, f, &tile[9 + c]);
        add(&mut velocity, f, &tile[15 + c]);
    }
    for c in 0..3 {
        let b = felt.turning[c][l];
        add(&mut position, b, &tile[6 + c]);
        add(&mut velocity, b, &tile[c]);
    }
    if LOADED {
        for c in 0..3 {
            add(&mut position, felt.external[c][l], &tile[c]);
        }
    }
    [position, velocity, mass]
}

/// Entries of the row of column `l` in a tile of velocities beyond it; without `MASS` none of `M`.
#[inline(always)]
fn along<T: Real, const MASS: bool>(own: &Above<T>, l: usize, tile: &Below<T>) -> [Tile<T>; 3] {
    let mut position = Tile::zero();
    let mut velocity = position;
    let mut mass = position;
    for c in 0..6 {
        let s = own[c][l];
        if MASS {
            add(&mut mass, s, &tile[c]);
        }
        add(&mut position, s, &tile[6 + c]);
        add(&mut velocity, s, &tile[12 + c]);
    }
    [position, velocity, mass]
}
