//! The program of an elimination by single numbers.

use crate::pattern::{Entries, Pattern, Values};

const NONE: u32 = u32::MAX;

/// A value and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) value: u32,
    pub(crate) place: u32,
}

/// Columns of the factor, and where every product goes.
///
/// Places count first the diagonal, then the columns below it one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Start of every column among the entries below the diagonal, and their number.
    pub(crate) start: Vec<u32>,
    /// Rows of these entries, ascending in every column.
    pub(crate) rows: Vec<u32>,
    /// Places of the products of a column's entries `b > a`, for every column and every `a`.
    pub(crate) targets: Vec<u32>,
    /// Values of M, J and C.
    pub(crate) moves: [Vec<Move>; 3],
    /// Numbers of values of M, J and C.
    lengths: [usize; 3],
}

impl Plan {
    /// Number of pivots.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether values have the lengths that the plan was made for.
    #[inline(always)]
    pub(crate) fn takes<T>(&self, values: &Values<'_, T>) -> bool {
        [values.mass.len(), values.jacobian.len(), values.compliance.len()] == self.lengths
    }

    /// Number of places.
    #[inline(always)]
    pub(crate) fn places(&self) -> usize {
        self.start.len() - 1 + self.rows.len()
    }

    /// The plan, unless it needs more than `limit` products.
    pub(crate) fn new(pattern: &Pattern, sequence: &[u32], limit: usize) -> Option<Plan> {
        let total = sequence.len();
        let mut position = vec![0u32; total];
        for (at, &s) in sequence.iter().enumerate() {
            position[s as usize] = at as u32;
        }
        let n = pattern.unknowns() as u32;
        let parts =
            [(&pattern.mass, [0, 0]), (&pattern.jacobian, [n, 0]), (&pattern.compliance, [n, n])];
        let place = |entries: &Entries, offset: [u32; 2], e: usize| {
            let a = position[(entries.rows[e] + offset[0]) as usize];
            let b = position[(entries.columns[e] + offset[1]) as usize];
            (a.min(b) as usize, a.max(b))
        };
        // entries of the matrix below the diagonal, by columns
        let mut first = vec![0u32; total + 1];
        for (entries, offset) in parts {
            for e in 0..entries.len() {
                let (column, row) = place(entries, offset, e);
                first[column + 1] += u32::from(row as usize != column);
            }
        }
        for k in 0..total {
            first[k + 1] += first[k];
        }
        let mut own = vec![0u32; first[total] as usize];
        let mut next = first.clone();
        for (entries, offset) in parts {
            for e in 0..entries.len() {
                let (column, row) = place(entries, offset, e);
                if row as usize != column {
                    own[next[column] as usize] = row;
                    next[column] += 1;
                }
            }
        }

        let lengths = [pattern.mass_len(), pattern.jacobian_len(), pattern.compliance_len()];
        let mut plan = Plan { start: vec![0], lengths, ..Plan::default() };
        let (mut child, mut sibling) = (vec![NONE; total], vec![NONE; total]);
        let mut mark = vec![NONE; total];
        let mut products = 0;
        for k in 0..total {
            let begin = plan.rows.len();
            mark[k] = k as u32;
            let mut add = |row: u32, rows: &mut Vec<u32>| {
                if mark[row as usize] != k as u32 {
                    mark[row as usize] = k as u32;
                    rows.push(row);
                }
            };
            for &row in &own[first[k] as usize..first[k + 1] as usize] {
                add(row, &mut plan.rows);
            }
            let mut c = child[k];
            while c != NONE {
                for e in plan.start[c as usize] + 1..plan.start[c as usize + 1] {
                    add(plan.rows[e as usize], &mut plan.rows);
                }
                c = sibling[c as usize];
            }
            let rows = &mut plan.rows[begin..];
            rows.sort_unstable();
            products += rows.len() * (rows.len() + 1) / 2;
            if products > limit || total + begin + rows.len() >= u32::MAX as usize {
                return None;
            }
            if let Some(&parent) = rows.first() {
                sibling[k] = child[parent as usize];
                child[parent as usize] = k as u32;
            }
            plan.start.push(plan.rows.len() as u32);
        }

        // where products go
        let mut slot = vec![0u32; total];
        for k in 0..total {
            let column = plan.start[k] as usize..plan.start[k + 1] as usize;
            for a in column.clone() {
                let j = plan.rows[a] as usize;
                for e in plan.start[j] as usize..plan.start[j + 1] as usize {
                    slot[plan.rows[e] as usize] = (total + e) as u32;
                }
                for b in a + 1..column.end {
                    plan.targets.push(slot[plan.rows[b] as usize]);
                }
            }
        }
        for (part, (entries, offset)) in parts.into_iter().enumerate() {
            plan.moves[part] = (0..entries.len())
                .map(|e| {
                    let (column, row) = place(entries, offset, e);
                    let place = if row as usize == column {
                        row
                    } else {
                        let (a, b) = (plan.start[column] as usize, plan.start[column + 1] as usize);
                        (total + a + plan.rows[a..b].partition_point(|&r| r < row)) as u32
                    };
                    Move { value: entries.index[e], place }
                })
                .collect();
        }
        Some(plan)
    }
}
