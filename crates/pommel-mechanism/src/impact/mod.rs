//! Friction with stick, stops, contacts: what acts for a while, and what impacts do to velocities.
//!
//! The motion of a mechanism with dry friction, stops and contacts is smooth between events. While it is, some
//! coordinates are held (a joint sticks, a stop or contact is closed) and others rub in a known sense: an
//! [`ActiveSet`]. [`System::with_active`](crate::System::with_active) makes the equations of that while, with a
//! row for each coordinate held, whose multiplier is the force that holds it. [`Interactions`] lists what a model
//! has, and measures the coordinates whose zeros are events. Where a condition closes, [`ImpactSolver`] finds
//! the velocities after the impact.
//!
//! When to go from one active set to the next is left to those who integrate.
//!
//! ```
//! use pommel_mechanism::impact::{ImpactSolver, Interactions, Restitution, Touching};
//! use pommel_mechanism::pommel_model::Mechanism;
//! use pommel_mechanism::{Evaluation, System};
//!
//! // a ball of 2 kg meets a stop at 3 m/s, with a coefficient of restitution of one half
//! let model = Mechanism::from_toml_str(r#"
//!     name = "ball"
//!     kind = "planar"
//!     bodies = [{ name = "ball", mass = 2.0, inertia = 1.0 }]
//!     joints = [{ name = "rail", type = "prismatic", axis = [0.0, 1.0], parent = "ground", child = "ball",
//!                 limits = { lower = 0.0, restitution = 0.5 } }]
//! "#)?;
//! let system = System::new(&model)?;
//! let interactions = Interactions::new(&model)?;
//! assert_eq!(interactions.gaps()[0].name, "rail (lower limit)");
//!
//! let (q, mut v) = ([0.0; 3], [0.0, -3.0, 0.0]);
//! let mut evaluation = Evaluation::new(&system);
//! system.evaluate(0.0, &q, &v, &mut evaluation);
//! let mut row = [0.0; 3];
//! interactions.row(0, &system, &evaluation, &mut row);
//! let touching = Touching { rows: &row, restitution: &[0.5] };
//! let impact =
//!     ImpactSolver::new().solve(&system, &evaluation, &touching, Restitution::Newton, &mut v)?;
//! assert!((v[1] - 1.5).abs() < 1e-15);
//! assert!((impact.impulses[0] - 9.0).abs() < 1e-14);
//! assert!((impact.energy + 6.75).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod active;
mod error;
mod impulse;
mod interactions;
mod lcp;

pub use active::{ActiveSet, Held, Sliding, Target};
pub use error::{ImpactError, UnsupportedInteraction};
pub use impulse::{Impact, ImpactSolver, Restitution, Touching};
pub use interactions::{Gap, GapKind, Interactions, Measured, Rub};
