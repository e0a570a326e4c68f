//! What is told of a solution.

use std::fmt::Write;

use pommel::kkt::Inertia;
use serde_json::{Value, json};

use super::Solved;
use super::input::Problem;
use super::verdict::list;
use crate::output::{Table, number};

pub(super) fn document(problem: &Problem, solved: &Solved) -> Value {
    let pattern = &problem.system.pattern;
    let (report, structure) = (&solved.report, solved.structure.as_ref());
    let inertia = structure.map(|s| [s.inertia.positive, s.inertia.negative, s.inertia.zero]);
    json!({
        "matrices": problem.files,
        "n": pattern.unknowns(),
        "m": pattern.rows(),
        "bodies": pattern.body_count(),
        "constraints": pattern.constraint_count(),
        "right_hand_side": problem.rhs_source,
        "verdict": solved.name.text(),
        "message": solved.message,
        "rank": structure.map(|s| s.rank),
        "inertia": inertia,
        "minimum": structure.and_then(|s| s.minimum),
        "dependent_rows": structure.map(|s| &s.dependent_rows),
        "free_unknowns": structure.map(|s| &s.free_unknowns),
        "backward_error": report.backward_error,
        "unknowns_error": report.unknowns_error,
        "multipliers_error": report.multipliers_error,
        "refinement_steps": report.steps,
        "nnz_factor": solved.cost.factor_entries,
        "factor_entries": solved.cost.factor_entries,
        "multiply_adds": solved.cost.multiply_adds,
        "fronts": solved.cost.fronts,
        "largest_front": solved.cost.largest_front,
        "analyse_seconds": solved.analyse_seconds,
        "factor_seconds": solved.factor_seconds,
        "solve_seconds": solved.solve_seconds,
        "solution": solved.solution,
    })
}

pub(super) fn text(problem: &Problem, solved: &Solved) -> String {
    let pattern = &problem.system.pattern;
    let (n, m) = (pattern.unknowns(), pattern.rows());
    let mut table = Table::new(&["saddle-point system", ""]);
    let mut row = |what: &str, value: String| table.row(&[what.to_owned(), value]);
    row("unknowns n, in bodies", format!("{n}, {}", pattern.body_count()));
    row("rows m, in constraints", format!("{m}, {}", pattern.constraint_count()));
    if let Some(structure) = &solved.structure {
        row("rank of the rows", structure.rank.to_string());
        if !structure.dependent_rows.is_empty() {
            row("dependent rows (from 0)", list(&structure.dependent_rows));
        }
        if !structure.free_unknowns.is_empty() {
            row("free unknowns (from 0)", list(&structure.free_unknowns));
        }
        row("inertia", structure.inertia.to_string());
    }
    let report = &solved.report;
    row("backward error", format!("{:.1e}", report.backward_error));
    row("refinement steps", report.steps.to_string());
    row("error of unknowns, estimated", format!("{:.1e}", report.unknowns_error));
    row("error of multipliers, estimated", format!("{:.1e}", report.multipliers_error));
    row("entries of the factor", solved.cost.factor_entries.to_string());
    row("multiply-adds of a factorization", solved.cost.multiply_adds.to_string());
    row("fronts, rows of the largest", {
        format!("{}, {}", solved.cost.fronts, solved.cost.largest_front)
    });
    row("time of the analysis", micros(solved.analyse_seconds));
    row("time of a factorization, median", micros(solved.factor_seconds));
    row("time of a solution, median", micros(solved.solve_seconds));
    let (files, rhs) = (problem.names(), &problem.rhs_source);
    let mut out = format!("matrices: {files}\nright-hand side: {rhs}\n\n{table}\n");
    let (x, lambda) = solved.solution.split_at(n);
    for (name, numbers) in [("x", x), ("λ", lambda)] {
        if !numbers.is_empty() {
            out.push_str(&vector(name, numbers));
        }
    }
    let _ = writeln!(out, "\n{}: {}", solved.name.words(), solved.message);
    if let Some(structure) = solved.structure.as_ref().filter(|s| s.minimum == Some(false)) {
        let (inertia, rank) = (structure.inertia, structure.rank);
        let minimum = Inertia { positive: n, negative: rank, zero: m - rank };
        let reason = match pattern.compliance_len() {
            0 => "M is not positive definite on what J leaves free",
            _ => "check the signs of M and C",
        };
        let _ = writeln!(
            out,
            "note: the unknowns are no minimum: the inertia is {inertia}, not {minimum}; {reason}"
        );
    }
    out
}

fn micros(seconds: f64) -> String {
    format!("{} µs", number((1e9 * seconds).round() / 1e3))
}

/// Numbers that people get to see of a vector, and how many stand in a line.
const SHOWN: usize = 24;
const LINE: usize = 6;

fn vector(name: &str, numbers: &[f64]) -> String {
    let mut out = String::new();
    for (k, line) in numbers[..numbers.len().min(SHOWN)].chunks(LINE).enumerate() {
        let first = k * LINE;
        let _ = write!(out, "{:>8}", format!("{name}[{first}]"));
        for &x in line {
            let _ = write!(out, "  {:>13}", number(x));
        }
        out.push('\n');
    }
    if numbers.len() > SHOWN {
        let all = numbers.len();
        let _ = writeln!(out, "… the first {SHOWN} of {all} entries; --json and --out have all");
    }
    out
}

/// The solution as a file in Matrix Market format, with 17 digits.
pub(super) fn matrix_market(problem: &Problem, solution: &[f64]) -> String {
    let pattern = &problem.system.pattern;
    let (n, m) = (pattern.unknowns(), pattern.rows());
    let mut out = format!(
        "%%MatrixMarket matrix array real general\n% nv {n} nc {m}: the unknowns x, then the \
         multipliers λ\n{} 1\n",
        solution.len()
    );
    for x in solution {
        let _ = writeln!(out, "{x:.16e}");
    }
    out
}
