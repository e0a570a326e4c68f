//! Saddle-point systems of the testkit, and the sparse matrices that other solvers take.

use pommel::kkt::pattern::{MatrixMarket, Partitions, System};
use pommel_testkit::SaddleSystem;

/// A system with its bodies and constraints as blocks; zeros off the diagonal are left out, as a file
/// would.
///
/// # Panics
/// If there are no bodies.
pub fn system(system: &SaddleSystem) -> System {
    let (n, size) = (system.unknowns(), system.unknowns() + system.rows());
    let mut matrix =
        MatrixMarket { rows: size, columns: size, symmetric: true, ..MatrixMarket::default() };
    for (i, j, value) in system.lower_entries().filter(|(i, j, v)| i == j || *v != 0.0) {
        matrix.entries.push((i as u32, j as u32));
        matrix.values.push(value);
    }
    let partitions = Partitions {
        bodies: Some(&system.body_widths),
        constraints: Some(&system.constraint_rows),
    };
    System::from_kkt_matrix_market(&matrix, Some(n), partitions).expect("a system")
}

/// A sparse matrix by columns.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Where every column starts, and the number of entries.
    pub start: Vec<usize>,
    /// Rows of the entries, ascending in a column.
    pub rows: Vec<usize>,
    /// Values of the entries.
    pub values: Vec<f64>,
}

impl Columns {
    fn new(size: usize, mut triples: Vec<(usize, usize, f64)>) -> Self {
        triples.sort_by_key(|&(row, column, _)| (column, row));
        let mut start = vec![0; size + 1];
        for &(_, column, _) in &triples {
            start[column + 1] += 1;
        }
        for j in 0..size {
            start[j + 1] += start[j];
        }
        let rows = triples.iter().map(|t| t.0).collect();
        Columns { start, rows, values: triples.iter().map(|t| t.2).collect() }
    }

    /// The transposed matrix, which must be square.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let triples = self.iter().map(|(row, column, value)| (column, row, value));
        Columns::new(self.start.len() - 1, triples.collect())
    }

    /// Row, column and value of all entries.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.start.len() - 1).flat_map(move |j| {
            (self.start[j]..self.start[j + 1]).map(move |e| (self.rows[e], j, self.values[e]))
        })
    }
}

/// `[M Jᵀ; J −C]` as other solvers take it, with a right-hand side of known solution.
#[derive(Clone, Debug)]
pub struct SaddleMatrix {
    /// Number of rows of M.
    pub unknowns: usize,
    /// The lower triangle with all of the diagonal, zeros too.
    pub lower: Columns,
    /// Both triangles, without zeros that are not given.
    pub full: Columns,
    /// The solution from which `rhs` was computed.
    pub truth: Vec<f64>,
    /// The right-hand side.
    pub rhs: Vec<f64>,
    /// Largest sum of absolute values of a row.
    norm: f64,
}

impl SaddleMatrix {
    /// From a matrix by its lower triangle.
    pub fn new(matrix: &MatrixMarket, unknowns: usize) -> Self {
        let size = matrix.rows;
        let (mut lower, mut full) = (Vec::new(), Vec::new());
        let mut has_diagonal = vec![false; size];
        for (&(row, column), &value) in matrix.entries.iter().zip(&matrix.values) {
            let (i, j) = (row as usize, column as usize);
            lower.push((i.max(j), i.min(j), value));
            full.push((i, j, value));
            if i == j {
                has_diagonal[i] = true;
            } else {
                full.push((j, i, value));
            }
        }
        lower.extend((0..size).filter(|&i| !has_diagonal[i]).map(|i| (i, i, 0.0)));
        let (lower, full) = (Columns::new(size, lower), Columns::new(size, full));
        let truth: Vec<f64> = (0..size).map(|i| (1.0 + 0.37 * i as f64).sin() + 0.1).collect();
        let (mut rhs, mut sums) = (vec![0.0; size], vec![0.0; size]);
        for (row, column, value) in full.iter() {
            rhs[row] += value * truth[column];
            sums[row] += value.abs();
        }
        let norm = largest(&sums);
        SaddleMatrix { unknowns, lower, full, truth, rhs, norm }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.rhs.len()
    }

    /// `rhs − K x` into `residual`; its largest entry relative to `‖K‖ ‖x‖ + ‖rhs‖`.
    pub fn residual(&self, x: &[f64], residual: &mut [f64]) -> f64 {
        residual.copy_from_slice(&self.rhs);
        for j in 0..self.size() {
            for e in self.full.start[j]..self.full.start[j + 1] {
                residual[self.full.rows[e]] -= self.full.values[e] * x[j];
            }
        }
        largest(residual) / (self.norm * largest(x) + largest(&self.rhs))
    }

    /// Largest error of the unknowns relative to the largest of them.
    pub fn error(&self, x: &[f64]) -> f64 {
        let n = self.unknowns;
        let errors: Vec<f64> = (0..n).map(|i| x[i] - self.truth[i]).collect();
        largest(&errors) / largest(&self.truth[..n])
    }
}

/// The largest magnitude; infinite if a number is not finite.
fn largest(list: &[f64]) -> f64 {
    list.iter()
        .fold(0.0, |most: f64, x| if x.is_finite() { most.max(x.abs()) } else { f64::INFINITY })
}
