//! Where results go, and what is left when they cannot.

use crate::support::{Oscillator, Place, names, random_plan, random_sweep, sweep_of};
use pommel_batch::{Observer, RunOptions, Summary, Sweep, SweepError, run_to_directory};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

fn write(sweep: &Sweep, directory: &Path) -> Result<Summary, SweepError> {
    let options = RunOptions { threads: 1, ..Default::default() };
    run_to_directory(sweep, &Oscillator::default(), &options, &mut (), directory)
}

#[test]
fn the_same_plan_replaces_its_results_and_another_is_refused() {
    let place = Place::new("foreign");
    let directory = place.join("out");
    let first = write(&random_sweep(5), &directory).expect("first");
    let again = write(&random_sweep(5), &directory).expect("again");
    assert_eq!(first.digest, again.digest);
    let before = std::fs::read(directory.join("results.parquet")).expect("results");
    let other = sweep_of(&random_plan(5, 99));
    let error = write(&other, &directory).expect_err("foreign");
    let SweepError::ForeignResults { found, .. } = &error else { panic!("{error}") };
    assert_eq!(*found, Some(first.plan_digest));
    assert!(error.to_string().contains("choose another directory"), "{error}");
    assert_eq!(std::fs::read(directory.join("results.parquet")).expect("results"), before);
    assert_eq!(names(&directory), ["plan.toml", "results.parquet", "summary.json"]);

    std::fs::remove_file(directory.join("summary.json")).expect("removed");
    let error = write(&random_sweep(5), &directory).expect_err("unknown origin");
    assert!(matches!(error, SweepError::ForeignResults { found: None, .. }), "{error}");
    std::fs::write(directory.join("summary.json"), "{").expect("written");
    let error = write(&random_sweep(5), &directory).expect_err("unreadable summary");
    assert!(matches!(error, SweepError::ForeignResults { found: None, .. }), "{error}");
}

#[test]
fn files_of_others_stay() {
    let place = Place::new("others");
    std::fs::write(place.join("notes.txt"), "mine").expect("written");
    write(&random_sweep(2), &place.join("")).expect("runs");
    assert_eq!(place.names(), ["notes.txt", "plan.toml", "results.parquet", "summary.json"]);
}

#[test]
fn places_that_are_no_directories_are_errors_with_their_path() {
    let place = Place::new("no-directory");
    std::fs::write(place.join("file"), "").expect("written");
    let error = write(&random_sweep(2), &place.join("file")).expect_err("a file");
    assert!(matches!(error, SweepError::NotADirectory { .. }), "{error}");
    let error = write(&random_sweep(2), &place.join("file/below")).expect_err("below a file");
    let SweepError::Io { action: "create", path, .. } = &error else { panic!("{error}") };
    assert_eq!(*path, place.join("file/below"));
    assert_eq!(place.names(), ["file"]);
}

/// A name that is taken by a directory: found only when the results are complete.
#[test]
fn a_failure_at_the_end_leaves_nothing_half_written() {
    let place = Place::new("taken");
    std::fs::create_dir_all(place.join("out/plan.toml/inside")).expect("directory");
    let error = write(&random_sweep(2), &place.join("out")).expect_err("name is taken");
    let SweepError::Io { action: "rename", path, .. } = &error else { panic!("{error}") };
    assert_eq!(*path, place.join("out/plan.toml"));
    let left: Vec<_> =
        names(&place.join("out")).into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_the_file_and_leaves_nothing() {
    let place = Place::new("full");
    std::fs::create_dir(place.join("out")).expect("directory");
    // a device that is always full, under the name that the table has while it is written
    let partial = place.join("out/.results.parquet.partial");
    std::os::unix::fs::symlink("/dev/full", partial).expect("link");
    let error = write(&random_sweep(2), &place.join("out")).expect_err("full");
    let SweepError::Io { action: "write", path, source } = &error else { panic!("{error}") };
    assert_eq!(*path, place.join("out/results.parquet"));
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{error}");
    assert!(names(&place.join("out")).is_empty());
}

#[test]
fn cancelling_leaves_nothing_and_keeps_earlier_results() {
    struct Cancel<'a>(&'a AtomicBool);
    impl Observer for Cancel<'_> {
        fn advanced(&self, done: u64, _: u64) {
            self.0.store(done >= 15, Ordering::Relaxed);
        }
    }
    let place = Place::new("cancel");
    let (fresh, used) = (place.join("fresh"), place.join("used"));
    let sweep = random_sweep(40);
    write(&sweep, &used).expect("runs");
    let before = std::fs::read(used.join("summary.json")).expect("summary");
    for directory in [&fresh, &used] {
        let cancel = AtomicBool::new(false);
        let options = RunOptions { threads: 1, chunk: 10, cancel: Some(&cancel) };
        let runner = Oscillator::default();
        let error = run_to_directory(&sweep, &runner, &options, &mut Cancel(&cancel), directory)
            .expect_err("cancelled");
        assert_eq!(
            error.to_string(),
            "cancelled after 15 of 40 instances; no results of this run are kept, \
             earlier results are as they were"
        );
    }
    assert!(!fresh.exists());
    assert_eq!(std::fs::read(used.join("summary.json")).expect("summary"), before);
    assert_eq!(names(&used), ["plan.toml", "results.parquet", "summary.json"]);
}

#[test]
fn two_sweeps_do_not_write_to_one_directory_at_once() {
    struct Second<'a>(&'a Path, Option<SweepError>);
    impl Observer for Second<'_> {
        fn started(&mut self, _: u64) {
            self.1 = write(&random_sweep(2), self.0).err();
        }
    }
    let place = Place::new("busy");
    let directory = place.join("out");
    let mut second = Second(&directory, None);
    let options = RunOptions::default();
    run_to_directory(&random_sweep(3), &Oscillator::default(), &options, &mut second, &directory)
        .expect("the first runs");
    assert!(matches!(second.1, Some(SweepError::Busy { .. })), "{:?}", second.1);
    assert_eq!(names(&directory), ["plan.toml", "results.parquet", "summary.json"]);
}
