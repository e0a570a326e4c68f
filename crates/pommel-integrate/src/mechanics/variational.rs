//! RATTLE and symplectic Euler \[HLW06, section VII.1; BM09\].
//!
//! ```text
//! p⁻(u) = M v + h₀ (Q̂(q, u) − Φ_qᵀ(q) λ)      q₁ = q ∘ h u      Φ(q₁) = 0
//! M v₁  = p⁺(u) + h₁ Q̂(q₁, u) − Φ_qᵀ(q₁) μ    Φ_q(q₁) v₁ = ν
//! ```
//!
//! with the momenta p⁻ and p⁺ of the motion by `h u` at its start and end, and forces Q̂ without those of
//! frames that turn. `h₀ = h₁ = h/2` is RATTLE, `h₀ = h`, `h₁ = 0` symplectic Euler.

use super::Mechanics;
use super::newton::{Course, Sizes, Trouble};
use super::start::Motion;

/// Memory for steps.
#[derive(Clone, Debug)]
pub(super) struct Variational {
    /// parts of the step in which forces at start and end act
    parts: [f64; 2],
    u: Vec<f64>,
    d: Vec<f64>,
    start: Vec<f64>,
    end: Vec<f64>,
    given: Vec<f64>,
    force: Vec<f64>,
    impulse: Vec<f64>,
    x: Vec<f64>,
}

impl Variational {
    pub(super) fn rattle(n: usize, rows: usize) -> Self {
        Self::new([0.5, 0.5], n, rows)
    }

    pub(super) fn symplectic_euler(n: usize, rows: usize) -> Self {
        Self::new([1.0, 0.0], n, rows)
    }

    fn new(parts: [f64; 2], n: usize, rows: usize) -> Self {
        let zeros = || vec![0.0; n];
        Variational {
            parts,
            u: zeros(),
            d: zeros(),
            start: zeros(),
            end: zeros(),
            given: zeros(),
            force: zeros(),
            impulse: vec![0.0; rows],
            x: vec![0.0; n + rows],
        }
    }

    /// A step from `from`, whose factor is at hand; the factor is then that of the end.
    pub(super) fn step<S: Mechanics>(
        &mut self,
        system: &mut S,
        from: &Motion,
        h: f64,
        to: &mut Motion,
        wanted: f64,
    ) -> Result<usize, Trouble<S::Error>> {
        let n = from.v.len();
        let [first, second] = self.parts.map(|part| part * h);
        self.given.fill(0.0);
        system.add_mass(1.0, &from.v, &mut self.given);
        // Φ_qᵀ λ is that of the start throughout: held as an impulse of its own
        self.impulse.iter_mut().zip(&from.lambda).for_each(|(to, x)| *to = first * x);
        self.u.iter_mut().enumerate().for_each(|(i, u)| *u = from.v[i] + first * from.a[i]);
        let sizes = Sizes::new(&from.q, &from.v, h, super::scheme::NOISE);
        let mut course = Course::new(wanted, &sizes);
        let mut evaluations = 0;
        loop {
            // at the start: forces that depend on velocities see u
            system.evaluate(from.t, &from.q, &self.u)?;
            self.force.copy_from_slice(system.force());
            system.remove_gyroscopic(&self.u, &mut self.force);
            system.momenta(h, &self.u, &mut self.start, &mut self.end);
            let (rest, rows) = self.x.split_at_mut(n);
            for (i, rest) in rest.iter_mut().enumerate() {
                *rest = self.given[i] + first * self.force[i] - self.start[i];
            }
            system.add_transposed(-1.0, &self.impulse, rest);
            system.multiply(&self.u, rows);
            for (row, rest) in rows.iter_mut().enumerate() {
                // where positions are free, velocities go on as accelerations say
                *rest = system.nu()[row] + first * system.gamma()[row] - *rest;
            }
            // at the end
            self.d.iter_mut().zip(&self.u).for_each(|(d, u)| *d = h * u);
            to.q.copy_from_slice(&from.q);
            system.displace(&mut to.q, &self.d);
            system.evaluate(to.t, &to.q, &self.u)?;
            evaluations += 2;
            for (row, rest) in rows.iter_mut().enumerate() {
                if system.is_holonomic(row) {
                    *rest = -system.positions()[row] / h;
                }
            }
            system.solve(&mut self.x)?;
            let (u, impulse) = self.x.split_at(n);
            self.u.iter_mut().zip(u).for_each(|(to, x)| *to += x);
            self.impulse.iter_mut().zip(impulse).for_each(|(to, x)| *to += x);
            if course.ends(sizes.of_velocities(u))? {
                break;
            }
        }
        // what the last change made of it
        self.d.iter_mut().zip(&self.u).for_each(|(d, u)| *d = h * u);
        to.q.copy_from_slice(&from.q);
        system.displace(&mut to.q, &self.d);
        system.momenta(h, &self.u, &mut self.start, &mut self.end);
        // what iterations left of the momentum at the start is not lost
        system.evaluate(from.t, &from.q, &self.u)?;
        self.force.copy_from_slice(system.force());
        system.remove_gyroscopic(&self.u, &mut self.force);
        for (i, end) in self.end.iter_mut().enumerate() {
            *end += self.given[i] + first * self.force[i] - self.start[i];
        }
        system.add_transposed(-1.0, &self.impulse, &mut self.end);
        system.evaluate(to.t, &to.q, &self.u)?;
        system.factorize()?;
        evaluations += 2;
        self.force.copy_from_slice(system.force());
        system.remove_gyroscopic(&self.u, &mut self.force);
        let (momentum, rows) = self.x.split_at_mut(n);
        for (i, p) in momentum.iter_mut().enumerate() {
            *p = self.end[i] + second * self.force[i];
        }
        rows.copy_from_slice(system.nu());
        system.solve(&mut self.x)?;
        to.v.copy_from_slice(&self.x[..n]);
        Ok(evaluations)
    }
}
