//! What can go wrong with a saddle-point system.

use core::fmt;

use pommel_math::Real;

/// What a saddle-point system is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// M, the upper left block.
    Mass,
    /// J, the lower left block.
    Jacobian,
    /// C, the lower right block with its sign changed.
    Compliance,
    /// All of `[M Jᵀ; J −C]`, kept as one matrix.
    Whole,
    /// The right-hand side.
    RightHandSide,
}

impl Part {
    /// Pointers, indices, counts and values, as the parameters are called that they belong to.
    pub(crate) fn arrays(self) -> [&'static str; 4] {
        match self {
            Part::Mass => ["mass.pointers", "mass.indices", "mass.counts", "mass.values"],
            Part::Jacobian => {
                ["jacobian.pointers", "jacobian.indices", "jacobian.counts", "jacobian.values"]
            }
            Part::Compliance => [
                "compliance.pointers",
                "compliance.indices",
                "compliance.counts",
                "compliance.values",
            ],
            Part::Whole | Part::RightHandSide => {
                ["matrix.pointers", "matrix.indices", "matrix.counts", "matrix.values"]
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Mass => "M",
            Part::Jacobian => "J",
            Part::Compliance => "C",
            Part::Whole => "the whole matrix",
            Part::RightHandSide => "the right-hand side",
        })
    }
}

