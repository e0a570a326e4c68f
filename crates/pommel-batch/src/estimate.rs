//! What a sweep will take, from a few of its instances.

use crate::crew::Crew;
use crate::error::SweepError;
use crate::execute::{RunOptions, columns};
use crate::outcome::{Outcome, Row};
use crate::output::{GROUP_ROWS, Manifest, ManifestColumn};
use crate::runner::Runner;
use crate::sweep::Sweep;
use std::time::{Duration, Instant};

/// Groups that are tried.
const TRIED: u64 = 8;
/// Longest time of trying, unless the first group takes longer.
const TIME: Duration = Duration::from_secs(2);
/// A program and its model, before there are rows, in bytes: rounded up from what was measured.
const PROGRAM: u64 = 24 << 20;

/// What a sweep will take; numbers of this kind are right within a factor of two or so.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Number of instances of the sweep.
    pub instances: u64,
    /// Number of instances that would be run: of the share, if one is asked for.
    pub to_run: u64,
    /// The columns of the results.
    pub columns: Vec<ManifestColumn>,
    /// Instances that were tried, spread over those that would be run.
    pub tried: u64,
    /// How many of them failed.
    pub tried_failed: u64,
    /// Time of an instance on one thread, s.
    pub seconds_each: f64,
    /// Number of threads.
    pub threads: usize,
    /// Wall time, s, if nothing else keeps the threads busy.
    pub seconds: f64,
    /// Size of the results, bytes; about twice as much is needed until they are complete.
    pub disk_bytes: u64,
    /// Memory, bytes.
    pub memory_bytes: u64,
}

/// Runs a few instances, spread over the sweep, on one thread. Writes nothing.
///
/// # Errors
/// [`SweepError::DuplicateColumn`].
///
/// # Panics
/// If the runner gives another number of outcomes or values than it should.
pub fn estimate<R: Runner>(
    sweep: &Sweep,
    runner: &R,
    options: &RunOptions<'_>,
) -> Result<Estimate, SweepError> {
    let columns = columns(sweep, runner)?;
    let range = options.range(sweep);
    let to_run = range.end - range.start;
    let crew = Crew::new(sweep, runner, &columns);
    let group = |n: u64| {
        // in the middle of each eighth
        let offset = u128::from(to_run) * u128::from(2 * n + 1) / u128::from(2 * TRIED);
        let first = range.start + u64::try_from(offset).unwrap_or(0);
        first..first.saturating_add(crew.group()).min(range.end)
    };
    let begin = Instant::now();
    let mut rows = Vec::new();
    let mut time = Duration::ZERO;
    if to_run > 0 {
        // the first call makes a worker, which the others find
        crew.run(group(0).start..group(0).start + 1);
        for n in 0..TRIED.min(to_run) {
            let start = Instant::now();
            rows.extend(crew.run(group(n)));
            time += start.elapsed();
            if begin.elapsed() > TIME {
                break;
            }
        }
    }
    let tried = rows.len() as u64;
    let seconds_each = if tried > 0 { time.as_secs_f64() / tried as f64 } else { 0.0 };
    let threads = options.schedule().threads;
    let manifest = Manifest::new(sweep, &columns);
    let numbers = 2 + manifest.parameters().count() + manifest.quantities().count();
    let texts = rows.iter().map(text_bytes).sum::<u64>() / tried.max(1);
    let row_bytes = 8 * numbers as u64 + texts;
    // as rows, beside their columns and the encoded columns
    let held = (3 * options.chunk() as u64 + GROUP_ROWS as u64).min(4 * to_run);
    let memory = held * (3 * row_bytes + std::mem::size_of::<Row>() as u64);
    Ok(Estimate {
        instances: sweep.len(),
        to_run,
        columns: manifest.columns,
        tried,
        tried_failed: rows.iter().filter(|row| !row.outcome.is_finished()).count() as u64,
        seconds_each,
        threads,
        seconds: seconds_each * to_run as f64 / threads as f64,
        disk_bytes: to_run.saturating_mul(row_bytes),
        memory_bytes: PROGRAM + memory,
    })
}

fn text_bytes(row: &Row) -> u64 {
    match &row.outcome {
        Outcome::Finished { .. } => 0,
        Outcome::Failed { message, .. } => message.len() as u64,
    }
}
