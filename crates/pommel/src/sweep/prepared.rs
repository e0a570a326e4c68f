//! An instance that is ready to be simulated, and what is known of it at its end.

use pommel_batch::Outcome;
use pommel_integrate::{IntegrateError, Statistics, Stepper};
use pommel_model::{Mechanism, ResolvedState};
use pommel_tree::TreeError;

use super::failed;
use crate::simulate::{Diagnostics, Sample, SimulateOptions, TreeSystem};
use crate::{Error, TreeDynamics};

/// An instance with its equations of motion.
pub(super) struct Prepared {
    pub(super) dynamics: TreeDynamics,
    pub(super) state: ResolvedState,
    pub(super) options: SimulateOptions,
}

impl Prepared {
    /// The equations of motion of an instance.
    ///
    /// # Errors
    /// The failed outcome, if there are none.
    pub(super) fn new(mechanism: &Mechanism, options: SimulateOptions) -> Result<Self, Outcome> {
        let dynamics = TreeDynamics::new(mechanism).map_err(failed)?;
        let state = crate::initial_state(mechanism).map_err(failed)?;
        Ok(Prepared { dynamics, state, options })
    }

    /// Whether both can be simulated side by side.
    pub(super) fn goes_with(&self, other: &Prepared) -> bool {
        let end = other.options.end;
        SimulateOptions { end, ..self.options } == other.options
            && self.has_wrenches() == other.has_wrenches()
            && self.dynamics.model().goes_with(other.dynamics.model())
    }

    /// Components of `y = (q, v, work)`.
    pub(super) fn dim(&self) -> usize {
        self.state.q.len() + self.state.v.len() + 1
    }

    /// A motion by itself: how instances are simulated that do not reach their end beside others, for the reason.
    pub(super) fn alone(&self, isolated: bool) -> Outcome {
        match self.run() {
            Ok((y, counts)) => Outcome::Finished { values: self.values(y, &counts, isolated) },
            Err(error) => failed(Error::Integration(error)),
        }
    }

    fn run(&self) -> Result<(Vec<f64>, Statistics), IntegrateError<TreeError>> {
        let mut system = TreeSystem::new(&self.dynamics, &self.state);
        let mut y = system.initial(&self.state);
        let mut stepper = Stepper::new(y.len(), &self.options.method())?;
        let counts = system.run(&mut stepper, self.options.end, &mut y, &mut ())?;
        Ok((y, counts))
    }

    /// The quantities of an instance that ended in `y`.
    pub(super) fn values(&self, y: Vec<f64>, counts: &Statistics, isolated: bool) -> Vec<f64> {
        let (nq, nv) = (self.state.q.len(), self.state.v.len());
        let end = Sample {
            t: self.options.end,
            q: y[..nq].to_vec(),
            v: y[nq..nq + nv].to_vec(),
            work: y[nq + nv],
        };
        let (q, v) = (self.state.q.clone(), self.state.v.clone());
        let start = Sample { t: 0.0, q, v, work: 0.0 };
        let drift = Diagnostics::of(&self.dynamics, &[start, end], isolated);
        let mut values = y;
        values.push(drift.energy_drift);
        if isolated {
            let momentum = [drift.linear_momentum_drift, drift.angular_momentum_drift];
            values.extend(momentum.into_iter().flatten());
        }
        values.extend([counts.steps, counts.rejected, counts.evaluations].map(|n| n as f64));
        values
    }
}
