//! What `pommel sweep` and `pommel merge` show: progress, a table, a plot.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use pommel::batch::{Manifest, Observer, Row, Shard, Summary};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, Table, counted, number, plot};

/// Points kept for the plot; of larger sweeps, every so many rows are drawn.
const DRAWN: u64 = 2000;

/// Draws the progress bar and keeps rows for the plot.
pub(super) struct Watch {
    bar: ProgressBar,
    every: u64,
    rows: Vec<Row>,
}

impl Watch {
    pub(super) fn new(total: u64) -> Self {
        let bar = ProgressBar::no_length();
        let template = "{bar:40} {pos}/{len}  {per_sec}  {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Watch { bar, every: total.div_ceil(DRAWN).max(1), rows: Vec::new() }
    }

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Watch {
    fn started(&mut self, total: u64, done: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        // the rate is that of this run
        self.bar.reset_elapsed();
        self.bar.reset_eta();
    }

    fn advanced(&mut self, done: u64, failed: u64) {
        self.bar.set_position(done);
        if failed > 0 {
            self.bar.set_message(format!("{failed} failed"));
        }
    }

    fn rows(&mut self, rows: &[Row]) {
        let drawn = rows.iter().filter(|row| row.index % self.every == 0);
        self.rows.extend(drawn.filter(|row| row.outcome.is_finished()).cloned());
    }

    fn noted(&mut self, note: &str) {
        self.bar.suspend(|| output::note(&format!("note: {note}")));
    }
}

/// Prints what a sweep, or a share of one, came to, and draws it.
pub(super) fn tell(
    out: &Path,
    summary: &Summary,
    watch: &Watch,
    shard: Option<Shard>,
    description: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let share = shard.map(Shard::file_name).filter(|name| out.join(name).exists());
    let files = match &share {
        Some(name) => vec![name.as_str(), "plan.toml"],
        None => {
            let manifest = Manifest::read(out)?;
            let parameter = manifest.parameters().next();
            plot::sweep(&out.join("plot.svg"), parameter, summary, &watch.rows)?;
            vec!["results.parquet", "summary.json", "plot.svg", "plan.toml"]
        }
    };
    if json {
        output::json(&json!(summary))?;
    } else {
        output::text(&report(summary, description, files[0]))?;
        for file in files {
            output::text(&format!("wrote {}\n", out.join(file).display()))?;
        }
    }
    // a share may be empty, or unlucky
    if summary.finished == 0 && share.is_none() {
        return Err(Failure::NoneFinished { instances: summary.instances });
    }
    Ok(())
}

fn report(summary: &Summary, description: Option<&str>, table_file: &str) -> String {
    let mut out = format!("{}: {}", summary.name, counted(summary.instances, "instance"));
    if let Some(text) = description {
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
        out.push_str(&format!("{count} failed: {reason} (see {table_file})\n"));
    }
    out.push_str(&format!("digest {}\n", summary.digest));
    out
}
