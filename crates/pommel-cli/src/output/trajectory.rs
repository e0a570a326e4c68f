//! A trajectory as columns: CSV, Parquet, JSON.

use std::path::Path;

use pommel::absolute::BodyState;
use pommel::constrained::ConstrainedSample;
use pommel::math::{Quaternion, Transform, Vec3};
use pommel::model::Mechanism;
use pommel::simulate::Trajectory;
use pommel::tree::{BodyMotion, Workspace, energy, forward_kinematics};
use pommel::{AbsoluteDynamics, TreeDynamics};
use serde_json::{Value, json};

use super::columns::{self, Series};
use crate::failure::Failure;

/// Time series, each with a name and a unit.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) title: String,
    pub(crate) t: Vec<f64>,
    /// positions and velocities by coordinate
    pub(crate) q: Vec<Series>,
    pub(crate) v: Vec<Series>,
    pub(crate) work: Vec<f64>,
    pub(crate) kinetic: Vec<f64>,
    pub(crate) potential: Vec<f64>,
    bodies: Vec<(String, Vec<BodyMotion<f64>>)>,
    planar: bool,
    /// the largest Φ and Φ_q v − ν of each sample, of mechanisms in absolute coordinates
    pub(crate) residuals: Option<[Vec<f64>; 2]>,
}

impl Columns {
    pub(crate) fn of(mechanism: &Mechanism, dynamics: &TreeDynamics, run: &Trajectory) -> Self {
        let model = dynamics.model();
        let series = |names: Vec<String>, pick: &dyn Fn(usize, usize) -> f64| {
            let list = names.into_iter().enumerate();
            list.map(|(k, name)| Series {
                name,
                values: (0..run.samples.len()).map(|s| pick(s, k)).collect(),
            })
            .collect::<Vec<_>>()
        };
        let bodies = &mechanism.description().bodies;
        let mut columns = Columns {
            title: mechanism.name().to_owned(),
            t: run.samples.iter().map(|s| s.t).collect(),
            q: series(mechanism.coordinate_names(), &|s, k| run.samples[s].q[k]),
            v: series(mechanism.velocity_names(), &|s, k| run.samples[s].v[k]),
            work: run.samples.iter().map(|s| s.work).collect(),
            kinetic: Vec::new(),
            potential: Vec::new(),
            bodies: bodies.iter().map(|b| (b.name.clone(), Vec::new())).collect(),
            planar: mechanism.is_planar(),
            residuals: None,
        };
        let mut workspace = Workspace::new(model);
        let mut motions = vec![BodyMotion::default(); model.body_count()];
        for sample in &run.samples {
            forward_kinematics(model, &mut workspace, &sample.q, &sample.v, &mut motions);
            let e = energy(model, &sample.v, &motions);
            columns.kinetic.push(e.kinetic);
            columns.potential.push(e.potential);
            for (b, (_, list)) in columns.bodies.iter_mut().enumerate() {
                list.push(motions[dynamics.body(b).index()]);
            }
        }
        columns
    }

    /// Of a mechanism in absolute coordinates.
    pub(crate) fn of_absolute(dynamics: &AbsoluteDynamics, samples: &[ConstrainedSample]) -> Self {
        let system = dynamics.system();
        let series = |names: Vec<String>, pick: &dyn Fn(&ConstrainedSample, usize) -> f64| {
            let list = names.into_iter().enumerate();
            list.map(|(k, name)| {
                let values = samples.iter().map(|s| pick(s, k)).collect();
                Series { name, values }
            })
            .collect::<Vec<_>>()
        };
        let all = |pick: &dyn Fn(&ConstrainedSample) -> f64| samples.iter().map(pick).collect();
        let still = vec![0.0; system.nv()];
        let mut bodies: Vec<(String, Vec<BodyMotion<f64>>)> = Vec::new();
        for sample in samples {
            let list = dynamics.bodies(&sample.q, &sample.v, &still);
            for (b, (name, state)) in list.into_iter().enumerate() {
                if bodies.len() == b {
                    bodies.push((name, Vec::new()));
                }
                bodies[b].1.push(motion(&state));
            }
        }
        Columns {
            title: dynamics.mechanism().name().to_owned(),
            t: all(&|s| s.t),
            q: series(system.coordinate_names(), &|s, k| s.q[k]),
            v: series(system.velocity_names(), &|s, k| s.v[k]),
            work: all(&|s| s.work),
            kinetic: all(&|s| s.kinetic),
            potential: all(&|s| s.potential),
            bodies,
            planar: system.is_planar(),
            residuals: Some([all(&|s| s.position_residual), all(&|s| s.velocity_residual)]),
        }
    }

