//! `pommel compare`.

use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use pommel::AbsoluteDynamics;
use pommel::compare::{
    CompareOptions, Comparison, GrowthPoint, Status, compare, csv, growth, markdown, published,
};
use pommel::integrate::Controller;
use pommel::mechanism::formulation::Method;
use serde_json::{Value, json};

use crate::args::{Compare, ModelArguments};
use crate::failure::Failure;
use crate::output::{self, Table, comparison_plot};

/// Numbers of linkages of `--growth`.
const LINKAGES: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/// Where a call is expected to take longer than this, s, `--growth` leaves it out.
const LONGEST_CALL: f64 = 0.2;

pub(crate) fn run(args: &Compare) -> Result<(), Failure> {
    let options = options(args)?;
    if let Some(directory) = &args.out {
        std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, error))?;
        output::check_writable(&directory.join("comparison.csv"))?;
    }
    let Some(model) = &args.model else { return run_growth(args, &options.methods) };
    let arguments = ModelArguments {
        model: model.clone(),
        gravity: args.gravity.clone(),
        floating_base: args.floating_base,
    };
    let mechanism = arguments.load()?;
    let failed = |error| Failure::computation(model, error);
    super::only_smooth(&mechanism, model, "compare")?;
    let dynamics = AbsoluteDynamics::new(&mechanism).map_err(failed)?;
    let state = match &args.state {
        None => dynamics.initial_state(),
        Some(file) => dynamics.state(&super::state(&mechanism, model, Some(file))?),
    };
    let state = state.map_err(|error| super::cannot_assemble(&mechanism, model, error))?;
    super::tell_moved(&state);
    let bar = progress(options.methods.len());
    let found = compare(&dynamics, &state, &options, &mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let found = found.map_err(failed)?;
    if let Some(directory) = &args.out {
        output::write_file(&directory.join("comparison.md"), markdown(&found).as_bytes())?;
        output::write_file(&directory.join("comparison.csv"), csv(&found).as_bytes())?;
        if reached(&found) {
            comparison_plot::bars(&directory.join("comparison.svg"), &found)?;
        }
    }
    if args.json {
        output::json(&document(&found))?;
        return if reached(&found) { Ok(()) } else { Err(none_reached(model, &found)) };
    }
    output::text(&report(&found))?;
    if !reached(&found) {
        return Err(none_reached(model, &found));
    }
    if let Some(note) = unequal_calls(&found) {
        output::note(&note);
    }
    tell(args.out.as_deref(), &["comparison.md", "comparison.csv", "comparison.svg"])
}

fn options(args: &Compare) -> Result<CompareOptions, Failure> {
    for (name, value) in [("--end", args.end), ("--seconds", args.seconds)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Failure::usage(format!("{name} {value} must be positive and finite")));
        }
    }
    let atol = args.atol.unwrap_or(args.rtol);
    for (name, value) in [("--rtol", args.rtol), ("--atol", atol)] {
        if !(1e-14..=1.0).contains(&value) {
            return Err(Failure::usage(format!("{name} {value:e} must be between 1e-14 and 1")));
        }
    }
    let controller = match args.controller.as_str() {
        "ode45" => Controller::Ode45,
        "pi" => Controller::Pi,
        other => {
            return Err(Failure::usage(format!("unknown controller '{other}'; known: ode45, pi")));
        }
    };
    let known = || Method::ALL.map(Method::name).join(", ");
    let methods = args
        .formulations
        .iter()
        .map(|name| {
            Method::from_name(name).ok_or_else(|| {
                Failure::usage(format!("unknown formulation '{name}'; known: {}", known()))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut options = CompareOptions::new(args.end);
    (options.rtol, options.atol, options.controller) = (args.rtol, atol, controller);
    options.seconds = args.seconds;
    if !methods.is_empty() {
        options.methods = methods;
    }
    Ok(options)
}

fn progress(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len}  {elapsed}") {
        bar.set_style(style);
    }
    bar
}

fn document(found: &Comparison) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let rows: Vec<Value> = (found.rows.iter())
        .map(|row| {
            let of = published(row.method).filter(|_| found.is_beside_published());
            json!({
                "formulation": row.method.name(),
                "status": match &row.status {
                    Status::Ok => "ok",
                    Status::Failed { reason } => reason.as_str(),
                },
                "cpu_seconds": number(row.cpu_seconds),
                "runs": row.runs,
                "evaluations": row.statistics.evaluations,
                "steps": row.statistics.steps,
                "rejected": row.statistics.rejected,
                "solver_seconds": number(row.solver_seconds),
                "position_residual_max": number(row.position_residual),
                "velocity_residual_max": number(row.velocity_residual),
                "energy_drift": number(row.energy_drift),
                "end_difference": found.spread(row),
                "end": row.end,
                "published_cpu_seconds": of.and_then(|p| p.cpu_seconds),
                "published_evaluations": of.and_then(|p| p.calls),
            })
        })
        .collect();
    json!({
        "mechanism": found.mechanism,
        "coordinates": found.sizes[0],
        "velocities": found.sizes[1],
        "rows_of_constraints": found.sizes[2],
        "end": found.options.end,
        "rtol": found.options.rtol,
        "atol": found.options.atol,
        "controller": found.options.controller.name(),
        "rows": rows,
    })
}

