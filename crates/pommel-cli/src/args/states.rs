//! Commands for a model at a state.

use std::path::PathBuf;

use clap::Args;

use super::ModelArguments;

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
    /// State file (JSON: q, v, tau of the joints; wrenches); default: the model's initial state
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Formulation: one of those below, or all [default: recursion; sparse_kkt where recursion does not
    /// know a constraint or a driver]
    #[arg(long, value_name = "NAME")]
    pub(crate) formulation: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MassMatrix {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// State file (JSON: q, v of the joints); default: the model's initial state
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Jacobian of a point: the origin of the model's frame of this name, else the mass centre of
    /// the body of this name; may be given several times
    #[arg(long = "frame", value_name = "NAME")]
    pub(crate) frames: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
