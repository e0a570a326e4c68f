//! Compressed sparse matrices as other libraries keep them: pointers and indices.

use super::Entries;
use super::lists::Lists;
use crate::error::{KktError, Part, check_length};

mod sealed {
    pub trait Sealed {}
}

/// A type of indices: `usize`, `u32`, `u64`, `i32` or `i64`.
pub trait Index: Copy + sealed::Sealed {
    /// The number; `usize::MAX`, which no matrix has, for one that is negative or too large.
    #[doc(hidden)]
    fn number(self) -> usize;
}

impl sealed::Sealed for usize {}
impl sealed::Sealed for u32 {}
impl sealed::Sealed for u64 {}
impl sealed::Sealed for i32 {}
impl sealed::Sealed for i64 {}

impl Index for usize {
    fn number(self) -> usize {
        self
    }
}
impl Index for u32 {
    fn number(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}
impl Index for u64 {
    fn number(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}
impl Index for i32 {
    fn number(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}
impl Index for i64 {
    fn number(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}

/// The places of the entries of a matrix in compressed storage, borrowed.
///
/// The indices within a column (or row) may have any order. Nothing is checked before the matrix
/// becomes part of a [`Pattern`](super::Pattern).
#[derive(Clone, Copy, Debug)]
pub struct Compressed<'a, I = usize> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) by_rows: bool,
    pub(super) pointers: &'a [I],
    /// what the first pointer is: a slice of a larger matrix does not start at 0
    pub(super) origin: usize,
    /// how many entries of every column count, if not all up to the next pointer
    pub(super) counts: Option<&'a [I]>,
    pub(super) indices: &'a [I],
}

impl<'a, I: Index> Compressed<'a, I> {
    /// Compressed columns: entries `pointers[c]..pointers[c + 1]` belong to column `c`, `indices`
    /// are their rows.
    pub fn csc(rows: usize, columns: usize, pointers: &'a [I], indices: &'a [I]) -> Self {
        Compressed { rows, columns, by_rows: false, pointers, origin: 0, counts: None, indices }
    }

    /// Compressed rows: entries `pointers[r]..pointers[r + 1]` belong to row `r`, `indices` are
    /// their columns.
    pub fn csr(rows: usize, columns: usize, pointers: &'a [I], indices: &'a [I]) -> Self {
        Compressed { rows, columns, by_rows: true, pointers, origin: 0, counts: None, indices }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The pointers are what they should be.
    fn check(&self, part: Part) -> Result<(), KktError> {
        for size in [self.rows, self.columns, self.indices.len()] {
            check_size(size)?;
        }
        let outer = if self.by_rows { self.rows } else { self.columns };
        let [pointers, indices, count, _] = part.arrays();
        check_length(pointers, outer + 1, self.pointers.len())?;
        if let Some(counts) = self.counts {
            check_length(count, outer, counts.len())?;
        }
        if self.pointers[0].number() != self.origin {
            return Err(KktError::ColumnPointers { part, column: 0 });
        }
        for k in 0..outer {
            let [start, end] = [self.pointers[k].number(), self.pointers[k + 1].number()];
            let count = self.counts.map_or(0, |counts| counts[k].number());
            if start > end || count > end - start {
                return Err(KktError::ColumnPointers { part, column: k });
            }
        }
        let last = self.pointers[outer].number() - self.origin;
        // with counts, space may be left behind the last column too
        if last > self.indices.len() || (self.counts.is_none() && last != self.indices.len()) {
            let found = self.indices.len();
            return Err(KktError::Length { array: indices, expected: last, found });
        }
        Ok(())
    }

    /// Row, column and number of every entry, all of them checked.
    fn visit(&self, part: Part, mut see: impl FnMut(usize, usize, usize)) -> Result<(), KktError> {
        self.check(part)?;
        let (rows, columns) = (self.rows, self.columns);
        for outer in 0..self.pointers.len() - 1 {
            let start = self.pointers[outer].number() - self.origin;
            let end = match self.counts {
                Some(counts) => start + counts[outer].number(),
                None => self.pointers[outer + 1].number() - self.origin,
            };
            for entry in start..end {
                let inner = self.indices[entry].number();
                let (row, column) = if self.by_rows { (outer, inner) } else { (inner, outer) };
                if row >= rows || column >= columns {
                    return Err(KktError::IndexOutOfRange {
                        part,
                        entry,
                        row,
                        column,
                        rows,
                        columns,
                    });
                }
                see(row, column, entry);
            }
        }
        Ok(())
    }

    /// The entries as they are.
    pub(super) fn entries(&self, part: Part) -> Result<Entries, KktError> {
        let mut entries = Entries { values: self.indices.len(), ..Entries::default() };
        self.visit(part, |row, column, entry| entries.push_at(row, column, entry))?;
        Ok(entries)
    }
}

/// Which entries of a symmetric matrix are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// Those with row ≥ column.
    Lower,
    /// Those with row ≤ column.
    Upper,
    /// All. Only values of the lower triangle are read.
    Both,
}

/// The places of the entries of a symmetric matrix, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Symmetric<'a, I = usize> {
    /// The entries that are stored.
    pub matrix: Compressed<'a, I>,
    /// Which ones these are.
    pub triangle: Triangle,
}

impl<'a, I: Index> Symmetric<'a, I> {
    /// A matrix given by its lower triangle.
    pub fn lower(matrix: impl Into<Compressed<'a, I>>) -> Self {
        Symmetric { matrix: matrix.into(), triangle: Triangle::Lower }
    }

