//! A table of rows: which columns it has, and what it says about itself.

use super::file::{Partial, io_error};
use super::manifest::{ColumnRole, Manifest};
use crate::digest::ContentDigest;
use crate::error::SweepError;
use crate::outcome::{Outcome, Row};
use crate::parquet_table::{ColumnValues, ParquetTable, TableError};
use crate::summary::Effort;
use crate::sweep::End;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A table of rows being written.
#[derive(Debug)]
pub(super) struct Table {
    table: ParquetTable<Partial>,
    path: PathBuf,
    parameters: usize,
    quantities: usize,
    end: End,
}

impl Table {
    /// Starts the table in a directory.
    pub(super) fn create(
        directory: &Path,
        name: &str,
        manifest: &Manifest,
    ) -> Result<Self, SweepError> {
        let file = Partial::create(directory, name)?;
        let path = file.path().to_path_buf();
        let table = ParquetTable::create(file, &manifest.kinds(), facts(manifest))
            .map_err(|error| failure(&path, error))?;
        let (parameters, quantities) =
            (manifest.parameters().count(), manifest.quantities().count());
        Ok(Self { table, path, parameters, quantities, end: manifest.end })
    }

    /// Writes rows as a row group.
    pub(super) fn write(&mut self, rows: &[Row]) -> Result<(), SweepError> {
        if rows.is_empty() {
            return Ok(());
        }
        let columns = self.columns(rows);
        self.table.write(columns).map_err(|error| failure(&self.path, error))
    }

    /// Completes the file, which then has its name.
    pub(super) fn finish(mut self, facts: &[(&str, String)]) -> Result<(), SweepError> {
        for (key, value) in facts {
            self.table.append_fact(format!("pommel.{key}"), value.clone());
        }
        self.table.finish().map_err(|error| failure(&self.path, error))?.complete()
    }

    /// The rows, column by column.
    fn columns<'a>(&self, rows: &'a [Row]) -> Vec<ColumnValues<'a>> {
        let text = |f: fn(&Outcome) -> Option<&str>| {
            ColumnValues::OptionalText(rows.iter().map(|row| f(&row.outcome)).collect())
        };
        let status = |row: &'a Row| if row.outcome.is_finished() { "finished" } else { "failed" };
        let time = |row: &Row| match row.outcome {
            Outcome::Finished { .. } => self.end.of(&row.parameters),
            Outcome::Failed { time, .. } => time,
        };
        let mut columns = vec![
            ColumnValues::Unsigned(rows.iter().map(|row| row.index).collect()),
            ColumnValues::Text(rows.iter().map(status).collect()),
            text(|outcome| match outcome {
                Outcome::Finished { .. } => None,
                Outcome::Failed { reason, .. } => Some(reason),
            }),
            text(|outcome| match outcome {
                Outcome::Finished { .. } => None,
                Outcome::Failed { message, .. } => Some(message),
            }),
            ColumnValues::Real(rows.iter().map(time).collect()),
        ];
        for p in 0..self.parameters {
            columns.push(ColumnValues::Real(rows.iter().map(|row| row.parameters[p]).collect()));
        }
        for c in 0..self.quantities {
            let value = |row: &Row| match &row.outcome {
                Outcome::Finished { values } => Some(values[c]),
                Outcome::Failed { .. } => None,
            };
            columns.push(ColumnValues::OptionalReal(rows.iter().map(value).collect()));
        }
        columns
    }
}

/// Writes rows as a file of its own, with what checks them when they are read again.
pub(super) fn write_part(
    directory: &Path,
    name: &str,
    manifest: &Manifest,
    rows: &[Row],
    effort: Effort,
) -> Result<(), SweepError> {
    let mut table = Table::create(directory, name, manifest)?;
    let mut check = ContentDigest::new();
    rows.iter().for_each(|row| check.exact(row));
    table.write(rows)?;
    table.finish(&part_facts(check, effort))
}

/// What parts and shares say beside what results say.
pub(super) fn part_facts(check: ContentDigest, effort: Effort) -> [(&'static str, String); 3] {
    [
        ("check", check.finish()),
        ("wall_seconds", effort.seconds.to_string()),
        ("threads", effort.threads.to_string()),
    ]
}

/// What every file says about itself, and in `pommel.columns` (JSON) about its columns.
fn facts(manifest: &Manifest) -> Vec<(String, String)> {
    let mut columns = Map::new();
    for column in &manifest.columns {
        let role = (column.role != ColumnRole::Status).then(|| json!(column.role));
        let texts =
            [("path", &column.path), ("unit", &column.unit), ("description", &column.description)];
        let texts = texts.into_iter().filter_map(|(k, text)| Some((k, json!(text.as_ref()?))));
        let facts: Map<String, Value> = role
            .map(|role| ("role", role))
            .into_iter()
            .chain(texts)
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        if !facts.is_empty() {
            columns.insert(column.name.clone(), Value::Object(facts));
        }
    }
    let fact = |key: &str, value: String| (format!("pommel.{key}"), value);
    vec![
        fact("name", manifest.name.clone()),
        fact("plan_digest", manifest.plan_digest.clone()),
        fact("model_digest", manifest.model_digest.clone()),
        fact("version", manifest.version.clone()),
        fact("columns", Value::Object(columns).to_string()),
    ]
}

/// The writer's error as one of the file.
fn failure(path: &Path, error: TableError) -> SweepError {
    io_error("write", path, error.into_io())
}
