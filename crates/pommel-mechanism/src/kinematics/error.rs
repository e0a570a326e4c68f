//! Why kinematics has no answer.

use std::fmt;

use pommel_kkt::KktError;

use crate::formulation::FormulationError;
use crate::linear::LinearError;

/// A row that cannot be met.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRow {
    /// The row of Φ.
    pub row: usize,
    /// Its name, such as `hinge (x)`.
    pub name: String,
    /// What it is off by: m or rad for positions, m/s or rad/s for velocities, and so on.
    pub residual: f64,
}

/// Why a position, velocity or acceleration is not found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KinematicsError {
    /// No position satisfies the constraints near the given one.
    #[error(
        "the mechanism cannot be assembled at t = {time} s: after {iterations} iterations these \
        constraints stay open: {}; check lengths and drivers, or start from a position that is \
        nearer",
        list(open)
    )]
    CannotAssemble {
        /// s.
        time: f64,
        /// Steps that were made.
        iterations: usize,
        /// The rows that are farthest from closed, the worst first.
        open: Vec<OpenRow>,
    },
    /// The position satisfies the constraints with an axis the wrong way round.
    #[error(
        "at t = {time} s '{joint}' is assembled with its axes opposite: start from a position where \
        the frames of the joint are turned less than a quarter against each other"
    )]
    Reversed {
        /// s.
        time: f64,
        /// The joint.
        joint: String,
    },
    /// Velocities that the constraints ask for contradict each other.
    #[error("at t = {time} s no {what} satisfy all constraints: {}", list(open))]
    Contradiction {
        /// s.
        time: f64,
        /// Velocities or accelerations.
        what: Quantity,
        /// The rows that are violated, the worst first.
        open: Vec<OpenRow>,
    },
    /// Motions are left that no driver prescribes.
    #[error(
        "{degrees_of_freedom} {} not prescribed (rank {rank} of {velocities} velocities): add as many \
        drivers", if *degrees_of_freedom == 1 { "motion is" } else { "motions are" }
    )]
    NotDriven {
        /// Number of motions left free.
        degrees_of_freedom: usize,
        /// Rank of Φ_q with the drivers.
        rank: usize,
        /// Number of velocities.
        velocities: usize,
    },
    /// The position is singular: constraints and drivers do not determine the velocities there.
    #[error(
        "the position at t = {time} s is singular: there the velocities are not determined{}",
        if names.is_empty() { String::new() } else { format!(" ({} depend on others)", names.join(", ")) }
    )]
    Singular {
        /// s.
        time: f64,
        /// Rows that depend on others there.
        names: Vec<String>,
    },
    /// What wheels roll to cannot be followed: velocities change too fast for any step.
    #[error(
        "at t = {time} s velocities change too fast to follow what rolls: give samples nearer to each other, \
        or drivers without jumps"
    )]
    Unresolved {
        /// s.
        time: f64,
    },
    /// A coordinate cannot be prescribed.
    #[error("coordinate {index} cannot be prescribed: {reason}")]
    BadCoordinate {
        /// The coordinate.
        index: usize,
        /// Why.
        reason: &'static str,
    },
    /// A number of the state is NaN or infinite.
    #[error("{what}[{index}] is not a finite number")]
    NotFinite {
        /// `q`, `v` or `time`.
        what: &'static str,
        /// Where in it.
        index: usize,
    },
    /// An elimination failed.
    #[error("at t = {time} s: {error}")]
    Elimination {
        /// s.
        time: f64,
        /// What is wrong with the matrix.
        error: LinearError,
    },
    /// Equations of a position on the way have no solution.
    #[error("at t = {time} s: {error}")]
    Formulation {
        /// s.
        time: f64,
        /// Why.
        error: Box<FormulationError>,
    },
    /// The sparse solver refused.
    #[error(transparent)]
    Kkt(#[from] KktError),
}

/// What is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// First derivatives.
    Velocities,
    /// Second derivatives.
    Accelerations,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Velocities => "velocities",
            Quantity::Accelerations => "accelerations",
        })
    }
}

fn list(open: &[OpenRow]) -> String {
    let rows: Vec<String> =
        open.iter().map(|row| format!("'{}' by {:.3e}", row.name, row.residual)).collect();
    rows.join(", ")
}