/// Why a saddle-point system cannot be described, analysed or factored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum KktError {
    /// A row or column index lies outside of the matrix.
    IndexOutOfRange {
        /// Of which matrix.
        part: Part,
        /// Position of the entry in its arrays, from 0.
        entry: usize,
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// An entry is given twice; add the two numbers, or leave one out.
    Duplicate {
        /// Of which matrix.
        part: Part,
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
    },
    /// An entry lies on the wrong side of the diagonal of a matrix given by one triangle.
    WrongTriangle {
        /// Of which matrix.
        part: Part,
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
    },
    /// A matrix given by both triangles has this entry on one side of the diagonal only (it is named
    /// as it would stand below).
    NotSymmetric {
        /// Of which matrix.
        part: Part,
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
    },
    /// A matrix has a size that does not fit the others.
    Shape {
        /// Which matrix.
        part: Part,
        /// Number of its rows.
        rows: usize,
        /// Number of its columns.
        columns: usize,
        /// Number of rows that it must have.
        expected_rows: usize,
        /// Number of columns that it must have.
        expected_columns: usize,
    },
    /// Arrays that belong together have lengths that do not.
    Length {
        /// Which array: a name of a parameter, with a field of it if it has several arrays.
        array: &'static str,
        /// The length that it must have.
        expected: usize,
        /// The length that it has.
        found: usize,
    },
    /// The pointers of a compressed matrix decrease or do not start at 0.
    ColumnPointers {
        /// Of which matrix.
        part: Part,
        /// The column (the row of a matrix that is compressed by rows) at which they do.
        column: usize,
    },
    /// The blocks of a partition do not add up to the matrix.
    Partition {
        /// Which array: a name of a parameter.
        array: &'static str,
        /// Sum of the blocks.
        sum: usize,
        /// What it must be.
        expected: usize,
    },
    /// A body has no unknowns, or a constraint no rows.
    EmptyBlock {
        /// `body` or `constraint`.
        what: &'static str,
        /// Its index, from 0.
        index: usize,
    },
    /// A constraint names a body twice.
    BodyTwice {
        /// The constraint, from 0.
        constraint: usize,
        /// The body, from 0.
        body: usize,
    },
    /// A constraint is given a block of C twice.
    SoftenedTwice {
        /// The constraint, from 0.
        constraint: usize,
    },
    /// The system, or its factor, has more rows, entries or numbers than can be indexed (4·10⁹).
    TooLarge {
        /// Number of rows, entries, or numbers of the factor.
        size: usize,
    },
    /// A number is infinite or NaN.
    NotFinite {
        /// Of which matrix.
        part: Part,
        /// Its place in the array of values.
        entry: usize,
    },
    /// A pivot or its inverse overflowed although all numbers are finite.
    Overflow {
        /// The matrix with the largest number, or one of M whose inverse overflows.
        part: Part,
        /// Its place in the array of values.
        entry: usize,
        /// The number.
        value: f64,
    },
    /// A tolerance is not in `0..1`.
    Tolerance {
        /// The tolerance.
        value: f64,
    },
    /// A body or constraint does not exist.
    NoSuchBlock {
        /// What was asked for: `body` or `constraint`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The ordering that was asked for is not a permutation of the bodies and constraints.
    Ordering {
        /// The first place where it is not.
        position: usize,
    },
    /// M is not positive definite on the unknowns of a body, and the method inverts it there.
    MassNotPositive {
        /// The body, from 0.
        body: usize,
    },
    /// C is not zero, and the method works without it only.
    ComplianceNotSupported {
        /// A row with a number in C, from 0.
        row: usize,
    },
    /// M is not positive definite on the motions that J leaves free.
    ReducedMassNotPositive {
        /// Dimension of the null space of J.
        dimension: usize,
        /// In how many of them M is positive.
        positive: usize,
    },
}

impl fmt::Display for KktError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KktError::IndexOutOfRange { part, entry, row, column, rows, columns } => write!(
                f,
                "entry {entry} of {part} is at row {row}, column {column}, but {part} has {rows} \
                 rows and {columns} columns (indices count from 0)"
            ),
            KktError::Duplicate { part, row, column } => write!(
                f,
                "{part} has two entries at row {row}, column {column} (from 0): add them, or leave \
                 one out"
            ),
            KktError::WrongTriangle { part, row, column } => write!(
                f,
                "{part} is given by one triangle, but its entry at row {row}, column {column} (from \
                 0) lies in the other: leave it out, or say that both triangles are given"
            ),
            KktError::NotSymmetric { part, row, column } => write!(
                f,
                "{part} is given by both triangles, but of its entries at ({row}, {column}) and \
                 ({column}, {row}) (from 0) only one is there: add the other as an explicit zero, or \
                 give one triangle"
            ),
            KktError::Shape { part, rows, columns, expected_rows, expected_columns } => {
                write!(f, "{part} is {rows} × {columns}, not {expected_rows} × {expected_columns}")
            }
            KktError::Length { array, expected, found } => {
                write!(f, "`{array}` has {found} entries, not {expected}")
            }
            KktError::ColumnPointers { part, column } => write!(
                f,
                "the pointers of {part} must start at 0 and never decrease; at place {column} they \
                 do not"
            ),
            KktError::Partition { array, sum, expected } => {
                write!(f, "the blocks of `{array}` add up to {sum}, not {expected}")
            }
            KktError::EmptyBlock { what, index } => {
                let of = if *what == "body" { "unknowns" } else { "rows" };
                write!(f, "{what} {index} (from 0) has no {of}: leave it out")
            }
            KktError::BodyTwice { constraint, body } => write!(
                f,
                "constraint {constraint} names body {body} twice (from 0): name it once, and add the \
                 two blocks of J"
            ),
            KktError::SoftenedTwice { constraint } => write!(
                f,
                "constraint {constraint} (from 0) is given a block of C twice: give it one, and add the \
                 numbers"
            ),
            KktError::TooLarge { size } => {
                write!(
                    f,
                    "{size} rows, entries or numbers of a factor are more than indices of 32 bits can count"
                )
            }
            KktError::NotFinite { part, entry } => {
                write!(f, "number {entry} (from 0) of {part} is infinite or NaN")
            }
            KktError::Overflow { part, entry, value } => write!(
                f,
                "a pivot or its inverse overflows: there is {value:e}, number {entry} (from 0) of {part}: \
                 choose other units"
            ),
            KktError::Tolerance { value } => write!(
                f,
                "a tolerance of {value} for pivots: it is the share of what a pivot was left by, from 0 \
                 to below 1"
            ),
            KktError::NoSuchBlock { what, index, count } => {
                write!(f, "there is no {what} {index}: there are {count}, counted from 0")
            }
            KktError::Ordering { position } => write!(
                f,
                "the ordering must name every body and every constraint once; at position \
                 {position} it does not"
            ),
            KktError::MassNotPositive { body } => write!(
                f,
                "M is not positive definite on body {body} (from 0), and this method inverts it: use \
                 one that accepts massless bodies"
            ),
            KktError::ComplianceNotSupported { row } => write!(
                f,
                "C has a number in row {row} (from 0), and this method works without C only"
            ),
            KktError::ReducedMassNotPositive { dimension, positive } => write!(
                f,
                "J leaves {dimension} directions free, and M is positive in {positive} of them only: \
                 x is not determined"
            ),
        }
    }
}

impl core::error::Error for KktError {}

/// An array has the length that it must have.
#[inline]
pub(crate) fn check_length(
    array: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), KktError> {
    if expected == found { Ok(()) } else { Err(KktError::Length { array, expected, found }) }
}

/// A scalar has a lane.
#[inline]
#[track_caller]
pub(crate) fn check_lane<T: Real>(lane: usize) {
    let lanes = T::LANES;
    assert!(lane < lanes, "there is no lane {lane}: the scalar has {lanes}, counted from 0");
}
