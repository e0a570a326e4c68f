//! Results in a directory: complete under their names, or not there.

mod directory;
mod table;

use crate::error::SweepError;
use crate::outcome::Row;
use crate::runner::Column;
use crate::summary::Summary;
use crate::sweep::Sweep;
use directory::{Directory, Partial};
use std::io::Write;
use std::path::Path;
use table::Table;

/// Name of the table of results.
pub const RESULTS_FILE: &str = "results.parquet";
/// Name of the summary.
pub const SUMMARY_FILE: &str = "summary.json";
/// Name of the copy of the plan.
pub const PLAN_FILE: &str = "plan.toml";

/// The columns that every table of results has.
pub(crate) const FIXED_COLUMNS: [&str; 5] =
    ["instance", "status", "reason", "message", "time_reached"];

/// Results being written. Dropped before [`Output::commit`], it leaves nothing.
#[derive(Debug)]
pub(crate) struct Output {
    // the order matters: files are removed before the directory is left
    table: Table,
    directory: Directory,
}

impl Output {
    /// Opens a directory for the results of a sweep.
    pub(crate) fn open(path: &Path, sweep: &Sweep, columns: &[Column]) -> Result<Self, SweepError> {
        let directory = Directory::open(path, sweep.plan_digest())?;
        let table = Table::create(directory.partial(RESULTS_FILE)?, sweep, columns)?;
        Ok(Self { table, directory })
    }

    /// Writes a chunk of rows.
    pub(crate) fn write(&mut self, rows: &[Row]) -> Result<(), SweepError> {
        self.table.write(rows)
    }

    /// Completes the files and gives them their names.
    pub(crate) fn commit(self, sweep: &Sweep, summary: &Summary) -> Result<(), SweepError> {
        let Self { table, mut directory } = self;
        let results = table.finish(&summary.digest)?;
        let write = |mut file: Partial, text: &str| {
            file.write_all(text.as_bytes()).map_err(|source| file.error("write", source))?;
            file.sync()
        };
        let plan = write(directory.partial(PLAN_FILE)?, &sweep.plan_text())?;
        // plain data with text keys
        let text = serde_json::to_string_pretty(summary).unwrap_or_default() + "\n";
        let summary = write(directory.partial(SUMMARY_FILE)?, &text)?;
        // the summary last: whoever finds it finds the rest
        for file in [results, plan, summary] {
            file.rename()?;
        }
        directory.keep()
    }
}
