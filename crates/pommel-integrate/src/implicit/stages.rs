//! Stages of a step by simplified Newton iterations [HW96, section IV.8].
//!
//! With `z = (T ⊗ I) w` an iteration solves
//!
//! ```text
//! (h⁻¹ Λ ⊗ M − I ⊗ J) Δw = (T⁻¹ ⊗ I) F(z) − h⁻¹ (Λ ⊗ M) w
//! ```
//!
//! with J and its factors as they are from earlier steps, as long as that converges.

use faer::c64;

use super::linear::{Lu, Mass};
use crate::tableau::{Block, ImplicitTableau};

/// Factors for all eigenvalues.
#[derive(Debug)]
pub(super) struct Factors {
    /// for every block: which of `real` or `complex`
    which: Vec<usize>,
    real: Vec<(f64, Lu<f64>)>,
    complex: Vec<(c64, Lu<c64>)>,
    /// of `real`: that of the error estimate
    filter: usize,
}

impl Factors {
    pub(super) fn new(tableau: &ImplicitTableau, n: usize) -> Factors {
        let mut made =
            Factors { which: Vec::new(), real: Vec::new(), complex: Vec::new(), filter: 0 };
        for block in &tableau.blocks.list {
            let which = match *block {
                Block::Real { value, .. } => made.of_real(value, n),
                Block::Pair { alpha, beta, .. } => {
                    made.complex.push((c64::new(alpha, -beta), Lu::new(n)));
                    made.complex.len() - 1
                }
            };
            made.which.push(which);
        }
        made.filter = made.of_real(1.0 / tableau.gamma, n);
        made
    }

    fn of_real(&mut self, value: f64, n: usize) -> usize {
        // diagonals of singly implicit methods are equal to rounding
        let same = |(known, _): &(f64, Lu<f64>)| (known - value).abs() <= 1e-14 * value.abs();
        if let Some(found) = self.real.iter().position(same) {
            return found;
        }
        self.real.push((value, Lu::new(n)));
        self.real.len() - 1
    }

    /// Factors for a step of size `h`; false if one has no inverse.
    pub(super) fn factorize(&mut self, h: f64, mass: &Mass, jacobian: &[f64]) -> bool {
        let mut all = true;
        for (value, lu) in &mut self.real {
            all &= lu.factorize(*value / h, mass, jacobian);
        }
        for (value, lu) in &mut self.complex {
            all &= lu.factorize(c64::new(value.re / h, value.im / h), mass, jacobian);
        }
        all
    }

    pub(super) fn count(&self) -> u64 {
        (self.real.len() + self.complex.len()) as u64
    }

    /// `x ← (M/(h γ₀) − J)⁻¹ x`
    pub(super) fn filter(&mut self, x: &mut [f64]) {
        self.real[self.filter].1.solve(x);
    }
}

/// The unknowns of a step.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    n: usize,
    /// `z` and `w`, stage by stage
    pub(super) z: Vec<f64>,
    w: Vec<f64>,
    /// `f(t + c_i h, y + z_i)`
    pub(super) f: Vec<f64>,
    delta: Vec<f64>,
    scratch: Vec<f64>,
}

impl Stages {
    pub(super) fn new(stages: usize, n: usize) -> Stages {
        let zeros = || vec![0.0; stages * n];
        Stages { n, z: zeros(), w: zeros(), f: zeros(), delta: zeros(), scratch: vec![0.0; n] }
    }

    /// `w` of the `z` that was guessed.
    pub(super) fn transform_guess(&mut self, tableau: &ImplicitTableau) {
        combine(&tableau.blocks.from, &self.z, self.n, &mut self.w);
    }

    /// One iteration, with `f` at the stages; `scale` weighs components. Returns the size of the change.
    pub(super) fn iterate(
        &mut self,
        tableau: &ImplicitTableau,
        factors: &mut Factors,
        mass: &Mass,
        h: f64,
        scale: &[f64],
    ) -> f64 {
        let Stages { n, z, w, f, delta, scratch } = self;
        let (n, s, blocks) = (*n, tableau.stages(), &tableau.blocks);
        // the residual
        combine(&blocks.from, f, n, delta);
        for k in 0..s {
            scratch.fill(0.0);
            for (j, w) in w.chunks_exact(n).enumerate() {
                let l = blocks.lambda[k * s + j];
                if l != 0.0 {
                    scratch.iter_mut().zip(w).for_each(|(sum, w)| *sum += l * w);
                }
            }
            mass.add_product(-1.0 / h, scratch, &mut delta[k * n..(k + 1) * n]);
        }
        for (block, which) in blocks.list.iter().zip(&factors.which) {
            match *block {
                Block::Real { row, .. } => {
                    let (done, rest) = delta.split_at_mut(row * n);
                    let own = &mut rest[..n];
                    if blocks.coupled {
                        scratch.fill(0.0);
                        for (j, done) in done.chunks_exact(n).enumerate() {
                            let l = blocks.lambda[row * s + j];
                            scratch.iter_mut().zip(done).for_each(|(sum, d)| *sum += l * d);
                        }
                        mass.add_product(-1.0 / h, scratch, own);
                    }
                    factors.real[*which].1.solve(own);
                }
                Block::Pair { row, .. } => {
                    let (first, second) = delta[row * n..(row + 2) * n].split_at_mut(n);
                    factors.complex[*which].1.solve(first, second);
                }
            }
        }
        w.iter_mut().zip(&*delta).for_each(|(w, d)| *w += d);
        // Δz = T Δw
        let mut sum = 0.0;
        for i in 0..s {
            scratch.fill(0.0);
            for (j, delta) in delta.chunks_exact(n).enumerate() {
                let t = blocks.to[i * s + j];
                if t != 0.0 {
                    scratch.iter_mut().zip(delta).for_each(|(sum, d)| *sum += t * d);
                }
            }
            let z = &mut z[i * n..(i + 1) * n];
            for ((z, d), scale) in z.iter_mut().zip(&*scratch).zip(scale) {
                *z += d;
                let part = d / scale;
                sum += part * part;
            }
        }
        (sum / (s * n).max(1) as f64).sqrt()
    }
}

/// `to ← (matrix ⊗ I) from`
pub(super) fn combine(matrix: &[f64], from: &[f64], n: usize, to: &mut [f64]) {
    if n == 0 {
        return;
    }
    let s = from.len() / n;
    to.fill(0.0);
    for (i, to) in to.chunks_exact_mut(n).enumerate() {
        for (j, from) in from.chunks_exact(n).enumerate() {
            let factor = matrix[i * s + j];
            if factor != 0.0 {
                to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
            }
        }
    }
}
