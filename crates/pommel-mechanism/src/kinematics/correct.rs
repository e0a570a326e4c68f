//! The least change that meets linear conditions.

use pommel_kkt::{Factor, KktError, Refinement, Values, Verdict};

use super::error::OpenRow;
use crate::System;
use crate::formulation::RANK_TOLERANCE;
use crate::suited::SuitedWorkspace;

/// Solves `min ‖x − x₀‖_W` with `Φ_q x = b`, where W weighs displacements and turns alike.
#[derive(Clone, Debug)]
pub(super) struct Corrector {
    weights: Vec<f64>,
    workspace: SuitedWorkspace,
    room: Room,
}

/// Where rows that were kept are so near to dependent, those that were left out count, too.
pub(super) const DOUBTFUL: f64 = 1e-2;

/// What solutions need besides the factor.
#[derive(Clone, Debug)]
struct Room {
    diagonal: Vec<f64>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

/// The correction at one position: its Jacobian is factored.
pub(super) struct Corrections<'a, 'w> {
    pub(super) factor: &'a mut Factor<'w, f64>,
    pub(super) system: &'a System<f64>,
    pub(super) jacobian: &'a [f64],
    room: &'a mut Room,
}

/// Weights of the velocities: 1 for displacements, the square of a length for turns.
pub(super) fn weights(system: &System<f64>, length: f64) -> Vec<f64> {
    let turn = length * length;
    let body: &[f64] =
        if system.is_planar() { &[1.0, 1.0, turn] } else { &[turn, turn, turn, 1.0, 1.0, 1.0] };
    body.repeat(system.body_count())
}

impl Corrector {
    pub(super) fn new(system: &System<f64>) -> Self {
        let diagonal = weights(system, system.typical_length());
        let pattern = system.pattern();
        let mut values = vec![0.0; pattern.mass_len()];
        for (row, column, value) in pattern.mass_entries() {
            if row == column {
                values[value] = diagonal[row];
            }
        }
        let size = pattern.unknowns() + pattern.rows();
        Corrector {
            weights: values,
            workspace: SuitedWorkspace::default(),
            room: Room { diagonal, rhs: vec![0.0; size], solution: vec![0.0; size] },
        }
    }

    /// Factors the system of a Jacobian and does some work with it.
    pub(super) fn at<R, E: From<KktError>>(
        &mut self,
        system: &System<f64>,
        jacobian: &[f64],
        work: impl FnOnce(&mut Corrections<'_, '_>) -> Result<R, E>,
    ) -> Result<R, E> {
        let Corrector { weights, workspace, room } = self;
        let values = Values::new(weights, jacobian);
        workspace.with_factor(system.pattern(), &values, RANK_TOLERANCE, |factor| {
            work(&mut Corrections { factor, system, jacobian, room })
        })
    }

    /// Solves once, see [`Corrections::solve`].
    pub(super) fn solve(
        &mut self,
        system: &System<f64>,
        jacobian: &[f64],
        near: Option<&[f64]>,
        demanded: &[f64],
        x: &mut [f64],
    ) -> Result<(), KktError> {
        self.at(system, jacobian, |corrections| corrections.solve(near, demanded, x))
    }
}

impl Corrections<'_, '_> {
    /// Rank of Φ_q.
    pub(super) fn rank(&self) -> usize {
        self.factor.rank(0)
    }

    /// Solves; `near` is x₀, zero if there is none.
    pub(super) fn solve(
        &mut self,
        near: Option<&[f64]>,
        demanded: &[f64],
        x: &mut [f64],
    ) -> Result<(), KktError> {
        let n = self.system.nv();
        let Room { diagonal, rhs, solution } = &mut *self.room;
        match near {
            Some(near) => {
                let weighted = near.iter().zip(diagonal).map(|(x, w)| x * *w);
                rhs[..n].iter_mut().zip(weighted).for_each(|(to, x)| *to = x);
            }
            None => rhs[..n].fill(0.0),
        }
        rhs[n..].copy_from_slice(demanded);
        let report = self.factor.solve(rhs, solution, &Refinement::quick())?;
        if matches!(report.verdict(0), Verdict::NotFinite) {
            self.factor.check_finite(0)?;
            self.factor.check_rhs(rhs, 0)?;
        }
        x.copy_from_slice(&solution[..n]);
        Ok(())
    }

    /// What gives rows of Φ_q unit length, weighed by W.
    pub(super) fn row_scales(&self) -> Vec<f64> {
        row_scales(self.system, self.jacobian, &self.room.diagonal)
    }

