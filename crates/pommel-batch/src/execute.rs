//! Runs a sweep without keeping anything.

use crate::crew::Crew;
use crate::error::SweepError;
use crate::judge::Judge;
use crate::observe::Observer;
use crate::outcome::Row;
use crate::output::{FIXED_COLUMNS, Manifest};
use crate::pipeline::{Schedule, Sink, drive, thread_count};
use crate::runner::{Column, Runner};
use crate::shard::Shard;
use crate::summary::{Effort, Summary, Tally};
use crate::sweep::Sweep;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How a sweep is run; none of this changes its results.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Number of threads; 0 for one a core.
    pub threads: usize,
    /// Rows that are held in memory and written at once; 0 for 4096. Whole groups are written.
    pub chunk: usize,
    /// Longest time, s, that rows are held in memory before they are written; 0 for 10.
    pub part_seconds: f64,
    /// Ends the sweep before the next group once it is true.
    pub cancel: Option<&'a AtomicBool>,
    /// Goes on with an interrupted sweep in the same directory.
    pub resume: bool,
    /// Runs a share of the instances only. A share goes on by itself where it was interrupted.
    pub shard: Option<Shard>,
    /// Share of instances, from 0 to 1, that may fail: at the end of the first hundred, counted
    /// from the first instance, up to which more than this share and more than 20 have failed, the
    /// sweep stops.
    pub max_failed_share: Option<f64>,
}

const CHUNK: usize = 4096;
const PART_SECONDS: f64 = 10.0;

impl RunOptions<'_> {
    pub(crate) fn chunk(&self) -> usize {
        if self.chunk == 0 { CHUNK } else { self.chunk }
    }

    pub(crate) fn part_time(&self) -> Duration {
        let seconds = if self.part_seconds > 0.0 { self.part_seconds } else { PART_SECONDS };
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// The instances that are to be run.
    pub(crate) fn range(&self, sweep: &Sweep) -> Range<u64> {
        self.shard.map_or(0..sweep.len(), |shard| shard.range(sweep.len()))
    }

    pub(crate) fn schedule(&self) -> Schedule<'_> {
        let threads = thread_count(self.threads);
        Schedule { threads, window: self.chunk() as u64, cancel: self.cancel }
    }

    /// Who judges failures of instances from `start` on.
    pub(crate) fn judge(&self, start: u64) -> Result<Option<Judge>, SweepError> {
        let Some(share) = self.max_failed_share else { return Ok(None) };
        if !(0.0..=1.0).contains(&share) {
            return Err(SweepError::Share { share });
        }
        Ok(Some(Judge::new(share, start)))
    }
}

/// Runs a sweep; the rows go to the observer only.
///
/// # Errors
/// [`SweepError::Cancelled`], [`SweepError::TooManyFailed`], [`SweepError::Share`],
/// [`SweepError::Threads`], [`SweepError::DuplicateColumn`].
///
/// # Panics
/// If the runner gives another number of outcomes or values than it should.
pub fn run<R: Runner>(
    sweep: &Sweep,
    runner: &R,
    options: &RunOptions<'_>,
    observer: &mut dyn Observer,
) -> Result<Summary, SweepError> {
    let columns = columns(sweep, runner)?;
    let range = options.range(sweep);
    let total = range.end - range.start;
    let start = Instant::now();
    observer.started(total, 0);
    let mut sink = Counting {
        tally: Tally::new(columns.len()),
        judge: options.judge(range.start)?,
        observer,
        buffer: Vec::new(),
        chunk: options.chunk(),
        done: 0,
        failed: 0,
    };
    let crew = Crew::new(sweep, runner, &columns);
    let schedule = options.schedule();
    let complete = total == 0 || drive(&crew, schedule, &[range], &mut sink)?;
    sink.flush();
    if !complete {
        return Err(SweepError::Cancelled { done: sink.done, total, path: None });
    }
    let effort = Effort { seconds: start.elapsed().as_secs_f64(), threads: schedule.threads };
    Ok(sink.tally.finish(&Manifest::new(sweep, &columns), effort))
}

/// Counts rows and shows them to an observer, so many at a time.
struct Counting<'a> {
    tally: Tally,
    judge: Option<Judge>,
    observer: &'a mut dyn Observer,
    buffer: Vec<Row>,
    chunk: usize,
    done: u64,
    failed: u64,
}

impl Counting<'_> {
    fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.observer.rows(&self.buffer);
            self.buffer.clear();
        }
    }
}

impl Sink for Counting<'_> {
    fn arrived(&mut self, rows: &[Row]) {
        self.done += rows.len() as u64;
        self.failed += rows.iter().filter(|row| !row.outcome.is_finished()).count() as u64;
        self.observer.advanced(self.done, self.failed);
    }

    fn rows(&mut self, rows: Vec<Row>) -> Result<(), SweepError> {
        for row in rows {
            self.tally.row(&row);
            if let Some(judge) = &mut self.judge {
                judge.row(&row);
            }
            self.buffer.push(row);
            if self.buffer.len() >= self.chunk {
                self.flush();
            }
        }
        match &self.judge {
            Some(judge) => judge.check(None),
            None => Ok(()),
        }
    }

    fn tick(&mut self) -> Result<(), SweepError> {
        Ok(())
    }
}

/// The columns of the runner, if no two columns of the results have the same name.
pub(crate) fn columns<R: Runner>(sweep: &Sweep, runner: &R) -> Result<Vec<Column>, SweepError> {
    let columns = runner.columns();
    let parameters = sweep.swept().iter().map(|parameter| parameter.name());
    let names = FIXED_COLUMNS.iter().copied().chain(parameters);
    let mut seen = HashSet::new();
    for name in names.chain(columns.iter().map(|column| column.name.as_str())) {
        if !seen.insert(name) {
            return Err(SweepError::DuplicateColumn { name: name.to_owned() });
        }
    }
    Ok(columns)
}
