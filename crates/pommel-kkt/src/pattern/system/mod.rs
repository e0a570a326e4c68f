//! Systems with their numbers, from and to matrices in Matrix Market format.

mod error;
mod triples;

pub use error::SystemError;
use triples::{Triples, combine, lower_triangle, mirrored};

use super::compressed::{check_shape, check_size};
use super::csc::finish;
use super::{Entries, MatrixMarket, Partitions, Pattern, Values};
use crate::error::Part;

/// Sizes up to here are believed whatever the number of entries.
const SIZE_BELIEVED: usize = 1_000_000;

/// One system: a pattern and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Where the numbers stand.
    pub pattern: Pattern,
    /// Values of M, length [`Pattern::mass_len`].
    pub mass: Vec<f64>,
    /// Values of J, length [`Pattern::jacobian_len`].
    pub jacobian: Vec<f64>,
    /// Values of C, length [`Pattern::compliance_len`].
    pub compliance: Vec<f64>,
}

impl System {
    /// A system of M, J and maybe C.
    ///
    /// Values of one entry are added. M and C may be `symmetric` or `general`; if `general`, the two
    /// triangles must agree to ten digits, and the lower one is used. The values are kept by columns,
    /// those of a column by rows.
    ///
    /// ```
    /// use pommel_kkt::pattern::{MatrixMarket, Partitions, System};
    /// let mass: MatrixMarket =
    ///     "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 2 5\n1 1 4\n".parse()?;
    /// let jacobian: MatrixMarket =
    ///     "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 -1\n".parse()?;
    /// let system = System::from_matrix_market(&mass, &jacobian, None, Partitions::found())?;
    /// assert_eq!(system.values().mass, [4.0, 5.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`].
    pub fn from_matrix_market(
        mass: &MatrixMarket,
        jacobian: &MatrixMarket,
        compliance: Option<&MatrixMarket>,
        partitions: Partitions<'_>,
    ) -> Result<System, SystemError> {
        let (n, m) = (mass.columns, jacobian.rows);
        check_shape(Part::Mass, [mass.rows, n], [n, n])?;
        check_shape(Part::Jacobian, [m, jacobian.columns], [m, n])?;
        let mass = lower_triangle(mass, Part::Mass, n)?;
        let jacobian = combine(mirrored(jacobian, Part::Jacobian)?, Part::Jacobian)?;
        let compliance = match compliance {
            Some(compliance) => lower_triangle(compliance, Part::Compliance, m)?,
            None => Vec::new(),
        };
        System::assemble(n, m, [mass, jacobian, compliance], partitions)
    }

    /// A system of a matrix `[M Jᵀ; J −C]`.
    ///
    /// The number of unknowns, rows of M, may be left to a comment at the head of the file, in which
    /// the word `nv` stands before it. Rules for entries are those of
    /// [`from_matrix_market`](System::from_matrix_market).
    ///
    /// # Errors
    /// [`SystemError`].
    pub fn from_kkt_matrix_market(
        matrix: &MatrixMarket,
        unknowns: Option<usize>,
        partitions: Partitions<'_>,
    ) -> Result<System, SystemError> {
        let size = matrix.columns;
        let stated = unknowns.or_else(|| matrix.comments.iter().find_map(|line| word_after(line)));
        let n = stated.ok_or(SystemError::UnknownsMissing)?;
        check_shape(Part::Whole, [matrix.rows, size], [size, size])?;
        if n > size {
            let in_comment = unknowns.is_none();
            return Err(SystemError::TooManyUnknowns { unknowns: n, rows: size, in_comment });
        }
        let [mut mass, mut jacobian, mut compliance] = [const { Triples::new() }; 3];
        for ((column, row), value) in lower_triangle(matrix, Part::Whole, size)? {
            let [i, j] = [row as usize, column as usize];
            if i < n {
                mass.push(((column, row), value));
            } else if j < n {
                jacobian.push(((column, (i - n) as u32), value));
            } else {
                compliance.push((((j - n) as u32, (i - n) as u32), -value));
            }
        }
        System::assemble(n, size - n, [mass, jacobian, compliance], partitions)
    }

