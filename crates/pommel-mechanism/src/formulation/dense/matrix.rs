//! Matrices whose shape may change within their memory.

use faer::{MatMut, MatRef};

/// Column by column, without gaps.
#[derive(Clone, Debug)]
pub(in crate::formulation) struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    pub(in crate::formulation) fn new(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, data: vec![0.0; rows * columns] }
    }

    /// Another shape in the same memory; the numbers lose their meaning.
    pub(in crate::formulation) fn reshape(&mut self, rows: usize, columns: usize) {
        assert!(rows * columns <= self.data.len(), "no room for {rows} × {columns}");
        (self.rows, self.columns) = (rows, columns);
    }

    pub(in crate::formulation) fn rows(&self) -> usize {
        self.rows
    }

    pub(in crate::formulation) fn columns(&self) -> usize {
        self.columns
    }

    pub(in crate::formulation) fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }

    pub(in crate::formulation) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    pub(in crate::formulation) fn data(&self) -> &[f64] {
        &self.data[..self.rows * self.columns]
    }

    pub(in crate::formulation) fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data[..self.rows * self.columns]
    }

    pub(in crate::formulation) fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(self.data(), self.rows, self.columns)
    }

    pub(in crate::formulation) fn view_mut(&mut self) -> MatMut<'_, f64> {
        let (rows, columns) = (self.rows, self.columns);
        MatMut::from_column_major_slice_mut(self.data_mut(), rows, columns)
    }

    /// The identity.
    pub(in crate::formulation) fn set_identity(&mut self) {
        self.data_mut().fill(0.0);
        for k in 0..self.rows.min(self.columns) {
            self.data[k * self.rows + k] = 1.0;
        }
    }

    /// `y ← y + s A x`.
    pub(in crate::formulation) fn add_product(&self, s: f64, x: &[f64], y: &mut [f64]) {
        for (j, x) in x.iter().enumerate() {
            add_scaled(y, s * x, self.column(j));
        }
    }

    /// `A A ᵀ`'s lower triangle into a square matrix; zeros of `A` cost nothing.
    pub(in crate::formulation) fn gram_of_rows(&self, gram: &mut Matrix) {
        gram.data_mut().fill(0.0);
        for k in 0..self.columns {
            let column = self.column(k);
            for (j, x) in column.iter().enumerate() {
                add_scaled(&mut gram.column_mut(j)[j..], *x, &column[j..]);
            }
        }
    }

    /// Copies the lower triangle of a square matrix above its diagonal.
    pub(in crate::formulation) fn mirror(&mut self) {
        let n = self.rows;
        for j in 0..n {
            for i in j + 1..n {
                self.data[i * n + j] = self.data[j * n + i];
            }
        }
    }
}

impl core::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[j * self.rows + i]
    }
}

impl core::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[j * self.rows + i]
    }
}

/// `xᵀ y`, in four sums that a processor forms side by side.
pub(in crate::formulation) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (x4, x_rest) = x.as_chunks::<4>();
    let (y4, y_rest) = y.as_chunks::<4>();
    for (x, y) in x4.iter().zip(y4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// `y ← y + s x`.
pub(in crate::formulation) fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    if s != 0.0 {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += s * x);
    }
}

/// The largest absolute value.
pub(in crate::formulation) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| x.abs().max(most))
}
