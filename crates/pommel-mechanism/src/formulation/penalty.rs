//! Constraints as stiff springs of the acceleration: Bayo's penalty formulation, once and iterated.
//!
//! ```text
//! (M + Φᵀ α Φ) q̈ = Q + Φᵀ α γ,   λ = α (Φ q̈ − γ)
//! ```
//!
//! (Bayo, García de Jalón and Serna 1988.) `α` is diagonal: for every row κ times the mass that it
//! meets, `1 / Σ_j Φ_ij² / M_jj` over coordinates with mass, with κ = [`STIFFNESS`]. So it follows
//! units, and light bodies beside heavy ones are not drowned.
//!
//! Once, it is an approximation: constraints are violated by λ/α, accelerations wrong by about 1/κ
//! of the largest, more where masses differ; violations count as contradictions only above 10⁵/κ
//! of accelerations. The augmented Lagrangian adds `Φᵀ λ_k` on the left and repeats with `λ_{k+1} =
//! λ_k + α (Φ q̈ − γ)` (Bayo and Ledesma 1996) until accelerations stand still: then constraints
//! hold to rounding. Each step gains about as many digits as κ has.
//!
//! No rank is found, as none is needed: rows that depend on others share the load. What they
//! contradict each other by is added to λ at every step; as it bears no force, it is taken out in
//! the end, and where nothing else is added the iteration is over.
//!
//! At a state that violates the constraints by v such rows are about v apart, and bear some force: each
//! step adds the same to accelerations, too, about κ v² of them. So the iteration is over where what
//! steps add stays the same, and that is taken out. Where v is so large that it does not stay the same, the
//! iteration does not converge, and says so.

use pommel_kkt::Pattern;

use super::dense::{Matrix, PivotedCholesky, System, add_scaled, dot, largest};
use super::driver::{Solver, formulations};
use super::{FormulationError, Method, RANK_TOLERANCE};
use crate::Equations;

/// κ: how much heavier a violated row is than the masses that it meets.
pub const STIFFNESS: f64 = 1e9;

/// Steps of the augmented Lagrangian, at most: with masses of similar size three are usual.
pub const AUGMENTED_STEPS: usize = 50;

/// Accelerations stand still if they change by less than this part of their size; at a state that has
/// drifted, also if steps add the same, to within the threshold for ranks.
const STILL: f64 = 1e-12;

/// Steps that differ by less than this part of them add the same.
const SAME: f64 = 1e-2;

/// Accelerations also stand still if what is added to λ changes by no more than so many roundings of its
/// terms.
const ROUNDINGS: f64 = 16.0;

/// A pivot is zero below this part of its diagonal entry, which holds α: a motion that meets
/// κ⁻¹ of it has seven digits more.
const VANISHES: f64 = 1e-14;

/// The factor of `M + Φᵀ α Φ`, scaled to a diagonal of ones.
#[derive(Debug)]
struct Stiff {
    alpha: Vec<f64>,
    scale: Vec<f64>,
    factor: PivotedCholesky,
}

impl Stiff {
    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        Stiff { alpha: vec![0.0; m], scale: vec![0.0; n], factor: PivotedCholesky::new(n) }
    }

    fn factorize(&mut self, system: &System, method: Method) -> Result<(), FormulationError> {
        let (n, m) = (system.n(), system.m());
        let a: &mut Matrix = &mut self.factor.a;
        a.data_mut().fill(0.0);
        for (i, j, value) in system.mass.entries() {
            a[(i, j)] = value;
        }
        let heaviest = system.mass.largest();
        for i in 0..m {
            let row = system.rows.column(i);
            let terms = row.iter().zip(system.mass.diagonal()).filter(|(_, mass)| **mass > 0.0);
            let mobility: f64 = terms.map(|(x, mass)| x * x / mass).sum();
            let met = if mobility > 0.0 { 1.0 / mobility } else { heaviest };
            self.alpha[i] = STIFFNESS * if met > 0.0 { met } else { 1.0 };
            for (j, x) in row.iter().enumerate() {
                add_scaled(&mut a.column_mut(j)[j..], self.alpha[i] * x, &row[j..]);
            }
        }
        for (j, scale) in self.scale.iter_mut().enumerate() {
            let diagonal = a[(j, j)];
            *scale = if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 };
        }
        for j in 0..n {
            for i in j..n {
                a[(i, j)] *= self.scale[i] * self.scale[j];
            }
        }
        let found = self.factor.factorize(VANISHES);
        if found < n {
            // how many of the n − found are free of constraints is not known: all that is left
            let dimension = n.saturating_sub(m.min(n)).max(n - found);
            let positive = dimension - (n - found);
            return Err(FormulationError::MotionWithoutInertia { method, dimension, positive });
        }
        Ok(())
    }

    fn solve(&mut self, b: &mut [f64]) {
        b.iter_mut().zip(&self.scale).for_each(|(b, s)| *b *= s);
        self.factor.solve(b);
        b.iter_mut().zip(&self.scale).for_each(|(b, s)| *b *= s);
    }
}

/// Once.
#[derive(Debug)]
pub(super) struct Once(Stiff);

impl Solver for Once {
    const METHOD: Method = Method::Penalty;
    const EXACT: bool = false;
    const ROWS_HOLD_TO: f64 = 1e5 / STIFFNESS;

