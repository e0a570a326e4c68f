//! The table of results as a Parquet file, a row group a chunk.

use super::FIXED_COLUMNS;
use super::directory::Partial;
use crate::error::SweepError;
use crate::outcome::{Outcome, Row};
use crate::runner::Column;
use crate::sweep::Sweep;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The table of results.
#[derive(Debug)]
pub(super) struct Table {
    writer: ArrowWriter<Partial>,
    schema: Arc<Schema>,
    path: PathBuf,
    parameters: usize,
    quantities: usize,
    end: f64,
}

impl Table {
    /// Starts the table in a file.
    pub(super) fn create(
        file: Partial,
        sweep: &Sweep,
        columns: &[Column],
    ) -> Result<Self, SweepError> {
        let described = described(sweep, columns);
        let schema = Arc::new(schema(sweep, &described));
        let metadata = metadata(sweep, &described);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("pommel-batch ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata))
            // a chunk is a row group, whatever its size
            .set_max_row_group_row_count(None)
            .build();
        let path = file.path().to_path_buf();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))
            .map_err(|error| failure(&path, error))?;
        Ok(Self {
            writer,
            schema,
            path,
            parameters: sweep.swept().len(),
            quantities: columns.len(),
            end: sweep.plan().end,
        })
    }

    /// Writes a chunk of rows as a row group.
    pub(super) fn write(&mut self, rows: &[Row]) -> Result<(), SweepError> {
        let batch = RecordBatch::try_new(self.schema.clone(), self.arrays(rows))
            .map_err(|error: ArrowError| failure(&self.path, error.into()))?;
        let written = self.writer.write(&batch).and_then(|()| self.writer.flush());
        written.map_err(|error| failure(&self.path, error))
    }

    /// Completes the file.
    pub(super) fn finish(mut self, digest: &str) -> Result<Partial, SweepError> {
        self.writer.append_key_value_metadata(entry("digest", digest.to_owned()));
        self.writer.into_inner().map_err(|error| failure(&self.path, error))?.sync()
    }

    /// The rows, column by column.
    fn arrays(&self, rows: &[Row]) -> Vec<ArrayRef> {
        let text = |f: fn(&Outcome) -> Option<&str>| -> ArrayRef {
            Arc::new(StringArray::from_iter(rows.iter().map(|row| f(&row.outcome))))
        };
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.index))),
            text(|outcome| Some(if outcome.is_finished() { "finished" } else { "failed" })),
            text(|outcome| match outcome {
                Outcome::Finished { .. } => None,
                Outcome::Failed { reason, .. } => Some(reason),
            }),
            text(|outcome| match outcome {
                Outcome::Finished { .. } => None,
                Outcome::Failed { message, .. } => Some(message),
            }),
            Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| match row.outcome {
                Outcome::Finished { .. } => self.end,
                Outcome::Failed { time, .. } => time,
            }))),
        ];
        for p in 0..self.parameters {
            let values = rows.iter().map(|row| row.parameters[p]);
            arrays.push(Arc::new(Float64Array::from_iter_values(values)));
        }
        for c in 0..self.quantities {
            let values = rows.iter().map(|row| match &row.outcome {
                Outcome::Finished { values } => Some(values[c]),
                Outcome::Failed { .. } => None,
            });
            arrays.push(Arc::new(Float64Array::from_iter(values)));
        }
        arrays
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
        let paths: Vec<_> =
            parameter.targets().iter().map(|target| target.path().to_string()).collect();
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

fn schema(sweep: &Sweep, described: &[Described]) -> Schema {
    let [instance, status, reason, message, time] = FIXED_COLUMNS;
    let seconds = HashMap::from([("unit".to_owned(), "s".to_owned())]);
    let mut fields = vec![
        Field::new(instance, DataType::UInt64, false),
        Field::new(status, DataType::Utf8, false),
        Field::new(reason, DataType::Utf8, true),
        Field::new(message, DataType::Utf8, true),
        Field::new(time, DataType::Float64, false).with_metadata(seconds),
    ];
    for (index, column) in described.iter().enumerate() {
        let facts = column.facts.iter().map(|(key, text)| ((*key).to_owned(), text.clone()));
        let is_quantity = index >= sweep.swept().len();
        let field = Field::new(&column.name, DataType::Float64, is_quantity);
        fields.push(field.with_metadata(facts.collect::<HashMap<_, _>>()));
    }
    Schema::new(fields)
}

/// What the file says about itself, for readers that do not know Arrow's own metadata.
fn metadata(sweep: &Sweep, described: &[Described]) -> Vec<KeyValue> {
    let mut columns = Map::new();
    columns.insert(FIXED_COLUMNS[4].to_owned(), json!({"unit": "s"}));
    for column in described {
        let facts: Map<String, Value> =
            column.facts.iter().map(|(k, text)| ((*k).to_owned(), json!(text))).collect();
        columns.insert(column.name.clone(), Value::Object(facts));
    }
    vec![
        entry("name", sweep.plan().name.clone()),
        entry("plan_digest", sweep.plan_digest().to_owned()),
        entry("model_digest", sweep.model_digest().to_owned()),
        entry("version", env!("CARGO_PKG_VERSION").to_owned()),
        entry("columns", Value::Object(columns).to_string()),
    ]
}

fn entry(key: &str, value: String) -> KeyValue {
    KeyValue { key: format!("pommel.{key}"), value: Some(value) }
}

/// The writer's error as one of the file; the system's own error where there is one.
fn failure(path: &std::path::Path, error: ParquetError) -> SweepError {
    let source = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    };
    SweepError::Io { action: "write", path: path.to_path_buf(), source }
}
