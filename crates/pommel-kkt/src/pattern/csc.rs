//! Patterns from compressed matrices.

use super::compressed::{check_shape, check_size};
use super::{Compressed, Entries, Index, Pattern, Symmetric, detect};
use crate::error::{KktError, Part};

/// The blocks of a system, for those who know them.
///
/// ```
/// use pommel_kkt::pattern::Partitions;
/// let planar = Partitions { bodies: Some(&[3, 3, 3]), ..Partitions::found() };
/// assert!(planar.constraints.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Partitions<'a> {
    /// Number of unknowns of every body; found from the entries if `None`.
    pub bodies: Option<&'a [usize]>,
    /// Number of rows of every constraint; found from the entries if `None`.
    pub constraints: Option<&'a [usize]>,
}

impl Partitions<'_> {
    /// Blocks found from the entries.
    ///
    /// Bodies are runs of unknowns that M couples, up to 12 of them; those of wider runs are single
    /// unknowns. Where M is diagonal, triples or pairs of unknowns are tried, and sixes where only
    /// two or three of every six are coupled: they are taken if the rows of J that touch them have
    /// most of their entries. Constraints are runs of up to 6 rows of J on the same bodies.
    pub fn found() -> Self {
        Partitions::default()
    }
}

impl Pattern {
    /// A pattern of compressed matrices (columns or rows), each with its own array of values.
    ///
    /// The values of M, J and C keep the order that `mass`, `jacobian` and `compliance` have. Entries
    /// of M and C that are missing are zero, on the diagonal too.
    ///
    /// ```
    /// use pommel_kkt::pattern::{Compressed, Partitions, Pattern, Symmetric};
    /// // M = [2 1; 1 2] by its lower triangle, J = [1 0]
    /// let mass = Symmetric::lower(Compressed::csc(2, 2, &[0, 2, 3], &[0, 1, 1]));
    /// let jacobian = Compressed::csc(1, 2, &[0, 1, 1], &[0]);
    /// let pattern = Pattern::from_csc(mass, jacobian, None, Partitions::found())?;
    /// assert_eq!((pattern.unknowns(), pattern.rows()), (2, 1));
    /// assert_eq!((pattern.body_count(), pattern.mass_len()), (1, 3));
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    ///
    /// # Errors
    /// [`KktError::Shape`], [`KktError::Length`], [`KktError::ColumnPointers`],
    /// [`KktError::IndexOutOfRange`], [`KktError::Duplicate`], [`KktError::WrongTriangle`] or
    /// [`KktError::NotSymmetric`] if the arrays are not what they should be, [`KktError::Partition`]
    /// if the blocks do not add up, [`KktError::EmptyBlock`], [`KktError::TooLarge`].
    pub fn from_csc<I: Index>(
        mass: Symmetric<'_, I>,
        jacobian: Compressed<'_, I>,
        compliance: Option<Symmetric<'_, I>>,
        partitions: Partitions<'_>,
    ) -> Result<Pattern, KktError> {
        let n = mass.matrix.columns;
        let mass = mass.entries(Part::Mass, n)?;
        with_mass(n, mass, jacobian, compliance, partitions)
    }

    /// A pattern with a diagonal M, of which `n` numbers are given, and compressed J and C.
    ///
    /// # Errors
    /// As [`from_csc`](Pattern::from_csc).
    pub fn from_diagonal<I: Index>(
        n: usize,
        jacobian: Compressed<'_, I>,
        compliance: Option<Symmetric<'_, I>>,
        partitions: Partitions<'_>,
    ) -> Result<Pattern, KktError> {
        check_shape(Part::Jacobian, [jacobian.rows, jacobian.columns], [jacobian.rows, n])?;
        check_size(n)?;
        check_size(jacobian.rows)?;
        check_size(n + jacobian.rows)?;
        let mut mass = Entries::default();
        for i in 0..n {
            mass.push(i, i);
        }
        with_mass(n, mass, jacobian, compliance, partitions)
    }

    /// A pattern of a matrix `[M Jᵀ; J −C]` that is kept as one compressed matrix.
    ///
    /// The first `unknowns` rows and columns are those of M. The numbers are passed as
    /// [`Values::whole`](super::Values::whole), −C with the sign that it has in the matrix.
    ///
    /// # Errors
    /// As [`from_csc`](Pattern::from_csc).
    pub fn from_kkt_csc<I: Index>(
        unknowns: usize,
        matrix: Symmetric<'_, I>,
        partitions: Partitions<'_>,
    ) -> Result<Pattern, KktError> {
        let n = unknowns;
        let size = matrix.matrix.columns;
        if n > size {
            let rows = matrix.matrix.rows;
            check_shape(Part::Whole, [rows, size], [n, n])?;
        }
        let whole = matrix.entries(Part::Whole, size)?;
        whole.check(Part::Whole, size, size)?;
        let (mass, jacobian, compliance) = split(&whole, n);
        finish(n, size - n, [mass, jacobian, compliance], partitions, true)
    }
}

