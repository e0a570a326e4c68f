//! Pictures.

use std::path::Path;
use std::sync::Arc;

use kuva::backend::svg::SvgBackend;
use kuva::prelude::*;
use pommel::batch::{ManifestColumn, Outcome, QuantitySummary, Row, Summary};

use super::columns::Series;
use super::trajectory::Columns;
use super::{counted, write_file};
use crate::failure::Failure;

/// Distinct on white, also for most people who see fewer colours (Okabe and Ito).
pub(super) const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"];

/// The `k`-th curve of a panel: colours repeat after eight, with other strokes.
pub(super) fn curve(k: usize, points: Vec<(f64, f64)>, name: &str) -> LinePlot {
    let line = LinePlot::new()
        .with_data(points)
        .with_color(COLOURS[k % COLOURS.len()])
        .with_stroke_width(1.5)
        .with_legend(name);
    match k / COLOURS.len() {
        0 => line,
        1 => line.with_dotted(),
        _ => line.with_dashdot(),
    }
}

/// One panel: curves over a common x axis.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) plots: Vec<Plot>,
    /// whether both axes have one scale
    pub(crate) to_scale: bool,
}

impl Panel {
    fn layout(&self) -> Layout {
        let layout = self.free_layout();
        if self.to_scale { layout.with_equal_aspect() } else { layout }
    }

    fn free_layout(&self) -> Layout {
        Layout::auto_from_plots(&self.plots)
            .with_title(&self.title)
            .with_x_label(&self.x_label)
            .with_y_label(&self.y_label)
            .with_y_tick_format(TickFormat::Custom(Arc::new(tick)))
            .with_x_tick_format(TickFormat::Custom(Arc::new(tick)))
    }
}

