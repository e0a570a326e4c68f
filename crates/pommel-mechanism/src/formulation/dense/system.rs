//! The equations with rows of unit length.

use pommel_kkt::Pattern;

use super::super::{
    CONTRADICTION_TOLERANCE, FormulationError, Method, RANK_TOLERANCE, rank_tolerance,
};
use super::{Mass, Matrix, dot};
use crate::Equations;

/// Lengths are those of the pattern, numbers are finite.
///
/// # Errors
/// [`FormulationError::NotFinite`].
///
/// # Panics
/// If a length is another.
#[track_caller]
pub(in crate::formulation) fn check_equations(
    equations: &Equations<'_>,
    qdd: &[f64],
    lambda: &[f64],
) -> Result<(), FormulationError> {
    let pattern = equations.pattern;
    let (n, m) = (pattern.unknowns(), pattern.rows());
    for (array, expected, found) in [
        ("mass", pattern.mass_len(), equations.mass.len()),
        ("jacobian", pattern.jacobian_len(), equations.jacobian.len()),
        ("force", n, equations.force.len()),
        ("gamma", m, equations.gamma.len()),
        ("qdd", n, qdd.len()),
        ("lambda", m, lambda.len()),
    ] {
        assert_eq!(found, expected, "{array} has {found} entries, not {expected}");
    }
    let phi = equations.phi.len();
    assert!(phi == 0 || phi == m, "phi has {phi} entries, not {m} or none");
    let broken = |values: &[f64], index: usize| !values[index].is_finite();
    let not_finite = |array, index| Err(FormulationError::NotFinite { array, index });
    let mut places = pattern.mass_entries().map(|(.., index)| index);
    if let Some(index) = places.find(|&i| broken(equations.mass, i)) {
        return not_finite("mass", index);
    }
    let mut places = pattern.jacobian_entries().map(|(.., index)| index);
    if let Some(index) = places.find(|&i| broken(equations.jacobian, i)) {
        return not_finite("jacobian", index);
    }
    let (force, gamma, phi) = (equations.force, equations.gamma, equations.phi);
    for (array, values) in [("force", force), ("gamma", gamma), ("phi", phi)] {
        if let Some(index) = values.iter().position(|x| !x.is_finite()) {
            return not_finite(array, index);
        }
    }
    Ok(())
}

/// Equations as dense numbers. Unknowns are taken times the [`scales`](Equations::scales) of
/// the equations, as turns. Every row of Φ_q, and its entry of γ, is then divided by
/// its length. So units do not matter, and multipliers are those of the rows times their lengths.
#[derive(Clone, Debug)]
pub(in crate::formulation) struct System {
    pub(in crate::formulation) mass: Mass,
    /// `Φ_qᵀ`, n × m: a row of Φ_q is a column here. Its numbers are Φ_q row by row.
    pub(in crate::formulation) rows: Matrix,
    /// Lengths of the rows; 1 where a row is zero.
    pub(in crate::formulation) length: Vec<f64>,
    /// What accelerations are divided by in the end.
    pub(in crate::formulation) unit: Vec<f64>,
    pub(in crate::formulation) force: Vec<f64>,
    pub(in crate::formulation) gamma: Vec<f64>,
    /// What counts as nothing of a row beside others.
    pub(in crate::formulation) rank_tolerance: f64,
}

impl System {
    pub(in crate::formulation) fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        System {
            mass: Mass::new(pattern),
            rows: Matrix::new(n, m),
            length: vec![0.0; m],
            unit: vec![1.0; n],
            force: vec![0.0; n],
            gamma: vec![0.0; m],
            rank_tolerance: RANK_TOLERANCE,
        }
    }

    pub(in crate::formulation) fn n(&self) -> usize {
        self.force.len()
    }

    pub(in crate::formulation) fn m(&self) -> usize {
        self.gamma.len()
    }

    /// Takes numbers that were checked.
    pub(in crate::formulation) fn fill(&mut self, equations: &Equations<'_>) {
        self.unit.iter_mut().enumerate().for_each(|(j, unit)| *unit = equations.scale(j));
        self.mass.fill(equations.mass, &self.unit);
        self.rows.data_mut().fill(0.0);
        for (row, column, index) in equations.pattern.jacobian_entries() {
            self.rows[(column, row)] = equations.jacobian[index] / self.unit[column];
        }
        let forces = equations.force.iter().zip(&self.unit);
        self.force.iter_mut().zip(forces).for_each(|(to, (f, unit))| *to = f / unit);
        for i in 0..self.gamma.len() {
            let row = self.rows.column_mut(i);
            let largest = super::largest(row);
            self.length[i] = 1.0;
            if largest > 0.0 {
                // squares neither overflow nor vanish
                row.iter_mut().for_each(|x| *x /= largest);
                let length = dot(row, row).sqrt();
                row.iter_mut().for_each(|x| *x /= length);
                self.length[i] = length * largest;
            }
            self.gamma[i] = equations.gamma[i] / self.length[i];
        }
        let square = |row: usize| self.length[row] * self.length[row];
        self.rank_tolerance = rank_tolerance(equations.phi, square);
    }

    /// `r ← Q − M q̈`.
    pub(in crate::formulation) fn inertial_rest(&self, force: &[f64], qdd: &[f64], r: &mut [f64]) {
        r.copy_from_slice(force);
        self.mass.add_product(-1.0, qdd, r);
    }

    /// `r ← γ − Φ_q q̈`.
    pub(in crate::formulation) fn constraint_rest(&self, qdd: &[f64], r: &mut [f64]) {
        for (i, r) in r.iter_mut().enumerate() {
            *r = self.gamma[i] - dot(self.rows.column(i), qdd);
        }
    }
}

