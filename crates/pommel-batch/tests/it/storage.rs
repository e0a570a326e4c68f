//! Interrupted sweeps: what they leave, and that going on makes the same bytes.

use crate::directories::FILES;
use crate::support::{Mischief, Oscillator, Place, names, random_plan, random_sweep, sweep_of};
use pommel_batch::{
    Column, Instance, Observer, Outcome, Row, RunOptions, Runner, Summary, Sweep, SweepError,
    run_to_directory,
};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options of parts of ten rows.
pub(crate) fn tens() -> RunOptions<'static> {
    RunOptions { threads: 2, chunk: 10, ..Default::default() }
}

/// Cancels when so many instances are done; keeps what it is told.
pub(crate) struct Watch {
    cancel_at: u64,
    cancel: &'static AtomicBool,
    pub(crate) started: (u64, u64),
    pub(crate) notes: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

impl Watch {
    pub(crate) fn new(cancel_at: u64) -> Self {
        let cancel = Box::leak(Box::new(AtomicBool::new(false)));
        let (started, notes, rows) = ((0, 0), Vec::new(), Vec::new());
        Self { cancel_at, cancel, started, notes, rows }
    }
}

impl Observer for Watch {
    fn started(&mut self, total: u64, done: u64) {
        self.started = (total, done);
    }

