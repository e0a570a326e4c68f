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
    /// A gear ties a velocity to itself.
    SameVelocity {
        /// Index of the closure.
        closure: usize,
        /// Index of the velocity.
        velocity: usize,
    },
    /// A number of a closure cannot be.
    Invalid {
        /// Index of the closure.
        closure: usize,
        /// What it describes.
        quantity: ClosureQuantity,
    },
    /// `α` or `β` is negative, infinite or NaN.
    InvalidStabilization,
    /// A row that depends on others contradicts them: no acceleration satisfies all. Accelerations
    /// alone are judged, so closures that contradict one another in place are noticed only with
    /// [`Stabilization`](super::Stabilization).
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

/// What a number of a closure describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClosureQuantity {
    /// A frame, of which a number is infinite or NaN.
    Frame,
    /// The rotation of a frame, which is none.
    Rotation,
    /// A distance, which is not positive or no number.
    Distance,
    /// Ratio or offset of a gear, which is infinite or NaN.
    Gear,
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
            ClosureError::SameVelocity { closure, velocity } => {
                write!(f, "closure {closure} gears velocity {velocity} to itself; gear two joints")
            }
            ClosureError::Invalid { closure, quantity } => {
                let what = match quantity {
                    ClosureQuantity::Frame => "a frame has a number that is infinite or NaN",
                    ClosureQuantity::Rotation => {
                        "the rotation of a frame is none: its rows are not three unit vectors at \
                         right angles, right-handed"
                    }
                    ClosureQuantity::Distance => "its distance is not positive",
                    ClosureQuantity::Gear => "its ratio or offset is infinite or NaN",
                };
                write!(f, "closure {closure} cannot be: {what}; correct it")
            }
            ClosureError::InvalidStabilization => write!(
                f,
                "alpha or beta of the stabilization is negative, infinite or NaN; give rates in 1/s \
                 that are not negative, or zero for none"
            ),
            ClosureError::Inconsistent { closure, row, residual, limit } => write!(
                f,
                "row {row} of closure {closure} depends on other rows and contradicts them by \
                 {residual:.3e} m/s² or rad/s² (rounding explains {limit:.3e}); start from a state \
                 that satisfies the closures, let them contradict by so much \
                 (LoopClosures::tolerate), or remove one"
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
