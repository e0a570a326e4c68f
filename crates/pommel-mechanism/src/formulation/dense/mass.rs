//! The mass matrix by its entries, and its Cholesky factor within their envelope.

use pommel_kkt::Pattern;

use super::super::{FormulationError, Method};
use super::{add_scaled, dot};

/// Entries of M on and below its diagonal, with their values.
#[derive(Clone, Debug)]
pub(in crate::formulation) struct Mass {
    entries: Vec<Entry>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    /// The body of every unknown.
    body: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    row: usize,
    column: usize,
    /// Which of the caller's values.
    index: usize,
}

impl Mass {
    pub(in crate::formulation) fn new(pattern: &Pattern) -> Self {
        let entries: Vec<Entry> = (pattern.mass_entries())
            .map(|(row, column, index)| Entry { row, column, index })
            .collect();
        let bodies = (0..pattern.body_count()).flat_map(|i| pattern.body(i).map(move |_| i));
        Mass {
            values: vec![0.0; entries.len()],
            entries,
            diagonal: vec![0.0; pattern.unknowns()],
            body: bodies.collect(),
        }
    }

    /// The matrix of unknowns that are multiplied by `unit`.
    pub(super) fn fill(&mut self, values: &[f64], unit: &[f64]) {
        self.diagonal.fill(0.0);
        for (entry, value) in self.entries.iter().zip(&mut self.values) {
            *value = values[entry.index] / (unit[entry.row] * unit[entry.column]);
            if entry.row == entry.column {
                self.diagonal[entry.row] = *value;
            }
        }
    }

    pub(in crate::formulation) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The largest entry of the diagonal: of a positive semidefinite matrix, the largest of all.
    pub(in crate::formulation) fn largest(&self) -> f64 {
        super::largest(&self.diagonal)
    }

    /// Row, column and value of the entries on and below the diagonal.
    pub(in crate::formulation) fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.entries.iter().zip(&self.values).map(|(e, value)| (e.row, e.column, *value))
    }

    /// `y ← y + s M x`.
    pub(in crate::formulation) fn add_product(&self, s: f64, x: &[f64], y: &mut [f64]) {
        for (i, j, value) in self.entries() {
            y[i] += s * value * x[j];
            if i != j {
                y[j] += s * value * x[i];
            }
        }
    }
}

/// `M = L Lᵀ` within the envelope of M: from the first entry of every row to the diagonal.
///
/// Only a diagonal M, blocks of bodies, and dense matrices matter here, and an envelope suits them
/// all: for blocks it is the lower triangle of each.
#[derive(Clone, Debug)]
pub(in crate::formulation) struct MassFactor {
    /// Column of the first entry of every row.
    first: Vec<usize>,
    /// Where each row starts in `l`.
    start: Vec<usize>,
    l: Vec<f64>,
}

/// A pivot that is smaller than this part of its entry of M counts as zero.
const VANISHES: f64 = 1e-14;

impl MassFactor {
    pub(in crate::formulation) fn new(pattern: &Pattern) -> Self {
        let mut first: Vec<usize> = (0..pattern.unknowns()).collect();
        for (row, column, _) in pattern.mass_entries() {
            first[row] = first[row].min(column);
        }
        let (mut start, mut length) = (Vec::with_capacity(first.len()), 0);
        for (row, first) in first.iter().enumerate() {
            start.push(length);
            length += row + 1 - first;
        }
        MassFactor { first, start, l: vec![0.0; length] }
    }

    /// The entries of a row from `first` to before the diagonal, and the diagonal.
    fn row(&self, i: usize) -> (&[f64], f64) {
        let (at, length) = (self.start[i], i - self.first[i]);
        (&self.l[at..at + length], self.l[at + length])
    }

    /// # Errors
    /// [`FormulationError::MassNotPositive`].
    pub(in crate::formulation) fn factorize(
        &mut self,
        mass: &Mass,
        method: Method,
    ) -> Result<(), FormulationError> {
        self.l.fill(0.0);
        for (i, j, value) in mass.entries() {
            self.l[self.start[i] + j - self.first[i]] = value;
        }
        for i in 0..self.first.len() {
            let (first, at) = (self.first[i], self.start[i]);
            let (done, rest) = self.l.split_at_mut(at);
            for j in first..i {
                // l_ij = (m_ij − Σ l_ik l_jk) / l_jj
                let (first_j, at_j) = (self.first[j], self.start[j]);
                let k = first.max(first_j);
                let known = &done[at_j + k - first_j..at_j + j - first_j];
                let sum = dot(&rest[k - first..j - first], known);
                rest[j - first] = (rest[j - first] - sum) / done[at_j + j - first_j];
            }
            let (row, diagonal) = rest.split_at_mut(i - first);
            let pivot = diagonal[0] - dot(row, row);
            if pivot.partial_cmp(&(VANISHES * diagonal[0].abs()))
                != Some(core::cmp::Ordering::Greater)
            {
                return Err(FormulationError::MassNotPositive { method, body: mass.body[i] });
            }
            diagonal[0] = pivot.sqrt();
        }
        Ok(())
    }

    /// `b ← L⁻¹ b`.
    pub(in crate::formulation) fn solve_lower(&self, b: &mut [f64]) {
        for i in 0..b.len() {
            let (row, diagonal) = self.row(i);
            b[i] = (b[i] - dot(row, &b[self.first[i]..i])) / diagonal;
        }
    }

    /// `b ← L⁻ᵀ b`.
    pub(in crate::formulation) fn solve_upper(&self, b: &mut [f64]) {
        for i in (0..b.len()).rev() {
            let (row, diagonal) = self.row(i);
            b[i] /= diagonal;
            let x = b[i];
            add_scaled(&mut b[self.first[i]..i], -x, row);
        }
    }
}
