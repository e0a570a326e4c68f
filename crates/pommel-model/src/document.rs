//! Reading TOML with the line of every part, and the words for what is wrong with a part: what
//! every kind of file of pommel needs, whatever its schema.

pub use crate::fault::{counted, hint, suggestion};
pub use crate::path::child;
pub use crate::read::check::describe;

use crate::error::ModelError;
use crate::path::Lines;
use serde_json::Value;

/// A tree of values with the lines they stand on and the numbers that no value can hold.
#[derive(Debug, Default)]
pub struct Source {
    /// The values, keys in the order of the file.
    pub value: Value,
    pub(crate) lines: Lines,
    /// Paths of NaN and infinities, which stand as zero in `value`.
    pub not_finite: Vec<(String, f64)>,
}

impl Source {
    /// Parses TOML.
    ///
    /// # Errors
    /// [`ModelError::Syntax`].
    pub fn from_toml(text: &str) -> Result<Self, ModelError> {
        crate::read::parse_toml(text)
    }

    /// Line, from 1, of a part, or of the closest part that contains it; none without lines.
    pub fn line(&self, path: &str) -> Option<usize> {
        self.lines.find(path)
    }
}

impl From<Value> for Source {
    /// Values without lines.
    fn from(value: Value) -> Self {
        Self { value, ..Self::default() }
    }
}