    fn assemble(
        n: usize,
        m: usize,
        parts: [Triples; 3],
        partitions: Partitions<'_>,
    ) -> Result<System, SystemError> {
        check_size(n)?;
        check_size(m)?;
        let (size, entries) = (n + m, parts.iter().map(Vec::len).sum());
        if size > SIZE_BELIEVED && size / 16 > entries {
            return Err(SystemError::MostlyEmpty { size, entries });
        }
        let entries = parts.each_ref().map(|triples| {
            let mut entries = Entries::default();
            for ((column, row), _) in triples {
                entries.push(*row as usize, *column as usize);
            }
            entries
        });
        let pattern = finish(n, m, entries, partitions, false)?;
        let [mass, jacobian, compliance] =
            parts.map(|triples| triples.into_iter().map(|(_, value)| value).collect());
        Ok(System { pattern, mass, jacobian, compliance })
    }

    /// The numbers.
    pub fn values(&self) -> Values<'_, f64> {
        Values { mass: &self.mass, jacobian: &self.jacobian, compliance: &self.compliance }
    }

    /// M, by its lower triangle.
    pub fn mass_matrix(&self) -> MatrixMarket {
        let n = self.pattern.unknowns();
        let mut matrix =
            MatrixMarket { rows: n, columns: n, symmetric: true, ..MatrixMarket::default() };
        matrix.append(self.pattern.mass_entries(), &self.mass, [0, 0], 1.0);
        matrix
    }

    /// J.
    pub fn jacobian_matrix(&self) -> MatrixMarket {
        let (rows, columns) = (self.pattern.rows(), self.pattern.unknowns());
        let mut matrix = MatrixMarket { rows, columns, ..MatrixMarket::default() };
        matrix.append(self.pattern.jacobian_entries(), &self.jacobian, [0, 0], 1.0);
        matrix
    }

    /// C, by its lower triangle.
    pub fn compliance_matrix(&self) -> MatrixMarket {
        let m = self.pattern.rows();
        let mut matrix =
            MatrixMarket { rows: m, columns: m, symmetric: true, ..MatrixMarket::default() };
        let sign = if self.pattern.compliance_is_negated() { -1.0 } else { 1.0 };
        matrix.append(self.pattern.compliance_entries(), &self.compliance, [0, 0], sign);
        matrix
    }

    /// `[M Jᵀ; J −C]` by its lower triangle, with a comment that says how many rows M has.
    pub fn whole_matrix(&self) -> MatrixMarket {
        let (n, m) = (self.pattern.unknowns(), self.pattern.rows());
        let mut matrix = self.mass_matrix();
        (matrix.rows, matrix.columns) = (n + m, n + m);
        matrix.append(self.pattern.jacobian_entries(), &self.jacobian, [n, 0], 1.0);
        let sign = if self.pattern.compliance_is_negated() { 1.0 } else { -1.0 };
        matrix.append(self.pattern.compliance_entries(), &self.compliance, [n, n], sign);
        matrix.comments = vec![format!("nv {n} nc {m}")];
        matrix
    }
}

impl MatrixMarket {
    /// Adds entries of a pattern, moved by some rows and columns.
    fn append(
        &mut self,
        entries: impl Iterator<Item = (usize, usize, usize)>,
        values: &[f64],
        [down, right]: [usize; 2],
        sign: f64,
    ) {
        for (row, column, entry) in entries {
            self.entries.push(((row + down) as u32, (column + right) as u32));
            self.values.push(sign * values[entry]);
        }
    }
}

/// The number behind the word `nv` of a comment.
fn word_after(comment: &str) -> Option<usize> {
    let mut words = comment.split_ascii_whitespace();
    words.find(|word| *word == "nv")?;
    words.next()?.parse().ok()
}
