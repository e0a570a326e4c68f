//! Newton and Raphson's method for small dense systems.

use crate::linear::{Crout, LinearError, Pivoting};

/// A pivot below this part of the largest entry counts as zero.
const SINGULAR: f64 = 1e-13;

/// One iteration: where it was, and what the equations gave there.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterate {
    /// The unknowns.
    pub x: Vec<f64>,
    /// The equations there.
    pub residual: Vec<f64>,
}

/// Why the method found no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NewtonError {
    /// The matrix of derivatives is singular.
    #[error("iteration {iteration}: {error}")]
    Singular {
        /// Counted from 0.
        iteration: usize,
        /// Where.
        error: LinearError,
    },
    /// A number is NaN or infinite.
    #[error("iteration {iteration}: equation {equation} is not a finite number")]
    NotFinite {
        /// Counted from 0.
        iteration: usize,
        /// Which equation.
        equation: usize,
    },
    /// Too many iterations.
    #[error(
        "no solution after {iterations} iterations: equation {equation} is off by {residual:e}"
    )]
    NotConverged {
        /// Iterations that were made.
        iterations: usize,
        /// The equation that is off most.
        equation: usize,
        /// By how much.
        residual: f64,
    },
}

/// Solves `f(x) = 0` for as many unknowns as equations, from an estimate \[Nik88, section 3.4\].
///
/// # Arguments
/// - `x` the estimate; **out**: the solution
/// - `f(x, residual, jacobian)` writes the equations, and their derivatives row by row
/// - `tolerance` largest residual of a solution
/// - `iterations` most steps
///
/// Returns all iterates, the last one the solution.
///
/// # Errors
/// [`NewtonError`].
pub fn newton_raphson(
    x: &mut [f64],
    mut f: impl FnMut(&[f64], &mut [f64], &mut [f64]),
    tolerance: f64,
    iterations: usize,
) -> Result<Vec<Iterate>, NewtonError> {
    let n = x.len();
    let (mut residual, mut jacobian) = (vec![0.0; n], vec![0.0; n * n]);
    let mut lu = Crout::new(n);
    let mut history = Vec::new();
    for iteration in 0..=iterations {
        f(x, &mut residual, &mut jacobian);
        let numbers = residual.iter().chain(&jacobian);
        if let Some(at) = numbers.into_iter().position(|r| !r.is_finite()) {
            let equation = if at < n { at } else { (at - n) / n };
            return Err(NewtonError::NotFinite { iteration, equation });
        }
        history.push(Iterate { x: x.to_vec(), residual: residual.clone() });
        if residual.iter().all(|r| r.abs() <= tolerance) {
            return Ok(history);
        }
        lu.factorize(&jacobian, Pivoting::Row, SINGULAR)
            .map_err(|error| NewtonError::Singular { iteration, error })?;
        let mut change: Vec<f64> = residual.iter().map(|r| -r).collect();
        lu.solve(&mut change);
        x.iter_mut().zip(&change).for_each(|(x, d)| *x += d);
    }
    let equation = (0..n).max_by(|&a, &b| residual[a].abs().total_cmp(&residual[b].abs()));
    let equation = equation.unwrap_or_default();
    Err(NewtonError::NotConverged { iterations, equation, residual: residual[equation] })
}