    fn new(pattern: &Pattern) -> Self {
        Once(Stiff::new(pattern))
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        self.0.factorize(system, Self::METHOD)?;
        Ok(None)
    }

    fn apply(
        &mut self,
        system: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let stiff = &mut self.0;
        qdd.copy_from_slice(force);
        for (i, (alpha, gamma)) in stiff.alpha.iter().zip(gamma).enumerate() {
            add_scaled(qdd, alpha * gamma, system.rows.column(i));
        }
        stiff.solve(qdd);
        for (i, x) in lambda.iter_mut().enumerate() {
            *x = stiff.alpha[i] * (dot(system.rows.column(i), qdd) - gamma[i]);
        }
        Ok(())
    }
}

/// Iterated.
#[derive(Debug)]
pub(super) struct Iterated {
    stiff: Stiff,
    change: Vec<f64>,
    /// The change before.
    before: Vec<f64>,
    /// What the last step added to λ.
    added: Vec<f64>,
}

impl Solver for Iterated {
    const METHOD: Method = Method::AugmentedLagrangian;
    const EXACT: bool = false;

    fn new(pattern: &Pattern) -> Self {
        Iterated {
            stiff: Stiff::new(pattern),
            change: vec![0.0; pattern.unknowns()],
            before: vec![0.0; pattern.unknowns()],
            added: vec![0.0; pattern.rows()],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        self.stiff.factorize(system, Self::METHOD)?;
        Ok(None)
    }

    fn apply(
        &mut self,
        system: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let Iterated { stiff, change, before, added } = self;
        qdd.fill(0.0);
        lambda.fill(0.0);
        let masses = system.mass.diagonal().iter();
        let alone = force.iter().zip(masses).filter(|(_, mass)| **mass > 0.0);
        let alone = alone.map(|(f, mass)| (f / mass).abs()).fold(0.0, f64::max);
        let drifted = system.rank_tolerance > RANK_TOLERANCE;
        let mut last = 0.0;
        for step in 1..=AUGMENTED_STEPS {
            // (M + Φᵀ α Φ) δ = Q − M q̈ − Φᵀ (λ + α (Φ q̈ − γ))
            system.inertial_rest(force, qdd, change);
            for (i, x) in lambda.iter().enumerate() {
                let row = system.rows.column(i);
                let pull = x + stiff.alpha[i] * (dot(row, qdd) - gamma[i]);
                add_scaled(change, -pull, row);
            }
            stiff.solve(change);
            qdd.iter_mut().zip(&*change).for_each(|(x, d)| *x += d);
            let size = largest(qdd);
            let rounding = ROUNDINGS * f64::EPSILON * (1 + qdd.len()) as f64;
            let mut steady = step > 1;
            for (i, added) in added.iter_mut().enumerate() {
                let alpha = stiff.alpha[i];
                let now = alpha * (dot(system.rows.column(i), qdd) - gamma[i]);
                steady &= (now - *added).abs() <= rounding * alpha * (size + gamma[i].abs());
                *added = now;
                lambda[i] += now;
            }
            last = largest(change);
            let mut still = last <= STILL * alone.max(size);
            if drifted && step > 1 {
                let differences = change.iter().zip(&*before).map(|(d, b)| (d - b).abs());
                let different = differences.fold(0.0, f64::max);
                // one that converges slowly shrinks, too
                let same = different <= SAME * last;
                still |= same && different <= system.rank_tolerance * alone.max(size);
            }
            before.copy_from_slice(change);
            if steady || still {
                // what was added last bears no force, and was added at every step
                let steps = step as f64;
                if drifted {
                    qdd.iter_mut().zip(&*change).for_each(|(x, d)| *x -= steps * d);
                }
                lambda.iter_mut().zip(&*added).for_each(|(x, added)| *x -= steps * added);
                // λ still has κ roundings: what forces miss is taken up by the rows
                system.inertial_rest(force, qdd, change);
                system.rows.add_product(-1.0, lambda, change);
                stiff.solve(change);
                qdd.iter_mut().zip(&*change).for_each(|(x, d)| *x += d);
                for (i, x) in lambda.iter_mut().enumerate() {
                    *x += stiff.alpha[i] * dot(system.rows.column(i), change);
                }
                return Ok(());
            }
        }
        let (method, iterations) = (Self::METHOD, AUGMENTED_STEPS);
        Err(FormulationError::NotConverged { method, iterations, defect: last })
    }
}

formulations! {
    /// Bayo's penalty formulation, once: approximate, see [`STIFFNESS`].
    ///
    /// Costs `m n²/2` for the matrix and `n³/6` for its factor. Finds no rank, takes dependent
    /// rows, and massless bodies where constraints hold them.
    ///
    /// # Errors
    /// [`FormulationError::Inconsistent`] also where masses differ so much that rows are missed by
    /// more than 10⁵/κ of the terms of `Φ_q q̈`.
    Penalty(Once);

    /// The same, iterated until constraints hold: exact.
    ///
    /// # Errors
    /// [`FormulationError::NotConverged`] after [`AUGMENTED_STEPS`] steps: an error shrinks by 1/(1
    /// + κ σ²) in one, where σ is the smallest singular value of `Φ_q M^(−1/2)` with rows of unit
    /// length.
    AugmentedLagrangian(Iterated);
}
