//! Trajectories with events.

use pommel_integrate::{Control, Observer, Statistics, Step};
use pommel_mechanism::Evaluation;

use super::{EventRecord, NonsmoothDynamics, NonsmoothMotion, NonsmoothOptions};
use crate::Error;
use crate::absolute::AbsoluteState;
use crate::constrained::ConstrainedSample;

/// A sampled trajectory with its events.
#[derive(Clone, Debug, PartialEq)]
pub struct NonsmoothTrajectory {
    /// Samples in order of time, the first at 0, the last at the end; their work is not known (NaN).
    pub samples: Vec<ConstrainedSample>,
    /// All events.
    pub events: Vec<EventRecord>,
    /// Counts of the integration.
    pub statistics: Statistics,
    /// The largest `|Φ|` at the ends of steps; m, rad.
    pub position_residual: f64,
    /// The largest `|Φ_q v − ν|` there; m/s, rad/s.
    pub velocity_residual: f64,
}

/// Integrates a mechanism with friction, stops and contacts from time 0 to `end`, with samples at the start, at every
/// multiple of `every`, and at the end.
///
/// # Arguments
/// - `progress` is told how far the integration is, s
///
/// # Errors
/// As [`NonsmoothMotion`].
///
/// # Panics
/// If the state is not one of this mechanism, or `every` is not positive.
pub fn simulate_nonsmooth(
    dynamics: &NonsmoothDynamics,
    state: &AbsoluteState,
    options: &NonsmoothOptions,
    (end, every): (f64, f64),
    progress: &mut dyn FnMut(f64),
) -> Result<NonsmoothTrajectory, Error> {
    assert!(every > 0.0, "the time between samples must be positive");
    dynamics.smooth().check_consistent(state)?;
    let system = dynamics.system();
    let mut evaluation = Evaluation::new(system);
    evaluation.set_turns(&state.turns);
    let mut recorder = Recorder {
        dynamics,
        evaluation,
        samples: Vec::new(),
        residuals: [0.0; 2],
        every,
        end,
        progress,
    };
    let mut motion = NonsmoothMotion::new(dynamics, state, options)?;
    recorder.take(0.0, &mut [motion.q(), motion.v()].concat());
    motion.integrate_to(end, &mut recorder)?;
    // an event at the end changes the state there
    if recorder.samples.len() > 1 && recorder.samples.last().is_some_and(|last| last.t == end) {
        recorder.samples.pop();
        recorder.take(end, &mut [motion.q(), motion.v()].concat());
    }
    let Recorder { samples, residuals, .. } = recorder;
    let mut statistics = Statistics::default();
    motion.statistics().iter().for_each(|piece| statistics.add(piece));
    let [position_residual, velocity_residual] = residuals;
    Ok(NonsmoothTrajectory {
        samples,
        events: motion.log().to_vec(),
        statistics,
        position_residual,
        velocity_residual,
    })
}

/// Takes samples and residuals.
struct Recorder<'a> {
    dynamics: &'a NonsmoothDynamics,
    evaluation: Evaluation<f64>,
    samples: Vec<ConstrainedSample>,
    residuals: [f64; 2],
    every: f64,
    end: f64,
    progress: &'a mut dyn FnMut(f64),
}

impl Recorder<'_> {
    /// When the next sample is due; the end at the latest.
    fn due(&self) -> f64 {
        (self.samples.len() as f64 * self.every).min(self.end)
    }

    /// Residuals at a state.
    fn measure(&mut self, t: f64, y: &[f64]) -> [f64; 2] {
        let system = self.dynamics.system();
        let (q, v) = y.split_at(system.nq());
        system.evaluate(t, q, v, &mut self.evaluation);
        system.track(&mut self.evaluation);
        let phi = self.evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        [phi, system.velocity_residual(v, &self.evaluation)]
    }

    fn take(&mut self, t: f64, y: &mut [f64]) {
        let system = self.dynamics.system();
        let (q, _) = y.split_at_mut(system.nq());
        let mut rates = vec![0.0; q.len()];
        system.normalize(q, &mut rates);
        let [position_residual, velocity_residual] = self.measure(t, y);
        let (q, v) = y.split_at(system.nq());
        let energy = system.energy(v, &self.evaluation);
        self.samples.push(ConstrainedSample {
            t,
            q: q.to_vec(),
            v: v.to_vec(),
            work: f64::NAN,
            kinetic: energy.kinetic,
            potential: energy.potential,
            position_residual,
            velocity_residual,
        });
    }
}

impl Observer<f64> for Recorder<'_> {
    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        let mut y = vec![0.0; step.y_new().len()];
        while self.due() < step.t_new() && self.samples.last().is_some_and(|s| s.t < self.end) {
            let t = self.due();
            step.interpolate(t, &mut y);
            self.take(t, &mut y);
        }
        let residuals = self.measure(step.t_new(), step.y_new());
        (0..2).for_each(|k| self.residuals[k] = self.residuals[k].max(residuals[k]));
        if self.due() == step.t_new() && self.samples.last().is_some_and(|s| s.t < self.end) {
            y.copy_from_slice(step.y_new());
            self.take(step.t_new(), &mut y);
        }
        (self.progress)(step.t_new());
        Control::Continue
    }

    fn interpolates(&self, _t_new: f64) -> bool {
        true
    }
}