    /// A matrix given by its upper triangle.
    pub fn upper(matrix: impl Into<Compressed<'a, I>>) -> Self {
        Symmetric { matrix: matrix.into(), triangle: Triangle::Upper }
    }

    /// A matrix given in full.
    pub fn both(matrix: impl Into<Compressed<'a, I>>) -> Self {
        Symmetric { matrix: matrix.into(), triangle: Triangle::Both }
    }

    /// The lower triangle of an `n × n` matrix.
    pub(super) fn entries(&self, part: Part, n: usize) -> Result<Entries, KktError> {
        let matrix = &self.matrix;
        check_shape(part, [matrix.rows, matrix.columns], [n, n])?;
        let mut lower = Entries { values: matrix.indices.len(), ..Entries::default() };
        // entries above the diagonal, mirrored
        let mut upper = lower.clone();
        matrix.visit(part, |row, column, entry| {
            if row >= column {
                lower.push_at(row, column, entry);
            } else {
                upper.push_at(column, row, entry);
            }
        })?;
        let outside = |e: &Entries, row_first: bool| {
            let (row, column, _) = e.iter().find(|&(row, column, _)| row != column)?;
            Some(if row_first { (row, column) } else { (column, row) })
        };
        let wrong = match self.triangle {
            Triangle::Lower => outside(&upper, false),
            Triangle::Upper => outside(&lower, true),
            Triangle::Both => None,
        };
        if let Some((row, column)) = wrong {
            return Err(KktError::WrongTriangle { part, row, column });
        }
        match self.triangle {
            Triangle::Lower => {}
            Triangle::Upper => {
                for (row, column, entry) in upper.iter() {
                    lower.push_at(row, column, entry);
                }
            }
            Triangle::Both => check_mirror(part, n, &lower, &upper)?,
        }
        Ok(lower)
    }
}

/// Every entry below the diagonal has one above it, and neither is there twice.
fn check_mirror(part: Part, n: usize, lower: &Entries, upper: &Entries) -> Result<(), KktError> {
    lower.check(part, n, n)?;
    upper.check(part, n, n)?;
    let lists =
        |e: &Entries| Lists::new(n, e.columns.iter().zip(&e.rows).map(|(&c, &r)| (c as usize, r)));
    let (below, above) = (lists(lower), lists(upper));
    let mut seen = vec![u32::MAX; n];
    for (some, others) in [(&below, &above), (&above, &below)] {
        seen.fill(u32::MAX);
        for column in 0..n {
            for &row in some.of(column) {
                seen[row as usize] = column as u32;
            }
            for &row in others.of(column) {
                let row = row as usize;
                if row != column && seen[row] != column as u32 {
                    return Err(KktError::NotSymmetric { part, row, column });
                }
            }
        }
    }
    Ok(())
}

/// A number that indices of 32 bits can count to.
pub(super) fn check_size(size: usize) -> Result<(), KktError> {
    if size >= u32::MAX as usize { Err(KktError::TooLarge { size }) } else { Ok(()) }
}

/// Rows and columns are as expected.
pub(super) fn check_shape(
    part: Part,
    [rows, columns]: [usize; 2],
    [expected_rows, expected_columns]: [usize; 2],
) -> Result<(), KktError> {
    if rows == expected_rows && columns == expected_columns {
        return Ok(());
    }
    Err(KktError::Shape { part, rows, columns, expected_rows, expected_columns })
}
