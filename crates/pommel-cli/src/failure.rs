//! Why a command ended, and with which exit status.

use std::fmt;
use std::path::{Path, PathBuf};

use pommel::Error;
use pommel::batch::{PlanError, SweepError};
use pommel::codegen::CodegenError;
use pommel::dynamics::Unsupported;
use pommel::integrate::IntegrateError;
use pommel::model::ModelError;

/// A command that did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments contradict each other or the model.
    Usage { message: String },
    /// A model, state or plan cannot be read or is unsound.
    Model(ModelError),
    /// A plan cannot be read or is unsound.
    Plan(PlanError),
    /// The computation failed.
    Computation(Error),
    /// The model has features that cannot be solved yet.
    Unsupported { path: PathBuf, list: Vec<Unsupported> },
    /// There is no code for the model.
    Codegen { path: PathBuf, error: CodegenError },
    /// A sweep failed.
    Sweep(SweepError),
    /// A sweep was written, but no instance reached its end.
    NoneFinished { instances: u64 },
    /// A result cannot be written.
    Write { path: PathBuf, reason: String },
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure::Usage { message: message.into() }
    }

    pub(crate) fn write(path: &Path, reason: impl ToString) -> Self {
        Failure::Write { path: path.to_owned(), reason: reason.to_string() }
    }

    /// 1 if the computation failed, 2 for wrong usage or unreadable input.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Usage { .. } | Failure::Model(_) | Failure::Plan(_) => 2,
            Failure::Computation(
                Error::Model(_) | Error::Integration(IntegrateError::Input(_)),
            ) => 2,
            Failure::Computation(_)
            | Failure::Unsupported { .. }
            | Failure::Codegen { .. }
            | Failure::Sweep(_)
            | Failure::NoneFinished { .. }
            | Failure::Write { .. } => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage { message } => f.write_str(message),
            Failure::Model(error) => error.fmt(f),
            Failure::Plan(error) => error.fmt(f),
            Failure::Computation(error) => error.fmt(f),
            Failure::Unsupported { path, list } => {
                write!(f, "{}: this model cannot be solved yet", path.display())?;
                list.iter().try_for_each(|feature| write!(f, "\n  {feature}"))
            }
            Failure::Codegen { path, error } => write!(f, "{}: {error}", path.display()),
            Failure::Sweep(error) => error.fmt(f),
            Failure::NoneFinished { instances } => write!(
                f,
                "none of the {instances} instances finished; results.parquet says why, row by row"
            ),
            Failure::Write { path, reason } => {
                write!(f, "cannot write '{}': {reason}", path.display())
            }
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Failure::Model(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Computation(error)
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Failure::Plan(error)
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        Failure::Sweep(error)
    }
}
