//! Tables as Parquet files, column by column.
//!
//! Numbers and texts in plain columns need nothing of Arrow, whose crates would take longer to
//! compile than the rest of the program together.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use serde::{Deserialize, Serialize};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Unsigned 64-bit integers.
    Unsigned,
    /// Texts.
    Text,
    /// Texts, some missing.
    OptionalText,
    /// Floating-point numbers, exact.
    Real,
    /// Floating-point numbers, some missing.
    OptionalReal,
}

/// The values of a column for some rows.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues<'a> {
    /// For [`ColumnKind::Unsigned`].
    Unsigned(Vec<u64>),
    /// For [`ColumnKind::Text`].
    Text(Vec<&'a str>),
    /// For [`ColumnKind::OptionalText`].
    OptionalText(Vec<Option<&'a str>>),
    /// For [`ColumnKind::Real`].
    Real(Vec<f64>),
    /// For [`ColumnKind::OptionalReal`].
    OptionalReal(Vec<Option<f64>>),
}

/// Why a table could not be written or read: what the system or the format says.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TableError(ParquetError);

impl TableError {
    pub(crate) fn of(error: ParquetError) -> Self {
        Self(error)
    }

    /// The system's own error if there is one, else this one as such.
    pub fn into_io(self) -> std::io::Error {
        match self.0 {
            ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
                Ok(error) => *error,
                Err(other) => std::io::Error::other(other),
            },
            other => std::io::Error::other(other),
        }
    }
}

/// Writes a table with one row group per call of [`write`](ParquetTable::write).
pub struct ParquetTable<W: Write + Send> {
    writer: SerializedFileWriter<W>,
}

impl<W: Write + Send> std::fmt::Debug for ParquetTable<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetTable").finish_non_exhaustive()
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// Starts a table with the given columns; `facts` are key-value metadata of the file.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be written or a name is not allowed.
    pub fn create(
        file: W,
        columns: &[(String, ColumnKind)],
        facts: Vec<(String, String)>,
    ) -> Result<Self, TableError> {
        let fields = columns.iter().map(|(name, kind)| field(name, *kind).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(TableError)?;
        let schema = Type::group_type_builder("pommel").with_fields(fields).build();
        let metadata = facts.into_iter().map(|(key, value)| KeyValue { key, value: Some(value) });
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("pommel ", env!("CARGO_PKG_VERSION")).to_owned())
            // row groups are small: more about their pages would only grow with the table
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(metadata.collect()));
        for (name, kind) in columns {
            // numbers seldom repeat: a dictionary of them takes longer and more room
            if !matches!(kind, ColumnKind::Text | ColumnKind::OptionalText) {
                let column = ColumnPath::new(vec![name.clone()]);
                properties = properties.set_column_dictionary_enabled(column, false);
            }
        }
        let properties = properties.build();
        let schema = Arc::new(schema.map_err(TableError)?);
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties));
        Ok(Self { writer: writer.map_err(TableError)? })
    }

    /// Appends rows; one entry of `columns` per column, in order, all of the same length.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be written.
    ///
    /// # Panics
    /// If the values are not of the kind of their column.
    pub fn write(&mut self, columns: Vec<ColumnValues<'_>>) -> Result<(), TableError> {
        self.write_group(columns).map_err(TableError)
    }

    fn write_group(&mut self, columns: Vec<ColumnValues<'_>>) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for values in columns {
            let Some(mut column) = group.next_column()? else {
                return Err(ParquetError::General("more values than columns".to_owned()));
            };
            write_column(&mut column, values)?;
            column.close()?;
        }
        group.close().map(|_| ())
    }

    /// Adds key-value metadata.
    pub fn append_fact(&mut self, key: String, value: String) {
        self.writer.append_key_value_metadata(KeyValue { key, value: Some(value) });
    }

    /// Completes the table and returns what it was written to.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be written.
    pub fn finish(self) -> Result<W, TableError> {
        self.writer.into_inner().map_err(TableError)
    }
}

fn field(name: &str, kind: ColumnKind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Unsigned => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        ColumnKind::Text | ColumnKind::OptionalText => {
            (PhysicalType::BYTE_ARRAY, Some(LogicalType::String))
        }
        ColumnKind::Real | ColumnKind::OptionalReal => (PhysicalType::DOUBLE, None),
    };
    let optional = matches!(kind, ColumnKind::OptionalText | ColumnKind::OptionalReal);
    Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED })
        .build()
}

fn write_column(
    column: &mut SerializedColumnWriter<'_>,
    values: ColumnValues<'_>,
) -> Result<(), ParquetError> {
    let bytes = |text: &str| ByteArray::from(text.as_bytes().to_vec());
    match values {
        ColumnValues::Unsigned(list) => {
            // the same 64 bits; the logical type says that they are unsigned
            let list: Vec<i64> = list.into_iter().map(u64::cast_signed).collect();
            all(column.typed::<Int64Type>(), &list)
        }
        ColumnValues::Text(list) => {
            let list: Vec<ByteArray> = list.into_iter().map(bytes).collect();
            all(column.typed::<ByteArrayType>(), &list)
        }
        ColumnValues::OptionalText(list) => {
            some(column.typed::<ByteArrayType>(), list.into_iter().map(|text| text.map(bytes)))
        }
        ColumnValues::Real(list) => all(column.typed::<DoubleType>(), &list),
        ColumnValues::OptionalReal(list) => some(column.typed::<DoubleType>(), list),
    }
}

fn all<D: DataType>(
    column: &mut ColumnWriterImpl<'_, D>,
    list: &[D::T],
) -> Result<(), ParquetError> {
    column.write_batch(list, None, None).map(|_| ())
}

fn some<D: DataType>(
    column: &mut ColumnWriterImpl<'_, D>,
    list: impl IntoIterator<Item = Option<D::T>>,
) -> Result<(), ParquetError> {
    let mut levels = Vec::new();
    let mut present = Vec::new();
    for value in list {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    column.write_batch(&present, Some(&levels), None).map(|_| ())
}
