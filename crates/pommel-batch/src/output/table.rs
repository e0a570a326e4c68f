//! The table of results: which columns it has, and what it says about itself.

use super::FIXED_COLUMNS;
use super::directory::Partial;
use crate::error::SweepError;
use crate::outcome::{Outcome, Row};
use crate::parquet_table::{ColumnKind, ColumnValues, ParquetTable, TableError};
use crate::runner::Column;
use crate::sweep::{End, Sweep};
use crate::target::Target;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The table of results; a chunk of rows is a row group.
#[derive(Debug)]
pub(super) struct Table {
    table: ParquetTable<Partial>,
    path: PathBuf,
    parameters: usize,
    quantities: usize,
    end: End,
}

impl Table {
    /// Starts the table in a file.
    pub(super) fn create(
        file: Partial,
        sweep: &Sweep,
        columns: &[Column],
    ) -> Result<Self, SweepError> {
        let path = file.path().to_path_buf();
        let described = described(sweep, columns);
        let facts = facts(sweep, &described);
        let [instance, status, reason, message, time] = FIXED_COLUMNS.map(str::to_owned);
        let mut list = vec![
            (instance, ColumnKind::Unsigned),
            (status, ColumnKind::Text),
            (reason, ColumnKind::OptionalText),
            (message, ColumnKind::OptionalText),
            (time, ColumnKind::Real),
        ];
        let parameters = sweep.swept().len();
        for (index, column) in described.into_iter().enumerate() {
            let quantity = index >= parameters;
            let kind = if quantity { ColumnKind::OptionalReal } else { ColumnKind::Real };
            list.push((column.name, kind));
        }
        let table =
            ParquetTable::create(file, &list, facts).map_err(|error| failure(&path, error))?;
        Ok(Self { table, path, parameters, quantities: columns.len(), end: sweep.end() })
    }

    /// Writes a chunk of rows as a row group.
    pub(super) fn write(&mut self, rows: &[Row]) -> Result<(), SweepError> {
        let columns = self.columns(rows);
        self.table.write(columns).map_err(|error| failure(&self.path, error))
    }

    /// Completes the file.
    pub(super) fn finish(mut self, digest: &str) -> Result<Partial, SweepError> {
        let (key, value) = fact("digest", digest.to_owned());
        self.table.append_fact(key, value);
        self.table.finish().map_err(|error| failure(&self.path, error))?.sync()
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

/// A column with what is known about it.
struct Described {
    name: String,
    facts: Vec<(&'static str, String)>,
}

/// The parameters, then the quantities.
fn described(sweep: &Sweep, columns: &[Column]) -> Vec<Described> {
    let parameters = sweep.swept().iter().map(|parameter| {
        let paths: Vec<_> = parameter.targets().iter().map(Target::path).collect();
        let mut facts = vec![("role", "parameter".to_owned()), ("path", paths.join(", "))];
        facts.extend(parameter.unit().map(|unit| ("unit", unit.to_owned())));
        Described { name: parameter.name().to_owned(), facts }
    });
    let quantities = columns.iter().map(|column| Described {
        name: column.name.clone(),
        facts: vec![
            ("role", "quantity".to_owned()),
            ("unit", column.unit.clone()),
            ("description", column.description.clone()),
        ],
    });
    parameters.chain(quantities).collect()
}

/// What the file says about itself, and in `pommel.columns` (JSON) about its columns.
fn facts(sweep: &Sweep, described: &[Described]) -> Vec<(String, String)> {
    let mut columns = Map::new();
    columns.insert(FIXED_COLUMNS[4].to_owned(), json!({"unit": "s"}));
    for column in described {
        let facts: Map<String, Value> =
            column.facts.iter().map(|(k, text)| ((*k).to_owned(), json!(text))).collect();
        columns.insert(column.name.clone(), Value::Object(facts));
    }
    vec![
        fact("name", sweep.plan().name.clone()),
        fact("plan_digest", sweep.plan_digest().to_owned()),
        fact("model_digest", sweep.model_digest().to_owned()),
        fact("version", env!("CARGO_PKG_VERSION").to_owned()),
        fact("columns", Value::Object(columns).to_string()),
    ]
}

fn fact(key: &str, value: String) -> (String, String) {
    (format!("pommel.{key}"), value)
}

/// The writer's error as one of the file.
fn failure(path: &std::path::Path, error: TableError) -> SweepError {
    SweepError::Io { action: "write", path: path.to_path_buf(), source: error.into_io() }
}
