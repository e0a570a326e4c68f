//! `A P = Q R` with column pivoting, for one instance.

use pommel_math::Real;

/// A column that is smaller than this many roundings of itself, per row of the matrix, is zero.
const ROUNDINGS: f64 = 16.0;

/// The factor of a `rows × columns` matrix over a scalar of one lane.
///
/// `Q` is a product of `rank` reflections `I − w wᵀ · 2/(wᵀw)`; the first `rank` columns of `R` are
/// upper triangular, and what is below them was nothing but rounding.
#[derive(Clone, Debug)]
pub(crate) struct PivotedQr<T> {
    rows: usize,
    columns: usize,
    /// Column-major: `R` above the diagonal; `w` from the diagonal downwards.
    a: Vec<T>,
    /// The diagonal of `R`.
    diagonal: Vec<T>,
    /// 2/(wᵀw)
    weight: Vec<T>,
    original: Vec<f64>,
    order: Vec<usize>,
    rank: usize,
    /// Share of a column that counts as nothing.
    inexact: f64,
}

impl<T: Real> PivotedQr<T> {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        PivotedQr {
            rows,
            columns,
            a: vec![T::zero(); rows * columns],
            diagonal: vec![T::zero(); rows.min(columns)],
            weight: vec![T::zero(); rows.min(columns)],
            original: vec![0.0; columns],
            order: vec![0; columns],
            rank: 0,
            inexact: 0.0,
        }
    }

    /// From now on, what is left of a column counts as nothing up to this share of it.
    pub(crate) fn set_inexact(&mut self, share: f64) {
        self.inexact = share;
    }

    /// Number of columns that do not depend on others.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The column of `A` at each place of `A P`: the first `rank` do not depend on each other.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Factors the matrix with `entry(i, j)` at row `i`, column `j`.
    pub(crate) fn factorize(&mut self, entry: impl Fn(usize, usize) -> T) {
        let rows = self.rows;
        for j in 0..self.columns {
            self.order[j] = j;
            for i in 0..rows {
                self.a[j * rows + i] = entry(i, j);
            }
            self.original[j] = self.rest(j, 0);
        }
        self.rank = 0;
        let noise = self.inexact.max(ROUNDINGS * T::EPSILON * rows as f64);
        while self.rank < rows.min(self.columns) {
            let k = self.rank;
            let mut best = (k, 0.0);
            for j in k..self.columns {
                let rest = self.rest(j, k);
                if rest > noise * noise * self.original[j] && rest > best.1 {
                    best = (j, rest);
                }
            }
            if best.1 == 0.0 {
                return;
            }
            self.swap(k, best.0);
            self.reflect(k);
            self.rank += 1;
        }
    }

    /// Squared length of column `j` from row `k` on.
    fn rest(&self, j: usize, k: usize) -> f64 {
        let column = &self.a[j * self.rows..(j + 1) * self.rows];
        column[k..].iter().map(|x| x.lane(0) * x.lane(0)).sum()
    }

    fn swap(&mut self, j: usize, k: usize) {
        if j != k {
            self.order.swap(j, k);
            self.original.swap(j, k);
            for i in 0..self.rows {
                self.a.swap(j * self.rows + i, k * self.rows + i);
            }
        }
    }

    /// Turns what is left of column `k` into its length, and all later columns along.
    fn reflect(&mut self, k: usize) {
        let rows = self.rows;
        let mut length = T::zero();
        for i in k..rows {
            length = self.a[k * rows + i].mul_add(self.a[k * rows + i], length);
        }
        length = length.sqrt();
        let head = self.a[k * rows + k];
        // away from the head, so that nothing cancels
        let target = T::select(head.lt(T::zero()), length, -length);
        self.a[k * rows + k] = head - target;
        self.diagonal[k] = target;
        // wᵀw = 2 length (length + |head|)
        self.weight[k] = (length * (length + head.abs())).recip();
        let (done, rest) = self.a.split_at_mut((k + 1) * rows);
        let w = &done[k * rows + k..];
        for column in rest.chunks_exact_mut(rows) {
            apply(w, self.weight[k], &mut column[k..]);
        }
    }

    fn reflection(&self, k: usize) -> (&[T], T) {
        (&self.a[k * self.rows + k..(k + 1) * self.rows], self.weight[k])
    }

    /// `b ← Qᵀ b`.
    pub(crate) fn apply_transposed(&self, b: &mut [T]) {
        for k in 0..self.rank {
            let (w, weight) = self.reflection(k);
            apply(w, weight, &mut b[k..]);
        }
    }

    /// `b ← Q b`.
    pub(crate) fn apply(&self, b: &mut [T]) {
        for k in (0..self.rank).rev() {
            let (w, weight) = self.reflection(k);
            apply(w, weight, &mut b[k..]);
        }
    }

    /// `b ← R⁻ᵀ b` with the leading triangle of `R`; `b` has `rank` entries.
    pub(crate) fn solve_transposed(&self, b: &mut [T]) {
        for k in 0..self.rank {
            let mut x = b[k];
            for i in 0..k {
                x = (-self.a[k * self.rows + i]).mul_add(b[i], x);
            }
            b[k] = x / self.diagonal[k];
        }
    }

    /// `b ← R⁻¹ b` with the leading triangle of `R`; `b` has `rank` entries.
    pub(crate) fn solve(&self, b: &mut [T]) {
        for k in (0..self.rank).rev() {
            b[k] = b[k] / self.diagonal[k];
            for i in 0..k {
                b[i] = (-self.a[k * self.rows + i]).mul_add(b[k], b[i]);
            }
        }
    }
}

