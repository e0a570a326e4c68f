//! What a directory says about its sweep before the first instance runs.

use super::file::{Partial, io_error};
use super::{FIXED_COLUMNS, FIXED_KINDS, MANIFEST_FILE};
use crate::error::SweepError;
use crate::parquet_table::ColumnKind;
use crate::runner::Column;
use crate::sweep::{End, Sweep};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// Version of the layout of a directory.
const FORMAT: u32 = 1;

/// What a directory of results says about its sweep; the content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the layout of the directory.
    pub format: u32,
    /// Version of this crate.
    pub version: String,
    /// Name of the sweep.
    pub name: String,
    /// Digest of the plan.
    pub plan_digest: String,
    /// Digest of the model, before parameters are set.
    pub model_digest: String,
    /// Number of instances of the whole sweep.
    pub instances: u64,
    /// End of every simulation.
    pub end: End,
    /// The columns of the results, in order.
    pub columns: Vec<ManifestColumn>,
}

/// A column of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManifestColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// What it is for.
    pub role: ColumnRole,
    /// Unit, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Of a parameter: the numbers of the model that it sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Of a quantity: what it is, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What a column of results is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// What became of the instance.
    Status,
    /// A number that varies.
    Parameter,
    /// A number that was computed.
    Quantity,
}

impl Manifest {
    pub(crate) fn new(sweep: &Sweep, columns: &[Column]) -> Self {
        let fixed = FIXED_COLUMNS.iter().zip(FIXED_KINDS).map(|(name, kind)| ManifestColumn {
            name: (*name).to_owned(),
            kind,
            role: ColumnRole::Status,
            // the only number that is not a count
            unit: (kind == ColumnKind::Real).then(|| "s".to_owned()),
            path: None,
            description: None,
        });
        let parameters = sweep.swept().iter().map(|parameter| {
            let paths: Vec<_> = parameter.targets().iter().map(Target::path).collect();
            ManifestColumn {
                name: parameter.name().to_owned(),
                kind: ColumnKind::Real,
                role: ColumnRole::Parameter,
                unit: parameter.unit().map(str::to_owned),
                path: Some(paths.join(", ")),
                description: None,
            }
        });
        let quantities = columns.iter().map(|column| ManifestColumn {
            name: column.name.clone(),
            kind: ColumnKind::OptionalReal,
            role: ColumnRole::Quantity,
            unit: Some(column.unit.clone()),
            path: None,
            description: Some(column.description.clone()),
        });
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: sweep.plan().name.clone(),
            plan_digest: sweep.plan_digest().to_owned(),
            model_digest: sweep.model_digest().to_owned(),
            instances: sweep.len(),
            end: sweep.end(),
            columns: fixed.chain(parameters).chain(quantities).collect(),
        }
    }

    /// The columns of the parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &ManifestColumn> {
        self.columns.iter().filter(|column| column.role == ColumnRole::Parameter)
    }

    /// The columns of the quantities.
    pub fn quantities(&self) -> impl Iterator<Item = &ManifestColumn> {
        self.columns.iter().filter(|column| column.role == ColumnRole::Quantity)
    }

    /// Names and kinds of the columns.
    pub(super) fn kinds(&self) -> Vec<(String, ColumnKind)> {
        self.columns.iter().map(|column| (column.name.clone(), column.kind)).collect()
    }

    /// Reads the manifest of a directory.
    ///
    /// # Errors
    /// [`SweepError::NoSweep`] if there is none, [`SweepError::Io`], [`SweepError::Damaged`].
    pub fn read(directory: impl AsRef<Path>) -> Result<Self, SweepError> {
        let path = directory.as_ref();
        let none = || SweepError::NoSweep { path: path.to_path_buf(), file: MANIFEST_FILE };
        Self::find(path)?.ok_or_else(none)
    }

    /// Reads the manifest of a directory if there is one.
    pub(super) fn find(directory: &Path) -> Result<Option<Self>, SweepError> {
        let path = directory.join(MANIFEST_FILE);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(io_error("read", &path, source)),
        };
        let damaged = |reason: String| SweepError::Damaged { path: path.clone(), reason };
        let manifest: Self =
            serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        let count = |role| manifest.columns.iter().filter(|column| column.role == role).count();
        let fixed = manifest.columns.iter().take(FIXED_COLUMNS.len());
        let roles: Vec<_> = manifest.columns.iter().map(|column| column.role).collect();
        let sound = manifest.format == FORMAT
            && count(ColumnRole::Status) == FIXED_COLUMNS.len()
            && fixed
                .map(|c| (c.name.as_str(), c.kind))
                .eq(FIXED_COLUMNS.into_iter().zip(FIXED_KINDS))
            && manifest.end.column.is_none_or(|column| column < count(ColumnRole::Parameter))
            && roles.is_sorted()
            && manifest.parameters().all(|column| column.kind == ColumnKind::Real)
            && manifest.quantities().all(|column| column.kind == ColumnKind::OptionalReal);
        if !sound {
            return Err(damaged("it is of another format or version".to_owned()));
        }
        Ok(Some(manifest))
    }

    fn text(&self) -> String {
        // plain data with text keys
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Writes the manifest of a directory.
    pub(super) fn write(&self, directory: &Path) -> Result<(), SweepError> {
        Partial::create(directory, MANIFEST_FILE)?.text(&self.text())?.complete()
    }

    /// Writes the manifest of a directory unless there is one; that which is there then.
    pub(super) fn publish(&self, directory: &Path, writer: &str) -> Result<Self, SweepError> {
        if let Some(found) = Self::find(directory)? {
            return Ok(found);
        }
        let file = Partial::create_beside(directory, MANIFEST_FILE, writer)?;
        if file.text(&self.text())?.complete_first()? {
            return Ok(self.clone());
        }
        Self::read(directory)
    }

    /// Whether what another manifest describes is of the same plan.
    pub(super) fn check_plan(&self, found: &Self, directory: &Path) -> Result<(), SweepError> {
        if found.plan_digest == self.plan_digest {
            return Ok(());
        }
        Err(SweepError::ForeignResults {
            path: directory.to_path_buf(),
            found: Some(found.plan_digest.clone()),
            plan_digest: self.plan_digest.clone(),
        })
    }

    /// Whether rows of another manifest may stand beside rows of this one.
    pub(super) fn check_same(&self, found: &Self, directory: &Path) -> Result<(), SweepError> {
        self.check_plan(found, directory)?;
        let columns = |manifest: &Self| {
            let names = manifest.columns.iter().map(|column| column.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let (what, found, now) = if found.model_digest != self.model_digest {
            ("model", found.model_digest.clone(), self.model_digest.clone())
        } else if found.version != self.version {
            ("version", found.version.clone(), self.version.clone())
        } else if found != self {
            ("columns", columns(found), columns(self))
        } else {
            return Ok(());
        };
        Err(SweepError::Changed { path: directory.to_path_buf(), what, found, now })
    }
}
