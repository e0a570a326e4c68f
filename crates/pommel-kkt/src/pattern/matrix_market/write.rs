//! Matrix Market text from a matrix.

use std::io::{self, Write};

use super::MatrixMarket;

/// Writes a matrix in Matrix Market format (`coordinate real`).
///
/// Values have 17 significant digits: what is read back is what was written, to the last bit.
///
/// # Errors
/// Those of the writer.
pub fn write_matrix_market(mut writer: impl Write, matrix: &MatrixMarket) -> io::Result<()> {
    let symmetry = if matrix.symmetric { "symmetric" } else { "general" };
    writeln!(writer, "%%MatrixMarket matrix coordinate real {symmetry}")?;
    for line in matrix.comments.iter().flat_map(|comment| comment.lines()) {
        writeln!(writer, "%{line}")?;
    }
    let count = matrix.entries.len().min(matrix.values.len());
    writeln!(writer, "{} {} {count}", matrix.rows, matrix.columns)?;
    for (&(row, column), value) in matrix.entries.iter().zip(&matrix.values) {
        writeln!(writer, "{} {} {value:.16e}", u64::from(row) + 1, u64::from(column) + 1)?;
    }
    writer.flush()
}
