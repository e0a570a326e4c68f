//! Eigenvectors of `Φ_qᵀ Φ_q` to the eigenvalue zero \[dFGP08, eqs. 14 to 17\].

use pommel_kkt::Pattern;

use super::super::dense::{Matrix, SymmetricEigen};
use super::super::{FormulationError, Method};
use super::gram::{Eigenpairs, limit, zeros};
use super::{Basis, System};

/// `H = T Λ Tᵀ` from the smallest eigenvalue on.
#[derive(Debug)]
pub(in crate::formulation) struct Eigenvectors {
    gram: Matrix,
    eigen: SymmetricEigen,
    free: usize,
    scratch: Vec<f64>,
}

impl Basis for Eigenvectors {
    const METHOD: Method = Method::ZeroEigenvalue;

    fn new(pattern: &Pattern) -> Self {
        let n = pattern.unknowns();
        Eigenvectors {
            gram: Matrix::new(n, n),
            eigen: SymmetricEigen::new(n),
            free: n,
            scratch: vec![0.0; n],
        }
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        system.rows.gram_of_rows(&mut self.gram);
        self.eigen.decompose(&self.gram, Self::METHOD)?;
        let values = &self.eigen.values;
        self.free = zeros(values, limit(system, values));
        Ok(system.n() - self.free)
    }

    fn free(&self) -> &[f64] {
        &self.eigen.vectors.data()[..self.free * self.scratch.len()]
    }

    fn particular(&mut self, system: &System, gamma: &[f64], s: &mut [f64]) {
        let (values, vectors) = (&self.eigen.values[..], self.eigen.vectors.data());
        let pairs = Eigenpairs { values, vectors, free: self.free };
        pairs.particular(system, gamma, s, &mut self.scratch);
    }

    fn multipliers(&mut self, system: &System, f: &[f64], lambda: &mut [f64]) {
        let (values, vectors) = (&self.eigen.values[..], self.eigen.vectors.data());
        let pairs = Eigenpairs { values, vectors, free: self.free };
        pairs.multipliers(system, f, lambda, &mut self.scratch);
    }
}
