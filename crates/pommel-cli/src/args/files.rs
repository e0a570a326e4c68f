//! Model files, files that are written, and schemas.

use std::path::PathBuf;

use clap::Args;
use pommel::model::{LoadOptions, Mechanism};

use crate::failure::Failure;
use crate::output;

/// A model file and how to read it.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// Model file: .toml, .json or .urdf
    pub(crate) model: PathBuf,
    /// Gravity in world axes, m/s² (replaces the model's; a URDF carries none: 0 0 -9.81; of planar models
    /// GZ is 0)
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

/// Files that samples over time go to.
#[derive(Debug, Args)]
pub(crate) struct SampleFiles {
    /// Write the samples to a .csv, .parquet or .json file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write a plot of the samples: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}

impl SampleFiles {
    /// Whether the formats can be told from the names.
    pub(crate) fn check_names(&self) -> Result<(), Failure> {
        for (file, known) in
            [(&self.out, &["csv", "parquet", "json"][..]), (&self.plot, &["svg", "png"])]
        {
            if let Some(file) = file {
                output::columns::check_extension(file, known)?;
            }
        }
        Ok(())
    }

    /// Whether the files can be written, before a long computation.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        self.iter().try_for_each(|file| output::check_writable(file))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.out, &self.plot].into_iter().flatten()
    }
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
    /// File to write: a model as .toml or .json; with --codegen, code as .c or .rs
    pub(crate) output: PathBuf,
    /// Write code for the equations of motion: C for .c, Rust for .rs
    #[arg(long)]
    pub(crate) codegen: bool,
    /// Gravity in world axes, m/s² (replaces the model's; a URDF carries none: 0 0 -9.81)
    #[arg(long, num_args = 3, value_names = ["GX", "GY", "GZ"], allow_hyphen_values = true)]
    pub(crate) gravity: Option<Vec<f64>>,
    /// Free a base that is fixed to the ground
    #[arg(long)]
    pub(crate) floating_base: bool,
}
