//! States that have drifted off the constraints, brought back with the least change.

use pommel_kkt::{KktError, Refinement, Values};

use super::KinematicsError;
use super::correct::{multiply, open_rows, weights};
use super::driven::largest;
use super::error::Quantity;
use super::rounding::reach;
use crate::formulation::{RANK_TOLERANCE, rank_tolerance};
use crate::linear::{Gaussian, LinearError, Pivoting};
use crate::suited::SuitedWorkspace;
use crate::{Evaluation, System};

/// Which change counts as the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// That of kinetic energy: `δᵀ M δ`. Projected velocities are what impulses in the joints make of them.
    #[default]
    Mass,
    /// That of displacements, where turns are weighed by the typical length of the mechanism.
    Length,
    /// Independent coordinates stay as they are, the others follow (coordinate partitioning \[WH82\]). Which are
    /// which is chosen by elimination with full pivoting, and again where a pivot has become poor
    /// ([`StateProjector::repartition`]).
    Independent,
}

/// What a projection did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Projected {
    /// The largest `|Φ|` before; m, rad.
    pub position: f64,
    /// The largest `|Φ_q v − ν|` before, at the position that was found; m/s, rad/s.
    pub velocity: f64,
    /// Newton steps of the position.
    pub steps: usize,
}

/// Projects positions onto `Φ = 0` and velocities onto `Φ_q v = ν`, with the least change of each; redundant
/// rows are welcome.
///
/// ```text
/// W δ + Φ_qᵀ μ = 0,  Φ_q δ = −Φ(q),  q ← q ⊕ δ      W (v' − v) + Φ_qᵀ μ = 0,  Φ_q v' = ν
/// ```
///
/// `[WH82]` is R. A. Wehage, E. J. Haug, *Generalized coordinate partitioning for dimension reduction in analysis of
/// constrained dynamic systems*, J. Mech. Des. 104 (1982).
///
/// Positions by a few Newton steps, so that changes are least to second order in the drift; velocities are the nearest
/// to 1e-10 of the largest, over the square of the least singular value of Φ_q next to singular positions. Rows that
/// constrain velocities only leave positions alone.
#[derive(Clone, Debug)]
pub struct StateProjector {
    metric: Metric,
    weights: Vec<f64>,
    /// those of positions, where they differ
    position_weights: Option<Vec<f64>>,
    length: f64,
    workspace: SuitedWorkspace,
    partition: Option<Partition>,
    evaluation: Evaluation<f64>,
    jacobian: Vec<f64>,
    squares: Vec<f64>,
    residual: Vec<f64>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    /// what is left of a row beside others counts as nothing below this
    floor: f64,
    /// what it is in a first attempt
    first_floor: f64,
    given: [Vec<f64>; 2],
    /// positions are closed to this part of the reach
    closed: f64,
}

/// Which coordinates are independent.
#[derive(Clone, Debug)]
struct Partition {
    elimination: Gaussian,
    /// Φ_q row by row, displacements as turns
    dense: Vec<f64>,
    is_chosen: bool,
    /// those of velocities
    independent: Vec<usize>,
    /// how far dependent coordinates moved with independent ones where these were chosen
    lever: f64,
    count: usize,
}

impl Partition {
    /// Chooses independent coordinates by the values of a Jacobian.
    fn choose(&mut self, system: &System<f64>, jacobian: &[f64]) -> Result<(), LinearError> {
        let n = system.nv();
        self.dense.fill(0.0);
        for (row, column, value) in system.pattern().jacobian_entries() {
            self.dense[row * n + column] += jacobian[value] / system.scales()[column];
        }
        self.elimination.eliminate(&self.dense, &[], Pivoting::Full, RANK_TOLERANCE).map(|_| ())
    }

    /// A metric that weighs independent coordinates only.
    fn write_weights(&self, system: &System<f64>, diagonal: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        for (row, column, value) in system.pattern().mass_entries() {
            if row == column && self.elimination.independent().contains(&row) {
                to[value] = diagonal[row];
            }
        }
    }
}

fn elimination(time: f64, error: LinearError) -> KinematicsError {
    KinematicsError::Elimination { time, error }
}