/// A tick label: four digits say what a tick is.
pub(super) fn tick(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 || (1e-3..1e5).contains(&size) {
        let text = format!("{x:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let text = format!("{x:.3e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

/// A figure of panels in `columns` columns, written as SVG or PNG by the file's extension.
pub(crate) fn figure(
    file: &Path,
    title: &str,
    columns: usize,
    panels: Vec<Panel>,
) -> Result<(), Failure> {
    let rows = panels.len().div_ceil(columns).max(1);
    let layouts = panels.iter().map(Panel::layout).collect();
    let plots = panels.into_iter().map(|p| p.plots).collect();
    let scene = Figure::new(rows, columns)
        .with_title(title)
        .with_plots(plots)
        .with_layouts(layouts)
        .render();
    write(file, &scene)
}

/// A scene as SVG or PNG, by the file's extension.
pub(super) fn write(file: &Path, scene: &kuva::render::render::Scene) -> Result<(), Failure> {
    let png = super::columns::extension(file) == "png";
    let content = if png {
        let raster = kuva::RasterBackend::new().with_scale(2.0).render_scene(scene);
        raster.map_err(|reason| Failure::write(file, reason))?
    } else {
        SvgBackend.render_scene(scene).into_bytes()
    };
    write_file(file, &content)
}

/// Coordinates, velocities, energies and their balance over time.
pub(crate) fn trajectory(file: &Path, columns: &Columns) -> Result<(), Failure> {
    let panel = |title: &str, y_label: &str, series: Vec<(&str, Vec<f64>)>| {
        let count = series.len();
        let plots = series.into_iter().enumerate().map(|(k, (name, values))| {
            // counted from the end, where a joint stands in positions and velocities alike
            let k = count - 1 - k;
            let points: Vec<(f64, f64)> = columns.t.iter().copied().zip(values).collect();
            let line = curve(k, points, name);
            // work lies on top of the energy that it makes
            Plot::from(if name == "work of forces" { line.with_dashed() } else { line })
        });
        Panel {
            title: title.to_owned(),
            x_label: "time, s".to_owned(),
            y_label: y_label.to_owned(),
            plots: plots.collect(),
            to_scale: false,
        }
    };
    let all = |list: &[Series], title: &str, label: &str| {
        panel(title, label, list.iter().map(|s| (s.name.as_str(), s.values.clone())).collect())
    };
    let total = |i: usize| columns.kinetic[i] + columns.potential[i];
    let balance: Vec<f64> =
        (0..columns.t.len()).map(|i| total(i) - columns.work[i] - total(0)).collect();
    let energies = vec![
        ("kinetic", columns.kinetic.clone()),
        ("potential", columns.potential.clone()),
        ("work of forces", columns.work.clone()),
    ];
    let mut panels = vec![
        all(&columns.q, "Positions", "rad, m"),
        all(&columns.v, "Velocities", "rad/s, m/s"),
        panel("Energy", "J", energies),
        panel("Energy balance", "J", vec![("energy - work", balance)]),
    ];
    if let Some([positions, velocities]) = &columns.residuals {
        let of = |name, values: &Vec<f64>| vec![(name, values.clone())];
        panels.push(panel("Residuals of positions", "m, rad", of("largest", positions)));
        panels.push(panel("Residuals of velocities", "m/s, rad/s", of("largest", velocities)));
    }
    figure(file, &columns.title, 2, panels)
}

/// How the quantities that vary most are spread, and how they depend on the first parameters.
pub(crate) fn sweep(
    file: &Path,
    parameter: Option<&ManifestColumn>,
    summary: &Summary,
    rows: &[Row],
) -> Result<(), Failure> {
    let values = |column: usize| -> Vec<f64> {
        (rows.iter())
            .filter_map(|row| match &row.outcome {
                Outcome::Finished { values } => values.get(column).copied(),
                Outcome::Failed { .. } => None,
            })
            .collect()
    };
    let varying = |q: &QuantitySummary| q.min.zip(q.max).is_some_and(|(a, b)| a < b);
    let counts = ["steps", "rejected", "evaluations"];
    let shown: Vec<usize> = (0..summary.quantities.len())
        .filter(|&k| {
            let q = &summary.quantities[k];
            varying(q) && !counts.contains(&q.name.as_str()) && !q.name.ends_with("drift")
        })
        .collect();
    // positions of joints come last among the positions, and say most
    let wanted: Vec<usize> =
        shown.iter().copied().filter(|&k| summary.quantities[k].name.starts_with("q.")).collect();
    let wanted = if wanted.is_empty() { shown } else { wanted };
    let wanted: Vec<usize> = wanted.iter().rev().take(3).rev().copied().collect();

    let label = |k: usize| {
        let q = &summary.quantities[k];
        format!("{}, {}", q.name, q.unit)
    };
    let mut panels = Vec::new();
    for (c, &k) in wanted.iter().enumerate() {
        let colour = COLOURS[c % COLOURS.len()];
        panels.push(Panel {
            title: format!("{} at the end", summary.quantities[k].name),
            x_label: label(k),
            y_label: "instances".to_owned(),
            plots: vec![histogram(&values(k), colour).into()],
            to_scale: false,
        });
    }
    for (c, &k) in wanted.iter().enumerate() {
        let Some(parameter) = parameter else { continue };
        let points: Vec<(f64, f64)> =
            rows.iter().map(|row| row.parameters[0]).zip(values(k)).collect();
        let scatter = ScatterPlot::new()
            .with_data(points)
            .with_color(COLOURS[c % COLOURS.len()])
            .with_size(2.0)
            .with_marker_opacity(0.6);
        let unit = parameter.unit.as_ref().map(|u| format!(", {u}")).unwrap_or_default();
        panels.push(Panel {
            title: format!("against {}", parameter.name),
            x_label: format!("{}{unit}", parameter.name),
            y_label: label(k),
            plots: vec![scatter.into()],
            to_scale: false,
        });
    }
    if panels.is_empty() {
        let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.index as f64, 1.0)).collect();
        panels.push(Panel {
            title: "finished instances (no quantity varies)".to_owned(),
            x_label: "instance".to_owned(),
            y_label: "finished".to_owned(),
            plots: vec![ScatterPlot::new().with_data(points).with_color(COLOURS[0]).into()],
            to_scale: false,
        });
    }
    let title = format!(
        "{}: {} of {} finished",
        summary.name,
        summary.finished,
        counted(summary.instances, "instance")
    );
    let columns = wanted.len().max(1);
    figure(file, &title, columns, panels)
}

fn histogram(values: &[f64], colour: &str) -> Histogram {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
    let bins = (values.len() as f64).sqrt().ceil().clamp(5.0, 40.0) as usize;
    Histogram::new()
        .with_data(values.to_vec())
        .with_bins(bins)
        .with_range((low, high))
        .with_color(colour)
}
