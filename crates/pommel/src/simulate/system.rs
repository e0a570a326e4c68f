//! The equations of motion as a first-order system.

use pommel_integrate::{Control, IntegrateError, Observer, Statistics, Step, Stepper, System};
use pommel_math::Wrench;
use pommel_model::ResolvedState;
use pommel_tree::TreeError;

use crate::dynamics::{Applied, Evaluator};
use crate::forces::forced;
use crate::{Error, TreeDynamics};

/// `y = (q, v, work)`: positions, velocities, and the work of all forces but gravity.
pub(crate) struct TreeSystem<'a> {
    dynamics: &'a TreeDynamics,
    evaluator: Evaluator,
    tau: Vec<f64>,
    wrenches: Option<Vec<Wrench<f64>>>,
    /// loads are taken at this time at the latest: just before the next breakpoint
    until: f64,
}

impl<'a> TreeSystem<'a> {
    pub(crate) fn new(dynamics: &'a TreeDynamics, state: &ResolvedState) -> Self {
        TreeSystem {
            dynamics,
            evaluator: dynamics.evaluator(),
            tau: state.tau.clone(),
            wrenches: dynamics.wrenches(state),
            until: f64::INFINITY,
        }
    }

    /// Integrates from 0 to `end`, from one breakpoint of the loads to the next, so that every
    /// piece is smooth: at a jump, the piece before it sees the value before it.
    ///
    /// `y` is the initial state, then that at the end.
    pub(crate) fn run(
        &mut self,
        stepper: &mut Stepper<f64>,
        end: f64,
        y: &mut [f64],
        observer: &mut impl Observer<f64>,
    ) -> Result<Statistics, IntegrateError<TreeError>> {
        let times = pieces(self.dynamics, end);
        let mut watch = Pieces { observer, started: false };
        let mut total: Option<Statistics> = None;
        let mut start = 0.0;
        for time in times {
            self.until = if time < end { time.next_down() } else { f64::INFINITY };
            let run = stepper.run(self, start, time, y, &mut watch)?;
            let piece = run.into_result().map_err(IntegrateError::Failed)?.statistics(0);
            total = Some(total.map_or(piece, |sum| Statistics {
                steps: sum.steps + piece.steps,
                rejected: sum.rejected + piece.rejected,
                evaluations: sum.evaluations + piece.evaluations,
                jacobians: sum.jacobians + piece.jacobians,
                factorizations: sum.factorizations + piece.factorizations,
                smallest_step: sum.smallest_step.min(piece.smallest_step),
                largest_step: sum.largest_step.max(piece.largest_step),
            }));
            start = time;
        }
        Ok(total.unwrap_or_default())
    }

    /// An early end, by a force given as code if that is no number.
    pub(crate) fn ended(&self, error: IntegrateError<TreeError>) -> Error {
        match (&error, self.evaluator.unsound_force()) {
            (IntegrateError::Failed(failure), Some(source)) if forced(&failure.cause) => {
                Error::Force { source: source.clone(), reached: Some(failure.t) }
            }
            _ => error.into(),
        }
    }

    pub(crate) fn initial(&self, state: &ResolvedState) -> Vec<f64> {
        let mut y = state.q.clone();
        y.extend(&state.v);
        y.push(0.0);
        y
    }
}

impl System<f64> for TreeSystem<'_> {
    type Error = TreeError;

    fn dim(&self) -> usize {
        self.dynamics.model().nq() + self.dynamics.model().nv() + 1
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), TreeError> {
        let model = self.dynamics.model();
        let (nq, nv) = (model.nq(), model.nv());
        let (q, v) = (&y[..nq], &y[nq..nq + nv]);
        let (qd, rest) = dy.split_at_mut(nq);
        pommel_tree::position_rate(model, q, v, qd);
        let applied = Applied { tau: &self.tau, wrenches: self.wrenches.as_deref() };
        let (a, work) = rest.split_at_mut(nv);
        work[0] =
            self.dynamics.evaluate(&mut self.evaluator, t.min(self.until), (q, v), applied, a)?;
        Ok(())
    }

    fn project(&mut self, _t: f64, y: &mut [f64], dy: &mut [f64]) {
        let nq = self.dynamics.model().nq();
        pommel_tree::normalize(self.dynamics.model(), &mut y[..nq], &mut dy[..nq]);
    }
}

/// Ends of the pieces between breakpoints of the loads.
pub(crate) fn pieces(dynamics: &TreeDynamics, end: f64) -> Vec<f64> {
    let mut times = dynamics.breakpoints();
    times.retain(|t| 0.0 < *t && *t < end);
    times.push(end);
    times
}

/// Makes several integrations look like one: its observer sees one start.
struct Pieces<'a, O> {
    observer: &'a mut O,
    started: bool,
}

impl<O: Observer<f64>> Observer<f64> for Pieces<'_, O> {
    fn start(&mut self, t: f64, y: &[f64]) {
        if !self.started {
            self.observer.start(t, y);
            self.started = true;
        }
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        self.observer.step(step)
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.observer.interpolates(t_new)
    }
}
