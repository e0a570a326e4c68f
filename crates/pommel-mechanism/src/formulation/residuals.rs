//! What a solution leaves of sparse equations, row by row.

use pommel_kkt::Pattern;

use super::{CONTRADICTION_TOLERANCE, FormulationError, Method, RANK_TOLERANCE};
use crate::Equations;

/// Residuals of `M q̈ + Φ_qᵀ λ = Q` and of `Φ_q q̈ = γ`, in one pass over the entries.
#[derive(Clone, Debug)]
pub(super) struct Residuals {
    /// row, column, value
    mass: Vec<[u32; 3]>,
    /// for each row of Φ_q where its entries start
    starts: Vec<u32>,
    /// column, value
    jacobian: Vec<[u32; 2]>,
    /// rest and size of the terms of each force
    forces: Vec<[f64; 2]>,
    /// rest, size of the terms and square of the length of each row
    rows: Vec<[f64; 3]>,
    dependent: Vec<bool>,
    left_out: usize,
}

/// What was missed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missed {
    /// The largest residual of a row relative to its terms, without rows that were left out.
    pub(super) backward_error: f64,
    /// The row that is missed most of those that were left out, per length.
    worst: (usize, f64),
    /// By what rows that were left out may be missed.
    limit: f64,
}

impl Residuals {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let mass = pattern.mass_entries().map(|(r, c, v)| [r as u32, c as u32, v as u32]).collect();
        let mut entries: Vec<(usize, usize, usize)> = pattern.jacobian_entries().collect();
        entries.sort_unstable();
        let starts = (0..=m)
            .map(|row| entries.partition_point(|&(r, ..)| r < row) as u32)
            .collect();
        let jacobian = entries.into_iter().map(|(_, c, v)| [c as u32, v as u32]).collect();
        Residuals {
            mass,
            starts,
            jacobian,
            forces: vec![[0.0; 2]; n],
            rows: vec![[0.0; 3]; m],
            dependent: vec![false; m],
            left_out: 0,
        }
    }

    /// Rows that a solution does not heed.
    pub(super) fn leave_out(&mut self, rows: impl Iterator<Item = usize>) {
        if self.left_out > 0 {
            self.dependent.fill(false);
        }
        self.left_out = 0;
        for row in rows {
            self.dependent[row] = true;
            self.left_out += 1;
        }
    }

    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// What `[q̈; λ]` leaves.
    pub(super) fn of(&mut self, equations: &Equations<'_>, solution: &[f64]) -> Missed {
        let Residuals { mass, starts, jacobian, forces, rows, dependent, left_out } = self;
        let (qdd, lambda) = solution.split_at(forces.len());
        for (to, &force) in forces.iter_mut().zip(equations.force) {
            *to = [force, force.abs()];
        }
        for &[row, column, value] in mass.iter() {
            let (row, column, m) = (row as usize, column as usize, equations.mass[value as usize]);
            take(&mut forces[row], m * qdd[column]);
            if row != column {
                take(&mut forces[column], m * qdd[row]);
            }
        }
        for (row, to) in rows.iter_mut().enumerate() {
            let gamma = equations.gamma[row];
            let (mut rest, mut size, mut square) = (gamma, gamma.abs(), 0.0);
            let entries = starts[row] as usize..starts[row + 1] as usize;
            for &[column, value] in &jacobian[entries] {
                let (column, j) = (column as usize, equations.jacobian[value as usize]);
                let term = j * qdd[column];
                rest -= term;
                size += term.abs();
                square += j * j;
                take(&mut forces[column], j * lambda[row]);
            }
            *to = [rest, size, square];
        }
        // rows of nothing but rounding do not count: `n ε` of the largest
        let largest_force = forces.iter().fold(0.0_f64, |most, x| most.max(x[1]));
        let largest_row = rows.iter().fold(0.0_f64, |most, x| most.max(x[1]));
        let share = f64::EPSILON * solution.len() as f64;
        let (floor, row_floor) = (share * largest_force, share * largest_row);
        let mut backward_error = 0.0_f64;
        for [rest, size] in forces.iter() {
            backward_error = worse(backward_error, rest.abs() / size.max(floor).max(SMALL));
        }
        let (mut worst, mut limit) = ((0, 0.0_f64), 0.0);
        if *left_out == 0 {
            for [rest, size, _] in rows.iter() {
                backward_error = worse(backward_error, rest.abs() / size.max(row_floor).max(SMALL));
            }
        } else {
            let (mut asked, mut terms) = (0.0_f64, 0.0_f64);
            for (row, &[rest, size, square]) in rows.iter().enumerate() {
                let square = if square > 0.0 { square } else { 1.0 };
                if dependent[row] {
                    let defect = rest / square.sqrt();
                    if !(defect.abs() <= worst.1.abs()) {
                        worst = (row, defect);
                    }
                } else {
                    let relative = rest.abs() / size.max(row_floor).max(SMALL);
                    backward_error = worse(backward_error, relative);
                }
                let gamma = equations.gamma[row];
                asked = asked.max(gamma * gamma / square);
                terms = terms.max(size * size / square);
            }
            limit = CONTRADICTION_TOLERANCE * asked.sqrt() + 10.0 * RANK_TOLERANCE * terms.sqrt();
        }
        Missed { backward_error, worst, limit }
    }
}

/// Below this, terms are rounded by more than ε.
const SMALL: f64 = f64::MIN_POSITIVE;

/// Takes a term off a rest, and adds its size to those of the terms.
fn take(to: &mut [f64; 2], term: f64) {
    *to = [to[0] - term, to[1] + term.abs()];
}

/// The larger; NaN if one is.
fn worse(a: f64, b: f64) -> f64 {
    if b <= a { a } else if a.is_nan() { a } else { b }
}

impl Missed {
    /// No row contradicts others by more than drift may.
    ///
    /// # Errors
    /// [`FormulationError::Inconsistent`].
    pub(super) fn check(&self, method: Method) -> Result<(), FormulationError> {
        let (row, defect) = self.worst;
        if !(defect.abs() <= self.limit) {
            return Err(FormulationError::Inconsistent { method, row, defect });
        }
        Ok(())
    }
}
