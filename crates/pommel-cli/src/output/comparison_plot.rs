//! Pictures of comparisons.

use std::path::Path;
use std::sync::Arc;

use kuva::plot::legend::{LegendEntry, LegendShape};
use kuva::prelude::*;
use pommel::compare::{Comparison, GrowthPoint, Status, published};
use pommel::mechanism::formulation::Method;

use super::plot::{COLOURS, curve, tick, write};
use crate::failure::Failure;

/// Bars of processor times on a logarithmic scale, with the published ones beside where they belong.
pub(crate) fn bars(file: &Path, found: &Comparison) -> Result<(), Failure> {
    let beside = found.is_beside_published();
    let mut bars = BarPlot::new();
    let done = found.rows.iter().filter(|row| row.status == Status::Ok);
    for row in done {
        let mut values = vec![(row.cpu_seconds, COLOURS[0])];
        if let (true, Some(seconds)) = (beside, published(row.method).and_then(|p| p.cpu_seconds)) {
            values.push((seconds, COLOURS[1]));
        }
        bars = bars.with_group(row.method.name(), values);
    }
    let least = found.rows.iter().filter(|row| row.status == Status::Ok);
    let least = least.fold(f64::INFINITY, |least, row| least.min(row.cpu_seconds));
    let plots = vec![Plot::Bar(bars)];
    let layout = Layout::auto_from_plots(&plots)
        .with_title(format!("Formulations on {}", found.mechanism))
        .with_y_label("processor time of a run, s")
        .with_log_y()
        .with_y_axis_min(10f64.powf(least.log10().floor()))
        .with_y_tick_format(TickFormat::Custom(Arc::new(tick)))
        .with_width(1100.0)
        .with_x_tick_rotate(-60.0);
    let entry = |label: &str, colour: &str| LegendEntry {
        label: label.to_owned(),
        color: colour.to_owned(),
        shape: LegendShape::Rect,
        dasharray: None,
    };
    let layout = if beside {
        let published = entry("published, interpreted code", COLOURS[1]);
        layout.with_legend_entries(vec![entry("here", COLOURS[0]), published])
    } else {
        layout
    };
    write(file, &render_multiple(plots, layout))
}

/// Time of a call over the size of the mechanism, both logarithmic.
pub(crate) fn growth(file: &Path, points: &[GrowthPoint]) -> Result<(), Failure> {
    let mut plots = Vec::new();
    for (k, method) in Method::ALL.into_iter().enumerate() {
        let of = points.iter().filter(|point| point.method == method);
        let line: Vec<(f64, f64)> =
            of.map(|point| (point.linkages as f64, 1e6 * point.seconds)).collect();
        if line.is_empty() {
            continue;
        }
        plots.push(Plot::from(curve(k, line, method.name())));
    }
    let layout = Layout::auto_from_plots(&plots)
        .with_title("Accelerations of N four-bar linkages")
        .with_x_label("N")
        .with_y_label("time of a call, µs")
        .with_log_scale()
        .with_width(900.0);
    write(file, &render_multiple(plots, layout))
}
