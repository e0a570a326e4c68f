//! A pattern from bodies and constraints.

use core::ops::Range;

use super::{Entries, Pattern};
use crate::error::KktError;

/// A body of a [`PatternBuilder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(super) usize);

/// A constraint of a [`PatternBuilder`].
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
    /// What cannot be counted, and was left out.
    too_large: Option<usize>,
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
            too_large: None,
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
    pub fn constraint(&mut self, rows: usize, on: &[BodyId]) -> ConstraintId {
        let first = self.constraints[self.constraints.len() - 1] as usize;
        let columns =
            on.iter().map(|body| (self.bodies[body.0 + 1] - self.bodies[body.0]) as usize).sum();
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
        self.too_large = Some(rows.max(values));
        0
    }

    /// Gives a constraint a block of C, once.
    pub fn soften(&mut self, constraint: ConstraintId, block: MassBlock) -> Range<usize> {
        let rows = self.constraints[constraint.0]..self.constraints[constraint.0 + 1];
        let range = block.add(&mut self.compliance, rows.start as usize, rows.len());
        self.compliance_blocks[constraint.0] = range.clone();
        range
    }

    /// Where the values of a body's block of M stand.
    pub fn mass(&self, body: BodyId) -> Range<usize> {
        self.mass_blocks[body.0].clone()
    }

    /// Where the values of a constraint's block of J for a body stand, row by row.
    pub fn jacobian(&self, constraint: ConstraintId, body: BodyId) -> Option<Range<usize>> {
        let blocks = &self.jacobian_blocks[constraint.0];
        blocks.iter().find(|b| b.0 == body.0).map(|b| b.1.clone())
    }

    /// Where the values of a constraint's block of C stand; empty if it has none.
    pub fn compliance(&self, constraint: ConstraintId) -> Range<usize> {
        self.compliance_blocks[constraint.0].clone()
    }

    /// The pattern.
    ///
    /// # Errors
    /// [`KktError::Duplicate`] if a constraint names a body twice or has two blocks of C;
    /// [`KktError::Partition`] if a body or constraint is empty; [`KktError::TooLarge`].
    pub fn build(self) -> Result<Pattern, KktError> {
        if let Some(size) = self.too_large {
            return Err(KktError::TooLarge { size });
        }
        for (array, offsets) in [("bodies", &self.bodies), ("constraints", &self.constraints)] {
            if offsets.windows(2).any(|w| w[0] >= w[1]) {
                let sum = offsets[offsets.len() - 1] as usize;
                return Err(KktError::Partition { array, sum, expected: sum });
            }
        }
        let Self { bodies, constraints, mass, jacobian, compliance, .. } = self;
        Pattern::new(bodies, constraints, mass, jacobian, compliance, false)
    }
}
