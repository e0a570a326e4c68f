//! Forces that a program gives as code: drag, thrust, controllers, thermostats.
//!
//! A force is a name and a function of time and state, added to a mechanism once
//! ([`AbsoluteDynamics::add_force`](crate::AbsoluteDynamics::add_force),
//! [`TreeDynamics::add_force`](crate::TreeDynamics::add_force),
//! [`NonsmoothDynamics::add_force`](crate::NonsmoothDynamics::add_force)). From there on it acts in all that these do,
//! by every method, and its work counts in the balance of energy. What it may ask and do is an [`Acting`]: written
//! with points of bodies, one function serves all of them.
//!
//! ```
//! use pommel::dynamics::BodyPoint;
//! use pommel::prelude::*;
//!
//! // a ball of 2 kg in a fluid that slows it down by 3 N for each m/s
//! let model = Mechanism::from_toml_str(r#"
//!     name = "ball"
//!     bodies = [{ name = "ball", mass = 2.0, inertia = [1.0, 1.0, 1.0] }]
//!     joints = [{ name = "rail", type = "prismatic", axis = [1.0, 0.0, 0.0], parent = "ground", child = "ball" }]
//!     initial = { v = { rail = 5.0 } }
//! "#)?;
//! let mut dynamics = TreeDynamics::new(&model)?;
//! let ball = BodyPoint::named(&model, "ball").expect("a body of that name");
//! dynamics.add_force("drag", move |now| {
//!     let drag = now.velocity(ball).scale(-3.0);
//!     now.push(ball, drag);
//! });
//! let run = simulate(&dynamics, model.initial_state(), &SimulateOptions::new(1.0), &mut |_| ())?;
//! let end = run.samples.last().expect("a sample");
//! assert!((end.v[0] - 5.0 * (-1.5_f64).exp()).abs() < 1e-7);
//! # Ok::<(), pommel::Error>(())
//! ```
//!
//! A point without a body (`body: None`) is one of the ground, which feels nothing: [`BodyPoint::named`] tells names
//! that the model does not have.
//!
//! A force must be a function of what it is given and nothing else: it is asked at trial states of steps, some of which
//! are taken back, in any order, and more often than evaluations are counted, since projections and balances ask, too. A
//! controller with a memory of its own needs its state among the coordinates, or steps that end where it acts.
//!
//! A force that is infinite or NaN at a trial state makes the step shorter, as any other such number; where that does
//! not help, the motion ends with [`Error::Force`](crate::Error::Force), which names it.
//!
//! Plans of sweeps make mechanisms from files, so forces given as code are not in sweeps.

use std::fmt;
use std::sync::Arc;

use pommel_integrate::Cause;
use pommel_math::{Vec3, Wrench};
use pommel_mechanism::{BodyPoints, ForceLaw, UnsoundForce};
use pommel_tree::{BodyId, BodyMotion};

use crate::dynamics::BodyPoint;

/// One state of a mechanism, and what a force does there.
pub struct Acting<'a> {
    time: f64,
    q: &'a [f64],
    v: &'a [f64],
    force: &'a mut [f64],
    bodies: Bodies<'a>,
}

enum Bodies<'a> {
    Absolute(&'a BodyPoints),
    Tree { ids: &'a [BodyId], motions: &'a [BodyMotion<f64>], wrenches: &'a mut [Wrench<f64>] },
}

impl fmt::Debug for Acting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acting")
            .field("time", &self.time)
            .field("q", &self.q)
            .field("v", &self.v)
            .field("force", &self.force)
            .finish_non_exhaustive()
    }
}

