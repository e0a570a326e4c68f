//! Planar mechanisms integrated in the angles of their bodies.

use pommel_integrate::{Cause, Observer, Options, Stepper, System as Ode};
use pommel_mechanism::formulation::FormulationError;
use pommel_mechanism::kinematics::KinematicsError;
use pommel_mechanism::open_loop::{OpenLoop, OpenLoopSolver};

use super::{ConstrainedRun, FIXED};
use crate::absolute::AbsoluteState;
use crate::error::check_end;
use crate::forces::forced;
use crate::{AbsoluteDynamics, Error};

/// `y = (u, w)`, angles of the bodies of a planar mechanism and their rates: loops are closed after every step.
///
/// The equations are those of [`ConstrainedSystem`](super::ConstrainedSystem) with
/// [`Stabilization::Projection`](super::Stabilization), in fewer unknowns: joints of a tree need no rows
/// ([`open_loop`](pommel_mechanism::open_loop)). Singular positions are not passed.
///
/// Accelerations of a state that is projected by less than the tolerance are those before: they change the next step by
/// less than its error, and serve as its first stage without another solution.
///
/// Where a state cannot be projected, the next derivative is NaN, so that the integration ends, and
/// [`failure`](OpenLoopSystem::failure) says why.
#[derive(Debug)]
pub struct OpenLoopSystem<'a> {
    mechanism: &'a OpenLoop,
    applied: &'a [f64],
    solver: OpenLoopSolver,
    tolerance: f64,
    residuals: [f64; 2],
    failure: Option<(f64, KinematicsError)>,
}

/// Loops are closed to this part of the tolerance of steps.
const CLOSED: f64 = 1e-4;

impl<'a> OpenLoopSystem<'a> {
    /// From a state, whose applied forces act all the time, for steps of a tolerance.
    ///
    /// # Errors
    /// [`Error::Formulation`] if the pattern is too large.
    ///
    /// # Panics
    /// If the state is not one of this mechanism.
    pub fn new(
        mechanism: &'a OpenLoop,
        state: &'a AbsoluteState,
        tolerance: f64,
    ) -> Result<Self, Error> {
        let y = Self::start(mechanism, state);
        let (u, w) = y.split_at(mechanism.coordinates());
        let mut solver = OpenLoopSolver::new(mechanism, 0.0, u, w)
            .map_err(|source| Error::Formulation { source, place: None })?;
        solver.set_closing(CLOSED * tolerance);
        let applied = &state.applied[..];
        let residuals = [0.0; 2];
        Ok(OpenLoopSystem { mechanism, applied, solver, tolerance, residuals, failure: None })
    }

    /// `y` of a state: the angles of bodies and their rates ([`OpenLoop::select`]).
    ///
    /// # Panics
    /// If the state is not one of this mechanism.
    pub fn start(mechanism: &OpenLoop, state: &AbsoluteState) -> Vec<f64> {
        let n = mechanism.coordinates();
        let mut y = vec![0.0; 2 * n];
        let (u, w) = y.split_at_mut(n);
        mechanism.select(&state.q, u);
        mechanism.select(&state.v, w);
        y
    }

    /// Why a state could not be projected, and when.
    pub fn failure(&self) -> Option<&(f64, KinematicsError)> {
        self.failure.as_ref()
    }

    /// The largest `|Φ|` (m, rad) and `|Φ_q v − ν|` (m/s, rad/s) after steps.
    pub fn residuals(&self) -> [f64; 2] {
        self.residuals
    }

    /// Absolute coordinates and velocities of a state.
    ///
    /// # Panics
    /// If a slice has another length than the mechanism says.
    pub fn expand(&mut self, t: f64, y: &[f64], q: &mut [f64], v: &mut [f64]) {
        let (u, w) = y.split_at(self.mechanism.coordinates());
        self.solver.place(self.mechanism, t, u, w);
        self.mechanism.expand(self.solver.evaluation(), q, v);
    }
}

/// Names of the row, body or component that a cause counts.
fn place(mechanism: &OpenLoop, cause: &Cause<FormulationError>) -> Option<String> {
    match cause {
        Cause::Rhs(source) => mechanism.system().place_of(source),
        Cause::InitialState { component }
        | Cause::Tolerance { component, .. }
        | Cause::NonFinite { component, .. } => {
            let names = mechanism.coordinate_names();
            let name = names.get(component % names.len())?;
            let rate = if *component < names.len() { "" } else { "the rate of " };
            Some(format!("component {component} is {rate}{name}"))
        }
        _ => None,
    }
}

impl Ode<f64> for OpenLoopSystem<'_> {
    type Error = FormulationError;

    fn dim(&self) -> usize {
        2 * self.mechanism.coordinates()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), FormulationError> {
        let n = self.mechanism.coordinates();
        let (u, w) = y.split_at(n);
        let (rate, a) = dy.split_at_mut(n);
        rate.copy_from_slice(w);
        self.solver.accelerations(self.mechanism, t, u, w, self.applied, a)
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        self.failure = None;
        if self.mechanism.rows() == 0 {
            return;
        }
        let (u, w) = y.split_at_mut(self.mechanism.coordinates());
        let projected = self.solver.project(self.mechanism, t, u, w);
        // accelerations before a change within the tolerance serve the next step: the change is one of order hᵖ⁺¹,
        // and what it does to that step of order hᵖ⁺²
        let speed = w.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
        let [moved, sped] = self.solver.changes();
        let keeps = moved <= self.tolerance && sped <= self.tolerance * speed;
        let again = projected.is_ok()
            && if keeps {
                dy[..w.len()].copy_from_slice(w);
                true
            } else {
                self.rhs(t, y, dy).is_ok()
            };
        match projected {
            Err(error) => self.failure = Some((t, error)),
            Ok(_) => {
                let left = self.solver.left_open();
                self.residuals = std::array::from_fn(|i| self.residuals[i].max(left[i]));
            }
        }
        if !again {
            dy.fill(f64::NAN);
        }
    }
}

