//! What a solution leaves of sparse equations, row by row.

use pommel_kkt::Pattern;

use super::{CONTRADICTION_TOLERANCE, FormulationError, Method, rank_tolerance};
use crate::Equations;

/// Inertias that differ by more make rows of so different sizes that the small ones suffer where no pivot is poor.
const TAME: f64 = 1e6;

/// Residuals of `M q̈ + Φ_qᵀ λ = Q` and of `Φ_q q̈ = γ`, in one pass over the entries.
#[derive(Clone, Debug)]
pub(super) struct Residuals {
    /// row, column, value
    mass: Vec<[u32; 3]>,
    /// whether M has no entries beside the diagonal
    diagonal: bool,
    /// for each row of Φ_q where its entries start
    starts: Vec<u32>,
    /// column, value
    jacobian: Vec<[u32; 2]>,
    /// the same by columns: where their entries start; row, value
    column_starts: Vec<u32>,
    by_columns: Vec<[u32; 2]>,
    /// the scales of the equations, and for each entry what its square is multiplied by
    scales: Vec<f64>,
    weights: Vec<f64>,
    /// what inertias of unknowns are multiplied by to be those of turns
    inertia_weights: Vec<f64>,
    /// what is left of each force, then of each row
    rest: Vec<f64>,
    /// sizes of their terms
    size: Vec<f64>,
    /// `rest` without the rows that were left out
    kept: Vec<f64>,
    unknowns: usize,
    /// rows that were left out because they depend on others
    dependent: Vec<usize>,
}