/// M, J and C of a whole matrix; each has all of its values.
fn split(whole: &Entries, n: usize) -> (Entries, Entries, Entries) {
    let mut mass = Entries { values: whole.values, ..Entries::default() };
    let (mut jacobian, mut compliance) = (mass.clone(), mass.clone());
    for (row, column, entry) in whole.iter() {
        if row < n {
            mass.push_at(row, column, entry);
        } else if column < n {
            jacobian.push_at(row - n, column, entry);
        } else {
            compliance.push_at(row - n, column - n, entry);
        }
    }
    (mass, jacobian, compliance)
}

fn with_mass<I: Index>(
    n: usize,
    mass: Entries,
    jacobian: Compressed<'_, I>,
    compliance: Option<Symmetric<'_, I>>,
    partitions: Partitions<'_>,
) -> Result<Pattern, KktError> {
    let m = jacobian.rows;
    check_shape(Part::Jacobian, [m, jacobian.columns], [m, n])?;
    let jacobian = jacobian.entries(Part::Jacobian)?;
    let compliance = match compliance {
        Some(compliance) => compliance.entries(Part::Compliance, m)?,
        None => Entries::default(),
    };
    finish(n, m, [mass, jacobian, compliance], partitions, false)
}

/// Adds the blocks; all indices are in range.
pub(super) fn finish(
    n: usize,
    m: usize,
    [mass, jacobian, compliance]: [Entries; 3],
    partitions: Partitions<'_>,
    negated: bool,
) -> Result<Pattern, KktError> {
    check_size(n)?;
    check_size(m)?;
    check_size(n + m)?;
    let bodies = match partitions.bodies {
        Some(widths) => offsets("body", "bodies", widths, n)?,
        None => detect::bodies(n, m, &mass, &jacobian),
    };
    let constraints = match partitions.constraints {
        Some(counts) => offsets("constraint", "constraints", counts, m)?,
        None => detect::constraints(m, &bodies, &jacobian),
    };
    let singles = bodies.len() - 1 == n;
    let pattern = Pattern::new(bodies, constraints, mass, jacobian, compliance, negated)?;
    if partitions.bodies.is_none() && partitions.constraints.is_none() && singles {
        return cheaper_blocks(pattern);
    }
    Ok(pattern)
}

/// The same entries in blocks of three, if these halve the work: a quotient graph of blocks can be
/// ordered better than one of single unknowns.
fn cheaper_blocks(pattern: Pattern) -> Result<Pattern, KktError> {
    let n = pattern.unknowns();
    if n == 0 || !n.is_multiple_of(BLOCK) {
        return Ok(pattern);
    }
    let bodies: Vec<u32> = (0..=n as u32).step_by(BLOCK).collect();
    let constraints = detect::constraints(pattern.rows(), &bodies, &pattern.jacobian);
    let blocks = Pattern { bodies, constraints, ..pattern.clone() };
    // a factor too large to be analysed is the costliest
    let work = |pattern: &Pattern| match crate::analysis::Analysis::new(pattern) {
        Ok(analysis) => analysis.cost().multiply_adds,
        Err(_) => u64::MAX,
    };
    Ok(if work(&blocks) < work(&pattern) / 2 { blocks } else { pattern })
}

/// Width of the blocks that are tried: a body of the plane, or half of one of space.
const BLOCK: usize = 3;

/// Sums of the sizes of blocks, which must end at `expected`.
fn offsets(
    what: &'static str,
    array: &'static str,
    sizes: &[usize],
    expected: usize,
) -> Result<Vec<u32>, KktError> {
    let mut sum = 0usize;
    let mut offsets = vec![0];
    for (index, &size) in sizes.iter().enumerate() {
        sum = sum.saturating_add(size);
        if size == 0 {
            return Err(KktError::EmptyBlock { what, index });
        }
        if sum > expected {
            return Err(KktError::Partition { array, sum, expected });
        }
        offsets.push(sum as u32);
    }
    if sum != expected {
        return Err(KktError::Partition { array, sum, expected });
    }
    Ok(offsets)
}
