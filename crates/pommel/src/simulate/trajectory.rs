//! A trajectory and what it says about its own accuracy.

use pommel_integrate::Statistics;
use pommel_tree::{BodyMotion, Workspace, energy, forward_kinematics, momentum};

use crate::TreeDynamics;

/// A state on a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time, s.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Work of all forces but gravity since the start, J.
    pub work: f64,
}

/// A sampled trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Samples in order of time, the first at 0, the last at the end.
    pub samples: Vec<Sample>,
    /// Counts of the integration.
    pub statistics: Statistics,
    /// How well invariants were kept at the samples.
    pub diagnostics: Diagnostics,
}

/// How well invariants were kept, over the samples of a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// Largest `|E(t) − E(0) − W(t)|`, J: energy less the work of all forces but gravity.
    pub energy_drift: f64,
    /// Largest kinetic energy, J: what the drift is to be compared with.
    pub kinetic_scale: f64,
    /// Largest change of linear momentum that gravity does not explain, kg·m/s; none for a
    /// mechanism on the ground or under external loads.
    pub linear_momentum_drift: Option<f64>,
    /// Largest change of angular momentum about the mass centre, kg·m²/s; none likewise.
    pub angular_momentum_drift: Option<f64>,
    /// Largest distance of a quaternion's norm from 1, before the samples were normalised: the
    /// position constraint of a tree.
    pub quaternion_residual: f64,
}

impl Diagnostics {
    /// Evaluates the invariants at the samples; momentum only for an isolated mechanism.
    pub(crate) fn of(dynamics: &TreeDynamics, samples: &[Sample], isolated: bool) -> Self {
        let model = dynamics.model();
        let mut workspace = Workspace::new(model);
        let mut bodies = vec![BodyMotion::default(); model.body_count()];
        let mut result = Diagnostics::default();
        let mut first = None;
        for sample in samples {
            forward_kinematics(model, &mut workspace, &sample.q, &sample.v, &mut bodies);
            let (e, p) = (energy(model, &sample.v, &bodies), momentum(model, &sample.v, &bodies));
            let balance = e.kinetic + e.potential - sample.work;
            let (balance0, p0) = *first.get_or_insert((balance, p));
            result.energy_drift = result.energy_drift.max((balance - balance0).abs());
            result.kinetic_scale = result.kinetic_scale.max(e.kinetic);
            if isolated {
                let fallen = model.gravity().scale(p.mass * sample.t);
                let linear = (p.linear - p0.linear - fallen).norm();
                let angular = (p.angular - p0.angular).norm();
                let grow = |worst: &mut Option<f64>, x: f64| {
                    *worst = Some(worst.unwrap_or(0.0).max(x));
                };
                grow(&mut result.linear_momentum_drift, linear);
                grow(&mut result.angular_momentum_drift, angular);
            }
        }
        result
    }
}
