//! `pommel precision`.

use indicatif::{ProgressBar, ProgressStyle};
use pommel::AbsoluteDynamics;
use pommel::precision::{
    Contender, DriftCurve, PrecisionRow, contenders, drift, precision, reference_end,
};
use serde_json::{Value, json};

use super::{cannot_assemble, only_smooth, state, tell_moved};
use crate::args::Precision;
use crate::failure::Failure;
use crate::output::{self, Table, precision_plot};

/// Tolerance of the picture of drift.
const DRIFT_TOLERANCE: f64 = 1e-6;

pub(crate) fn run(args: &Precision) -> Result<(), Failure> {
    for (name, value) in [("--end", args.end), ("--seconds", args.seconds)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Failure::usage(format!("{name} {value} must be positive and finite")));
        }
    }
    let chosen = chosen(args)?;
    let tolerances = tolerances(args)?;
    if let Some(directory) = &args.out {
        std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, error))?;
        output::check_writable(&directory.join("precision.csv"))?;
    }
    let mechanism = args.model.load()?;
    let file = &args.model.model;
    let failed = |error| Failure::computation(file, error);
    only_smooth(&mechanism, file, "precision")?;
    let dynamics = AbsoluteDynamics::new(&mechanism).map_err(failed)?;
    let start = match &args.state {
        None => dynamics.initial_state(),
        Some(given) => dynamics.state(&state(&mechanism, file, Some(given))?),
    };
    let start = start.map_err(|error| cannot_assemble(&mechanism, file, error))?;
    tell_moved(&start);
    let bar = ProgressBar::new(chosen.len() as u64 + 1);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len}  {elapsed}") {
        bar.set_style(style);
    }
    let truth = reference_end(&dynamics, &start, args.end).map_err(failed)?;
    bar.inc(1);
    let reference = [&truth.run.q[..], &truth.run.v].concat();
    let mut rows = Vec::new();
    for contender in &chosen {
        let against = (&reference[..], args.seconds);
        rows.extend(precision(&dynamics, &start, args.end, contender, &tolerances, against));
        bar.inc(1);
    }
    let curves = match args.drift {
        true => drift(&dynamics, &start, args.end, DRIFT_TOLERANCE).map_err(failed)?,
        false => Vec::new(),
    };
    bar.finish_and_clear();
    let mut files = Vec::new();
    if let Some(directory) = &args.out {
        output::write_file(&directory.join("precision.csv"), csv(&rows).as_bytes())?;
        precision_plot::work(&directory.join("precision.svg"), mechanism.name(), &rows)?;
        files.extend(["precision.csv", "precision.svg"]);
        if args.drift {
            output::write_file(&directory.join("drift.csv"), drift_csv(&curves).as_bytes())?;
            precision_plot::drift(&directory.join("drift.svg"), mechanism.name(), &curves)?;
            files.extend(["drift.csv", "drift.svg"]);
        }
    }
    if args.json {
        return output::json(&json!({
            "mechanism": mechanism.name(),
            "end": args.end,
            "reference_difference": truth.difference,
            "reference_tolerance": truth.tolerance,
            "rows": rows.iter().map(document).collect::<Vec<_>>(),
        }));
    }
    output::text(&report(&rows))?;
    output::text(&format!(
        "\nerrors against an end that moves by {:.1e} between tolerances {:.1e} and ten times that\n",
        truth.difference, truth.tolerance
    ))?;
    for name in files {
        if let Some(directory) = &args.out {
            output::text(&format!("wrote {}\n", directory.join(name).display()))?;
        }
    }
    Ok(())
}

fn chosen(args: &Precision) -> Result<Vec<Contender>, Failure> {
    let all = contenders();
    if args.methods.is_empty() {
        return Ok(all);
    }
    let known = || all.iter().map(Contender::name).collect::<Vec<_>>().join(", ");
    args.methods
        .iter()
        .map(|name| {
            let found = all.iter().find(|contender| contender.name() == name);
            found.cloned().ok_or_else(|| {
                Failure::usage(format!("unknown method '{name}'; known: {}", known()))
            })
        })
        .collect()
}

fn tolerances(args: &Precision) -> Result<Vec<f64>, Failure> {
    let mut list = args.tolerances.clone();
    if let Some(bad) = list.iter().find(|x| !(1e-14..=1.0).contains(*x)) {
        return Err(Failure::usage(format!("--tolerances {bad:e} must be between 1e-14 and 1")));
    }
    // from the coarsest on, so that what takes too long ends the rest
    list.sort_by(|a, b| b.total_cmp(a));
    Ok(list)
}

fn document(row: &PrecisionRow) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    json!({
        "method": row.name,
        "tolerance": row.tolerance,
        "error": number(row.error),
        "cpu_seconds": row.cpu_seconds,
        "steps": row.steps,
        "evaluations": row.evaluations,
        "position_residual_max": number(row.position_residual),
        "status": row.failure.as_deref().unwrap_or("ok"),
    })
}

fn csv(rows: &[PrecisionRow]) -> String {
    let mut out = String::from(
        "method,tolerance,error,cpu_seconds,steps,evaluations,position_residual_max,status\n",
    );
    for row in rows {
        let status = row.failure.as_deref().unwrap_or("ok").replace('"', "'");
        out.push_str(&format!(
            "\"{}\",{:e},{:e},{:e},{},{},{:e},\"{status}\"\n",
            row.name,
            row.tolerance,
            row.error,
            row.cpu_seconds,
            row.steps,
            row.evaluations,
            row.position_residual
        ));
    }
    out
}

fn drift_csv(curves: &[DriftCurve]) -> String {
    let mut out = String::from("stabilization,t,position_residual_max\n");
    for curve in curves {
        for (t, open) in &curve.points {
            out.push_str(&format!("{},{t},{open:e}\n", curve.name));
        }
    }
    out
}

fn report(rows: &[PrecisionRow]) -> String {
    let mut table =
        Table::new(&["method", "tolerance", "error", "CPU, ms", "steps", "calls", "|Φ|", "status"]);
    for row in rows {
        let mut cells = vec![row.name.clone(), format!("{:.0e}", row.tolerance)];
        match &row.failure {
            None => cells.extend([
                format!("{:.1e}", row.error),
                format!("{:.3}", 1e3 * row.cpu_seconds),
                row.steps.to_string(),
                row.evaluations.to_string(),
                format!("{:.1e}", row.position_residual),
                "ok".to_owned(),
            ]),
            Some(failure) => {
                cells.extend((0..5).map(|_| "-".to_owned()));
                cells.push(failure.lines().next().unwrap_or_default().to_owned());
            }
        }
        table.row(&cells);
    }
    format!("{table}")
}
