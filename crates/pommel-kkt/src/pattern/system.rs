//! Systems with their numbers, from and to matrices in Matrix Market format.

use core::fmt;

use super::compressed::{check_shape, check_size};
use super::csc::finish;
use super::{Entries, MatrixMarket, Partitions, Pattern, Values};
use crate::error::{KktError, Part};

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

/// Why matrices do not make a system.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SystemError {
    /// The entries make no pattern.
    Pattern(KktError),
    /// A matrix that is given in full is not symmetric.
    NotSymmetric {
        /// Which matrix.
        part: Part,
        /// Row of an entry below the diagonal, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// Its value; 0 if it is not there.
        lower: f64,
        /// The value above the diagonal; 0 if it is not there.
        upper: f64,
    },
    /// Neither the caller nor a comment `nv …` says how many rows and columns M has.
    UnknownsMissing,
    /// Hardly any row has an entry: the sizes are wrong.
    MostlyEmpty {
        /// Number of rows of the system.
        size: usize,
        /// Number of its entries.
        entries: usize,
    },
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemError::Pattern(error) => error.fmt(f),
            SystemError::NotSymmetric { part, row, column, lower, upper } => write!(
                f,
                "{part} is not symmetric: {lower:e} at row {row}, column {column} (from 0), but \
                 {upper:e} on the other side of the diagonal; if only one triangle is given, call \
                 the matrix `symmetric`"
            ),
            SystemError::UnknownsMissing => f.write_str(
                "the file has no comment such as `%nv 60 nc 50` that says how many rows M has: state \
                 the number of unknowns",
            ),
            SystemError::MostlyEmpty { size, entries } => write!(
                f,
                "{size} rows, but only {entries} entries: correct the sizes of the matrices"
            ),
        }
    }
}

impl core::error::Error for SystemError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            SystemError::Pattern(error) => Some(error),
            _ => None,
        }
    }
}

impl From<KktError> for SystemError {
    fn from(error: KktError) -> Self {
        SystemError::Pattern(error)
    }
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
        if n > size {
            check_shape(Part::Whole, [matrix.rows, size], [n, n])?;
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

/// Column, row and value of entries.
type Triples = Vec<((u32, u32), f64)>;

/// Entries by columns and rows, each of them once.
fn combine(mut triples: Triples, part: Part) -> Result<Triples, KktError> {
    triples.sort_by_key(|(place, _)| *place);
    triples.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    match triples.iter().position(|(_, value)| !value.is_finite()) {
        Some(entry) => Err(KktError::NotFinite { part, entry }),
        None => Ok(triples),
    }
}

/// Entries as they are given, in range; those of a symmetric matrix on both sides of the diagonal.
fn mirrored(matrix: &MatrixMarket, part: Part) -> Result<Triples, KktError> {
    let MatrixMarket { rows, columns, symmetric, .. } = *matrix;
    check_size(rows)?;
    check_size(columns)?;
    let (expected, found) = (matrix.entries.len(), matrix.values.len());
    if expected != found {
        return Err(KktError::Length { array: "values", expected, found });
    }
    let mut triples = Triples::new();
    for (entry, (&(row, column), &value)) in matrix.entries.iter().zip(&matrix.values).enumerate() {
        let (i, j) = (row as usize, column as usize);
        if i >= rows || j >= columns || (symmetric && (j >= rows || i >= columns)) {
            return Err(KktError::IndexOutOfRange {
                part,
                entry,
                row: i,
                column: j,
                rows,
                columns,
            });
        }
        triples.push(((column, row), value));
        if symmetric && row != column {
            triples.push(((row, column), value));
        }
    }
    Ok(triples)
}

/// Entries of a symmetric `n × n` matrix with row ≥ column.
fn lower_triangle(matrix: &MatrixMarket, part: Part, n: usize) -> Result<Triples, SystemError> {
    check_shape(part, [matrix.rows, matrix.columns], [n, n])?;
    let all = combine(mirrored(matrix, part)?, part)?;
    if !matrix.symmetric {
        check_agreement(&all, part)?;
    }
    Ok(all.into_iter().filter(|((column, row), _)| row >= column).collect())
}

/// The two triangles of a matrix given in full have the same numbers, but for rounding.
fn check_agreement(all: &Triples, part: Part) -> Result<(), SystemError> {
    // sorted by rows, the upper triangle follows the order of the lower one by columns
    let mut other: Triples =
        all.iter().map(|&((column, row), value)| ((row, column), value)).collect();
    other.sort_by_key(|(place, _)| *place);
    let below = |triples: &Triples| -> Triples {
        triples.iter().filter(|((column, row), _)| row > column).copied().collect()
    };
    let (lower, upper) = (below(all), below(&other));
    let (mut l, mut u) = (lower.iter().peekable(), upper.iter().peekable());
    loop {
        let place = match (l.peek(), u.peek()) {
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(a), None) => a.0,
            (None, Some(b)) => b.0,
            (None, None) => return Ok(()),
        };
        let lower = l.next_if(|a| a.0 == place).map_or(0.0, |a| a.1);
        let upper = u.next_if(|b| b.0 == place).map_or(0.0, |b| b.1);
        let size = lower.abs().max(upper.abs());
        // compared by halves: the difference of two large numbers may overflow
        if (0.5 * lower - 0.5 * upper).abs() > 0.5e-10 * size {
            let (row, column) = (place.1 as usize, place.0 as usize);
            return Err(SystemError::NotSymmetric { part, row, column, lower, upper });
        }
    }
}
