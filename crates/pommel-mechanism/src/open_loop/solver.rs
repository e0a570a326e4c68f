//! Accelerations and projections in the angles of bodies.

use pommel_kkt::Values;

use super::{OpenLoop, OpenLoopEvaluation};
use crate::formulation::{Formulation, FormulationError, SparseKkt};
use crate::kinematics::{KinematicsError, Projected, Quantity, largest, open_rows};

/// Solves the equations of an [`OpenLoop`] and closes its loops, with the memory that it needs.
///
/// The factor of the accelerations serves the projection of the same state, or of one nearby.
#[derive(Debug)]
pub struct OpenLoopSolver {
    kkt: SparseKkt,
    evaluation: OpenLoopEvaluation,
    lambda: Vec<f64>,
    /// time, positions and velocities evaluated last
    state: Vec<f64>,
    /// loops are closed to this part of the reach
    closed: f64,
    /// the numbers that were factored, once they are kept
    is_kept: bool,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    /// by how much the last projection changed coordinates and velocities, at most
    changes: [f64; 2],
    residual: Vec<f64>,
    /// sizes of its terms, and the largest of them
    sizes: Vec<f64>,
    speed: f64,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

/// Most Newton steps: drift is small.
const STEPS: usize = 8;
/// Loops are closed to this part of the mechanism's reach, unless other parts are asked for, up to the second.
const CLOSED: f64 = 1e-13;
const COARSEST: f64 = 1e-8;
/// Where no step helps any more, they may be open by this.
const ACCEPTED: f64 = 1e-10;
/// And velocities by this part of the largest that rows compare.
const OPEN: f64 = 1e-9;

impl OpenLoopSolver {
    /// For a mechanism at states like this one.
    ///
    /// # Errors
    /// [`FormulationError::Kkt`] if the pattern is too large.
    ///
    /// # Panics
    /// If a slice has another length than [`OpenLoop::coordinates`].
    pub fn new(
        mechanism: &OpenLoop,
        time: f64,
        u: &[f64],
        w: &[f64],
    ) -> Result<Self, FormulationError> {
        let mut evaluation = OpenLoopEvaluation::new(mechanism);
        mechanism.evaluate(time, (u, w), &[], &mut evaluation);
        let size = mechanism.coordinates() + mechanism.rows();
        let equations = mechanism.equations(&evaluation);
        let mut kkt = SparseKkt::for_values(&equations)?;
        // then M̂ = Bᵀ M B is positive definite, and its diagonal is the same at all states
        if mechanism.system.mass().iter().all(|&mass| mass > 0.0) {
            kkt.trust_mass(&equations);
        }
        Ok(OpenLoopSolver {
            kkt,
            lambda: vec![0.0; mechanism.rows()],
            state: vec![f64::NAN; 1 + 2 * mechanism.coordinates()],
            closed: CLOSED,
            mass: evaluation.mass().to_vec(),
            jacobian: evaluation.jacobian().to_vec(),
            is_kept: true,
            changes: [0.0; 2],
            residual: vec![0.0; mechanism.rows()],
            sizes: vec![0.0; mechanism.rows()],
            speed: 0.0,
            rhs: vec![0.0; size],
            solution: vec![0.0; size],
            evaluation,
        })
    }

    /// The state evaluated last, with all terms of its equations.
    pub fn evaluation(&self) -> &OpenLoopEvaluation {
        &self.evaluation
    }

    /// Multipliers of the rows at the state that was solved last; N, N·m.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// What is left open at the state projected last: the largest `|Φ|` and `|Φ̂_q w − ν|`; m, rad, and per second.
    pub fn left_open(&self) -> [f64; 2] {
        [largest(self.evaluation.phi()), largest(&self.residual)]
    }

    /// The largest change of a coordinate (m, rad) and of a velocity (m/s, rad/s) by the last projection.
    pub fn changes(&self) -> [f64; 2] {
        self.changes
    }

    /// Evaluates a state without solving for its accelerations.
    ///
    /// # Panics
    /// If a slice has another length than [`OpenLoop::coordinates`].
    pub fn place(&mut self, mechanism: &OpenLoop, time: f64, u: &[f64], w: &[f64]) {
        self.keep();
        self.note(time, u, w);
        mechanism.evaluate(time, (u, w), &[], &mut self.evaluation);
    }

