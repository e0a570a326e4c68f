//! Checks of dense output.

use super::{DenseParts, Part, RootedTree, TableauError, finite, residual, rounding};

/// The continuous conditions `Σ b_i(θ) Φ_i(τ) = θ^|τ| / γ(τ)`, one per power of `θ`, and the end
/// `b_i(1) = b_i`.
pub(super) fn check(
    a: &[f64],
    b: &[f64],
    c: &[f64],
    first_same_as_last: bool,
    dense: &DenseParts,
) -> Result<(), TableauError> {
    if dense.order == 0 {
        return Err(TableauError::NoOrder { part: Part::Dense });
    }
    let (a, b, c) = extended(a, b, c, first_same_as_last, dense)?;
    let rows = b.len();
    if dense.weights.len() != rows {
        let (expected, found) = (rows, dense.weights.len());
        return Err(TableauError::Length { part: Part::Dense, expected, found });
    }
    finite(Part::Dense, dense.weights.iter().map(Vec::as_slice))?;
    super::check_rows(&a, &c)?;
    for (stage, (row, b)) in dense.weights.iter().zip(&b).enumerate() {
        let residual = row.iter().sum::<f64>() - b;
        let scale = b.abs() + row.iter().map(|x| x.abs()).sum::<f64>();
        if residual.abs() > rounding(scale) {
            return Err(TableauError::DenseEnd { stage, residual });
        }
    }
    let degree = dense.weights.iter().map(Vec::len).max().unwrap_or(0);
    let a_abs: Vec<f64> = a.iter().map(|x| x.abs()).collect();
    for tree in RootedTree::up_to(dense.order) {
        let phi = tree.elementary_weights(&a, rows);
        let phi_abs = tree.elementary_weights(&a_abs, rows);
        for power in 1..=degree.max(tree.order()) {
            let weights: Vec<f64> = dense
                .weights
                .iter()
                .map(|row| row.get(power - 1).copied().unwrap_or(0.0))
                .collect();
            let target = if power == tree.order() { 1.0 / tree.density() } else { 0.0 };
            let (residual, limit) = residual(&weights, &phi, &phi_abs, target);
            if residual.abs() > limit {
                let part = Part::Dense;
                return Err(TableauError::OrderCondition { part, tree, residual, power });
            }
        }
    }
    Ok(())
}

/// Matrix, weights and nodes.
type Coefficients = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Matrix, weights and nodes with a row for every derivative that dense output takes.
fn extended(
    a: &[f64],
    b: &[f64],
    c: &[f64],
    first_same_as_last: bool,
    dense: &DenseParts,
) -> Result<Coefficients, TableauError> {
    let stages = b.len();
    let new = usize::from(!dense.extra.is_empty() && !first_same_as_last);
    let rows = stages + new + dense.extra.len();
    let mut matrix = vec![0.0; rows * rows];
    for i in 0..stages {
        matrix[i * rows..i * rows + stages].copy_from_slice(&a[i * stages..(i + 1) * stages]);
    }
    let (mut weights, mut nodes) = (b.to_vec(), c.to_vec());
    if new == 1 {
        // the derivative of the new state is that of the result
        matrix[stages * rows..stages * rows + stages].copy_from_slice(b);
        nodes.push(1.0);
    }
    for (k, extra) in dense.extra.iter().enumerate() {
        let row = stages + new + k;
        if extra.a.len() > row {
            let (expected, found) = (row, extra.a.len());
            return Err(TableauError::Length { part: Part::Extra, expected, found });
        }
        if !extra.a.iter().all(|x| x.is_finite()) || !extra.c.is_finite() {
            return Err(TableauError::NotFinite { part: Part::Extra, row: k });
        }
        matrix[row * rows..row * rows + extra.a.len()].copy_from_slice(&extra.a);
        nodes.push(extra.c);
    }
    weights.resize(rows, 0.0);
    Ok((matrix, weights, nodes))
}
