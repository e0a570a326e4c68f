//! The generalized-α method on the equations of index 3 \[AB07, BCA12\].
//!
//! ```text
//! d = h v + h² ((½ − β) α + β α₁)      q₁ = q ∘ d      v₁ = v + h ((1 − γ) α + γ α₁)
//! (1 − α_m) α₁ + α_m α = (1 − α_f) v̇₁ + α_f v̇
//! M v̇₁ + Φ_qᵀ λ₁ = Q(q₁, v₁)           Φ(q₁) = 0
//! ```
//!
//! α are accelerations that follow the true ones by a part of a step.

use super::Mechanics;
use super::newton::{Course, Sizes, Trouble};
use super::start::Motion;

/// The parameters of the method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

impl Parameters {
    /// Of order 2, with the least damping of low frequencies at a damping of high ones.
    pub(super) fn of_radius(rho: f64) -> Self {
        Self::of((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))
    }

    /// Of Hilber, Hughes and Taylor.
    pub(super) fn of_hht(alpha: f64) -> Self {
        Self::of(0.0, -alpha)
    }

    fn of(alpha_m: f64, alpha_f: f64) -> Self {
        let gamma = 0.5 - alpha_m + alpha_f;
        Parameters { alpha_m, alpha_f, gamma, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5) }
    }

    /// Where α is at the start: `v̇(t + δ h)`, with `δ = α_m − α_f`.
    fn lead(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }
}

/// Memory for steps.
#[derive(Clone, Debug)]
pub(super) struct GeneralizedAlpha {
    parameters: Parameters,
    d: Vec<f64>,
    x: Vec<f64>,
}

impl GeneralizedAlpha {
    pub(super) fn new(parameters: Parameters, n: usize, rows: usize) -> Self {
        GeneralizedAlpha { parameters, d: vec![0.0; n], x: vec![0.0; n + rows] }
    }

    /// α at the start of a step of size h where an earlier state of the motion is known: `v̇(t + δ h)`, so that
    /// steps of changing sizes keep their order.
    pub(super) fn rebase(&self, now: &mut Motion, before: &Motion, h: f64) {
        let part = self.parameters.lead() * h / (now.t - before.t);
        for (i, alpha) in now.algorithmic.iter_mut().enumerate() {
            *alpha = now.a[i] + part * (now.a[i] - before.a[i]);
        }
    }

    /// The same where a step has been tried.
    pub(super) fn lead(&self, now: &mut Motion, tried: &Motion) {
        let part = self.parameters.lead();
        for (i, alpha) in now.algorithmic.iter_mut().enumerate() {
            *alpha = now.a[i] + part * (tried.a[i] - now.a[i]);
        }
    }

    /// A step from `from`, whose factor is at hand.
    pub(super) fn step<S: Mechanics>(
        &mut self,
        system: &mut S,
        from: &Motion,
        h: f64,
        to: &mut Motion,
        wanted: f64,
    ) -> Result<usize, Trouble<S::Error>> {
        let Parameters { alpha_m, alpha_f, beta, gamma } = self.parameters;
        let n = from.v.len();
        // δα = ratio δv̇
        let ratio = (1.0 - alpha_f) / (1.0 - alpha_m);
        to.a.copy_from_slice(&from.a);
        to.lambda.copy_from_slice(&from.lambda);
        let sizes = Sizes::new(&from.q, &from.v, h, super::scheme::NOISE);
        let mut course = Course::new(wanted, &sizes);
        let mut evaluations = 0;
        loop {
            for i in 0..n {
                let alpha = from.algorithmic[i];
                let mixed = (1.0 - alpha_f) * to.a[i] + alpha_f * from.a[i];
                let next = (mixed - alpha_m * alpha) / (1.0 - alpha_m);
                to.algorithmic[i] = next;
                self.d[i] = h * (from.v[i] + h * ((0.5 - beta) * alpha + beta * next));
                to.v[i] = from.v[i] + h * ((1.0 - gamma) * alpha + gamma * next);
            }
            to.q.copy_from_slice(&from.q);
            system.displace(&mut to.q, &self.d);
            system.evaluate(to.t, &to.q, &to.v)?;
            evaluations += 1;
            // what is left of the equations
            let (forces, rows) = self.x.split_at_mut(n);
            system.multiply(&to.v, rows);
            for (row, rest) in rows.iter_mut().enumerate() {
                *rest = if system.is_holonomic(row) {
                    -system.positions()[row] / (beta * h * h * ratio)
                } else {
                    (system.nu()[row] - *rest) / (gamma * h * ratio)
                };
            }
            forces.copy_from_slice(system.force());
            system.add_mass(-1.0, &to.a, forces);
            system.add_transposed(-1.0, &to.lambda, forces);
            system.solve(&mut self.x)?;
            let (a, lambda) = self.x.split_at_mut(n);
            to.a.iter_mut().zip(&*a).for_each(|(to, x)| *to += x);
            to.lambda.iter_mut().zip(&*lambda).for_each(|(to, x)| *to += x);
            // as velocities at the end of the step
            a.iter_mut().for_each(|x| *x *= gamma * h * ratio);
            let change = sizes.of_velocities(a);
            if course.ends(change)? {
                return Ok(evaluations);
            }
        }
    }
}
