//! The nearest velocities that satisfy the constraints.

use super::KinematicsError;
use super::correct::{Corrector, magnitudes, multiply, open_rows};
use super::error::Quantity;
use crate::{Evaluation, System};

/// Projects velocities onto `Φ_q v = ν`, with the least change where turns are weighed by a length
/// that is typical for the mechanism.
#[derive(Clone, Debug)]
pub struct VelocityProjector {
    corrector: Corrector,
    evaluation: Evaluation<f64>,
    rest: Vec<f64>,
    sizes: Vec<f64>,
}

/// Rows of velocities may be open by this part of the largest term.
const CLOSED: f64 = 1e-9;

impl VelocityProjector {
    /// Memory for a system.
    pub fn new(system: &System<f64>) -> Self {
        VelocityProjector {
            corrector: Corrector::new(system),
            evaluation: Evaluation::new(system),
            rest: vec![0.0; system.rows()],
            sizes: vec![0.0; system.rows()],
        }
    }

    /// Takes over turns of joints in space ([`Evaluation::turns`]), on which rows of cams depend; they are zero
    /// otherwise.
    ///
    /// # Panics
    /// If there are more or fewer of them than the system tracks.
    pub fn set_turns(&mut self, turns: &[f64]) {
        self.evaluation.set_turns(turns);
    }

    /// Projects velocities that miss a row by more than `limit` times the largest term; returns by
    /// how much the worst row was missed.
    ///
    /// # Errors
    /// [`KinematicsError::Contradiction`] if no velocities satisfy all rows,
    /// [`KinematicsError::NotFinite`], [`KinematicsError::Kkt`].
    ///
    /// # Panics
    /// If a slice has another length than the system says.
    pub fn project(
        &mut self,
        system: &System<f64>,
        time: f64,
        q: &[f64],
        v: &mut [f64],
        limit: f64,
    ) -> Result<f64, KinematicsError> {
        self.project_to(system, time, (q, v), limit, CLOSED)
    }

    /// [`project`](Self::project), where rows may be open by a part of the largest term.
    pub(super) fn project_to(
        &mut self,
        system: &System<f64>,
        time: f64,
        (q, v): (&[f64], &mut [f64]),
        limit: f64,
        closed: f64,
    ) -> Result<f64, KinematicsError> {
        for (what, list) in [("q", q), ("v", &*v)] {
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(KinematicsError::NotFinite { what, index });
            }
        }
        let missed = self.missed(system, time, q, v);
        if missed.0 <= limit * missed.1 {
            return Ok(missed.0);
        }
        let near = v.to_vec();
        let (jacobian, nu) = (self.evaluation.jacobian().to_vec(), self.evaluation.nu().to_vec());
        self.corrector.solve(system, &jacobian, Some(&near), &nu, v)?;
        let left = self.missed(system, time, q, v);
        let scale = left.1.max(missed.1);
        let open = open_rows(system, &self.rest, |_| closed * scale);
        if open.is_empty() {
            return Ok(missed.0);
        }
        Err(KinematicsError::Contradiction { time, what: Quantity::Velocities, open })
    }

    /// The largest residual, and the largest term.
    fn missed(&mut self, system: &System<f64>, time: f64, q: &[f64], v: &[f64]) -> (f64, f64) {
        system.evaluate(time, q, v, &mut self.evaluation);
        let (jacobian, nu) = (self.evaluation.jacobian(), self.evaluation.nu());
        multiply(system, jacobian, v, &mut self.rest);
        magnitudes(system, jacobian, v, &mut self.sizes);
        self.rest.iter_mut().zip(nu).for_each(|(rest, nu)| *rest -= nu);
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        (largest(&self.rest), largest(&self.sizes).max(largest(nu)))
    }
}