    /// An estimate of the least singular value of Φ_q relative to the largest, weighed by W and with
    /// rows of unit length, for systems whose velocities the rows determine.
    ///
    /// A few steps of inverse iteration with `(Φ_q W⁻¹ Φ_qᵀ)⁻¹`: what a right-hand side of length
    /// one turns into at most. Where that is small and rows were left out, all are taken.
    pub(super) fn determinacy(&mut self) -> Result<f64, KktError> {
        let n = self.system.nv();
        let scales = self.row_scales();
        let Room { diagonal, rhs, solution } = &mut *self.room;
        let roots: Vec<f64> = diagonal.iter().map(|w| w.sqrt()).collect();
        let largest = largest_singular(self.system, self.jacobian, &roots, &scales);
        rhs[..n].fill(0.0);
        // any start that is not special
        let mut seed = 0.5_f64;
        for x in &mut rhs[n..] {
            seed = (seed * 997.0 + 0.123).fract();
            *x = seed - 0.5;
        }
        let mut gain = 0.0_f64;
        for _ in 0..6 {
            let norm = rhs[n..].iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm == 0.0 || !norm.is_finite() {
                break;
            }
            rhs[n..].iter_mut().zip(&scales).for_each(|(x, scale)| *x /= norm * scale);
            self.factor.substitute(rhs, solution)?;
            // x = W⁻¹ Φ_qᵀ μ solves Φ_q x = b; λ = −μ
            let length = solution[..n].iter().zip(&roots).map(|(x, w)| (x * w).powi(2));
            let length = length.sum::<f64>().sqrt();
            if !length.is_finite() {
                return Ok(0.0);
            }
            gain = gain.max(length);
            let multipliers = solution[n..].iter().zip(&scales);
            rhs[n..].iter_mut().zip(multipliers).for_each(|(to, (x, scale))| *to = x / scale);
        }
        if !(gain > 0.0 && largest > 0.0) {
            return Ok(0.0);
        }
        let mut least = 1.0 / gain;
        if least < DOUBTFUL * largest && self.left_out() > 0 {
            least = self.least_singular(&roots)?;
        }
        Ok((least / largest).min(1.0))
    }
}

/// The largest singular value of `Φ_q W^(−1/2)` with rows of unit length, by a few steps of power
/// iteration.
fn largest_singular(system: &System<f64>, jacobian: &[f64], roots: &[f64], scales: &[f64]) -> f64 {
    let mut x: Vec<f64> = (0..system.nv()).map(|k| 1.0 + 0.1 * (k % 7) as f64).collect();
    let mut y = vec![0.0; system.rows()];
    let mut value = 0.0;
    for _ in 0..8 {
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm == 0.0 {
            break;
        }
        x.iter_mut().zip(roots).for_each(|(x, w)| *x /= norm * w);
        multiply(system, jacobian, &x, &mut y);
        y.iter_mut().zip(scales).for_each(|(y, scale)| *y *= scale);
        value = y.iter().map(|y| y * y).sum::<f64>().sqrt();
        x.fill(0.0);
        for (row, column, entry) in system.pattern().jacobian_entries() {
            x[column] += jacobian[entry] * scales[row] * y[row] / roots[column];
        }
    }
    value
}

/// What gives rows of Φ_q unit length, with weights of the velocities; 1 for rows of zeros.
pub(super) fn row_scales(system: &System<f64>, jacobian: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; system.rows()];
    for (row, column, value) in system.pattern().jacobian_entries() {
        squares[row] += jacobian[value] * jacobian[value] / weights[column];
    }
    squares.iter().map(|s: &f64| if *s > 0.0 { 1.0 / s.sqrt() } else { 1.0 }).collect()
}

/// `Φ_q x`
pub(super) fn multiply(system: &System<f64>, jacobian: &[f64], x: &[f64], product: &mut [f64]) {
    product.fill(0.0);
    for (row, column, value) in system.pattern().jacobian_entries() {
        // fused it would be a call of a function
        product[row] += jacobian[value] * x[column];
    }
}

/// `|Φ_q| |x|`, the size of the terms of each row.
pub(super) fn magnitudes(system: &System<f64>, jacobian: &[f64], x: &[f64], sizes: &mut [f64]) {
    sizes.fill(0.0);
    for (row, column, value) in system.pattern().jacobian_entries() {
        sizes[row] += (jacobian[value] * x[column]).abs();
    }
}

/// The largest residuals above a limit, the worst first, at most five.
pub(crate) fn open_rows(
    system: &System<f64>,
    residuals: &[f64],
    limit: impl Fn(usize) -> f64,
) -> Vec<OpenRow> {
    // NaN is not
    let closed = |row: usize| residuals[row].abs() <= limit(row);
    let mut rows: Vec<usize> = (0..residuals.len()).filter(|&row| !closed(row)).collect();
    rows.sort_by(|&a, &b| residuals[b].abs().total_cmp(&residuals[a].abs()));
    rows.truncate(5);
    rows.into_iter()
        .map(|row| OpenRow { row, name: system.row_name(row), residual: residuals[row] })
        .collect()
}
