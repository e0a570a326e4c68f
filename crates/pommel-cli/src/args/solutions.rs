//! Commands for kernels and saddle-point systems.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::ModelArguments;

#[derive(Debug, Args)]
pub(crate) struct Time {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// What to time: forward-dynamics, inverse-dynamics, mass-matrix, derivatives or kkt
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: String,
    /// Instances per call: 1, 2, 4 or 8, in vector registers where the processor has them
    #[arg(long, value_name = "L", default_value_t = 1)]
    pub(crate) lanes: usize,
    /// States (JSON: a list of states) [default: 256 random ones around the initial state]
    #[arg(long, value_name = "FILE")]
    pub(crate) states: Option<PathBuf>,
    /// Processor time to spend, s
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_hyphen_values = true)]
    pub(crate) seconds: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("system").required(true).multiple(true).args(["mass", "matrix"])))]
pub(crate) struct Kkt {
    /// M in Matrix Market format, n × n, symmetric
    #[arg(long, value_name = "M.mtx", requires = "jacobian")]
    pub(crate) mass: Option<PathBuf>,
    /// J in Matrix Market format, m × n
    #[arg(long, value_name = "J.mtx", requires = "mass")]
    pub(crate) jacobian: Option<PathBuf>,
    /// C in Matrix Market format, m × m, symmetric [default: zero]
    #[arg(long, value_name = "C.mtx", requires = "mass")]
    pub(crate) compliance: Option<PathBuf>,
    /// The whole matrix [M Jᵀ; J −C] in one file, in place of M, J and C
    #[arg(long, value_name = "K.mtx", conflicts_with_all = ["mass", "jacobian", "compliance"])]
    pub(crate) matrix: Option<PathBuf>,
    /// Rows of M in the whole matrix [default: the number behind `nv` in a comment of the file]
    #[arg(
        long,
        value_name = "N",
        requires = "matrix",
        conflicts_with_all = ["mass", "jacobian", "compliance"]
    )]
    pub(crate) unknowns: Option<usize>,
    /// Right-hand side in Matrix Market format: f, then g, as one column [default: K times ones]
    #[arg(long, value_name = "B.mtx")]
    pub(crate) rhs: Option<PathBuf>,
    /// Share of what a pivot was left by below which it counts as zero, its row as dependent, from 0
    /// to below 1 [default: 3e-13]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Samples of which the median times are taken
    #[arg(
        long,
        value_name = "R",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) repeat: u32,
    /// Write the solution, x and then λ, in Matrix Market format (array), whatever the verdict
    #[arg(long, value_name = "X.mtx")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
