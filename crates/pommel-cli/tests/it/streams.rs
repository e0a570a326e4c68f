//! Standard output that is closed or full.

use std::process::{Command, Stdio};

use crate::support::{Run, dataset};

/// Runs the program with this standard output.
fn run_into(out: Stdio, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pommel"));
    command.args(args).stdin(Stdio::null()).stdout(out).stderr(Stdio::piped());
    Run::of(command.spawn().and_then(|child| child.wait_with_output()).expect("the program runs"))
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let model = dataset("robots/puma560_fixed/model.toml");
    let calls: [&[&str]; 6] = [
        &["schema"],
        &["info", &model],
        &["info", &model, "--json"],
        &["accel", &model, "--json"],
        &["simulate", &model, "--end", "0.01", "--json"],
        &["simulate", "--help"],
    ];
    for args in calls {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = run_into(writer.into(), args).succeeds();
        assert!(!run.err.contains("Broken pipe"), "{}", run.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_a_failure() {
    let model = dataset("robots/puma560_fixed/model.toml");
    let calls: [&[&str]; 5] = [
        &["schema"],
        &["info", &model],
        &["info", &model, "--json"],
        &["accel", &model],
        &["simulate", &model, "--end", "0.01"],
    ];
    for args in calls {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("device");
        run_into(full.into(), args).fails(1, &["cannot write standard output"]);
    }
}
