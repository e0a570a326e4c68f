//! Who watches a sweep.

use crate::outcome::Row;

/// Watches a sweep: progress, and rows as they come. Every method does nothing by default; `()`
/// watches nothing. All calls are on the caller's thread.
pub trait Observer {
    /// The sweep, or share of a sweep, starts; `done` instances are kept of earlier runs.
    fn started(&mut self, total: u64, done: u64) {
        let _ = (total, done);
    }

    /// A group of instances is done. Called often; the counts are totals so far, with what is kept
    /// of earlier runs.
    fn advanced(&mut self, done: u64, failed: u64) {
        let _ = (done, failed);
    }

    /// Rows, in index order: from [`run`](crate::run) as they come; from
    /// [`run_to_directory`](crate::run_to_directory) and [`merge`](crate::merge) when all are
    /// there, as they are read back.
    fn rows(&mut self, rows: &[Row]) {
        let _ = rows;
    }

    /// Something that is worth a line.
    fn noted(&mut self, note: &str) {
        let _ = note;
    }
}

impl Observer for () {}
