//! Commands for motions.

use std::path::PathBuf;

use clap::Args;

use super::{ModelArguments, SampleFiles};

#[derive(Debug, Args)]
pub(crate) struct Kinematics {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// End time, s (the start is 0)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) end: f64,
    /// Time between samples, s [default: the end time / 100]
    #[arg(long, value_name = "DT", allow_hyphen_values = true)]
    pub(crate) every: Option<f64>,
    /// State file (JSON) whose q is near the first position [default: the model's initial state]
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) files: SampleFiles,
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
    /// Integrator: dopri5, dop853, rkf45, bs32 or heun (adaptive), ode45 (dopri5 with the steps of MATLAB's
    /// ode45), rk4, rk38, collatz or euler (steps of one size); in absolute coordinates also radau5, radau3,
    /// implicit-euler, sdirk2, midpoint, gauss4 or gauss6 (stiff), and rattle, symplectic-euler,
    /// generalized-alpha[=RADIUS] or hht[=ALPHA] (constraints in every step)
    #[arg(long, value_name = "NAME", default_value = "dopri5")]
    pub(crate) integrator: String,
    /// What keeps mechanisms on their constraints: projection, projection-length, partitioning, simple-partitioning,
    /// baumgarte[=RATE] (1/s) or none; with radau5, radau3 or implicit-euler also stabilized (GGL), index2 or index3
    /// [default: projection]
    #[arg(long, value_name = "NAME")]
    pub(crate) stabilization: Option<String>,
    /// Repeat with smaller tolerances until two ends agree to this, in absolute coordinates
    #[arg(long, value_name = "X", allow_hyphen_values = true, conflicts_with_all = ["rtol", "atol", "step", "fixed"])]
    pub(crate) accuracy: Option<f64>,
    /// Impacts that close slower than this do not bounce any more, m/s, rad/s; for models in which something
    /// collides [default: 0]
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub(crate) rest_speed: Option<f64>,
    /// Relative tolerance of adaptive steps [default: 1e-8, with ode45 1e-6]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) rtol: Option<f64>,
    /// Absolute tolerance of adaptive steps [default: rtol / 100, with ode45 1e-6]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) atol: Option<f64>,
    /// Step of methods with steps of one size, s; the first step of the others
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub(crate) step: Option<f64>,
    /// Steps of one size also with a method that could choose them
    #[arg(long)]
    pub(crate) fixed: bool,
    /// Formulation: recursion (joint coordinates, O(n)), or one of `pommel accel` in absolute coordinates
    /// [default: recursion for trees, sparse_kkt for mechanisms with loops, constraints or drivers]
    #[arg(long, value_name = "NAME")]
    pub(crate) formulation: Option<String>,
    /// Time between samples, s [default: the end time / 100, with --plot / 400]
    #[arg(long, value_name = "DT", allow_hyphen_values = true)]
    pub(crate) every: Option<f64>,
    #[command(flatten)]
    pub(crate) files: SampleFiles,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Model file: .toml, .json or .urdf
    #[arg(required_unless_present = "growth", conflicts_with = "growth")]
    pub(crate) model: Option<PathBuf>,
    /// Gravity in world axes, m/s² (replaces the model's; a URDF carries none: 0 0 -9.81)
    #[arg(long, num_args = 3, value_names = ["GX", "GY", "GZ"], allow_hyphen_values = true)]
    pub(crate) gravity: Option<Vec<f64>>,
    /// Free a base that is fixed to the ground
    #[arg(long)]
    pub(crate) floating_base: bool,
    /// State file (JSON: q, v of the joints) [default: the model's initial state]
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// End time, s (the start is 0)
    #[arg(long, value_name = "T", default_value_t = pommel::compare::CompareOptions::PUBLISHED_END, allow_hyphen_values = true)]
    pub(crate) end: f64,
    /// Relative tolerance
    #[arg(long, value_name = "X", default_value_t = 1e-6, allow_hyphen_values = true)]
    pub(crate) rtol: f64,
    /// Absolute tolerance [default: the relative one]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) atol: Option<f64>,
    /// Step control: ode45 or pi
    #[arg(long, value_name = "NAME", default_value = "ode45")]
    pub(crate) controller: String,
    /// Formulations, by comma [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) formulations: Vec<String>,
    /// Processor time to spend on each formulation, s
    #[arg(long, value_name = "X", default_value_t = 0.2, allow_hyphen_values = true)]
    pub(crate) seconds: f64,
    /// Time the formulations on 1 to 1000 four-bar linkages instead
    #[arg(long)]
    pub(crate) growth: bool,
    /// Directory for Markdown, CSV and a plot; made if missing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Precision {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// State file (JSON: q, v of the joints) [default: the model's initial state]
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// End time, s (the start is 0)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) end: f64,
    /// Methods, by comma [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// Tolerances, by comma
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10",
        allow_hyphen_values = true
    )]
    pub(crate) tolerances: Vec<f64>,
    /// Longest run before a method is asked for smaller tolerances, s
    #[arg(long, value_name = "X", default_value_t = 2.0, allow_hyphen_values = true)]
    pub(crate) seconds: f64,
    /// Measure drift off the constraints, too
    #[arg(long)]
    pub(crate) drift: bool,
    /// Directory for CSV and plots; made if missing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
