//! The equations of motion with constraints as a first-order system.

use pommel_integrate::System as Ode;
use pommel_mechanism::formulation::{Formulation, FormulationError, Method};
use pommel_mechanism::kinematics::{KinematicsError, Metric, StateProjector};
use pommel_mechanism::{Evaluation, System};

use crate::absolute::AbsoluteState;
use crate::{AbsoluteDynamics, Error};

/// What is done about drift off the constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stabilization {
    /// Nothing.
    None,
    /// `Φ̈ + 2α Φ̇ + β² Φ = 0` in place of `Φ̈ = 0` (Baumgarte 1972).
    Baumgarte {
        /// 1/s.
        alpha: f64,
        /// 1/s; `α = β` is critical damping.
        beta: f64,
    },
    /// The nearest position and velocities on the constraints after every accepted step.
    Projection(Metric),
}

impl Stabilization {
    /// Baumgarte's with `α = β = 1/(10 h)`: violations are damped within some ten steps of size `h`, far from
    /// where explicit steps of that size would become unstable (2α h of 2 and more).
    pub fn baumgarte_for_step(h: f64) -> Self {
        let rate = 0.1 / h;
        Stabilization::Baumgarte { alpha: rate, beta: rate }
    }
}

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
    failure: Option<(f64, KinematicsError)>,
}

impl<'a> ConstrainedSystem<'a> {
    /// From a state, whose applied forces act all the time.
    ///
    /// # Errors
    /// [`Error::Formulation`] if the formulation does not know something of the mechanism.
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
        let equations = system.equations(&evaluation, (&state.q, &state.v));
        let formulation = dynamics.formulation(method, &equations)?;
        let projector = match stabilization {
            Stabilization::Projection(metric) => {
                let mut projector = StateProjector::new(system, metric);
                projector.set_turns(&state.turns);
                Some(projector)
            }
            _ => None,
        };
        Ok(ConstrainedSystem {
            system,
            formulation,
            lambda: vec![0.0; system.rows()],
            evaluation,
            applied: &state.applied,
            stabilization,
            projector,
            failure: None,
        })
    }

    /// Why a state could not be projected, and when.
    pub fn failure(&self) -> Option<&(f64, KinematicsError)> {
        self.failure.as_ref()
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
        let ConstrainedSystem { system, formulation, evaluation, lambda, applied, .. } = self;
        let (q, v) = y.split_at(system.nq());
        let (qd, a) = dy.split_at_mut(system.nq());
        system.evaluate(t, q, v, evaluation);
        evaluation.force_mut().iter_mut().zip(*applied).for_each(|(q, f)| *q += f);
        system.position_rate(q, v, qd);
        if let Stabilization::Baumgarte { alpha, beta } = self.stabilization {
            system.stabilize(alpha, beta, v, evaluation);
        }
        let equations = system.equations(evaluation, (q, v));
        formulation.solve(&equations, a, lambda).map(|_| ())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        let nq = self.system.nq();
        // evaluated last was the state that is accepted
        self.system.track(&mut self.evaluation);
        let Some(projector) = &mut self.projector else {
            return self.system.normalize(&mut y[..nq], &mut dy[..nq]);
        };
        projector.set_turns(self.evaluation.turns());
        self.system.normalize(&mut y[..nq], &mut dy[..nq]);
        let (q, v) = y.split_at_mut(nq);
        let projected = projector.project(self.system, t, q, v);
        let again = projected.is_ok() && self.rhs(t, y, dy).is_ok();
        if let Err(error) = projected {
            self.failure = Some((t, error));
        }
        if !again {
            dy.fill(f64::NAN);
        }
    }
}
