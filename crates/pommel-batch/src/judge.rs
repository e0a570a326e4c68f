//! Whether too many instances fail for the sweep to go on.

use crate::error::SweepError;
use crate::outcome::{Outcome, Row};
use std::collections::BTreeMap;
use std::path::Path;

/// Rows that are judged at once.
const BLOCK: u64 = 100;
/// So many failures are always borne.
const BORNE: u64 = 20;

/// Judges the rows of a range of instances, in blocks of 100 from its start: the sweep stops at the
/// end of the first block up to which more than 20 and more than the share have failed. Rows may
/// come in any order; the verdict is that of index order, whatever ran when.
#[derive(Debug)]
pub(crate) struct Judge {
    share: f64,
    start: u64,
    /// Blocks that are judged.
    front: u64,
    verdict: Verdict,
    /// Rows and failures of the blocks that are not.
    open: BTreeMap<u64, (u64, BTreeMap<String, u64>)>,
    fell: bool,
}

/// What was seen up to the last block that was judged.
#[derive(Debug, Clone, Default)]
struct Verdict {
    rows: u64,
    failed: u64,
    reasons: BTreeMap<String, u64>,
}

impl Judge {
    pub(crate) fn new(share: f64, start: u64) -> Self {
        let (verdict, open) = (Verdict::default(), BTreeMap::new());
        Self { share, start, front: 0, verdict, open, fell: false }
    }

    /// Takes a row.
    pub(crate) fn row(&mut self, row: &Row) {
        let block = row.index.saturating_sub(self.start) / BLOCK;
        if block < self.front || self.fell {
            return;
        }
        let (rows, reasons) = self.open.entry(block).or_default();
        *rows += 1;
        if let Outcome::Failed { reason, .. } = &row.outcome {
            *reasons.entry(reason.to_string()).or_default() += 1;
        }
        self.advance();
    }

    /// Judges the blocks that are complete, up to the first that decides.
    fn advance(&mut self) {
        while let Some(entry) = self.open.first_entry() {
            if *entry.key() != self.front || entry.get().0 < BLOCK || self.fell {
                return;
            }
            let (rows, reasons) = entry.remove();
            self.front += 1;
            self.verdict.rows += rows;
            for (reason, count) in reasons {
                self.verdict.failed += count;
                *self.verdict.reasons.entry(reason).or_default() += count;
            }
            let borne = self.share * self.verdict.rows as f64;
            self.fell = self.verdict.failed > BORNE && self.verdict.failed as f64 > borne;
        }
    }

    /// An error if the sweep must stop; `path` is where its rows are kept.
    pub(crate) fn check(&self, path: Option<&Path>) -> Result<(), SweepError> {
        if !self.fell {
            return Ok(());
        }
        let Verdict { rows, failed, reasons } = self.verdict.clone();
        let path = path.map(Path::to_path_buf);
        Err(SweepError::TooManyFailed { failed, rows, share: self.share, reasons, path })
    }
}
