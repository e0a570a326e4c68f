//! Where results go, and what is left when they cannot.

use crate::support::{Oscillator, Place, names, random_plan, random_sweep, sweep_of};
use pommel_batch::{Observer, RunOptions, Summary, Sweep, SweepError, run_to_directory};
use std::path::Path;

/// What a finished sweep leaves.
pub(crate) const FILES: [&str; 4] =
    ["manifest.json", "plan.toml", "results.parquet", "summary.json"];

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
    assert_eq!(names(&directory), FILES);

    // without a manifest, the summary tells
    std::fs::remove_file(directory.join("manifest.json")).expect("removed");
    let error = write(&other, &directory).expect_err("foreign");
    assert!(matches!(error, SweepError::ForeignResults { found: Some(_), .. }), "{error}");
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
    assert_eq!(place.names(), [&FILES[..1], &["notes.txt"], &FILES[1..]].concat());
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

/// A name that is taken by a directory: found only when the results are complete. What was run is
/// there for the next try.
#[test]
fn a_failure_at_the_end_leaves_nothing_half_written() {
    let place = Place::new("taken");
    let out = place.join("out");
    std::fs::create_dir_all(out.join("summary.json/inside")).expect("directory");
    let error = write(&random_sweep(2), &out).expect_err("name is taken");
    let SweepError::Io { action: "read", path, .. } = &error else { panic!("{error}") };
    assert_eq!(*path, out.join("summary.json"));
    std::fs::remove_dir_all(out.join("summary.json")).expect("removed");
    std::fs::create_dir_all(out.join("results.parquet/inside")).expect("directory");
    let error = write(&random_sweep(2), &out).expect_err("name is taken");
    assert!(matches!(error, SweepError::ForeignResults { .. }), "{error}");
    assert_eq!(names(&out), ["results.parquet"]);
}

#[test]
fn two_sweeps_do_not_write_to_one_directory_at_once() {
    struct Second<'a>(&'a Path, Option<SweepError>);
    impl Observer for Second<'_> {
        fn started(&mut self, _: u64, _: u64) {
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
    assert_eq!(names(&directory), FILES);
}
