//! Eigenvalues of symmetric matrices.

use faer::Par;
use faer::diag::DiagMut;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};

use super::super::{FormulationError, Method};
use super::{Matrix, Memory};

/// `A = T Λ Tᵀ`, eigenvalues from the smallest to the largest.
#[derive(Debug)]
pub(in crate::formulation) struct SymmetricEigen {
    pub(in crate::formulation) values: Vec<f64>,
    pub(in crate::formulation) vectors: Matrix,
    memory: Memory,
}

impl SymmetricEigen {
    /// Room for `n × n`.
    pub(in crate::formulation) fn new(n: usize) -> Self {
        let memory = self_adjoint_evd_scratch::<f64>(
            n.max(1),
            ComputeEigenvectors::Yes,
            Par::Seq,
            Default::default(),
        );
        SymmetricEigen {
            values: vec![0.0; n],
            vectors: Matrix::new(n, n),
            memory: Memory::new(memory),
        }
    }

    /// Decomposes a matrix given by its lower triangle.
    ///
    /// # Errors
    /// [`FormulationError::NotConverged`].
    pub(in crate::formulation) fn decompose(
        &mut self,
        a: &Matrix,
        method: Method,
    ) -> Result<(), FormulationError> {
        if self.values.is_empty() {
            return Ok(());
        }
        self_adjoint_evd(
            a.view(),
            DiagMut::from_slice_mut(&mut self.values),
            Some(self.vectors.view_mut()),
            Par::Seq,
            self.memory.stack(),
            Default::default(),
        )
        .map_err(|_| FormulationError::NotConverged {
            method,
            iterations: 0,
            defect: f64::NAN,
        })
    }
}
