//! Shares of a sweep: the same bytes as the whole, in any order, one process each.

use crate::directories::FILES;
use crate::storage::{content, results, run_all, run_until, tens};
use crate::support::{Oscillator, Place, names, random_plan, random_sweep, sweep_of};
use pommel_batch::{
    MergeOptions, Observer, ParquetReader, RunOptions, Shard, SweepError, merge, run_to_directory,
};
use std::path::Path;

fn shard(index: u32, count: u32) -> RunOptions<'static> {
    RunOptions { shard: Shard::new(index, count), ..tens() }
}

const KEEP: MergeOptions = MergeOptions { remove_shards: false };
const REMOVE: MergeOptions = MergeOptions { remove_shards: true };

#[test]
fn shares_cover_the_sweep_without_overlap() {
    for length in [1, 2, 3, 10, 1001, u64::MAX] {
        for count in [1, 2, 3, 7, 1000, u32::MAX] {
            let mut next = 0;
            let few = 1..=count.min(1000);
            for index in few {
                let range = Shard::new(index, count).expect("a share").range(length);
                assert_eq!(range.start, next, "{index}/{count} of {length}");
                next = range.end;
            }
            let last = Shard::new(count, count).expect("a share").range(length);
            assert_eq!(last.end, length);
        }
    }
    assert_eq!("2/8".parse(), Ok(Shard::new(2, 8).expect("a share")));
    for text in ["0/8", "9/8", "1", "a/b", "1/0", "-1/2", ""] {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}

#[test]
fn merged_shares_are_the_bytes_of_the_whole() {
    let place = Place::new("merged");
    let sweep = random_sweep(200);
    let (expected, reference) = run_all(&sweep, tens(), &place.join("whole"));
    for (name, order, remove) in [("one", &[1_u32][..], KEEP), ("three", &[2, 3, 1], REMOVE)] {
        let out = place.join(name);
        let count = order.len() as u32;
        for (n, index) in order.iter().enumerate() {
            if n > 0 {
                let error = merge(&out, &KEEP, &mut ()).expect_err("shares are missing");
                let SweepError::MissingShards { missing, found, .. } = &error else {
                    panic!("{error}")
                };
                assert_eq!((missing.len(), *found), (order.len() - n, n));
                for missing in &order[n..] {
                    assert!(error.to_string().contains(&format!("--shard {missing}/{count}")));
                }
                let error = run_until(u64::MAX, &sweep, tens(), &out).0.expect_err("sharded");
                assert!(matches!(error, SweepError::Sharded { .. }), "{error}");
            }
            run_all(&sweep, shard(*index, count), &out);
        }
        let mut watch = crate::storage::Watch::new(u64::MAX);
        let summary = merge(&out, &remove, &mut watch).expect("merges");
        assert_eq!(content(summary), content(expected.clone()));
        assert_eq!(results(&out), results(&place.join("whole")));
        assert_eq!(watch.rows, reference.rows);
        if remove.remove_shards {
            assert_eq!(names(&out), FILES);
        } else {
            assert_eq!(names(&out).len(), 5);
        }
        let again = merge(&out, &KEEP, &mut ()).expect("once more");
        assert_eq!(content(again), content(expected.clone()));
        assert_eq!(results(&out), results(&place.join("whole")));
        // a scheduler that runs its jobs once more
        let (_, watch) = run_all(&sweep, shard(1, count), &out);
        assert_eq!((watch.started, watch.notes.len()), ((0, 0), 1));
    }
}

#[test]
fn the_size_of_groups_does_not_matter() {
    let place = Place::new("groups");
    let sweep = random_sweep(101);
    for group in [1, 4, 8] {
        let out = place.join(&format!("out{group}"));
        for index in 1..=3 {
            let runner = Oscillator { group, ..Oscillator::default() };
            run_to_directory(&sweep, &runner, &shard(index, 3), &mut (), &out).expect("runs");
        }
        merge(&out, &KEEP, &mut ()).expect("merges");
        assert_eq!(results(&out), results(&place.join("out1")), "{group}");
    }
}

#[test]
fn a_share_goes_on_by_itself_and_is_run_once() {
    let place = Place::new("share");
    let out = place.join("out");
    let sweep = random_sweep(200);
    let error = run_until(30, &sweep, shard(2, 3), &out).0.expect_err("cancelled");
    let SweepError::Cancelled { done, total: 67, .. } = error else { panic!("{error}") };
    assert_eq!(names(&out), ["manifest.json", "parts", "plan.toml"]);
    let (first, watch) = run_all(&sweep, shard(2, 3), &out);
    assert_eq!((watch.started, first.instances), ((67, done), 67));
    assert_eq!(names(&out), ["manifest.json", "plan.toml", "shard-2-of-3.parquet"]);
    let (again, watch) = run_all(&sweep, shard(2, 3), &out);
    assert_eq!(content(again), content(first));
    assert_eq!((watch.started, watch.notes.len(), watch.rows.len()), ((0, 0), 1, 67));

    let error = run_until(u64::MAX, &sweep_of(&random_plan(200, 99)), shard(1, 3), &out);
    assert!(matches!(error.0, Err(SweepError::ForeignResults { .. })), "{:?}", error.0);
}

#[test]
fn shares_without_instances_are_valid_and_empty() {
    let place = Place::new("empty");
    let out = place.join("out");
    let sweep = random_sweep(2);
    for index in 1..=5 {
        run_all(&sweep, shard(index, 5), &out);
    }
    let lengths = (1..=5).map(|index| {
        let table = ParquetReader::open(out.join(format!("shard-{index}-of-5.parquet")));
        table.expect("a table").rows()
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [0, 0, 1, 0, 1]);
    merge(&out, &KEEP, &mut ()).expect("merges");
    run_all(&sweep, tens(), &place.join("whole"));
    assert_eq!(results(&out), results(&place.join("whole")));
}

#[test]
fn one_share_is_run_by_one_process_and_others_beside_it() {
    struct Second<'a>(&'a Path, Vec<Option<SweepError>>);
    impl Observer for Second<'_> {
        fn started(&mut self, _: u64, _: u64) {
            let sweep = random_sweep(20);
            self.1.push(run_until(u64::MAX, &sweep, shard(1, 2), self.0).0.err());
            self.1.push(run_until(u64::MAX, &sweep, shard(2, 2), self.0).0.err());
            self.1.push(run_until(u64::MAX, &sweep, tens(), self.0).0.err());
            self.1.push(merge(self.0, &KEEP, &mut ()).err());
        }
    }
    let place = Place::new("beside");
    let out = place.join("out");
    let mut second = Second(&out, Vec::new());
    let runner = Oscillator::default();
    run_to_directory(&random_sweep(20), &runner, &shard(1, 2), &mut second, &out).expect("runs");
    let busy = |error: &Option<SweepError>| matches!(error, Some(SweepError::Busy { .. }));
    assert!(busy(&second.1[0]) && second.1[1].is_none(), "{:?}", second.1);
    assert!(busy(&second.1[2]) && busy(&second.1[3]), "{:?}", second.1);
    merge(&out, &REMOVE, &mut ()).expect("merges");
    assert_eq!(names(&out), FILES, "no lock is left");
}

