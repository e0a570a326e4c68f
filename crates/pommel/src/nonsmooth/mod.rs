//! Motion with dry friction, stops and contacts, in absolute coordinates.
//!
//! Between events the motion is smooth: what sticks and is closed adds rows to the constraints, and what slides has
//! friction of one sense. Events end that:
//!
//! | event                                        | what follows                                          |
//! |----------------------------------------------|-------------------------------------------------------|
//! | the sliding velocity of a joint is zero      | it sticks, or slides the other way                    |
//! | the friction of a joint that sticks is at its limit | it slides                                      |
//! | a gap is zero                                | an impact; it opens again, or closes                  |
//! | a closed gap would have to be pulled         | it opens                                              |
//! | a load or driver has a kink in time          | what sticks and is closed is looked at anew           |
//!
//! At an event, velocities first jump by impacts ([`ImpactSolver`](pommel_mechanism::impact::ImpactSolver), all
//! that touches at once). Then all that is at rest is assumed to stick or be closed, and accelerations and
//! forces are solved for; the first in order whose force is beyond its limit, or that would have to be
//! pulled, is let go, and so on, until none is (Murty's principal pivoting, by lowest index). So events at one
//! time have one outcome, whatever their order.
//!
//! Dry friction in joints is a force that the model gives. It does not depend on what joints and contacts
//! bear, and it is no impulse. Friction in contacts is refused.
//!
//! Impacts that pile up, as those of a ball that comes to rest, end the motion with
//! [`EventError::Zeno`](pommel_integrate::EventError::Zeno), unless
//! [`rest_speed`](NonsmoothOptions::rest_speed) lets slow ones close.
//!
//! ```
//! use pommel::integrate::{Adaptive, Options, Tableau};
//! use pommel::model::Mechanism;
//! use pommel::nonsmooth::{EventKind, NonsmoothDynamics, NonsmoothMotion, NonsmoothOptions};
//!
//! // a block of 1 kg slides at 2 m/s against 4 N: it stops after half a second and half a metre
//! let model = Mechanism::from_toml_str(r#"
//!     name = "block"
//!     kind = "planar"
//!     bodies = [{ name = "block", mass = 1.0, inertia = 1.0, position = [0.0, 0.0], velocity = [2.0, 0.0] }]
//!     joints = [{ name = "table", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block",
//!                 friction = { coulomb = 4.0, static = 5.0 } }]
//! "#)?;
//! let dynamics = NonsmoothDynamics::new(&model)?;
//! let tolerance = Adaptive::new(1e-10, 1e-10);
//! let options = NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_54(), tolerance));
//! let mut motion = NonsmoothMotion::new(&dynamics, &dynamics.initial_state()?, &options)?;
//! motion.integrate_to(3.0, &mut ())?;
//! let stop = &motion.log()[0];
//! assert_eq!((stop.name.as_str(), stop.kind), ("table", EventKind::Stick));
//! assert!((stop.t - 0.5).abs() < 1e-9);
//! assert!((motion.q()[0] - 0.5).abs() < 1e-9);
//! # Ok::<(), pommel::Error>(())
//! ```

mod error;
mod functions;
mod log;
mod motion;
mod phase;
mod resolve;
mod simulate;
mod state;
mod status;
mod strike;

pub use error::NonsmoothError;
pub use log::{EventKind, EventRecord};
pub use motion::NonsmoothMotion;
pub use simulate::{NonsmoothTrajectory, simulate_nonsmooth};
pub use status::RubStatus;

use pommel_integrate::Options;
use pommel_mechanism::System;
use pommel_mechanism::formulation::Method;
use pommel_mechanism::impact::{ActiveSet, Interactions, Restitution};
use pommel_mechanism::kinematics::Metric;
use pommel_model::{Force, Mechanism, TimeFunction};

use crate::absolute::AbsoluteState;
use crate::forces::{Acting, Given};
use crate::{AbsoluteDynamics, Error, Stabilization};

