//! Coordinate partitioning: Gaussian elimination with full pivoting tells dependent coordinates `u`
//! from independent ones `v`, and independent rows from the others.
//!
//! Simple partitioning solves the saddle-point system of the independent rows. Full partitioning
//! solves for `v̈` alone, `M̂ v̈ = Q̂` \[dFGP08, eqs. 7 to 9\], \[Som12\]:
//!
//! ```text
//! M̂ = M_vv − M_vu B − Bᵀ (M_uv − M_uu B),   B = Φ_u⁻¹ Φ_v
//! Q̂ = Q_v − M_vu c − Bᵀ (Q_u − M_uu c),     c = Φ_u⁻¹ γ
//! ```
//!
//! With `V = [−B; I]` and `s = [c; 0]` these are `Vᵀ M V` and `Vᵀ (Q − M s)` \[dFGP08, eq. 13\]: the
//! method is one of null spaces, with a basis that is not orthogonal, and runs as one. In these
//! sources `Φ_u` stands for its r independent rows; the multipliers of the others are zero.

use pommel_kkt::Pattern;

use super::dense::{Matrix, System};
use super::driver::{Solver, formulations};
use super::null_space::{Basis, NullSpace};
use super::{FormulationError, INERTIA_TOLERANCE, Method};
use crate::Equations;
use crate::linear::{Crout, Gaussian, LinearError, Pivoting};

/// Finds the partition, by the threshold for ranks relative to the first pivot.
fn partition(
    method: Method,
    gaussian: &mut Gaussian,
    system: &System,
) -> Result<usize, FormulationError> {
    let tolerance = system.rank_tolerance;
    let found = gaussian.eliminate(system.rows.data(), &[], Pivoting::Full, tolerance);
    found.map_err(|error| FormulationError::Elimination { method, error })
}

/// `[−Φ_u⁻¹ Φ_v; I]`.
#[derive(Debug)]
pub(super) struct Partition {
    gaussian: Gaussian,
    v: Matrix,
    scratch: Vec<f64>,
}

impl Basis for Partition {
    const METHOD: Method = Method::CoordinatePartitioning;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        Partition {
            gaussian: Gaussian::new(m, n, 0),
            v: Matrix::new(n, n),
            scratch: vec![0.0; n.min(m)],
        }
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        let rank = partition(Self::METHOD, &mut self.gaussian, system)?;
        self.v.reshape(system.n(), system.n() - rank);
        for (k, &independent) in self.gaussian.independent().iter().enumerate() {
            let column = self.v.column_mut(k);
            column.fill(0.0);
            column[independent] = 1.0;
            self.gaussian.solve_homogeneous(column);
        }
        Ok(rank)
    }

    fn free(&self) -> &[f64] {
        self.v.data()
    }

    fn particular(&mut self, _: &System, gamma: &[f64], s: &mut [f64]) {
        let c = &mut self.scratch[..self.gaussian.rank()];
        c.iter_mut().zip(self.gaussian.independent_rows()).for_each(|(c, &i)| *c = gamma[i]);
        self.gaussian.solve_dependent(c);
        s.fill(0.0);
        c.iter().zip(self.gaussian.dependent()).for_each(|(c, &j)| s[j] = *c);
    }

    fn multipliers(&mut self, _: &System, f: &[f64], lambda: &mut [f64]) {
        let y = &mut self.scratch[..self.gaussian.rank()];
        y.iter_mut().zip(self.gaussian.dependent()).for_each(|(y, &j)| *y = f[j]);
        self.gaussian.solve_dependent_transposed(y);
        lambda.fill(0.0);
        y.iter().zip(self.gaussian.independent_rows()).for_each(|(y, &i)| lambda[i] = *y);
    }
}

/// The saddle-point system of the independent rows.
#[derive(Debug)]
pub(super) struct IndependentRows {
    gaussian: Gaussian,
    /// Row by row; masses in units of the largest.
    matrix: Vec<f64>,
    unit: f64,
    factor: Crout,
    b: Vec<f64>,
}

impl Solver for IndependentRows {
    const METHOD: Method = Method::SimplePartitioning;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let size = n + n.min(m);
        IndependentRows {
            gaussian: Gaussian::new(m, n, 0),
            matrix: vec![0.0; size * size],
            unit: 1.0,
            factor: Crout::new(size),
            b: vec![0.0; size],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        let n = system.n();
        let rank = partition(Self::METHOD, &mut self.gaussian, system)?;
        let size = n + rank;
        let largest = system.mass.largest();
        self.unit = if largest > 0.0 { largest } else { 1.0 };
        let matrix = &mut self.matrix[..size * size];
        matrix.fill(0.0);
        for (i, j, value) in system.mass.entries() {
            matrix[i * size + j] = value / self.unit;
            matrix[j * size + i] = value / self.unit;
        }
        for (k, &row) in self.gaussian.independent_rows().iter().enumerate() {
            let row = system.rows.column(row);
            matrix[(n + k) * size..(n + k) * size + n].copy_from_slice(row);
            (0..n).for_each(|j| matrix[j * size + n + k] = row[j]);
        }
        self.factor.resize(size);
        if self.factor.factorize(matrix, Pivoting::Row, INERTIA_TOLERANCE).is_ok() {
            return Ok(Some(rank));
        }
        // what is missing is told by full pivoting
        match self.factor.factorize(matrix, Pivoting::Full, INERTIA_TOLERANCE) {
            Err(LinearError::Singular { rank: found, .. }) => {
                let dimension = n - rank;
                let positive = dimension.saturating_sub(size - found);
                let method = Self::METHOD;
                Err(FormulationError::MotionWithoutInertia { method, dimension, positive })
            }
            _ => Ok(Some(rank)),
        }
    }

    fn apply(
        &mut self,
        system: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let (n, rows) = (system.n(), self.gaussian.independent_rows());
        let b = &mut self.b[..n + rows.len()];
        b.iter_mut().zip(force).for_each(|(b, f)| *b = f / self.unit);
        b[n..].iter_mut().zip(rows).for_each(|(b, &i)| *b = gamma[i]);
        self.factor.solve(b);
        qdd.copy_from_slice(&b[..n]);
        lambda.fill(0.0);
        b[n..].iter().zip(rows).for_each(|(b, &i)| lambda[i] = b * self.unit);
        Ok(())
    }
}

formulations! {
    /// Full partitioning: equations of the independent coordinates alone \[dFGP08, eqs. 7 to 9\].
    ///
    /// Costs an elimination of m × n with full pivoting and a Cholesky factor of the freedoms. M
    /// may be singular as long as the reduced mass matrix is not.
    CoordinatePartitioning(NullSpace<Partition>);

    /// Simple partitioning: all accelerations from the saddle-point system of the independent rows
    /// `[Som12]`.
    ///
    /// Costs an elimination of m × n with full pivoting and an `L U` factor of (n + r) × (n + r). M
    /// may be singular; one that is not positive on what the rows leave free is not noticed.
    SimplePartitioning(IndependentRows);
}
