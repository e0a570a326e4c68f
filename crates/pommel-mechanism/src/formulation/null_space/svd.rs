//! Left singular vectors of `Φ_qᵀ` \[dFGP08, eqs. 22 to 24\].

use pommel_kkt::Pattern;

use super::super::dense::{Left, Svd};
use super::super::{FormulationError, Method};
use super::{Basis, System};

/// `Φ_qᵀ = W Λ Uᵀ` with `W = [W_d W_i]`, `V = W_i`.
#[derive(Debug)]
pub(in crate::formulation) struct Vectors(Svd);

impl Basis for Vectors {
    const METHOD: Method = Method::Svd;

    fn new(pattern: &Pattern) -> Self {
        Vectors(Svd::new(pattern.unknowns(), pattern.rows(), Left::Full))
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        self.0.decompose(&system.rows, system.rank_tolerance, Self::METHOD)
    }

    fn free(&self) -> &[f64] {
        &self.0.u.data()[self.0.rank * self.0.u.rows()..]
    }

    fn particular(&mut self, _: &System, gamma: &[f64], s: &mut [f64]) {
        self.0.pseudo_solve_transposed(gamma, s);
    }

    fn multipliers(&mut self, _: &System, f: &[f64], lambda: &mut [f64]) {
        self.0.pseudo_solve(f, lambda);
    }
}
