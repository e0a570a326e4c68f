//! Reads the tables that this crate writes, column by column.
//!
//! Whatever the bytes of a file are, it is read or refused with an error: the checks of the format
//! are followed by those of this crate's own kinds of columns.

use crate::parquet_table::{ColumnKind, TableError};
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::Type;
use std::any::Any;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The values of a column for the rows of a row group, as read.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadValues {
    /// Of [`ColumnKind::Unsigned`].
    Unsigned(Vec<u64>),
    /// Of [`ColumnKind::Text`].
    Text(Vec<String>),
    /// Of [`ColumnKind::OptionalText`].
    OptionalText(Vec<Option<String>>),
    /// Of [`ColumnKind::Real`].
    Real(Vec<f64>),
    /// Of [`ColumnKind::OptionalReal`].
    OptionalReal(Vec<Option<f64>>),
}

impl ReadValues {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Unsigned(list) => list.len(),
            Self::Text(list) => list.len(),
            Self::OptionalText(list) => list.len(),
            Self::Real(list) => list.len(),
            Self::OptionalReal(list) => list.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A table opened for reading; [`ParquetTable`](crate::ParquetTable) writes them.
///
/// The batches of a table are its row groups: one is held in memory at a time, column by column.
pub struct ParquetReader {
    reader: SerializedFileReader<File>,
    columns: Vec<(String, ColumnKind)>,
    facts: BTreeMap<String, String>,
    /// Number of rows of every row group.
    groups: Vec<usize>,
}

impl std::fmt::Debug for ParquetReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetReader").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl ParquetReader {
    /// Opens a table.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be read, is no Parquet, or has columns of other kinds
    /// than [`ColumnKind`] knows.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let file = File::open(path).map_err(|error| TableError::of(error.into()))?;
        guarded(|| Self::new(file))
    }

    fn new(file: File) -> Result<Self, ParquetError> {
        let reader = SerializedFileReader::new(file)?;
        let metadata = reader.metadata();
        let about = metadata.file_metadata();
        let fields = about.schema().get_fields().iter();
        let columns = fields
            .map(|field| match kind(field) {
                Some(kind) => Ok((field.name().to_owned(), kind)),
                None => Err(general(format!("column '{}' is of an unknown kind", field.name()))),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let facts = about.key_value_metadata().into_iter().flatten();
        let facts = facts.filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)));
        let groups = metadata.row_groups().iter().map(|group| {
            let rows = group.num_rows();
            usize::try_from(rows).map_err(|_| general(format!("a row group of {rows} rows")))
        });
        let (facts, groups) = (facts.collect(), groups.collect::<Result<_, _>>()?);
        Ok(Self { columns, facts, groups, reader })
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[(String, ColumnKind)] {
        &self.columns
    }

    /// Where a column is.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|(other, _)| other == name)
    }

    /// A fact that the file says about itself, such as `pommel.digest`.
    pub fn fact(&self, key: &str) -> Option<&str> {
        self.facts.get(key).map(String::as_str)
    }

    /// All facts that the file says about itself.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.facts.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|rows| *rows as u64).sum()
    }

    /// Number of batches.
    pub fn batches(&self) -> Range<usize> {
        0..self.groups.len()
    }

    /// The values of a column for the rows of a batch.
    ///
    /// # Errors
    /// [`TableError`] if there is no such batch or column, or its content is damaged.
    pub fn read(&self, batch: usize, column: usize) -> Result<ReadValues, TableError> {
        guarded(|| self.read_column(batch, column))
    }

    fn read_column(&self, batch: usize, column: usize) -> Result<ReadValues, ParquetError> {
        let (Some(&rows), Some((name, kind))) = (self.groups.get(batch), self.columns.get(column))
        else {
            return Err(general(format!("there is no batch {batch} with a column {column}")));
        };
        let text = |bytes: ByteArray| {
            let text = std::str::from_utf8(bytes.data()).map(str::to_owned);
            text.map_err(|_| general(format!("a text of column '{name}' is not UTF-8")))
        };
        let values = match kind {
            ColumnKind::Unsigned => {
                let list = self.all::<Int64Type>(batch, column, rows)?;
                ReadValues::Unsigned(list.into_iter().map(i64::cast_unsigned).collect())
            }
            ColumnKind::Text => {
                let list = self.all::<ByteArrayType>(batch, column, rows)?;
                ReadValues::Text(list.into_iter().map(text).collect::<Result<_, _>>()?)
            }
            ColumnKind::OptionalText => {
                let list = self.some::<ByteArrayType>(batch, column, rows)?.into_iter();
                let list = list.map(|item| item.map(text).transpose());
                ReadValues::OptionalText(list.collect::<Result<_, _>>()?)
            }
            ColumnKind::Real => ReadValues::Real(self.all::<DoubleType>(batch, column, rows)?),
            ColumnKind::OptionalReal => {
                ReadValues::OptionalReal(self.some::<DoubleType>(batch, column, rows)?)
            }
        };
        Ok(values)
    }

    /// Values, all present.
    fn all<D: DataType>(
        &self,
        batch: usize,
        column: usize,
        rows: usize,
    ) -> Result<Vec<D::T>, ParquetError> {
        Ok(self.present::<D>(batch, column, rows, None)?.0)
    }

    /// Values, some missing.
    fn some<D: DataType>(
        &self,
        batch: usize,
        column: usize,
        rows: usize,
    ) -> Result<Vec<Option<D::T>>, ParquetError> {
        let (values, levels) = self.present::<D>(batch, column, rows, Some(Vec::new()))?;
        let mut values = values.into_iter();
        let list: Vec<_> =
            levels.iter().map(|level| if *level > 0 { values.next() } else { None }).collect();
        let present = levels.iter().filter(|level| **level > 0).count();
        if list.len() != rows || list.iter().flatten().count() != present {
            return Err(self.short(column, list.len(), rows));
        }
        Ok(list)
    }

    /// The values that are present, and for columns with missing values which rows they belong to.
    fn present<D: DataType>(
        &self,
        batch: usize,
        column: usize,
        rows: usize,
        levels: Option<Vec<i16>>,
    ) -> Result<(Vec<D::T>, Vec<i16>), ParquetError> {
        let reader = self.reader.get_row_group(batch)?.get_column_reader(column)?;
        let mut reader = get_typed_column_reader::<D>(reader);
        let (mut values, mut levels) = (Vec::new(), levels);
        let mut count = 0;
        while count < rows {
            match reader.read_records(rows - count, levels.as_mut(), None, &mut values)?.0 {
                0 => return Err(self.short(column, count, rows)),
                more => count += more,
            }
        }
        if levels.is_none() && values.len() != rows {
            return Err(self.short(column, values.len(), rows));
        }
        Ok((values, levels.unwrap_or_default()))
    }

    fn short(&self, column: usize, found: usize, rows: usize) -> ParquetError {
        general(format!("column '{}' has {found} values for {rows} rows", self.columns[column].0))
    }
}

