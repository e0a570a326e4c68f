//! Residuals of the constraints along a motion.

use pommel_integrate::{Control, Observer, Statistics, Step};
use pommel_mechanism::{Evaluation, System};

use super::ConstrainedRun;
use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

/// Measures what the ends of steps leave of the constraints, before another observer sees them.
pub(super) struct Watch<'a, O> {
    dynamics: &'a AbsoluteDynamics,
    evaluation: Evaluation<f64>,
    observer: &'a mut O,
    residuals: [f64; 2],
}

impl<'a, O> Watch<'a, O> {
    pub(super) fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &AbsoluteState,
        observer: &'a mut O,
    ) -> Self {
        let mut evaluation = Evaluation::new(dynamics.system());
        evaluation.set_turns(&state.turns);
        Watch { dynamics, evaluation, observer, residuals: [0.0; 2] }
    }

    /// Turns of joints in space at the state that was seen last.
    pub(super) fn turns(&self) -> &[f64] {
        self.evaluation.turns()
    }

    /// The end of the motion.
    pub(super) fn conclude(self, t: f64, y: &[f64], statistics: Statistics) -> ConstrainedRun {
        let (q, v) = y.split_at(self.dynamics.system().nq());
        let [position_residual, velocity_residual] = self.residuals;
        let (q, v) = (q.to_vec(), v.to_vec());
        ConstrainedRun { t, q, v, statistics, position_residual, velocity_residual }
    }

    fn measure(&mut self, t: f64, y: &[f64]) {
        let system = self.dynamics.system();
        let (q, v) = y.split_at(system.nq());
        system.evaluate(t, q, v, &mut self.evaluation);
        system.track(&mut self.evaluation);
        let position = self.evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let velocity = system.velocity_residual(v, &self.evaluation);
        self.residuals = [self.residuals[0].max(position), self.residuals[1].max(velocity)];
    }
}

/// Follows turns of joints in space within a step, between two times: steps over singular positions may be longer than
/// half a turn of what turns fast beside.
pub(super) fn follow(
    system: &System<f64>,
    step: &Step<'_, f64>,
    (from, to): (f64, f64),
    evaluation: &mut Evaluation<f64>,
) {
    let Some(visits) = step.visits() else { return };
    for (t, y) in visits.iter().filter(|(t, _)| from < *t && *t < to) {
        let (q, v) = y.split_at(system.nq());
        system.place(t, q, v, evaluation);
        system.track(evaluation);
    }
}

impl<O: Observer<f64>> Observer<f64> for Watch<'_, O> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.measure(t, y);
        self.observer.start(t, y);
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        follow(self.dynamics.system(), step, (step.t_old(), step.t_new()), &mut self.evaluation);
        self.measure(step.t_new(), step.y_new());
        self.observer.step(step)
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.observer.interpolates(t_new)
    }
}
