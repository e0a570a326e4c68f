//! Why a command ended, and with which exit status.

use std::fmt;
use std::path::{Path, PathBuf};

use pommel::Error;
use pommel::batch::{PlanError, SweepError};
use pommel::codegen::CodegenError;
use pommel::dynamics::Unsupported;
use pommel::integrate::IntegrateError;
use pommel::kkt::KktError;
use pommel::kkt::pattern::{MatrixMarketError, SystemError};
use pommel::model::ModelError;

/// Exit status after Ctrl-C, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// A command that did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments contradict each other or the model.
    Usage { message: String },
    /// A model, state or plan cannot be read or is unsound.
    Model(ModelError),
    /// A plan cannot be read or is unsound.
    Plan(PlanError),
    /// The computation failed for a model.
    Computation { path: PathBuf, error: Box<Error> },
    /// The model has features that joint coordinates do not know yet.
    Unsupported { path: PathBuf, list: Vec<Unsupported> },
    /// There is no code for the model.
    Codegen { path: PathBuf, error: CodegenError },
    /// A sweep failed.
    Sweep(SweepError),
    /// A sweep was written, but no instance reached its end.
    NoneFinished { instances: u64 },
    /// No formulation of a comparison reached the end.
    Comparison { path: PathBuf, reason: String },
    /// A file that is no model cannot be read.
    Read { path: PathBuf, reason: String },
    /// A file is not a matrix.
    Matrix { path: PathBuf, error: MatrixMarketError },
    /// Matrices, named by their files, make no system.
    System { files: String, error: SystemError },
    /// A system cannot be analysed or factored.
    Kkt { files: String, error: KktError },
    /// A system was solved, but its solution cannot be relied on.
    Verdict { files: String, message: String },
    /// A result cannot be written.
    Write { path: PathBuf, reason: String },
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure::Usage { message: message.into() }
    }

    pub(crate) fn computation(path: &Path, error: impl Into<Error>) -> Self {
        Failure::Computation { path: path.to_owned(), error: Box::new(error.into()) }
    }

    pub(crate) fn write(path: &Path, reason: impl ToString) -> Self {
        Failure::Write { path: path.to_owned(), reason: reason.to_string() }
    }

    /// 130 after Ctrl-C, 1 if the computation failed, 2 for wrong usage or unreadable input.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Usage { .. }
            | Failure::Model(_)
            | Failure::Plan(_)
            | Failure::Read { .. }
            | Failure::Matrix { .. }
            | Failure::System { .. } => 2,
            Failure::Computation { error, .. } if is_of_input(error) => 2,
            Failure::Sweep(SweepError::Share { .. }) => 2,
            Failure::Sweep(SweepError::Cancelled { .. }) => INTERRUPTED,
            Failure::Computation { .. }
            | Failure::Unsupported { .. }
            | Failure::Codegen { .. }
            | Failure::Sweep(_)
            | Failure::NoneFinished { .. }
            | Failure::Comparison { .. }
            | Failure::Kkt { .. }
            | Failure::Verdict { .. }
            | Failure::Write { .. } => 1,
        }
    }
}

/// Whether a file or an option is to blame, not the computation.
fn is_of_input(error: &Error) -> bool {
    matches!(error, Error::Model(_) | Error::Integration(IntegrateError::Input(_)))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage { message } => f.write_str(message),
            Failure::Model(error) => error.fmt(f),
            Failure::Plan(error) => error.fmt(f),
            // such an error names its file, or an option
            Failure::Computation { error, .. } if is_of_input(error) => error.fmt(f),
            Failure::Computation { path, error } => write!(f, "{}: {error}", path.display()),
            Failure::Unsupported { path, list } => {
                let path = path.display();
                write!(
                    f,
                    "{path}: this command does not take such a model yet (accel, kinematics and simulate may)"
                )?;
                list.iter().try_for_each(|feature| write!(f, "\n  {feature}"))
            }
            Failure::Codegen { path, error } => write!(f, "{}: {error}", path.display()),
            Failure::Sweep(error) => error.fmt(f),
            Failure::NoneFinished { instances } => {
                match instances {
                    1 => f.write_str("the only instance did not finish")?,
                    _ => write!(f, "none of the {instances} instances finished")?,
                }
                f.write_str("; results.parquet says why, row by row")
            }
            Failure::Comparison { path, reason } => {
                write!(
                    f,
                    "{}: no formulation reached the end; the first says: {reason}",
                    path.display()
                )
            }
            Failure::Read { path, reason } => {
                write!(f, "cannot read {}: {reason}", path.display())
            }
            Failure::Matrix { path, error } => write!(f, "{}: {error}", path.display()),
            Failure::System { files, error } => write!(f, "{files}: {error}"),
            Failure::Kkt { files, error } => write!(f, "{files}: {error}"),
            Failure::Verdict { files, message } => write!(f, "{files}: {message}"),
            Failure::Write { path, reason } => {
                write!(f, "cannot write {}: {reason}", path.display())?;
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                match folder {
                    Some(folder) if !folder.exists() => {
                        write!(f, "; make the directory {} first", folder.display())
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Failure::Model(error)
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
