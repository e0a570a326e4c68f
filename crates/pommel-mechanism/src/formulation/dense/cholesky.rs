//! Cholesky factors of matrices that may be singular.

use super::{Matrix, add_scaled, dot};

/// `P A Pᵀ = L Lᵀ`, pivots by size.
#[derive(Clone, Debug)]
pub(in crate::formulation) struct PivotedCholesky {
    /// Lower triangle, first of A, then of L.
    pub(in crate::formulation) a: Matrix,
    order: Vec<usize>,
    scratch: Vec<f64>,
}

impl PivotedCholesky {
    /// Room for `n × n`.
    pub(in crate::formulation) fn new(n: usize) -> Self {
        PivotedCholesky { a: Matrix::new(n, n), order: vec![0; n], scratch: vec![0.0; n] }
    }

    /// Factors what stands in `a`; returns the number of pivots above `limit`. If that is not all,
    /// there is no factor.
    pub(in crate::formulation) fn factorize(&mut self, limit: f64) -> usize {
        let n = self.a.rows();
        for k in 0..n {
            self.order[k] = k;
        }
        for k in 0..n {
            let diagonal = |j: usize| self.a[(j, j)];
            let p = (k + 1..n).fold(k, |p, j| if diagonal(j) > diagonal(p) { j } else { p });
            if diagonal(p).partial_cmp(&limit) != Some(core::cmp::Ordering::Greater) {
                return k;
            }
            self.swap(k, p);
            let (done, rest) = self.a.data_mut().split_at_mut((k + 1) * n);
            let column = &mut done[k * n + k..];
            let root = column[0].sqrt();
            column.iter_mut().for_each(|x| *x /= root);
            for (j, other) in rest.chunks_exact_mut(n).enumerate() {
                add_scaled(&mut other[k + 1 + j..], -column[1 + j], &column[1 + j..]);
            }
        }
        n
    }

    /// Exchanges rows and columns `k` and `p ≥ k`.
    fn swap(&mut self, k: usize, p: usize) {
        if k == p {
            return;
        }
        let n = self.a.rows();
        let a = self.a.data_mut();
        self.order.swap(k, p);
        (0..k).for_each(|c| a.swap(c * n + k, c * n + p));
        a.swap(k * n + k, p * n + p);
        (k + 1..p).for_each(|i| a.swap(k * n + i, i * n + p));
        (p + 1..n).for_each(|i| a.swap(k * n + i, p * n + i));
    }

    /// `b ← A⁻¹ b`.
    pub(in crate::formulation) fn solve(&mut self, b: &mut [f64]) {
        let n = self.a.rows();
        let y = &mut self.scratch[..n];
        y.iter_mut().zip(&self.order).for_each(|(y, &i)| *y = b[i]);
        for k in 0..n {
            let column = &self.a.column(k)[k..];
            let (head, tail) = y[k..].split_at_mut(1);
            head[0] /= column[0];
            add_scaled(tail, -head[0], &column[1..]);
        }
        for k in (0..n).rev() {
            let column = &self.a.column(k)[k..];
            y[k] = (y[k] - dot(&column[1..], &y[k + 1..])) / column[0];
        }
        y.iter().zip(&self.order).for_each(|(y, &i)| b[i] = *y);
    }
}
