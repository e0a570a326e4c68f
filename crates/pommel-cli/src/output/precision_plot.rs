//! Pictures of work against precision, and of drift.

use std::path::Path;

use kuva::prelude::*;
use pommel::precision::{DriftCurve, PrecisionRow};

use super::plot::{COLOURS, curve, write};
use crate::failure::Failure;

/// Errors below are drawn here: a logarithm needs a number.
const LEAST: f64 = 1e-16;

/// Processor time over the error of the end, both logarithmic, a curve a method.
pub(crate) fn work(file: &Path, name: &str, rows: &[PrecisionRow]) -> Result<(), Failure> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if names.last() != Some(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    let mut plots = Vec::new();
    for (k, name) in names.into_iter().enumerate() {
        let of = rows.iter().filter(|row| row.name == name && row.failure.is_none());
        let points: Vec<(f64, f64)> =
            of.map(|row| (row.error.max(LEAST), 1e3 * row.cpu_seconds)).collect();
        if !points.is_empty() {
            plots.push(Plot::from(marks(k, points.clone())));
            plots.push(Plot::from(curve(k, points, name)));
        }
    }
    logarithmic(
        file,
        plots,
        &format!("Work and precision: {name}"),
        ("error of the end", "processor time, ms"),
    )
}

/// The runs of the `k`-th method, also where there is one only.
fn marks(k: usize, points: Vec<(f64, f64)>) -> ScatterPlot {
    ScatterPlot::new().with_data(points).with_color(COLOURS[k % COLOURS.len()]).with_size(2.5)
}

/// The largest violation of a constraint over time, logarithmic, a curve a stabilization.
pub(crate) fn drift(file: &Path, name: &str, curves: &[DriftCurve]) -> Result<(), Failure> {
    let plots = curves.iter().enumerate().map(|(k, drift)| {
        let points = drift.points.iter().map(|(t, open)| (*t, open.max(LEAST))).collect();
        Plot::from(curve(k, points, drift.name))
    });
    let plots: Vec<Plot> = plots.collect();
    let layout = Layout::auto_from_plots(&plots)
        .with_title(format!("Drift off the constraints: {name}"))
        .with_x_label("time, s")
        .with_y_label("largest violation, m, rad")
        .with_log_y()
        .with_width(900.0);
    write(file, &render_multiple(plots, layout))
}

fn logarithmic(
    file: &Path,
    plots: Vec<Plot>,
    title: &str,
    (x, y): (&str, &str),
) -> Result<(), Failure> {
    let layout = Layout::auto_from_plots(&plots)
        .with_title(title)
        .with_x_label(x)
        .with_y_label(y)
        .with_log_scale()
        .with_width(900.0);
    write(file, &render_multiple(plots, layout))
}
