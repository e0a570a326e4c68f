//! The rows of `∂τ/∂q`, `∂τ/∂v` and `M`, eight columns at a time.

use pommel_math::Real;

use super::memory::{Above, Below, Column, DerivativeWorkspace};
use super::{Tile, WIDTH};
use crate::model::Model;

/// Fills `rows` from `columns`, `above` and `below`; columns outside of the relation are zero.
/// Without `MASS`, there are none of `M`.
#[inline(always)]
pub(super) fn find_rows<T: Real, const LOADED: bool, const MASS: bool>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
) {
    let DerivativeWorkspace { relation, columns, above, below, rows, .. } = memory;
    let tiles = relation.tiles();
    for k in 0..relation.order.len() {
        let row = &mut rows[3 * tiles * k..3 * tiles * (k + 1)];
        for t in 0..3 * tiles {
            row[t] = Tile::zero();
        }
        let column = &columns[k];
        let spans = relation.spans_before.of(k);
        for s in 0..spans.len() {
            let (t, taken) = (spans[s].tile as usize, spans[s].columns);
            let found = across::<T, LOADED, MASS>(column, &above[t]);
            for part in 0..if MASS { 3 } else { 2 } {
                merge(&mut row[part * tiles + t], &found[part], taken);
            }
        }
        let spans = relation.spans_beyond.of(k);
        for s in 0..spans.len() {
            let (t, taken) = (spans[s].tile as usize, spans[s].columns);
            let found = along::<T, MASS>(column, &below[t]);
            for part in 0..if MASS { 3 } else { 2 } {
                merge(&mut row[part * tiles + t], &found[part], taken);
            }
        }
        for part in 0..3 {
            row[part * tiles + k / WIDTH][k % WIDTH] = column.diagonal[part];
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
                let x = columns[first + k].own[j];
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
        sum[l] = x.mul_add_each(row[l], sum[l]);
    }
}

/// Entries of row `k` in a tile of velocities before `k`.
#[inline(always)]
fn across<T: Real, const LOADED: bool, const MASS: bool>(
    k: &Column<T>,
    tile: &Above<T>,
) -> [Tile<T>; 3] {
    let mut position = Tile::zero();
    let mut velocity = position;
    let mut mass = position;
    let list = k.inertia.to_array();
    for c in 0..6 {
        let f = list[c];
        if MASS {
            add(&mut mass, f, &tile[c]);
        }
        add(&mut position, f, &tile[9 + c]);
        add(&mut velocity, f, &tile[15 + c]);
    }
    let list = k.turning.to_array();
    for c in 0..3 {
        let b = list[c];
        add(&mut position, b, &tile[6 + c]);
        add(&mut velocity, b, &tile[c]);
    }
    if LOADED {
        let list = k.external.to_array();
        for c in 0..3 {
            add(&mut position, list[c], &tile[c]);
        }
    }
    [position, velocity, mass]
}

/// Entries of row `j` in a tile of velocities beyond `j`; without `MASS` none of `M`.
#[inline(always)]
fn along<T: Real, const MASS: bool>(j: &Column<T>, tile: &Below<T>) -> [Tile<T>; 3] {
    let mut position = Tile::zero();
    let mut velocity = position;
    let mut mass = position;
    let (a, l) = (j.axis.angular, j.axis.linear);
    let list = [a.x, a.y, a.z, l.x, l.y, l.z];
    for c in 0..6 {
        let s = list[c];
        if MASS {
            add(&mut mass, s, &tile[c]);
        }
        add(&mut position, s, &tile[6 + c]);
        add(&mut velocity, s, &tile[12 + c]);
    }
    [position, velocity, mass]
}
