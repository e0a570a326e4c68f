//! Orthogonal factors by Householder's reflections.

use faer::linalg::qr::{col_pivoting, no_pivoting};
use faer::{MatMut, Par};

use super::{Matrix, Memory, add_scaled, dot};

/// `A P = Q R` with `Q` a product of reflections `I − v vᵀ/τ`, of which only as many are applied as
/// `A` has rank.
///
/// Reflections are applied one after the other to one vector at a time: what they make of it does
/// not depend on what stands beside it.
#[derive(Debug)]
pub(in crate::formulation) struct Reflections {
    /// A, then `R` on and above the diagonal and the `v` below.
    pub(in crate::formulation) a: Matrix,
    tau: Vec<f64>,
    order: Vec<usize>,
    inverse_order: Vec<usize>,
    rank: usize,
    memory: Memory,
}

impl Reflections {
    /// Room for `rows × columns`.
    pub(in crate::formulation) fn new(rows: usize, columns: usize) -> Self {
        let pivoted = col_pivoting::factor::qr_in_place_scratch::<usize, f64>(
            rows,
            columns,
            1,
            Par::Seq,
            Default::default(),
        );
        let plain = no_pivoting::factor::qr_in_place_scratch::<f64>(
            rows,
            columns,
            1,
            Par::Seq,
            Default::default(),
        );
        Reflections {
            a: Matrix::new(rows, columns),
            tau: vec![0.0; rows.min(columns)],
            order: (0..columns).collect(),
            inverse_order: (0..columns).collect(),
            rank: 0,
            memory: Memory::new(pivoted.or(plain)),
        }
    }

    /// Factors what stands in `a` with the columns in the order of their sizes; the rank is the
    /// number of diagonal entries of `R` above `tolerance` times the first.
    pub(in crate::formulation) fn factorize_pivoted(&mut self, tolerance: f64) -> usize {
        self.rank = 0;
        let (m, n) = (self.a.rows(), self.a.columns());
        (0..n).for_each(|j| self.order[j] = j);
        if super::largest(self.a.data()) == 0.0 {
            return 0;
        }
        let size = m.min(n);
        col_pivoting::factor::qr_in_place(
            self.a.view_mut(),
            MatMut::from_column_major_slice_mut(&mut self.tau[..size], 1, size),
            &mut self.order[..n],
            &mut self.inverse_order[..n],
            Par::Seq,
            self.memory.stack(),
            Default::default(),
        );
        let limit = tolerance * self.a[(0, 0)].abs();
        self.rank = (0..size).take_while(|&k| self.a[(k, k)].abs() > limit).count();
        self.rank
    }

    /// Factors what stands in `a`, of full column rank, with its columns in their order.
    pub(in crate::formulation) fn factorize(&mut self) {
        let (m, n) = (self.a.rows(), self.a.columns());
        self.rank = m.min(n);
        if self.rank > 0 {
            no_pivoting::factor::qr_in_place(
                self.a.view_mut(),
                MatMut::from_column_major_slice_mut(&mut self.tau[..m.min(n)], 1, m.min(n)),
                Par::Seq,
                self.memory.stack(),
                Default::default(),
            );
        }
    }

    pub(in crate::formulation) fn rank(&self) -> usize {
        self.rank
    }

    /// The column of A at every place of `A P`.
    pub(in crate::formulation) fn order(&self) -> &[usize] {
        &self.order[..self.a.columns()]
    }

    fn reflect(&self, k: usize, x: &mut [f64]) {
        let v = &self.a.column(k)[k + 1..];
        let (head, tail) = x[k..].split_at_mut(1);
        let s = (head[0] + dot(v, tail)) / self.tau[k];
        head[0] -= s;
        add_scaled(tail, -s, v);
    }

    /// `x ← Q x`.
    pub(in crate::formulation) fn apply(&self, x: &mut [f64]) {
        (0..self.rank).rev().for_each(|k| self.reflect(k, x));
    }

    /// `x ← Qᵀ x`.
    pub(in crate::formulation) fn apply_transposed(&self, x: &mut [f64]) {
        (0..self.rank).for_each(|k| self.reflect(k, x));
    }

    /// Column `j` of `Q`.
    pub(in crate::formulation) fn unit(&self, j: usize, x: &mut [f64]) {
        x.fill(0.0);
        x[j] = 1.0;
        self.apply(x);
    }

    /// `b ← R₁⁻¹ b` with the leading triangle, of the size of `b`.
    pub(in crate::formulation) fn solve(&self, b: &mut [f64]) {
        for k in (0..b.len()).rev() {
            let column = self.a.column(k);
            b[k] /= column[k];
            let x = b[k];
            add_scaled(&mut b[..k], -x, &column[..k]);
        }
    }

    /// `b ← R₁⁻ᵀ b` with the leading triangle, of the size of `b`.
    pub(in crate::formulation) fn solve_transposed(&self, b: &mut [f64]) {
        for k in 0..b.len() {
            let column = self.a.column(k);
            b[k] = (b[k] - dot(&column[..k], &b[..k])) / column[k];
        }
    }
}
