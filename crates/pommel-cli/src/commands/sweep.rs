//! `pommel sweep`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use pommel::batch::{Observer, Outcome, Row, RunOptions, Summary, Sweep, run_to_directory};
use pommel::sweep::SimulationRunner;
use serde_json::json;

use super::no_equations;
use crate::args;
use crate::failure::Failure;
use crate::output::{self, Table, counted, number, plot};

/// Points kept for the plot; of larger sweeps, every so many rows are drawn.
const DRAWN: usize = 20_000;

pub(crate) fn run(args: &args::Sweep) -> Result<(), Failure> {
    let sweep = Sweep::from_path(&args.plan)?;
    let runner = SimulationRunner::new(&sweep).map_err(|error| no_equations(error, &args.plan))?;
    let limited = |j: &pommel::model::Joint| {
        let limits = j.limits.iter().flat_map(|l| l.as_slice());
        limits.into_iter().any(|l| l.lower.is_some() || l.upper.is_some())
    };
    if sweep.base().joints.iter().any(limited) {
        output::note("note: the model has joint limits; stops are not simulated");
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    // without a handler, Ctrl-C ends the program at once; nothing half-written remains either way
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let options =
        RunOptions { threads: args.threads.unwrap_or(0) as usize, chunk: 0, cancel: Some(&cancel) };
    let mut watch = Watch::new(sweep.len());
    let summary = run_to_directory(&sweep, &runner, &options, &mut watch, &args.out);
    watch.bar.finish_and_clear();
    let summary = summary?;

    let picture = args.out.join("plot.svg");
    plot::sweep(&picture, &sweep, &summary, &watch.rows)?;
    if args.json {
        output::json(&json!(summary))?;
    } else {
        output::text(&report(&sweep, &summary))?;
        for file in ["results.parquet", "summary.json", "plot.svg", "plan.toml"] {
            output::text(&format!("wrote {}\n", args.out.join(file).display()))?;
        }
    }
    if summary.finished == 0 {
        return Err(Failure::NoneFinished { instances: summary.instances });
    }
    Ok(())
}

/// Draws the progress bar and keeps rows for the plot.
struct Watch {
    bar: ProgressBar,
    every: u64,
    rows: Vec<Row>,
}

impl Watch {
    fn new(total: u64) -> Self {
        let bar = ProgressBar::new(total);
        let template = "{bar:40} {pos}/{len}  {per_sec}  {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Watch { bar, every: total.div_ceil(DRAWN as u64).max(1), rows: Vec::new() }
    }
}

impl Observer for Watch {
    fn advanced(&self, done: u64, failed: u64) {
        self.bar.set_position(done.max(self.bar.position()));
        if failed > 0 {
            self.bar.set_message(format!("{failed} failed"));
        }
    }

    fn rows(&mut self, rows: &[Row]) {
        let drawn = rows.iter().filter(|row| row.index % self.every == 0);
        let finished = drawn.filter(|row| matches!(row.outcome, Outcome::Finished { .. }));
        self.rows.extend(finished.cloned());
    }
}

fn report(sweep: &Sweep, summary: &Summary) -> String {
    let mut out = format!("{}: {}", summary.name, counted(summary.instances, "instance"));
    if let Some(text) = &sweep.plan().description {
        out.push_str(&format!("\n{text}"));
    }
    out.push_str("\n\n");
    let mut table = Table::new(&["quantity", "unit", "min", "mean", "max"]);
    for quantity in &summary.quantities {
        let cell = |x: Option<f64>| x.map_or("-".to_owned(), number);
        table.row(&[
            quantity.name.clone(),
            quantity.unit.clone(),
            cell(quantity.min),
            cell(quantity.mean),
            cell(quantity.max),
        ]);
    }
    out.push_str(&format!("{table}\n"));
    out.push_str(&format!(
        "{} of {} finished in {:.2} s on {}: {:.0} a second\n",
        summary.finished,
        summary.instances,
        summary.wall_seconds,
        counted(summary.threads, "thread"),
        summary.instances_per_second
    ));
    for (reason, count) in &summary.failed {
        out.push_str(&format!("{count} failed: {reason} (see results.parquet)\n"));
    }
    out.push_str(&format!("digest {}\n", summary.digest));
    out
}