impl Residuals {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let mass: Vec<[u32; 3]> =
            pattern.mass_entries().map(|(r, c, v)| [r as u32, c as u32, v as u32]).collect();
        let mut entries: Vec<(usize, usize, usize)> = pattern.jacobian_entries().collect();
        entries.sort_unstable();
        let starts =
            (0..=m).map(|row| entries.partition_point(|&(r, ..)| r < row) as u32).collect();
        let jacobian: Vec<[u32; 2]> =
            entries.iter().map(|&(_, c, v)| [c as u32, v as u32]).collect();
        entries.sort_unstable_by_key(|&(r, c, _)| (c, r));
        let column_starts =
            (0..=n).map(|column| entries.partition_point(|e| e.1 < column) as u32).collect();
        let by_columns = entries.iter().map(|&(r, _, v)| [r as u32, v as u32]).collect();
        Residuals {
            diagonal: mass.iter().all(|[row, column, _]| row == column) && mass.len() == n,
            mass,
            starts,
            column_starts,
            by_columns,
            scales: Vec::with_capacity(n),
            weights: vec![1.0; jacobian.len()],
            inertia_weights: vec![1.0; n],
            jacobian,
            rest: vec![0.0; n + m],
            size: vec![0.0; n + m],
            kept: vec![0.0; n + m],
            unknowns: n,
            dependent: Vec::with_capacity(m),
        }
    }

    /// Rows that a solution does not heed.
    pub(super) fn leave_out(&mut self, rows: impl Iterator<Item = usize>) {
        self.dependent.clear();
        self.dependent.extend(rows);
    }

    pub(super) fn left_out(&self) -> usize {
        self.dependent.len()
    }

    /// Whether M is diagonal with positive numbers.
    pub(super) fn mass_is_positive(&self, equations: &Equations<'_>) -> bool {
        self.diagonal && equations.mass.iter().all(|&mass| mass > 0.0)
    }

    /// Whether the diagonal of M has positive numbers of like size: none is more than [`TAME`] times another,
    /// displacements as turns.
    pub(super) fn mass_is_tame(&self, equations: &Equations<'_>) -> bool {
        let (mut positive, mut least, mut most) = (true, f64::INFINITY, 0.0_f64);
        for &[row, _, value] in self.mass.iter().filter(|[row, column, _]| row == column) {
            let inertia = equations.mass[value as usize] * self.inertia_weights[row as usize];
            positive &= inertia > 0.0;
            (least, most) = (least.min(inertia), most.max(inertia));
        }
        positive && most <= TAME * least
    }

    /// The largest residual of a row relative to its terms, without rows that were left out; zero if
    /// none is above `good`.
    ///
    /// Rows of nothing but rounding do not count: terms are taken for at least `N ε` of the largest.
    pub(super) fn of(&mut self, equations: &Equations<'_>, solution: &[f64], good: f64) -> f64 {
        self.pass(equations, solution);
        let share = f64::EPSILON * solution.len() as f64;
        let n = self.unknowns;
        // a row that was left out is checked by itself
        for &row in &self.dependent {
            self.kept[n + row] = 0.0;
        }
        let mut worst = 0.0_f64;
        for part in [0..n, n..self.rest.len()] {
            let (rest, size) = (&self.kept[part.clone()], &self.size[part]);
            let largest = size.iter().fold(0.0_f64, |most, x| most.max(*x));
            let floor = (share * largest).max(f64::MIN_POSITIVE);
            let terms = rest.iter().zip(size);
            let is_good = |all: bool, (rest, size): (&f64, &f64)| {
                all & (rest.abs() <= good * size.max(floor))
            };
            if !terms.clone().fold(true, is_good) {
                worst = terms.fold(worst, |worst, (r, s)| worse(worst, r.abs() / s.max(floor)));
            }
        }
        worst
    }

    /// The largest residual of the last pass relative to its terms, where rows do not count that are rounding
    /// of forces in balance: what holds still has accelerations of nothing else.
    #[cold]
    pub(super) fn beyond_rounding(&self, equations: &Equations<'_>) -> f64 {
        let n = self.unknowns;
        let share = f64::EPSILON * self.rest.len() as f64;
        let relative = |rest: f64, size: f64, floor: f64| {
            let small = rest.abs() <= floor;
            if small { 0.0 } else { rest.abs() / size.max(f64::MIN_POSITIVE) }
        };
        let largest = self.size[..n].iter().fold(0.0_f64, |most, x| most.max(*x));
        let mut worst = 0.0_f64;
        for (rest, size) in self.kept[..n].iter().zip(&self.size) {
            worst = worse(worst, relative(*rest, size.max(share * largest), 0.0));
        }
        let rows = self.kept[n..].iter().zip(&self.size[n..]);
        for ((rest, size), floor) in rows.zip(self.rounding(equations)) {
            worst = worse(worst, relative(*rest, *size, floor));
        }
        worst
    }

    /// What rounding of the forces on single unknowns makes of each row: `N ε Σ |Φ_q| f / m` with the sizes `f` of
    /// their terms in the last pass.
    fn rounding(&self, equations: &Equations<'_>) -> Vec<f64> {
        let mut caused = vec![0.0; self.unknowns];
        for &[row, column, value] in &self.mass {
            let mass = equations.mass[value as usize];
            if row == column && mass > 0.0 {
                caused[row as usize] = self.size[row as usize] / mass;
            }
        }
        let share = f64::EPSILON * self.rest.len() as f64;
        let of = |ends: &[u32]| {
            let entries = &self.jacobian[ends[0] as usize..ends[1] as usize];
            let term = |&[column, value]: &[u32; 2]| {
                equations.jacobian[value as usize].abs() * caused[column as usize]
            };
            share * entries.iter().map(term).sum::<f64>()
        };
        self.starts.windows(2).map(of).collect()
    }

    /// The rests that were found last; zero for rows that were left out.
    pub(super) fn write_rest(&self, rest: &mut [f64]) {
        rest.copy_from_slice(&self.kept);
    }

    /// Square of the length of a row of Φ_q, where unknowns count by their scales.
    #[inline(always)]
    fn square(&self, equations: &Equations<'_>, row: usize) -> f64 {
        let entries = self.starts[row] as usize..self.starts[row + 1] as usize;
        let mut sum = 0.0;
        for (&[_, value], weight) in
            self.jacobian[entries.clone()].iter().zip(&self.weights[entries])
        {
            let j = equations.jacobian[value as usize];
            sum += j * j * weight;
        }
        sum
    }

    /// Takes over scales that are not those of before.
    #[cold]
    fn weigh(&mut self, equations: &Equations<'_>) {
        self.scales.clear();
        self.scales.extend_from_slice(equations.scales);
        for (weight, [column, _]) in self.weights.iter_mut().zip(&self.jacobian) {
            *weight = equations.scale(*column as usize).powi(-2);
        }
        for (unknown, weight) in self.inertia_weights.iter_mut().enumerate() {
            *weight = equations.scale(unknown).powi(-2);
        }
    }

    /// Takes over scales, before anything that is measured in them.
    pub(super) fn take_scales(&mut self, equations: &Equations<'_>) {
        if self.scales != equations.scales {
            self.weigh(equations);
        }
    }

    /// The threshold for ranks of these equations.
    pub(super) fn rank_tolerance(&mut self, equations: &Equations<'_>) -> f64 {
        self.take_scales(equations);
        rank_tolerance(equations.phi, |row| self.square(equations, row))
    }

    /// No row that was left out contradicts the others by more than drift may, after a solution.
    ///
    /// # Errors
    /// [`FormulationError::Inconsistent`].
    pub(super) fn check(
        &self,
        equations: &Equations<'_>,
        method: Method,
        rank_tolerance: f64,
    ) -> Result<(), FormulationError> {
        let (rests, sizes) = (&self.rest[self.unknowns..], &self.size[self.unknowns..]);
        let holds = |row: &usize| rests[*row].abs() <= 10.0 * rank_tolerance * sizes[*row];
        if self.dependent.iter().all(holds) {
            return Ok(());
        }
        let rounding = self.rounding(equations);
        // per length of the rows: what they ask for, and the sizes of their terms
        let length = |row: usize| {
            let length = self.square(equations, row).sqrt();
            if length > 0.0 { length } else { 1.0 }
        };
        let (mut asked, mut terms) = (0.0_f64, 0.0_f64);
        for (row, size) in sizes.iter().enumerate() {
            let length = length(row);
            asked = asked.max(equations.gamma[row].abs() / length);
            terms = terms.max(size / length);
        }
        let limit = CONTRADICTION_TOLERANCE * asked + 10.0 * rank_tolerance * terms;
        let mut worst = (0, 0.0_f64);
        for &row in &self.dependent {
            if rests[row].abs() <= rounding[row] {
                continue;
            }
            let defect = rests[row] / length(row);
            let less = defect.abs() <= worst.1.abs();
            if !less {
                worst = (row, defect);
            }
        }
        let (row, defect) = worst;
        // NaN is above any limit
        if defect.abs() <= limit {
            return Ok(());
        }
        Err(FormulationError::Inconsistent { method, row, defect })
    }
}

