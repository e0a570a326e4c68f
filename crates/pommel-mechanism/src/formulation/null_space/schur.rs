//! Schur vectors of `Φ_qᵀ Φ_q` \[dFGP08, eqs. 27 to 29\].
//!
//! `Kᵀ H K = U`. H goes to Hessenberg form, which is tridiagonal, as H is symmetric; shifted steps
//! of QR then let one entry beside the diagonal vanish after the other, from the bottom up. `faer`
//! keeps its routine for this step to itself.

use faer::dyn_stack::StackReq;
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_right_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_right_in_place_with_conj as apply_on_the_right,
};
use faer::{Conj, MatMut, Par};
use pommel_kkt::Pattern;

use super::super::dense::{Matrix, Memory};
use super::super::{FormulationError, Method};
use super::gram::{Eigenpairs, limit, zeros};
use super::{Basis, System};

/// Steps of QR for one eigenvalue, at most; two or three are usual.
const STEPS: usize = 40;

/// `K` and the diagonal of `U`, zero eigenvalues first.
#[derive(Debug)]
pub(in crate::formulation) struct SchurVectors {
    h: Matrix,
    /// Coefficients of the reflections that make H tridiagonal.
    tau: Vec<f64>,
    /// K in the order of the iteration, and sorted.
    found: Matrix,
    vectors: Matrix,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    values: Vec<f64>,
    free: usize,
    scratch: Vec<f64>,
    memory: Memory,
}

impl SchurVectors {
    /// `H = Z T Zᵀ`: the diagonals of T, and Z.
    fn make_tridiagonal(&mut self) {
        let n = self.values.len();
        self.found.set_identity();
        if n > 1 {
            self.h.mirror();
            let mut tau = MatMut::from_column_major_slice_mut(&mut self.tau, 1, n - 1);
            let stack = self.memory.stack();
            hessenberg_in_place(
                self.h.view_mut(),
                tau.as_mut(),
                Par::Seq,
                stack,
                Default::default(),
            );
            apply_on_the_right(
                self.h.view().submatrix(1, 0, n - 1, n - 1),
                tau.as_ref(),
                Conj::No,
                self.found.view_mut().submatrix_mut(1, 1, n - 1, n - 1),
                Par::Seq,
                stack,
            );
        }
        for k in 0..n {
            self.diagonal[k] = self.h[(k, k)];
            self.beside[k] = if k + 1 < n { self.h[(k + 1, k)] } else { 0.0 };
        }
    }

    /// T becomes diagonal by steps of QR, and Z becomes K.
    fn iterate(&mut self) -> Result<(), FormulationError> {
        let SchurVectors { diagonal: d, beside: e, found: z, .. } = self;
        let n = d.len();
        let scale = (0..n).map(|k| d[k].abs() + e[k].abs()).fold(0.0, f64::max);
        let negligible = f64::EPSILON * scale;
        let (mut end, mut steps) = (n, 0);
        while end > 1 {
            let last = end - 1;
            if e[last - 1].abs() <= negligible {
                e[last - 1] = 0.0;
                (end, steps) = (last, 0);
                continue;
            }
            if steps == STEPS {
                let method = Method::Schur;
                return Err(FormulationError::NotConverged {
                    method,
                    iterations: steps,
                    defect: f64::NAN,
                });
            }
            steps += 1;
            // the block that does not fall apart
            let first =
                (0..last - 1).rev().find(|&k| e[k].abs() <= negligible).map_or(0, |k| k + 1);
            // Wilkinson's shift: the eigenvalue of the last 2 × 2 that is nearer to its last entry
            let half = 0.5 * (d[last - 1] - d[last]);
            let root = half.hypot(e[last - 1]).copysign(half);
            let shift = d[last] - e[last - 1] * e[last - 1] / (half + root);
            let (mut x, mut y) = (d[first] - shift, e[first]);
            for k in first..last {
                // a rotation of k and k + 1 takes (x, y) to (·, 0)
                let length = x.hypot(y);
                let (c, s) = if length > 0.0 { (x / length, y / length) } else { (1.0, 0.0) };
                if k > first {
                    e[k - 1] = length;
                }
                let (dk, dl, ek) = (d[k], d[k + 1], e[k]);
                d[k] = c * c * dk + 2.0 * c * s * ek + s * s * dl;
                d[k + 1] = s * s * dk - 2.0 * c * s * ek + c * c * dl;
                e[k] = c * s * (dl - dk) + (c * c - s * s) * ek;
                if k + 1 < last {
                    (x, y) = (e[k], s * e[k + 1]);
                    e[k + 1] *= c;
                }
                let (left, right) = z.data_mut()[k * n..(k + 2) * n].split_at_mut(n);
                for (a, b) in left.iter_mut().zip(right) {
                    (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
                }
            }
        }
        Ok(())
    }

    /// Vectors to the eigenvalue zero first, the others in the order in which they were found.
    fn sort(&mut self, limit: f64) {
        self.free = zeros(&self.diagonal, limit);
        let (mut zero, mut other) = (0, self.free);
        for (k, value) in self.diagonal.iter().enumerate() {
            let place = if *value <= limit { &mut zero } else { &mut other };
            self.values[*place] = *value;
            self.vectors.column_mut(*place).copy_from_slice(self.found.column(k));
            *place += 1;
        }
    }
}

impl Basis for SchurVectors {
    const METHOD: Method = Method::Schur;

    fn new(pattern: &Pattern) -> Self {
        let n = pattern.unknowns();
        let before = n.saturating_sub(1);
        let reduce = hessenberg_in_place_scratch::<f64>(n, 1, Par::Seq, Default::default());
        let scratch: StackReq = reduce.or(apply_scratch::<f64>(before, 1, before));
        SchurVectors {
            h: Matrix::new(n, n),
            tau: vec![0.0; before],
            found: Matrix::new(n, n),
            vectors: Matrix::new(n, n),
            diagonal: vec![0.0; n],
            beside: vec![0.0; n],
            values: vec![0.0; n],
            free: n,
            scratch: vec![0.0; n],
            memory: Memory::new(scratch),
        }
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        system.rows.gram_of_rows(&mut self.h);
        self.make_tridiagonal();
        self.iterate()?;
        self.sort(limit(system, &self.diagonal));
        Ok(system.n() - self.free)
    }

    fn free(&self) -> &[f64] {
        &self.vectors.data()[..self.free * self.values.len()]
    }

    fn particular(&mut self, system: &System, gamma: &[f64], s: &mut [f64]) {
        let (values, vectors) = (&self.values[..], self.vectors.data());
        let pairs = Eigenpairs { values, vectors, free: self.free };
        pairs.particular(system, gamma, s, &mut self.scratch);
    }

    fn multipliers(&mut self, system: &System, f: &[f64], lambda: &mut [f64]) {
        let (values, vectors) = (&self.values[..], self.vectors.data());
        let pairs = Eigenpairs { values, vectors, free: self.free };
        pairs.multipliers(system, f, lambda, &mut self.scratch);
    }
}