    /// Names and values of all columns of a table.
    fn table(&self) -> Vec<(String, &[f64])> {
        let mut list: Vec<(String, &[f64])> = vec![("t".to_owned(), &self.t)];
        list.extend(self.q.iter().map(|s| (format!("q.{}", s.name), &s.values[..])));
        list.extend(self.v.iter().map(|s| (format!("v.{}", s.name), &s.values[..])));
        list.push(("work".to_owned(), &self.work));
        list.push(("kinetic_energy".to_owned(), &self.kinetic));
        list.push(("potential_energy".to_owned(), &self.potential));
        if let Some([positions, velocities]) = &self.residuals {
            list.push(("position_residual".to_owned(), positions));
            list.push(("velocity_residual".to_owned(), velocities));
        }
        list
    }

    /// `t, q, v, bodies` with one entry a sample.
    pub(crate) fn to_json(&self) -> Value {
        let rows = |series: &[Series]| -> Vec<Vec<f64>> {
            let row = |s| series.iter().map(|c: &Series| c.values[s]).collect();
            (0..self.t.len()).map(row).collect()
        };
        let mut bodies = serde_json::Map::new();
        for (name, list) in &self.bodies {
            bodies.insert(name.clone(), self.body(list));
        }
        json!({
            "t": self.t,
            "q": rows(&self.q),
            "v": rows(&self.v),
            "coordinates": self.q.iter().map(|s| &s.name).collect::<Vec<_>>(),
            "velocities": self.v.iter().map(|s| &s.name).collect::<Vec<_>>(),
            "work": self.work,
            "kinetic_energy": self.kinetic,
            "potential_energy": self.potential,
            "bodies": bodies,
        })
    }

    /// Mass centre and orientation over time.
    fn body(&self, list: &[BodyMotion<f64>]) -> Value {
        let dimensions = if self.planar { 2 } else { 3 };
        let vectors = |pick: &dyn Fn(&BodyMotion<f64>) -> [f64; 3]| {
            list.iter().map(|m| pick(m)[..dimensions].to_vec()).collect::<Vec<_>>()
        };
        let position = vectors(&|m| m.centre.to_array());
        let velocity = vectors(&|m| m.velocity.to_array());
        if self.planar {
            // continuous: the angle of one sample is within half a turn of the one before
            let mut angle = 0.0;
            let angles: Vec<f64> = (list.iter())
                .map(|m| {
                    let r = m.placement.rotation;
                    let raw = r.y.x.atan2(r.x.x);
                    let turn = std::f64::consts::TAU;
                    angle = raw + turn * ((angle - raw) / turn).round();
                    angle
                })
                .collect();
            let rates: Vec<f64> = list.iter().map(|m| m.angular_velocity.z).collect();
            return json!({
                "position": position,
                "angle": angles,
                "velocity": velocity,
                "angular_velocity": rates,
            });
        }
        let quaternions: Vec<[f64; 4]> = (list.iter())
            .map(|m| {
                let Quaternion { w, x, y, z } = Quaternion::from_rotation(m.placement.rotation);
                [w, x, y, z]
            })
            .collect();
        json!({
            "position": position,
            "quaternion": quaternions,
            "velocity": velocity,
            "angular_velocity": vectors(&|m| m.angular_velocity.to_array()),
        })
    }
}

/// The same in the terms of trees.
fn motion(state: &BodyState) -> BodyMotion<f64> {
    let turn = match (state.quaternion, state.angle) {
        (Some(quaternion), _) => Quaternion::from_slice(&quaternion),
        (None, angle) => {
            let (sin, cos) = (0.5 * angle.unwrap_or(0.0)).sin_cos();
            Quaternion::new(cos, 0.0, 0.0, sin)
        }
    };
    let centre = Vec3::from_slice(&state.position);
    BodyMotion {
        placement: Transform { rotation: turn.rotation(), ..Transform::identity() },
        centre,
        angular_velocity: Vec3::from_slice(&state.angular_velocity),
        velocity: Vec3::from_slice(&state.velocity),
    }
}

/// Writes the columns in the format of the file's extension, which was checked before.
pub(crate) fn write(file: &Path, columns: &Columns) -> Result<(), Failure> {
    columns::write(file, &columns.title, &columns.table(), || columns.to_json())
}