/// Integrates a planar mechanism in the angles of its bodies from time 0 to `end`, by an explicit method: in less time
/// than [`integrate_constrained`](super::integrate_constrained), which takes mechanisms in space, too, and passes
/// singular positions. Limits of joints and contacts do nothing, and dry friction does not stick.
///
/// # Arguments
/// - `options` method and steps; tolerances are those of angles, rad, and of their rates, rad/s
/// - `observer` sees every step of `y = (u, w)` ([`OpenLoop::coordinate_names`])
///
/// # Errors
/// [`Error::End`] if the end is before the start, [`Error::NotPlanar`] for mechanisms in space,
/// [`Error::Inconsistent`] if the state is not on the constraints,
/// [`Error::Constrained`] with the time if accelerations are not found on the way, [`Error::Projection`] if a state
/// there cannot be projected, as at singular positions, [`Error::Force`] if a force given as code is no number;
/// [`Error::Integration`] for options that make no sense.
///
/// # Panics
/// If the state is not one of this mechanism.
///
/// ```
/// use pommel::constrained::integrate_open_loop;
/// use pommel::integrate::{Adaptive, Options, Tableau};
/// use pommel::prelude::*;
/// use pommel::AbsoluteDynamics;
///
/// // a four-bar: crank, coupler, rocker
/// let model = Mechanism::from_toml_str(r#"
///     name = "four-bar"
///     kind = "planar"
///     gravity = [0.0, -9.81]
///     bodies = [
///         { name = "crank", mass = 1.0, inertia = 0.01 },
///         { name = "coupler", mass = 2.0, inertia = 0.1 },
///         { name = "rocker", mass = 2.0, inertia = 0.1 },
///     ]
///     joints = [
///         { name = "O", type = "revolute", parent = "ground", child = "crank", in_child = { position = [-0.2, 0.0] } },
///         { name = "A", type = "revolute", parent = "crank", in_parent = { position = [0.2, 0.0] }, child = "coupler", in_child = { position = [-0.5, 0.0] } },
///         { name = "B", type = "revolute", parent = "coupler", in_parent = { position = [0.5, 0.0] }, child = "rocker", in_child = { position = [0.0, 0.4] } },
///         { name = "C", type = "revolute", role = "loop", parent = "ground", in_parent = { position = [1.2, 0.0] }, child = "rocker", in_child = { position = [0.0, -0.4] } },
///     ]
///     initial = { q = { O = 1.2, A = -1.0, B = 0.0 } }
/// "#)?;
/// let dynamics = AbsoluteDynamics::new(&model)?;
/// let start = dynamics.initial_state()?;
/// let options = Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-9, 1e-9));
/// let run = integrate_open_loop(&dynamics, &start, &options, 2.0, &mut ())?;
/// assert_eq!(run.t, 2.0);
/// assert!(run.position_residual < 1e-12);
/// # Ok::<(), pommel::Error>(())
/// ```
pub fn integrate_open_loop(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    options: &Options,
    end: f64,
    observer: &mut impl Observer<f64>,
) -> Result<ConstrainedRun, Error> {
    check_end(end)?;
    dynamics.check_consistent(state)?;
    let mechanism = dynamics.open_loop()?;
    let mut y = OpenLoopSystem::start(&mechanism, state);
    let tolerance = options.settings().map_or(FIXED, |settings| settings.strictest(y.len()));
    let mut system = OpenLoopSystem::new(&mechanism, state, tolerance)?;
    let input = super::input;
    let mut stepper = Stepper::new(y.len(), options).map_err(input)?;
    let run = stepper.run(&mut system, 0.0, end, &mut y, observer).map_err(input)?;
    let statistics = run.outcome.statistics(0);
    let t = match run.into_result() {
        Ok(outcome) => outcome.t,
        Err(failure) => {
            if let Some((time, source)) = system.failure.take() {
                return Err(Error::Projection { time, source });
            }
            let unsound = mechanism.unsound_force(system.solver.evaluation());
            return Err(match unsound.filter(|_| forced(&failure.cause)) {
                Some(source) => Error::Force { source, reached: Some(failure.t) },
                None => {
                    let place = place(&mechanism, &failure.cause);
                    Error::Constrained { failure: Box::new(failure), place }
                }
            });
        }
    };
    let absolute = dynamics.system().nq();
    let (mut q, mut v) = (vec![0.0; absolute], vec![0.0; absolute]);
    system.expand(t, &y, &mut q, &mut v);
    let [position_residual, velocity_residual] = system.residuals;
    Ok(ConstrainedRun { t, q, v, statistics, position_residual, velocity_residual })
}
