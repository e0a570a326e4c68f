//! Who watches a sweep.

use crate::outcome::Row;

/// Watches a sweep: progress, and rows as they come. Every method does nothing by default; `()`
/// watches nothing.
pub trait Observer: Sync {
    /// The sweep starts.
    fn started(&mut self, total: u64) {
        let _ = total;
    }

    /// A group of instances is done. Called from worker threads, often, in no order; the counts
    /// are totals so far, and a count may come after a higher one.
    fn advanced(&self, done: u64, failed: u64) {
        let _ = (done, failed);
    }

    /// A chunk of rows is complete. Called on the caller's thread, in index order.
    fn rows(&mut self, rows: &[Row]) {
        let _ = rows;
    }
}

impl Observer for () {}
