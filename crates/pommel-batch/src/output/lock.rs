//! Who may write to a directory.

use super::file::io_error;
use crate::error::SweepError;
use crate::shard::Shard;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const LOCK_FILE: &str = ".pommel-sweep.lock";

/// A lock file that this process holds. The system releases it however the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// The directory for this process alone.
    pub(super) fn whole(directory: &Path) -> Result<Self, SweepError> {
        Self::acquire(directory, LOCK_FILE, File::try_lock)
    }

    /// A share for this process alone, and the directory for shares alone.
    pub(super) fn shard(directory: &Path, shard: Shard) -> Result<[Self; 2], SweepError> {
        let shared = Self::acquire(directory, LOCK_FILE, File::try_lock_shared)?;
        let name = format!(".pommel-shard-{}-of-{}.lock", shard.index(), shard.count());
        Ok([Self::acquire(directory, &name, File::try_lock)?, shared])
    }

    fn acquire(
        directory: &Path,
        name: &str,
        lock: fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, SweepError> {
        let path = directory.join(name);
        loop {
            let file = File::create(&path).map_err(|source| io_error("create", &path, source))?;
            match lock(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(SweepError::Busy { path: directory.to_path_buf() });
                }
                // a file system without locks
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(source)) => return Err(io_error("lock", &path, source)),
            }
            // its last holder may have removed it in between
            if is_at(&file, &path) {
                return Ok(Self { path, file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // nothing can be done about a failure here, and nothing depends on it; one of several
        // holders leaves the file to the others
        if cfg!(unix) && self.file.try_lock().is_ok() && is_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether an open file is the one under a name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Where lock files are not removed, it is.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
