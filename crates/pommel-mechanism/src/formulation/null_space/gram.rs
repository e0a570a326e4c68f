//! What eigenvectors of `H = Φ_qᵀ Φ_q` are used for, however they were found.
//!
//! With `H = T Λ Tᵀ`, `T = [T₁ T₂]`, `Λ = diag(0, Λ₂)`: `Φ_q⁺ = T₂ Λ₂⁻¹ T₂ᵀ Φ_qᵀ`.

use super::super::gram_tolerance;
use super::{System, add_scaled, dot, largest};

/// Eigenvalues up to this count as zero.
pub(super) fn limit(system: &System, values: &[f64]) -> f64 {
    gram_tolerance(system.rank_tolerance) * largest(values)
}

/// Number of eigenvalues that count as zero.
pub(super) fn zeros(values: &[f64], limit: f64) -> usize {
    values.iter().filter(|&&value| value <= limit).count()
}

/// `x ← H⁺ b` with the vectors (n × n, column by column) from `free` on.
fn pseudo_solve(values: &[f64], vectors: &[f64], free: usize, b: &[f64], x: &mut [f64]) {
    x.fill(0.0);
    let n = b.len();
    for k in free..n {
        let vector = &vectors[k * n..(k + 1) * n];
        add_scaled(x, dot(vector, b) / values[k], vector);
    }
}

/// Eigenvalues with vectors, those to zero first.
pub(super) struct Eigenpairs<'a> {
    pub(super) values: &'a [f64],
    pub(super) vectors: &'a [f64],
    pub(super) free: usize,
}

impl Eigenpairs<'_> {
    /// `s ← Φ_q⁺ γ`.
    pub(super) fn particular(
        &self,
        system: &System,
        gamma: &[f64],
        s: &mut [f64],
        scratch: &mut [f64],
    ) {
        scratch.fill(0.0);
        system.rows.add_product(1.0, gamma, scratch);
        pseudo_solve(self.values, self.vectors, self.free, scratch, s);
    }

    /// `λ ← (Φ_qᵀ)⁺ f`.
    pub(super) fn multipliers(
        &self,
        system: &System,
        f: &[f64],
        lambda: &mut [f64],
        scratch: &mut [f64],
    ) {
        pseudo_solve(self.values, self.vectors, self.free, f, scratch);
        for (i, x) in lambda.iter_mut().enumerate() {
            *x = dot(system.rows.column(i), scratch);
        }
    }
}