    fn advanced(&mut self, done: u64, _: u64) {
        if done >= self.cancel_at {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn rows(&mut self, rows: &[Row]) {
        self.rows.extend_from_slice(rows);
    }

    fn noted(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }
}

/// Runs until so many instances are done.
pub(crate) fn run_until(
    done: u64,
    sweep: &Sweep,
    options: RunOptions<'_>,
    directory: &Path,
) -> (Result<Summary, SweepError>, Watch) {
    let mut watch = Watch::new(done);
    let options = RunOptions { cancel: Some(watch.cancel), ..options };
    let runner = Oscillator::with(&[(17, Mischief::Fail), (90, Mischief::Panic)]);
    let result = run_to_directory(sweep, &runner, &options, &mut watch, directory);
    (result, watch)
}

pub(crate) fn run_all(
    sweep: &Sweep,
    options: RunOptions<'_>,
    directory: &Path,
) -> (Summary, Watch) {
    let (result, watch) = run_until(u64::MAX, sweep, options, directory);
    (result.expect("runs"), watch)
}

pub(crate) fn results(directory: &Path) -> Vec<u8> {
    std::fs::read(directory.join("results.parquet")).expect("results")
}

/// What of a summary does not depend on clocks.
pub(crate) fn content(summary: Summary) -> Summary {
    Summary { wall_seconds: 0.0, instances_per_second: 0.0, threads: 0, ..summary }
}

#[test]
fn a_cancelled_sweep_keeps_its_rows_and_goes_on_to_the_same_bytes() {
    let place = Place::new("cancelled");
    let sweep = random_sweep(200);
    let (expected, reference) = run_all(&sweep, tens(), &place.join("whole"));
    let out = place.join("out");
    let mut before = 0;
    for cancel_at in [35, 60, 61, 150] {
        let options = RunOptions { resume: cancel_at > 35, ..tens() };
        let (result, watch) = run_until(cancel_at, &sweep, options, &out);
        assert_eq!(watch.started, (200, before));
        let error = result.expect_err("cancelled");
        let SweepError::Cancelled { done, total: 200, path: Some(path) } = &error else {
            panic!("{error}")
        };
        assert!(*done >= cancel_at && *path == out && watch.rows.is_empty());
        assert!(error.to_string().contains("--resume"), "{error}");
        before = *done;
        assert_eq!(names(&out), ["manifest.json", "parts", "plan.toml"]);
    }
    let error = run_until(u64::MAX, &sweep, tens(), &out).0.expect_err("not asked to go on");
    assert!(matches!(error, SweepError::Unfinished { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("--resume") && text.contains("remove the directory"), "{text}");

    let (summary, watch) = run_all(&sweep, RunOptions { resume: true, ..tens() }, &out);
    assert_eq!(watch.started, (200, before));
    assert_eq!(watch.rows, reference.rows, "all rows are shown, also those of earlier runs");
    assert_eq!(content(summary), content(expected.clone()));
    assert_eq!(results(&out), results(&place.join("whole")));
    assert_eq!(names(&out), FILES);

    let (again, watch) = run_all(&sweep, RunOptions { resume: true, ..tens() }, &out);
    assert_eq!(content(again), content(expected));
    assert!(watch.notes[0].ends_with("out is finished"), "{:?}", watch.notes);
    assert_eq!((watch.started, watch.rows), ((0, 0), reference.rows));
}

/// The state between any two steps of the end, made by hand.
#[test]
fn a_crash_between_the_last_steps_is_mended() {
    let place = Place::new("steps");
    let sweep = random_sweep(120);
    let whole = place.join("whole");
    run_all(&sweep, tens(), &whole);
    let out = place.join("out");
    for step in 0..4 {
        let _ = std::fs::remove_dir_all(&out);
        run_until(60, &sweep, tens(), &out).0.expect_err("cancelled");
        let copy = |name: &str| {
            std::fs::copy(whole.join(name), out.join(name)).expect("copied");
        };
        match step {
            0 => std::fs::write(out.join(".results.parquet.partial"), "half").expect("written"),
            1 => copy("results.parquet"),
            2 => ["results.parquet", "summary.json"].into_iter().for_each(copy),
            _ => {
                ["results.parquet", "summary.json"].into_iter().for_each(copy);
                std::fs::rename(out.join("parts"), out.join(".parts.removed")).expect("renamed");
            }
        }
        let (summary, watch) = run_all(&sweep, RunOptions { resume: true, ..tens() }, &out);
        assert_eq!((summary.instances, watch.rows.len()), (120, 120), "step {step}");
        assert_eq!(results(&out), results(&whole), "step {step}");
        assert_eq!(names(&out), FILES, "step {step}");
    }
}

#[test]
fn damaged_parts_are_run_again_with_a_note() {
    let place = Place::new("damaged");
    let sweep = random_sweep(120);
    run_all(&sweep, tens(), &place.join("whole"));
    let whole = results(&place.join("whole"));
    let out = place.join("out");
    let cut = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    let empty = |bytes: &mut Vec<u8>| bytes.clear();
    // a bit of a number, of which the format itself says nothing
    let flip = |bytes: &mut Vec<u8>| {
        let mass = sweep.parameters(10)[0].to_le_bytes();
        let at = bytes.windows(8).position(|window| window == mass).expect("the mass of 10");
        bytes[at] ^= 1;
    };
    for what in ["cut", "empty", "flip"] {
        let _ = std::fs::remove_dir_all(&out);
        run_until(60, &sweep, tens(), &out).0.expect_err("cancelled");
        let parts = names(&out.join("parts"));
        assert!(parts.len() > 4, "{parts:?}");
        let path = out.join("parts").join(&parts[1]);
        let mut bytes = std::fs::read(&path).expect("part");
        match what {
            "cut" => cut(&mut bytes),
            "empty" => empty(&mut bytes),
            _ => flip(&mut bytes),
        }
        std::fs::write(&path, bytes).expect("written");
        // the range of one under the name of another
        let (third, fourth) =
            (out.join("parts").join(&parts[2]), out.join("parts").join(&parts[3]));
        std::fs::copy(third, fourth).expect("copied");
        let (_, watch) = run_all(&sweep, RunOptions { resume: true, ..tens() }, &out);
        assert_eq!(watch.notes.len(), 2, "{what}: {:?}", watch.notes);
        assert!(watch.notes[0].contains(&parts[1]), "{what}: {:?}", watch.notes);
        assert!(watch.notes[1].contains(&parts[3]), "{what}: {:?}", watch.notes);
        assert_eq!(results(&out), whole, "{what}");
    }
}

/// Every byte of a part, wrong in one bit or all: found, or without effect.
#[test]
fn no_damage_of_a_part_reaches_the_results() {
    let place = Place::new("bits");
    let sweep = random_sweep(30);
    run_all(&sweep, tens(), &place.join("whole"));
    let whole = results(&place.join("whole"));
    let begun = place.join("begun");
    run_until(10, &sweep, tens(), &begun).0.expect_err("cancelled");
    let part = names(&begun.join("parts")).remove(0);
    let sound = std::fs::read(begun.join("parts").join(&part)).expect("part");
    let out = place.join("out");
    // the decoder's panics, which are caught, would fill the screen
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let mut wrong = Vec::new();
    for at in (0..sound.len()).step_by(41) {
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir_all(out.join("parts")).expect("directory");
        std::fs::copy(begun.join("manifest.json"), out.join("manifest.json")).expect("copied");
        let mut bytes = sound.clone();
        bytes[at] ^= if at % 2 == 0 { 0xff } else { 0x10 };
        std::fs::write(out.join("parts").join(&part), bytes).expect("written");
        let options = RunOptions { resume: true, threads: 1, chunk: 100, ..Default::default() };
        let result = run_until(u64::MAX, &sweep, options, &out).0;
        if result.is_err() || results(&out) != whole {
            wrong.push((at, result.err().map(|error| error.to_string())));
        }
    }
    std::panic::set_hook(hook);
    assert!(sound.len() > 1000 && wrong.is_empty(), "{wrong:?}");
}

#[test]
fn what_was_begun_with_another_plan_model_or_version_is_refused() {
    let place = Place::new("others-begun");
    let out = place.join("out");
    let sweep = random_sweep(60);
    run_until(20, &sweep, tens(), &out).0.expect_err("cancelled");
    let resume = RunOptions { resume: true, ..tens() };
    let other = sweep_of(&random_plan(60, 99));
    let error = run_until(u64::MAX, &other, resume, &out).0.expect_err("another plan");
    let text = error.to_string();
    assert!(matches!(error, SweepError::ForeignResults { .. }), "{text}");
    assert!(text.contains(sweep.plan_digest()) && text.contains(other.plan_digest()), "{text}");

    let manifest = std::fs::read_to_string(out.join("manifest.json")).expect("manifest");
    for (what, from, to) in [
        ("model", sweep.model_digest(), "0123"),
        ("version", concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"0.0.1\""),
        ("columns", "\"position\"", "\"place\""),
    ] {
        std::fs::write(out.join("manifest.json"), manifest.replace(from, to)).expect("written");
        let error = run_until(u64::MAX, &sweep, resume, &out).0.expect_err("changed");
        let SweepError::Changed { what: found, .. } = &error else { panic!("{what}: {error}") };
        assert_eq!(*found, what);
        assert!(error.to_string().contains("remove this one to start afresh"), "{error}");
    }
    std::fs::write(out.join("manifest.json"), "{").expect("written");
    let error = run_until(u64::MAX, &sweep, resume, &out).0.expect_err("unreadable");
    let SweepError::Damaged { path, .. } = &error else { panic!("{error}") };
    assert_eq!(*path, out.join("manifest.json"));
}

/// Parts are complete after some time, too, however few rows there are.
#[test]
fn a_slow_sweep_is_written_by_time() {
    struct Slow;
    impl Runner for Slow {
        type Worker = ();
        fn columns(&self) -> Vec<Column> {
            vec![Column::new("x", "m", "one number")]
        }
        fn worker(&self) {}
        fn run(&self, _: &mut (), instances: &[Instance<'_>]) -> Vec<Outcome> {
            std::thread::sleep(std::time::Duration::from_millis(20));
            vec![Outcome::Finished { values: vec![1.0] }; instances.len()]
        }
    }
    struct Count<'a>(&'a Path, usize);
    impl Observer for Count<'_> {
        fn advanced(&mut self, done: u64, _: u64) {
            if done == 40 {
                self.1 = names(&self.0.join("parts")).len();
            }
        }
    }
    let place = Place::new("slow");
    let out = place.join("out");
    let mut count = Count(&out, 0);
    let options = RunOptions { threads: 1, part_seconds: 0.05, ..Default::default() };
    run_to_directory(&random_sweep(40), &Slow, &options, &mut count, &out).expect("runs");
    assert!(count.1 >= 3, "{} parts", count.1);
}

/// Fails the instances whose index is a multiple of a number.
struct FailEvery(u64);

impl Runner for FailEvery {
    type Worker = ();
    fn columns(&self) -> Vec<Column> {
        vec![Column::new("x", "m", "one number")]
    }
    fn worker(&self) {}
    fn run(&self, _: &mut (), instances: &[Instance<'_>]) -> Vec<Outcome> {
        let one = |instance: &Instance<'_>| match instance.index() {
            k if k % self.0 == 0 => Outcome::failed("singular", "pivot", 0.0),
            k => Outcome::Finished { values: vec![k as f64] },
        };
        instances.iter().map(one).collect()
    }
}

#[test]
fn a_sweep_of_too_many_failures_stops_where_index_order_says() {
    let place = Place::new("failing");
    let sweep = random_sweep(2000);
    let run = |name: &str, threads: usize, chunk: usize, share: f64, resume: bool| {
        let options = RunOptions {
            max_failed_share: Some(share),
            resume,
            threads,
            chunk,
            ..Default::default()
        };
        run_to_directory(&sweep, &FailEvery(7), &options, &mut (), place.join(name))
    };
    // 15 of the first 100 and 29 of the first 200
    for (name, threads, chunk) in [("a", 1, 0), ("b", 2, 7), ("c", 2, 150)] {
        for resume in [false, true] {
            let error = run(name, threads, chunk, 0.1, resume).expect_err("too many");
            let SweepError::TooManyFailed { failed: 29, rows: 200, reasons, .. } = &error else {
                panic!("{name}: {error}")
            };
            assert_eq!(reasons["singular"], 29);
            let text = error.to_string();
            assert!(text.contains("singular: 29") && text.contains("--resume"), "{text}");
        }
        let summary = run(name, threads, chunk, 0.5, true).expect("a larger share");
        assert_eq!(summary.failed["singular"], 286);
        assert_eq!(results(&place.join(name)), results(&place.join("a")));
    }
    let error = run("d", 1, 0, 1.5, false).expect_err("no share");
    assert!(matches!(error, SweepError::Share { .. }) && !place.join("d").exists(), "{error}");
}

/// A name that a part will have is taken by a link to a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_the_file_and_what_to_do() {
    let place = Place::new("full");
    let out = place.join("out");
    let sweep = random_sweep(60);
    let link = |name: &str| {
        let path = out.join(name);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        std::os::unix::fs::symlink("/dev/full", path).expect("link");
    };
    let resume = RunOptions { threads: 1, resume: true, ..tens() };
    for (name, of) in [
        (".manifest.json.partial", "manifest.json".to_owned()),
        (
            "parts/.00000000000000000020-00000000000000000030.parquet.partial",
            "parts/00000000000000000020-00000000000000000030.parquet".to_owned(),
        ),
        (".results.parquet.partial", "results.parquet".to_owned()),
        (".summary.json.partial", "summary.json".to_owned()),
    ] {
        let _ = std::fs::remove_dir_all(&out);
        if !name.contains("parts/") {
            link(name);
        }
        let watch = &mut FullAt {
            at: 15,
            link: &|| {
                if name.contains("parts/") {
                    link(name)
                }
            },
        };
        let error = run_to_directory(&sweep, &Oscillator::default(), &resume, watch, &out)
            .expect_err("full");
        let SweepError::Io { action: "write", path, source } = &error else { panic!("{error}") };
        assert_eq!(*path, out.join(of));
        assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("make room, then go on with --resume"), "{error}");
        run_to_directory(&sweep, &Oscillator::default(), &resume, &mut (), &out).expect("goes on");
        assert_eq!(names(&out), FILES);
    }
    let expected = place.join("expected");
    run_to_directory(&sweep, &Oscillator::default(), &tens(), &mut (), &expected).expect("runs");
    assert_eq!(results(&out), results(&expected));
}

/// Fills the disk when so many instances are done.
#[cfg(target_os = "linux")]
struct FullAt<'a> {
    at: u64,
    link: &'a dyn Fn(),
}

#[cfg(target_os = "linux")]
impl Observer for FullAt<'_> {
    fn advanced(&mut self, done: u64, _: u64) {
        if done == self.at {
            (self.link)();
        }
    }
}

/// Nobody may write there, whoever they are.
#[cfg(target_os = "linux")]
#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    for path in ["/proc/pommel-results", "/sys/kernel"] {
        let result = run_until(u64::MAX, &random_sweep(3), tens(), Path::new(path)).0;
        let error = result.expect_err("cannot be written to");
        let SweepError::Io { action: "create", path: named, .. } = &error else {
            panic!("{error}")
        };
        assert!(named.starts_with(path), "{error}");
    }
}
