//! Stages and errors of a step.

use std::sync::Arc;

use super::{ImplicitStepper, StiffSystem};
use crate::options::Stepping;

/// Why stages were not found.
pub(super) enum Trouble<E> {
    Slow { contraction: f64 },
    Rhs(Arc<E>),
    NonFinite { stage: usize, component: usize },
}

/// Below this contraction the Jacobian is kept for the next step.
const KEEP: f64 = 1e-3;
/// With fixed steps, changes are not taken to shrink by more than this.
const LUCK: f64 = 1e-2;
/// With fixed steps, so many iterations may do harm.
const PATIENCE: usize = 4;
/// With fixed steps, changes that no longer shrink are rounding if they are this many tolerances.
const ROUNDING: f64 = 1e3;

impl ImplicitStepper {
    /// Stages where the continuous solution of the last step goes on to, zero before the first.
    pub(super) fn guess_stages(&mut self, h: f64) {
        let (n, tableau) = (self.n, &self.options.tableau);
        let before = self.t - self.t_old;
        if before == 0.0 || self.control.is_after_rejection() {
            self.stages.z.fill(0.0);
        } else {
            for (i, z) in self.stages.z.chunks_exact_mut(n.max(1)).enumerate() {
                let theta = 1.0 + tableau.c()[i] * h / before;
                for (c, z) in z.iter_mut().enumerate() {
                    *z = self.y_old[c] - self.y[c];
                }
                for (j, weights) in tableau.continuous.iter().enumerate() {
                    let weight = before * theta * horner(weights, theta);
                    let k = &self.k[j * n..(j + 1) * n];
                    z.iter_mut().zip(k).for_each(|(z, k)| *z += weight * k);
                }
            }
        }
        self.stages.transform_guess(tableau);
    }

    /// Newton's method; the number of its steps.
    pub(super) fn solve_stages<S: StiffSystem>(
        &mut self,
        system: &mut S,
        h: f64,
        t_new: f64,
    ) -> Result<usize, Trouble<S::Error>> {
        let (n, most) = (self.n, self.options.newton_steps);
        let fixed = matches!(self.options.stepping, Stepping::Fixed(_));
        let tableau = &self.options.tableau;
        let least = self.rtol.iter().fold(1.0_f64, |least, r| least.min(r.max(1e-15)));
        // a part of the tolerance
        let wanted = match fixed {
            true => 1.0,
            false => (10.0 * f64::EPSILON / least).max(0.03_f64.min(least.sqrt())),
        };
        let mut remaining = crate::control::power(self.contraction.max(f64::EPSILON), 0.8);
        let mut before = f64::INFINITY;
        let mut contraction = 0.0;
        for step in 0..most {
            for i in 0..tableau.stages() {
                let range = i * n..(i + 1) * n;
                let parts = self.scratch.iter_mut().zip(&self.y).zip(&self.stages.z[range.clone()]);
                parts.for_each(|((to, y), z)| *to = y + z);
                let c = tableau.c()[i];
                let t = if c == 1.0 { t_new } else { c.mul_add(h, self.t) };
                self.statistics.evaluations += 1;
                let f = &mut self.stages.f[range];
                system.rhs(t, &self.scratch, f).map_err(|e| Trouble::Rhs(Arc::new(e)))?;
                if let Some(component) = f.iter().position(|x| !x.is_finite()) {
                    return Err(Trouble::NonFinite { stage: i, component });
                }
            }
            let stages = &mut self.stages;
            let size = stages.iterate(tableau, &mut self.factors, &self.mass, h, &self.scale);
            if !size.is_finite() {
                return Err(Trouble::Slow { contraction: f64::INFINITY });
            }
            if step > 0 {
                let ratio = size / before;
                contraction = if step == 1 { ratio } else { (ratio * contraction).sqrt() };
                let settled = fixed && ratio > 0.5 && size <= ROUNDING;
                if settled || size == 0.0 {
                    self.contraction = remaining;
                    self.good = contraction <= KEEP;
                    return Ok(step + 1);
                }
                // with fixed steps there is time, and no smaller step to turn to
                let converges = contraction < if fixed && step < PATIENCE { 10.0 } else { 0.99 };
                if !converges {
                    return Err(Trouble::Slow { contraction });
                }
                remaining = contraction / (1.0 - contraction);
                if fixed {
                    // one ratio may be small by luck, and no error estimate would tell
                    remaining = remaining.max(LUCK);
                }
                // where it would be after the last step
                let left = (most - 1 - step) as f64;
                let end = remaining * size * crate::control::power(contraction, left);
                if !fixed && end > wanted {
                    return Err(Trouble::Slow { contraction });
                }
            }
            before = size;
            // what earlier steps contracted by is trusted where an error estimate follows
            let known = step > 0 || !fixed;
            if size <= wanted || known && remaining * size <= wanted {
                self.contraction = remaining;
                self.good = contraction <= KEEP;
                return Ok(step + 1);
            }
        }
        Err(Trouble::Slow { contraction })
    }

    /// The norm of the error of a step whose stages are found.
    pub(super) fn estimate<S: StiffSystem>(&mut self, system: &mut S, h: f64) -> f64 {
        let (n, at) = (self.n, self.k.len() - self.n);
        let tableau = &self.options.tableau;
        let first = self.control.is_after_rejection() || self.statistics.steps == 0;
        // (M/(h γ₀) − J)⁻¹ (f(y) + M Σ e_i z_i / (h γ₀))
        self.scratch.fill(0.0);
        for (z, e) in self.stages.z.chunks_exact(n.max(1)).zip(&tableau.error) {
            self.scratch.iter_mut().zip(z).for_each(|(sum, z)| *sum += e * z);
        }
        let share = 1.0 / (h * tableau.gamma);
        self.error.copy_from_slice(&self.k[at..]);
        self.mass.add_product(share, &self.scratch, &mut self.error);
        self.factors.filter(&mut self.error);
        let norm = |error: &[f64], scale: &[f64]| {
            let squares = error.iter().zip(scale).map(|(e, s)| (e / s) * (e / s));
            (squares.sum::<f64>() / n.max(1) as f64).sqrt()
        };
        let err = norm(&self.error, &self.scale);
        let small = err < 1.0;
        if small || !first {
            return err;
        }
        // once more at the state that it leads to: stiff components are damped then
        self.error.iter_mut().zip(&self.y).for_each(|(e, y)| *e += y);
        self.statistics.evaluations += 1;
        let mut again = std::mem::take(&mut self.stages.f);
        let found = system.rhs(self.t, &self.error, &mut again[..n]).is_ok();
        self.error.copy_from_slice(&again[..n]);
        self.stages.f = again;
        if !found {
            return err;
        }
        self.mass.add_product(share, &self.scratch, &mut self.error);
        self.factors.filter(&mut self.error);
        norm(&self.error, &self.scale)
    }
}

/// `Σ a_k x^k`
fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, a| sum * x + a)
}
