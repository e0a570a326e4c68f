//! What can go wrong between a model and a result.

use pommel_integrate::{Cause, Failure, IntegrateError};
use pommel_mechanism::formulation::FormulationError;
use pommel_mechanism::kinematics::KinematicsError;
use pommel_mechanism::{SystemError, UnsoundForce};
use pommel_model::ModelError;
use pommel_tree::TreeError;

use crate::dynamics::Unsupported;
use crate::kernels::RepeatError;
use crate::nonsmooth::NonsmoothError;

/// Any failure on the way from a model to a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model, state or parameter file is unsound.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The mechanism has features that the chosen formulation does not know.
    #[error("{}", list(.0))]
    Unsupported(Vec<Unsupported>),
    /// The equations of motion cannot be built or solved.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The mechanism has no equations in absolute coordinates.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A position, velocity or acceleration is not found.
    #[error(transparent)]
    Kinematics(#[from] KinematicsError),
    /// A formulation gives no accelerations.
    #[error("{source}{}", place.as_ref().map_or(String::new(), |place| format!(" ({place})")))]
    Formulation {
        /// What the formulation says.
        source: FormulationError,
        /// Names of the row or body that it counts, such as `row 5 is 'hinge (x)'`.
        place: Option<String>,
    },
    /// A kernel cannot be called again and again.
    #[error(transparent)]
    Repeat(#[from] RepeatError),
    /// The integration of a mechanism with constraints ended early.
    #[error("{}", constrained(failure, place.as_deref()))]
    Constrained {
        /// When, and why.
        failure: Box<Failure<FormulationError>>,
        /// Names of the row, body or component that the cause counts, such as `component 3 is cart.vx`.
        place: Option<String>,
    },
    /// A mechanism in space where one in the plane is wanted.
    #[error(
        "angles of bodies are coordinates of planar mechanisms (kind = \"planar\"), and this one is in space: integrate \
         it in absolute coordinates"
    )]
    NotPlanar,
    /// The end of a motion lies before its start, or is no time.
    #[error("a motion from t = 0 cannot end at t = {end}")]
    End {
        /// s.
        end: f64,
    },
    /// A force given as code is infinite or NaN, however small the step was made.
    #[error("{source}{}", reached.map_or(String::new(), |t| format!("; the motion is known until t = {t}")))]
    Force {
        /// Which, when, and what it was.
        source: UnsoundForce,
        /// The time that the motion reached, s; none where no motion was asked for.
        reached: Option<f64>,
    },
    /// A state is not on the constraints.
    #[error("the state at t = {time} violates the constraints: {}", violations(.rows))]
    Inconsistent {
        /// s.
        time: f64,
        /// The rows that are violated most, at most five: name, violation (m, rad; m/s, rad/s), and whether it is
        /// that of velocities.
        rows: Vec<(String, f64, bool)>,
    },
    /// Steps that do not follow a tolerance tell nothing about the accuracy of an end.
    #[error(
        "an end is verified by runs with smaller tolerances, which steps of one size do not follow"
    )]
    NotAdaptive,
    /// The ends of runs do not agree as accurately as asked, however small the tolerance.
    #[error(
        "the end of the motion is not known to {accuracy:e}: with tolerance {tolerance:e} it still moves by \
         {difference:.1e}; the motion makes that much of rounding. Ask for less, or for an earlier end"
    )]
    Accuracy {
        /// What was asked for.
        accuracy: f64,
        /// By how much the last two ends differ.
        difference: f64,
        /// Of the last run.
        tolerance: f64,
    },
    /// A state on the way could not be brought back onto the constraints.
    #[error(
        "the integration ended at t = {time}: the state cannot be projected onto the constraints: {source}"
    )]
    Projection {
        /// s.
        time: f64,
        /// Why not.
        source: KinematicsError,
    },
    /// A motion with friction, stops and contacts ended early.
    #[error(transparent)]
    Nonsmooth(Box<NonsmoothError>),
    /// The integration ended early.
    #[error("{}", integration(.0))]
    Integration(#[source] IntegrateError<TreeError>),
}

impl From<IntegrateError<TreeError>> for Error {
    fn from(error: IntegrateError<TreeError>) -> Self {
        Error::Integration(error)
    }
}

impl From<NonsmoothError> for Error {
    fn from(error: NonsmoothError) -> Self {
        Error::Nonsmooth(Box::new(error))
    }
}

/// Refuses ends before the start, which is 0.
pub(crate) fn check_end(end: f64) -> Result<(), Error> {
    if end >= 0.0 { Ok(()) } else { Err(Error::End { end }) }
}

fn list(unsupported: &[Unsupported]) -> String {
    unsupported.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn violations(rows: &[(String, f64, bool)]) -> String {
    let one = |(name, by, of_velocities): &(String, f64, bool)| {
        let what = if *of_velocities { "velocity" } else { "position" };
        format!("{what} of {name} by {by:.3e}")
    };
    let list: Vec<_> = rows.iter().map(one).collect();
    format!("{}; assemble it first", list.join(", "))
}

/// The failure with what the equations of motion said, if they did.
fn integration(error: &IntegrateError<TreeError>) -> String {
    match error {
        IntegrateError::Failed(failure) => match &failure.cause {
            Cause::Rhs(source) => format!("the integration ended at t = {}: {source}", failure.t),
            _ => format!("the integration ended early: {failure}"),
        },
        IntegrateError::Input(error) => error.to_string(),
    }
}

/// The failure with what the formulation said, if it did.
fn constrained(failure: &Failure<FormulationError>, place: Option<&str>) -> String {
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    match &failure.cause {
        Cause::Rhs(source) => {
            format!("the integration ended at t = {}: {source}{place}", failure.t)
        }
        _ => format!("the integration ended early: {failure}{place}"),
    }
}
