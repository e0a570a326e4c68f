//! A mechanism, with or without loops, as equations of motion in absolute coordinates.

use std::f64::consts::TAU;
use std::sync::Arc;

use pommel_math::{Quaternion, Vec3};
use pommel_mechanism::formulation::{Formulation, FormulationError, Method};
use pommel_mechanism::joint_space::JointSpace;
use pommel_mechanism::kinematics::{
    AssembleOptions, Assembler, DrivenMotion, KinematicsError, Mobility, VelocityProjector,
    mobility, sensitivity,
};
use pommel_mechanism::open_loop::OpenLoop;
use pommel_mechanism::{BodyPoints, Equations, Evaluation, System};
use pommel_model::{JointType, Mechanism, ResolvedState};
use pommel_tree::Topology;

use crate::Error;
use crate::forces::{Acting, Given, InAbsolute};

/// The equations of motion of a mechanism in absolute coordinates: `M v̇ + Φ_qᵀ λ = Q`, `Φ_q v̇ = γ`.
///
/// Coordinates are those of [`System`]: mass centres and orientations of all bodies that move.
#[derive(Clone, Debug)]
pub struct AbsoluteDynamics {
    mechanism: Mechanism,
    system: System<f64>,
    space: JointSpace,
}

/// A state in absolute coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct AbsoluteState {
    /// Coordinates of the [`System`].
    pub q: Vec<f64>,
    /// Velocities of the [`System`].
    pub v: Vec<f64>,
    /// Forces besides those of the model, as Q: N, N·m.
    pub applied: Vec<f64>,
    /// Angles of joints in space with their full turns, see [`Evaluation::turns`].
    pub turns: Vec<f64>,
    /// The largest amount by which the given positions missed the constraints, if they were moved; m, rad.
    pub moved: f64,
    /// The same of velocities, which are moved at the position that was found; m/s, rad/s.
    pub velocities_moved: f64,
}

/// Accelerations and multipliers at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The formulation that found them.
    pub method: Method,
    /// `v̇`, length [`System::nv`].
    pub a: Vec<f64>,
    /// λ, length [`System::rows`].
    pub multipliers: Vec<f64>,
    /// The largest residual of both equations, each relative to the largest of its terms.
    pub backward_error: f64,
    /// Rank of Φ_q, if the method finds it.
    pub rank: Option<usize>,
}

/// How a body moves, in world axes; in the plane the third component of vectors is zero, and angular
/// quantities have the third component only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Mass centre, m.
    pub position: [f64; 3],
    /// In the plane, rad.
    pub angle: Option<f64>,
    /// In space, unit quaternion body → world.
    pub quaternion: Option<[f64; 4]>,
    /// Of the mass centre, m/s.
    pub velocity: [f64; 3],
    /// rad/s.
    pub angular_velocity: [f64; 3],
    /// Of the mass centre, m/s².
    pub acceleration: [f64; 3],
    /// rad/s².
    pub angular_acceleration: [f64; 3],
}

/// Joint coordinates change by so much from one position to the next while turns are counted, rad:
/// an angle between two bodies far apart in the tree is a sum of several.
const TURN: f64 = 0.2;
/// Most positions while turns are counted: 20 000 rad.
const MOST_STEPS: f64 = 1e5;
/// States that violate constraints by more than this part of their numbers are not integrated.
const CONSISTENT: f64 = 1e-7;
/// Positions that miss constraints by more than this are moved.
const MISSED: f64 = 1e-9;

