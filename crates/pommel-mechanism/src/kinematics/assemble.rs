//! Assembly from an approximate configuration.
//!
//! Newton's method with the least change of coordinates at each step, damped as by Levenberg and
//! Marquardt: `min ‖Φ + Φ_q Δ‖² + μ ‖Δ‖_W²`, which is the saddle-point system
//!
//! ```text
//! ⎡ W   Φ_qᵀ ⎤ ⎡ Δ ⎤   ⎡  0 ⎤
//! ⎣ Φ_q  −μ  ⎦ ⎣ λ ⎦ = ⎣ −Φ ⎦
//! ```
//!
//! Rows are taken by what their violation is as a displacement: `s_r = Φ_r / √d_r` with the diagonal
//! d of `Φ_q W⁻¹ Φ_qᵀ`, so that lengths and angles, small and large mechanisms are alike. The damping
//! of a row is `μ_r = d_r ν s²`, with the mean square s² of all s_r in units of the typical length: it
//! vanishes with the residual, so convergence is quadratic in the end, also where constraints are
//! redundant (\[YF01\]): off the manifold redundant rows are almost dependent, and contradict each
//! other, which undamped steps would blow up.

use pommel_kkt::{KktError, Pattern, Refinement, Values};

use super::correct::{open_rows, weights};
use super::driven::largest;
use super::{KinematicsError, OpenRow};
use crate::formulation::RANK_TOLERANCE;
use crate::suited::SuitedWorkspace;
use crate::system::Spaces;
use crate::{Evaluation, System};

/// When an assembly is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssembleOptions {
    /// Largest residual that counts as closed, in m and rad; of a mechanism whose typical length is
    /// above 1 m, so many times as much.
    pub tolerance: f64,
    /// Most iterations.
    pub iterations: usize,
}

impl Default for AssembleOptions {
    /// 10⁻¹⁰, 200 iterations.
    fn default() -> Self {
        AssembleOptions { tolerance: 1e-10, iterations: 200 }
    }
}

/// How an assembly went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assembly {
    /// Iterations that were made.
    pub iterations: usize,
    /// The largest residual that is left; m, rad.
    pub residual: f64,
}

/// Assembles a mechanism; owns the memory that it needs.
#[derive(Clone, Debug)]
pub struct Assembler {
    pattern: Pattern,
    workspace: SuitedWorkspace,
    weights: Vec<f64>,
    length: f64,
    /// d, the diagonal of `Φ_q W⁻¹ Φ_qᵀ` where an assembly started
    scale: Vec<f64>,
    jacobian: Vec<f64>,
    compliance: Vec<f64>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    rest: Vec<f64>,
    trial: Vec<f64>,
    evaluation: Evaluation<f64>,
}

/// Largest turn of a body in one step, rad.
const LARGEST_TURN: f64 = 0.5;
/// So many steps in a row without gain end an assembly.
const STALLED: usize = 8;

impl Assembler {
    /// Memory for assemblies of a system.
    ///
    /// # Errors
    /// [`KktError`] if the system is too large.
    pub fn new(system: &System<f64>) -> Result<Self, KktError> {
        let plain = system.pattern();
        let widths = vec![system.velocities_per_body(); system.body_count()];
        let heights: Vec<usize> = system.constraints().iter().map(|c| c.rows.len()).collect();
        let mut places = vec![(0, 0); plain.jacobian_len()];
        for (row, column, value) in plain.jacobian_entries() {
            places[value] = (row, column);
        }
        let diagonal = |size: usize| -> Vec<(usize, usize)> { (0..size).map(|k| (k, k)).collect() };
        let (masses, softness) = (diagonal(system.nv()), diagonal(system.rows()));
        let pattern = Pattern::from_places(&widths, &heights, &masses, &places, &softness)?;
        let length = system.typical_length();
        let size = pattern.unknowns() + pattern.rows();
        Ok(Assembler {
            weights: weights(system, length),
            length,
            scale: vec![1.0; pattern.rows()],
            jacobian: vec![0.0; pattern.jacobian_len()],
            compliance: vec![0.0; pattern.compliance_len()],
            rhs: vec![0.0; size],
            solution: vec![0.0; size],
            rest: vec![0.0; system.nv()],
            trial: vec![0.0; system.nq()],
            evaluation: Evaluation::new(system),
            workspace: SuitedWorkspace::default(),
            pattern,
        })
    }

