//! Equations of motion in absolute coordinates as a first-order system.

use std::time::{Duration, Instant};

use pommel_integrate::System as Ode;
use pommel_mechanism::formulation::{Formulation, FormulationError, Method};
use pommel_mechanism::{Evaluation, System};

use crate::absolute::AbsoluteState;

/// Ω of the penalty formulation, 1/s, with μ = 1. What a penalty leaves of the accelerations of
/// constraints, λ/α, adds up to violations; so the formulation comes with their stabilization, and is
/// the only one here that has it.
pub(super) const PENALTY_RATE: f64 = 10.0;

/// `y = (q, v)`.
pub(super) struct Motion<'a> {
    pub(super) system: &'a System<f64>,
    pub(super) evaluation: Evaluation<f64>,
    pub(super) formulation: &'a mut dyn Formulation,
    pub(super) lambda: Vec<f64>,
    start: &'a AbsoluteState,
    /// time spent in the formulation, if it is asked for
    pub(super) solver: Option<Duration>,
}

impl<'a> Motion<'a> {
    /// From a state, whose applied forces act all the time.
    pub(super) fn new(
        system: &'a System<f64>,
        formulation: &'a mut dyn Formulation,
        start: &'a AbsoluteState,
    ) -> Self {
        Motion {
            system,
            start,
            evaluation: Evaluation::new(system),
            formulation,
            lambda: vec![0.0; system.rows()],
            solver: None,
        }
    }

    /// Joints in space are in the turns that they start in.
    pub(super) fn rewind(&mut self) {
        self.evaluation.set_turns(&self.start.turns);
    }
}

impl Ode<f64> for Motion<'_> {
    type Error = FormulationError;

    fn dim(&self) -> usize {
        self.system.nq() + self.system.nv()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), FormulationError> {
        let Motion { system, evaluation, formulation, lambda, start, solver } = self;
        let (q, v) = y.split_at(system.nq());
        let (qd, a) = dy.split_at_mut(system.nq());
        system.evaluate(t, q, v, evaluation);
        evaluation.force_mut().iter_mut().zip(&start.applied).for_each(|(q, f)| *q += f);
        system.position_rate(q, v, qd);
        if formulation.method() == Method::Penalty {
            system.stabilize(PENALTY_RATE, PENALTY_RATE, v, evaluation);
        }
        let equations = system.equations(evaluation, (q, v));
        match solver {
            None => formulation.solve(&equations, a, lambda)?,
            Some(total) => {
                let start = Instant::now();
                let outcome = formulation.solve(&equations, a, lambda);
                *total += start.elapsed();
                outcome?
            }
        };
        Ok(())
    }

    fn project(&mut self, _t: f64, y: &mut [f64], dy: &mut [f64]) {
        let nq = self.system.nq();
        // evaluated last was the state that is accepted
        self.system.track(&mut self.evaluation);
        self.system.normalize(&mut y[..nq], &mut dy[..nq]);
    }
}