#[test]
fn damaged_shares_are_named() {
    let place = Place::new("damaged-share");
    let out = place.join("out");
    for index in 1..=2 {
        run_all(&random_sweep(40), shard(index, 2), &out);
    }
    let path = out.join("shard-2-of-2.parquet");
    let sound = std::fs::read(&path).expect("share");
    let mass = random_sweep(40).parameters(25)[0].to_le_bytes();
    let at = sound.windows(8).position(|window| window == mass).expect("the mass of 25");
    let mut flipped = sound.clone();
    flipped[at] ^= 1;
    let first = std::fs::read(out.join("shard-1-of-2.parquet")).expect("share");
    for bytes in [&flipped, &sound[..sound.len() / 2].to_vec(), &first, &Vec::new()] {
        std::fs::write(&path, bytes).expect("written");
        let error = merge(&out, &KEEP, &mut ()).expect_err("damaged");
        let SweepError::Damaged { path: named, .. } = &error else { panic!("{error}") };
        assert_eq!(*named, path);
        assert!(error.to_string().contains("remove it and run"), "{error}");
        assert!(!out.join("results.parquet").exists());
    }
    let error = merge(place.join("nothing"), &KEEP, &mut ()).expect_err("nothing there");
    assert!(matches!(error, SweepError::NoSweep { .. }), "{error}");
}
