//! A comparison as Markdown and CSV.

use std::fmt::Write;

use super::published::{COMMENT, published};
use super::{Comparison, Row, Status};

/// A table in Markdown, with the published figures and a comment where they belong.
pub fn markdown(comparison: &Comparison) -> String {
    let [nq, nv, rows] = comparison.sizes;
    let options = &comparison.options;
    let mut out = format!(
        "# Formulations on {}\n\n{nq} coordinates, {nv} velocities, {rows} rows; Dormand-Prince 5(4) \
         with the step control {}, relative tolerance {:e}, absolute tolerance {:e}, end time {} s.\n\n",
        comparison.mechanism,
        options.controller.name(),
        options.rtol,
        options.atol,
        options.end,
    );
    let beside = comparison.is_beside_published();
    let mut head = vec![
        "formulation",
        "CPU, ms",
        "calls",
        "in the solver, ms",
        "drift of positions",
        "drift of velocities",
        "drift of energy, J",
        "end differs by",
    ];
    if beside {
        head.extend(["published CPU, s", "published calls"]);
    }
    head.push("status");
    let _ = writeln!(out, "| {} |", head.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(head.len()));
    for row in &comparison.rows {
        let _ = writeln!(out, "| {} |", cells(comparison, row, beside).join(" | "));
    }
    out.push_str(
        "\nTimes are medians of whole runs, integrator included; the time in the solver is its share \
         of a run with a clock in it. Drift of positions is the largest |Φ| after a step, that of energy is less \
         the work of dampers and drivers. The penalty formulation approximates, and is the only one that \
         stabilizes the constraints (Ω = 10 1/s, μ = 1), as it must. Ends are compared with the first row that reached it.\n",
    );
    if beside {
        let _ = writeln!(out, "\n{COMMENT}");
    }
    out
}

fn cells(comparison: &Comparison, row: &Row, beside: bool) -> Vec<String> {
    let mut cells = vec![row.method.name().to_owned()];
    if row.status == Status::Ok {
        cells.extend([
            format!("{:.3}", 1e3 * row.cpu_seconds),
            row.statistics.evaluations.to_string(),
            format!("{:.3}", 1e3 * row.solver_seconds),
            format!("{:.1e}", row.position_residual),
            format!("{:.1e}", row.velocity_residual),
            format!("{:.1e}", row.energy_drift),
            comparison.spread(row).map_or_else(String::new, |s| format!("{s:.1e}")),
        ]);
    } else {
        cells.extend((0..7).map(|_| String::new()));
    }
    if beside {
        let of = published(row.method);
        cells.push(match of {
            None => String::new(),
            Some(p) => p.cpu_seconds.map_or_else(|| "fails".to_owned(), |s| s.to_string()),
        });
        let calls = of.and_then(|p| p.calls);
        cells.push(calls.map_or_else(String::new, |calls| calls.to_string()));
    }
    cells.push(match &row.status {
        Status::Ok => "ok".to_owned(),
        Status::Failed { reason } => reason.replace(['\n', '|'], " "),
    });
    cells
}

/// The same as CSV, times in seconds, numbers with all digits.
pub fn csv(comparison: &Comparison) -> String {
    let mut out = String::from(
        "formulation,cpu_seconds,runs,evaluations,steps,rejected,solver_seconds,\
         position_residual_max,velocity_residual_max,energy_drift,end_difference,\
         published_cpu_seconds,published_evaluations,status\n",
    );
    let beside = comparison.is_beside_published();
    for row in &comparison.rows {
        let s = &row.statistics;
        let of = published(row.method).filter(|_| beside);
        let status = match &row.status {
            Status::Ok => "ok".to_owned(),
            Status::Failed { reason } => format!("\"{}\"", reason.replace('"', "'")),
        };
        let number = |x: f64| if x.is_finite() { x.to_string() } else { String::new() };
        let fields = [
            row.method.name().to_owned(),
            number(row.cpu_seconds),
            row.runs.to_string(),
            s.evaluations.to_string(),
            s.steps.to_string(),
            s.rejected.to_string(),
            number(row.solver_seconds),
            number(row.position_residual),
            number(row.velocity_residual),
            number(row.energy_drift),
            comparison.spread(row).map_or_else(String::new, number),
            of.and_then(|p| p.cpu_seconds).map_or_else(String::new, number),
            of.and_then(|p| p.calls).map_or_else(String::new, |c| c.to_string()),
            status,
        ];
        let _ = writeln!(out, "{}", fields.join(","));
    }
    out
}
