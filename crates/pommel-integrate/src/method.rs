//! The tableau as the stepper uses it.

use pommel_math::Real;

use crate::control::{ODE45_SAFETY, power};
use crate::kernels::{Polynomial, Row};
use crate::options::Stepping;
use crate::{Controller, Tableau};

/// The tableau and the tolerances in the scalar of the run.
#[derive(Clone, Debug)]
pub(crate) struct Method<T> {
    pub(crate) stages: usize,
    pub(crate) first_same_as_last: bool,
    pub(crate) a: Vec<Row<T>>,
    pub(crate) b: Row<T>,
    pub(crate) c: Vec<f64>,
    pub(crate) error: Row<T>,
    /// The difference to the weights of lower order; empty if there are none.
    pub(crate) lower: Row<T>,
    pub(crate) polynomials: Vec<Polynomial<T>>,
    /// Cubic Hermite interpolation, for steps whose extra stages were not evaluated.
    pub(crate) hermite: Vec<Polynomial<T>>,
    /// Rows and nodes of the stages for dense output only.
    pub(crate) extra: Vec<(Row<T>, f64)>,
    /// The error goes as `h^k`: order of the error estimate plus 1.
    pub(crate) k: usize,
    /// Offset in `k` of the derivative of the new state.
    pub(crate) end: usize,
    pub(crate) rtol: Vec<T>,
    pub(crate) atol: Vec<T>,
    /// `0.8 rtol^(1/k)` of every component, for the first step of `ode45`.
    pub(crate) first_parts: Vec<f64>,
}

impl<T: Real> Method<T> {
    /// Length of the memory for derivatives of `n` components.
    pub(crate) fn derivatives(&self, n: usize) -> usize {
        self.end + n * (1 + self.extra.len())
    }

    pub(crate) fn new(tableau: &Tableau, stepping: &Stepping, n: usize) -> Method<T> {
        let stages = tableau.stages();
        let row = |weights: &mut dyn Iterator<Item = f64>| -> Row<T> {
            let weights = weights.enumerate().filter(|(_, w)| *w != 0.0);
            weights.map(|(j, w)| (j * n, T::from_f64(w))).collect()
        };
        let b = tableau.b();
        let difference =
            |weights: &[f64]| row(&mut b.iter().zip(weights).map(|(b, b_hat)| b - b_hat));
        let (error, lower, k) = match tableau.embedded() {
            Some(pair) => match &pair.lower {
                None => {
                    let k = tableau.order().min(pair.order) + 1;
                    (difference(&pair.weights), Row::new(), k)
                }
                Some(lower) => {
                    (difference(&pair.weights), difference(&lower.weights), tableau.order())
                }
            },
            None => (Row::new(), Row::new(), tableau.order()),
        };
        let extra = tableau.dense().map_or(&[][..], |dense| &dense.extra);
        let end = if tableau.first_same_as_last() { stages - 1 } else { stages } * n;
        // below this absolute tolerance an error of zero would be divided by zero
        let least = 1e-35_f64;
        let (rtol, atol) = match stepping {
            Stepping::Fixed(_) => (Vec::new(), Vec::new()),
            Stepping::Adaptive(settings) => (
                (0..n).map(|i| T::from_f64(settings.rtol.of(i))).collect(),
                (0..n).map(|i| T::from_f64(settings.atol.of(i).max(least))).collect(),
            ),
        };
        let first_parts = match stepping {
            Stepping::Adaptive(settings) if settings.controller == Controller::Ode45 => {
                let part = |i| ODE45_SAFETY * power(settings.rtol.of(i), 1.0 / k as f64);
                (0..n).map(part).collect()
            }
            _ => Vec::new(),
        };
        Method {
            stages,
            first_same_as_last: tableau.first_same_as_last(),
            a: (0..stages).map(|i| row(&mut (0..i).map(|j| tableau.a(i, j)))).collect(),
            b: row(&mut b.iter().copied()),
            c: tableau.c().to_vec(),
            error,
            lower,
            polynomials: polynomials(tableau, n, end),
            hermite: hermite(end),
            extra: extra.iter().map(|e| (row(&mut e.a.iter().copied()), e.c)).collect(),
            k,
            end,
            rtol,
            atol,
            first_parts,
        }
    }
}

/// `r_j(θ) = b_j(θ) − (3θ² − 2θ³) b_j` of every stage; for cubic Hermite interpolation these are
/// `θ(1−θ)²` for the first and `−θ²(1−θ)` for the last derivative.
fn polynomials<T: Real>(tableau: &Tableau, n: usize, end: usize) -> Vec<Polynomial<T>> {
    let Some(dense) = tableau.dense() else { return hermite(end) };
    let mut rows = Vec::new();
    for (j, weights) in dense.weights.iter().enumerate() {
        let b = tableau.b().get(j).copied().unwrap_or(0.0);
        let mut coefficients = weights.clone();
        coefficients.resize(weights.len().max(3), 0.0);
        coefficients[1] -= 3.0 * b;
        coefficients[2] += 2.0 * b;
        if coefficients.iter().any(|c| *c != 0.0) {
            rows.push(polynomial(j * n, &coefficients));
        }
    }
    rows
}

fn polynomial<T: Real>(offset: usize, coefficients: &[f64]) -> Polynomial<T> {
    let coefficients = coefficients.iter().map(|&c| T::from_f64(c)).collect();
    Polynomial { offset, coefficients, series: Vec::new() }
}

/// Cubic Hermite interpolation, with the derivative of the new state at `end`.
fn hermite<T: Real>(end: usize) -> Vec<Polynomial<T>> {
    vec![polynomial(0, &[1.0, -2.0, 1.0]), polynomial(end, &[0.0, -1.0, 1.0])]
}
