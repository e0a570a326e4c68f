//! Gaussian elimination with full pivoting, for systems with at least as many unknowns as equations.

use super::rank::Scales;

/// A dense factor of an m × p matrix, p ≥ m, with memory for its size.
#[derive(Clone, Debug)]
pub(super) struct FullPivotLu {
    m: usize,
    p: usize,
    /// scaled, permuted, row by row; multipliers below the diagonal
    a: Vec<f64>,
    row_order: Vec<usize>,
    column_order: Vec<usize>,
    scales: Scales,
    work: Vec<f64>,
}

impl FullPivotLu {
    pub(super) fn new(m: usize, p: usize) -> Self {
        FullPivotLu {
            m,
            p,
            a: vec![0.0; m * p],
            row_order: (0..m).collect(),
            column_order: (0..p).collect(),
            scales: Scales::new(m, p),
            work: vec![0.0; m],
        }
    }

    /// Factors the matrix with these entries; gives the least pivot relative to the greatest, 0 for a
    /// matrix without full row rank.
    pub(super) fn factorize(&mut self, entry: impl Fn(usize, usize) -> f64) -> f64 {
        let FullPivotLu { m, p, a, row_order, column_order, scales, .. } = self;
        let (m, p) = (*m, *p);
        scales.fit(&entry);
        row_order.iter_mut().enumerate().for_each(|(i, o)| *o = i);
        column_order.iter_mut().enumerate().for_each(|(j, o)| *o = j);
        for i in 0..m {
            for j in 0..p {
                a[i * p + j] = scales.rows[i] * entry(i, j) * scales.columns[j];
            }
        }
        let (mut first, mut last) = (0.0, 0.0);
        for k in 0..m {
            let (mut pivot, mut at) = (0.0, (k, k));
            for i in k..m {
                for j in k..p {
                    let size = a[i * p + j].abs();
                    if size > pivot {
                        (pivot, at) = (size, (i, j));
                    }
                }
            }
            if k == 0 {
                first = pivot;
            }
            if pivot == 0.0 {
                return 0.0;
            }
            last = pivot;
            exchange(a, p, m, k, at);
            row_order.swap(k, at.0);
            column_order.swap(k, at.1);
            let (above, below) = a.split_at_mut((k + 1) * p);
            let pivot_row = &above[k * p..];
            for row in below.chunks_exact_mut(p) {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                if factor == 0.0 {
                    continue;
                }
                for (x, y) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *x -= factor * y;
                }
            }
        }
        if m == 0 { 1.0 } else { last / first }
    }

    /// A solution of `A x = b`; the unknowns without a pivot are zero.
    pub(super) fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let FullPivotLu { m, p, a, row_order, column_order, scales, work } = self;
        let (m, p) = (*m, *p);
        for k in 0..m {
            let mut sum = scales.rows[row_order[k]] * b[row_order[k]];
            for j in 0..k {
                sum -= a[k * p + j] * work[j];
            }
            work[k] = sum;
        }
        for k in (0..m).rev() {
            let mut sum = work[k];
            for j in k + 1..m {
                sum -= a[k * p + j] * work[j];
            }
            work[k] = sum / a[k * p + k];
        }
        x.fill(0.0);
        for k in 0..m {
            x[column_order[k]] = scales.columns[column_order[k]] * work[k];
        }
    }

    /// The unknowns without a pivot.
    pub(super) fn without_pivot(&self) -> &[usize] {
        &self.column_order[self.m..]
    }

    /// The factor that unknown j is multiplied by to have about the size of the others.
    pub(super) fn unit(&self, j: usize) -> f64 {
        1.0 / self.scales.columns[j]
    }
}

/// Exchanges row and column k with those of `at`.
fn exchange(a: &mut [f64], p: usize, m: usize, k: usize, at: (usize, usize)) {
    if at.0 != k {
        let (upper, lower) = a.split_at_mut(at.0 * p);
        upper[k * p..][..p].swap_with_slice(&mut lower[..p]);
    }
    if at.1 != k {
        (0..m).for_each(|i| a.swap(i * p + k, i * p + at.1));
    }
}