impl Acting<'_> {
    /// Time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Coordinates: those of the [`System`](pommel_mechanism::System) in absolute coordinates, else of the joints.
    pub fn q(&self) -> &[f64] {
        self.q
    }

    /// Velocities: those of the [`System`](pommel_mechanism::System) in absolute coordinates (in space ω in body axes,
    /// then ẋ ẏ ż of the mass centre in world axes), else of the joints.
    pub fn v(&self) -> &[f64] {
        self.v
    }

    /// What this force adds to each velocity's equation, to be added to, in the frames of the velocities; N, N·m.
    pub fn generalized(&mut self) -> &mut [f64] {
        self.force
    }

    /// Where a point is, in world axes; m.
    ///
    /// # Panics
    /// If the mechanism has no such body.
    pub fn position(&self, at: BodyPoint) -> Vec3<f64> {
        match &self.bodies {
            Bodies::Absolute(points) => points.motion(at.body, point(at), self.q, self.v).position,
            Bodies::Tree { .. } => self.in_tree(at).map_or(point(at), |(x, _)| x),
        }
    }

    /// Velocity of a point, in world axes; m/s.
    ///
    /// # Panics
    /// If the mechanism has no such body.
    pub fn velocity(&self, at: BodyPoint) -> Vec3<f64> {
        match &self.bodies {
            Bodies::Absolute(points) => points.motion(at.body, point(at), self.q, self.v).velocity,
            Bodies::Tree { .. } => self.in_tree(at).map_or(Vec3::zero(), |(x, body)| {
                body.angular_velocity.cross_add(x - body.centre, body.velocity)
            }),
        }
    }

    /// Angular velocity of the body of a point, in world axes; rad/s.
    ///
    /// # Panics
    /// If the mechanism has no such body.
    pub fn angular_velocity(&self, at: BodyPoint) -> Vec3<f64> {
        match &self.bodies {
            Bodies::Absolute(points) => {
                points.motion(at.body, point(at), self.q, self.v).angular_velocity
            }
            Bodies::Tree { .. } => {
                self.in_tree(at).map_or(Vec3::zero(), |(_, body)| body.angular_velocity)
            }
        }
    }

    /// A vector in the axes of a point's body, in world axes.
    ///
    /// # Panics
    /// If the mechanism has no such body.
    pub fn to_world(&self, at: BodyPoint, vector: Vec3<f64>) -> Vec3<f64> {
        match &self.bodies {
            Bodies::Absolute(points) => points.to_world(at.body, vector, self.q),
            Bodies::Tree { .. } => {
                self.in_tree(at).map_or(vector, |(_, body)| body.placement.rotation * vector)
            }
        }
    }

    /// Pushes a point with a force in world axes, N. The ground does not feel it; a force between two bodies is two
    /// pushes.
    ///
    /// # Panics
    /// If the mechanism has no such body.
    pub fn push(&mut self, at: BodyPoint, force: Vec3<f64>) {
        self.act(at, force, Vec3::zero());
    }

    /// Turns the body of a point with a moment in world axes, N·m. The ground does not feel it.
    ///
    /// # Panics
    /// If the mechanism has no such body.
    pub fn turn(&mut self, at: BodyPoint, moment: Vec3<f64>) {
        self.act(at, Vec3::zero(), moment);
    }

    fn act(&mut self, at: BodyPoint, push: Vec3<f64>, moment: Vec3<f64>) {
        let Acting { q, force, bodies, .. } = self;
        match bodies {
            Bodies::Absolute(points) => {
                points.add_wrench((at.body, point(at)), (push, moment), q, force);
            }
            Bodies::Tree { ids, motions, wrenches } => {
                let Some(body) = at.body.map(|b| ids[b].index()) else { return };
                let motion = &motions[body];
                let arm = motion.placement.point_to_parent(point(at)) - motion.centre;
                wrenches[body] += Wrench::new(moment + arm.cross(push), push);
            }
        }
    }

    /// The world position of a point of a body of a tree, and the body; none on the ground.
    fn in_tree(&self, at: BodyPoint) -> Option<(Vec3<f64>, &BodyMotion<f64>)> {
        let Bodies::Tree { ids, motions, .. } = &self.bodies else { return None };
        let motion = &motions[ids[at.body?].index()];
        Some((motion.placement.point_to_parent(point(at)), motion))
    }
}

fn point(at: BodyPoint) -> Vec3<f64> {
    Vec3::from_f64(at.point)
}

/// Whether a force that was no number at last is why an integration ended.
pub(crate) fn forced<E>(cause: &Cause<E>) -> bool {
    !matches!(cause, Cause::Time | Cause::InitialState { .. } | Cause::TooManySteps { .. })
}

/// A force with its name.
#[derive(Clone)]
pub(crate) struct Given {
    name: String,
    law: Arc<dyn Fn(&mut Acting<'_>) + Send + Sync>,
}

impl Given {
    pub(crate) fn new(name: String, law: impl Fn(&mut Acting<'_>) + Send + Sync + 'static) -> Self {
        Given { name, law: Arc::new(law) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A force in absolute coordinates.
#[derive(Clone, Debug)]
pub(crate) struct InAbsolute {
    pub(crate) given: Given,
    pub(crate) points: Arc<BodyPoints>,
}

impl ForceLaw for InAbsolute {
    fn name(&self) -> &str {
        &self.given.name
    }

    fn add_to(&self, time: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        let bodies = Bodies::Absolute(&self.points);
        (self.given.law)(&mut Acting { time, q, v, force, bodies });
    }
}

/// What forces do in a tree, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct InTree {
    tau: Vec<f64>,
    wrenches: Vec<Wrench<f64>>,
    unsound: Option<UnsoundForce>,
}

impl InTree {
    pub(crate) fn new(velocities: usize, bodies: usize) -> Self {
        let wrenches = vec![Wrench::zero(); bodies];
        InTree { tau: vec![0.0; velocities], wrenches, unsound: None }
    }

    /// The force that was no number at the last state that was finite, if one was.
    pub(crate) fn unsound(&self) -> Option<&UnsoundForce> {
        self.unsound.as_ref()
    }

    /// Adds forces to those of the joints and to wrenches about mass centres in world axes.
    pub(crate) fn add(
        &mut self,
        forces: &[Given],
        (time, q, v): (f64, &[f64], &[f64]),
        (ids, motions): (&[BodyId], &[BodyMotion<f64>]),
        (tau, wrenches): (&mut [f64], &mut [Wrench<f64>]),
    ) {
        // what comes of a state that is no state is not the force's fault
        let sound = time.is_finite() && q.iter().chain(v).all(|x| x.is_finite());
        if sound {
            self.unsound = None;
        }
        for given in forces {
            self.tau.fill(0.0);
            self.wrenches.fill(Wrench::zero());
            let bodies = Bodies::Tree { ids, motions, wrenches: &mut self.wrenches };
            (given.law)(&mut Acting { time, q, v, force: &mut self.tau, bodies });
            if sound && self.unsound.is_none() {
                let on_bodies = self
                    .wrenches
                    .iter()
                    .flat_map(|w| w.moment.to_array().into_iter().chain(w.force.to_array()));
                let mut all = self.tau.iter().copied().chain(on_bodies);
                self.unsound = all.find(|f| !f.is_finite()).map(|value| {
                    let name = given.name.clone();
                    UnsoundForce { name, time, value }
                });
            }
            tau.iter_mut().zip(&self.tau).for_each(|(to, f)| *to += f);
            wrenches.iter_mut().zip(&self.wrenches).for_each(|(to, w)| *to += *w);
        }
    }
}
