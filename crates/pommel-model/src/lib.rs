//! The one description of a mechanism: files, schema, validation, parameter paths, state files.
//!
//! A [`Description`] is what a model file says, in plain numbers: bodies, joints, frames, forces,
//! constraints, drivers, contacts and an initial state. It is read from TOML, JSON (one schema,
//! [`schema`]) or URDF. A [`Mechanism`] is a description that has been found sound, together with
//! what follows from it without any dynamics: which joint carries which body, which joints close
//! loops, the order and names of the coordinates, masses, a digest.
//!
//! | step | type | fails with |
//! |---|---|---|
//! | text → tree of values | | [`ModelError::Syntax`] with line and column |
//! | values → description, by the schema | [`Description`] | [`ModelError::Invalid`] |
//! | description → mechanism | [`Mechanism`] | [`ModelError::Invalid`]: every [`Fault`], its line |
//! | mechanism + state file → arrays | [`ResolvedState`] | [`ModelError::Invalid`] |
//!
//! SI units, radians, quaternions (w, x, y, z) that rotate body components into world components,
//! inertia about the mass centre in body axes.
//!
//! Left out on purpose: dynamics, assembly of loops, anything that needs linear algebra.
//!
//! ```
//! let mechanism = pommel_model::Mechanism::from_toml_str(r#"
//!     name = "pendulum"
//!     kind = "planar"
//!
//!     [[bodies]]
//!     name = "rod"
//!     mass = 1.0
//!     com = [0.5, 0.0]
//!     inertia = 0.083
//!
//!     [[joints]]
//!     name = "hinge"
//!     type = "revolute"
//!     parent = "ground"
//!     child = "rod"
//! "#)?;
//! assert_eq!(mechanism.coordinate_names(), ["hinge"]);
//! assert_eq!((mechanism.nq(), mechanism.nv(), mechanism.total_mass()), (1, 1, 1.0));
//! # Ok::<(), pommel_model::ModelError>(())
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod description;
mod digest;
pub mod document;
mod eigen;
mod error;
mod fault;
mod leaves;
mod mechanism;
mod options;
mod parameter;
mod path;
mod read;
mod rotation;
mod state;
mod topology;
mod validate;
mod write;

pub use description::{
    AngularVelocity, Body, Bushing, Cam, Constraint, Contact, Description, Distance, Driver, Force,
    Frame, Friction, Gear, Inertia, Initial, Interpolation, Joint, JointType, Kind, Limits,
    NamedFrame, OneOrMany, Plane, PointOnLine, Role, Rolling, Rotor, SpringDamper, TimeFunction,
    Torque, Wrench, WrenchAxes,
};
pub use error::ModelError;
pub use fault::{Entity, Fault, FaultKind, Severity};
pub use mechanism::{Mechanism, ResolvedBody, ResolvedJoint};
pub use options::LoadOptions;
pub use parameter::{Parameter, ParameterError, ParameterPath, Segment};
pub use read::schema::schema;
pub use rotation::{multiply, quaternion_of, rotation_of_quaternion, rotation_of_rpy};
pub use state::{Coordinates, ResolvedState, State, Wrenches};

/// The reserved name of the fixed world, as a `parent`, `child` or `body`.
pub const GROUND: &str = "ground";
