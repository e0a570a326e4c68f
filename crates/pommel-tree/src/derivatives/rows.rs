//! The rows of `∂τ/∂q`, `∂τ/∂v` and `M`, eight columns at a time.

use pommel_math::Real;

use super::memory::{Above, Below, Column, DerivativeWorkspace};
use super::{Tile, WIDTH};
use crate::model::Model;

/// Fills `rows` from `columns`, `above` and `below`; columns outside of the relation are zero.
#[inline(always)]
pub(super) fn find_rows<T: Real, const LOADED: bool>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
) {
    let DerivativeWorkspace { relation, columns, above, below, rows, .. } = memory;
    let tiles = relation.tiles();
    for (k, row) in rows.chunks_exact_mut(3 * tiles).enumerate() {
        for tile in &mut *row {
            *tile = Tile::zero();
        }
        let column = &columns[k];
        for span in relation.spans_before.of(k) {
            let t = span.tile as usize;
            let found = across::<T, LOADED>(column, &above[t]);
            for (part, found) in found.iter().enumerate() {
                merge(&mut row[part * tiles + t], found, span.columns);
            }
        }
        for span in relation.spans_beyond.of(k) {
            let t = span.tile as usize;
            let found = along(column, &below[t]);
            for (part, found) in found.iter().enumerate() {
                merge(&mut row[part * tiles + t], found, span.columns);
            }
        }
        for (part, x) in column.diagonal.into_iter().enumerate() {
            row[part * tiles + k / WIDTH][k % WIDTH] = x;
        }
    }
    for (shape, &first) in model.topology.links.iter().zip(&relation.first) {
        if !shape.kind.is_whole() {
            continue;
        }
        let (first, count) = (first as usize, shape.kind.coordinates().1);
        for k in first..first + count {
            for (j, &x) in (first..first + count).zip(&columns[k].own) {
                rows[3 * tiles * k + j / WIDTH][j % WIDTH] = x;
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

/// Entries of row `k` in a tile of velocities before `k`.
#[inline(always)]
fn across<T: Real, const LOADED: bool>(k: &Column<T>, tile: &Above<T>) -> [Tile<T>; 3] {
    let mut position = Tile::zero();
    let mut velocity = position;
    let mut mass = position;
    for (c, f) in k.inertia.to_array().into_iter().enumerate() {
        add(&mut mass, f, &tile[c]);
        add(&mut position, f, &tile[9 + c]);
        add(&mut velocity, f, &tile[15 + c]);
    }
    for (c, b) in k.turning.to_array().into_iter().enumerate() {
        add(&mut position, b, &tile[6 + c]);
        add(&mut velocity, b, &tile[c]);
    }
    if LOADED {
        for (c, e) in k.external.to_array().into_iter().enumerate() {
            add(&mut position, e, &tile[c]);
        }
    }
    [position, velocity, mass]
}

/// Entries of row `j` in a tile of velocities beyond `j`.
#[inline(always)]
fn along<T: Real>(j: &Column<T>, tile: &Below<T>) -> [Tile<T>; 3] {
    let mut position = Tile::zero();
    let mut velocity = position;
    let mut mass = position;
    let (a, l) = (j.axis.angular, j.axis.linear);
    for (c, s) in [a.x, a.y, a.z, l.x, l.y, l.z].into_iter().enumerate() {
        add(&mut mass, s, &tile[c]);
        add(&mut position, s, &tile[6 + c]);
        add(&mut velocity, s, &tile[12 + c]);
    }
    [position, velocity, mass]
}
