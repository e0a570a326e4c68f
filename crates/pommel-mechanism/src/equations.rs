//! The equations of motion at one state, as numbers.

use pommel_kkt::{Pattern, Values};

use crate::formulation::rank_tolerance;

/// `M q̈ + Φ_qᵀ λ = Q`, `Φ_q q̈ = γ` at one state.
///
/// `n` unknowns, `m` rows. Values of M and Φ_q stand where the pattern's builder said.
#[derive(Clone, Copy, Debug)]
pub struct Equations<'a, T = f64> {
    /// Where M and Φ_q have entries.
    pub pattern: &'a Pattern,
    /// Values of M, length [`Pattern::mass_len`]; kg, kg·m².
    pub mass: &'a [T],
    /// Values of Φ_q, length [`Pattern::jacobian_len`].
    pub jacobian: &'a [T],
    /// Q, length n; N, N·m.
    pub force: &'a [T],
    /// γ, length m.
    pub gamma: &'a [T],
    /// Φ, what the state violates the constraints by, length m; empty if it does not. Rows that depend
    /// on others at a state that holds the constraints do so only to about Φ at one that has drifted
    /// off them: ranks are judged by it ([`Equations::rank_tolerance`]).
    pub phi: &'a [T],
    /// What the velocity of each unknown is multiplied by to be one of turns, length n: 1 for turns, the inverse
    /// of a length that is typical for the mechanism for displacements; empty if all are alike. Ranks are
    /// judged by rows in these terms, so that units do not matter.
    pub scales: &'a [f64],
    /// The state that the numbers belong to, for methods in other coordinates.
    pub state: Option<State<'a, T>>,
}

/// A state in absolute coordinates.
#[derive(Clone, Copy, Debug)]
pub struct State<'a, T = f64> {
    /// s.
    pub time: T,
    /// Coordinates; m, rad, unit quaternions.
    pub q: &'a [T],
    /// Velocities; m/s, rad/s.
    pub v: &'a [T],
}

impl<'a, T> Equations<'a, T> {
    /// M and Φ_q as `pommel-kkt` takes them.
    pub fn values(&self) -> Values<'a, T> {
        Values::new(self.mass, self.jacobian)
    }
}

impl<T> Equations<'_, T> {
    /// What a velocity is multiplied by to be one of turns.
    #[inline(always)]
    pub(crate) fn scale(&self, unknown: usize) -> f64 {
        self.scales.get(unknown).copied().unwrap_or(1.0)
    }
}

impl Equations<'_> {
    /// What is left of a row of unit length beside other rows counts as nothing below this: the larger of
    /// [`RANK_TOLERANCE`](crate::formulation::RANK_TOLERANCE) and
    /// [`DRIFT_FACTOR`](crate::formulation::DRIFT_FACTOR) times the largest `|Φ|` per length of its row
    /// of Φ_q, at most [`COARSEST`](crate::formulation::COARSEST), where unknowns count by their
    /// [`scales`](Equations::scales). No unit; `phi` that is empty gives the first.
    ///
    /// # Panics
    /// If a slice has another length than the equations say.
    pub fn rank_tolerance(&self) -> f64 {
        let mut squares = vec![0.0; self.pattern.rows()];
        for (row, column, value) in self.pattern.jacobian_entries() {
            let entry = self.jacobian[value] / self.scale(column);
            squares[row] += entry * entry;
        }
        rank_tolerance(self.phi, |row| squares[row])
    }

    /// The largest residual of `M q̈ + Φ_qᵀ λ = Q` and of `Φ_q q̈ = γ`, each relative to the largest
    /// term of its rows.
    ///
    /// # Panics
    /// If a slice has another length than the equations say.
    pub fn residual(&self, qdd: &[f64], lambda: &[f64]) -> f64 {
        let (n, m) = (self.pattern.unknowns(), self.pattern.rows());
        assert_eq!((qdd.len(), lambda.len()), (n, m), "as many accelerations and multipliers");
        let mut forces = Rest::new(self.force);
        for (row, column, value) in self.pattern.mass_entries() {
            forces.add(row, self.mass[value] * qdd[column]);
            if row != column {
                forces.add(column, self.mass[value] * qdd[row]);
            }
        }
        let mut rows = Rest::new(self.gamma);
        for (row, column, value) in self.pattern.jacobian_entries() {
            forces.add(column, self.jacobian[value] * lambda[row]);
            rows.add(row, self.jacobian[value] * qdd[column]);
        }
        forces.relative().max(rows.relative())
    }
}

/// What is left of a right-hand side.
struct Rest {
    rest: Vec<f64>,
    largest: f64,
}

impl Rest {
    fn new(rhs: &[f64]) -> Self {
        let largest = rhs.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        Rest { rest: rhs.to_vec(), largest }
    }

    fn add(&mut self, row: usize, term: f64) {
        self.rest[row] -= term;
        self.largest = self.largest.max(term.abs());
    }

    fn relative(&self) -> f64 {
        let worst =
            self.rest.iter().fold(0.0_f64, |m, x| if x.is_nan() { *x } else { m.max(x.abs()) });
        if self.largest > 0.0 { worst / self.largest } else { worst }
    }
}
