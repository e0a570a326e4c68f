//! Running: order, independence from threads and chunks, failures, panics, cancellation.

use crate::support::{Mischief, Oscillator, random_plan, random_sweep, sweep_of};
use pommel_batch::{
    Column, Instance, Observer, Outcome, Row, RunOptions, Runner, Summary, SweepError, run,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// Keeps everything that an observer is told.
#[derive(Default)]
struct Record {
    total: u64,
    calls: u64,
    done: u64,
    failed: u64,
    rows: Vec<Row>,
    chunks: Vec<usize>,
}

impl Observer for Record {
    fn started(&mut self, total: u64, _: u64) {
        self.total = total;
    }

    fn advanced(&mut self, done: u64, failed: u64) {
        assert!(done > self.done && failed >= self.failed);
        self.calls += 1;
        (self.done, self.failed) = (done, failed);
    }

    fn rows(&mut self, rows: &[Row]) {
        self.rows.extend_from_slice(rows);
        self.chunks.push(rows.len());
    }
}

fn options(threads: usize, chunk: usize) -> RunOptions<'static> {
    RunOptions { threads, chunk, ..Default::default() }
}

fn record(runner: &Oscillator, options: &RunOptions<'_>) -> (Summary, Record) {
    let mut record = Record::default();
    let summary = run(&random_sweep(103), runner, options, &mut record).expect("runs");
    (summary, record)
}

/// The part of a summary that must not depend on how the sweep was run.
fn content(summary: &Summary) -> Summary {
    Summary { wall_seconds: 0.0, instances_per_second: 0.0, threads: 0, ..summary.clone() }
}

#[test]
fn rows_come_in_index_order_with_the_numbers_of_the_closed_form() {
    let (summary, record) = record(&Oscillator::default(), &options(2, 10));
    assert_eq!((record.total, record.rows.len(), summary.finished), (103, 103, 103));
    assert_eq!(record.chunks, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3]);
    let sweep = random_sweep(103);
    for (index, row) in (0..).zip(&record.rows) {
        assert_eq!(row.index, index);
        assert_eq!(row.parameters, sweep.parameters(index));
        let Outcome::Finished { values } = &row.outcome else { panic!("{row:?}") };
        let [mass, speed] = row.parameters[..] else { panic!("{row:?}") };
        assert_eq!(values[1], 0.5 * mass * speed * speed);
    }
    assert_eq!(record.done, 103);
    assert_eq!(record.calls, 103);
}

#[test]
fn results_do_not_depend_on_threads_chunks_groups_or_the_run() {
    let (expected, reference) = record(&Oscillator::default(), &options(1, 0));
    for (threads, chunk, group) in
        [(1, 0, 1), (2, 0, 1), (2, 7, 1), (1, 1, 1), (2, 10, 4), (3, 1000, 8)]
    {
        let runner = Oscillator { group, ..Oscillator::default() };
        let (summary, record) = record(&runner, &options(threads, chunk));
        assert_eq!(content(&summary), content(&expected), "{threads} {chunk} {group}");
        assert_eq!(record.rows, reference.rows);
        assert_eq!(summary.threads, threads);
        // no more workers than can be busy at once
        assert!(runner.workers.into_inner() <= threads);
    }
}