impl AbsoluteDynamics {
    /// The equations of motion of a mechanism.
    ///
    /// # Errors
    /// [`Error::System`] if absolute coordinates do not know something of the mechanism,
    /// [`Error::Tree`] if the joints span no tree.
    pub fn new(mechanism: &Mechanism) -> Result<Self, Error> {
        let system = System::new(mechanism)?;
        let space = JointSpace::new(mechanism, &system)?;
        Ok(AbsoluteDynamics { mechanism: mechanism.clone(), system, space })
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// Adds a force given as code to all that is asked from here on ([`forces`](crate::forces)).
    ///
    /// # Arguments
    /// - `name` for errors
    /// - `law` a function of time and state alone
    pub fn add_force(
        &mut self,
        name: impl Into<String>,
        law: impl Fn(&mut Acting<'_>) + Send + Sync + 'static,
    ) {
        self.give(Given::new(name.into(), law));
    }

    pub(crate) fn give(&mut self, given: Given) {
        let points = BodyPoints::new(&self.mechanism, &self.system).into();
        self.system.add_force_law(Arc::new(InAbsolute { given, points }));
    }

    /// The system of equations.
    pub fn system(&self) -> &System<f64> {
        &self.system
    }

    /// The initial state of the model, assembled if it misses constraints.
    ///
    /// # Errors
    /// [`Error::Kinematics`] if the mechanism cannot be assembled from there, or if no velocities
    /// near the given ones satisfy the constraints.
    pub fn initial_state(&self) -> Result<AbsoluteState, Error> {
        let (q, v) = self.space.clone().initial_state(&self.mechanism, &self.system);
        let applied = vec![0.0; self.system.nv()];
        let turns = self.turns(&crate::initial_state(&self.mechanism)?.q);
        self.close(given(q, v, applied, turns))
    }

    /// A state given by joint coordinates, assembled if it misses constraints.
    ///
    /// # Errors
    /// As [`initial_state`](Self::initial_state).
    pub fn state(&self, joint: &ResolvedState) -> Result<AbsoluteState, Error> {
        let mut space = self.space.clone();
        let system = &self.system;
        let (mut q, mut v) = (vec![0.0; system.nq()], vec![0.0; system.nv()]);
        space.to_absolute((&joint.q, &joint.v), &mut q, &mut v);
        let applied = vec![0.0; system.nv()];
        let turns = self.turns(&joint.q);
        let mut state = self.close(given(q, v, applied, turns))?;
        space.add_joint_forces(&state.q, &state.v, &joint.tau, &mut state.applied);
        for (b, wrench) in joint.wrenches.iter().enumerate() {
            let Some(i) = system.body_of_model(b) else { continue };
            let [nx, ny, nz, fx, fy, fz] = *wrench;
            if system.is_planar() {
                let force = &mut state.applied[3 * i..3 * i + 3];
                force.iter_mut().zip([fx, fy, nz]).for_each(|(to, f)| *to += f);
            } else {
                let rotation = Quaternion::from_slice(&state.q[7 * i + 3..]).rotation();
                let moment = rotation.transpose_mul(Vec3::new(nx, ny, nz));
                let force = &mut state.applied[6 * i..6 * i + 6];
                let wrench = [moment.x, moment.y, moment.z, fx, fy, fz];
                force.iter_mut().zip(wrench).for_each(|(to, f)| *to += f);
            }
        }
        Ok(state)
    }

    /// Checks that a state is on the constraints at time 0: positions to 1e-7 m or rad (of the coordinates, where
    /// these are larger), velocities to the same part of theirs.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] with the rows that are violated most.
    ///
    /// # Panics
    /// If the state is not one of this mechanism.
    pub fn check_consistent(&self, state: &AbsoluteState) -> Result<(), Error> {
        let system = &self.system;
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(&state.turns);
        system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
        let size = |list: &[f64]| list.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let mut slips: Vec<f64> = evaluation.nu().iter().map(|nu| -nu).collect();
        for (row, column, value) in system.pattern().jacobian_entries() {
            slips[row] += evaluation.jacobian()[value] * state.v[column];
        }
        let mut rows = Vec::new();
        for (of_velocities, list, limit) in [
            (false, evaluation.phi(), CONSISTENT * size(&state.q)),
            (true, &slips[..], CONSISTENT * size(&state.v)),
        ] {
            // NaN is left to those who integrate
            let violated = list.iter().enumerate().filter(|(_, by)| by.abs() > limit);
            rows.extend(violated.map(|(row, by)| (system.row_name(row), *by, of_velocities)));
        }
        if rows.is_empty() {
            return Ok(());
        }
        rows.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        rows.truncate(5);
        Err(Error::Inconsistent { time: 0.0, rows })
    }

    /// The mechanism in the angles of its bodies, with the forces given as code
    /// ([`integrate_open_loop`](crate::constrained::integrate_open_loop)).
    ///
    /// # Errors
    /// [`Error::NotPlanar`] for mechanisms in space, [`Error::System`] as [`new`](Self::new).
    pub fn open_loop(&self) -> Result<OpenLoop, Error> {
        let mut found = OpenLoop::new(&self.mechanism)?.ok_or(Error::NotPlanar)?;
        self.system.force_laws().iter().for_each(|law| found.add_force_law(law.clone()));
        Ok(found)
    }

    /// How the joint coordinates are laid out.
    pub(crate) fn joint_topology(&self) -> &Topology {
        self.space.model().topology()
    }

    /// The initial position of the model at time 0, assembled if it misses constraints or drivers.
    ///
    /// # Errors
    /// [`Error::Kinematics`] with the constraints that stay open.
    pub fn initial_position(&self) -> Result<Vec<f64>, Error> {
        let (mut q, _) = self.space.clone().initial_state(&self.mechanism, &self.system);
        self.assemble(&mut q, &mut self.turns(&crate::initial_state(&self.mechanism)?.q))?;
        Ok(q)
    }

    /// A position given by joint coordinates, assembled at time 0 if it misses constraints or
    /// drivers.
    ///
    /// # Errors
    /// As [`initial_position`](Self::initial_position).
    pub fn position(&self, joint: &ResolvedState) -> Result<Vec<f64>, Error> {
        let (mut q, mut v) = (vec![0.0; self.system.nq()], vec![0.0; self.system.nv()]);
        self.space.clone().to_absolute((&joint.q, &joint.v), &mut q, &mut v);
        self.assemble(&mut q, &mut self.turns(&joint.q))?;
        Ok(q)
    }

    /// Rank, degrees of freedom and redundant rows at a position, at time 0.
    ///
    /// # Errors
    /// [`Error::Kinematics`] if a coordinate is not a finite number.
    ///
    /// # Panics
    /// If `q` has another length than [`System::nq`].
    pub fn mobility(&self, q: &[f64]) -> Result<Mobility, Error> {
        Ok(mobility(&self.system, 0.0, q)?)
    }

    /// The motion that the drivers of the model prescribe, from a position given by joint
    /// coordinates.
    ///
    /// # Errors
    /// [`Error::Kinematics`] if the system is too large.
    pub fn driven_motion(&self, start: &ResolvedState) -> Result<DrivenMotion<'_>, Error> {
        let mut motion = DrivenMotion::new(&self.system)?;
        let mut theta = start.q.clone();
        let description = self.mechanism.description();
        for driver in &description.drivers {
            // a driver knows the turn of its joint
            let Some(index) = description.joint_index(&driver.joint) else { continue };
            let joint = &self.mechanism.joints()[index];
            let angle = joint.q.start + driver.coordinate;
            let turns = match joint.joint_type {
                JointType::Prismatic => false,
                JointType::Cylindrical => driver.coordinate == 0,
                JointType::Planar => driver.coordinate == 2,
                _ => true,
            };
            if turns && joint.q.contains(&angle) {
                let turns = (driver.motion.value(0.0) - theta[angle]) / TAU;
                theta[angle] += TAU * turns.round();
            }
        }
        motion.set_turns(&self.turns(&theta));
        Ok(motion)
    }

    /// Angles of joints in space with their full turns, at joint coordinates: counted on the way from
    /// the zero configuration.
    fn turns(&self, theta: &[f64]) -> Vec<f64> {
        let system = &self.system;
        let mut evaluation = Evaluation::new(system);
        if evaluation.turns().is_empty() || system.is_planar() {
            return evaluation.turns().to_vec();
        }
        let mut space = self.space.clone();
        let quaternions: Vec<usize> = space.model().topology().quaternions().collect();
        let is_quaternion = |k: usize| quaternions.iter().any(|&at| (at..at + 4).contains(&k));
        let farthest = theta.iter().enumerate().filter(|(k, _)| !is_quaternion(*k));
        let farthest = farthest.fold(0.0_f64, |most, (_, x)| most.max(x.abs()));
        let steps = (farthest / TURN).ceil().clamp(1.0, MOST_STEPS) as usize;
        let (mut q, mut v) = (vec![0.0; system.nq()], vec![0.0; system.nv()]);
        let rest = vec![0.0; self.mechanism.nv()];
        let mut part = theta.to_vec();
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            for (k, (part, whole)) in part.iter_mut().zip(theta).enumerate() {
                *part = if is_quaternion(k) { *whole } else { share * whole };
            }
            space.to_absolute((&part, &rest), &mut q, &mut v);
            system.place(0.0, &q, &v, &mut evaluation);
            system.track(&mut evaluation);
        }
        evaluation.turns().to_vec()
    }

