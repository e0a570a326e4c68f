//! The complete orthogonal decomposition `Φ_q = Q T Zᵀ` (named, not described, in \[dFGP08\]).
//!
//! First `Φ_q P = Q [R₁ R₂; 0 0]` with columns by size, then `[R₁ R₂]ᵀ = Z₀ [T₀; 0]`: so
//! `T = [T₀ᵀ 0; 0 0]` and `Z = P Z₀`. V is what Z has behind the rank.

use pommel_kkt::Pattern;

use super::super::dense::{Matrix, Reflections};
use super::super::{FormulationError, Method};
use super::{Basis, System};

/// Both factors.
#[derive(Debug)]
pub(in crate::formulation) struct Complete {
    q: Reflections,
    z: Reflections,
    v: Matrix,
    of_rows: Vec<f64>,
    of_unknowns: Vec<f64>,
}

impl Basis for Complete {
    const METHOD: Method = Method::Qtz;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        Complete {
            q: Reflections::new(m, n),
            z: Reflections::new(n, n.min(m)),
            v: Matrix::new(n, n),
            of_rows: vec![0.0; m],
            of_unknowns: vec![0.0; n],
        }
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        let (n, m) = (system.n(), system.m());
        let Complete { q, z, v, of_unknowns, .. } = self;
        for i in 0..m {
            for (j, x) in system.rows.column(i).iter().enumerate() {
                q.a[(i, j)] = *x;
            }
        }
        let rank = q.factorize_pivoted(system.rank_tolerance);
        z.a.reshape(n, rank);
        for k in 0..rank {
            for j in 0..n {
                z.a[(j, k)] = if j < k { 0.0 } else { q.a[(k, j)] };
            }
        }
        z.factorize();
        v.reshape(n, n - rank);
        for k in rank..n {
            z.unit(k, of_unknowns);
            let column = v.column_mut(k - rank);
            of_unknowns.iter().zip(q.order()).for_each(|(x, &place)| column[place] = *x);
        }
        Ok(rank)
    }

    fn free(&self) -> &[f64] {
        self.v.data()
    }

    /// `s = Z [T₀⁻ᵀ (Qᵀ γ)₁; 0]`.
    fn particular(&mut self, _: &System, gamma: &[f64], s: &mut [f64]) {
        let Complete { q, z, of_rows, of_unknowns, .. } = self;
        let rank = q.rank();
        of_rows.copy_from_slice(gamma);
        q.apply_transposed(of_rows);
        of_unknowns.fill(0.0);
        of_unknowns[..rank].copy_from_slice(&of_rows[..rank]);
        z.solve_transposed(&mut of_unknowns[..rank]);
        z.apply(of_unknowns);
        of_unknowns.iter().zip(q.order()).for_each(|(x, &place)| s[place] = *x);
    }

    /// `λ = Q [T₀⁻¹ (Zᵀ f)₁; 0]`.
    fn multipliers(&mut self, _: &System, f: &[f64], lambda: &mut [f64]) {
        let Complete { q, z, of_unknowns, .. } = self;
        let rank = q.rank();
        of_unknowns.iter_mut().zip(q.order()).for_each(|(x, &place)| *x = f[place]);
        z.apply_transposed(of_unknowns);
        z.solve(&mut of_unknowns[..rank]);
        lambda.fill(0.0);
        lambda[..rank].copy_from_slice(&of_unknowns[..rank]);
        q.apply(lambda);
    }
}
