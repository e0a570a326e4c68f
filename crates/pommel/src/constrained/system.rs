//! The equations of motion with constraints as a first-order system.

use pommel_integrate::{StiffSystem, System as Ode};
use pommel_mechanism::formulation::{Formulation, FormulationError, Method};
use pommel_mechanism::kinematics::{KinematicsError, Metric, StateProjector};
use pommel_mechanism::{Evaluation, System};

use super::Stabilization;
use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// `y = (q, v)`: `q̇` of `v`, and accelerations by a formulation.
///
/// The integrator projects through it; where that fails, the next derivative is NaN, so that the integration
/// ends, and [`failure`](ConstrainedSystem::failure) says why.
pub struct ConstrainedSystem<'a> {
    system: &'a System<f64>,
    formulation: Box<dyn Formulation>,
    evaluation: Evaluation<f64>,
    lambda: Vec<f64>,
    applied: &'a [f64],
    stabilization: Stabilization,
    projector: Option<StateProjector>,
    scratch: Vec<f64>,
    failure: Option<(f64, KinematicsError)>,
    /// the largest rank of Φ_q so far that is not one of drift
    rank: Option<usize>,
}

impl<'a> ConstrainedSystem<'a> {
    /// From a state, whose applied forces act all the time.
    ///
    /// # Errors
    /// [`Error::Formulation`] if the formulation does not know something of the mechanism, [`Error::Force`] if a force
    /// given as code is no number.
    pub fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &'a AbsoluteState,
        method: Method,
        stabilization: Stabilization,
    ) -> Result<Self, Error> {
        let system = dynamics.system();
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(&state.turns);
        system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
        dynamics.check_forces(&evaluation, Some(0.0))?;
        let equations = system.equations(&evaluation, (&state.q, &state.v));
        let formulation = dynamics.formulation(method, &equations)?;
        let projector = stabilization.metric().map(|metric| {
            let mut projector = StateProjector::new(system, metric);
            projector.set_turns(&state.turns);
            projector
        });
        Ok(ConstrainedSystem {
            system,
            formulation,
            lambda: vec![0.0; system.rows()],
            evaluation,
            applied: &state.applied,
            stabilization,
            projector,
            scratch: vec![0.0; system.nq() + system.nv()],
            failure: None,
            rank: None,
        })
    }

    /// Why a state could not be projected, and when.
    pub fn failure(&self) -> Option<&(f64, KinematicsError)> {
        self.failure.as_ref()
    }

    /// The terms at the state that was evaluated last.
    pub(super) fn evaluation(&self) -> &Evaluation<f64> {
        &self.evaluation
    }

    /// Takes over turns of joints in space ([`Evaluation::turns`]).
    pub(super) fn set_turns(&mut self, turns: &[f64]) {
        self.evaluation.set_turns(turns);
    }

    /// Those of the state that was projected last.
    pub(super) fn turns(&self) -> &[f64] {
        self.evaluation.turns()
    }

    /// Projects a state that is less than half a turn away from turns of joints in space, wherever the state is that
    /// was evaluated before.
    pub(super) fn project_near(&mut self, turns: &[f64], t: f64, y: &mut [f64], dy: &mut [f64]) {
        self.evaluation.set_turns(turns);
        let (q, v) = y.split_at(self.system.nq());
        self.system.place(t, q, v, &mut self.evaluation);
        self.project(t, y, dy);
        self.system.track(&mut self.evaluation);
    }

    /// Projects as far as rounding lets.
    pub(super) fn close_to_rounding(&mut self) {
        if let Some(projector) = &mut self.projector {
            projector.close_to_rounding();
        }
    }

    /// What failed is past.
    pub(super) fn forget_failure(&mut self) {
        self.failure = None;
    }

    /// A rank that is larger than all before, at a state that is not projected: whether it is one of the constraints,
    /// and not of drift, which makes rows that depend on others differ from these. They would stop the mechanism.
    ///
    /// Where the state cannot be projected, nobody knows.
    #[cold]
    fn check_rank(&mut self, t: f64, y: &[f64], rank: usize) -> Result<(), FormulationError> {
        let system = self.system;
        let mut on = y.to_vec();
        let (q, v) = on.split_at_mut(system.nq());
        let mut projector = StateProjector::new(system, Metric::Mass);
        projector.set_turns(self.evaluation.turns());
        if projector.project(system, t, q, v).is_ok() {
            let mut evaluation = self.evaluation.clone();
            system.evaluate(t, q, v, &mut evaluation);
            let equations = system.equations(&evaluation, (q, v));
            let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
            let found = self.formulation.solve(&equations, &mut a, &mut lambda)?;
            let of_constraints = found.rank.unwrap_or(rank);
            if of_constraints < rank {
                let method = self.formulation.method();
                return Err(FormulationError::Drifted { method, rank, of_constraints });
            }
        }
        self.rank = Some(rank);
        Ok(())
    }

    /// Multipliers of the state that was evaluated last.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }
}

