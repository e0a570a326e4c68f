//! Why a plan could not be had, and why a sweep ended early.

use crate::plan::PlanFault;
use pommel_model::ModelError;
use std::path::{Path, PathBuf};

/// Why a plan, or the sweep that it describes, could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The ending of the file names no known format.
    #[error("{}: unknown file type; plans end in .toml or .json", path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The text is no TOML or JSON.
    #[error("{}{message}", place(path.as_deref(), *line, *column))]
    Syntax {
        /// The file, if the text came from one.
        path: Option<PathBuf>,
        /// Line, from 1, where known.
        line: Option<usize>,
        /// Column, from 1, where known.
        column: Option<usize>,
        /// The parser's message.
        message: String,
    },
    /// The text is well formed, but the content is faulty.
    #[error("{}{}", place(path.as_deref(), None, None), list(faults))]
    Invalid {
        /// The file, if the text came from one.
        path: Option<PathBuf>,
        /// Every fault found.
        faults: Vec<PlanFault>,
    },
    /// The model of the plan could not be had.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl PlanError {
    /// The faults of [`PlanError::Invalid`]; none otherwise.
    pub fn faults(&self) -> &[PlanFault] {
        match self {
            Self::Invalid { faults, .. } => faults,
            _ => &[],
        }
    }

    /// The same error with the file that it comes from.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        if let Self::Syntax { path, .. } | Self::Invalid { path, .. } = &mut self {
            *path = Some(file.to_path_buf());
        }
        self
    }
}

/// Why a sweep ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The caller asked to stop.
    #[error(
        "cancelled after {done} of {total} instances; no results of this run are kept, \
         earlier results are as they were"
    )]
    Cancelled {
        /// Instances that were done.
        done: u64,
        /// Instances of the sweep.
        total: u64,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads (0: one a core): {source}")]
    Threads {
        /// Number asked for.
        threads: usize,
        /// What the thread pool says.
        source: rayon::ThreadPoolBuildError,
    },
    /// Two columns of the results have the same name.
    #[error("two columns are called '{name}'; give the parameter another `name` in the plan")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// The place for the results is no directory.
    #[error("{} is not a directory; choose another place for the results", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The directory holds the results of another sweep.
    #[error(
        "{} holds the results of another sweep ({}), this is {plan_digest}; \
         choose another directory, or remove those results",
        path.display(), found.as_deref().unwrap_or("which one cannot be read")
    )]
    ForeignResults {
        /// The directory.
        path: PathBuf,
        /// Digest of the plan of the results; none if they do not say.
        found: Option<String>,
        /// Digest of the plan to be run.
        plan_digest: String,
    },
    /// Another process writes to the directory.
    #[error("another sweep is writing to {}; wait, or choose another directory", path.display())]
    Busy {
        /// The directory.
        path: PathBuf,
    },
    /// A file or directory could not be written or read.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `create`, `write`, `read`, `rename`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// `file:line:column: `, as far as known.
fn place(path: Option<&Path>, line: Option<usize>, column: Option<usize>) -> String {
    match (path, line, column) {
        (Some(path), Some(line), Some(column)) => format!("{}:{line}:{column}: ", path.display()),
        (Some(path), Some(line), None) => format!("{}:{line}: ", path.display()),
        (Some(path), ..) => format!("{}: ", path.display()),
        (None, Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (None, Some(line), None) => format!("line {line}: "),
        (None, None, _) => String::new(),
    }
}

/// One fault on the same line, several one a line.
fn list(faults: &[PlanFault]) -> String {
    match faults {
        [fault] => fault.to_string(),
        _ => {
            let lines: Vec<_> = faults.iter().map(|fault| format!("\n  {fault}")).collect();
            format!("{} faults{}", faults.len(), lines.concat())
        }
    }
}
