//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use pommel::model::{LoadOptions, Mechanism};

use crate::failure::Failure;
use crate::output;

/// Multibody dynamics: describe, solve, simulate and sweep mechanisms.
///
/// Models are native files (.toml, .json; see `pommel schema`) or URDF. Units are SI, angles in
/// radians, quaternions (w, x, y, z). With --json, a command prints one JSON document on standard
/// output; notes and progress go to standard error.
///
/// Exit status: 0 done, 1 the computation failed, 2 wrong usage or unreadable input.
#[derive(Debug, Parser)]
#[command(name = "pommel", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read, check and describe a model
    #[command(after_help = "Example:\n  pommel info datasets/robots/ets7_free/model.toml")]
    Info(Info),
    /// Accelerations of a model at a state
    #[command(after_help = "Examples:\n  \
        pommel accel datasets/robots/puma560_fixed/model.urdf --gravity 0 0 -9.81\n  \
        pommel accel datasets/robots/ets7_free/model.toml --state datasets/states/ets7_free.json --json")]
    Accel(Accel),
    /// Simulate one trajectory
    #[command(after_help = "Examples:\n  \
        pommel simulate datasets/robots/ets7_payload/model.toml --end 10 --every 0.1 --out run.csv\n  \
        pommel simulate datasets/robots/ets7_payload/model.toml --end 10 --every 0.05 --plot run.svg\n\n\
        Samples are at 0, at multiples of --every, and at the end. The drift of energy is that of\n\
        kinetic plus potential energy less the work of all forces but gravity.")]
    Simulate(Simulate),
    /// Run a batch of variants over all cores
    #[command(after_help = "Example:\n  \
        pommel sweep datasets/sweeps/free_floating_arm.toml --out sweep-results\n\n\
        The directory gets results.parquet (one row per variant), summary.json, plot.svg and a copy\n\
        of the plan. The digest is that of the results' content: it does not depend on threads.")]
    Sweep(Sweep),
    /// Print the JSON Schema of models and sweep plans
    #[command(
        after_help = "Examples:\n  pommel schema model > model.schema.json\n  pommel schema sweep\n\n\
        Without a kind, one JSON document holds both under the keys model and sweep."
    )]
    Schema(Schema),
    /// Convert a model (URDF, TOML, JSON) to the native format
    #[command(after_help = "Example:\n  \
        pommel convert datasets/robots/puma560_fixed/model.urdf puma.toml")]
    Convert(Convert),
}

/// A model file and how to read it.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// Model file: .toml, .json or .urdf
    pub(crate) model: PathBuf,
    /// Gravity in world axes, m/s² (replaces the model's; a URDF carries none: 0 0 -9.81)
    #[arg(long, num_args = 3, value_names = ["GX", "GY", "GZ"], allow_hyphen_values = true)]
    pub(crate) gravity: Option<Vec<f64>>,
    /// Free a base that is fixed to the ground
    #[arg(long)]
    pub(crate) floating_base: bool,
}

impl ModelArguments {
    pub(crate) fn options(&self) -> LoadOptions {
        let gravity = self.gravity.as_deref().and_then(|g| <[f64; 3]>::try_from(g).ok());
        LoadOptions { gravity, floating_base: self.floating_base }
    }

    /// The mechanism; what is odd about it goes to standard error.
    pub(crate) fn load(&self) -> Result<Mechanism, Failure> {
        let mechanism = Mechanism::from_path_with(&self.model, &self.options())?;
        for warning in mechanism.warnings() {
            output::note(&format!("warning: {warning}"));
        }
        Ok(mechanism)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Accel {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// State file (JSON: q, v, tau, wrenches); default: the model's initial state
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Formulation: recursion (joint coordinates, O(n)), or all that are available
    #[arg(long, value_name = "NAME", default_value = "recursion")]
    pub(crate) formulation: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Simulate {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// End time, s (the start is 0)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) end: f64,
    /// Initial state (JSON); its tau and wrenches act all the time
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Integrator: dopri5 (adaptive) or rk4 (fixed step)
    #[arg(long, value_name = "NAME", default_value = "dopri5")]
    pub(crate) integrator: String,
    /// Relative tolerance of adaptive steps [default: 1e-8]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) rtol: Option<f64>,
    /// Absolute tolerance of adaptive steps [default: rtol / 100]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) atol: Option<f64>,
    /// Step of rk4, s; the first step of dopri5
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub(crate) step: Option<f64>,
    /// Formulation: recursion (joint coordinates, O(n))
    #[arg(long, value_name = "NAME", default_value = "recursion")]
    pub(crate) formulation: String,
    /// Time between samples, s [default: the end time / 100, with --plot / 400]
    #[arg(long, value_name = "DT", allow_hyphen_values = true)]
    pub(crate) every: Option<f64>,
    /// Write the samples to a .csv, .parquet or .json file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write a plot of coordinates, velocities and balances: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Sweep plan (.toml or .json)
    pub(crate) plan: PathBuf,
    /// Directory for the results; made if missing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Threads, at most 1024 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Which schema, alone and indented
    pub(crate) kind: Option<SchemaKind>,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SchemaKind {
    /// Model files
    Model,
    /// Sweep plans
    Sweep,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// Model to read: .urdf, .toml or .json
    pub(crate) input: PathBuf,
    /// Native file to write: .toml or .json
    pub(crate) output: PathBuf,
    /// Gravity in world axes, m/s²
    #[arg(long, num_args = 3, value_names = ["GX", "GY", "GZ"], allow_hyphen_values = true)]
    pub(crate) gravity: Option<Vec<f64>>,
    /// Free a base that is fixed to the ground
    #[arg(long)]
    pub(crate) floating_base: bool,
}
