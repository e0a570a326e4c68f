//! Impulses of impacts.

use pommel_kkt::{Factor, Refinement, Values};

use super::ImpactError;
use super::lcp::{Ended, lemke};
use crate::formulation::RANK_TOLERANCE;
use crate::suited::SuitedWorkspace;
use crate::{Evaluation, System};

/// What the coefficient of restitution is a ratio of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restitution {
    /// Of velocities: a condition opens with `e` times the rate at which it closed (Newton).
    #[default]
    Newton,
    /// Of impulses: a phase of compression brings the rates to zero, and in a phase of expansion at least
    /// `e` times its impulses act once more (Poisson).
    Poisson,
}

/// One-sided conditions that touch: `ġ = J v ≥ 0` after the impact.
#[derive(Clone, Copy, Debug)]
pub struct Touching<'a> {
    /// J, by rows: as many times [`System::nv`] numbers as there are conditions.
    pub rows: &'a [f64],
    /// Coefficients of restitution, one a condition.
    pub restitution: &'a [f64],
}

/// What an impact did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impact {
    /// Λ, one a condition, none negative; N·s, N·m·s.
    pub impulses: Vec<f64>,
    /// Impulses of the rows of constraints, in the sense of multipliers: `M (v⁺ − v⁻) + Φ_qᵀ μ = Jᵀ Λ`.
    pub reactions: Vec<f64>,
    /// Rates `J v⁻`; m/s, rad/s.
    pub before: Vec<f64>,
    /// Rates `J v⁺`.
    pub after: Vec<f64>,
    /// Kinetic energy after the impact less that before, J.
    pub energy: f64,
}

/// Solves impacts of one mechanism.
///
/// Positions stay, velocities jump; forces that are finite, dry friction in joints among them, have no time to
/// act, joints and constraints hold:
///
/// ```text
/// [M  Φ_qᵀ] [v⁺ − v⁻]   [Jᵀ Λ]
/// [Φ_q  0 ] [   μ   ] = [ 0  ]
/// ```
///
/// So `J v⁺ = J v⁻ + G Λ` with `G = J K Jᵀ`, K the upper left block of the inverse, symmetric and positive
/// semidefinite. All conditions that touch are solved for at once:
///
/// * Newton: `0 ≤ Λ ⟂ J v⁺ + e J v⁻ ≥ 0` with the rates that close, `J v⁻ < 0`; where a rate opens, e counts
///   as 0.
/// * Poisson: compression `0 ≤ Λ_c ⟂ J v_c ≥ 0`, then expansion `0 ≤ Λ_e − e Λ_c ⟂ J v⁺ ≥ 0`, and
///   `Λ = Λ_c + Λ_e`.
///
/// With Newton's, kinetic energy does not increase where all rates close: it changes by
/// `½ Σ Λ (1 − e) J v⁻`. With Poisson's it changes by `½ (Λ_cᵀ J v⁻ + e Λ_cᵀ J v⁺ + (Λ_e − e Λ_c)ᵀ J v_c)`.
///
/// Sources: F. Pfeiffer, C. Glocker, *Multibody Dynamics with Unilateral Contacts*, Wiley 1996, chapter 8;
/// J. J. Moreau, in *Nonsmooth Mechanics and Applications*, Springer 1988 (e = 0).
#[derive(Clone, Debug, Default)]
pub struct ImpactSolver {
    workspace: SuitedWorkspace,
}

