//! Why a tableau was refused.

use std::fmt;

use super::RootedTree;

/// A part of a tableau.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The matrix `a` (one row a stage).
    A,
    /// The weights `b`.
    B,
    /// The embedded weights `b̂`.
    Embedded,
    /// The third weights, of lower order.
    Lower,
    /// The nodes `c`.
    C,
    /// The weights `b_i(θ)` of the dense output (one row a stage).
    Dense,
    /// The extra stages of the dense output.
    Extra,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::A => "matrix a",
            Part::B => "weights b",
            Part::Embedded => "embedded weights",
            Part::Lower => "weights of lower order",
            Part::C => "nodes c",
            Part::Dense => "dense-output weights",
            Part::Extra => "extra stages",
        })
    }
}

/// Why a [`Tableau`](super::Tableau) was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TableauError {
    /// There is no stage.
    Empty,
    /// A part has another length than the number of stages.
    Length {
        /// The part.
        part: Part,
        /// Number of stages, taken from the weights `b`.
        expected: usize,
        /// Length of the part (of its longest row, for the matrix).
        found: usize,
    },
    /// A coefficient is infinite or NaN.
    NotFinite {
        /// The part.
        part: Part,
        /// Row (stage) of the coefficient.
        row: usize,
    },
    /// The method is not explicit: a stage uses itself or a later one.
    NotExplicit {
        /// Row of the matrix.
        row: usize,
        /// Column of the matrix.
        column: usize,
        /// The coefficient.
        value: f64,
    },
    /// The claimed order is zero.
    NoOrder {
        /// The weights that claim it.
        part: Part,
    },
    /// A node is not the sum of its row, `c_i = Σ_j a_ij`.
    RowSum {
        /// Row of the matrix.
        row: usize,
        /// `Σ_j a_ij − c_i`.
        residual: f64,
    },
    /// An order condition does not hold.
    OrderCondition {
        /// The weights that violate it.
        part: Part,
        /// The tree that the condition belongs to.
        tree: RootedTree,
        /// `Σ b_i Φ_i − 1/γ`; for dense output, the coefficient of `θ^power` of that difference.
        residual: f64,
        /// Power of `θ` (dense output only, else 0).
        power: usize,
    },
    /// The matrix of an implicit method has no inverse, as with an explicit stage.
    SingularMatrix,
    /// Two stages of an implicit method have the same node.
    RepeatedNode {
        /// The first of them.
        first: usize,
        /// The second.
        second: usize,
    },
    /// The matrix of an implicit method is neither lower triangular nor has as many eigenvectors as stages.
    Defective,
    /// The dense output does not end in the step's result: `b_i(1) ≠ b_i`.
    DenseEnd {
        /// The stage.
        stage: usize,
        /// `b_i(1) − b_i`.
        residual: f64,
    },
}

impl fmt::Display for TableauError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableauError::Empty => f.write_str("the tableau has no stage"),
            TableauError::Length { part, expected, found } => {
                write!(f, "{part}: length {found}, but there are {expected} stages")
            }
            TableauError::NotFinite { part, row } => {
                write!(f, "{part}: a coefficient of stage {row} is not finite")
            }
            TableauError::NotExplicit { row, column, value } => write!(
                f,
                "a[{row}][{column}] = {value:e}, but an explicit method has zeros on and above the diagonal"
            ),
            TableauError::NoOrder { part } => write!(f, "{part}: the order must be at least 1"),
            TableauError::RowSum { row, residual } => {
                write!(f, "row {row} of the matrix sums to c[{row}] + ({residual:e})")
            }
            TableauError::OrderCondition { part, tree, residual, power } => {
                write!(f, "{part}: the condition of order {} for the tree {tree}", tree.order())?;
                if *part == Part::Dense {
                    write!(f, ", power {power} of θ,")?;
                }
                write!(f, " is off by {residual:e}")
            }
            TableauError::SingularMatrix => f.write_str(
                "the matrix has no inverse; methods with an explicit stage are not covered",
            ),
            TableauError::RepeatedNode { first, second } => {
                write!(f, "stages {first} and {second} have the same node")
            }
            TableauError::Defective => f.write_str(
                "the matrix is neither lower triangular nor has as many eigenvectors as stages",
            ),
            TableauError::DenseEnd { stage, residual } => {
                write!(f, "dense-output weight of stage {stage} ends at b + ({residual:e})")
            }
        }
    }
}

impl std::error::Error for TableauError {}
