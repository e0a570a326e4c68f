//! Why matrices do not make a system.

use core::fmt;

use crate::error::{KktError, Part};

/// Why matrices do not make a system.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SystemError {
    /// The entries make no pattern.
    Pattern(KktError),
    /// A matrix that is given in full is not symmetric.
    NotSymmetric {
        /// Which matrix.
        part: Part,
        /// Row of an entry below the diagonal, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// Its value; 0 if it is not there.
        lower: f64,
        /// The value above the diagonal; 0 if it is not there.
        upper: f64,
    },
    /// The values of an entry add up to no finite number.
    NotFinite {
        /// Of which matrix.
        part: Part,
        /// Row of the entry, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
    },
    /// M has more rows than the whole matrix.
    TooManyUnknowns {
        /// Number of rows of M, as stated.
        unknowns: usize,
        /// Number of rows of the whole matrix.
        rows: usize,
        /// Whether a comment `nv …` states it, not the caller.
        in_comment: bool,
    },
    /// Neither the caller nor a comment `nv …` says how many rows and columns M has.
    UnknownsMissing,
    /// Hardly any row has an entry: the sizes are wrong.
    MostlyEmpty {
        /// Number of rows of the system.
        size: usize,
        /// Number of its entries.
        entries: usize,
    },
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemError::Pattern(error) => error.fmt(f),
            SystemError::NotSymmetric { part, row, column, lower, upper } => write!(
                f,
                "{part} is not symmetric: {lower:e} at row {row}, column {column} (from 0), but \
                 {upper:e} on the other side of the diagonal; if only one triangle is given, call \
                 the matrix `symmetric`"
            ),
            SystemError::NotFinite { part, row, column } => write!(
                f,
                "the values of {part} at row {row}, column {column} (from 0) add up to no finite number"
            ),
            SystemError::TooManyUnknowns { unknowns, rows, in_comment: true } => write!(
                f,
                "the comment `nv {unknowns}` is wrong: the matrix has {rows} rows, those of M and of J; \
                 correct it, or state the number of unknowns"
            ),
            SystemError::TooManyUnknowns { unknowns, rows, in_comment: false } => {
                write!(f, "{unknowns} unknowns, but the matrix has {rows} rows, those of M and of J")
            }
            SystemError::UnknownsMissing => f.write_str(
                "the file has no comment such as `%nv 60 nc 50` that says how many rows M has: state \
                 the number of unknowns",
            ),
            SystemError::MostlyEmpty { size, entries } => write!(
                f,
                "{size} rows, but only {entries} entries: correct the sizes of the matrices"
            ),
        }
    }
}

impl core::error::Error for SystemError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            SystemError::Pattern(error) => Some(error),
            _ => None,
        }
    }
}

impl From<KktError> for SystemError {
    fn from(error: KktError) -> Self {
        SystemError::Pattern(error)
    }
}