    /// Moves `q` to the nearest position that satisfies the constraints at a time.
    ///
    /// Rows that constrain velocities only are left out.
    ///
    /// # Errors
    /// [`KinematicsError::CannotAssemble`] with the constraints that stay open (`q` is then the
    /// position with the least residual that was found), [`KinematicsError::Reversed`],
    /// [`KinematicsError::NotFinite`], [`KinematicsError::Kkt`].
    ///
    /// # Panics
    /// If `q` has another length than [`System::nq`].
    pub fn assemble(
        &mut self,
        system: &System<f64>,
        time: f64,
        q: &mut [f64],
        options: &AssembleOptions,
    ) -> Result<Assembly, KinematicsError> {
        if let Some(index) = q.iter().position(|x| !x.is_finite()) {
            return Err(KinematicsError::NotFinite { what: "q", index });
        }
        let closed = options.tolerance * self.length.max(1.0);
        let position = q.iter().fold(self.length, |m, x| m.max(x.abs()));
        let rounding = 4.0 * f64::EPSILON * position;
        let mut damping = 1.0_f64;
        self.residual(system, time, q);
        self.take_scale(system);
        let (mut norm, mut residual) = self.residual(system, time, q);
        let (mut iterations, mut stalled) = (0, 0);
        while residual > rounding && iterations < options.iterations {
            iterations += 1;
            let change = self.step(system, damping * norm * norm)?;
            self.trial.copy_from_slice(q);
            system.displace(&mut self.trial, &self.solution[..change]);
            let trial = std::mem::take(&mut self.trial);
            let (new_norm, new_residual) = self.residual(system, time, &trial);
            self.trial = trial;
            if new_norm < norm {
                let progress = new_norm / norm;
                q.copy_from_slice(&self.trial);
                (norm, residual) = (new_norm, new_residual);
                // steps that gain nothing point the wrong way: shorter ones point downhill
                damping = if progress < 0.99 { (damping / 4.0).max(1e-4) } else { 4.0 * damping };
                stalled = if progress < 0.999 { 0 } else { stalled + 1 };
                // what is closed and does not get better is as good as it gets; at singular positions
                // steps halve the distance
                if residual <= closed && progress > 0.9 || stalled == STALLED {
                    break;
                }
            } else {
                if residual <= closed {
                    break;
                }
                damping *= 8.0;
                self.residual(system, time, q);
                if damping * norm * norm > 1e12 {
                    break;
                }
            }
        }
        self.residual(system, time, q);
        let assembled = residual <= closed;
        if !assembled {
            let open = self.open(system, closed);
            return Err(KinematicsError::CannotAssemble { time, iterations, open });
        }
        if let Some(joint) = system.reversed_joint(&self.evaluation) {
            return Err(KinematicsError::Reversed { time, joint });
        }
        Ok(Assembly { iterations, residual })
    }

    /// Takes over turns of joints in space ([`Evaluation::turns`]): positions are sought with angles
    /// next to these.
    ///
    /// # Panics
    /// If there are more or fewer of them than the system tracks.
    pub fn set_turns(&mut self, turns: &[f64]) {
        self.evaluation.set_turns(turns);
    }

