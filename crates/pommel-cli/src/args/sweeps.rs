//! Commands for sweeps.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Sweep plan (.toml or .json)
    pub(crate) plan: PathBuf,
    /// Directory for the results; made if missing
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Threads, at most 1024 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Variants side by side in vector registers: 1, 2, 4 or 8 [default: as many as registers have]
    #[arg(long, value_name = "L")]
    pub(crate) lanes: Option<usize>,
    /// Go on with a sweep that was interrupted
    #[arg(long)]
    pub(crate) resume: bool,
    /// Run share I of N only, such as 2/8
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<pommel::batch::Shard>,
    /// Stop once more than this share of the variants has failed, from 0 to 1; judged every 100
    /// variants in their order, and 20 failures are always borne [default: that of the plan]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub(crate) max_failed: Option<f64>,
    /// Run a few variants, estimate time, memory and disk, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Directory with the shares
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Remove the shares once the results are complete
    #[arg(long)]
    pub(crate) remove_shards: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