/// Where dependent coordinates move this many times farther than where they were chosen, coordinates are
/// partitioned anew.
const POOR: f64 = 3.0;
/// Next to a singular position, where no more than this is left of a row beside others, the state stays as it is in
/// that direction: positions are known there to the root of rounding only, so that projection would spoil
/// velocities. Where constraints do not close without, it is made after all.
const SINGULAR: f64 = 3e-4;
/// Most Newton steps: drift is small.
const STEPS: usize = 8;
/// Positions are closed to this part of the mechanism's reach, unless rounding is more.
const CLOSED: f64 = 1e-13;
/// Where no step helps any more, they may be open by this.
const ACCEPTED: f64 = 1e-10;
/// And velocities by this part of the largest.
const OPEN: f64 = 1e-9;
/// Projected velocities may differ by this part of the largest from the nearest ones.
const NEAREST: f64 = 1e-10;

impl StateProjector {
    /// Memory for a system.
    pub fn new(system: &System<f64>, metric: Metric) -> Self {
        let pattern = system.pattern();
        let length = system.typical_length();
        let mut values = vec![0.0; pattern.mass_len()];
        match metric {
            Metric::Mass => values.copy_from_slice(system.mass()),
            Metric::Length => {
                let diagonal = weights(system, length);
                for (row, column, value) in pattern.mass_entries() {
                    if row == column {
                        values[value] = diagonal[row];
                    }
                }
            }
            // chosen at the first state
            Metric::Independent => {}
        }
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let partition = (metric == Metric::Independent).then(|| Partition {
            elimination: Gaussian::new(m, n, 0),
            dense: vec![0.0; m * n],
            is_chosen: false,
            independent: Vec::new(),
            lever: 0.0,
            count: 0,
        });
        let size = pattern.unknowns() + pattern.rows();
        StateProjector {
            metric,
            weights: values,
            position_weights: None,
            length,
            workspace: SuitedWorkspace::default(),
            partition,
            evaluation: Evaluation::new(system),
            jacobian: vec![0.0; pattern.jacobian_len()],
            squares: vec![0.0; pattern.rows()],
            residual: vec![0.0; pattern.rows()],
            rhs: vec![0.0; size],
            solution: vec![0.0; size],
            floor: 0.0,
            first_floor: SINGULAR,
            given: [vec![0.0; system.nq()], vec![0.0; system.nv()]],
            closed: CLOSED,
        }
    }

    /// Which change is least.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How often coordinates have been partitioned; 0 for other metrics.
    pub fn partitions(&self) -> usize {
        self.partition.as_ref().map_or(0, |partition| partition.count)
    }

    /// Partitions coordinates anew at a state, if a pivot has become poor there; nothing for other metrics.
    ///
    /// # Errors
    /// [`KinematicsError::Elimination`] if numbers are none.
    ///
    /// # Panics
    /// If a slice has another length than the system says.
    pub fn repartition(
        &mut self,
        system: &System<f64>,
        time: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), KinematicsError> {
        let Some(chosen) = self.partition.as_ref().map(|partition| partition.is_chosen) else {
            return Ok(());
        };
        system.evaluate(time, q, v, &mut self.evaluation);
        self.jacobian.copy_from_slice(self.evaluation.jacobian());
        let lever = if chosen { self.lever(system)? } else { 0.0 };
        let Some(partition) = &mut self.partition else { return Ok(()) };
        if chosen && lever <= POOR * partition.lever.max(1.0) {
            return Ok(());
        }
        partition.choose(system, &self.jacobian).map_err(|error| elimination(time, error))?;
        let diagonal = weights(system, self.length);
        partition.write_weights(system, &diagonal, &mut self.weights);
        // rows of velocities only leave more coordinates independent where positions are closed
        self.position_weights = None;
        let mut jacobian = self.jacobian.clone();
        system.clear_nonholonomic(&mut jacobian);
        if jacobian != self.jacobian {
            let independent = partition.elimination.independent().to_vec();
            partition.choose(system, &jacobian).map_err(|error| elimination(time, error))?;
            let mut list = vec![0.0; self.weights.len()];
            partition.write_weights(system, &diagonal, &mut list);
            self.position_weights = Some(list);
            partition.independent = independent;
        } else {
            partition.independent = partition.elimination.independent().to_vec();
        }
        partition.is_chosen = true;
        partition.count += 1;
        self.workspace = SuitedWorkspace::default();
        let lever = self.lever(system)?;
        if let Some(partition) = &mut self.partition {
            partition.lever = lever;
        }
        Ok(())
    }

