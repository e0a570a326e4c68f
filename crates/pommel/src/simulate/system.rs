//! The equations of motion as a first-order system.

use pommel_integrate::System;
use pommel_math::Wrench;
use pommel_model::ResolvedState;
use pommel_tree::TreeError;

use crate::TreeDynamics;
use crate::dynamics::{Applied, Evaluator};

/// `y = (q, v, work)`: positions, velocities, and the work of all forces but gravity.
pub(crate) struct TreeSystem<'a> {
    dynamics: &'a TreeDynamics,
    evaluator: Evaluator,
    tau: Vec<f64>,
    wrenches: Option<Vec<Wrench<f64>>>,
}

impl<'a> TreeSystem<'a> {
    pub(crate) fn new(dynamics: &'a TreeDynamics, state: &ResolvedState) -> Self {
        TreeSystem {
            dynamics,
            evaluator: dynamics.evaluator(),
            tau: state.tau.clone(),
            wrenches: dynamics.wrenches(state),
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
        work[0] = self.dynamics.evaluate(&mut self.evaluator, t, (q, v), applied, a)?;
        Ok(())
    }

    fn project(&mut self, _t: f64, y: &mut [f64], dy: &mut [f64]) {
        let nq = self.dynamics.model().nq();
        pommel_tree::normalize(self.dynamics.model(), &mut y[..nq], &mut dy[..nq]);
    }
}
