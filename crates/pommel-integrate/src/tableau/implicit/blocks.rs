//! A⁻¹ in blocks of one or two.
//!
//! With `T⁻¹ A⁻¹ T = Λ` the linear systems of Newton's method, `(h⁻¹ A⁻¹ ⊗ M − I ⊗ J) Δz = r`, fall apart
//! into one of the size of the state for every real eigenvalue, and a complex one for every pair
//! [But76], [HW96, section IV.8]. Where A is lower triangular it stays so, with `T = I`: stages are then
//! solved one after the other.
//!
//! Source: \[But76\] J. C. Butcher, *On the implementation of implicit Runge-Kutta methods*, BIT 16 (1976).

use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;

use super::TableauError;

/// Eigenvalues of A⁻¹.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Block {
    /// At a row of Λ.
    Real { row: usize, value: f64 },
    /// At a row of Λ and the next, `[α β; −β α]`: for `ξ = x₁ + i x₂` that is `(α − i β) ξ`.
    Pair { row: usize, alpha: f64, beta: f64 },
}

/// `A⁻¹ = T Λ T⁻¹`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blocks {
    pub(crate) list: Vec<Block>,
    /// row by row
    pub(crate) lambda: Vec<f64>,
    pub(crate) to: Vec<f64>,
    pub(crate) from: Vec<f64>,
    /// whether Λ has entries below its blocks, which only triangular matrices have
    pub(crate) coupled: bool,
}

/// Eigenvectors that are nearly dependent have no use.
const CONDITION: f64 = 1e6;

impl Blocks {
    pub(super) fn of(inverse: &[f64], n: usize) -> Result<Blocks, TableauError> {
        let above = |k: usize| k % n > k / n;
        if inverse.iter().enumerate().all(|(k, x)| !above(k) || *x == 0.0) {
            let unit: Vec<f64> =
                (0..n * n).map(|k| if k % n == k / n { 1.0 } else { 0.0 }).collect();
            let list = (0..n).map(|row| Block::Real { row, value: inverse[row * n + row] });
            return Ok(Blocks {
                list: list.collect(),
                lambda: inverse.to_vec(),
                to: unit.clone(),
                from: unit,
                coupled: n > 1,
            });
        }
        let matrix = Mat::from_fn(n, n, |i, j| inverse[i * n + j]);
        let eigen = matrix.eigen().map_err(|_| TableauError::Defective)?;
        let values: Vec<_> = (0..n).map(|k| eigen.S()[k]).collect();
        let size = values.iter().fold(0.0_f64, |most, x| most.max(x.re.hypot(x.im)));
        let (mut list, mut columns): (Vec<Block>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        // real ones first
        for (k, value) in values.iter().enumerate().filter(|(_, x)| x.im.abs() <= 1e-12 * size) {
            list.push(Block::Real { row: columns.len(), value: value.re });
            columns.push((0..n).map(|i| eigen.U()[(i, k)].re).collect());
        }
        for (k, value) in values.iter().enumerate().filter(|(_, x)| x.im > 1e-12 * size) {
            // A⁻¹ (u + i w) = (α + i β) (u + i w)
            list.push(Block::Pair { row: columns.len(), alpha: value.re, beta: value.im });
            columns.push((0..n).map(|i| eigen.U()[(i, k)].re).collect());
            columns.push((0..n).map(|i| eigen.U()[(i, k)].im).collect());
        }
        if columns.len() != n {
            return Err(TableauError::Defective);
        }
        let to = Mat::from_fn(n, n, |i, j| columns[j][i]);
        let from = to.partial_piv_lu().inverse();
        let condition = to.norm_max() * from.norm_max();
        // false also if it is no number
        let usable = condition < CONDITION;
        if !usable {
            return Err(TableauError::Defective);
        }
        let mut lambda = vec![0.0; n * n];
        for block in &list {
            match *block {
                Block::Real { row, value } => lambda[row * n + row] = value,
                Block::Pair { row, alpha, beta } => {
                    lambda[row * n + row] = alpha;
                    lambda[row * n + row + 1] = beta;
                    lambda[(row + 1) * n + row] = -beta;
                    lambda[(row + 1) * n + row + 1] = alpha;
                }
            }
        }
        let rows = |matrix: &Mat<f64>| -> Vec<f64> {
            (0..n * n).map(|k| matrix[(k / n, k % n)]).collect()
        };
        Ok(Blocks { list, lambda, to: rows(&to), from: rows(&from), coupled: false })
    }

    /// γ₀ of the error estimate: the factor that a real eigenvalue has anyway, or one of the size of the
    /// first pair.
    pub(super) fn gamma(&self) -> f64 {
        match self.list[0] {
            Block::Real { value, .. } => 1.0 / value,
            Block::Pair { alpha, beta, .. } => 1.0 / alpha.hypot(beta),
        }
    }
}