    /// How far dependent coordinates move where each independent one moves by 1, in one direction or the other;
    /// displacements as turns.
    fn lever(&mut self, system: &System<f64>) -> Result<f64, KktError> {
        let n = system.nv();
        let Some(partition) = &self.partition else { return Ok(0.0) };
        self.rhs.fill(0.0);
        for (k, &i) in partition.independent.iter().enumerate() {
            self.rhs[i] = if k % 2 == 0 { 1.0 } else { -1.0 } / system.scales()[i];
        }
        for (row, column, value) in system.pattern().mass_entries() {
            if row == column {
                self.rhs[row] *= self.weights[value];
            }
        }
        self.solve(system)?;
        let moved = self.solution[..n].iter().zip(system.scales());
        Ok(moved.fold(0.0_f64, |most, (x, scale)| most.max((x * scale).abs())))
    }

    /// Projects in all directions, also next to singular positions: for mechanisms some of whose rows are next to
    /// dependent by design.
    pub fn keep_all_rows(&mut self) {
        self.first_floor = 0.0;
    }

    /// Closes positions as far as rounding lets: what is left open next to singular positions, where the least
    /// singular value of Φ_q is σ, turns velocities by it over σ² and accelerations by it over σ³.
    pub fn close_to_rounding(&mut self) {
        self.closed = f64::EPSILON;
    }

    /// Takes over turns of joints in space ([`Evaluation::turns`]); they are zero otherwise.
    ///
    /// # Panics
    /// If there are more or fewer of them than the system tracks.
    pub fn set_turns(&mut self, turns: &[f64]) {
        self.evaluation.set_turns(turns);
    }

    /// Projects a state; does not allocate, but where the order of elimination does not suit the numbers
    /// any more.
    ///
    /// # Errors
    /// [`KinematicsError::CannotAssemble`] if a position on the constraints is not found nearby,
    /// [`KinematicsError::Contradiction`] if no velocities satisfy them there,
    /// [`KinematicsError::NotFinite`], [`KinematicsError::Kkt`]. The state is then that of the last step.
    ///
    /// # Panics
    /// If a slice has another length than the system says.
    pub fn project(
        &mut self,
        system: &System<f64>,
        time: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<Projected, KinematicsError> {
        for (what, list) in [("q", &*q), ("v", &*v)] {
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(KinematicsError::NotFinite { what, index });
            }
        }
        if self.partition.as_ref().is_some_and(|partition| !partition.is_chosen) {
            self.repartition(system, time, q, v)?;
        }
        self.given[0].copy_from_slice(q);
        self.given[1].copy_from_slice(v);
        self.floor = self.first_floor;
        let found = self.attempt(system, time, q, v);
        self.floor = 0.0;
        if found.is_ok() || self.first_floor == 0.0 {
            return found;
        }
        q.copy_from_slice(&self.given[0]);
        v.copy_from_slice(&self.given[1]);
        self.attempt(system, time, q, v)
    }

