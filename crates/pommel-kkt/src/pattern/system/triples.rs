//! Entries of matrices with their values.

use super::SystemError;
use crate::error::{KktError, Part, check_length};
use crate::pattern::MatrixMarket;
use crate::pattern::compressed::{check_shape, check_size};

/// Column, row and value of entries.
pub(super) type Triples = Vec<((u32, u32), f64)>;

/// Entries by columns and rows, each of them once.
pub(super) fn combine(mut triples: Triples, part: Part) -> Result<Triples, SystemError> {
    triples.sort_by_key(|(place, _)| *place);
    triples.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    match triples.iter().find(|(_, value)| !value.is_finite()) {
        Some(&((column, row), _)) => {
            Err(SystemError::NotFinite { part, row: row as usize, column: column as usize })
        }
        None => Ok(triples),
    }
}

/// Entries as they are given, in range; those of a symmetric matrix on both sides of the diagonal.
pub(super) fn mirrored(matrix: &MatrixMarket, part: Part) -> Result<Triples, KktError> {
    let MatrixMarket { rows, columns, symmetric, .. } = *matrix;
    check_size(rows)?;
    check_size(columns)?;
    let [.., values] = part.arrays();
    check_length(values, matrix.entries.len(), matrix.values.len())?;
    let mut triples = Triples::new();
    for (entry, (&(row, column), &value)) in matrix.entries.iter().zip(&matrix.values).enumerate() {
        let (i, j) = (row as usize, column as usize);
        if i >= rows || j >= columns || (symmetric && (j >= rows || i >= columns)) {
            return Err(KktError::IndexOutOfRange {
                part,
                entry,
                row: i,
                column: j,
                rows,
                columns,
            });
        }
        triples.push(((column, row), value));
        if symmetric && row != column {
            triples.push(((row, column), value));
        }
    }
    Ok(triples)
}

/// Entries of a symmetric `n × n` matrix with row ≥ column.
pub(super) fn lower_triangle(
    matrix: &MatrixMarket,
    part: Part,
    n: usize,
) -> Result<Triples, SystemError> {
    check_shape(part, [matrix.rows, matrix.columns], [n, n])?;
    let all = combine(mirrored(matrix, part)?, part)?;
    if !matrix.symmetric {
        check_agreement(&all, part)?;
    }
    Ok(all.into_iter().filter(|((column, row), _)| row >= column).collect())
}

/// The two triangles of a matrix given in full have the same numbers, but for rounding.
fn check_agreement(all: &Triples, part: Part) -> Result<(), SystemError> {
    // sorted by rows, the upper triangle follows the order of the lower one by columns
    let mut other: Triples =
        all.iter().map(|&((column, row), value)| ((row, column), value)).collect();
    other.sort_by_key(|(place, _)| *place);
    let below = |triples: &Triples| -> Triples {
        triples.iter().filter(|((column, row), _)| row > column).copied().collect()
    };
    let (lower, upper) = (below(all), below(&other));
    let (mut l, mut u) = (lower.iter().peekable(), upper.iter().peekable());
    loop {
        let place = match (l.peek(), u.peek()) {
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(a), None) => a.0,
            (None, Some(b)) => b.0,
            (None, None) => return Ok(()),
        };
        let lower = l.next_if(|a| a.0 == place).map_or(0.0, |a| a.1);
        let upper = u.next_if(|b| b.0 == place).map_or(0.0, |b| b.1);
        let size = lower.abs().max(upper.abs());
        // compared by halves: the difference of two large numbers may overflow
        if (0.5 * lower - 0.5 * upper).abs() > 0.5e-10 * size {
            let (row, column) = (place.1 as usize, place.0 as usize);
            return Err(SystemError::NotSymmetric { part, row, column, lower, upper });
        }
    }
}
