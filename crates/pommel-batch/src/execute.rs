//! Runs a sweep: chunks in index order, the groups of a chunk over the threads of a pool.

use crate::error::SweepError;
use crate::observe::Observer;
use crate::outcome::{Outcome, Row};
use crate::output::{FIXED_COLUMNS, Output};
use crate::runner::{Column, Instance, Runner};
use crate::summary::{Summary, Tally};
use crate::sweep::Sweep;
use rayon::prelude::*;
use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How a sweep is run; none of this changes its results.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Number of threads; 0 for one a core.
    pub threads: usize,
    /// Rows that are held in memory and written at once; 0 for 4096. Rounded up to whole groups.
    pub chunk: usize,
    /// Ends the sweep before the next group once it is true.
    pub cancel: Option<&'a AtomicBool>,
}

const CHUNK: usize = 4096;

/// Runs a sweep; the rows go to the observer only.
///
/// # Errors
/// [`SweepError::Cancelled`], [`SweepError::Threads`], [`SweepError::DuplicateColumn`].
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
    drive(sweep, runner, &columns, options, observer, &mut |_| Ok(()))
}

/// Runs a sweep and writes `results.parquet`, `summary.json` and `plan.toml` into a directory,
/// which is made if need be. Results of the same plan are replaced.
///
/// The files get their names once they are complete and on disk; if the sweep fails, nothing of it
/// remains and earlier results are as they were.
///
/// # Errors
/// As [`run`], and [`SweepError::NotADirectory`], [`SweepError::ForeignResults`],
/// [`SweepError::Busy`], [`SweepError::Io`] with the file.
///
/// # Panics
/// As [`run`].
pub fn run_to_directory<R: Runner>(
    sweep: &Sweep,
    runner: &R,
    options: &RunOptions<'_>,
    observer: &mut dyn Observer,
    directory: impl AsRef<Path>,
) -> Result<Summary, SweepError> {
    let columns = columns(sweep, runner)?;
    let mut output = Output::open(directory.as_ref(), sweep, &columns)?;
    let summary =
        drive(sweep, runner, &columns, options, observer, &mut |rows| output.write(rows))?;
    output.commit(sweep, &summary)?;
    Ok(summary)
}

/// The columns of the runner, if no two columns of the results have the same name.
fn columns<R: Runner>(sweep: &Sweep, runner: &R) -> Result<Vec<Column>, SweepError> {
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

fn drive<R: Runner>(
    sweep: &Sweep,
    runner: &R,
    columns: &[Column],
    options: &RunOptions<'_>,
    observer: &mut dyn Observer,
    sink: &mut dyn FnMut(&[Row]) -> Result<(), SweepError>,
) -> Result<Summary, SweepError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|source| SweepError::Threads { threads: options.threads, source })?;
    let group = runner.group().max(1) as u64;
    let wanted = if options.chunk == 0 { CHUNK } else { options.chunk } as u64;
    let chunk = wanted.div_ceil(group).saturating_mul(group);
    let total = sweep.len();
    let start = Instant::now();
    let crew = Crew {
        sweep,
        runner,
        columns,
        cancel: options.cancel,
        idle: Mutex::new(Vec::new()),
        done: AtomicU64::new(0),
        failed: AtomicU64::new(0),
    };
    let mut tally = Tally::new(columns.len());
    observer.started(total);

    let mut first = 0;
    while first < total {
        let last = first.saturating_add(chunk).min(total);
        let groups = (last - first).div_ceil(group) as usize;
        let watching: &dyn Observer = observer;
        // one job a group: the instances of a chunk may take very different times
        let rows: Vec<Option<Vec<Row>>> = pool.install(|| {
            let run = |g: usize| {
                let from = first + g as u64 * group;
                crew.group(from..from.saturating_add(group).min(last), watching)
            };
            (0..groups).into_par_iter().with_max_len(1).map(run).collect()
        });
        let Some(rows) = rows.into_iter().collect::<Option<Vec<_>>>() else {
            return Err(SweepError::Cancelled { done: crew.done.into_inner(), total });
        };
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        rows.iter().for_each(|row| tally.row(row));
        sink(&rows)?;
        observer.rows(&rows);
        first = last;
    }

    let seconds = start.elapsed().as_secs_f64();
    Ok(tally.finish(sweep, columns, pool.current_num_threads(), seconds))
}

/// What the threads share.
struct Crew<'a, R: Runner> {
    sweep: &'a Sweep,
    runner: &'a R,
    columns: &'a [Column],
    cancel: Option<&'a AtomicBool>,
    /// Workers that wait for a group.
    idle: Mutex<Vec<R::Worker>>,
    done: AtomicU64,
    failed: AtomicU64,
}

impl<R: Runner> Crew<'_, R> {
    /// Runs the instances of a group; none if the sweep is cancelled.
    fn group(&self, indices: std::ops::Range<u64>, observer: &dyn Observer) -> Option<Vec<Row>> {
        if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return None;
        }
        let parameters: Vec<_> =
            indices.clone().map(|index| self.sweep.parameters(index)).collect();
        let instances: Vec<_> = indices
            .clone()
            .zip(&parameters)
            .map(|(index, parameters)| Instance::new(self.sweep, index, parameters))
            .collect();
        let outcomes = self.outcomes(&instances);
        let end = self.sweep.end();
        let rows: Vec<_> = indices
            .zip(parameters)
            .zip(outcomes)
            .map(|((index, parameters), outcome)| {
                let outcome = outcome.checked(self.columns, end.of(&parameters));
                Row { index, parameters, outcome }
            })
            .collect();
        let count = rows.len() as u64;
        let failures = rows.iter().filter(|row| !row.outcome.is_finished()).count() as u64;
        let failed = self.failed.fetch_add(failures, Ordering::Relaxed) + failures;
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        observer.advanced(done, failed);
        Some(rows)
    }

    /// The outcomes of a group; a panic costs only the instance that causes it.
    fn outcomes(&self, instances: &[Instance<'_>]) -> Vec<Outcome> {
        let outcomes = match self.attempt(instances) {
            Ok(outcomes) => outcomes,
            Err(payload) if instances.len() == 1 => vec![Outcome::panicked(&*payload)],
            Err(_) => instances
                .iter()
                .flat_map(|instance| self.outcomes(std::slice::from_ref(instance)))
                .collect(),
        };
        assert_eq!(
            outcomes.len(),
            instances.len(),
            "outcomes that the runner gave: {}, instances: {}",
            outcomes.len(),
            instances.len()
        );
        outcomes
    }

    /// One call of the runner. A worker that panicked is dropped, not used again; the runner itself
    /// is shared and only read, so nothing that the panic left half-done is seen again.
    fn attempt(
        &self,
        instances: &[Instance<'_>],
    ) -> Result<Vec<Outcome>, Box<dyn Any + Send + 'static>> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let (worker, outcomes) = catch_unwind(AssertUnwindSafe(|| {
            let mut worker = waiting.unwrap_or_else(|| self.runner.worker());
            let outcomes = self.runner.run(&mut worker, instances);
            (worker, outcomes)
        }))?;
        idle().push(worker);
        Ok(outcomes)
    }
}