/// The kind of a column, if it is one that this crate writes.
fn kind(field: &Type) -> Option<ColumnKind> {
    if !field.is_primitive() {
        return None;
    }
    let info = field.get_basic_info();
    let optional = match info.repetition() {
        Repetition::REQUIRED => false,
        Repetition::OPTIONAL => true,
        Repetition::REPEATED => return None,
    };
    let logical = info.logical_type_ref();
    match (field.get_physical_type(), optional) {
        (PhysicalType::INT64, false) if logical == Some(&LogicalType::integer(64, false)) => {
            Some(ColumnKind::Unsigned)
        }
        (PhysicalType::BYTE_ARRAY, false) if logical == Some(&LogicalType::String) => {
            Some(ColumnKind::Text)
        }
        (PhysicalType::BYTE_ARRAY, true) if logical == Some(&LogicalType::String) => {
            Some(ColumnKind::OptionalText)
        }
        (PhysicalType::DOUBLE, false) => Some(ColumnKind::Real),
        (PhysicalType::DOUBLE, true) => Some(ColumnKind::OptionalReal),
        _ => None,
    }
}

/// The decoder takes some damaged pages for a mistake of its caller and panics; to whoever opens a
/// file that is an error as any other. What it worked on is dropped.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, TableError> {
    let result =
        catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|payload: Box<dyn Any + Send>| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            Err(general(format!("damaged: {}", text.unwrap_or("it cannot be decoded"))))
        });
    result.map_err(TableError::of)
}

fn general(message: String) -> ParquetError {
    ParquetError::General(message)
}
