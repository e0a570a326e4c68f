//! A directory for results, and files that have no name until they are complete.

use super::{RESULTS_FILE, SUMMARY_FILE};
use crate::error::SweepError;
use serde_json::Value;
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

const LOCK_FILE: &str = ".pommel-sweep.lock";

/// A directory that this process alone writes to.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// Whether to remove the directory, if empty, when it is left.
    remove: bool,
    lock: Option<File>,
}

impl Directory {
    /// Makes the directory if need be, and checks that it is free for the results of a plan.
    pub(super) fn open(path: &Path, plan_digest: &str) -> Result<Self, SweepError> {
        let is_new = match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => false,
            Ok(_) => return Err(SweepError::NotADirectory { path: path.to_path_buf() }),
            Err(_) => true,
        };
        std::fs::create_dir_all(path).map_err(|source| io_error("create", path, source))?;
        let mut directory = Self { path: path.to_path_buf(), remove: is_new, lock: None };
        directory.lock()?;
        directory.check_results(plan_digest)?;
        Ok(directory)
    }

    fn lock(&mut self) -> Result<(), SweepError> {
        let path = self.path.join(LOCK_FILE);
        let file = File::create(&path).map_err(|source| io_error("create", &path, source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(SweepError::Busy { path: self.path.clone() });
            }
            // a file system without locks
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(source)) => return Err(io_error("lock", &path, source)),
        }
        self.lock = Some(file);
        Ok(())
    }

    /// Results that are there already must be those of the same plan.
    fn check_results(&self, plan_digest: &str) -> Result<(), SweepError> {
        let summary = self.path.join(SUMMARY_FILE);
        let found = match std::fs::read(&summary) {
            Ok(bytes) => serde_json::from_slice::<Value>(&bytes)
                .ok()
                .and_then(|summary| Some(summary.get("plan_digest")?.as_str()?.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !self.path.join(RESULTS_FILE).exists() {
                    return Ok(());
                }
                None
            }
            Err(source) => return Err(io_error("read", &summary, source)),
        };
        if found.as_deref() == Some(plan_digest) {
            return Ok(());
        }
        let plan_digest = plan_digest.to_owned();
        Err(SweepError::ForeignResults { path: self.path.clone(), found, plan_digest })
    }

    /// A new file that will have this name.
    pub(super) fn partial(&self, name: &str) -> Result<Partial, SweepError> {
        let path = self.path.join(name);
        let temporary = self.path.join(format!(".{name}.partial"));
        let file =
            File::create(&temporary).map_err(|source| io_error("create", &temporary, source))?;
        Ok(Partial { path, temporary, file: BufWriter::new(file), named: false })
    }

    /// Makes the names of the files last.
    pub(super) fn keep(&mut self) -> Result<(), SweepError> {
        self.remove = false;
        // only unix can do this, and needs it
        if cfg!(unix) {
            File::open(&self.path)
                .and_then(|directory| directory.sync_all())
                .map_err(|source| io_error("write", &self.path, source))?;
        }
        Ok(())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // nothing can be done about a failure here, and nothing depends on it
        if self.lock.take().is_some() {
            let _ = std::fs::remove_file(self.path.join(LOCK_FILE));
        }
        if self.remove {
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// A file that has no name until it is complete. Dropped before, it is removed.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    named: bool,
}

impl Partial {
    /// The name that the file will have.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until the content is on disk.
    pub(super) fn sync(mut self) -> Result<Self, SweepError> {
        let written = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        written.map_err(|source| self.error("write", source))?;
        Ok(self)
    }

    /// Gives the file its name.
    pub(super) fn rename(mut self) -> Result<(), SweepError> {
        std::fs::rename(&self.temporary, &self.path)
            .map_err(|source| self.error("rename", source))?;
        self.named = true;
        Ok(())
    }

    /// An error of this file, under its final name.
    pub(super) fn error(&self, action: &'static str, source: io::Error) -> SweepError {
        io_error(action, &self.path, source)
    }
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.named {
            // nothing can be done about a failure here; the next run overwrites the file
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> SweepError {
    SweepError::Io { action, path: path.to_path_buf(), source }
}
