//! A pattern from bodies and constraints.

use core::ops::Range;

use super::{Entries, Pattern};
use crate::error::KktError;

/// A body of a [`PatternBuilder`].
///
/// It belongs to the builder that gave it, and to clones of that. Another builder panics if it has no
/// body of this number; if it has, it takes that one, as it cannot tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(super) usize);

/// A constraint of a [`PatternBuilder`]. As a [`BodyId`], it belongs to one builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConstraintId(pub(super) usize);

/// Which values of a symmetric `w × w` block the caller keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassBlock {
    /// The `w` numbers of the diagonal.
    Diagonal,
    /// The lower triangle row by row: `w (w + 1) / 2` numbers.
    Lower,
    /// All `w²` numbers row by row; those above the diagonal are not read.
    Full,
}

impl MassBlock {
    /// Adds the block whose first row is `first`; returns the place of its values.
    fn add(self, entries: &mut Entries, first: usize, width: usize) -> Range<usize> {
        let start = entries.values;
        for i in 0..width {
            for j in 0..width {
                match self {
                    MassBlock::Diagonal if i != j => {}
                    MassBlock::Lower if j > i => {}
                    MassBlock::Full if j > i => entries.values += 1,
                    _ => entries.push(first + i, first + j),
                }
            }
        }
        start..entries.values
    }
}

/// Describes a system body by body and constraint by constraint.
///
/// Every block gets a range of its array of values ([`mass`](PatternBuilder::mass),
/// [`jacobian`](PatternBuilder::jacobian), [`compliance`](PatternBuilder::compliance)): a simulator
/// writes its numbers there, in place, at every step.
#[derive(Clone, Debug)]
pub struct PatternBuilder {
    bodies: Vec<u32>,
    constraints: Vec<u32>,
    mass: Entries,
    jacobian: Entries,
    compliance: Entries,
    mass_blocks: Vec<Range<usize>>,
    jacobian_blocks: Vec<Vec<(usize, Range<usize>)>>,
    compliance_blocks: Vec<Range<usize>>,
    /// The first thing that makes no pattern; what cannot be counted was left out.
    problem: Option<KktError>,
}

impl Default for PatternBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl PatternBuilder {
    /// A system without bodies.
    pub fn new() -> Self {
        PatternBuilder {
            bodies: vec![0],
            constraints: vec![0],
            mass: Entries::default(),
            jacobian: Entries::default(),
            compliance: Entries::default(),
            mass_blocks: Vec::new(),
            jacobian_blocks: Vec::new(),
            compliance_blocks: Vec::new(),
            problem: None,
        }
    }

    /// Adds a body of `width` unknowns.
    pub fn body(&mut self, width: usize, block: MassBlock) -> BodyId {
        let first = self.bodies[self.bodies.len() - 1] as usize;
        let width = self.countable(first, width, width, self.mass.values);
        self.mass_blocks.push(block.add(&mut self.mass, first, width));
        self.bodies.push((first + width) as u32);
        BodyId(self.bodies.len() - 2)
    }

    /// Adds a constraint of `rows` rows on some bodies, each with a dense block of J.
    ///
    /// # Panics
    /// If this builder has no such body: ids belong to the builder that gave them.
    #[track_caller]
    pub fn constraint(&mut self, rows: usize, on: &[BodyId]) -> ConstraintId {
        let first = self.constraints[self.constraints.len() - 1] as usize;
        let mut named: Vec<usize> = on.iter().map(|&body| self.body_index(body)).collect();
        let columns =
            on.iter().map(|body| (self.bodies[body.0 + 1] - self.bodies[body.0]) as usize).sum();
        named.sort_unstable();
        if let Some(twice) = named.windows(2).find(|pair| pair[0] == pair[1]) {
            let constraint = self.constraints.len() - 1;
            self.problem.get_or_insert(KktError::BodyTwice { constraint, body: twice[0] });
        }
        let rows = self.countable(first, rows, columns, self.jacobian.values);
        let mut blocks = Vec::with_capacity(on.len());
        for body in on {
            let start = self.jacobian.values;
            for i in 0..rows {
                for column in self.bodies[body.0]..self.bodies[body.0 + 1] {
                    self.jacobian.push(first + i, column as usize);
                }
            }
            blocks.push((body.0, start..self.jacobian.values));
        }
        self.jacobian_blocks.push(blocks);
        self.compliance_blocks.push(0..0);
        self.constraints.push((first + rows) as u32);
        ConstraintId(self.constraints.len() - 2)
    }

