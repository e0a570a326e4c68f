//! A mechanism as equations of motion in joint coordinates.

mod inertia;
mod loads;
mod unsupported;

pub use inertia::{BodyPoint, Inertia, PointMotion};
pub use unsupported::{Feature, Unsupported};

use pommel_math::{Real, Vec3, Wrench};
use pommel_mechanism::UnsoundForce;
use pommel_model::{Mechanism, ResolvedState};
use pommel_tree::{BodyId, BodyMotion, Model, Workspace};

use crate::Error;
use crate::forces::{Acting, Given, InTree};
use loads::Loads;

/// The equations of motion of a tree-like mechanism: `M(q) v̇ + h(q, v) = τ(t, q, v)`.
///
/// Built once from a [`Mechanism`]; immutable, so threads can share it. Coordinates are in the
/// order of [`Mechanism::coordinate_names`].
#[derive(Clone, Debug)]
pub struct TreeDynamics {
    model: Model<f64>,
    /// tree body of each body of the mechanism
    bodies: Vec<BodyId>,
    loads: Loads,
    given: Vec<Given>,
}

/// Memory for the evaluations of one [`TreeDynamics`], allocated once; one per thread.
#[derive(Clone, Debug)]
pub struct Evaluator {
    workspace: Workspace<f64>,
    tau: Vec<f64>,
    residual: Vec<f64>,
    wrenches: Vec<Wrench<f64>>,
    motions: Vec<BodyMotion<f64>>,
    given: InTree,
}

/// Accelerations at one state, and how well they satisfy the equations of motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Accelerations {
    /// `v̇`, length `nv`.
    pub a: Vec<f64>,
    /// The residual of the equations of motion, evaluated by inverse dynamics, relative to their
    /// largest term: whether the elimination lost digits.
    pub backward_error: f64,
}

impl TreeDynamics {
    /// The equations of motion of a mechanism.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with everything in the mechanism that joint coordinates cannot
    /// express yet, [`Error::Tree`] if the numbers make no tree.
    pub fn new(mechanism: &Mechanism) -> Result<Self, Error> {
        let unsupported = unsupported::find(mechanism);
        if !unsupported.is_empty() {
            return Err(Error::Unsupported(unsupported));
        }
        let (model, bodies) = pommel_mechanism::joint_space::tree_model(mechanism)?;
        let loads = Loads::new(mechanism, &bodies);
        Ok(TreeDynamics { model, bodies, loads, given: Vec::new() })
    }

    /// The tree with its numbers.
    pub fn model(&self) -> &Model<f64> {
        &self.model
    }

    /// The tree body of a body of the mechanism.
    ///
    /// # Panics
    /// If `body` is not the index of a body of the mechanism.
    pub fn body(&self, body: usize) -> BodyId {
        self.bodies[body]
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
        self.given.push(Given::new(name.into(), law));
    }

    /// Times at which a force of the mechanism has a corner or a jump, in order: an integration that steps over one
    /// loses its order, or misses a short pulse altogether.
    pub fn breakpoints(&self) -> Vec<f64> {
        self.loads.breakpoints()
    }

    /// Where in the mechanism forces other than gravity come from.
    pub(crate) fn load_places(&self, mechanism: &Mechanism) -> Vec<String> {
        let mut places = self.loads.places(mechanism);
        places.extend(self.given.iter().map(|given| format!("force '{}' (code)", given.name())));
        places
    }

    /// Memory for evaluations.
    pub fn evaluator(&self) -> Evaluator {
        let (nv, bodies) = (self.model.nv(), self.model.body_count());
        Evaluator {
            workspace: Workspace::new(&self.model),
            tau: vec![0.0; nv],
            residual: vec![0.0; nv],
            wrenches: vec![Wrench::zero(); bodies],
            motions: vec![BodyMotion::default(); bodies],
            given: InTree::new(nv, bodies),
        }
    }

    /// Whether momentum changes by uniform gravity only: every root is free, and neither a load of
    /// the mechanism nor the joint forces and wrenches of `state` act from outside. What forces given as code do is not
    /// known.
    pub fn is_isolated(&self, state: &ResolvedState) -> bool {
        let topology = self.model.topology();
        topology.bodies().all(|b| !topology.is_fixed_to_ground(b))
            && self.model.has_only_free_roots()
            && self.given.is_empty()
            && !self.loads.acts_from_outside(&self.model)
            && topology.free_velocities().all(|v| state.tau[v] == 0.0)
            && self.wrenches(state).is_none()
    }

    /// Accelerations at time `t` with constant joint forces and wrenches added to the loads of the
    /// mechanism, and the power of all forces but gravity.
    ///
    /// # Arguments
    /// - `q`, `v` state; `applied` joint forces, length `nv`; `external` one wrench per body of the
    ///   tree or none
    /// - `a` **out**, `v̇`, length `nv`
    ///
    /// # Errors
    /// [`pommel_tree::TreeError`] if a joint feels no inertia.
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn evaluate(
        &self,
        evaluator: &mut Evaluator,
        t: f64,
        state: (&[f64], &[f64]),
        applied: Applied<'_>,
        a: &mut [f64],
    ) -> Result<f64, pommel_tree::TreeError> {
        let (q, v) = state;
        let Evaluator { workspace, tau, wrenches, motions, given, .. } = evaluator;
        tau.copy_from_slice(applied.tau);
        self.loads.add_joint_forces(t, q, v, tau);
        let with_wrenches = self.with_wrenches(applied);
        if with_wrenches {
            pommel_tree::forward_kinematics(&self.model, workspace, q, v, motions);
            match applied.wrenches {
                Some(constant) => wrenches.copy_from_slice(constant),
                None => wrenches.fill(Wrench::zero()),
            }
            self.loads.add_wrenches(t, motions, wrenches);
            given.add(&self.given, (t, q, v), (&self.bodies, motions), (tau, wrenches));
        }
        let external = with_wrenches.then_some(&**wrenches);
        let power = power(tau, v, external.unwrap_or_default(), motions);
        pommel_tree::forward_dynamics(&self.model, workspace, q, v, tau, external, a)?;
        Ok(power)
    }

