//! Where the numbers of a system stand.
//!
//! A [`Pattern`] knows which entries M, J and C have and in which order the caller keeps their
//! values; it holds no numbers. The unknowns `x` are partitioned into *bodies*, the rows of J into
//! *constraints*: blocks of a few that are eliminated together. Simulators know both and should say
//! so; for a matrix from elsewhere [`Pattern::from_csc`] and its relatives find blocks.

mod builder;
mod compressed;
mod csc;
mod detect;
mod entries;
#[cfg(feature = "faer")]
mod faer;
mod lists;
mod matrix_market;
#[cfg(feature = "sprs")]
mod sprs;
#[cfg(feature = "serde")]
mod stored;
mod system;

pub use builder::{BodyId, ConstraintId, MassBlock, PatternBuilder};
pub use compressed::{Compressed, Index, Symmetric, Triangle};
pub use csc::Partitions;
pub(crate) use entries::Entries;
pub use matrix_market::{MatrixMarket, MatrixMarketError, MatrixMarketProblem};
pub use matrix_market::{read_matrix_market, write_matrix_market};
pub use system::{System, SystemError};

use crate::error::{KktError, Part, check_length};

/// The sparsity of `[M Jᵀ; J −C]`, its blocks, and the order of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// First unknown of every body, and the number of unknowns `n`.
    pub(crate) bodies: Vec<u32>,
    /// First row of every constraint, and the number of rows `m`.
    pub(crate) constraints: Vec<u32>,
    /// Lower triangle of M.
    pub(crate) mass: Entries,
    /// J: row of the constraint, column of the unknown.
    pub(crate) jacobian: Entries,
    /// Lower triangle of C.
    pub(crate) compliance: Entries,
    /// Whether the values of C are given as they stand in the matrix, −C.
    pub(crate) negated: bool,
}

impl Pattern {
    /// A pattern from lists of places `(row, column)`, in the order of the values.
    ///
    /// `bodies` are the numbers of unknowns of the bodies, `constraints` the numbers of rows of the
    /// constraints; of M and C only the lower triangle is given.
    ///
    /// # Errors
    /// [`KktError::EmptyBlock`]; [`KktError::WrongTriangle`],
    /// [`KktError::IndexOutOfRange`], [`KktError::Duplicate`], [`KktError::TooLarge`].
    pub fn from_places(
        bodies: &[usize],
        constraints: &[usize],
        mass: &[(usize, usize)],
        jacobian: &[(usize, usize)],
        compliance: &[(usize, usize)],
    ) -> Result<Self, KktError> {
        let offsets = |what, widths: &[usize]| {
            let mut sum = 0usize;
            let mut offsets = vec![0u32];
            for (index, &w) in widths.iter().enumerate() {
                sum = sum.saturating_add(w);
                if w == 0 {
                    return Err(KktError::EmptyBlock { what, index });
                }
                if sum >= u32::MAX as usize {
                    return Err(KktError::TooLarge { size: sum });
                }
                offsets.push(sum as u32);
            }
            Ok(offsets)
        };
        let (bodies, constraints) = (offsets("body", bodies)?, offsets("constraint", constraints)?);
        let entries = |part, list: &[(usize, usize)], lower: bool| {
            let mut entries = Entries::default();
            for &(row, column) in list {
                if row.max(column) >= u32::MAX as usize {
                    return Err(KktError::TooLarge { size: row.max(column) });
                }
                if lower && column > row {
                    return Err(KktError::WrongTriangle { part, row, column });
                }
                entries.push(row, column);
            }
            Ok(entries)
        };
        Pattern::new(
            bodies,
            constraints,
            entries(Part::Mass, mass, true)?,
            entries(Part::Jacobian, jacobian, false)?,
            entries(Part::Compliance, compliance, true)?,
            false,
        )
    }

    /// A pattern of checked parts.
    ///
    /// # Errors
    /// [`KktError::TooLarge`], [`KktError::IndexOutOfRange`], [`KktError::Duplicate`].
    pub(crate) fn new(
        bodies: Vec<u32>,
        constraints: Vec<u32>,
        mass: Entries,
        jacobian: Entries,
        compliance: Entries,
        negated: bool,
    ) -> Result<Self, KktError> {
        let pattern = Pattern { bodies, constraints, mass, jacobian, compliance, negated };
        let (n, m) = (pattern.unknowns(), pattern.rows());
        if n + m >= u32::MAX as usize {
            return Err(KktError::TooLarge { size: n + m });
        }
        pattern.mass.check(Part::Mass, n, n)?;
        pattern.jacobian.check(Part::Jacobian, m, n)?;
        pattern.compliance.check(Part::Compliance, m, m)?;
        Ok(pattern)
    }

    /// Number `n` of unknowns `x`: rows and columns of M.
    #[inline]
    pub fn unknowns(&self) -> usize {
        *self.bodies.last().expect("offsets start with 0") as usize
    }

    /// Number `m` of rows of J: of multipliers λ.
    #[inline]
    pub fn rows(&self) -> usize {
        *self.constraints.last().expect("offsets start with 0") as usize
    }

