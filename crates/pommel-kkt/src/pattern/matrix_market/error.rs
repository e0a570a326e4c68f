//! What can be wrong with a file in Matrix Market format.

use core::fmt;
use std::io;

/// Why a text is not a matrix in Matrix Market format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixMarketError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: MatrixMarketProblem,
}

/// What is wrong with a line in Matrix Market format. `found` is the start of what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixMarketProblem {
    /// The line could not be read.
    Io(io::ErrorKind),
    /// There is nothing to read.
    Empty,
    /// The first line is not a banner.
    Banner {
        /// What stands there.
        found: String,
    },
    /// The banner asks for a kind of matrix that is not read.
    Unsupported {
        /// The word of the banner.
        found: String,
        /// The words that are understood in its place.
        known: &'static str,
    },
    /// The sizes are not whole numbers, or are not as many as they should be.
    Sizes {
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// A size is larger than indices of 32 bits.
    TooLarge {
        /// The size.
        size: u64,
    },
    /// A matrix that is called symmetric is not square.
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// An entry does not have the numbers that it should have.
    Entry {
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// An entry lies outside of the matrix.
    IndexOutOfRange {
        /// Its row, from 1.
        row: u64,
        /// Its column, from 1.
        column: u64,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// A value is infinite, NaN, or too large for 64 bits.
    NotFinite {
        /// What stands there.
        found: String,
    },
    /// A symmetric matrix has entries on both sides of its diagonal; it should have one triangle.
    BothTriangles {
        /// Row of the entry, from 1.
        row: u64,
        /// Column of the entry, from 1.
        column: u64,
    },
    /// The text ends too early.
    TooFewEntries {
        /// Number of entries that the sizes promise.
        expected: u64,
        /// Number of entries read.
        found: u64,
    },
    /// There is text behind the last entry.
    TooManyEntries {
        /// Number of entries that the sizes promise.
        expected: u64,
    },
}

impl fmt::Display for MatrixMarketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl fmt::Display for MatrixMarketProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use MatrixMarketProblem as P;
        match self {
            P::Io(kind) => write!(f, "cannot be read: {kind}"),
            P::Empty => f.write_str(
                "the file is empty: one in Matrix Market format starts with `%%MatrixMarket matrix \
                 coordinate real general` or the like",
            ),
            P::Banner { found } => write!(
                f,
                "found `{found}`, but a file in Matrix Market format starts with `%%MatrixMarket \
                 matrix coordinate real general` or the like"
            ),
            P::Unsupported { found, known } => {
                write!(f, "`{found}` is not supported: convert the matrix to {known}")
            }
            P::Sizes { found, expected } => {
                write!(f, "found `{found}` where the sizes should stand: {expected}")
            }
            P::TooLarge { size } => {
                write!(f, "a size of {size} is more than indices of 32 bits can count")
            }
            P::NotSquare { rows, columns } => write!(
                f,
                "a symmetric matrix must be square, not {rows} × {columns}: correct the sizes, or \
                 call it `general`"
            ),
            P::Entry { found, expected } => {
                write!(f, "found `{found}` where an entry should stand: {expected}")
            }
            P::IndexOutOfRange { row, column, rows, columns } => write!(
                f,
                "an entry at row {row}, column {column}, but the matrix is {rows} × {columns} \
                 (indices count from 1)"
            ),
            P::NotFinite { found } => {
                write!(f, "`{found}` is not a finite number of 64 bits: remove the entry")
            }
            P::BothTriangles { row, column } => write!(
                f,
                "the entry at row {row}, column {column} lies on the other side of the diagonal than \
                 those before; a `symmetric` matrix has one triangle: leave the other out, or call \
                 the matrix `general`"
            ),
            P::TooFewEntries { expected, found } => {
                write!(f, "the text ends after {found} entries; the sizes promise {expected}")
            }
            P::TooManyEntries { expected } => {
                write!(f, "text behind the {expected} entries that the sizes promise: remove it")
            }
        }
    }
}

impl core::error::Error for MatrixMarketError {}