fn report(found: &Comparison) -> String {
    let beside = found.is_beside_published();
    let mut head =
        vec!["formulation", "CPU, ms", "calls", "solver, ms", "|Φ|", "energy, J", "end differs"];
    if beside {
        head.extend(["published: CPU, s", "published: calls"]);
    }
    head.push("status");
    let mut table = Table::new(&head);
    for row in &found.rows {
        let mut cells = vec![row.method.name().to_owned()];
        match &row.status {
            Status::Ok => cells.extend([
                format!("{:.3}", 1e3 * row.cpu_seconds),
                row.statistics.evaluations.to_string(),
                format!("{:.3}", 1e3 * row.solver_seconds),
                format!("{:.1e}", row.position_residual),
                format!("{:.1e}", row.energy_drift),
                found.spread(row).map_or_else(String::new, |s| format!("{s:.1e}")),
            ]),
            Status::Failed { .. } => cells.extend((0..6).map(|_| "-".to_owned())),
        }
        if beside {
            let of = published(row.method);
            let cpu = of.map(|p| p.cpu_seconds.map_or("fails".to_owned(), |s| s.to_string()));
            cells.push(cpu.unwrap_or_else(|| "-".to_owned()));
            let calls = of.and_then(|p| p.calls);
            cells.push(calls.map_or_else(|| "-".to_owned(), |c| c.to_string()));
        }
        cells.push(match &row.status {
            Status::Ok => "ok".to_owned(),
            Status::Failed { .. } => "failed".to_owned(),
        });
        table.row(&cells);
    }
    let mut failed = String::new();
    for row in &found.rows {
        if let Status::Failed { reason } = &row.status {
            failed.push_str(&format!("\nfailed: {reason}"));
        }
    }
    if !failed.is_empty() {
        failed.push('\n');
    }
    let [nq, _, rows] = found.sizes;
    format!(
        "{}: {nq} coordinates, {rows} rows; to {} s, tolerances {:e} and {:e}, steps as of {}\n\n{table}{failed}",
        found.mechanism,
        found.options.end,
        found.options.rtol,
        found.options.atol,
        found.options.controller.name(),
    )
}

/// Whether a formulation reached the end.
fn reached(found: &Comparison) -> bool {
    found.rows.iter().any(|row| row.status == Status::Ok)
}

fn none_reached(model: &Path, found: &Comparison) -> Failure {
    let first = found.rows.iter().find_map(|row| match &row.status {
        Status::Failed { reason } => Some(reason.clone()),
        Status::Ok => None,
    });
    Failure::Comparison { path: model.to_owned(), reason: first.unwrap_or_default() }
}

/// Says which formulations take more calls than others by more than a fifth.
fn unequal_calls(found: &Comparison) -> Option<String> {
    let calls = |row: &pommel::compare::Row| row.statistics.evaluations;
    let done = || found.rows.iter().filter(|row| row.status == Status::Ok);
    let least = done().map(calls).min()?;
    let more: Vec<String> = done()
        .filter(|row| 5 * calls(row) > 6 * least)
        .map(|row| format!("{} {}", row.method.name(), calls(row)))
        .collect();
    (!more.is_empty()).then(|| {
        format!(
            "note: some formulations make more calls than the fewest, {least}, by more than a fifth: {}; \
             their accelerations differ where rows are redundant and positions have drifted, or are \
             approximate",
            more.join(", ")
        )
    })
}

fn tell(directory: Option<&Path>, files: &[&str]) -> Result<(), Failure> {
    let Some(directory) = directory else { return Ok(()) };
    let paths: Vec<PathBuf> = files.iter().map(|file| directory.join(file)).collect();
    let lines = paths.iter().map(|path| format!("wrote {}\n", path.display()));
    output::text(&lines.collect::<String>())
}

fn run_growth(args: &Compare, methods: &[Method]) -> Result<(), Failure> {
    let bar = progress(LINKAGES.len());
    let points =
        growth(&LINKAGES, methods, LONGEST_CALL, &mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let points =
        points.map_err(|error| Failure::computation(Path::new("four-bar linkages"), error))?;
    if let Some(directory) = &args.out {
        output::write_file(&directory.join("growth.csv"), growth_csv(&points).as_bytes())?;
        comparison_plot::growth(&directory.join("growth.svg"), &points)?;
    }
    if args.json {
        let rows: Vec<Value> = (points.iter())
            .map(|p| {
                json!({
                    "linkages": p.linkages,
                    "formulation": p.method.name(),
                    "seconds_per_call": p.seconds,
                    "seconds_of_terms": p.terms,
                })
            })
            .collect();
        return output::json(&Value::Array(rows));
    }
    let mut head = vec!["formulation, µs a call".to_owned()];
    head.extend(LINKAGES.iter().map(|n| format!("N = {n}")));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for method in methods {
        let of = |n: &usize| {
            let point = points.iter().find(|p| p.method == *method && p.linkages == *n);
            point.map_or_else(|| "-".to_owned(), |p| format!("{:.1}", 1e6 * p.seconds))
        };
        let mut cells = vec![method.name().to_owned()];
        cells.extend(LINKAGES.iter().map(of));
        table.row(&cells);
    }
    output::text(&format!(
        "{table}\n-: a call would take more than {LONGEST_CALL} s, or the formulation refuses\n"
    ))?;
    tell(args.out.as_deref(), &["growth.csv", "growth.svg"])
}

fn growth_csv(points: &[GrowthPoint]) -> String {
    let head = "linkages,formulation,seconds_per_call,seconds_of_terms\n".to_owned();
    points.iter().fold(head, |mut out, p| {
        out.push_str(&format!("{},{},{},{}\n", p.linkages, p.method.name(), p.seconds, p.terms));
        out
    })
}
