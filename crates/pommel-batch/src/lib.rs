//! Sweeps: one model, many instances that differ in their numbers.
//!
//! A [`Plan`] (TOML or JSON, [`plan_schema`]) says which numbers of a model, and which settings of
//! the integration, vary and how ([`DesignKind`]), and what follows from them ([`PlanDerived`]). A
//! [`Sweep`] is a plan with its model: it gives the parameters and the description of every
//! instance as a pure function of the instance's index. [`run`] and [`run_to_directory`] hand the
//! instances to a [`Runner`], which knows how to simulate, over the threads of a pool.
//!
//! - Instance `k` has the same parameters wherever it runs: draws are addressed by
//!   (seed, `k`, parameter), see [`Sweep::parameters`].
//! - The results are the same for any number of threads and shares, and however often a sweep was
//!   interrupted: rows are gathered, summed and digested in index order.
//! - One bad instance does not disturb the others: an invalid model, a failure, a panic, a NaN
//!   become [`Outcome::Failed`] with a reason.
//! - Memory does not grow with the number of instances: so many rows are held at a time.
//! - Nothing is half-written, and little is lost: rows are written in parts as they come, and files
//!   appear under their names when they are complete. [`RunOptions::resume`] goes on from the parts,
//!   [`RunOptions::shard`] runs a share of the instances, [`merge`] joins shares.
//!
//! Left out on purpose: simulation, progress bars, plots.
//!
//! ```
//! use pommel_batch::{Column, Instance, Outcome, Plan, RunOptions, Runner, Sweep};
//!
//! /// The weight of the rod, from its mass.
//! struct Weight;
//!
//! impl Runner for Weight {
//!     type Worker = ();
//!
//!     fn columns(&self) -> Vec<Column> {
//!         vec![Column::new("weight", "N", "force of gravity on the rod")]
//!     }
//!
//!     fn worker(&self) {}
//!
//!     fn run(&self, _: &mut (), instances: &[Instance<'_>]) -> Vec<Outcome> {
//!         let weight = |instance: &Instance<'_>| match instance.mechanism() {
//!             Ok(mechanism) => Outcome::Finished { values: vec![9.81 * mechanism.total_mass()] },
//!             Err(error) => Outcome::from(error),
//!         };
//!         instances.iter().map(weight).collect()
//!     }
//! }
//!
//! let model = pommel_model::Description::from_toml_str(r#"
//!     name = "pendulum"
//!     kind = "planar"
//!     bodies = [{ name = "rod", mass = 1.0, inertia = 0.1 }]
//!     joints = [{ name = "hinge", type = "revolute", parent = "ground", child = "rod" }]
//! "#)?;
//! let plan = Plan::from_toml_str(r#"
//!     name = "heavier and heavier"
//!     model = "pendulum.toml"
//!     end = 1.0
//!     design = { kind = "grid" }
//!     parameters = [{ path = "bodies.rod.mass", unit = "kg", values = [-1.0, 1.0, 2.0] }]
//! "#)?;
//! let sweep = Sweep::new(plan, model)?;
//! let summary = pommel_batch::run(&sweep, &Weight, &RunOptions::default(), &mut ())?;
//! assert_eq!((summary.instances, summary.finished, summary.failed["model"]), (3, 2, 1));
//! assert_eq!(summary.quantities[0].max, Some(9.81 * 2.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod crew;
mod design;
mod digest;
mod draw;
mod error;
mod estimate;
mod execute;
mod expression;
mod judge;
mod normal;
mod observe;
mod outcome;
mod output;
mod parquet_read;
mod parquet_table;
mod pipeline;
mod plan;
mod resolve;
mod runner;
mod shard;
mod spread;
mod summary;
mod sweep;
mod swept;
mod target;

pub use design::ListFault;
pub use error::{PlanError, SweepError};
pub use estimate::{Estimate, estimate};
pub use execute::{RunOptions, run};
pub use expression::ExpressionError;
pub use observe::Observer;
pub use outcome::{Outcome, Row};
pub use output::{
    ColumnRole, MANIFEST_FILE, Manifest, ManifestColumn, MergeOptions, PLAN_FILE, RESULTS_FILE,
    SUMMARY_FILE, merge, run_to_directory,
};
pub use parquet_read::{ParquetReader, ReadValues};
pub use parquet_table::{ColumnKind, ColumnValues, ParquetTable, TableError};
pub use plan::{
    Design, DesignKind, Integrator, Limits, Linspace, Method, Normal, Plan, PlanDerived, PlanFault,
    PlanFaultKind, PlanParameter, plan_schema,
};
pub use runner::{Column, Instance, Runner};
pub use shard::Shard;
pub use spread::Spread;
pub use summary::{QuantitySummary, Summary};
pub use sweep::{End, Sweep};
pub use swept::SweptParameter;
pub use target::{Setting, Target};