    /// `size`, or 0 if indices of 32 bits cannot count that many more rows, or the values of their
    /// block.
    fn countable(&mut self, first: usize, size: usize, across: usize, values: usize) -> usize {
        let rows = first.saturating_add(size);
        let values = values.saturating_add(size.saturating_mul(across));
        if rows.max(values) < u32::MAX as usize {
            return size;
        }
        self.problem.get_or_insert(KktError::TooLarge { size: rows.max(values) });
        0
    }

    #[track_caller]
    fn body_index(&self, BodyId(i): BodyId) -> usize {
        let count = self.mass_blocks.len();
        assert!(i < count, "body {i} is of another builder: this one has {count}, counted from 0");
        i
    }

    #[track_caller]
    fn constraint_index(&self, ConstraintId(i): ConstraintId) -> usize {
        let count = self.compliance_blocks.len();
        assert!(
            i < count,
            "constraint {i} is of another builder: this one has {count}, counted from 0"
        );
        i
    }

    /// Gives a constraint a block of C, once; returns the place of its values.
    ///
    /// ```
    /// use pommel_kkt::pattern::{MassBlock, PatternBuilder};
    /// use pommel_kkt::{Analysis, Values, Workspace};
    ///
    /// // 2 x + λ = 4, x − ½ λ = 0: a spring of stiffness 2 against a force of 4
    /// let mut builder = PatternBuilder::new();
    /// let body = builder.body(1, MassBlock::Diagonal);
    /// let spring = builder.constraint(1, &[body]);
    /// let place = builder.soften(spring, MassBlock::Diagonal);
    /// let pattern = builder.build()?;
    /// let mut compliance = vec![0.0; pattern.compliance_len()];
    /// compliance[place].fill(0.5);
    /// let values = Values { compliance: &compliance, ..Values::new(&[2.0], &[1.0]) };
    /// let mut solution = [0.0; 2];
    /// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
    /// workspace.factorize(&values)?.substitute(&[4.0, 0.0], &mut solution)?;
    /// assert_eq!(solution, [1.0, 2.0]);
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    ///
    /// # Panics
    /// If this builder has no such constraint.
    #[track_caller]
    pub fn soften(&mut self, constraint: ConstraintId, block: MassBlock) -> Range<usize> {
        let i = self.constraint_index(constraint);
        let rows = self.constraints[i]..self.constraints[i + 1];
        if !self.compliance_blocks[i].is_empty() {
            self.problem.get_or_insert(KktError::SoftenedTwice { constraint: i });
        }
        let range = block.add(&mut self.compliance, rows.start as usize, rows.len());
        self.compliance_blocks[i] = range.clone();
        range
    }

    /// Where the values of a body's block of M stand.
    ///
    /// # Panics
    /// If this builder has no such body.
    #[track_caller]
    pub fn mass(&self, body: BodyId) -> Range<usize> {
        self.mass_blocks[self.body_index(body)].clone()
    }

    /// Where the values of a constraint's block of J for a body stand, row by row; `None` if the
    /// constraint does not act on the body.
    ///
    /// # Panics
    /// If this builder has no such constraint or body.
    #[track_caller]
    pub fn jacobian(&self, constraint: ConstraintId, body: BodyId) -> Option<Range<usize>> {
        let body = self.body_index(body);
        let blocks = &self.jacobian_blocks[self.constraint_index(constraint)];
        blocks.iter().find(|b| b.0 == body).map(|b| b.1.clone())
    }

    /// Where the values of a constraint's block of C stand; empty if it has none.
    ///
    /// # Panics
    /// If this builder has no such constraint.
    #[track_caller]
    pub fn compliance(&self, constraint: ConstraintId) -> Range<usize> {
        self.compliance_blocks[self.constraint_index(constraint)].clone()
    }

    /// The pattern.
    ///
    /// # Errors
    /// [`KktError::BodyTwice`] if a constraint names a body twice, [`KktError::SoftenedTwice`] if it
    /// has two blocks of C; [`KktError::EmptyBlock`] if a body or constraint is empty;
    /// [`KktError::TooLarge`].
    pub fn build(self) -> Result<Pattern, KktError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        for (what, offsets) in [("body", &self.bodies), ("constraint", &self.constraints)] {
            if let Some(index) = offsets.windows(2).position(|w| w[0] >= w[1]) {
                return Err(KktError::EmptyBlock { what, index });
            }
        }
        let Self { bodies, constraints, mass, jacobian, compliance, .. } = self;
        Pattern::new(bodies, constraints, mass, jacobian, compliance, false)
    }
}