    /// Accelerations at a state of the mechanism, at time 0.
    ///
    /// # Errors
    /// [`Error::Tree`] if a joint feels no inertia, [`Error::Force`] if a force given as code is no number.
    pub fn accelerations(&self, state: &ResolvedState) -> Result<Accelerations, Error> {
        let mut evaluator = self.evaluator();
        let wrenches = self.wrenches(state);
        let applied = Applied { tau: &state.tau, wrenches: wrenches.as_deref() };
        let mut a = vec![0.0; self.model.nv()];
        let evaluated = self.evaluate(&mut evaluator, 0.0, (&state.q, &state.v), applied, &mut a);
        if let Some(source) = evaluator.unsound_force().cloned() {
            return Err(Error::Force { source, reached: None });
        }
        evaluated?;
        let backward_error = self.residual(&mut evaluator, (&state.q, &state.v), applied, &a);
        Ok(Accelerations { a, backward_error })
    }

    /// `|τ − (M a + h)|` relative to the largest of `τ`, `M a` and `h`, for the loads of the last
    /// evaluation.
    fn residual(
        &self,
        evaluator: &mut Evaluator,
        (q, v): (&[f64], &[f64]),
        applied: Applied<'_>,
        a: &[f64],
    ) -> f64 {
        let Evaluator { workspace, tau, residual, wrenches, .. } = evaluator;
        let external = self.with_wrenches(applied).then_some(&**wrenches);
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let zero = vec![0.0; a.len()];
        pommel_tree::inverse_dynamics(&self.model, workspace, q, v, &zero, external, residual);
        let bias = residual.clone();
        let mut scale = largest(tau).max(largest(&bias));
        pommel_tree::inverse_dynamics(&self.model, workspace, q, v, a, external, residual);
        let inertial: Vec<f64> = residual.iter().zip(&bias).map(|(r, b)| r - b).collect();
        scale = scale.max(largest(&inertial));
        let worst =
            residual.iter().zip(&*tau).fold(0.0_f64, |worst, (r, t)| worst.max((r - t).abs()));
        if scale > 0.0 { worst / scale } else { worst }
    }

    /// Whether joints have springs, damping or torques.
    pub(crate) fn has_joint_forces(&self) -> bool {
        self.loads.has_joint_forces()
    }

    /// Adds the forces of springs, damping and torques in joints.
    pub(crate) fn add_joint_forces(&self, t: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        self.loads.add_joint_forces(t, q, v, tau);
    }

    /// Adds the forces of the mechanism on its bodies.
    pub(crate) fn add_wrenches(
        &self,
        t: f64,
        motions: &[BodyMotion<f64>],
        wrenches: &mut [Wrench<f64>],
    ) {
        self.loads.add_wrenches(t, motions, wrenches);
    }

    /// Whether forces act on bodies.
    pub(crate) fn with_wrenches(&self, applied: Applied<'_>) -> bool {
        self.loads.has_wrenches() || applied.wrenches.is_some() || !self.given.is_empty()
    }

    /// The wrenches of a state in the order of the tree; none if all are zero.
    pub fn wrenches(&self, state: &ResolvedState) -> Option<Vec<Wrench<f64>>> {
        if state.wrenches.iter().flatten().all(|&x| x == 0.0) {
            return None;
        }
        let mut list = vec![Wrench::zero(); self.model.body_count()];
        for (&body, w) in self.bodies.iter().zip(&state.wrenches) {
            list[body.index()] =
                Wrench::new(Vec3::from_f64([w[0], w[1], w[2]]), Vec3::from_f64([w[3], w[4], w[5]]));
        }
        Some(list)
    }
}

impl Evaluator {
    /// The force given as code that was no number in the last evaluation at a state that is finite; none if all were
    /// numbers there.
    pub fn unsound_force(&self) -> Option<&UnsoundForce> {
        self.given.unsound()
    }
}

/// The power of joint forces, and of wrenches on moving bodies.
#[inline(always)]
pub(crate) fn power<T: Real>(
    tau: &[T],
    v: &[T],
    wrenches: &[Wrench<T>],
    motions: &[BodyMotion<T>],
) -> T {
    let mut power = T::zero();
    for (tau, v) in tau.iter().zip(v) {
        power += *tau * *v;
    }
    for (wrench, motion) in wrenches.iter().zip(motions) {
        power += wrench.moment.dot(motion.angular_velocity) + wrench.force.dot(motion.velocity);
    }
    power
}

/// Forces besides the loads of the mechanism, constant in time.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'a> {
    /// Joint forces, length `nv`; N·m, N.
    pub tau: &'a [f64],
    /// One wrench per body of the tree, about its mass centre, in world axes.
    pub wrenches: Option<&'a [Wrench<f64>]>,
}
