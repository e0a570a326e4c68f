//! Why a motion with friction, stops and contacts ended early.

use pommel_integrate::{EventError, IntegrateError};
use pommel_mechanism::formulation::{FormulationError, Method};
use pommel_mechanism::impact::ImpactError;
use pommel_mechanism::kinematics::KinematicsError;

/// Why a motion with friction, stops and contacts ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NonsmoothError {
    /// The model has something that is not known, such as friction in a contact.
    #[error(transparent)]
    Interaction(ImpactError),
    /// A formulation in joint coordinates, which knows no rows besides those of the model.
    #[error(
        "{method} knows the constraints of the model only; take another formulation, such as sparse_kkt"
    )]
    Method {
        /// The method.
        method: Method,
    },
    /// Full coordinate partitioning, which events do not know.
    #[error(
        "coordinates cannot be partitioned in every evaluation where friction, stops or contacts act; take \
         projection, simple partitioning, or Baumgarte's method"
    )]
    Partitioning,
    /// The end lies before the time that was reached.
    #[error("the motion is at t = {time} already, after {end}")]
    Backwards {
        /// s.
        time: f64,
        /// s.
        end: f64,
    },
    /// A speed below which impacts do not bounce that is negative or no number.
    #[error("rest_speed is {speed}; it must not be negative")]
    RestSpeed {
        /// m/s.
        speed: f64,
    },
    /// The initial state lies beyond a stop or plane.
    #[error(
        "{name}: the motion starts {gap:e} (m or rad) beyond it; start from a state that respects it"
    )]
    Penetrates {
        /// Name of the limit or contact.
        name: String,
        /// The gap, negative; m, rad.
        gap: f64,
    },
    /// Impacts cannot be solved for.
    #[error("at t = {time} s{}: {source}", name.as_ref().map_or(String::new(), |n| format!(", {n}")))]
    Impact {
        /// s.
        time: f64,
        /// Name of the limit or contact that the cause counts.
        name: Option<String>,
        /// What is wrong.
        source: ImpactError,
    },
    /// Impacts set off impacts without end.
    #[error("at t = {time} s, {rounds} impacts in a row leave bodies approaching: {}", names.join(", "))]
    Impacts {
        /// s.
        time: f64,
        /// How many there were.
        rounds: usize,
        /// Names of the limits and contacts that still approach.
        names: Vec<String>,
    },
    /// It is not found what sticks, slides, is closed or opens.
    #[error(
        "at t = {time} s it is not found in {rounds} trials what sticks and what slides, what stays closed and what \
         opens, among: {}", names.join(", ")
    )]
    Undecided {
        /// s.
        time: f64,
        /// How many were tried.
        rounds: usize,
        /// Names of those that were at rest.
        names: Vec<String>,
    },
    /// No accelerations at an event.
    #[error("at t = {time} s: {source}{}", place.as_ref().map_or(String::new(), |p| format!(" ({p})")))]
    Accelerations {
        /// s.
        time: f64,
        /// What the formulation says.
        source: FormulationError,
        /// Names of the row or body that it counts.
        place: Option<String>,
    },
    /// A state cannot be brought onto the constraints and what sticks or is closed.
    #[error("at t = {time} s the state cannot be projected onto the constraints: {source}")]
    Projection {
        /// s.
        time: f64,
        /// Why not.
        source: KinematicsError,
    },
    /// The integration ended early, or events pile up ([`EventError::Zeno`]).
    #[error("{source}{}", place.as_ref().map_or(String::new(), |p| format!(" ({p})")))]
    Events {
        /// Why.
        source: EventError<FormulationError>,
        /// Names of the row or body that a formulation counts.
        place: Option<String>,
    },
}

impl From<ImpactError> for NonsmoothError {
    fn from(error: ImpactError) -> Self {
        NonsmoothError::Interaction(error)
    }
}

impl From<IntegrateError<FormulationError>> for NonsmoothError {
    fn from(error: IntegrateError<FormulationError>) -> Self {
        NonsmoothError::Events { source: error.into(), place: None }
    }
}
