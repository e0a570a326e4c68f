//! Why a model or state could not be had.

use crate::fault::{Fault, FaultKind, Severity};
use std::path::{Path, PathBuf};

/// Why a model or state could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The ending of the file names no known format.
    #[error("{}: unknown file type; models end in .toml, .json or .urdf", path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The text is no TOML, JSON or URDF.
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
        faults: Vec<Fault>,
    },
}

impl ModelError {
    /// The faults of [`ModelError::Invalid`]; none otherwise.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Invalid { faults, .. } => faults,
            _ => &[],
        }
    }

    /// The same error with the file that it comes from.
    pub fn in_file(mut self, file: &Path) -> Self {
        if let Self::Syntax { path, .. } | Self::Invalid { path, .. } = &mut self {
            *path = Some(file.to_path_buf());
        }
        self
    }
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

/// From so many numbers that only planar models have, the kind itself is in doubt.
const HINT_FROM: usize = 2;

/// One fault on the same line, several one a line.
fn list(faults: &[Fault]) -> String {
    // warnings would not have stopped anybody: they come last and are not counted
    let (errors, warnings): (Vec<_>, Vec<_>) =
        faults.iter().partition(|fault| fault.severity() == Severity::Error);
    let text = match &errors[..] {
        [fault] => fault.to_string(),
        _ => {
            let lines: Vec<_> = errors.iter().map(|fault| format!("\n  {fault}")).collect();
            format!("{} faults{}", errors.len(), lines.concat())
        }
    };
    let planar = errors.iter().filter(|f| matches!(f.kind, FaultKind::PlanarOnly { .. })).count();
    let hint = if planar >= HINT_FROM {
        "\nnote: these are numbers of a planar model: if it is one, begin the file with kind = \"planar\""
    } else {
        ""
    };
    let lines: Vec<_> = warnings.iter().map(|fault| format!("\nwarning: {fault}")).collect();
    text + hint + &lines.concat()
}
