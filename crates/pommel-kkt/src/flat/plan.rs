//! The program of an elimination by single numbers.

use super::structure::{Lists, Structure};
use crate::analysis::Cost;
use crate::pattern::{Entries, Pattern, Values};

const NONE: u32 = u32::MAX;

/// A value and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) value: u32,
    /// Which diagonal if below the number of pivots of the rest, else an entry below.
    pub(super) place: u32,
}

/// What is done with which number.
///
/// Unknowns whose only entry of M is on the diagonal are *isolated*: they are eliminated first, and
/// nothing is stored for them but `1/m`. The *rest*, other unknowns before multipliers, is eliminated
/// by columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// For every pivot: its scalar in the order `x`, λ.
    pub(crate) sequence: Vec<u32>,
    /// Number of isolated unknowns.
    pub(super) isolated: usize,
    /// Number of unknowns among the rest.
    pub(super) coupled: usize,
    /// The value of M of every isolated unknown.
    pub(super) masses: Vec<u32>,
    /// Entries of J in the columns of isolated unknowns: row in the rest, value.
    pub(super) isolated_columns: Lists<[u32; 2]>,
    /// Columns of the rest.
    pub(super) structure: Structure,
    /// How the rest is eliminated, pivot by pivot: the *triples* of the diagonal; the
    /// number of entries of the factor in the row, and their places; the number of entries below, and
    /// for each its triples, the number of products of earlier entries, and their places in pairs.
    /// Triples: their number; a value of J, an isolated unknown, another value of J, for each.
    pub(super) factor_code: Vec<u32>,
    /// How `L y = b` is solved, row by row: the number of entries of J for isolated unknowns, a value
    /// and an unknown for each; the number of entries of the factor, place and column for each.
    pub(super) forward_code: Vec<u32>,
    /// Values of M, J and C among the rest.
    pub(super) moves: [Vec<Move>; 3],
    /// Numbers of values of M, J and C.
    lengths: [usize; 3],
}