impl ImpactSolver {
    /// Memory for impacts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the velocities `v` before an impact by those after it.
    ///
    /// # Arguments
    /// - `evaluation` terms of the system, without rows of what may open, at the state of the impact
    /// - `touching`   all conditions that touch, closing or not
    /// - `v` **in/out**, length [`System::nv`]; untouched on error
    ///
    /// # Errors
    /// [`ImpactError::NotFinite`], [`ImpactError::Restitution`]; [`ImpactError::NoImpulse`] where constraints
    /// close a condition, [`ImpactError::NotSolved`], [`ImpactError::Kkt`].
    ///
    /// # Panics
    /// If a slice has another length than stated.
    pub fn solve(
        &mut self,
        system: &System<f64>,
        evaluation: &Evaluation<f64>,
        touching: &Touching<'_>,
        hypothesis: Restitution,
        v: &mut [f64],
    ) -> Result<Impact, ImpactError> {
        let (n, count) = (system.nv(), touching.restitution.len());
        assert_eq!(v.len(), n, "v must have nv entries");
        assert_eq!(touching.rows.len(), n * count, "a row of nv entries for each condition");
        check(touching, n, v)?;
        let responses = self.responses(system, evaluation, touching.rows)?;
        let size = n + system.rows();
        let product = |row: usize, x: &[f64]| dot(&touching.rows[row * n..(row + 1) * n], x);
        let before: Vec<f64> = (0..count).map(|i| product(i, v)).collect();
        let mut g = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..count {
                g[i * count + j] = product(i, &responses[j * size..j * size + n]);
            }
        }
        let problem = Problem::new(g, &before);
        let e = touching.restitution;
        let impulses = match hypothesis {
            Restitution::Newton => {
                let wanted = |i: usize| before[i] + e[i] * before[i].min(0.0);
                problem.solve(&(0..count).map(wanted).collect::<Vec<_>>())?
            }
            Restitution::Poisson => {
                let compression = problem.solve(&before)?;
                let given: Vec<f64> = compression.iter().zip(e).map(|(l, e)| e * l).collect();
                let both: Vec<f64> = compression.iter().zip(&given).map(|(a, b)| a + b).collect();
                let more = problem.solve(&problem.rates(&before, &both))?;
                both.iter().zip(&more).map(|(a, b)| a + b).collect()
            }
        };
        let mut after_v = v.to_vec();
        let mut reactions = vec![0.0; system.rows()];
        for (impulse, response) in impulses.iter().zip(responses.chunks(size)) {
            let (velocity, reaction) = response.split_at(n);
            after_v.iter_mut().zip(velocity).for_each(|(v, x)| *v += impulse * x);
            reactions.iter_mut().zip(reaction).for_each(|(r, x)| *r += impulse * x);
        }
        let after = (0..count).map(|i| product(i, &after_v)).collect();
        // Δv (v⁺ + v⁻) M / 2: no difference of large numbers
        let change: Vec<f64> = after_v.iter().zip(&*v).map(|(a, b)| a - b).collect();
        let mean: Vec<f64> = after_v.iter().zip(&*v).map(|(a, b)| 0.5 * (a + b)).collect();
        let energy = weighted(system, &change, &mean);
        v.copy_from_slice(&after_v);
        Ok(Impact { impulses, reactions, before, after, energy })
    }

    /// `[x; μ]` of a unit impulse on each row: `M x + Φ_qᵀ μ = Jᵀ`, `Φ_q x = 0`.
    ///
    /// # Errors
    /// [`ImpactError::Kkt`].
    fn responses(
        &mut self,
        system: &System<f64>,
        evaluation: &Evaluation<f64>,
        rows: &[f64],
    ) -> Result<Vec<f64>, ImpactError> {
        let (n, size) = (system.nv(), system.nv() + system.rows());
        let values = Values::new(system.mass(), evaluation.jacobian());
        let work = |factor: &mut Factor<'_, f64>| -> Result<Vec<f64>, ImpactError> {
            let mut solutions = vec![0.0; rows.len() / n.max(1) * size];
            let mut rhs = vec![0.0; size];
            for (row, solution) in rows.chunks(n).zip(solutions.chunks_mut(size)) {
                rhs[..n].copy_from_slice(row);
                factor.solve(&rhs, solution, &Refinement::quick())?;
            }
            Ok(solutions)
        };
        let tolerance = system.equations(evaluation, (&[], &[])).rank_tolerance();
        self.workspace.with_factor(system.pattern(), &values, tolerance.max(RANK_TOLERANCE), work)
    }
}

/// Refuses numbers that are none.
fn check(touching: &Touching<'_>, n: usize, v: &[f64]) -> Result<(), ImpactError> {
    if let Some(index) = v.iter().position(|x| !x.is_finite()) {
        return Err(ImpactError::NotFinite { what: "velocity", index });
    }
    if let Some(index) = touching.rows.iter().position(|x| !x.is_finite()) {
        return Err(ImpactError::NotFinite { what: "row", index: index / n });
    }
    for (index, &value) in touching.restitution.iter().enumerate() {
        if !value.is_finite() {
            return Err(ImpactError::NotFinite { what: "restitution", index });
        }
        if !(0.0..=1.0).contains(&value) {
            return Err(ImpactError::Restitution { index, value });
        }
    }
    Ok(())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}

/// `aᵀ M b`
fn weighted(system: &System<f64>, a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (row, column, value) in system.pattern().mass_entries() {
        let mass = system.mass()[value];
        sum += mass * a[row] * b[column];
        if row != column {
            sum += mass * a[column] * b[row];
        }
    }
    sum
}

/// Rates `b + G Λ`, with conditions scaled so that a unit impulse changes each rate by one.
struct Problem {
    g: Vec<f64>,
    scaled: Vec<f64>,
    scale: Vec<f64>,
    /// what rates are compared with
    speed: f64,
}

/// A rate below this part of the largest is at rest.
const REST: f64 = 1e-12;

impl Problem {
    fn new(g: Vec<f64>, before: &[f64]) -> Self {
        let count = before.len();
        let scale: Vec<f64> = (0..count)
            .map(|i| {
                let own = g[i * count + i];
                if own > 0.0 { own.sqrt().recip() } else { 1.0 }
            })
            .collect();
        let scaled =
            (0..count * count).map(|k| g[k] * scale[k / count] * scale[k % count]).collect();
        let speed = before.iter().zip(&scale).fold(0.0_f64, |m, (b, s)| m.max((b * s).abs()));
        Problem { g, scaled, scale, speed }
    }

    /// `b + G Λ`
    fn rates(&self, b: &[f64], impulses: &[f64]) -> Vec<f64> {
        let count = b.len();
        (0..count).map(|i| b[i] + dot(&self.g[i * count..(i + 1) * count], impulses)).collect()
    }

    /// `0 ≤ Λ ⟂ b + G Λ ≥ 0`
    fn solve(&self, b: &[f64]) -> Result<Vec<f64>, ImpactError> {
        let rest = REST * self.speed;
        let scaled: Vec<f64> = (b.iter().zip(&self.scale))
            .map(|(b, s)| if (b * s).abs() <= rest { 0.0 } else { b * s })
            .collect();
        let mut z = vec![0.0; b.len()];
        match lemke(&self.scaled, &scaled, &mut z) {
            Ended::Solved => Ok(z.iter().zip(&self.scale).map(|(z, s)| z * s).collect()),
            Ended::Pivots(pivots) => Err(ImpactError::NotSolved { pivots, conditions: b.len() }),
            Ended::Infeasible => {
                let mut index = 0;
                for i in 1..b.len() {
                    if scaled[i] < scaled[index] {
                        index = i;
                    }
                }
                Err(ImpactError::NoImpulse { index, rate: b[index] })
            }
        }
    }
}