/// Memory of the check that rows hold.
#[derive(Clone, Debug)]
pub(in crate::formulation) struct RowCheck {
    /// Square of the length of every row, its product with q̈, and the sum of its terms' sizes.
    sums: Vec<[f64; 3]>,
    /// places of the diagonal of M: unknown, value
    diagonal: Vec<(usize, usize)>,
}

impl RowCheck {
    pub(in crate::formulation) fn new(pattern: &Pattern) -> Self {
        let diagonal = pattern.mass_entries().filter(|(row, column, _)| row == column);
        RowCheck {
            sums: vec![[0.0; 3]; pattern.rows()],
            diagonal: diagonal.map(|(row, _, value)| (row, value)).collect(),
        }
    }

    /// The threshold for ranks of these equations.
    pub(in crate::formulation) fn rank_tolerance(&mut self, equations: &Equations<'_>) -> f64 {
        if equations.phi.is_empty() {
            return RANK_TOLERANCE;
        }
        self.sums.fill([0.0; 3]);
        for (row, column, index) in equations.pattern.jacobian_entries() {
            let entry = equations.jacobian[index] / equations.scale(column);
            self.sums[row][0] += entry * entry;
        }
        rank_tolerance(equations.phi, |row| self.sums[row][0])
    }

    /// Solutions are finite, and no row contradicts others by more than drift may: `hold_to` of the terms,
    /// or ten times the threshold for ranks where that is more and the method exact.
    ///
    /// # Errors
    /// [`FormulationError::NotFinite`], [`FormulationError::Inconsistent`].
    pub(in crate::formulation) fn check(
        &mut self,
        equations: &Equations<'_>,
        qdd: &[f64],
        lambda: &[f64],
        method: Method,
        hold_to: f64,
    ) -> Result<(), FormulationError> {
        for (array, values) in [("qdd", qdd), ("lambda", lambda)] {
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                return Err(FormulationError::NotFinite { array, index });
            }
        }
        self.sums.fill([0.0; 3]);
        for (row, column, index) in equations.pattern.jacobian_entries() {
            let sums = &mut self.sums[row];
            let term = equations.jacobian[index] * qdd[column];
            let x = equations.jacobian[index] / equations.scale(column);
            *sums = [sums[0] + x * x, sums[1] + term, sums[2] + term.abs()];
        }
        let square = |row: usize| self.sums[row][0];
        let hold_to = match method.is_exact() {
            true => hold_to.max(10.0 * rank_tolerance(equations.phi, square)),
            false => hold_to,
        };
        let (mut worst, mut asked, mut terms) = ((0, 0.0_f64), 0.0_f64, 0.0_f64);
        for (i, sums) in self.sums.iter().enumerate() {
            let length = if sums[0] > 0.0 { sums[0].sqrt() } else { 1.0 };
            let gamma = equations.gamma[i];
            let defect = (gamma - sums[1]) / length;
            if defect.abs() > worst.1.abs() {
                worst = (i, defect);
            }
            asked = asked.max(gamma.abs() / length);
            terms = terms.max(sums[2] / length);
        }
        let (row, defect) = worst;
        let terms = terms.max(self.unconstrained(equations));
        if defect.abs() > CONTRADICTION_TOLERANCE * asked + hold_to * terms {
            return Err(FormulationError::Inconsistent { method, row, defect });
        }
        Ok(())
    }

    /// The largest acceleration that forces would give bodies alone: in equilibrium, accelerations are
    /// what rounding leaves of these.
    fn unconstrained(&self, equations: &Equations<'_>) -> f64 {
        let of = |&(unknown, value): &(usize, usize)| {
            let m = equations.mass[value];
            if m > 0.0 {
                equations.scale(unknown) * equations.force[unknown].abs() / m
            } else {
                0.0
            }
        };
        self.diagonal.iter().map(of).fold(0.0, f64::max)
    }
}