    /// Sets the diagonal of `Φ_q W⁻¹ Φ_qᵀ` at the position evaluated last.
    fn take_scale(&mut self, system: &System<f64>) {
        self.scale.fill(0.0);
        let jacobian = self.evaluation.jacobian();
        for (row, column, value) in system.pattern().jacobian_entries() {
            self.scale[row] += jacobian[value] * jacobian[value] / self.weights[column];
        }
        // rows of rates, and such as happen to vanish there
        for scale in &mut self.scale {
            let regular = *scale > 1e-12 && scale.is_finite();
            if !regular {
                *scale = 1.0;
            }
        }
    }

    /// Evaluates; root mean square of the rows, and the largest entry of Φ.
    fn residual(&mut self, system: &System<f64>, time: f64, q: &[f64]) -> (f64, f64) {
        system.evaluate(time, q, &self.rest, &mut self.evaluation);
        let phi = self.evaluation.phi();
        let squares = phi.iter().zip(&self.scale).map(|(x, scale)| x * x / scale);
        let norm = (squares.sum::<f64>() / phi.len().max(1) as f64).sqrt() / self.length;
        let largest = largest(phi);
        (if norm.is_nan() { f64::INFINITY } else { norm }, largest)
    }

    /// One damped step from the position evaluated last; returns the length of the displacement.
    fn step(&mut self, system: &System<f64>, mu: f64) -> Result<usize, KktError> {
        let n = system.nv();
        self.jacobian.copy_from_slice(self.evaluation.jacobian());
        self.rhs[..n].fill(0.0);
        for (to, phi) in self.rhs[n..].iter_mut().zip(self.evaluation.phi()) {
            *to = -phi;
        }
        for (compliance, scale) in self.compliance.iter_mut().zip(&self.scale) {
            *compliance = mu.max(1e-14) * scale;
        }
        system.clear_nonholonomic(&mut self.jacobian);
        let values =
            Values { compliance: &self.compliance, ..Values::new(&self.weights, &self.jacobian) };
        self.workspace.with_factor(&self.pattern, &values, RANK_TOLERANCE, |factor| {
            factor.solve(&self.rhs, &mut self.solution, &Refinement::quick())
        })?;
        // no body turns farther than the linearization reaches
        let turns = self.solution[..n].iter().zip(&self.weights).enumerate();
        let turn = turns
            .filter(|(k, _)| is_turn(system, *k))
            .fold(0.0_f64, |m, (_, (x, _))| m.max(x.abs()));
        if turn > LARGEST_TURN {
            let scale = LARGEST_TURN / turn;
            self.solution[..n].iter_mut().for_each(|x| *x *= scale);
        }
        Ok(n)
    }

    fn open(&self, system: &System<f64>, closed: f64) -> Vec<OpenRow> {
        open_rows(system, self.evaluation.phi(), |_| closed)
    }
}

/// Whether a velocity is an angular one.
fn is_turn(system: &System<f64>, k: usize) -> bool {
    if system.is_planar() { k % 3 == 2 } else { k % 6 < 3 }
}

impl System<f64> {
    /// Sets the values of rows that constrain velocities only to zero.
    pub(crate) fn clear_nonholonomic(&self, jacobian: &mut [f64]) {
        if self.about.constraints.iter().all(|c| c.nonholonomic.is_empty()) {
            return;
        }
        for (row, _, value) in self.about.pattern.jacobian_entries() {
            let constraint = &self.about.constraints[self.constraint_of_row(row)];
            if constraint.nonholonomic.contains(&row) {
                jacobian[value] = 0.0;
            }
        }
    }

    /// A joint whose frames have an axis that points opposite ways at the position evaluated last:
    /// such a position satisfies all constraints, but is not what the joint means.
    pub fn reversed_joint(&self, evaluation: &Evaluation<f64>) -> Option<String> {
        let Spaces::Spatial(_) = &self.spaces else { return None };
        (self.about.sides.iter())
            .find(|side| {
                let [a, b] = side.axes;
                let turned =
                    |k: usize, axis| evaluation.spatial[side.poses[k] as usize].rotation * axis;
                turned(0, a).dot(turned(1, b)) < 0.0
            })
            .map(|side| side.joint.clone())
    }
}
