//! Instances from the rows of a file.

use super::list_parquet;
use crate::digest::sha256_hex;
use bytes::Bytes;
use pommel_model::document::{hint, suggestion};
use std::path::Path;

/// Faulty cells that are told one by one.
const TOLD: u64 = 20;

/// The columns of a list, one for each parameter, all of the same length, all finite.
#[derive(Debug, Clone)]
pub(crate) struct List {
    pub(crate) columns: Vec<Vec<f64>>,
    /// SHA-256 of the file, hexadecimal.
    pub(crate) digest: String,
}

/// What is wrong with the file of a list. Rows are counted from 1, without the header.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ListFault {
    /// The file could not be read.
    #[error("cannot read {file}: {message}")]
    Read {
        /// The file.
        file: String,
        /// What the system or the format says.
        message: String,
    },
    /// The ending names no known format.
    #[error("{file}: unknown file type; lists end in .csv or .parquet")]
    Format {
        /// The file.
        file: String,
    },
    /// There are no rows.
    #[error("{file} has no rows, so the sweep has no instances")]
    NoRows {
        /// The file.
        file: String,
    },
    /// A column that the file does not have.
    #[error("{file} has no column '{column}'{}", hint(suggestion.as_deref(), known))]
    NoColumn {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// The most similar column that it has.
        suggestion: Option<String>,
        /// All columns that it has.
        known: Vec<String>,
    },
    /// A column that the file has twice.
    #[error("{file} has two columns '{column}'; rename one")]
    TwoColumns {
        /// The file.
        file: String,
        /// The column.
        column: String,
    },
    /// A column of something else.
    #[error("column '{column}' of {file} holds {found}, not numbers")]
    NotNumbers {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// What it holds.
        found: String,
    },
    /// A row of the wrong length.
    #[error("{file}: row {row} (line {line}) has {found} cells, the header {expected}")]
    RowLength {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// Its line.
        line: u64,
        /// Number of its cells.
        found: usize,
        /// Number of columns.
        expected: usize,
    },
    /// A cell that is no finite number.
    #[error(
        "{file}: row {row}{}, column '{column}': {} is not a finite number",
        on_line(*line), cell(found)
    )]
    Cell {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// Its line, in a text.
        line: Option<u64>,
        /// The column.
        column: String,
        /// What is there.
        found: String,
    },
    /// More faulty rows or cells than are told one by one.
    #[error("{file}: {count} more rows or cells are faulty")]
    More {
        /// The file.
        file: String,
        /// How many.
        count: u64,
    },
}

/// A fault, and the column that it is about if it is one of the plan's.
pub(crate) type Misplaced = (Option<usize>, ListFault);

/// Faults with the file that they are in; the first ones, and the number of the others.
pub(super) struct Faults {
    pub(super) file: String,
    found: Vec<Misplaced>,
    more: u64,
}

impl Faults {
    /// Number of faults that are told.
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    pub(super) fn push(&mut self, column: Option<usize>, fault: ListFault) {
        self.found.push((column, fault));
    }

    /// A fault of a row or a cell, of which there may be many.
    pub(super) fn row(&mut self, fault: ListFault) {
        if (self.found.len() as u64) < TOLD {
            self.found.push((None, fault));
        } else {
            self.more += 1;
        }
    }

    pub(super) fn cell(&mut self, row: u64, line: Option<u64>, column: &str, found: String) {
        let (file, column) = (self.file.clone(), column.to_owned());
        self.row(ListFault::Cell { file, row, line, column, found });
    }

    pub(super) fn unreadable(&mut self, message: impl ToString) {
        let (file, message) = (self.file.clone(), message.to_string());
        self.push(None, ListFault::Read { file, message });
    }

    /// Where the wanted columns are among those that the file has.
    pub(super) fn find(&mut self, names: &[&str], known: &[String]) -> Vec<usize> {
        let mut places = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let mut found = known.iter().enumerate().filter(|(_, other)| other == name);
            let file = self.file.clone();
            match (found.next(), found.next()) {
                (Some((place, _)), None) => places.push(place),
                (Some(_), Some(_)) => {
                    let column = (*name).to_owned();
                    self.push(Some(index), ListFault::TwoColumns { file, column });
                }
                (None, _) => {
                    let fault = ListFault::NoColumn {
                        file,
                        column: (*name).to_owned(),
                        suggestion: suggestion(name, known.iter().map(String::as_str)),
                        known: known.to_vec(),
                    };
                    self.push(Some(index), fault);
                }
            }
        }
        places
    }
}

impl List {
    /// Reads the named columns of a CSV file with a header, or of a Parquet file.
    ///
    /// # Errors
    /// Every fault of the file, with row and column.
    pub(crate) fn read(path: &Path, names: &[&str]) -> Result<Self, Vec<Misplaced>> {
        let file = path.display().to_string();
        let mut faults = Faults { file: file.clone(), found: Vec::new(), more: 0 };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_csv = ending.eq_ignore_ascii_case("csv");
        if !is_csv && !ending.eq_ignore_ascii_case("parquet") {
            return Err(vec![(None, ListFault::Format { file })]);
        }
        let bytes = match std::fs::read(path) {
            Ok(bytes) => Bytes::from(bytes),
            Err(error) => {
                faults.unreadable(error);
                return Err(faults.found);
            }
        };
        let digest = sha256_hex(&bytes);
        let columns = if is_csv {
            from_csv(&bytes, names, &mut faults)
        } else {
            list_parquet::columns(bytes, names, &mut faults)
        };
        if faults.found.is_empty() && columns.iter().all(Vec::is_empty) {
            faults.push(None, ListFault::NoRows { file: file.clone() });
        }
        if faults.more > 0 {
            faults.push(None, ListFault::More { file, count: faults.more });
        }
        if faults.found.is_empty() { Ok(Self { columns, digest }) } else { Err(faults.found) }
    }
}

/// Columns of a text: commas, a header; lines that start with `#` are left out.
fn from_csv(bytes: &[u8], names: &[&str], faults: &mut Faults) -> Vec<Vec<f64>> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .flexible(true)
        .from_reader(bytes);
    let known: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(str::to_owned).collect(),
        Err(error) => {
            faults.unreadable(error);
            return Vec::new();
        }
    };
    let places = faults.find(names, &known);
    if places.len() < names.len() {
        return Vec::new();
    }
    let mut columns = vec![Vec::new(); names.len()];
    for (row, record) in (1..).zip(reader.records()) {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.unreadable(error);
                break;
            }
        };
        let line = record.position().map_or(0, |position| line_of(bytes, position));
        if record.len() != known.len() {
            let (file, found, expected) = (faults.file.clone(), record.len(), known.len());
            faults.row(ListFault::RowLength { file, row, line, found, expected });
            continue;
        }
        for ((name, place), column) in names.iter().zip(&places).zip(&mut columns) {
            let text = &record[*place];
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => column.push(value),
                _ => faults.cell(row, Some(line), name, text.to_owned()),
            }
        }
    }
    columns
}

/// The line of a record: its position is before the comments and empty lines above it.
fn line_of(bytes: &[u8], position: &csv::Position) -> u64 {
    let rest = bytes.get(position.byte() as usize..).unwrap_or_default();
    let skipped = |line: &&[u8]| line.starts_with(b"#") || matches!(line, [] | [b'\r']);
    position.line() + rest.split(|byte| *byte == b'\n').take_while(skipped).count() as u64
}

fn on_line(line: Option<u64>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}

fn cell(found: &str) -> String {
    if found.is_empty() { "an empty cell".to_owned() } else { format!("'{found}'") }
}