    /// Moves a position onto the constraints if it misses them; returns by how much it did.
    fn assemble(&self, q: &mut [f64], turns: &mut [f64]) -> Result<f64, Error> {
        let system = &self.system;
        let rest = vec![0.0; system.nv()];
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(turns);
        system.evaluate(0.0, q, &rest, &mut evaluation);
        let missed = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let closed = missed <= MISSED;
        if closed {
            if let Some(joint) = system.reversed_joint(&evaluation) {
                return Err(KinematicsError::Reversed { time: 0.0, joint }.into());
            }
            return Ok(0.0);
        }
        let mut assembler = Assembler::new(system).map_err(KinematicsError::from)?;
        assembler.set_turns(turns);
        assembler.assemble(system, 0.0, q, &AssembleOptions::default())?;
        system.place(0.0, q, &rest, &mut evaluation);
        system.track(&mut evaluation);
        turns.copy_from_slice(evaluation.turns());
        Ok(missed)
    }

    /// Moves a state onto the constraints if it misses them.
    fn close(&self, mut state: AbsoluteState) -> Result<AbsoluteState, Error> {
        state.moved = self.assemble(&mut state.q, &mut state.turns)?;
        let mut projector = VelocityProjector::new(&self.system);
        projector.set_turns(&state.turns);
        let before = state.v.clone();
        let missed = projector.project(&self.system, 0.0, &state.q, &mut state.v, MISSED)?;
        state.velocities_moved = if state.v == before { 0.0 } else { missed };
        Ok(state)
    }

