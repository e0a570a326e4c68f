//! All rows count where some depend on others.
//!
//! A factor leaves out rows that depend on others, and solves with the rows K that it keeps. Near a
//! singular position that choice may be poor: rows are kept that are nearly dependent, although with
//! those left out they determine more. With `J = Φ_q`, its rows of unit length, `A = J J_K⁻¹ = [I; B]`
//! (up to the order of rows) and
//!
//! ```text
//! min ‖J x − b‖:  x = J_K⁻¹ y,  (I + Bᵀ B) y = Aᵀ b
//! ```
//!
//! Conjugate gradients would end after as many steps as rows were left out, and one; rounding takes some
//! more.

use pommel_kkt::KktError;

use super::correct::{Corrections, multiply};

/// Most steps of conjugate gradients.
const STEPS: usize = 30;
/// They end where the gradient has shrunk by this.
const SMALL: f64 = 1e-13;
/// Iterations for the least singular value.
const ITERATIONS: usize = 6;

impl Corrections<'_, '_> {
    /// Moves a solution of the kept rows to the one of least squares of all.
    pub(super) fn improve(&mut self, demanded: &[f64], x: &mut [f64]) -> Result<(), KktError> {
        let scales = self.row_scales();
        let mut rest = vec![0.0; demanded.len()];
        multiply(self.system, self.jacobian, x, &mut rest);
        for ((rest, demanded), scale) in rest.iter_mut().zip(demanded).zip(&scales) {
            *rest = scale * (demanded - *rest);
        }
        let mut gradient = self.collect(&rest, &scales)?;
        let mut direction = gradient.clone();
        let first = dot(&gradient, &gradient);
        let mut square = first;
        for _ in 0..STEPS.min(3 * self.left_out() + 5) {
            if square <= SMALL * SMALL * first {
                break;
            }
            let (z, q) = self.spread(&direction, &scales)?;
            let step = square / dot(&q, &q);
            if !step.is_finite() {
                break;
            }
            add(x, step, &z);
            add(&mut rest, -step, &q);
            gradient = self.collect(&rest, &scales)?;
            let next = dot(&gradient, &gradient);
            direction.iter_mut().zip(&gradient).for_each(|(p, g)| *p = g + next / square * *p);
            square = next;
        }
        Ok(())
    }

    /// The least singular value of all rows, weighed by W and with rows of unit length.
    pub(super) fn least_singular(&mut self, roots: &[f64]) -> Result<f64, KktError> {
        let scales = self.row_scales();
        // any start that is not special
        let mut u: Vec<f64> = (0..roots.len()).map(|k| 1.0 + 0.37 * (k % 5) as f64).collect();
        let mut gain = 0.0_f64;
        for _ in 0..ITERATIONS {
            let norm = dot(&u, &u).sqrt();
            u.iter_mut().for_each(|u| *u /= norm);
            // (Jᵀ J)⁻¹ u by way of y
            let force: Vec<f64> = u.iter().zip(roots).map(|(u, w)| u * w).collect();
            let mut rest = self.multipliers(&force, &scales)?;
            let mut y = vec![0.0; rest.len()];
            let mut direction = rest.clone();
            let first = dot(&rest, &rest);
            let mut square = first;
            for _ in 0..STEPS.min(3 * self.left_out() + 5) {
                if square <= SMALL * SMALL * first {
                    break;
                }
                let (_, q) = self.spread(&direction, &scales)?;
                let step = square / dot(&q, &q);
                if !step.is_finite() {
                    break;
                }
                let back = self.collect(&q, &scales)?;
                add(&mut y, step, &direction);
                add(&mut rest, -step, &back);
                let next = dot(&rest, &rest);
                direction.iter_mut().zip(&rest).for_each(|(p, r)| *p = r + next / square * *p);
                square = next;
            }
            let (x, _) = self.spread(&y, &scales)?;
            u.iter_mut().zip(x.iter().zip(roots)).for_each(|(u, (x, w))| *u = x * w);
            let length = dot(&u, &u).sqrt();
            if !length.is_finite() {
                return Ok(0.0);
            }
            gain = gain.max(length);
        }
        Ok(if gain > 0.0 { 1.0 / gain.sqrt() } else { 0.0 })
    }

    /// How many rows the factor leaves out.
    pub(super) fn left_out(&self) -> usize {
        self.system.rows() - self.factor.rank(0)
    }

    /// `x = J_K⁻¹ y` and `A y`, rows of unit length.
    fn spread(&mut self, y: &[f64], scales: &[f64]) -> Result<(Vec<f64>, Vec<f64>), KktError> {
        let n = self.system.nv();
        let mut rhs = vec![0.0; n + y.len()];
        let mut solution = rhs.clone();
        rhs[n..].iter_mut().zip(y.iter().zip(scales)).for_each(|(to, (y, s))| *to = y / s);
        self.factor.substitute(&rhs, &mut solution)?;
        solution.truncate(n);
        let mut all = vec![0.0; y.len()];
        multiply(self.system, self.jacobian, &solution, &mut all);
        all.iter_mut().zip(scales).for_each(|(x, s)| *x *= s);
        Ok((solution, all))
    }

    /// `Aᵀ w`
    fn collect(&mut self, w: &[f64], scales: &[f64]) -> Result<Vec<f64>, KktError> {
        let mut force = vec![0.0; self.system.nv()];
        for (row, column, value) in self.system.pattern().jacobian_entries() {
            force[column] += self.jacobian[value] * scales[row] * w[row];
        }
        self.multipliers(&force, scales)
    }

    /// `J_K⁻ᵀ f`, zero in the rows that are left out.
    fn multipliers(&mut self, force: &[f64], scales: &[f64]) -> Result<Vec<f64>, KktError> {
        let n = self.system.nv();
        let mut rhs = vec![0.0; n + scales.len()];
        let mut solution = rhs.clone();
        rhs[..n].copy_from_slice(force);
        self.factor.substitute(&rhs, &mut solution)?;
        Ok(solution[n..].iter().zip(scales).map(|(x, s)| x / s).collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, list: &[f64]) {
    to.iter_mut().zip(list).for_each(|(to, x)| *to += factor * x);
}
