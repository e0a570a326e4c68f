//! Gauss-Newton on a derivative array, for consistent values near a guess.

use super::array::DerivativeArray;
use super::error::RankError;
use super::rank::{Scales, Svd};
use super::{Dae, DaeError};

/// What a change of a component of y weighs against one of a derivative, so that guesses are kept rather
/// than derivatives: the change of y is the least possible to the square of this.
const WEIGHT: f64 = 1e-3;

/// Singular values below this are left out of a step.
const TRUNCATION: f64 = 1e-11;

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

impl<D: Dae> Search<'_, D> {
    /// Changes `c` to consistent values, and leaves J of them in the array.
    ///
    /// # Errors
    /// [`DaeError::NonFinite`] at the guess; [`DaeError::Singular`], [`DaeError::Contradiction`], or
    /// [`DaeError::NoConsistentState`] if there is no other explanation.
    pub(super) fn run(
        &self,
        array: &mut DerivativeArray,
        c: &mut [f64],
    ) -> Result<(), DaeError> {
        let (n, m) = (array.n(), array.rows());
        let columns: Vec<usize> = (0..n).filter(|&j| !self.held[j]).chain(n..n + m).collect();
        let mut scales = Scales::new(m, columns.len());
        let mut svd = Svd::new(m, columns.len());
        let (mut step, mut trial) = (vec![0.0; n + m], c.to_vec());
        let norm = |array: &DerivativeArray, scales: &Scales| {
            let rows = array.residual().iter().zip(&scales.rows);
            rows.map(|(r, s)| (r * s) * (r * s)).sum::<f64>().sqrt()
        };
        for _ in 0..self.iterations {
            array.evaluate(self.dae, self.t, c, true)?;
            scales.fit(|i, j| array.jacobian(i, columns[j]));
            let before = norm(array, &scales);
            let weight = |j: usize| if columns[j] < n { WEIGHT } else { 1.0 };
            let factor = |j: usize| weight(j) * scales.columns[j];
            svd.decompose(|i, j| scales.rows[i] * array.jacobian(i, columns[j]) * factor(j))
                .map_err(|error| error.at(self.t))?;
            let rhs = |i: usize| scales.rows[i] * array.residual()[i];
            step.fill(0.0);
            shortest(&svd, rhs, |j, x| step[columns[j]] = factor(j) * x);
            let (mut change, mut size) = (0.0_f64, 1.0_f64);
            for (j, &column) in columns.iter().enumerate() {
                change = change.max((step[column] / scales.columns[j]).abs());
                size = size.max((c[column] / scales.columns[j]).abs());
            }
            let mut length = 1.0;
            let accepted = loop {
                let moved = c.iter().zip(&step).map(|(c, s)| c - length * s);
                trial.iter_mut().zip(moved).for_each(|(trial, moved)| *trial = moved);
                let finite = array.evaluate(self.dae, self.t, &trial, false).is_ok();
                let rounding = before <= 1e-12 * size && change <= 1e-6 * size;
                if finite && (rounding || norm(array, &scales) <= (1.0 - 0.1 * length) * before) {
                    break true;
                }
                length *= 0.5;
                if length < 1e-3 {
                    break false;
                }
            };
            let small = norm(array, &scales) <= RESIDUAL * size;
            if !accepted {
                break;
            }
            c.copy_from_slice(&trial);
            if change <= LAST_CHANGE * size && small {
                array.evaluate(self.dae, self.t, c, true)?;
                return self.check_regular(array);
            }
        }
        array.evaluate(self.dae, self.t, c, true)?;
        self.check_regular(array)?;
        Err(self.explain(array, &columns))
    }

    /// Whether J has full row rank.
    fn check_regular(&self, array: &DerivativeArray) -> Result<(), DaeError> {
        let (n, m, order) = (array.n(), array.rows(), array.order());
        let svd = scaled(array, &(0..n + m).collect::<Vec<_>>()).map_err(|e| e.at(self.t))?.0;
        let rank = svd.rank(self.tolerance, order).map_err(|error| error.at(self.t))?;
        if rank == m {
            return Ok(());
        }
        let equations = involved(&svd, rank, n);
        // what the array leaves open of y'
        let b = scaled(array, &(n..n + m).collect::<Vec<_>>()).map_err(|e| e.at(self.t))?.0;
        let first = b.count_above(self.tolerance);
        let open = |v: usize| (first..m).any(|j| b.v(v, j).abs() > SHARE);
        let components = (0..n).filter(|&v| open(v)).collect();
        Err(DaeError::Singular { t: self.t, order, equations, components })
    }

    /// Why no consistent values were found, for a J of full row rank.
    fn explain(&self, array: &DerivativeArray, columns: &[usize]) -> DaeError {
        let (n, t, order) = (array.n(), self.t, array.order());
        let (svd, scales) = match scaled(array, columns) {
            Ok(found) => found,
            Err(error) => return error.at(t),
        };
        let rank = svd.count_above(self.tolerance);
        if rank < array.rows() {
            let share = |v: usize| {
                let product = |j: usize| {
                    let rows = (0..array.rows()).map(|i| (i, svd.u(i, j) * scales.rows[i]));
                    rows.map(|(i, u)| u * array.jacobian(i, v)).sum::<f64>()
                };
                (rank..array.rows()).any(|j| product(j).abs() > SHARE)
            };
            let components = (0..n).filter(|&v| self.held[v] && share(v)).collect();
            let equations = involved(&svd, rank, n);
            return DaeError::Contradiction { t, components, equations };
        }
        let sizes = array.residual().iter().zip(&scales.rows).map(|(r, s)| (r * s).abs());
        let (row, residual) = sizes.enumerate().fold((0, 0.0), |worst, (row, size)| {
            if size > worst.1 { (row, size) } else { worst }
        });
        DaeError::NoConsistentState { t, order, equation: row % n, residual }
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
fn scaled(array: &DerivativeArray, columns: &[usize]) -> Result<(Svd, Scales), RankError> {
    let mut scales = Scales::new(array.rows(), columns.len());
    // rows keep the scale that all of J gives them: what stands in few columns may be rounding
    let mut of_all = Scales::new(array.rows(), array.rows() + array.n());
    of_all.fit(|i, j| array.jacobian(i, j));
    for (j, &column) in columns.iter().enumerate() {
        scales.columns[j] = of_all.columns[column];
    }
    scales.rows = of_all.rows;
    let mut svd = Svd::new(array.rows(), columns.len());
    let (rows, factors) = (&scales.rows, &scales.columns);
    svd.decompose(|i, j| rows[i] * array.jacobian(i, columns[j]) * factors[j])?;
    Ok((svd, scales))
}

/// Equations that take part in left null vectors.
fn involved(svd: &Svd, rank: usize, n: usize) -> Vec<usize> {
    let takes_part = |e: usize| {
        let rows = (e..svd.rows()).step_by(n);
        rows.into_iter().any(|i| (rank..svd.rows()).any(|j| svd.u(i, j).abs() > SHARE))
    };
    (0..n).filter(|&e| takes_part(e)).collect()
}