/// The larger; NaN if one is.
fn worse(a: f64, b: f64) -> f64 {
    if b <= a || a.is_nan() { a } else { b }
}

impl Residuals {
    /// One pass over all entries.
    fn pass(&mut self, equations: &Equations<'_>, solution: &[f64]) {
        let Residuals { mass, diagonal, rest, size, kept, unknowns, .. } = self;
        let (rows, columns) =
            (lists(&self.starts, &self.jacobian), lists(&self.column_starts, &self.by_columns));
        let (qdd, lambda) = solution.split_at(*unknowns);
        let (force, row_rest) = rest.split_at_mut(*unknowns);
        let (force_size, row_size) = size.split_at_mut(*unknowns);
        for (i, &f) in equations.force.iter().enumerate() {
            force[i] = f;
            force_size[i] = f.abs();
        }
        for &[row, column, value] in mass.iter() {
            let (row, column) = (row as usize, column as usize);
            let m = equations.mass[value as usize];
            take(&mut force[row], &mut force_size[row], m, qdd[column]);
            if !*diagonal && row != column {
                take(&mut force[column], &mut force_size[column], m, qdd[row]);
            }
        }
        // by columns and by rows: each sum stays in a register
        let less = |mut terms: (f64, f64), list: &[[u32; 2]], of: &[f64]| {
            for &[other, value] in list {
                let j = equations.jacobian[value as usize];
                take(&mut terms.0, &mut terms.1, j, of[other as usize]);
            }
            terms
        };
        for ((rest, size), column) in force.iter_mut().zip(force_size).zip(columns) {
            (*rest, *size) = less((*rest, *size), column, lambda);
        }
        for ((i, gamma), row) in equations.gamma.iter().enumerate().zip(rows) {
            (row_rest[i], row_size[i]) = less((*gamma, gamma.abs()), row, qdd);
        }
        kept.copy_from_slice(rest);
    }
}

/// The items of each list of those that stand one after the other.
fn lists<'a>(starts: &'a [u32], items: &'a [[u32; 2]]) -> impl Iterator<Item = &'a [[u32; 2]]> {
    starts.windows(2).map(|ends| &items[ends[0] as usize..ends[1] as usize])
}

/// Takes a product off a rest, and adds its size to those of the terms.
#[inline(always)]
fn take(rest: &mut f64, size: &mut f64, a: f64, b: f64) {
    let term = a * b;
    *rest -= term;
    *size += term.abs();
}
