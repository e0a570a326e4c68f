//! A motion under drivers as columns.

use std::path::Path;

use pommel::mechanism::kinematics::MotionSample;
use pommel::mechanism::{Frames, PointMotion, System};
use serde_json::{Map, Value, json};

use super::columns::{self, Series};
use crate::failure::Failure;

/// Time series of positions, velocities, accelerations.
#[derive(Debug)]
pub(crate) struct Motion {
    pub(crate) title: String,
    pub(crate) planar: bool,
    pub(crate) t: Vec<f64>,
    pub(crate) q: Vec<Series>,
    pub(crate) v: Vec<Series>,
    pub(crate) a: Vec<Series>,
    pub(crate) frames: Vec<Traced>,
    /// of positions, velocities, accelerations; iterations for positions
    pub(crate) residuals: [Vec<f64>; 3],
    pub(crate) iterations: Vec<f64>,
}

/// How the origin of a named frame moves.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) name: String,
    pub(crate) points: Vec<PointMotion>,
}

/// One of the vectors of a point.
type Pick = fn(&PointMotion) -> [f64; 3];

/// What a frame has, and what its columns are called before the axis.
const KINDS: [(&str, &str, Pick); 3] = [
    ("position", "", |point| point.position),
    ("velocity", "v", |point| point.velocity),
    ("acceleration", "a", |point| point.acceleration),
];

impl Motion {
    pub(crate) fn of(
        title: &str,
        system: &System<f64>,
        frames: &Frames,
        samples: &[MotionSample],
    ) -> Self {
        let series = |names: Vec<String>, pick: fn(&MotionSample) -> &[f64]| -> Vec<Series> {
            let list = names.into_iter().enumerate();
            let values = |k: usize| samples.iter().map(|sample| pick(sample)[k]).collect();
            list.map(|(k, name)| Series { name, values: values(k) }).collect()
        };
        let column = |pick: &dyn Fn(&MotionSample) -> f64| samples.iter().map(pick).collect();
        let traced = frames.names().iter().enumerate().map(|(k, name)| Traced {
            name: name.clone(),
            points: samples.iter().map(|s| frames.motion(k, &s.q, &s.v, &s.a)).collect(),
        });
        Motion {
            frames: traced.collect(),
            title: title.to_owned(),
            planar: system.is_planar(),
            t: column(&|sample| sample.time),
            q: series(system.coordinate_names(), |sample| &sample.q),
            v: series(system.velocity_names(), |sample| &sample.v),
            a: series(system.velocity_names(), |sample| &sample.a),
            residuals: [0, 1, 2].map(|k| column(&|sample| sample.residuals[k])),
            iterations: column(&|sample| sample.iterations as f64),
        }
    }

    /// Axes of points.
    fn axes(&self) -> &'static [&'static str] {
        if self.planar { &["x", "y"] } else { &["x", "y", "z"] }
    }

    /// Positions, velocities and accelerations of named frames as time series: `tip.x`, `tip.vx`, ...
    pub(crate) fn traces(&self) -> Vec<Series> {
        let mut list = Vec::new();
        for Traced { name, points } in &self.frames {
            for (_, prefix, pick) in KINDS {
                for (k, axis) in self.axes().iter().enumerate() {
                    let values = points.iter().map(|point| pick(point)[k]).collect();
                    list.push(Series { name: format!("{name}.{prefix}{axis}"), values });
                }
            }
        }
        list
    }

    /// `t, q, v, a, frames, residuals, iterations` with one entry a sample.
    pub(crate) fn to_json(&self) -> Value {
        let rows = |series: &[Series]| -> Vec<Vec<f64>> {
            let row = |s| series.iter().map(|c: &Series| c.values[s]).collect();
            (0..self.t.len()).map(row).collect()
        };
        let names = |series: &[Series]| series.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
        let width = self.axes().len();
        let frame = |frame: &Traced| {
            let of = |pick: Pick| {
                frame.points.iter().map(|p| pick(p)[..width].to_vec()).collect::<Vec<_>>()
            };
            let document: Map<String, Value> = KINDS
                .iter()
                .map(|(kind, _, pick)| ((*kind).to_owned(), json!(of(*pick))))
                .collect();
            (frame.name.clone(), Value::Object(document))
        };
        let residuals = |s: usize| self.residuals.iter().map(|r| r[s]).collect::<Vec<_>>();
        json!({
            "coordinates": names(&self.q),
            "velocities": names(&self.v),
            "t": self.t,
            "q": rows(&self.q),
            "v": rows(&self.v),
            "a": rows(&self.a),
            "frames": self.frames.iter().map(frame).collect::<Map<String, Value>>(),
            "residuals": (0..self.t.len()).map(residuals).collect::<Vec<_>>(),
            "iterations": self.iterations.iter().map(|&n| n as u64).collect::<Vec<_>>(),
        })
    }

    /// Writes the columns in the format of the file's extension, which was checked before.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Failure> {
        let mut table: Vec<(String, &[f64])> = vec![("t".to_owned(), &self.t)];
        for (kind, list) in [("q", &self.q), ("v", &self.v), ("a", &self.a)] {
            table.extend(list.iter().map(|s| (format!("{kind}.{}", s.name), &s.values[..])));
        }
        let traces = self.traces();
        table.extend(traces.iter().map(|s| (format!("frame.{}", s.name), &s.values[..])));
        let kinds = ["position_residual", "velocity_residual", "acceleration_residual"];
        let residuals = kinds.into_iter().zip(&self.residuals);
        table.extend(residuals.map(|(name, values)| (name.to_owned(), &values[..])));
        table.push(("iterations".to_owned(), &self.iterations));
        columns::write(file, &self.title, &table, || self.to_json())
    }
}
