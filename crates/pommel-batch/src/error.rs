//! Why a plan could not be had, and why a sweep ended early.

use crate::plan::PlanFault;
use crate::shard::Shard;
use pommel_model::ModelError;
use std::collections::BTreeMap;
use std::io::ErrorKind;
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
        "stopped after {done} of {total} instances; {}",
        kept(path.as_deref(), "go on with the same command and --resume")
    )]
    Cancelled {
        /// Instances that were done.
        done: u64,
        /// Instances of the sweep, or of its share.
        total: u64,
        /// The directory that keeps what was run.
        path: Option<PathBuf>,
    },
    /// More instances failed than may.
    #[error(
        "{failed} of the first {rows} instances failed, which is more than a share of {share} \
         ({}); mend the model, the plan or its tolerances in another directory, or allow more \
         failures; {}",
        reasons.iter().map(|(r, n)| format!("{r}: {n}")).collect::<Vec<_>>().join(", "),
        kept(path.as_deref(), "go on with --resume and a larger share")
    )]
    TooManyFailed {
        /// Failures up to where the sweep was judged.
        failed: u64,
        /// Instances up to there.
        rows: u64,
        /// Share of failures that was allowed.
        share: f64,
        /// Failures by reason.
        reasons: BTreeMap<String, u64>,
        /// The directory that keeps what was run.
        path: Option<PathBuf>,
    },
    /// The share of failures that is allowed is no share.
    #[error("a share of {share} failed instances cannot be; give a number from 0 to 1")]
    Share {
        /// The number.
        share: f64,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {source}; ask for fewer")]
    Threads {
        /// Number asked for.
        threads: usize,
        /// What the system says.
        source: std::io::Error,
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
    /// The directory holds a part of the same plan that something else has run.
    #[error(
        "{} was begun with {what} {found}, this is {what} {now}: rows of both would be mixed; \
         go back to the former, choose another directory, or remove this one to start afresh",
        path.display()
    )]
    Changed {
        /// The directory.
        path: PathBuf,
        /// What is another: `model`, `version`, `columns`.
        what: &'static str,
        /// What the directory says.
        found: String,
        /// What is to be run.
        now: String,
    },
    /// The directory holds an interrupted sweep of the same plan.
    #[error(
        "{} holds the first part of this sweep, which was interrupted; go on with --resume, or \
         remove the directory to start afresh",
        path.display()
    )]
    Unfinished {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds shares of the same plan.
    #[error(
        "{0} holds shares of this sweep; run the missing ones with --shard and join them with \
         `pommel merge {0}`, or choose another directory",
        path.display()
    )]
    Sharded {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds no sweep.
    #[error(
        "{} holds no sweep (no {file} there); name the directory that `pommel sweep --out` wrote to",
        path.display()
    )]
    NoSweep {
        /// The directory.
        path: PathBuf,
        /// The file that every such directory has.
        file: &'static str,
    },
    /// Shares of a sweep are missing.
    #[error("{}", missing_shards(path, missing, *found))]
    MissingShards {
        /// The directory.
        path: PathBuf,
        /// Number of shares that are there.
        found: usize,
        /// The shares that are not.
        missing: Vec<Shard>,
    },
    /// A file does not hold what was written to it.
    #[error("{} is damaged: {reason}; remove it and run the same command again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another process writes to the directory, or runs the same share.
    #[error(
        "another sweep is writing to {}; wait for it, or choose another directory or share",
        path.display()
    )]
    Busy {
        /// The directory.
        path: PathBuf,
    },
    /// A file or directory could not be written or read.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// What was tried: `create`, `write`, `read`, `rename`, `remove`, `lock`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// What becomes of the rows of a sweep that stops.
fn kept(path: Option<&Path>, next: &str) -> String {
    match path {
        Some(path) => format!("what was run is kept in {}: {next}", path.display()),
        None => "nothing is kept".to_owned(),
    }
}

/// What to do about an error of the system.
fn advice(source: &std::io::Error) -> &'static str {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "; make room, then go on with --resume: what was written before is whole"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; choose a directory that may be written to"
        }
        _ => "",
    }
}

/// Which shares are missing, with what makes each; of very many the first ones.
fn missing_shards(path: &Path, missing: &[Shard], found: usize) -> String {
    const SHOWN: usize = 20;
    let path = path.display();
    let mut text = match missing {
        [] => {
            return format!(
                "{path} holds no shares; make them with `pommel sweep PLAN --out {path} --shard I/N`"
            );
        }
        [first, ..] => format!(
            "of {} shares in {path}, {found} are there; make the others with",
            first.count()
        ),
    };
    for shard in missing.iter().take(SHOWN) {
        text.push_str(&format!("\n  pommel sweep PLAN --out {path} --shard {shard}"));
    }
    if missing.len() > SHOWN {
        text.push_str(&format!("\n  and {} more", missing.len() - SHOWN));
    }
    text
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
