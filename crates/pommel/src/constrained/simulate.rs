//! Trajectories of mechanisms with constraints.

use pommel_integrate::{Control, Observer, Statistics, Step};
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::Method;

use super::watch::follow;
use super::{Approach, Balance, VerifiedRun, integrate_constrained, integrate_verified};
use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// A state on a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedSample {
    /// Time, s.
    pub t: f64,
    /// Coordinates of the [`System`](pommel_mechanism::System).
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Work of everything but gravity and springs since the start, J.
    pub work: f64,
    /// J.
    pub kinetic: f64,
    /// J; zero at the origin.
    pub potential: f64,
    /// The largest `|Φ|`; m, rad. Between steps it is that of the interpolant.
    pub position_residual: f64,
    /// The largest `|Φ_q v − ν|`; m/s, rad/s.
    pub velocity_residual: f64,
}

/// A sampled trajectory and what it says about its own accuracy.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedTrajectory {
    /// Samples in order of time, the first at 0, the last at the end.
    pub samples: Vec<ConstrainedSample>,
    /// Counts of the integration.
    pub statistics: Statistics,
    /// The largest `|Φ|` at the ends of steps; m, rad.
    pub position_residual: f64,
    /// The largest `|Φ_q v − ν|` there; m/s, rad/s.
    pub velocity_residual: f64,
    /// Largest `|E(t) − E(0) − W(t)|` there, J: energy less the work of everything but gravity and springs.
    pub energy_drift: f64,
    /// Largest kinetic energy, J: what the drift is to be compared with.
    pub kinetic_scale: f64,
    /// How accurate the end is, where that was asked for.
    pub verified: Option<VerifiedRun>,
}

/// What is to be accurate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// Each step, to this tolerance.
    Steps(f64),
    /// The end, which [`integrate_verified`] makes sure of with as many runs as it takes.
    End(f64),
}

/// Integrates a mechanism from time 0 to `end`, with samples at the start, at every multiple of `every`, and at the
/// end.
///
/// # Arguments
/// - `approach` makes the approach of a tolerance, which it may disregard
/// - `progress` is told how far the integration is, s
///
/// # Errors
/// As [`integrate_constrained`] and [`integrate_verified`].
///
/// # Panics
/// If the state is not one of this mechanism, or `every` is not positive.
pub fn simulate_constrained(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    approach: &dyn Fn(f64) -> Approach,
    accuracy: Accuracy,
    (end, every): (f64, f64),
    progress: &mut dyn FnMut(f64),
) -> Result<ConstrainedTrajectory, Error> {
    assert!(every > 0.0, "the time between samples must be positive");
    let system = dynamics.system();
    // constraints that move do work
    let moves = !dynamics.mechanism().description().drivers.is_empty();
    let multipliers = match moves {
        true => {
            let mut evaluation = Evaluation::new(system);
            evaluation.set_turns(&state.turns);
            system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
            dynamics.check_forces(&evaluation, Some(0.0))?;
            let equations = system.equations(&evaluation, (&state.q, &state.v));
            Some(dynamics.formulation(Method::SparseKkt, &equations)?)
        }
        false => None,
    };
    let mut recorder = Recorder {
        dynamics,
        start: state,
        balance: Balance::new(system, multipliers, state),
        evaluation: Evaluation::new(system),
        samples: Vec::new(),
        end,
        every,
        next: 0,
        progress,
    };
    let (run, verified) = match accuracy {
        Accuracy::End(accuracy) => {
            let verified =
                integrate_verified(dynamics, state, approach, end, accuracy, &mut recorder)?;
            (verified.run.clone(), Some(verified))
        }
        Accuracy::Steps(tolerance) => {
            let approach = approach(tolerance);
            (integrate_constrained(dynamics, state, &approach, end, &mut recorder)?, None)
        }
    };
    let Recorder { balance, samples, .. } = recorder;
    Ok(ConstrainedTrajectory {
        samples,
        statistics: run.statistics,
        position_residual: run.position_residual,
        velocity_residual: run.velocity_residual,
        energy_drift: balance.energy_drift,
        kinetic_scale: balance.kinetic_scale,
        verified,
    })
}

/// Takes samples, energies and residuals.
struct Recorder<'a> {
    dynamics: &'a AbsoluteDynamics,
    start: &'a AbsoluteState,
    balance: Balance<'a>,
    evaluation: Evaluation<f64>,
    samples: Vec<ConstrainedSample>,
    end: f64,
    every: f64,
    /// the number of samples that are due next
    next: u32,
    progress: &'a mut dyn FnMut(f64),
}

impl Recorder<'_> {
    /// When the next sample is due; none after the end.
    fn due(&self) -> f64 {
        (f64::from(self.next) * self.every).min(self.end)
    }

    fn take(&mut self, t: f64, y: &mut [f64], work: f64) {
        let system = self.dynamics.system();
        let (q, v) = y.split_at_mut(system.nq());
        // an interpolated quaternion is a unit quaternion up to the tolerance only
        let mut rates = vec![0.0; q.len()];
        system.normalize(q, &mut rates);
        system.evaluate(t, q, v, &mut self.evaluation);
        system.track(&mut self.evaluation);
        let energy = system.energy(v, &self.evaluation);
        let phi = self.evaluation.phi();
        self.samples.push(ConstrainedSample {
            t,
            q: q.to_vec(),
            v: v.to_vec(),
            work,
            kinetic: energy.kinetic,
            potential: energy.potential,
            position_residual: phi.iter().fold(0.0_f64, |m, x| m.max(x.abs())),
            velocity_residual: system.velocity_residual(v, &self.evaluation),
        });
        self.next += 1;
    }
}

impl Observer<f64> for Recorder<'_> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.balance.start(t, y);
        self.evaluation.set_turns(&self.start.turns);
        self.samples.clear();
        self.next = 0;
        self.take(t, &mut y.to_vec(), 0.0);
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        let mut y = vec![0.0; step.y_new().len()];
        let before = self.balance.work;
        let system = self.dynamics.system();
        let mut from = step.t_old();
        while self.due() < step.t_new() {
            let t = self.due();
            follow(system, step, (from, t), &mut self.evaluation);
            from = t;
            step.interpolate(t, &mut y);
            let work = before + self.balance.work_until(step, t);
            self.take(t, &mut y, work);
        }
        let control = self.balance.step(step);
        // turns are followed from step to step, however far samples are apart
        follow(system, step, (from, step.t_new()), &mut self.evaluation);
        let (q, v) = step.y_new().split_at(system.nq());
        system.place(step.t_new(), q, v, &mut self.evaluation);
        system.track(&mut self.evaluation);
        let ends = step.t_new() == self.end;
        if self.due() == step.t_new() || ends {
            y.copy_from_slice(step.y_new());
            self.take(step.t_new(), &mut y, self.balance.work);
        }
        (self.progress)(step.t_new());
        control
    }

    fn interpolates(&self, _t_new: f64) -> bool {
        true
    }
}
