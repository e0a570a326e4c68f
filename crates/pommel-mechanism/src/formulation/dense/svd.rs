//! Singular values, ranks and pseudoinverses.

use faer::Par;
use faer::diag::DiagMut;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};

use super::super::{FormulationError, Method};
use super::{Matrix, Memory, add_scaled, dot};

/// Which left vectors are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formulation) enum Left {
    /// One for every singular value.
    Thin,
    /// A whole basis: what follows the rank spans the null space of `Aᵀ`.
    Full,
}

/// `A = U Σ Vᵀ`, singular values from the largest to the smallest.
#[derive(Debug)]
pub(in crate::formulation) struct Svd {
    pub(in crate::formulation) u: Matrix,
    v: Matrix,
    pub(in crate::formulation) sizes: Vec<f64>,
    pub(in crate::formulation) rank: usize,
    memory: Memory,
}

impl Svd {
    /// Room for `rows × columns`.
    pub(in crate::formulation) fn new(rows: usize, columns: usize, left: Left) -> Self {
        let size = rows.min(columns);
        let (vectors, width) = match left {
            Left::Thin => (ComputeSvdVectors::Thin, size),
            Left::Full => (ComputeSvdVectors::Full, rows),
        };
        let thin = ComputeSvdVectors::Thin;
        let memory = svd_scratch::<f64>(rows, columns, vectors, thin, Par::Seq, Default::default());
        Svd {
            u: Matrix::new(rows, width),
            v: Matrix::new(columns, size),
            sizes: vec![0.0; size],
            rank: 0,
            memory: Memory::new(memory),
        }
    }

    /// Decomposes a matrix and finds its rank, by a threshold relative to the largest singular value.
    ///
    /// # Errors
    /// [`FormulationError::NotConverged`].
    pub(in crate::formulation) fn decompose(
        &mut self,
        a: &Matrix,
        tolerance: f64,
        method: Method,
    ) -> Result<usize, FormulationError> {
        self.rank = 0;
        if self.sizes.is_empty() {
            self.u.set_identity();
            return Ok(0);
        }
        // for one column, faer adds to what it finds in the vectors
        self.u.data_mut().fill(0.0);
        self.v.data_mut().fill(0.0);
        svd(
            a.view(),
            DiagMut::from_slice_mut(&mut self.sizes),
            Some(self.u.view_mut()),
            Some(self.v.view_mut()),
            Par::Seq,
            self.memory.stack(),
            Default::default(),
        )
        .map_err(|_| FormulationError::NotConverged {
            method,
            iterations: 0,
            defect: f64::NAN,
        })?;
        let limit = tolerance * self.sizes[0];
        self.rank = self.sizes.iter().take_while(|&&size| size > limit).count();
        Ok(self.rank)
    }

    /// `x ← (Aᵀ)⁺ b`: of length `rows` from length `columns`.
    pub(in crate::formulation) fn pseudo_solve_transposed(&self, b: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for k in 0..self.rank {
            add_scaled(x, dot(self.v.column(k), b) / self.sizes[k], self.u.column(k));
        }
    }

    /// `x ← A⁺ b`: of length `columns` from length `rows`.
    pub(in crate::formulation) fn pseudo_solve(&self, b: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for k in 0..self.rank {
            add_scaled(x, dot(self.u.column(k), b) / self.sizes[k], self.v.column(k));
        }
    }

    /// The part of `b` along the right vector `k`.
    pub(in crate::formulation) fn along_right(&self, k: usize, b: &[f64]) -> f64 {
        dot(self.v.column(k), b)
    }
}