/// A mechanism in absolute coordinates with all that may stick, stop or touch.
#[derive(Clone, Debug)]
pub struct NonsmoothDynamics {
    mechanism: Mechanism,
    smooth: AbsoluteDynamics,
    free: System<f64>,
    interactions: Interactions,
}

impl NonsmoothDynamics {
    /// The mechanism of a model.
    ///
    /// # Errors
    /// [`Error::Nonsmooth`] with [`NonsmoothError::Interaction`] for friction in contacts, and for friction or
    /// limits of joints without coordinates that are angles or displacements; as [`AbsoluteDynamics::new`].
    pub fn new(mechanism: &Mechanism) -> Result<Self, Error> {
        let interactions = Interactions::new(mechanism).map_err(NonsmoothError::from)?;
        let mut description = mechanism.description().clone();
        description.contacts.clear();
        let smooth = AbsoluteDynamics::new(&Mechanism::new(description)?)?;
        let free = System::with_active(mechanism, &ActiveSet::default())?;
        Ok(NonsmoothDynamics { mechanism: mechanism.clone(), smooth, free, interactions })
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
        self.smooth.give(Given::new(name.into(), law));
        // both systems have the same bodies
        let law = self.smooth.system().force_laws().last().cloned();
        law.into_iter().for_each(|law| self.free.add_force_law(law));
    }

    /// The mechanism without its contacts, for states and all that is asked of one state.
    pub fn smooth(&self) -> &AbsoluteDynamics {
        &self.smooth
    }

    /// The system with nothing held and without dry friction.
    pub fn system(&self) -> &System<f64> {
        &self.free
    }

    /// All that may stick, stop or touch.
    pub fn interactions(&self) -> &Interactions {
        &self.interactions
    }

    /// The initial state of the model, assembled if it misses constraints; limits and contacts do not move it.
    ///
    /// # Errors
    /// As [`AbsoluteDynamics::initial_state`].
    pub fn initial_state(&self) -> Result<AbsoluteState, Error> {
        self.smooth.initial_state()
    }

    /// Times at which a load or driver jumps or has a kink, in order, each once; s.
    pub fn breakpoints(&self) -> Vec<f64> {
        let description = self.mechanism.description();
        let in_joints = description.joints.iter().filter_map(|joint| joint.torque.as_ref());
        let in_joints = in_joints.flat_map(|torque| torque.as_slice());
        let drivers = description.drivers.iter().map(|driver| &driver.motion);
        let on_bodies = description.forces.iter().flat_map(|force| -> Vec<&TimeFunction> {
            match force {
                Force::Wrench(w) => w.force.iter().chain(&w.moment).collect(),
                Force::Torque(t) => vec![&t.torque],
                Force::SpringDamper(_) | Force::Bushing(_) => Vec::new(),
            }
        });
        let mut times: Vec<f64> =
            in_joints.chain(drivers).chain(on_bodies).flat_map(TimeFunction::breakpoints).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        times
    }
}

/// How a motion is integrated.
#[derive(Clone, Debug)]
pub struct NonsmoothOptions {
    /// The formulation of accelerations; not one in joint coordinates.
    pub method: Method,
    /// What is done about drift. States at events are projected in any case.
    pub stabilization: Stabilization,
    /// What the coefficient of restitution is a ratio of.
    pub restitution: Restitution,
    /// Impacts that close slower than this do not bounce: the gap closes; m/s, rad/s. At 0 those that
    /// come ever faster end the motion.
    pub rest_speed: f64,
    /// The integrator: an explicit one.
    pub integration: Options,
}

impl NonsmoothOptions {
    /// The sparse saddle-point system, projection of states by kinetic energy, Newton's hypothesis.
    pub fn new(integration: Options) -> Self {
        NonsmoothOptions {
            method: Method::SparseKkt,
            stabilization: Stabilization::Projection(Metric::Mass),
            restitution: Restitution::Newton,
            rest_speed: 0.0,
            integration,
        }
    }
}
