//! Rows of a sweep, read back.

use super::FIXED_COLUMNS;
use super::manifest::Manifest;
use crate::error::SweepError;
use crate::outcome::{Outcome, Row};
use crate::parquet_read::{ParquetReader, ReadValues};
use crate::summary::Effort;
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A table of rows being read; every error names the file.
#[derive(Debug)]
pub(super) struct RowReader {
    reader: ParquetReader,
    path: PathBuf,
    parameters: usize,
    quantities: usize,
}

impl RowReader {
    /// Opens a table, which must be one of this sweep.
    pub(super) fn open(path: &Path, manifest: &Manifest) -> Result<Self, SweepError> {
        let damaged = |reason: String| SweepError::Damaged { path: path.to_path_buf(), reason };
        let reader = ParquetReader::open(path).map_err(|error| damaged(error.to_string()))?;
        if reader.columns() != manifest.kinds() {
            return Err(damaged("it has other columns than the sweep".to_owned()));
        }
        let facts = [
            ("pommel.plan_digest", &manifest.plan_digest),
            ("pommel.model_digest", &manifest.model_digest),
            ("pommel.version", &manifest.version),
        ];
        if let Some((key, _)) = facts.iter().find(|(k, text)| reader.fact(k) != Some(text.as_str()))
        {
            return Err(damaged(format!("it is of another sweep, by its {key}")));
        }
        let (parameters, quantities) =
            (manifest.parameters().count(), manifest.quantities().count());
        Ok(Self { reader, path: path.to_path_buf(), parameters, quantities })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of rows.
    pub(super) fn len(&self) -> u64 {
        self.reader.rows()
    }

    /// A fact that the file says about itself.
    pub(super) fn fact(&self, key: &str) -> Option<&str> {
        self.reader.fact(&format!("pommel.{key}"))
    }

    /// What it took to run the rows.
    pub(super) fn effort(&self) -> Effort {
        Effort {
            seconds: self.fact("wall_seconds").and_then(|text| text.parse().ok()).unwrap_or(0.0),
            threads: self.fact("threads").and_then(|text| text.parse().ok()).unwrap_or(0),
        }
    }

    pub(super) fn batches(&self) -> Range<usize> {
        self.reader.batches()
    }

    /// The rows of a batch.
    pub(super) fn batch(&self, batch: usize) -> Result<Vec<Row>, SweepError> {
        let read = |column: usize| {
            let values = self.reader.read(batch, column);
            values.map_err(|error| self.damaged(error.to_string()))
        };
        let unsigned = read(0)?;
        let texts = (read(1)?, read(2)?, read(3)?);
        let ReadValues::Unsigned(indices) = unsigned else { return Err(self.mixed()) };
        let (
            ReadValues::Text(status),
            ReadValues::OptionalText(mut reason),
            ReadValues::OptionalText(mut message),
        ) = texts
        else {
            return Err(self.mixed());
        };
        let ReadValues::Real(time) = read(4)? else { return Err(self.mixed()) };
        let first = FIXED_COLUMNS.len();
        let mut parameters = Vec::with_capacity(self.parameters);
        for column in first..first + self.parameters {
            let ReadValues::Real(list) = read(column)? else { return Err(self.mixed()) };
            parameters.push(list);
        }
        let first = first + self.parameters;
        let mut values = Vec::with_capacity(self.quantities);
        for column in first..first + self.quantities {
            let ReadValues::OptionalReal(list) = read(column)? else { return Err(self.mixed()) };
            values.push(list);
        }
        let row = |(k, index): (usize, u64)| {
            let outcome = if status[k] == "finished" {
                let values: Option<Vec<f64>> = values.iter().map(|column| column[k]).collect();
                values.map(|values| Outcome::Finished { values })
            } else {
                reason[k].take().map(|reason| Outcome::Failed {
                    reason: Cow::Owned(reason),
                    message: message[k].take().unwrap_or_default(),
                    time: time[k],
                })
            };
            let outcome = outcome.ok_or_else(|| self.damaged(format!("row {index} has gaps")))?;
            Ok(Row {
                index,
                parameters: parameters.iter().map(|column| column[k]).collect(),
                outcome,
            })
        };
        indices.into_iter().enumerate().map(row).collect()
    }

    pub(super) fn damaged(&self, reason: String) -> SweepError {
        SweepError::Damaged { path: self.path.clone(), reason }
    }

    /// The kinds were checked when the file was opened.
    fn mixed(&self) -> SweepError {
        self.damaged("its columns are of other kinds than it says".to_owned())
    }
}
