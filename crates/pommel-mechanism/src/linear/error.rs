//! Why a matrix cannot be reduced.

/// What is wrong with a matrix, and where.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// A pivot vanishes although something is left: another way of pivoting finds one.
    #[error(
        "pivot {pivot:e} of row {row} and column {column} is not above {limit:e}, \
        but entries up to {left:e} are left; full pivoting finds the rank"
    )]
    Pivot {
        /// Row of the matrix as it was given, from 0.
        row: usize,
        /// Column of the matrix as it was given, from 0.
        column: usize,
        /// The largest pivot that the way of pivoting allows.
        pivot: f64,
        /// What it must exceed.
        limit: f64,
        /// The largest entry that is left.
        left: f64,
    },
    /// A square matrix is singular to within the tolerance.
    #[error(
        "the matrix is singular: its rank is {rank}, pivot {pivot:e} of row {row} and column \
        {column} is not above {limit:e}"
    )]
    Singular {
        /// Number of pivots that do not vanish.
        rank: usize,
        /// Row of the matrix as it was given, from 0.
        row: usize,
        /// Column of the matrix as it was given, from 0.
        column: usize,
        /// The pivot.
        pivot: f64,
        /// What it must exceed.
        limit: f64,
    },
    /// Rows that depend on others have right-hand sides that contradict them.
    #[error("row {row} depends on others but contradicts them by {defect:e}")]
    Contradiction {
        /// Row of the matrix as it was given, from 0.
        row: usize,
        /// What is left of its right-hand side.
        defect: f64,
    },
    /// An entry is infinite or NaN.
    #[error("the entry of row {row} and column {column} is not a finite number")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
    },
}
