//! Mechanisms with dry friction, stops and contacts.

use pommel::absolute::AbsoluteState;
use pommel::nonsmooth::{
    EventRecord, NonsmoothDynamics, NonsmoothOptions, NonsmoothTrajectory, simulate_nonsmooth,
};
use serde_json::{Value, json};

use super::constrained::ends;
use super::{finish, progress_bar, tell_files};
use crate::args::Simulate;
use crate::failure::Failure;
use crate::output::trajectory::Columns;
use crate::output::{self, Table, counted, number, plot, trajectory};

/// Most events of the text.
const SHOWN: usize = 20;

pub(super) fn run(
    args: &Simulate,
    dynamics: &NonsmoothDynamics,
    start: &AbsoluteState,
    options: NonsmoothOptions,
    every: f64,
) -> Result<(), Failure> {
    let bar = progress_bar();
    let cpu = cpu_time::ProcessTime::now();
    let mut progress = |t: f64| {
        if args.end > 0.0 {
            bar.set_position((1000.0 * t / args.end) as u64);
        }
    };
    let span = if args.end > 0.0 { (args.end, every) } else { (0.0, 1.0) };
    let run = simulate_nonsmooth(dynamics, start, &options, span, &mut progress);
    bar.finish_and_clear();
    let run = run.map_err(|error| Failure::computation(&args.model.model, error))?;
    let cpu_seconds = cpu.elapsed().as_secs_f64();
    let columns = Columns::of_absolute(dynamics.smooth(), &run.samples);
    if let Some(file) = &args.files.out {
        trajectory::write(file, &columns)?;
    }
    if let Some(file) = &args.files.plot {
        plot::trajectory(file, &columns)?;
    }
    if args.json {
        let document = json!({
            "steps": run.statistics.steps,
            "rejected": run.statistics.rejected,
            "evaluations": run.statistics.evaluations,
            "events": run.events.iter().map(event).collect::<Vec<_>>(),
            "position_residual_max": run.position_residual,
            "velocity_residual_max": run.velocity_residual,
            // friction and impacts take energy, which is not told from errors
            "energy_drift": Value::Null,
            "integrator": args.integrator,
            "formulation": options.method.name(),
            "stabilization": args.stabilization.as_deref().unwrap_or("projection"),
            "cpu_seconds": cpu_seconds,
        });
        return finish(args, document, &columns);
    }
    output::text(&report(dynamics, &run, cpu_seconds))?;
    tell_files(args)
}

fn event(record: &EventRecord) -> Value {
    json!({
        "t": record.t,
        "name": record.name,
        "kind": record.kind.name(),
        "before": record.before,
        "after": record.after,
    })
}

fn report(dynamics: &NonsmoothDynamics, run: &NonsmoothTrajectory, cpu_seconds: f64) -> String {
    let mut out = ends(dynamics.smooth(), &run.samples);
    if run.events.is_empty() {
        out.push_str("no events\n");
    } else {
        let mut table = Table::new(&["t, s", "event", "of", "before", "after"]);
        for record in run.events.iter().take(SHOWN) {
            let EventRecord { t, name, kind, before, after } = record;
            table.row(&[
                number(*t),
                kind.name().to_owned(),
                name.clone(),
                number(*before),
                number(*after),
            ]);
        }
        out.push_str(&format!("{table}\n"));
        if run.events.len() > SHOWN {
            let more = (run.events.len() - SHOWN) as u64;
            out.push_str(&format!("and {} more, see --json\n", counted(more, "event")));
        }
    }
    let s = &run.statistics;
    out.push_str(&format!(
        "{}, {} rejected, {}, {cpu_seconds:.3} s of processor time\n",
        counted(s.steps, "step"),
        s.rejected,
        counted(s.evaluations, "evaluation")
    ));
    out.push_str(&format!(
        "constraints: positions off by at most {:.1e} (m, rad), velocities by {:.1e} (m/s, rad/s)\n",
        run.position_residual, run.velocity_residual
    ));
    out
}
