//! A state of a motion, and the accelerations there.

use super::Mechanics;
use super::newton::Trouble;

/// A state whose accelerations are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    pub(super) t: f64,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) a: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    /// of the generalized-α method
    pub(super) algorithmic: Vec<f64>,
}

impl Motion {
    pub(super) fn new(nq: usize, nv: usize, rows: usize) -> Self {
        Motion {
            t: 0.0,
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            a: vec![0.0; nv],
            lambda: vec![0.0; rows],
            algorithmic: vec![0.0; nv],
        }
    }

    /// Accelerations and multipliers here, by a factor that is then that of this state. `x` is of length n + m.
    pub(super) fn settle<S: Mechanics>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<(), Trouble<S::Error>> {
        system.evaluate(self.t, &self.q, &self.v)?;
        system.factorize()?;
        self.accelerate(system, x)
    }

    /// The same with the factor at hand, at the state that was evaluated.
    fn accelerate<S: Mechanics>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<(), Trouble<S::Error>> {
        let n = self.v.len();
        x[..n].copy_from_slice(system.force());
        x[n..].copy_from_slice(system.gamma());
        system.solve(x)?;
        self.a.copy_from_slice(&x[..n]);
        self.lambda.copy_from_slice(&x[n..]);
        self.check()
    }

    /// Velocities moved towards `Φ_q v = ν` at the state that was evaluated: onto it by the least change of kinetic
    /// energy with the factor of this state, nearly so with that of another nearby.
    fn close_velocities<S: Mechanics>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<(), Trouble<S::Error>> {
        let (change, rows) = x.split_at_mut(self.v.len());
        change.fill(0.0);
        system.multiply(&self.v, rows);
        rows.iter_mut().zip(system.nu()).for_each(|(x, nu)| *x = nu - *x);
        system.solve(x)?;
        self.v.iter_mut().zip(&*x).for_each(|(v, d)| *v += d);
        Ok(())
    }

    /// Velocities moved towards `Φ_q v = ν` with the factor of another state nearby.
    pub(super) fn correct_velocities<S: Mechanics>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<(), Trouble<S::Error>> {
        system.evaluate(self.t, &self.q, &self.v)?;
        self.close_velocities(system, x)?;
        self.check()
    }

    /// Velocities with `Φ_q v = ν` and accelerations there; the factor is that of this state, which was evaluated.
    pub(super) fn project_velocities<S: Mechanics>(
        &mut self,
        system: &mut S,
        x: &mut [f64],
    ) -> Result<(), Trouble<S::Error>> {
        self.close_velocities(system, x)?;
        system.evaluate(self.t, &self.q, &self.v)?;
        self.accelerate(system, x)
    }

    /// Whether all numbers are some.
    pub(super) fn check<E>(&self) -> Result<(), Trouble<E>> {
        let nq = self.q.len();
        let state = self.q.iter().chain(&self.v).position(|x| !x.is_finite());
        let found = state.or_else(|| self.a.iter().position(|x| !x.is_finite()).map(|k| nq + k));
        match found {
            Some(component) => Err(Trouble::NonFinite { component }),
            None => Ok(()),
        }
    }
}
