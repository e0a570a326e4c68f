//! What a person or a program gets to see.

pub(crate) mod columns;
pub(crate) mod comparison_plot;
pub(crate) mod motion;
pub(crate) mod motion_plot;
pub(crate) mod plot;
pub(crate) mod precision_plot;
mod table;
pub(crate) mod trajectory;

pub(crate) use pommel::model::document::counted;
pub(crate) use table::{Table, matrix, number};

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Failure;

/// Prints to standard output. A reader that went away (`| head`) is no error, a full disk is.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::write(Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON document to standard output; floats round-trip.
pub(crate) fn json(document: &Value) -> Result<(), Failure> {
    text(&format!("{document}\n"))
}

/// Prints a line to standard error.
pub(crate) fn note(line: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "{line}");
}

/// The name under which a file is written until it is whole.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Finds out before a long computation whether its result can be written.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    let temporary = temporary_name(path);
    std::fs::File::create(&temporary).map_err(|error| Failure::write(path, error))?;
    std::fs::remove_file(&temporary).map_err(|error| Failure::write(path, error))
}

/// Writes a file as a whole: under a temporary name first, so that nobody ever sees half of it.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let temporary = temporary_name(path);
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        Failure::write(path, error)
    })
}
