//! Numbers from the columns of a Parquet file.

use super::list::{Faults, ListFault};
use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows that are read at once.
const BATCH: usize = 4096;

/// The named columns; without them, or with other faults, what is returned is not complete.
pub(super) fn columns(file: Bytes, names: &[&str], faults: &mut Faults) -> Vec<Vec<f64>> {
    // the reader panics over some damaged files; what it leaves half-done is dropped here
    let attempt = catch_unwind(AssertUnwindSafe(|| read(file, names, faults)));
    let message = match attempt {
        Ok(Ok(columns)) => return columns,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the file is damaged".to_owned(),
    };
    faults.unreadable(message);
    Vec::new()
}

fn read(file: Bytes, names: &[&str], faults: &mut Faults) -> Result<Vec<Vec<f64>>, ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let known: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let places = faults.find(names, &known);
    if places.len() < names.len() {
        return Ok(Vec::new());
    }
    let before = faults.count();
    for (index, (name, place)) in names.iter().zip(&places).enumerate() {
        if let Some(found) = other_than_numbers(&schema.columns()[*place]) {
            let (file, column) = (faults.file.clone(), (*name).to_owned());
            faults.push(Some(index), ListFault::NotNumbers { file, column, found });
        }
    }
    if faults.count() > before {
        return Ok(Vec::new());
    }
    let mut columns = vec![Vec::new(); names.len()];
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        for ((name, place), column) in names.iter().zip(&places).zip(&mut columns) {
            let kind = &schema.columns()[*place];
            let unsigned = is_unsigned(kind);
            let mut sink = Sink { column, name, full: kind.max_def_level(), faults };
            match group.get_column_reader(*place)? {
                ColumnReader::DoubleColumnReader(r) => sink.all(r, |value| value)?,
                ColumnReader::FloatColumnReader(r) => sink.all(r, f64::from)?,
                ColumnReader::Int64ColumnReader(r) if unsigned => {
                    sink.all(r, |value| value.cast_unsigned() as f64)?;
                }
                ColumnReader::Int64ColumnReader(r) => sink.all(r, |value| value as f64)?,
                ColumnReader::Int32ColumnReader(r) if unsigned => {
                    sink.all(r, |value| f64::from(value.cast_unsigned()))?;
                }
                ColumnReader::Int32ColumnReader(r) => sink.all(r, f64::from)?,
                // other types were told above
                _ => {}
            }
        }
    }
    let mut lengths = columns.iter().map(Vec::len);
    let first = lengths.next();
    if faults.count() == before && lengths.any(|length| Some(length) != first) {
        let message = "the columns have different lengths; the file is damaged";
        return Err(ParquetError::General(message.to_owned()));
    }
    Ok(columns)
}

/// What a column holds, if not one number or nothing in every row.
fn other_than_numbers(column: &ColumnDescriptor) -> Option<String> {
    if column.max_rep_level() > 0 {
        return Some("lists".to_owned());
    }
    let plain = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Integer(_)), _) => true,
        (Some(_), _) => false,
        (None, ConvertedType::NONE) => true,
        (None, kind) => kind.to_string().contains("INT"),
    };
    match column.physical_type() {
        PhysicalType::DOUBLE | PhysicalType::FLOAT => None,
        PhysicalType::INT64 | PhysicalType::INT32 if plain => None,
        PhysicalType::BYTE_ARRAY => Some("texts or bytes".to_owned()),
        PhysicalType::BOOLEAN => Some("truth values".to_owned()),
        PhysicalType::INT64 | PhysicalType::INT32 => Some("dates, times or decimals".to_owned()),
        other => Some(format!("values of type {other}")),
    }
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    match column.logical_type_ref() {
        Some(LogicalType::Integer(kind)) => !kind.is_signed,
        _ => column.converted_type().to_string().starts_with("UINT"),
    }
}

/// Where the values of one column go.
struct Sink<'a> {
    column: &'a mut Vec<f64>,
    name: &'a str,
    /// The level of definition that a value has; 0 if none can be missing.
    full: i16,
    faults: &'a mut Faults,
}

impl Sink<'_> {
    /// Reads the rest of a column in a row group; a faulty cell holds the place of its row.
    fn all<D: DataType>(
        &mut self,
        mut reader: ColumnReaderImpl<D>,
        number: impl Fn(D::T) -> f64,
    ) -> Result<(), ParquetError> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let wanted = (self.full > 0).then_some(&mut levels);
            let (rows, ..) = reader.read_records(BATCH, wanted, None, &mut values)?;
            if rows == 0 {
                return Ok(());
            }
            let mut present = values.drain(..);
            for row in 0..rows {
                let is_there = levels.get(row).is_none_or(|level| *level == self.full);
                let value = is_there.then(|| present.next()).flatten().map(&number);
                self.column.push(value.unwrap_or(f64::NAN));
                if !value.is_some_and(f64::is_finite) {
                    let found = value.map(|value| value.to_string()).unwrap_or_default();
                    self.faults.cell(self.column.len() as u64, None, self.name, found);
                }
            }
        }
    }
}
