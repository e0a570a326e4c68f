//! Matrices as text in Matrix Market format.

mod error;
mod read;
mod write;

use core::str::FromStr;

pub use error::{MatrixMarketError, MatrixMarketProblem};
pub use read::read_matrix_market;
pub use write::write_matrix_market;

/// A matrix as it stands in a file in Matrix Market format.
///
/// ```
/// use pommel_kkt::pattern::MatrixMarket;
/// let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2.5\n2 1 -1\n";
/// let matrix: MatrixMarket = text.parse()?;
/// assert_eq!(matrix.entries, [(0, 0), (1, 0)]);
/// assert_eq!(matrix.values, [2.5, -1.0]);
/// assert!(matrix.symmetric);
/// # Ok::<(), pommel_kkt::pattern::MatrixMarketError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatrixMarket {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row and column of every entry, from 0, in the order of the file. An entry may be there twice:
    /// its values are meant to be added.
    pub entries: Vec<(u32, u32)>,
    /// The value of every entry; 1 for a matrix of the field `pattern`. Of a matrix in the format
    /// `array` these are all values, column by column.
    pub values: Vec<f64>,
    /// Whether one triangle stands for both.
    pub symmetric: bool,
    /// Lines of comment at the head, without `%`.
    pub comments: Vec<String>,
}

impl FromStr for MatrixMarket {
    type Err = MatrixMarketError;

    fn from_str(text: &str) -> Result<Self, MatrixMarketError> {
        read_matrix_market(text.as_bytes())
    }
}
