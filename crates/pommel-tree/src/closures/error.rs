//! What can go wrong with loop closures.

use core::fmt;

use crate::TreeError;

/// Why closures cannot be set up, or accelerations with them not be found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClosureError {
    /// A closure is attached to a body that the model does not have.
    UnknownBody {
        /// Index of the closure.
        closure: usize,
    },
    /// A gear is attached to a velocity that is not the only one of its joint.
    NotOneCoordinate {
        /// Index of the closure.
        closure: usize,
        /// Index of the velocity.
        velocity: usize,
    },
    /// Both ends of a closure are on the same link: it closes no loop.
    SameLink {
        /// Index of the closure.
        closure: usize,
    },
    /// A row that depends on others contradicts them: no acceleration satisfies all.
    Inconsistent {
        /// Index of the closure.
        closure: usize,
        /// Which of its rows.
        row: usize,
        /// What is left of its acceleration, m/s² or rad/s².
        residual: f64,
        /// What of it rounding may leave.
        limit: f64,
    },
    /// The acceleration that a row demands is infinite or NaN: a number of the state, the forces, the
    /// closure or the model is, or the ends of a distance coincide.
    NotFinite {
        /// Index of the closure.
        closure: usize,
        /// Which of its rows.
        row: usize,
    },
    /// A joint of the tree feels no inertia, or a number is infinite or NaN.
    Tree(TreeError),
}

impl fmt::Display for ClosureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClosureError::UnknownBody { closure } => write!(
                f,
                "closure {closure} is attached to a body that the model does not have; use the \
                 bodies that its builder returned"
            ),
            ClosureError::NotOneCoordinate { closure, velocity } => write!(
                f,
                "closure {closure} gears velocity {velocity}, which is not that of a joint with one \
                 velocity; gear revolute, prismatic or helical joints"
            ),
            ClosureError::SameLink { closure } => write!(
                f,
                "both ends of closure {closure} are on the same link, or both on the ground; \
                 attach it to bodies that move relative to one another"
            ),
            ClosureError::Inconsistent { closure, row, residual, limit } => write!(
                f,
                "row {row} of closure {closure} depends on other rows and contradicts them by \
                 {residual:.3e} (rounding explains {limit:.3e}); bring the state onto the \
                 constraints, or remove the closure"
            ),
            ClosureError::NotFinite { closure, row } => write!(
                f,
                "the acceleration of row {row} of closure {closure} is infinite or NaN; a number of \
                 the state, the forces, the closure or the model is, or is far too large, or the \
                 ends of a distance coincide"
            ),
            ClosureError::Tree(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ClosureError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            ClosureError::Tree(error) => Some(error),
            _ => None,
        }
    }
}

impl From<TreeError> for ClosureError {
    fn from(error: TreeError) -> Self {
        ClosureError::Tree(error)
    }
}
