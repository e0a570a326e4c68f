//! The pseudoinverse of `D = Φ_q M^(−1/2)` \[dFGP08, eqs. 30 to 33\].

use pommel_kkt::Pattern;

use super::super::dense::{Left, Svd};
use super::weighted::WeightedRows;
use super::{Equations, FormulationError, Method, Solver, System};

/// `Dᵀ = U Σ Vᵀ`.
#[derive(Debug)]
pub(in crate::formulation) struct LeastConstraint {
    rows: WeightedRows,
    svd: Svd,
    z: Vec<f64>,
    u: Vec<f64>,
    b: Vec<f64>,
}

impl Solver for LeastConstraint {
    const METHOD: Method = Method::UdwadiaKalaba;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        LeastConstraint {
            rows: WeightedRows::new(pattern),
            svd: Svd::new(n, m, Left::Thin),
            z: vec![0.0; n],
            u: vec![0.0; n],
            b: vec![0.0; m],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        self.rows.fill(system, Self::METHOD)?;
        self.svd.decompose(&self.rows.rows, system.rank_tolerance, Self::METHOD).map(Some)
    }

    fn apply(
        &mut self,
        _: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let LeastConstraint { rows, svd, z, u, b } = self;
        // z = L⁻¹ Q, so that q̈_f = L⁻ᵀ z and Φ q̈_f = D z
        z.copy_from_slice(force);
        rows.mass.solve_lower(z);
        rows.rest(gamma, z, b);
        // u = D⁺ (γ − D z)
        svd.pseudo_solve_transposed(b, u);
        qdd.iter_mut().zip(z.iter().zip(&*u)).for_each(|(x, (z, u))| *x = z + u);
        rows.mass.solve_upper(qdd);
        // M q̈ = Q + L u, so Dᵀ λ = −u
        svd.pseudo_solve(u, lambda);
        lambda.iter_mut().zip(&rows.weight).for_each(|(x, weight)| *x *= -weight);
        Ok(())
    }
}