    /// Accelerations at a state.
    ///
    /// # Arguments
    /// - `time` s
    /// - `u`, `w` coordinates and velocities
    /// - `applied` absolute forces besides those of the model, or nothing ([`OpenLoop::evaluate`])
    /// - `a` **out**, length [`OpenLoop::coordinates`]
    ///
    /// # Errors
    /// As [`SparseKkt`].
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn accelerations(
        &mut self,
        mechanism: &OpenLoop,
        time: f64,
        u: &[f64],
        w: &[f64],
        applied: &[f64],
        a: &mut [f64],
    ) -> Result<(), FormulationError> {
        self.note(time, u, w);
        mechanism.evaluate(time, (u, w), applied, &mut self.evaluation);
        self.is_kept = false;
        self.kkt.solve(&mechanism.equations(&self.evaluation), a, &mut self.lambda).map(|_| ())
    }

    /// Closes positions to this part of the mechanism's reach, and velocities to this part of the largest that rows
    /// compare, 1e-13 unless it is told: for motions whose tolerance makes less do. Between 1e-13 and 1e-8.
    pub fn set_closing(&mut self, part: f64) {
        self.closed = part.clamp(CLOSED, COARSEST);
    }

    /// Closes the loops at a state with the least change of positions and of velocities in the metric of kinetic
    /// energy, by the factor of the accelerations found last, which should be those of this state. Rows that constrain
    /// velocities only hold for the change of positions, too.
    ///
    /// Does not allocate, but where the order of elimination does not suit the numbers any more.
    ///
    /// # Errors
    /// [`KinematicsError::CannotAssemble`] if no position nearby closes the loops,
    /// [`KinematicsError::Contradiction`] if no velocities satisfy them there, [`KinematicsError::NotFinite`]. The
    /// state is then that of the last step.
    ///
    /// # Panics
    /// If a slice has another length than [`OpenLoop::coordinates`].
    pub fn project(
        &mut self,
        mechanism: &OpenLoop,
        time: f64,
        u: &mut [f64],
        w: &mut [f64],
    ) -> Result<Projected, KinematicsError> {
        for (what, list) in [("u", &*u), ("w", &*w)] {
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(KinematicsError::NotFinite { what, index });
            }
        }
        self.keep();
        let mut done = Projected::default();
        self.changes = [0.0; 2];
        self.close(mechanism, time, u, w, &mut done)?;
        self.close_velocity(mechanism, time, w, &mut done)?;
        Ok(done)
    }

    /// Remembers the state that is evaluated.
    fn note(&mut self, time: f64, u: &[f64], w: &[f64]) {
        let n = u.len();
        self.state[0] = time;
        self.state[1..=n].copy_from_slice(u);
        self.state[1 + n..].copy_from_slice(w);
    }

    fn is_at(&self, time: f64, u: &[f64], w: &[f64]) -> bool {
        let n = u.len();
        self.state[0] == time && self.state[1..=n] == *u && self.state[1 + n..] == *w
    }

    /// Remembers what is factored, before other states are evaluated.
    fn keep(&mut self) {
        if self.is_kept {
            return;
        }
        self.is_kept = true;
        self.mass.copy_from_slice(self.evaluation.mass());
        self.jacobian.copy_from_slice(self.evaluation.jacobian());
    }

    fn close(
        &mut self,
        mechanism: &OpenLoop,
        time: f64,
        u: &mut [f64],
        w: &[f64],
        done: &mut Projected,
    ) -> Result<(), KinematicsError> {
        let n = u.len();
        let mut before = f64::INFINITY;
        let mut is_fresh = false;
        loop {
            if done.steps > 0 || !self.is_at(time, u, w) {
                mechanism.evaluate(time, (u, w), &[], &mut self.evaluation);
                self.state[0] = f64::NAN;
            }
            let residual = largest(self.evaluation.phi());
            let reach = self.reach(mechanism);
            if done.steps == 0 {
                done.position = residual;
            }
            if residual <= self.closed * reach {
                return Ok(());
            }
            let helps = residual < 0.5 * before && done.steps < STEPS;
            if !helps && !is_fresh && done.steps < STEPS {
                self.factor(mechanism, time)?;
                is_fresh = true;
            } else if !helps {
                if residual <= ACCEPTED * reach {
                    return Ok(());
                }
                let open =
                    open_rows(&mechanism.system, self.evaluation.phi(), |_| self.closed * reach);
                let iterations = done.steps;
                return Err(KinematicsError::CannotAssemble { time, iterations, open });
            } else {
                is_fresh = false;
            }
            before = residual;
            self.residual.copy_from_slice(self.evaluation.phi());
            self.solve(mechanism, time)?;
            self.changes[0] += add(u, &self.solution[..n]);
            self.state[0] = f64::NAN;
            done.steps += 1;
        }
    }

