//! Gauss-Newton on a derivative array, for consistent values near a guess.

use super::array::DerivativeArray;
use super::error::RankError;
use super::rank::{Scales, Svd};
use super::structure::scatter;
use super::{Dae, DaeError};

/// What a change of a component of y weighs against one of a derivative, so that guesses are kept rather
/// than derivatives: the change of y is the least possible to the square of this.
const WEIGHT: f64 = 1e-3;

/// Singular values below this are left out of a step.
const TRUNCATION: f64 = 1e-11;

/// Steps that change derivatives only, before y is moved.
const DERIVATIVE_STEPS: usize = 8;

/// The shortest part of a step.
const SHORTEST: f64 = 1e-3;

/// A relative change that ends the search.
const LAST_CHANGE: f64 = 1e-11;

/// A scaled residual that a consistent state may have where the search ends, for arguments of about 1.
const RESIDUAL: f64 = 1e-8;

/// Entries of null vectors below this are rounding.
const SHARE: f64 = 1e-6;

/// What is sought: `c_0, …, c_{k+1}` with a derivative array of zero.
pub(super) struct Search<'a, D> {
    pub(super) dae: &'a D,
    pub(super) t: f64,
    /// Components of y that are not to change.
    pub(super) held: &'a [bool],
    pub(super) iterations: usize,
    pub(super) tolerance: f64,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Continue,
    Consistent,
    Stuck,
}

/// Memory of steps that change some of the unknowns.
struct Steps {
    columns: Vec<usize>,
    scales: Scales,
    svd: Svd,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl Steps {
    fn new(rows: usize, columns: Vec<usize>) -> Self {
        let scales = Scales::new(rows, columns.len());
        let svd = Svd::new(rows, columns.len());
        Steps { columns, scales, svd, step: Vec::new(), trial: Vec::new() }
    }
}

impl<D: Dae> Search<'_, D> {
    /// Changes `c` to consistent values, and leaves J of them in the array.
    ///
    /// # Errors
    /// [`DaeError::NonFinite`] at the guess; [`DaeError::Singular`], [`DaeError::Contradiction`], or
    /// [`DaeError::NoConsistentState`] if there is no other explanation.
    pub(super) fn run(&self, array: &mut DerivativeArray, c: &mut [f64]) -> Result<(), DaeError> {
        let (n, m) = (array.n(), array.rows());
        let guess = c.to_vec();
        // derivatives first, so that y moves for its own sake only
        let (derivatives, others) = (n..n + m, (0..n).filter(|&j| !self.held[j]));
        let mut steps = Steps::new(m, derivatives.clone().collect());
        for _ in 0..DERIVATIVE_STEPS {
            if self.step(array, c, &mut steps)? != Outcome::Continue {
                break;
            }
        }
        let mut steps = Steps::new(m, others.chain(derivatives).collect());
        for _ in 0..self.iterations {
            match self.step(array, c, &mut steps)? {
                Outcome::Continue => {}
                Outcome::Stuck => break,
                Outcome::Consistent => {
                    array.evaluate(self.dae, self.t, c, true)?;
                    return self.check_regular(array);
                }
            }
        }
        self.explain(array, c, &guess)
    }

    /// A Gauss-Newton step, shortened where that is needed for the residual to fall.
    fn step(
        &self,
        array: &mut DerivativeArray,
        c: &mut [f64],
        steps: &mut Steps,
    ) -> Result<Outcome, DaeError> {
        let Steps { columns, scales, svd, step, trial } = steps;
        let n = array.n();
        let norm = |array: &DerivativeArray, scales: &Scales| {
            let rows = array.residual().iter().zip(&scales.rows);
            rows.map(|(r, s)| (r * s) * (r * s)).sum::<f64>().sqrt()
        };
        array.evaluate(self.dae, self.t, c, true)?;
        scales.fit(|i, j| array.jacobian(i, columns[j]));
        let before = norm(array, scales);
        let weight = |j: usize| if columns[j] < n { WEIGHT } else { 1.0 };
        let factor = |j: usize| weight(j) * scales.columns[j];
        svd.decompose(|i, j| scales.rows[i] * array.jacobian(i, columns[j]) * factor(j))
            .map_err(|error| error.at(self.t))?;
        step.resize(c.len(), 0.0);
        step.fill(0.0);
        let rhs = |i: usize| scales.rows[i] * array.residual()[i];
        shortest(svd, rhs, |j, x| step[columns[j]] = factor(j) * x);
        let (mut change, mut size) = (0.0_f64, 1.0_f64);
        for (j, &column) in columns.iter().enumerate() {
            change = change.max((step[column] / scales.columns[j]).abs());
            size = size.max((c[column] / scales.columns[j]).abs());
        }
        let mut length = 1.0;
        loop {
            trial.clear();
            trial.extend(c.iter().zip(&*step).map(|(c, s)| c - length * s));
            let finite = array.evaluate(self.dae, self.t, trial, false).is_ok();
            let rounding = before <= 1e-12 * size && change <= 1e-6 * size;
            if finite && (rounding || norm(array, scales) <= (1.0 - 0.1 * length) * before) {
                break;
            }
            length *= 0.5;
            if length < SHORTEST {
                return Ok(Outcome::Stuck);
            }
        }
        c.copy_from_slice(trial);
        let small = norm(array, scales) <= RESIDUAL * size;
        let done = change <= LAST_CHANGE * size && small;
        Ok(if done { Outcome::Consistent } else { Outcome::Continue })
    }