impl core::fmt::Debug for ConstrainedSystem<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ConstrainedSystem")
            .field("method", &self.formulation.method())
            .field("stabilization", &self.stabilization)
            .finish_non_exhaustive()
    }
}

impl Ode<f64> for ConstrainedSystem<'_> {
    type Error = FormulationError;

    fn dim(&self) -> usize {
        self.system.nq() + self.system.nv()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), FormulationError> {
        let ConstrainedSystem {
            system,
            formulation,
            evaluation,
            lambda,
            applied,
            projector,
            scratch,
            failure,
            ..
        } = self;
        let nq = system.nq();
        let (mut q, mut v) = y.split_at(nq);
        if let (Stabilization::Partitioning, Some(projector)) = (self.stabilization, projector) {
            scratch.copy_from_slice(y);
            let (dependent_q, dependent_v) = scratch.split_at_mut(nq);
            projector.set_turns(evaluation.turns());
            if let Err(error) = projector.project(system, t, dependent_q, dependent_v) {
                *failure = Some((t, error));
                dy.fill(f64::NAN);
                return Ok(());
            }
            *failure = None;
            (q, v) = scratch.split_at(nq);
        }
        let (qd, a) = dy.split_at_mut(nq);
        system.evaluate(t, q, v, evaluation);
        evaluation.force_mut().iter_mut().zip(*applied).for_each(|(q, f)| *q += f);
        system.position_rate(q, v, qd);
        if let Stabilization::Baumgarte { alpha, beta } = self.stabilization {
            system.stabilize(alpha, beta, v, evaluation);
        }
        let equations = system.equations(evaluation, (q, v));
        let Some(rank) = formulation.solve(&equations, a, lambda)?.rank else { return Ok(()) };
        match self.rank {
            None => self.rank = Some(rank),
            Some(most) if rank > most && self.projector.is_none() => {
                return self.check_rank(t, y, rank);
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        let nq = self.system.nq();
        // evaluated last was the state that is accepted
        self.system.track(&mut self.evaluation);
        // what failed in a trial is past
        self.failure = None;
        let Some(projector) = &mut self.projector else {
            return self.system.normalize(&mut y[..nq], &mut dy[..nq]);
        };
        projector.set_turns(self.evaluation.turns());
        self.system.normalize(&mut y[..nq], &mut dy[..nq]);
        let (q, v) = y.split_at_mut(nq);
        let projected = (projector.repartition(self.system, t, q, v))
            .and_then(|()| projector.project(self.system, t, q, v));
        let again = projected.is_ok() && self.rhs(t, y, dy).is_ok();
        if let Err(error) = projected {
            self.failure = Some((t, error));
        }
        if !again {
            dy.fill(f64::NAN);
        }
    }
}

impl StiffSystem for ConstrainedSystem<'_> {}