    fn close_velocity(
        &mut self,
        mechanism: &OpenLoop,
        time: f64,
        w: &mut [f64],
        done: &mut Projected,
    ) -> Result<(), KinematicsError> {
        let n = w.len();
        self.measure(mechanism, w);
        done.velocity = largest(&self.residual);
        let (mut before, mut is_fresh) = (f64::INFINITY, false);
        let mut steps = 0;
        loop {
            let residual = largest(&self.residual);
            let scale = self.speed.max(f64::MIN_POSITIVE);
            if residual <= self.closed * scale {
                return Ok(());
            }
            let helps = residual < 0.1 * before && steps < STEPS;
            if !helps && !is_fresh {
                self.factor(mechanism, time)?;
                is_fresh = true;
            } else if !helps {
                if residual <= OPEN * scale {
                    return Ok(());
                }
                let open = open_rows(&mechanism.system, &self.residual, |_| OPEN * scale);
                let what = Quantity::Velocities;
                return Err(KinematicsError::Contradiction { time, what, open });
            }
            before = residual;
            self.solve(mechanism, time)?;
            self.changes[1] += add(w, &self.solution[..n]);
            self.measure(mechanism, w);
            steps += 1;
        }
    }

    /// `Φ̂_q w − ν`, into the residual, and the largest sum of the sizes of its terms.
    fn measure(&mut self, mechanism: &OpenLoop, w: &[f64]) {
        for (rest, nu) in self.residual.iter_mut().zip(self.evaluation.nu()) {
            *rest = -nu;
        }
        self.sizes.copy_from_slice(&self.residual);
        self.sizes.iter_mut().for_each(|size| *size = size.abs());
        let jacobian = self.evaluation.jacobian();
        for (row, column, value) in mechanism.pattern.jacobian_entries() {
            let term = jacobian[value] * w[column];
            self.residual[row] += term;
            self.sizes[row] += term.abs();
        }
        self.speed = largest(&self.sizes);
    }

    /// Factors the matrix of the position evaluated last.
    #[cold]
    fn factor(&mut self, mechanism: &OpenLoop, time: f64) -> Result<(), KinematicsError> {
        let n = mechanism.coordinates();
        self.is_kept = false;
        self.keep();
        let equations = mechanism.equations(&self.evaluation);
        let (a, lambda) = self.solution.split_at_mut(n);
        if let Err(error) = self.kkt.solve(&equations, a, lambda) {
            return Err(KinematicsError::Formulation { time, error: Box::new(error) });
        }
        Ok(())
    }

    /// The least change that takes the residual off.
    fn solve(&mut self, mechanism: &OpenLoop, time: f64) -> Result<(), KinematicsError> {
        let n = self.rhs.len() - self.residual.len();
        self.rhs[..n].fill(0.0);
        self.rhs[n..].iter_mut().zip(&self.residual).for_each(|(to, rest)| *to = -rest);
        if self.try_solve()? {
            return Ok(());
        }
        // nothing has been factored yet
        self.factor(mechanism, time)?;
        self.try_solve().map(|_| ())
    }

    fn try_solve(&mut self) -> Result<bool, KinematicsError> {
        let values = Values::new(&self.mass, &self.jacobian);
        Ok(self.kkt.solve_again(&values, &self.rhs, &mut self.solution)?)
    }

    /// The farthest that a mass centre is from the origin, at least the typical length; m.
    fn reach(&self, mechanism: &OpenLoop) -> f64 {
        let poses = &self.evaluation.absolute.planar;
        let length = mechanism.system.typical_length();
        poses.iter().fold(length, |most, p| most.max(p.centre.x.abs()).max(p.centre.y.abs()))
    }
}

/// `x ← x + d`, and the largest of `d`.
fn add(x: &mut [f64], d: &[f64]) -> f64 {
    x.iter_mut().zip(d).for_each(|(x, d)| *x += d);
    largest(d)
}