/// `b ← b − w weight (wᵀ b)`
fn apply<T: Real>(w: &[T], weight: T, b: &mut [T]) {
    let mut product = T::zero();
    for (w, b) in w.iter().zip(&*b) {
        product = w.mul_add(*b, product);
    }
    product *= weight;
    for (w, b) in w.iter().zip(b) {
        *b = (-*w).mul_add(product, *b);
    }
}

#[cfg(test)]
mod tests {
    use super::PivotedQr;

    /// Row 2 is the sum of rows 0 and 1, column 3 the sum of columns 0 and 2.
    const A: [[f64; 4]; 3] = [[1.0, 4.0, -2.0, -1.0], [3.0, 0.0, 5.0, 8.0], [4.0, 4.0, 3.0, 7.0]];

    #[test]
    fn rank_and_product() {
        let mut qr = PivotedQr::new(3, 4);
        qr.factorize(|i, j| A[i][j]);
        assert_eq!(qr.rank(), 2);
        // columns of Q R are those of A
        for (place, column) in qr.order().iter().enumerate() {
            let mut b: Vec<f64> = (0..3).map(|i| A[i][*column]).collect();
            qr.apply_transposed(&mut b);
            assert!(b[2].abs() < 1e-14 && (place > 0 || b[1].abs() < 1e-14), "{b:?}");
            qr.apply(&mut b);
            for i in 0..3 {
                assert!((b[i] - A[i][*column]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn triangles_are_solved() {
        let mut qr = PivotedQr::new(3, 2);
        qr.factorize(|i, j| A[i][j]);
        let [first, second] = [qr.order()[0], qr.order()[1]];
        // R (1, 2) is what Q makes of a combination of columns
        let mut b: Vec<f64> = (0..3).map(|i| A[i][first] + 2.0 * A[i][second]).collect();
        qr.apply_transposed(&mut b);
        qr.solve(&mut b[..2]);
        assert!((b[0] - 1.0).abs() < 1e-14 && (b[1] - 2.0).abs() < 1e-14, "{b:?}");
        // Rᵀ y with y = Qᵀ v holds the products of columns with v
        let v = [1.0, -2.0, 0.5];
        let dot = |j: usize| (0..3).map(|i| A[i][j] * v[i]).sum::<f64>();
        let mut y = [dot(first), dot(second)];
        qr.solve_transposed(&mut y);
        let mut expected = v;
        qr.apply_transposed(&mut expected);
        assert!((y[0] - expected[0]).abs() < 1e-14 && (y[1] - expected[1]).abs() < 1e-14);
    }
}
