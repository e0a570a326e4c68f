//! Sweeps that end early, shares, and estimates, through the program.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{ARM, Place, Run, parquet_columns, plan, pommel};

/// A place with the arm and a plan of so many arms, each simulated for one step.
fn place_with_plan(count: u64) -> (Place, String) {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let rest = format!(
        "integrator = {{ name = \"rk4\", step = 0.5 }}\n\
         design = {{ kind = \"random\", count = {count}, seed = 3 }}\n\
         [[parameters]]\npath = \"bodies.link.mass\"\nname = \"mass\"\nunit = \"kg\"\n\
         uniform = [-0.001, 3.0]\n"
    );
    let plan = place.file("plan.toml", plan(&rest));
    (place, plan)
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pommel"));
    let command = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Waits for a part of a sweep.
fn wait_for_part(directory: &str) {
    let start = Instant::now();
    loop {
        let entries = std::fs::read_dir(Path::new(directory).join("parts"));
        let mut names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
        if names.any(|name| name.to_string_lossy().starts_with("0000")) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no part appears");
        sleep(Duration::from_millis(2));
    }
}

/// Killed at 20 moments all over the run, with what was kept taken up after each.
#[test]
fn a_sweep_that_is_killed_anywhere_goes_on_to_the_same_bytes() {
    let (place, plan) = place_with_plan(20_000);
    let begin = Instant::now();
    let whole = pommel(&["sweep", &plan, "--out", &place.path("whole"), "--json"]).json();
    let time = begin.elapsed();
    let expected = place.read("whole/results.parquet");
    // fixed numbers that look random, in [0, 1)
    let mut state = 1_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut kills, mut rounds) = (0, 0);
    while kills < 20 {
        let out = place.path(&format!("round{rounds}"));
        let args = ["sweep", &plan, "--out", &out, "--resume", "--threads", "2", "--json"];
        loop {
            let mut child = start(&args);
            sleep(time.mul_f64(0.7 * random()));
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            child.kill().expect("killed");
            child.wait().expect("a child");
            kills += 1;
        }
        let summary = pommel(&args).json();
        assert_eq!(summary["digest"], whole["digest"]);
        assert_eq!(summary["quantities"], whole["quantities"]);
        assert!(place.read(&format!("round{rounds}/results.parquet")) == expected);
        assert!(!Path::new(&out).join("parts").exists());
        rounds += 1;
        assert!(rounds < 40, "kills come too late");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_run() {
    let (place, plan) = place_with_plan(60_000);
    let out = place.path("results");
    let child = start(&["sweep", &plan, "--out", &out, "--threads", "1"]);
    wait_for_part(&out);
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    let run = Run::of(child.wait_with_output().expect("a child"));
    run.fails(130, &["stopped after", "of 60000 instances", "--resume", &out]);
    assert_eq!(place.names("results"), ["manifest.json", "parts", "plan.toml"]);

    pommel(&["sweep", &plan, "--out", &out]).fails(1, &["--resume", "remove the directory"]);
    let run = pommel(&["sweep", &plan, "--out", &out, "--resume"]).succeeds();
    assert!(run.out.contains("of 60000 finished"), "{}", run.out);
    let run = pommel(&["sweep", &plan, "--out", &out, "--resume"]).succeeds();
    assert!(run.err.contains("results is finished") && run.out.contains("digest"), "{}", run.err);
}

#[test]
fn shares_are_run_and_merged() {
    let (place, plan) = place_with_plan(2000);
    let whole = pommel(&["sweep", &plan, "--out", &place.path("whole"), "--json"]).json();
    let out = place.path("shares");
    for shard in ["3/3", "1/3"] {
        pommel(&["sweep", &plan, "--out", &out, "--shard", shard]).succeeds();
    }
    pommel(&["merge", &out])
        .fails(1, &["of 3 shares", "2 are there", &format!("--out {out} --shard 2/3")]);
    let run = pommel(&["sweep", &plan, "--out", &out, "--shard", "2/3"]).succeeds();
    assert!(run.out.contains("shard-2-of-3.parquet"), "{}", run.out);
    let run = pommel(&["sweep", &plan, "--out", &out, "--shard", "2/3"]).succeeds();
    assert!(run.err.contains("is complete"), "{}", run.err);
    pommel(&["sweep", &plan, "--out", &out]).fails(1, &["holds shares", "pommel merge"]);
    // neither plan nor model are needed
    std::fs::remove_file(place.path("arm.toml")).expect("removed");
    std::fs::remove_file(&plan).expect("removed");
    let merged = pommel(&["merge", &out, "--json", "--remove-shards"]).json();
    assert_eq!(merged["digest"], whole["digest"]);
    assert_eq!(merged["failed"], whole["failed"]);
    assert!(place.read("shares/results.parquet") == place.read("whole/results.parquet"));
    assert_eq!(place.read("shares/plot.svg"), place.read("whole/plot.svg"));
    assert_eq!(place.names("shares"), place.names("whole"));
    pommel(&["merge", &place.path("whole"), "--json"]).json();
    pommel(&["merge", &place.path("nowhere")]).fails(1, &["nowhere", "holds no sweep"]);
    pommel(&["sweep", &plan, "--out", &out, "--shard", "4/3"]).fails(2, &["4/3", "1 to N"]);
}

#[test]
fn too_many_failures_stop_a_sweep() {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let masses = "design = { kind = \"random\", count = 1000, seed = 3 }\n\
                  [[parameters]]\npath = \"bodies.link.mass\"\nuniform = [-1.0, 1.0]\n";
    let plan = place.file("plan.toml", plan(masses));
    let out = place.path("results");
    let args = ["sweep", &plan, "--out", &out, "--max-failed", "0.2"];
    pommel(&args).fails(1, &["of the first 100 instances failed", "model: ", "--resume"]);
    let args = ["sweep", &plan, "--out", &out, "--max-failed", "0.9", "--resume", "--json"];
    assert_eq!(pommel(&args).json()["instances"], 1000);
    pommel(&["sweep", &plan, "--out", &out, "--max-failed", "-1"]).fails(2, &["from 0 to 1"]);
}

#[test]
fn an_estimate_writes_nothing_and_is_of_the_right_size() {
    let (place, plan) = place_with_plan(20_000);
    let estimate = pommel(&["sweep", &plan, "--dry-run", "--json", "--shard", "1/2"]).json();
    assert_eq!((&estimate["instances"], &estimate["to_run"]), (&json!(20_000), &json!(10_000)));
    // a group in each eighth, of as many as go side by side on this machine
    let tried = estimate["tried"].as_u64().expect("a count");
    assert!(tried >= 8 && tried.is_multiple_of(8), "{tried}");
    let run = pommel(&["sweep", &plan, "--dry-run", "--out", &place.path("results")]).succeeds();
    for text in ["20000 instances", "bodies.link.mass", "memory", "disk", "nothing was written"] {
        assert!(run.out.contains(text), "'{text}' is not in {}", run.out);
    }
    assert_eq!(place.names("."), ["arm.toml", "plan.toml"]);

    pommel(&["sweep", &plan, "--out", &place.path("results"), "--shard", "1/2"]).succeeds();
    let size = place.read("results/shard-1-of-2.parquet").len() as f64;
    let ratio = estimate["disk_bytes"].as_f64().expect("bytes") / size;
    assert!((0.5..3.0).contains(&ratio), "{ratio}");
    let columns = parquet_columns(&place.path("results/shard-1-of-2.parquet"));
    let names: Vec<_> = (estimate["columns"].as_array().expect("a list").iter())
        .map(|column| column["name"].as_str().expect("a name"))
        .collect();
    assert!(names.len() == columns.len() && names.iter().all(|name| columns.contains_key(*name)));
}

/// A file system of 200 kB, if this process may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_file_system_costs_no_row_that_was_written() {
    struct Mounted(String);
    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(&self.0).output();
        }
    }
    let mount = |args: &[&str]| Command::new("mount").args(args).output();
    let (place, plan) = place_with_plan(20_000);
    let disk = place.path("disk");
    std::fs::create_dir(&disk).expect("directory");
    let mounted = mount(&["-t", "tmpfs", "-o", "size=200k", "tmpfs", &disk]);
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this process may not mount a file system");
        return;
    }
    let _guard = Mounted(disk.clone());
    let out = format!("{disk}/results");
    let args = ["sweep", &plan, "--out", &out, "--resume"];
    pommel(&args).fails(1, &["cannot write", "parts/", "make room", "--resume"]);
    let larger = mount(&["-o", "remount,size=100m", &disk]).expect("mount");
    assert!(larger.status.success());
    let run = pommel(&args).succeeds();
    assert!(!run.err.contains("removed"), "{}", run.err);
    pommel(&["sweep", &plan, "--out", &place.path("whole")]).succeeds();
    assert!(place.read("disk/results/results.parquet") == place.read("whole/results.parquet"));
}