    /// A formulation with memory for this mechanism.
    ///
    /// # Errors
    /// [`Error::Formulation`] if it does not know something of the mechanism.
    pub fn formulation(
        &self,
        method: Method,
        equations: &Equations<'_>,
    ) -> Result<Box<dyn Formulation>, Error> {
        method.build_for(&self.mechanism, &self.system, equations).map_err(|e| self.named(e))
    }

    /// Accelerations and multipliers at a state.
    ///
    /// # Errors
    /// [`Error::Formulation`] with what the method needs and does not find, [`Error::Force`] if a force given as code is
    /// no number.
    pub fn accelerations(
        &self,
        method: Method,
        time: f64,
        state: &AbsoluteState,
    ) -> Result<Solution, Error> {
        let system = &self.system;
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(&state.turns);
        system.evaluate(time, &state.q, &state.v, &mut evaluation);
        self.check_forces(&evaluation, None)?;
        evaluation.force_mut().iter_mut().zip(&state.applied).for_each(|(to, f)| *to += f);
        let equations = system.equations(&evaluation, (&state.q, &state.v));
        let (mut a, mut multipliers) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
        let mut formulation = self.formulation(method, &equations)?;
        let outcome = formulation.solve(&equations, &mut a, &mut multipliers);
        let outcome = outcome.map_err(|error| self.named(error))?;
        let backward_error = equations.residual(&a, &multipliers);
        Ok(Solution { method, a, multipliers, backward_error, rank: outcome.rank })
    }