    /// A projection with the threshold that is set.
    ///
    /// One factor mostly serves all steps: what a step with that of another position leaves goes with the product of
    /// drift and error.
    fn attempt(
        &mut self,
        system: &System<f64>,
        time: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<Projected, KinematicsError> {
        let n = system.nv();
        let mut done = Projected::default();
        let closed = self.closed * reach(system, self.length, q);
        let mut before = f64::INFINITY;
        // whether the factor is that of a position nearby
        let mut kept = false;
        loop {
            system.evaluate(time, q, v, &mut self.evaluation);
            let residual = largest(self.evaluation.phi());
            if done.steps == 0 {
                done.position = residual;
            }
            if residual <= closed {
                break;
            }
            let helps = residual < 0.5 * before && done.steps < STEPS;
            if !helps && kept && done.steps < STEPS {
                kept = false;
            } else if !helps {
                if residual <= ACCEPTED * reach(system, self.length, q) {
                    break;
                }
                let open = open_rows(system, self.evaluation.phi(), |_| closed);
                let iterations = done.steps;
                return Err(KinematicsError::CannotAssemble { time, iterations, open });
            }
            before = residual;
            self.rhs[..n].fill(0.0);
            let phi = self.evaluation.phi();
            self.rhs[n..].iter_mut().zip(phi).for_each(|(to, phi)| *to = -phi);
            if kept {
                self.solve_again(system)?;
            } else {
                self.jacobian.copy_from_slice(self.evaluation.jacobian());
                system.clear_nonholonomic(&mut self.jacobian);
                // rows of velocities only have other factors
                kept = !self.is_strict()
                    && self.jacobian == self.evaluation.jacobian()
                    && self.position_weights.is_none();
                self.solve_for_position(system)?;
            }
            system.displace(q, &self.solution[..n]);
            done.steps += 1;
        }
        // whether velocities are nearest enough with it
        let drift = done.position / reach(system, self.length, q);
        self.close_velocity(system, time, v, kept.then_some(drift), &mut done)?;
        Ok(done)
    }

    /// Whether each step takes a factor of its own, and refines.
    fn is_strict(&self) -> bool {
        self.closed < CLOSED
    }

    /// Solves with the metric of positions.
    fn solve_for_position(&mut self, system: &System<f64>) -> Result<(), KktError> {
        let Some(weights) = self.position_weights.take() else { return self.solve(system) };
        let others = std::mem::replace(&mut self.weights, weights);
        let solved = self.solve(system);
        self.position_weights = Some(std::mem::replace(&mut self.weights, others));
        solved
    }

    /// `Φ_q v' = ν` at the position that was evaluated, nearest to `v`. With the factor of a position that is a
    /// drift away, if there is one and what that costs is small: the change is then the least but for the part of it
    /// that the drift is.
    fn close_velocity(
        &mut self,
        system: &System<f64>,
        time: f64,
        v: &mut [f64],
        drift: Option<f64>,
        done: &mut Projected,
    ) -> Result<(), KinematicsError> {
        let n = system.nv();
        self.measure(system, v);
        done.velocity = largest(&self.residual);
        let mut before = done.velocity;
        let scale = done.velocity.max(largest(v)).max(largest(self.evaluation.nu()));
        let mut kept = drift.is_some_and(|drift| drift * done.velocity <= NEAREST * scale);
        let mut is_factored = kept;
        loop {
            // in terms of the change, so that what is closed stays as it is
            self.rhs[..n].fill(0.0);
            self.rhs[n..].iter_mut().zip(&self.residual).for_each(|(to, rest)| *to = -rest);
            if is_factored {
                self.solve_again(system)?;
            } else {
                self.jacobian.copy_from_slice(self.evaluation.jacobian());
                self.solve(system)?;
                (is_factored, kept) = (true, false);
            }
            v.iter_mut().zip(&self.solution).for_each(|(v, d)| *v += d);
            self.measure(system, v);
            let residual = largest(&self.residual);
            let scale = done.velocity.max(largest(v)).max(largest(self.evaluation.nu()));
            if residual <= CLOSED * scale {
                return Ok(());
            }
            let helps = residual < 0.1 * before && !self.is_strict();
            before = residual;
            if helps {
                continue;
            }
            if kept {
                is_factored = false;
                continue;
            }
            if residual <= OPEN * scale {
                return Ok(());
            }
            let open = open_rows(system, &self.residual, |_| OPEN * scale);
            return Err(KinematicsError::Contradiction { time, what: Quantity::Velocities, open });
        }
    }

    /// `Φ_q v − ν`, into the residual.
    fn measure(&mut self, system: &System<f64>, v: &[f64]) {
        multiply(system, self.evaluation.jacobian(), v, &mut self.residual);
        let nu = self.evaluation.nu();
        self.residual.iter_mut().zip(nu).for_each(|(rest, nu)| *rest -= nu);
    }

    /// Solves with the matrix that was factored last; the error of the factor is the caller's.
    fn solve_again(&mut self, system: &System<f64>) -> Result<(), KktError> {
        let StateProjector { weights, workspace, jacobian, rhs, solution, floor, .. } = self;
        let values = Values::new(weights, jacobian);
        let tolerance = RANK_TOLERANCE.max(*floor);
        workspace.with_factored(system.pattern(), &values, tolerance, |factor| {
            factor.substitute(rhs, solution)
        })
    }

    /// Solves `[W Φ_qᵀ; Φ_q 0] [δ; μ] = rhs`.
    fn solve(&mut self, system: &System<f64>) -> Result<(), KktError> {
        let strict = self.is_strict();
        let StateProjector {
            weights,
            workspace,
            evaluation,
            jacobian,
            squares,
            rhs,
            solution,
            floor,
            ..
        } = self;
        squares.fill(0.0);
        for (row, column, value) in system.pattern().jacobian_entries() {
            let entry = jacobian[value] / system.scales()[column];
            squares[row] += entry * entry;
        }
        let tolerance = rank_tolerance(evaluation.phi(), |row| squares[row]).max(*floor);
        let values = Values::new(weights, jacobian);
        workspace.with_factor(system.pattern(), &values, tolerance, |factor| {
            if strict {
                return factor.solve(rhs, solution, &Refinement::quick()).map(|_| ());
            }
            factor.substitute(rhs, solution)
        })
    }
}
