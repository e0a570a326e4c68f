//! The equations while nothing changes: a system with what sticks and is closed as rows.

use pommel_mechanism::formulation::{Formulation, FormulationError};
use pommel_mechanism::kinematics::{KinematicsError, Metric, StateProjector};
use pommel_mechanism::{Equations, Evaluation, System};

use super::status::Statuses;
use super::{NonsmoothDynamics, NonsmoothError, NonsmoothOptions};
use crate::{Error, Stabilization};

/// Equations, factor and memory of one phase.
pub(super) struct Phase {
    pub(super) system: System<f64>,
    pub(super) evaluation: Evaluation<f64>,
    formulation: Box<dyn Formulation>,
    projector: StateProjector,
    stabilization: Stabilization,
    /// accelerations and multipliers that were solved for last
    pub(super) a: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    /// for each rub and gap the row that holds it
    rows: Vec<Option<usize>>,
}

/// A state: time, coordinates, velocities.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) t: f64,
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
}

impl Phase {
    /// For statuses at a state with turns of the free system.
    ///
    /// # Errors
    /// [`Error::System`], [`Error::Nonsmooth`].
    pub(super) fn new(
        dynamics: &NonsmoothDynamics,
        options: &NonsmoothOptions,
        statuses: &Statuses,
        at: At<'_>,
        (turns, applied): (&[f64], &[f64]),
    ) -> Result<Self, Error> {
        let (active, held) = statuses.active(dynamics.interactions());
        let mut system = System::with_active(dynamics.mechanism(), &active)?;
        for law in dynamics.system().force_laws() {
            system.add_force_law(law.clone());
        }
        let first = system.held_rows().start;
        let rows = held.into_iter().map(|row| row.map(|row| first + row)).collect();
        let turns = system.held_turns(turns);
        let mut evaluation = Evaluation::new(&system);
        evaluation.set_turns(&turns);
        system.evaluate(at.t, at.q, at.v, &mut evaluation);
        if let Some(source) = system.unsound_force(&evaluation) {
            return Err(Error::Force { source, reached: Some(at.t) });
        }
        evaluation.force_mut().iter_mut().zip(applied).for_each(|(q, f)| *q += f);
        let equations = system.equations(&evaluation, (at.q, at.v));
        let method = options.method;
        let formulation = method.build(&equations).map_err(|source| match source {
            FormulationError::NeedsModel { method } => NonsmoothError::Method { method },
            source => NonsmoothError::Accelerations { time: at.t, source, place: None },
        })?;
        let metric = match options.stabilization {
            Stabilization::Projection(metric) => metric,
            _ => Metric::Mass,
        };
        let mut projector = StateProjector::new(&system, metric);
        projector.set_turns(&turns);
        Ok(Phase {
            evaluation,
            formulation,
            projector,
            stabilization: options.stabilization,
            a: vec![0.0; system.nv()],
            lambda: vec![0.0; system.rows()],
            rows,
            system,
        })
    }

    /// Accelerations and multipliers at a state, into the memory of the phase; with what stabilization asks
    /// for if `stabilized`.
    ///
    /// # Errors
    /// Those of the formulation.
    pub(super) fn solve(
        &mut self,
        at: At<'_>,
        applied: &[f64],
        stabilized: bool,
    ) -> Result<(), FormulationError> {
        let Phase { system, evaluation, formulation, a, lambda, .. } = self;
        system.evaluate(at.t, at.q, at.v, evaluation);
        evaluation.force_mut().iter_mut().zip(applied).for_each(|(q, f)| *q += f);
        if let (true, Stabilization::Baumgarte { alpha, beta }) = (stabilized, self.stabilization) {
            system.stabilize(alpha, beta, at.v, evaluation);
        }
        let equations = system.equations(evaluation, (at.q, at.v));
        formulation.solve(&equations, a, lambda).map(|_| ())
    }

    /// Accelerations that forces alone cause at the state that was evaluated last, rows asking for nothing.
    ///
    /// # Errors
    /// Those of the formulation.
    pub(super) fn response(&mut self, force: &[f64]) -> Result<Vec<f64>, FormulationError> {
        let Phase { system, evaluation, formulation, .. } = self;
        let zeros = vec![0.0; system.rows()];
        let equations = Equations {
            force,
            gamma: &zeros,
            state: None,
            ..system.equations(evaluation, (&[], &[]))
        };
        let (mut a, mut lambda) = (vec![0.0; system.nv()], zeros.clone());
        formulation.solve(&equations, &mut a, &mut lambda).map(|_| a)
    }

    /// What holds a rub or gap, as a force on its coordinate, by the multipliers solved for last; zero if
    /// nothing does.
    pub(super) fn holding(&self, index: usize) -> f64 {
        // a row c − f = 0 adds −λ to the forces on c
        self.rows[index].map_or(0.0, |row| -self.lambda[row])
    }

    /// Brings a state onto the constraints of this phase.
    ///
    /// # Errors
    /// Those of [`StateProjector::project`].
    pub(super) fn project(
        &mut self,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<(), KinematicsError> {
        self.projector.set_turns(self.evaluation.turns());
        self.projector.repartition(&self.system, t, q, v)?;
        self.projector.project(&self.system, t, q, v).map(|_| ())
    }

    /// Whether states are projected after every step.
    pub(super) fn projects(&self) -> bool {
        matches!(self.stabilization, Stabilization::Projection(_))
    }

    /// Remembers the angles of joints in space at a state.
    pub(super) fn track(&mut self, at: At<'_>) {
        self.system.place(at.t, at.q, at.v, &mut self.evaluation);
        self.system.track(&mut self.evaluation);
    }

    /// Turns of the free system.
    pub(super) fn turns(&self) -> Vec<f64> {
        self.system.free_turns(self.evaluation.turns())
    }
}
