//! Mechanisms in absolute coordinates: constraints, kinematic analysis, formulations of motion.
//!
//! A [`System`] is made from a model once. It evaluates all terms of
//!
//! ```text
//! M v̇ + Φ_qᵀ λ = Q(q, v, t)      Φ(q, t) = 0      Φ_q v = ν(q, t)      Φ_q v̇ = γ(q, v, t)
//! ```
//!
//! into an [`Evaluation`], in time linear in the number of bodies and without allocation. What is
//! then asked decides where to go on:
//!
//! | question                                             | answer                                 |
//! |------------------------------------------------------|----------------------------------------|
//! | accelerations and multipliers, by which method?      | [`formulation`]: 19 of them            |
//! | where are the bodies, what is free, how does it move under drivers? | [`kinematics`]          |
//! | how do points of bodies move?                        | [`Frames`], [`BodyPoints`]             |
//! | forces that a program computes                       | [`ForceLaw`]                           |
//! | what do impacts make of velocities, what holds where a joint sticks or a body rests? | [`impact`] |
//! | the same with fewer unknowns, in the plane?          | [`open_loop`]                          |
//! | joint coordinates from absolute ones, and back       | [`joint_space`]                        |
//! | dense elimination that tells rank and pivots         | [`linear`]                             |
//! | many variants at a time, or exact derivatives        | [`System::pack`], [`System::cast`]     |
//!
//! ```
//! use pommel_mechanism::formulation::{Formulation, SparseKkt};
//! use pommel_mechanism::joint_space::JointSpace;
//! use pommel_mechanism::kinematics::{AssembleOptions, Assembler, mobility};
//! use pommel_mechanism::{Evaluation, System};
//! use pommel_mechanism::pommel_model::Mechanism;
//!
//! // a crank of 0.3 m and a rod of 0.8 m drive a slider
//! let model = Mechanism::from_toml_str(r#"
//!     name = "slider-crank"
//!     kind = "planar"
//!     gravity = [0.0, -9.81]
//!     bodies = [
//!         { name = "crank", mass = 1.0, inertia = 0.01, position = [0.1, 0.1], angle = 0.9 },
//!         { name = "rod", mass = 2.0, inertia = 0.1, position = [0.6, 0.1], angle = -0.3 },
//!         { name = "slider", mass = 3.0, inertia = 0.1, position = [1.0, 0.0] },
//!     ]
//!     joints = [
//!         { name = "O", type = "revolute", parent = "ground", child = "crank", in_child = { position = [-0.15, 0.0] } },
//!         { name = "A", type = "revolute", parent = "crank", in_parent = { position = [0.15, 0.0] }, child = "rod", in_child = { position = [-0.4, 0.0] } },
//!         { name = "B", type = "revolute", parent = "rod", in_parent = { position = [0.4, 0.0] }, child = "slider" },
//!         { name = "guide", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "slider" },
//!     ]
//! "#)?;
//! let system = System::new(&model)?;
//! assert_eq!((system.nq(), system.rows()), (9, 8));
//!
//! // the positions of the model are near the assembled ones
//! let (mut q, v) = JointSpace::new(&model, &system)?.initial_state(&model, &system);
//! Assembler::new(&system)?.assemble(&system, 0.0, &mut q, &AssembleOptions::default())?;
//! assert_eq!(mobility(&system, 0.0, &q)?.degrees_of_freedom, 1);
//!
//! // accelerations and the forces in the joints, at rest
//! let mut evaluation = Evaluation::new(&system);
//! system.evaluate(0.0, &q, &v, &mut evaluation);
//! let equations = system.equations(&evaluation, (&q, &v));
//! let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
//! SparseKkt::for_values(&equations)?.solve(&equations, &mut a, &mut lambda)?;
//! assert!(a[2] < 0.0, "the crank falls");
//! assert!(equations.residual(&a, &lambda) < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod body_points;
mod constraint;
mod equations;
mod force;
pub mod formulation;
mod frames;
mod function;
mod gather;
pub mod impact;
pub mod joint_space;
pub mod kinematics;
mod law;
pub mod linear;
pub mod open_loop;
mod saddle_factor;
mod space;
mod suited;
mod system;

pub use {pommel_kkt, pommel_math, pommel_model};

pub use body_points::{BodyPointMotion, BodyPoints};
pub use constraint::ConstraintInfo;
pub use equations::{Equations, State};
pub use frames::{Frames, PointMotion};
pub use law::{ForceLaw, UnsoundForce};
pub use saddle_factor::SaddleFactor;
pub use system::{Energy, Evaluation, PackError, System, SystemError, UnsupportedFeature};
