//! `pommel sweep`.

use std::path::Path;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pommel::batch::{Estimate, RunOptions, Sweep, estimate, run_to_directory};
use pommel::sweep::SimulationRunner;
use serde_json::json;

use super::no_equations;
use super::sweep_output::{Watch, tell};
use crate::args;
use crate::failure::{Failure, INTERRUPTED};
use crate::output::{self, Table, counted, number};

pub(crate) fn run(args: &args::Sweep) -> Result<(), Failure> {
    let sweep = Sweep::from_path(&args.plan)?;
    let mut runner =
        SimulationRunner::new(&sweep).map_err(|error| no_equations(error, &args.plan))?;
    if let Some(lanes) = args.lanes {
        runner = runner.with_lanes(lanes).map_err(|_| {
            Failure::usage(format!("--lanes {lanes}: 1, 2, 4 or 8 variants go side by side"))
        })?;
    }
    let limited = |j: &pommel::model::Joint| {
        let limits = j.limits.iter().flat_map(|l| l.as_slice());
        limits.into_iter().any(|l| l.lower.is_some() || l.upper.is_some())
    };
    if sweep.base().joints.iter().any(limited) {
        output::note("note: the model has joint limits; stops are not simulated");
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let options = RunOptions {
        threads: args.threads.unwrap_or(0) as usize,
        cancel: Some(&cancel),
        resume: args.resume,
        shard: args.shard,
        max_failed_share: args.max_failed.or(sweep.plan().limits.max_failed_share),
        ..RunOptions::default()
    };
    // without a directory there is nothing but an estimate to ask for
    let Some(out) = args.out.as_deref().filter(|_| !args.dry_run) else {
        return tell_estimate(&estimate(&sweep, &runner, &options)?, args);
    };
    catch_interrupts(&cancel);
    let mut watch = Watch::new(sweep.len());
    let summary = run_to_directory(&sweep, &runner, &options, &mut watch, out);
    watch.clear();
    let description = sweep.plan().description.as_deref();
    tell(out, &summary?, &watch, args.shard, description, args.json)
}

/// The first Ctrl-C lets the groups that run finish, so that their rows are kept; the second ends
/// the program at once.
fn catch_interrupts(cancel: &Arc<AtomicBool>) {
    let flag = Arc::clone(cancel);
    // without a handler, Ctrl-C ends the program at once; nothing half-written remains either way
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            exit(i32::from(INTERRUPTED));
        }
    });
}

fn tell_estimate(estimate: &Estimate, args: &args::Sweep) -> Result<(), Failure> {
    if args.json {
        return output::json(&json!({
            "instances": estimate.instances,
            "to_run": estimate.to_run,
            "columns": estimate.columns,
            "tried": estimate.tried,
            "tried_failed": estimate.tried_failed,
            "seconds_each": estimate.seconds_each,
            "threads": estimate.threads,
            "seconds": estimate.seconds,
            "disk_bytes": estimate.disk_bytes,
            "memory_bytes": estimate.memory_bytes,
        }));
    }
    let mut table = Table::new(&["column", "unit", "path"]);
    for column in &estimate.columns {
        let cell = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        table.row(&[column.name.clone(), cell(&column.unit), cell(&column.path)]);
    }
    let share = match args.shard {
        Some(shard) => format!(", {} in share {shard}", estimate.to_run),
        None => String::new(),
    };
    let name = args.plan.file_name().map(Path::new).unwrap_or(&args.plan).display();
    output::text(&format!(
        "{name}: {}{share}\n\n{table}\n\
         tried {} on one thread, {} failed: {} s each\n\
         time    about {} s on {}\n\
         memory  about {} MB\n\
         disk    about {} MB, twice as much until the results are complete\n\
         nothing was written\n",
        counted(estimate.instances, "instance"),
        estimate.tried,
        estimate.tried_failed,
        number(estimate.seconds_each),
        number(estimate.seconds),
        counted(estimate.threads, "thread"),
        megabytes(estimate.memory_bytes),
        megabytes(estimate.disk_bytes),
    ))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}
