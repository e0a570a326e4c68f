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

/// What the name of a file ends in, in lower case.
pub(crate) fn extension(file: &Path) -> String {
    file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Whether the format of a file can be told from its name.
pub(crate) fn check_extension(file: &Path, known: &[&str]) -> Result<(), Failure> {
    if known.contains(&extension(file).as_str()) {
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
    let content = match extension(file).as_str() {
        "csv" => csv(table),
        "parquet" => parquet(title, table),
        _ => Ok(format!("{}\n", json()).into_bytes()),
    };
    write_file(file, &content.map_err(|reason| Failure::write(file, reason))?)
}

fn csv(table: &Table<'_>) -> Result<Vec<u8>, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fail = |e: csv::Error| e.to_string();
    writer.write_record(table.iter().map(|(name, _)| name)).map_err(fail)?;
    for row in 0..table.first().map_or(0, |(_, values)| values.len()) {
        writer.write_record(table.iter().map(|(_, v)| shortest(v[row]))).map_err(fail)?;
    }
    writer.into_inner().map_err(|e| e.to_string())
}

/// The shortest decimal that reads back as the same number, with an exponent where that would have many
/// zeros.
fn shortest(x: f64) -> String {
    let size = x.abs();
    let plain = size == 0.0 || (1e-4..1e15).contains(&size) || !x.is_finite();
    if plain { x.to_string() } else { format!("{x:e}") }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_and_have_no_rows_of_zeros() {
        for x in [0.0, -0.0, 1.0, -1e-4, 9.9e-5, 1.3241e-30, 1e15, 123456.789, f64::MIN_POSITIVE] {
            let text = shortest(x);
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{text}");
            assert!(text.len() <= 24, "{text}");
        }
        assert_eq!([shortest(-1e-5), shortest(0.25), shortest(f64::NAN)], ["-1e-5", "0.25", "NaN"]);
    }

    #[test]
    fn capitals_end_names_as_well() {
        assert!(check_extension(Path::new("run.CSV"), &["csv"]).is_ok());
        assert!(check_extension(Path::new("run.cs"), &["csv"]).is_err());
    }
}