    /// Whether J has full row rank.
    fn check_regular(&self, array: &DerivativeArray) -> Result<(), DaeError> {
        let (n, m, order) = (array.n(), array.rows(), array.order());
        let svd = scaled(array, &(0..n + m).collect::<Vec<_>>()).map_err(|e| e.at(self.t))?;
        let rank = svd.rank(self.tolerance, order).map_err(|error| error.at(self.t))?;
        if rank == m {
            return Ok(());
        }
        let equations = involved(&svd, rank, n);
        // what the array leaves open of y'
        let b = scaled(array, &(n..n + m).collect::<Vec<_>>()).map_err(|e| e.at(self.t))?;
        let first = b.count_above(self.tolerance);
        let open = |v: usize| (first..m).any(|j| b.v(v, j).abs() > SHARE);
        let components = (0..n).filter(|&v| open(v)).collect();
        Err(DaeError::Singular { t: self.t, order, equations, components })
    }

    /// Why no consistent values were found: the search ends where the sum of squares of residuals is
    /// least.
    fn explain(
        &self,
        array: &mut DerivativeArray,
        c: &[f64],
        guess: &[f64],
    ) -> Result<(), DaeError> {
        let (n, m, t, order) = (array.n(), array.rows(), self.t, array.order());
        // equations that depend on each other do so everywhere
        let away = |(j, c): (usize, &f64)| c + 0.01 * (1.0 + c.abs()) * scatter(j);
        let away: Vec<f64> = guess.iter().enumerate().map(away).collect();
        if array.evaluate(self.dae, t, &away, true).is_ok() {
            self.check_regular(array)?;
        }
        array.evaluate(self.dae, t, c, true)?;
        let mut scales = Scales::new(m, n + m);
        scales.fit(|i, j| array.jacobian(i, j));
        let Scales { rows, columns } = &scales;
        let residual: Vec<f64> = array.residual().iter().zip(rows).map(|(r, s)| r * s).collect();
        let slope = |j: usize| {
            let terms = (0..m).map(|i| residual[i] * rows[i] * array.jacobian(i, j));
            terms.sum::<f64>() * columns[j]
        };
        let slopes: Vec<f64> = (0..n + m).map(|j| slope(j).abs()).collect();
        let largest = |held: bool| {
            let of = (0..n + m).filter(|&j| (j < n && self.held[j]) == held);
            of.map(|j| slopes[j]).fold(0.0, f64::max)
        };
        let steepest = largest(true);
        let worst = residual.iter().fold(0.0_f64, |worst, r| worst.max(r.abs()));
        if steepest > 10.0 * largest(false) && steepest > SHARE * worst {
            let components =
                (0..n).filter(|&v| self.held[v] && slopes[v] > 0.01 * steepest).collect();
            let takes_part = |e: usize| (e..m).step_by(n).any(|i| residual[i].abs() > 0.01 * worst);
            let equations = (0..n).filter(|&e| takes_part(e)).collect();
            return Err(DaeError::Contradiction { t, components, equations });
        }
        let row = residual.iter().position(|r| r.abs() == worst).unwrap_or(0);
        Err(DaeError::NoConsistentState { t, order, equation: row % n, residual: worst })
    }
}

/// The shortest least-squares solution of a system whose matrix is decomposed.
fn shortest(svd: &Svd, rhs: impl Fn(usize) -> f64, mut set: impl FnMut(usize, f64)) {
    let rank = svd.count_above(TRUNCATION);
    let coordinate = |k: usize| {
        let product: f64 = (0..svd.rows()).map(|i| svd.u(i, k) * rhs(i)).sum();
        product / svd.sigma(k)
    };
    let coordinates: Vec<f64> = (0..rank).map(coordinate).collect();
    for j in 0..svd.columns() {
        set(j, coordinates.iter().enumerate().map(|(k, x)| svd.v(j, k) * x).sum());
    }
}

/// Decomposition of some columns of J, scaled.
fn scaled(array: &DerivativeArray, columns: &[usize]) -> Result<Svd, RankError> {
    // the scales are those of all of J: what stands in a few columns may be rounding
    let mut scales = Scales::new(array.rows(), array.rows() + array.n());
    scales.fit(|i, j| array.jacobian(i, j));
    let mut svd = Svd::new(array.rows(), columns.len());
    svd.decompose(|i, j| {
        scales.rows[i] * array.jacobian(i, columns[j]) * scales.columns[columns[j]]
    })?;
    Ok(svd)
}

/// Equations that take part in left null vectors.
fn involved(svd: &Svd, rank: usize, n: usize) -> Vec<usize> {
    let takes_part = |e: usize| {
        let rows = (e..svd.rows()).step_by(n);
        rows.into_iter().any(|i| (rank..svd.rows()).any(|j| svd.u(i, j).abs() > SHARE))
    };
    (0..n).filter(|&e| takes_part(e)).collect()
}
