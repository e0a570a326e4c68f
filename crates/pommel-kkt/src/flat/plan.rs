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
        let isolated = (0..self.isolated).map(|i| (1, self.isolated_columns.of(i).len()));
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
            None => self.isolated_columns.of(pivot),
            Some(_) => &[],
        }
        .iter();
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
            cost.multiply_adds += height as u64 * (height as u64 + 1) / 2;
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
        let mut isolated_columns = Lists::new(isolated, entries);
        let mut products = 0;
        for i in 0..isolated {
            let column = isolated_columns.of_mut(i);
            column.sort_unstable();
            products = (column.len().saturating_mul(column.len() + 1) / 2).saturating_add(products);
        }
        if products > limit {
            return None;
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
        // without unknowns among the rest, these are entries of C
        let parts = if coupled > 0 { &parts[..] } else { &parts[2..] };
        let mut own = Vec::new();
        for &(entries, offset) in parts {
            let all = (0..entries.len()).filter_map(|e| place(entries, offset, e));
            own.extend(all.filter(|[column, row]| column != row));
        }
        let structure = Structure::new(rest, &own, &isolated_columns, limit - products)?;
        let mut moves = [Vec::new(), Vec::new(), Vec::new()];
        for (part, &(entries, offset)) in parts.iter().enumerate() {
            let places = (0..entries.len()).filter_map(|e| {
                let [column, row] = place(entries, offset, e)?;
                let place = match row == column {
                    true => column as usize,
                    false => rest + structure.place(row, column),
                };
                Some(Move { value: entries.index[e], place: place as u32 })
            });
            moves[part + 3 - parts.len()] = places.collect();
        }
        let [factor_code, forward_code] = codes(&structure, &isolated_columns);
        Some(Plan {
            masses: sequence[..isolated].iter().map(|&s| masses[s as usize]).collect(),
            factor_code,
            forward_code,
            isolated_columns,
            sequence,
            isolated,
            coupled,
            structure,
            moves,
            lengths: [pattern.mass_len(), pattern.jacobian_len(), pattern.compliance_len()],
        })
    }
}

/// How the rest is eliminated, and how `L y = b` is solved.
fn codes(structure: &Structure, isolated_columns: &Lists<[u32; 2]>) -> [Vec<u32>; 2] {
    let columns = 0..isolated_columns.ends.len();
    let isolated_rows = Lists::new(
        structure.len(),
        columns.flat_map(|i| {
            isolated_columns.of(i).iter().map(move |&[row, value]| (row, [value, i as u32]))
        }),
    );
    let factor_rows = structure.by_rows();
    let length = 6 * structure.rows.len() + 4 * isolated_rows.items.len();
    let (mut factor, mut forward) = (Vec::with_capacity(2 * length), Vec::with_capacity(length));
    // of one column: its slots, the diagonal first, and what goes into each
    let mut slot = vec![0u32; structure.len()];
    let (mut triples, mut pairs) = (Vec::new(), Vec::new());
    for k in 0..structure.len() {
        let rows = &structure.rows[structure.column(k)];
        slot[k] = 0;
        for (at, &row) in rows.iter().enumerate() {
            slot[row as usize] = at as u32 + 1;
        }
        triples.clear();
        for &[left, unknown] in isolated_rows.of(k) {
            for &[row, right] in isolated_columns.of(unknown as usize) {
                if row as usize >= k {
                    triples.push((slot[row as usize], [left, unknown, right]));
                }
            }
        }
        sort_by_slot(&mut triples);
        pairs.clear();
        for &[place, column] in factor_rows.of(k) {
            for b in place + 1..structure.start[column as usize + 1] {
                pairs.push((slot[structure.rows[b as usize] as usize], [place, b]));
            }
        }
        sort_by_slot(&mut pairs);

        let (mut triples, mut pairs) = (&triples[..], &pairs[..]);
        push_list(&mut factor, &mut triples, 0);
        let count = factor_rows.of(k).len() as u32;
        factor.push(count);
        factor.extend(factor_rows.of(k).iter().map(|e| e[0]));
        factor.push(rows.len() as u32);
        for at in 1..=rows.len() as u32 {
            push_list(&mut factor, &mut triples, at);
            push_list(&mut factor, &mut pairs, at);
        }
        for list in [isolated_rows.of(k), factor_rows.of(k)] {
            forward.push(list.len() as u32);
            forward.extend_from_slice(list.as_flattened());
        }
    }
    [factor, forward]
}

/// Takes the items of a slot from the front of a list: their number, and they themselves.
fn push_list<const N: usize>(code: &mut Vec<u32>, list: &mut &[(u32, [u32; N])], slot: u32) {
    let count = list.iter().take_while(|item| item.0 == slot).count();
    let (mine, others) = list.split_at(count);
    code.push(count as u32);
    for item in mine {
        code.extend_from_slice(&item.1);
    }
    *list = others;
}

/// Sorts a list that is made of a few ascending pieces; items of one slot stay in order.
fn sort_by_slot<const N: usize>(list: &mut [(u32, [u32; N])]) {
    if list.len() > 64 {
        return list.sort_by_key(|item| item.0);
    }
    for i in 1..list.len() {
        let item = list[i];
        let mut at = i;
        while at > 0 && list[at - 1].0 > item.0 {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = item;
    }
}