impl Plan {
    /// Number of pivots.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.sequence.len()
    }

    /// Whether values have the lengths that the plan was made for.
    #[inline(always)]
    pub(crate) fn takes<T>(&self, values: &Values<'_, T>) -> bool {
        [values.mass.len(), values.jacobian.len(), values.compliance.len()] == self.lengths
    }

    /// Number of entries below the diagonals of the rest.
    #[inline(always)]
    pub(crate) fn places(&self) -> usize {
        self.structure.rows.len()
    }

    /// Numbers of pivots and of rows below them, in the order of elimination.
    pub(crate) fn front_sizes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let ends = &self.isolated_columns.ends;
        let starts = core::iter::once(0).chain(ends.iter().copied());
        let isolated = starts.zip(ends).map(|(start, &end)| (1, (end - start) as usize));
        let rest = (0..self.structure.len()).map(|k| (1, self.structure.column(k).len()));
        isolated.chain(rest)
    }

    /// Pivots of the rows below a pivot, and what stands there.
    pub(crate) fn column<'a, T: Copy>(
        &'a self,
        pivot: usize,
        jacobian: &'a [T],
        columns: &'a [T],
    ) -> impl Iterator<Item = (usize, T)> + 'a {
        let of_rest = pivot.checked_sub(self.isolated);
        let levers = match of_rest {
            None => {
                let ends = &self.isolated_columns.ends;
                let start = if pivot == 0 { 0 } else { ends[pivot - 1] };
                start as usize..ends[pivot] as usize
            }
            Some(_) => 0..0,
        };
        let levers = self.isolated_columns.items[levers].iter();
        let levers = levers.map(|&[row, value]| (row as usize, jacobian[value as usize]));
        let places = of_rest.into_iter().flat_map(|k| self.structure.column(k));
        let rest = places.map(|place| (self.structure.rows[place] as usize, columns[place]));
        levers.chain(rest).map(|(row, x)| (row + self.isolated, x))
    }

    /// Size and work.
    pub(crate) fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for (_, height) in self.front_sizes() {
            cost.factor_entries += 1 + height as u64;
            cost.multiply_adds += (height * (height + 1) / 2) as u64;
            cost.largest_front = cost.largest_front.max(1 + height);
            cost.fronts += 1;
        }
        cost
    }

    /// The plan, unless it needs more than `limit` products. Unknowns are taken before multipliers,
    /// both as they come in `order`.
    pub(crate) fn new(
        pattern: &Pattern,
        order: impl Iterator<Item = u32> + Clone,
        limit: usize,
    ) -> Option<Plan> {
        let n = pattern.unknowns();
        let total = n + pattern.rows();
        let mut masses = vec![NONE; n];
        let mut alone = vec![true; n];
        for (row, column, value) in pattern.mass.iter() {
            if row == column {
                masses[row] = value as u32;
            } else {
                (alone[row], alone[column]) = (false, false);
            }
        }
        let is_isolated =
            |s: u32| (s as usize) < n && alone[s as usize] && masses[s as usize] != NONE;
        let unknown = |s: &u32| (*s as usize) < n;
        let mut sequence: Vec<u32> = (0..n as u32).filter(|&s| is_isolated(s)).collect();
        let isolated = sequence.len();
        sequence.extend(order.clone().filter(|s| unknown(s) && !is_isolated(*s)));
        let coupled = sequence.len() - isolated;
        sequence.extend(order.filter(|s| !unknown(s)));
        let mut pivot = vec![0u32; total];
        for (at, &s) in sequence.iter().enumerate() {
            pivot[s as usize] = at as u32;
        }

        // J in the columns of isolated unknowns
        let first = isolated as u32;
        let rest = total - isolated;
        let entries = pattern.jacobian.iter().filter_map(|(row, column, value)| {
            let (row, column) = (pivot[n + row], pivot[column]);
            (column < first).then_some((column, [row - first, value as u32]))
        });
        let entries: Vec<_> = entries.collect();
        let mut by_column = Lists::new(isolated, &entries);
        let mut start = 0;
        let mut products = 0;
        for &end in &by_column.ends {
            let column = &mut by_column.items[start as usize..end as usize];
            column.sort_unstable();
            products += column.len() * (column.len() + 1) / 2;
            start = end;
        }
        if products > limit {
            return None;
        }
        let mut cliques: Vec<&[[u32; 2]]> = Vec::with_capacity(isolated);
        let mut start = 0;
        for &end in &by_column.ends {
            cliques.push(&by_column.items[start as usize..end as usize]);
            start = end;
        }

        // the rest
        let n32 = n as u32;
        let parts = [
            (&pattern.mass, [0, 0]),
            (&pattern.jacobian, [n32, 0]),
            (&pattern.compliance, [n32, n32]),
        ];
        let place = |entries: &Entries, offset: [u32; 2], e: usize| {
            let a = pivot[(entries.rows[e] + offset[0]) as usize];
            let b = pivot[(entries.columns[e] + offset[1]) as usize];
            (a.min(b) >= first).then(|| [a.min(b) - first, a.max(b) - first])
        };
        let mut own = Vec::new();
        for (entries, offset) in parts {
            let all = (0..entries.len()).filter_map(|e| place(entries, offset, e));
            own.extend(all.filter(|[column, row]| column != row));
        }
        let structure = Structure::new(rest, &own, &cliques, limit - products)?;

        let slots = rest + structure.rows.len();
        let mut triples = Vec::with_capacity(products);
        let mut rows = Vec::with_capacity(entries.len());
        for (i, column) in cliques.iter().enumerate() {
            let unknown = i as u32;
            for (a, &[row, left]) in column.iter().enumerate() {
                rows.push((row, [left, unknown]));
                for &[below, right] in &column[a..] {
                    triples.push((structure.slot(below, row) as u32, [left, unknown, right]));
                }
            }
        }
        let (mut pairs, mut factor_rows) = (Vec::new(), Vec::with_capacity(structure.rows.len()));
        for k in 0..rest {
            let column = structure.column(k);
            for a in column.clone() {
                let row = structure.rows[a];
                factor_rows.push((row, [a as u32, k as u32]));
                let mut slot = structure.slot(row, row);
                for b in a + 1..column.end {
                    slot += 1;
                    let below = structure.rows[b];
                    while structure.rows[slot - row as usize - 1] != below {
                        slot += 1;
                    }
                    pairs.push(((slot - row as usize - 1) as u32, [a as u32, b as u32]));
                }
            }
        }
        let moves = parts.map(|(entries, offset)| {
            let places = (0..entries.len()).filter_map(|e| {
                let [column, row] = place(entries, offset, e)?;
                let place = if row == column {
                    column as usize
                } else {
                    rest + structure.slot(row, column) - column as usize - 1
                };
                Some(Move { value: entries.index[e], place: place as u32 })
            });
            places.collect()
        });
        let isolated_rows = Lists::new(rest, &rows);
        let factor_rows = Lists::new(rest, &factor_rows);
        let triples = Lists::new(slots, &triples);
        let pairs = Lists::new(structure.rows.len(), &pairs);
        let mut factor_code =
            Vec::with_capacity(3 * triples.items.len() + 2 * pairs.items.len() + 3 * slots);
        let mut forward_code = Vec::with_capacity(2 * (rows.len() + structure.rows.len() + rest));
        let count = |list: usize| list as u32;
        for k in 0..rest {
            let column = structure.column(k);
            let add_triples = |slot: usize, code: &mut Vec<u32>| {
                code.push(count(triples.of(slot).len()));
                code.extend(triples.of(slot).iter().flatten());
            };
            add_triples(k + column.start, &mut factor_code);
            factor_code.push(count(factor_rows.of(k).len()));
            factor_code.extend(factor_rows.of(k).iter().map(|e| e[0]));
            factor_code.push(count(column.len()));
            for place in column {
                add_triples(k + 1 + place, &mut factor_code);
                factor_code.push(count(pairs.of(place).len()));
                factor_code.extend(pairs.of(place).iter().flatten());
            }
            for list in [isolated_rows.of(k), factor_rows.of(k)] {
                forward_code.push(count(list.len()));
                forward_code.extend(list.iter().flatten());
            }
        }
        Some(Plan {
            masses: sequence[..isolated].iter().map(|&s| masses[s as usize]).collect(),
            factor_code,
            forward_code,
            isolated_columns: by_column,
            sequence,
            isolated,
            coupled,
            structure,
            moves,
            lengths: [pattern.mass_len(), pattern.jacobian_len(), pattern.compliance_len()],
        })
    }
}