    /// Number of bodies: blocks of unknowns.
    pub fn body_count(&self) -> usize {
        self.bodies.len() - 1
    }

    /// Number of constraints: blocks of rows.
    pub fn constraint_count(&self) -> usize {
        self.constraints.len() - 1
    }

    /// The unknowns of body `i`.
    pub fn body(&self, i: usize) -> core::ops::Range<usize> {
        self.bodies[i] as usize..self.bodies[i + 1] as usize
    }

    /// The rows of constraint `i`.
    pub fn constraint(&self, i: usize) -> core::ops::Range<usize> {
        self.constraints[i] as usize..self.constraints[i + 1] as usize
    }

    /// The body of an unknown.
    pub(crate) fn body_of(&self, unknown: usize) -> usize {
        self.bodies.partition_point(|&first| first as usize <= unknown) - 1
    }

    /// The constraint of a row.
    pub(crate) fn constraint_of(&self, row: usize) -> usize {
        self.constraints.partition_point(|&first| first as usize <= row) - 1
    }

    /// The body of every unknown.
    pub(crate) fn bodies_of_unknowns(&self) -> Vec<u32> {
        let mut list = vec![0; self.unknowns()];
        for i in 0..self.body_count() {
            list[self.body(i)].fill(i as u32);
        }
        list
    }

    /// Number of values of M that a caller passes.
    #[inline]
    pub fn mass_len(&self) -> usize {
        self.mass.values
    }

    /// Number of values of J that a caller passes.
    #[inline]
    pub fn jacobian_len(&self) -> usize {
        self.jacobian.values
    }

    /// Number of values of C that a caller passes.
    #[inline]
    pub fn compliance_len(&self) -> usize {
        self.compliance.values
    }

    /// Row, column and place in the array of values of the entries of M on and below its diagonal.
    pub fn mass_entries(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.mass.iter()
    }

    /// Row, column and place in the array of values of the entries of J.
    pub fn jacobian_entries(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.jacobian.iter()
    }

    /// Row, column and place in the array of values of the entries of C on and below its diagonal.
    pub fn compliance_entries(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.compliance.iter()
    }

    /// Whether the values of C are given as they stand in the matrix, with the sign of −C.
    pub fn compliance_is_negated(&self) -> bool {
        self.negated
    }
}

/// The numbers of one system, in the order of its [`Pattern`].
#[derive(Clone, Copy, Debug)]
pub struct Values<'a, T> {
    /// Values of M, length [`Pattern::mass_len`].
    pub mass: &'a [T],
    /// Values of J, length [`Pattern::jacobian_len`].
    pub jacobian: &'a [T],
    /// Values of C, length [`Pattern::compliance_len`].
    pub compliance: &'a [T],
}

impl<'a, T> Values<'a, T> {
    /// M and J without C.
    pub fn new(mass: &'a [T], jacobian: &'a [T]) -> Self {
        Values { mass, jacobian, compliance: &[] }
    }

    /// The values of a matrix `[M Jᵀ; J −C]` that is kept as one array.
    ///
    /// ```
    /// use pommel_kkt::pattern::{Compressed, Partitions, Pattern, Symmetric, Values};
    /// use pommel_kkt::{Analysis, Workspace};
    ///
    /// // [2 1; 1 −1] by its lower triangle: M = 2, J = 1, C = 1
    /// let matrix = Symmetric::lower(Compressed::csc(2, 2, &[0, 2, 3], &[0, 1, 1]));
    /// let pattern = Pattern::from_kkt_csc(1, matrix, Partitions::found())?;
    /// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
    /// let mut solution = [0.0; 2];
    /// let mut factor = workspace.factorize(&Values::whole(&[2.0, 1.0, -1.0]))?;
    /// factor.substitute(&[3.0, 0.0], &mut solution)?;
    /// assert_eq!(solution, [1.0, 1.0]);
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    pub fn whole(values: &'a [T]) -> Self {
        Values { mass: values, jacobian: values, compliance: values }
    }

    /// The lengths are those of a pattern.
    #[inline]
    pub(crate) fn check_lengths(&self, pattern: &Pattern) -> Result<(), KktError> {
        check_length("mass", pattern.mass_len(), self.mass.len())?;
        check_length("jacobian", pattern.jacobian_len(), self.jacobian.len())?;
        check_length("compliance", pattern.compliance_len(), self.compliance.len())
    }

    /// The lengths are those of a pattern, and all numbers that stand somewhere are finite.
    ///
    /// # Errors
    /// [`KktError::Length`], [`KktError::NotFinite`].
    pub fn check(&self, pattern: &Pattern) -> Result<(), KktError>
    where
        T: pommel_math::Real,
    {
        self.check_lengths(pattern)?;
        for (part, entries, values) in [
            (Part::Mass, &pattern.mass, self.mass),
            (Part::Jacobian, &pattern.jacobian, self.jacobian),
            (Part::Compliance, &pattern.compliance, self.compliance),
        ] {
            let mut places = entries.iter().map(|(_, _, entry)| entry);
            if let Some(entry) = places.find(|&e| !values[e].is_finite().is_all(T::LANES)) {
                return Err(KktError::NotFinite { part, entry });
            }
        }
        Ok(())
    }
}
