//! The linear algebra of the sources, for rectangular matrices too.
//!
//! | routine          | matrix | what it gives                                                        |
//! |------------------|--------|----------------------------------------------------------------------|
//! | [`Gaussian`]     | m × n  | rank, independent rows, dependent and independent unknowns; solutions |
//! | [`GaussJordan`]  | m × n  | the identity, or the reduced row echelon form                        |
//! | [`Crout`]        | n × n  | `L U` with unit `L`; solutions                                       |
//!
//! All are dense, by rows, in `f64`; none allocates after `new`. A pivot counts as zero if it is
//! not larger than a part of the largest entry of the matrix, the last pivot included.
//!
//! They are what coordinates are partitioned with, and what the sources compute by hand. A square
//! system alone is solved faster by `faer::linalg::lu::partial_pivoting` or `full_pivoting`, and by
//! `nalgebra::linalg::FullPivLU`, which take no right-hand sides along, keep no partition and know
//! no tolerance.
//!
//! # Sources
//!
//! * `[Nik88]` P. E. Nikravesh, *Computer-Aided Analysis of Mechanical Systems*, Prentice Hall
//!   1988, section 3.3.
//! * `[Som12]` H. J. Sommer III, *Integrating differential algebraic equations*, lecture notes
//!   2012: Gaussian elimination with full pivoting for the partition of coordinates.

mod crout;
mod error;
mod gauss_jordan;
mod gaussian;

pub use crout::Crout;
pub use error::LinearError;
pub use gauss_jordan::GaussJordan;
pub use gaussian::Gaussian;

use std::ops::Range;

/// Where pivots are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pivoting {
    /// On the diagonal: nothing is exchanged.
    None,
    /// In the column, on and below the diagonal: rows are exchanged (partial pivoting).
    Row,
    /// In the row, on the diagonal and to its right: columns are exchanged.
    Column,
    /// In all that is left.
    Full,
}

impl Pivoting {
    /// The rows and columns in which the pivot of step `k` is looked for.
    fn search(self, k: usize, rows: usize, columns: usize) -> (Range<usize>, Range<usize>) {
        match self {
            Pivoting::None => (k..k + 1, k..k + 1),
            Pivoting::Row => (k..rows, k..k + 1),
            Pivoting::Column => (k..k + 1, k..columns),
            Pivoting::Full => (k..rows, k..columns),
        }
    }
}

/// Row, column and size of the largest entry; of equal ones that in the first column, and in the
/// first row of it.
fn largest(
    a: &[f64],
    stride: usize,
    (rows, columns): (Range<usize>, Range<usize>),
) -> (usize, usize, f64) {
    let mut best = (rows.start, columns.start, 0.0);
    for i in rows {
        for (j, x) in a[i * stride..].iter().enumerate().take(columns.end).skip(columns.start) {
            let x = x.abs();
            if x > best.2 || x == best.2 && x > 0.0 && j < best.1 {
                best = (i, j, x);
            }
        }
    }
    best
}

/// Panics if a slice has another length than it must.
#[track_caller]
fn check_length(what: &str, expected: usize, found: usize) {
    assert_eq!(found, expected, "{what} has {found} entries, not {expected}");
}

/// The first entry that is infinite or NaN is an error.
fn check_finite(a: &[f64], columns: usize) -> Result<(), LinearError> {
    match a.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(LinearError::NotFinite { row: at / columns, column: at % columns }),
        None => Ok(()),
    }
}