    /// By which part accelerations change when the position does by what it is known to: much of them
    /// near singular positions ([`sensitivity`]).
    ///
    /// # Errors
    /// [`Error::Formulation`] if the method does not know something of the mechanism,
    /// [`Error::Kinematics`] if a number of the state is none.
    pub fn sensitivity(
        &self,
        time: f64,
        state: &AbsoluteState,
        solution: &Solution,
    ) -> Result<f64, Error> {
        let system = &self.system;
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(&state.turns);
        system.evaluate(time, &state.q, &state.v, &mut evaluation);
        let equations = system.equations(&evaluation, (&state.q, &state.v));
        let mut formulation = self.formulation(solution.method, &equations)?;
        let mut multipliers = vec![0.0; system.rows()];
        let at = (&state.q[..], &state.v[..]);
        let found = sensitivity(system, time, at, &state.turns, &solution.a, |moved, q, v| {
            moved.force_mut().iter_mut().zip(&state.applied).for_each(|(to, f)| *to += f);
            let mut a = vec![0.0; system.nv()];
            let equations = system.equations(moved, (q, v));
            let outcome = formulation.solve(&equations, &mut a, &mut multipliers);
            outcome.is_ok().then_some(a)
        });
        Ok(found?)
    }

    /// Refuses an evaluation in which a force given as code is no number, of a motion that reached a time.
    pub(crate) fn check_forces(
        &self,
        evaluation: &Evaluation<f64>,
        reached: Option<f64>,
    ) -> Result<(), Error> {
        match self.system.unsound_force(evaluation) {
            Some(source) => Err(Error::Force { source, reached }),
            None => Ok(()),
        }
    }

    /// An error of a formulation with names for what it counts.
    pub(crate) fn named(&self, source: FormulationError) -> Error {
        let place = self.system.place_of(&source);
        Error::Formulation { source, place }
    }

    /// How the bodies move at a state in joint coordinates with joint accelerations `a`, by name.
    ///
    /// # Panics
    /// If a list has another length than the mechanism says.
    pub fn bodies_of_joints(&self, state: &ResolvedState, a: &[f64]) -> Vec<(String, BodyState)> {
        let (mut space, system) = (self.space.clone(), &self.system);
        let (mut q, mut v) = (vec![0.0; system.nq()], vec![0.0; system.nv()]);
        let mut rates = vec![0.0; system.nv()];
        space.to_absolute((&state.q, &state.v), &mut q, &mut v);
        space.accelerations(&state.q, &state.v, a, &mut rates);
        self.bodies(&q, &v, &rates)
    }

    /// How the bodies of the system move at a state, by name.
    ///
    /// # Panics
    /// If a slice has another length than the system says.
    pub fn bodies(&self, q: &[f64], v: &[f64], a: &[f64]) -> Vec<(String, BodyState)> {
        let system = &self.system;
        let names = system.body_names().iter().cloned();
        let of = |i: usize| {
            if system.is_planar() {
                let (q, v, a) = (&q[3 * i..], &v[3 * i..], &a[3 * i..]);
                return BodyState {
                    position: [q[0], q[1], 0.0],
                    angle: Some(q[2]),
                    quaternion: None,
                    velocity: [v[0], v[1], 0.0],
                    angular_velocity: [0.0, 0.0, v[2]],
                    acceleration: [a[0], a[1], 0.0],
                    angular_acceleration: [0.0, 0.0, a[2]],
                };
            }
            let (q, v, a) = (&q[7 * i..], &v[6 * i..], &a[6 * i..]);
            let rotation = Quaternion::from_slice(&q[3..]).rotation();
            BodyState {
                position: [q[0], q[1], q[2]],
                angle: None,
                quaternion: Some([q[3], q[4], q[5], q[6]]),
                velocity: [v[3], v[4], v[5]],
                angular_velocity: (rotation * Vec3::from_slice(v)).to_array(),
                acceleration: [a[3], a[4], a[5]],
                // d/dt (R ω) = R ω̇
                angular_acceleration: (rotation * Vec3::from_slice(a)).to_array(),
            }
        };
        names.enumerate().map(|(i, name)| (name, of(i))).collect()
    }
}

/// A state as it was given.
fn given(q: Vec<f64>, v: Vec<f64>, applied: Vec<f64>, turns: Vec<f64>) -> AbsoluteState {
    AbsoluteState { q, v, applied, turns, moved: 0.0, velocities_moved: 0.0 }
}
