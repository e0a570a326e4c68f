//! Time series as columns of a file: CSV, Parquet, JSON.

use std::path::Path;

use pommel::batch::{ColumnKind, ColumnValues, ParquetTable, TableError};
use serde_json::Value;

use super::write_file;
use crate::failure::Failure;

/// One coordinate over time.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

/// Names and values of the columns of a file, all of one length.
pub(crate) type Table<'a> = [(String, &'a [f64])];

/// Whether the format of a file can be told from its name.
pub(crate) fn check_extension(file: &Path, known: &[&str]) -> Result<(), Failure> {
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if known.contains(&extension) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "cannot tell the format of '{}'; its name must end in .{}",
        file.display(),
        known.join(", .")
    )))
}

/// Writes columns in the format of the file's extension, which was checked before.
pub(crate) fn write(
    file: &Path,
    title: &str,
    table: &Table<'_>,
    json: impl FnOnce() -> Value,
) -> Result<(), Failure> {
    let content = match file.extension().and_then(|e| e.to_str()) {
        Some("csv") => csv(table),
        Some("parquet") => parquet(title, table),
        _ => Ok(format!("{}\n", json()).into_bytes()),
    };
    write_file(file, &content.map_err(|reason| Failure::write(file, reason))?)
}

fn csv(table: &Table<'_>) -> Result<Vec<u8>, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fail = |e: csv::Error| e.to_string();
    writer.write_record(table.iter().map(|(name, _)| name)).map_err(fail)?;
    for row in 0..table.first().map_or(0, |(_, values)| values.len()) {
        // the shortest decimal that reads back as the same number
        writer.write_record(table.iter().map(|(_, v)| v[row].to_string())).map_err(fail)?;
    }
    writer.into_inner().map_err(|e| e.to_string())
}

fn parquet(title: &str, table: &Table<'_>) -> Result<Vec<u8>, String> {
    let kinds: Vec<_> = table.iter().map(|(name, _)| (name.clone(), ColumnKind::Real)).collect();
    let facts = vec![("pommel.name".to_owned(), title.to_owned())];
    let write = || {
        let mut file = ParquetTable::create(Vec::new(), &kinds, facts)?;
        file.write(table.iter().map(|(_, x)| ColumnValues::Real(x.to_vec())).collect())?;
        file.finish()
    };
    write().map_err(|error: TableError| error.to_string())
}
