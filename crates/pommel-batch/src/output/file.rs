//! Files that have no name until they are complete, and directories.

use crate::error::SweepError;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that has no name until it is complete. Dropped before, it is removed.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    named: bool,
}

impl Partial {
    /// A new file that will have this name.
    pub(super) fn create(directory: &Path, name: &str) -> Result<Self, SweepError> {
        Self::with_temporary(directory, name, format!(".{name}.partial"))
    }

    /// As [`create`](Self::create), where others may write the same file at the same time: `writer`
    /// tells them apart.
    pub(super) fn create_beside(
        directory: &Path,
        name: &str,
        writer: &str,
    ) -> Result<Self, SweepError> {
        let process = std::process::id();
        Self::with_temporary(directory, name, format!(".{name}.{writer}.{process}.partial"))
    }

    fn with_temporary(directory: &Path, name: &str, temporary: String) -> Result<Self, SweepError> {
        let (path, temporary) = (directory.join(name), directory.join(temporary));
        let file = File::create(&temporary).map_err(|source| io_error("create", &path, source))?;
        Ok(Self { path, temporary, file: BufWriter::new(file), named: false })
    }

    /// The name that the file will have.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes all of a text.
    pub(super) fn text(mut self, text: &str) -> Result<Self, SweepError> {
        self.file.write_all(text.as_bytes()).map_err(|source| self.error("write", source))?;
        Ok(self)
    }

    /// Waits until the content is on disk.
    fn sync(&mut self) -> Result<(), SweepError> {
        let written = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        written.map_err(|source| self.error("write", source))
    }

    /// Gives the complete file its name, for good.
    pub(super) fn complete(mut self) -> Result<(), SweepError> {
        self.sync()?;
        std::fs::rename(&self.temporary, &self.path)
            .map_err(|source| self.error("rename", source))?;
        self.named = true;
        self.path.parent().map_or(Ok(()), sync_directory)
    }

    /// Gives the complete file its name unless there is a file of this name already; whether it
    /// was given.
    pub(super) fn complete_first(mut self) -> Result<bool, SweepError> {
        self.sync()?;
        match std::fs::hard_link(&self.temporary, &self.path) {
            Ok(()) => {
                self.path.parent().map_or(Ok(()), sync_directory)?;
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            // a file system without links
            Err(_) if self.path.exists() => Ok(false),
            Err(_) => self.complete().map(|()| true),
        }
    }

    /// An error of this file, under its final name.
    fn error(&self, action: &'static str, source: io::Error) -> SweepError {
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

/// Makes the names of the files in a directory last.
pub(super) fn sync_directory(path: &Path) -> Result<(), SweepError> {
    // only unix can do this, and needs it
    if cfg!(unix) {
        File::open(path)
            .and_then(|directory| directory.sync_all())
            .map_err(|source| io_error("write", path, source))?;
    }
    Ok(())
}

/// Makes a directory, and those above it, if need be; whether it is new.
pub(super) fn make_directory(path: &Path) -> Result<bool, SweepError> {
    let is_new = match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return Ok(false),
        Ok(_) => return Err(SweepError::NotADirectory { path: path.to_path_buf() }),
        Err(_) => true,
    };
    std::fs::create_dir_all(path).map_err(|source| io_error("create", path, source))?;
    Ok(is_new)
}

/// The names in a directory that are texts, in order; none if there is no such directory.
pub(super) fn names(path: &Path) -> Result<Vec<String>, SweepError> {
    let read = |source| io_error("read", path, source);
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(read(source)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(read)?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

/// Removes a directory with all that is in it, which nobody sees half removed under its name.
pub(super) fn remove_directory(path: &Path) -> Result<(), SweepError> {
    let removed = doomed(path);
    clear(&removed)?;
    match std::fs::rename(path, &removed) {
        Ok(()) => clear(&removed),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(io_error("remove", path, source)),
    }
}

/// Removes what a killed [`remove_directory`] left.
pub(super) fn remove_leftovers(path: &Path) -> Result<(), SweepError> {
    clear(&doomed(path))
}

/// The name of a directory that is being removed.
fn doomed(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.removed"))
}

fn clear(path: &Path) -> Result<(), SweepError> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io_error("remove", path, error)),
        _ => Ok(()),
    }
}

pub(super) fn io_error(action: &'static str, path: &Path, source: io::Error) -> SweepError {
    SweepError::Io { action, path: path.to_path_buf(), source }
}