#[test]
fn the_digest_changes_with_any_content() {
    let digest = |runner: &Oscillator| record(runner, &options(2, 0)).0.digest;
    let all = [
        digest(&Oscillator::default()),
        digest(&Oscillator::with(&[(50, Mischief::Fail)])),
        digest(&Oscillator::with(&[(51, Mischief::Fail)])),
        digest(&Oscillator::with(&[(50, Mischief::NotANumber)])),
    ];
    for (a, first) in all.iter().enumerate() {
        assert!(all[..a].iter().all(|second| second != first), "{all:?}");
    }
    struct Nudged(f64);
    impl Runner for Nudged {
        type Worker = ();
        fn columns(&self) -> Vec<Column> {
            vec![Column::new("x", "m", "one number")]
        }
        fn worker(&self) {}
        fn run(&self, _: &mut (), instances: &[Instance<'_>]) -> Vec<Outcome> {
            let value = |i: &Instance<'_>| if i.index() == 60 { self.0 } else { 1.0 };
            instances.iter().map(|i| Outcome::Finished { values: vec![value(i)] }).collect()
        }
    }
    let digest = |value| {
        run(&random_sweep(103), &Nudged(value), &options(2, 0), &mut ()).expect("runs").digest
    };
    assert_ne!(digest(1.0), digest(1.0 + f64::EPSILON));
    assert_ne!(digest(0.0), digest(-0.0));
}

#[test]
fn failures_panics_and_nan_are_rows_with_reasons() {
    for group in [1, 4] {
        let mischief = [
            (3, Mischief::Fail),
            (4, Mischief::Panic),
            (6, Mischief::NotANumber),
            (7, Mischief::Panic),
        ];
        let runner = Oscillator { group, ..Oscillator::with(&mischief) };
        let (summary, record) = record(&runner, &options(2, 0));
        assert_eq!((summary.instances, summary.finished), (103, 99));
        let failed: Vec<_> = summary.failed.iter().map(|(k, n)| (k.as_str(), *n)).collect();
        assert_eq!(failed, [("not finite", 1), ("panic", 2), ("singular", 1)]);
        assert_eq!(record.failed, 4);
        let outcome = |index: usize| &record.rows[index].outcome;
        assert_eq!(*outcome(3), Outcome::failed("singular", "pivot 0 at joint j_L2", 0.25));
        assert_eq!(*outcome(4), Outcome::failed("panic", "instance 4 panics", 0.0));
        assert_eq!(*outcome(6), Outcome::failed("not finite", "position is NaN", 2.0));
        assert!([2, 5, 8].iter().all(|index| outcome(*index).is_finished()));
    }
}

#[test]
fn an_invalid_model_is_a_failed_instance() {
    let sweep =
        sweep_of(&random_plan(200, 7).replace("uniform = [1.0, 3.0]", "uniform = [-1.0, 3.0]"));
    let mut record = Record::default();
    let summary = run(&sweep, &Oscillator::default(), &options(2, 0), &mut record).expect("runs");
    let negative = record.rows.iter().filter(|row| row.parameters[0] < 0.0).count() as u64;
    assert!(negative > 20);
    assert_eq!((summary.failed["model"], summary.finished), (negative, 200 - negative));
    let failed = record.rows.iter().find(|row| !row.outcome.is_finished()).expect("a failure");
    let Outcome::Failed { message, time, .. } = &failed.outcome else { panic!("failed") };
    assert!(message.contains("bodies[1] 'L1'.mass") && *time == 0.0, "{message}");
}

#[test]
fn a_sweep_without_a_finished_instance_has_no_means() {
    let sweep = random_sweep(2);
    let runner = Oscillator::with(&[(0, Mischief::Fail), (1, Mischief::Fail)]);
    let summary = run(&sweep, &runner, &options(1, 0), &mut ()).expect("runs");
    assert_eq!(summary.finished, 0);
    assert!(summary.quantities.iter().all(|q| (q.min, q.mean, q.max) == (None, None, None)));
}

#[test]
fn cancelling_stops_before_the_next_group() {
    struct CancelAt<'a>(u64, &'a AtomicBool);
    impl Observer for CancelAt<'_> {
        fn advanced(&mut self, done: u64, _: u64) {
            if done >= self.0 {
                self.1.store(true, Ordering::Relaxed);
            }
        }
    }
    let cancel = AtomicBool::new(false);
    let options = RunOptions { cancel: Some(&cancel), ..options(2, 10) };
    let error =
        run(&random_sweep(103), &Oscillator::default(), &options, &mut CancelAt(25, &cancel))
            .expect_err("cancelled");
    let SweepError::Cancelled { done, total, path: None } = error else { panic!("{error}") };
    // threads are ahead of what the observer is told by no more than the window
    assert!((25..=36).contains(&done) && total == 103, "{done} of {total}");
}

#[test]
fn columns_with_the_same_name_are_refused() {
    let sweep = sweep_of(&random_plan(2, 1).replace("name = \"mass\"", "name = \"energy\""));
    let error = run(&sweep, &Oscillator::default(), &options(1, 0), &mut ()).expect_err("clash");
    assert_eq!(
        error.to_string(),
        "two columns are called 'energy'; give the parameter another `name` in the plan"
    );
}

#[test]
#[should_panic(expected = "columns of the runner: 1, values that it gave: 2")]
fn a_runner_with_the_wrong_number_of_values_is_a_programming_error() {
    struct Wrong;
    impl Runner for Wrong {
        type Worker = ();
        fn columns(&self) -> Vec<Column> {
            vec![Column::new("x", "m", "one number")]
        }
        fn worker(&self) {}
        fn run(&self, _: &mut (), instances: &[Instance<'_>]) -> Vec<Outcome> {
            vec![Outcome::Finished { values: vec![1.0, 2.0] }; instances.len()]
        }
    }
    let _ = run(&random_sweep(1), &Wrong, &options(1, 0), &mut ());
}
