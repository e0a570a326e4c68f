//! Where numbers of the factor stand.

use super::reduction::{NONE, Steps};
use crate::flat::Lists;

/// Places of the numbers of a factor.
///
/// A pair has places for its pivot `b`; the diagonal `a` of its unknown; copies of what M couples with its
/// unknown and its row has, too, where `a ≠ 0`; the rest of its row; what M couples with its unknown,
/// where `a ≠ 0` the unknowns of the row first, as they come there; other rows on its unknown. A single
/// unknown has places for its pivot, for copies of what M couples with it, and for that over the pivot.
/// Behind all of these, dropped rows have places for what is left of them.
pub(super) struct Lookup<'a> {
    steps: &'a Steps,
    /// Step of every unknown, then of every row; for dropped rows their number, behind all steps.
    step_of: Vec<u32>,
    unknowns: usize,
    /// Where the places of a step start, then of a dropped row, and the end of all.
    pub(super) start: Vec<u32>,
    /// Unknowns coupled with that of a step that are not in its row, or all if they do not come first.
    extra: Lists<u32>,
    /// Unknowns with a copy.
    copied: Lists<u32>,
}

impl<'a> Lookup<'a> {
    /// For steps whose lists ascend.
    pub(super) fn new(steps: &'a Steps, unknowns: usize, rows: usize) -> Option<Self> {
        let count = steps.steps.len();
        let mut step_of = vec![NONE; unknowns + rows];
        for (s, &[unknown, row]) in steps.steps.iter().enumerate() {
            step_of[unknown as usize] = s as u32;
            if row != NONE {
                step_of[unknowns + row as usize] = s as u32;
            }
        }
        for (i, &row) in steps.dropped.iter().enumerate() {
            step_of[unknowns + row as usize] = (count + i) as u32;
        }
        let mut start = Vec::with_capacity(count + 1);
        let (mut extra, mut copied) = (Lists::default(), Lists::default());
        let (mut end, mut new, mut both) = (0usize, Vec::new(), Vec::new());
        for s in 0..count {
            start.push(end as u32);
            let (row, mass) = (steps.row.of(s), steps.mass.of(s));
            let shared = steps.steps[s][1] != NONE && steps.diagonal[s];
            new.clear();
            new.extend(mass.iter().filter(|u| !shared || row.binary_search(u).is_err()));
            extra.push(&new);
            both.clear();
            let single = steps.steps[s][1] == NONE;
            let twice = |u: &&u32| single || shared && row.binary_search(u).is_ok();
            both.extend(mass.iter().filter(twice));
            copied.push(&both);
            let pivots = if steps.steps[s][1] == NONE { 1 } else { 2 };
            let first = if shared { row.len() } else { 0 };
            end += pivots + both.len() + row.len() + first + new.len() + steps.column.of(s).len();
        }
        for i in 0..steps.dropped.len() {
            start.push(end as u32);
            end += steps.left.of(i).len();
        }
        start.push(end as u32);
        (end < NONE as usize).then_some(Lookup { steps, step_of, unknowns, start, extra, copied })
    }

    /// Number of places.
    pub(super) fn len(&self) -> usize {
        self.start[self.start.len() - 1] as usize
    }

    /// Whether the unknowns of the row of a step come first among those that M couples with its unknown.
    pub(super) fn shares(&self, step: usize) -> bool {
        self.steps.steps[step][1] != NONE && self.steps.diagonal[step]
    }

    /// Where copies start.
    pub(super) fn copies_start(&self, step: usize) -> u32 {
        self.start[step] + if self.steps.steps[step][1] == NONE { 1 } else { 2 }
    }

    /// Where the rest of the row of a step starts.
    pub(super) fn row_start(&self, step: usize) -> u32 {
        self.copies_start(step) + self.copied.of(step).len() as u32
    }

    /// Place of what M couples an unknown with that of a step by, as it was left.
    pub(super) fn as_left(&self, step: usize, unknown: u32) -> Option<u32> {
        match self.copied.of(step).binary_search(&unknown) {
            Ok(at) => Some(self.copies_start(step) + at as u32),
            Err(_) => self.in_mass(step, unknown),
        }
    }

    /// Where the unknowns of [`extra`](Self::extra) start.
    fn extra_start(&self, step: usize) -> u32 {
        let row = self.steps.row.of(step).len() as u32;
        self.row_start(step) + if self.shares(step) { 2 * row } else { row }
    }

    /// Where other rows on the unknown of a step start.
    pub(super) fn column_start(&self, step: usize) -> u32 {
        self.extra_start(step) + self.extra.of(step).len() as u32
    }

    /// Unknowns that have a place for what M couples them with that of a step by.
    pub(super) fn coupled(&self, step: usize) -> impl Iterator<Item = u32> + '_ {
        let shared = if self.shares(step) { self.steps.row.of(step) } else { &[] };
        shared.iter().chain(self.extra.of(step)).copied()
    }

    /// Place of an unknown in the row of a step.
    pub(super) fn in_row(&self, step: usize, unknown: u32) -> Option<u32> {
        let at = self.steps.row.of(step).binary_search(&unknown).ok()?;
        Some(self.row_start(step) + at as u32)
    }

    /// Place of an unknown among those that M couples with that of a step.
    pub(super) fn in_mass(&self, step: usize, unknown: u32) -> Option<u32> {
        let row = self.steps.row.of(step);
        if self.shares(step)
            && let Ok(at) = row.binary_search(&unknown)
        {
            return Some(self.row_start(step) + (row.len() + at) as u32);
        }
        let at = self.extra.of(step).binary_search(&unknown).ok()?;
        Some(self.extra_start(step) + at as u32)
    }

    /// Place of what M couples two unknowns by.
    pub(super) fn mass(&self, a: u32, b: u32) -> Option<u32> {
        let [s, t] = [a, b].map(|u| self.step_of[u as usize]);
        match s.cmp(&t) {
            // the diagonal comes behind the pivot of a pair
            std::cmp::Ordering::Equal => Some(self.copies_start(s as usize) - 1),
            std::cmp::Ordering::Less => self.in_mass(s as usize, b),
            std::cmp::Ordering::Greater => self.in_mass(t as usize, a),
        }
    }

    /// Place of an entry of J.
    pub(super) fn jacobian(&self, row: u32, unknown: u32) -> Option<u32> {
        let s = self.step_of[self.unknowns + row as usize] as usize;
        let t = self.step_of[unknown as usize] as usize;
        if let Some(i) = s.checked_sub(self.steps.steps.len())
            && let Ok(at) = self.steps.left.of(i).binary_search(&unknown)
        {
            return Some(self.start[s] + at as u32);
        }
        match s.cmp(&t) {
            std::cmp::Ordering::Equal => Some(self.start[s]),
            std::cmp::Ordering::Less => self.in_row(s, unknown),
            std::cmp::Ordering::Greater => {
                let at = self.steps.column.of(t).binary_search(&row).ok()?;
                Some(self.column_start(t) + at as u32)
            }
        }
    }
}
