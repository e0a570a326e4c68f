//! Results in a directory: complete under their names, or not there.
//!
//! | name | what | when |
//! |---|---|---|
//! | `manifest.json` | plan, model, columns ([`Manifest`]) | before the first instance runs |
//! | `plan.toml` | copy of the plan | the same |
//! | `parts/START-END.parquet` | rows of these instances, END exclusive | while the sweep runs |
//! | `parts/I-of-N/` | the same of a share | while the share runs |
//! | `shard-I-of-N.parquet` | rows of a share | when the share is complete |
//! | `results.parquet` | all rows | when all are there |
//! | `summary.json` | their [`Summary`](crate::Summary) | after the results |
//!
//! A file gets its name when its content is on disk. Parts are removed when what is made of them
//! has its name, so that a process may be killed between any two steps: what the directory holds
//! says what is left to be done.

mod file;
mod gather;
mod lock;
mod manifest;
mod merge;
mod parts;
mod rows;
mod store;
mod table;

pub use manifest::{ColumnRole, Manifest, ManifestColumn};
pub use merge::{MergeOptions, merge};
pub use store::run_to_directory;

use crate::parquet_table::ColumnKind;

/// Name of what a directory says about its sweep.
pub const MANIFEST_FILE: &str = "manifest.json";
/// Name of the table of results.
pub const RESULTS_FILE: &str = "results.parquet";
/// Name of the summary.
pub const SUMMARY_FILE: &str = "summary.json";
/// Name of the copy of the plan.
pub const PLAN_FILE: &str = "plan.toml";
/// Name of the directory of parts.
const PARTS: &str = "parts";

/// Rows of a row group of results.
pub(crate) const GROUP_ROWS: usize = 8192;

/// The columns that every table of results has.
pub(crate) const FIXED_COLUMNS: [&str; 5] =
    ["instance", "status", "reason", "message", "time_reached"];
/// What they hold.
const FIXED_KINDS: [ColumnKind; 5] = [
    ColumnKind::Unsigned,
    ColumnKind::Text,
    ColumnKind::OptionalText,
    ColumnKind::OptionalText,
    ColumnKind::Real,
];
