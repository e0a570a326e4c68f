//! The program of an elimination of pairs.

use pommel_math::Real;

use super::lookup::Lookup;
use super::reduction::{NONE, Step, Steps};
use crate::analysis::Cost;
use crate::flat::Lists;
use crate::pattern::{Pattern, Values};

/// A step of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Whether a row is eliminated with the unknown.
    pub(super) pair: bool,
    /// Where its places end.
    pub(super) end: u32,
    /// Where those of columns of the factor start, behind pivots and copies.
    pub(super) first: u32,
    /// Number of places for the rest of its row.
    pub(super) row: u32,
}

/// What is done with which number.
///
/// With `V` what is left in the columns of a pivot block `D`, those of the factor are `L = V D⁻¹`, and
/// `L Vᵀ` is subtracted from what is left. Of a pair with pivot block `[a b; b 0]`,
/// `D⁻¹ = [0 1/b; 1/b −a/b²]`. With `v` the column of the unknown and `u` the row, `p = u/b` is the column of
/// `L` for the unknown, `w/b` with `w = v − a p` that for the row, and `L Vᵀ = p vᵀ + w pᵀ`. Stored are `p` in
/// the place of the row, and `w` in that of what M and other rows have in the column of the unknown;
/// copies of `v` where it differs from `w` and is needed. Of a single unknown, copies are `V`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// For every pivot: its scalar in the order `x`, λ; rows that are dropped come last.
    pub(crate) sequence: Vec<u32>,
    /// The steps that it was made of.
    #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "it is for files"))]
    pub(crate) steps: Vec<Step>,
    pub(super) blocks: Vec<Block>,
    /// Pivots of the rows of all places that belong to a block.
    pub(super) rows: Vec<u32>,
    /// How each number of `V` is found, place by place, behind the numbers of places of a block: *sums*,
    /// that is twice the number of products, plus one if a number of the matrix stands there, which
    /// follows then; and two places for each product. Numbers with a copy have sums that are not empty.
    ///
    /// Of a pair, the numbers of places are: the rest of the row; how many unknowns coupled by M it
    /// shares; those; other rows. A pivot of J comes behind the number of numbers in its row, pairs of
    /// those and their unknowns, and its own unknown; the list is empty if no product has changed the pivot.
    ///
    /// Of dropped rows: the number of numbers, pairs of those and their unknowns; the number of places,
    /// each with its unknown before it.
    pub(super) factor_code: Vec<u32>,
    /// Units of unknowns in J, when it was analysed.
    pub(crate) weights: Vec<f64>,
    /// The same for every pivot; one for rows.
    pub(super) units: Vec<f64>,
    /// For every place of the rest of a pair's row, the unit of its unknown in those of that of the pair; zero
    /// for other places.
    ratios: Vec<f64>,
    /// How `L y = b` is solved, row by row: the number of entries of the factor, place and column for each.
    pub(super) forward_code: Vec<u32>,
    /// Number of rows that are dropped.
    pub(super) dropped: usize,
    places: usize,
    products: usize,
    /// Numbers of values of M, J and C.
    lengths: [usize; 3],
}

impl Plan {
    /// The largest number that is left in a row beside that of its unknown, and relative to it, both
    /// in units of their unknowns; at least 1.
    pub(crate) fn growth<T: Real>(&self, lower: &[T], lane: usize) -> f64 {
        const PARTS: usize = 4;
        // one place after the other, in a few parts that do not wait for each other
        let mut largest = [1.0_f64; PARTS];
        let places = lower.chunks_exact(PARTS).zip(self.ratios.chunks_exact(PARTS));
        for (left, ratios) in places {
            for i in 0..PARTS {
                let share = left[i].lane(lane).abs() * ratios[i];
                largest[i] = if share > largest[i] { share } else { largest[i] };
            }
        }
        let rest = lower.len() - lower.len() % PARTS;
        let last = lower[rest..].iter().zip(&self.ratios[rest..]);
        last.map(|(left, ratio)| left.lane(lane).abs() * ratio).chain(largest).fold(1.0, f64::max)
    }
}

impl Plan {
    /// The plan of these steps; `None` if it would be too large, or if there is compliance.
    pub(crate) fn new(pattern: &Pattern, steps: Steps) -> Option<Plan> {
        if pattern.compliance.len() > 0 {
            return None;
        }
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let steps = &steps.in_local_order(n, m);
        let lookup = Lookup::new(steps, n, m)?;
        let products = products(steps, &lookup);
        if products.len() >= NONE as usize / 4 {
            return None;
        }
        let count = products.len();
        let products = Lists::new(lookup.len(), products.iter().copied());
        let mut own = vec![NONE; lookup.len()];
        for (row, column, value) in pattern.mass.iter() {
            own[lookup.mass(row as u32, column as u32)? as usize] = value as u32;
        }
        for (row, column, value) in pattern.jacobian.iter() {
            own[lookup.jacobian(row as u32, column as u32)? as usize] = value as u32;
        }

        let entries = pattern.jacobian.iter();
        let whole_rows = Lists::new(
            m,
            entries.map(|(row, column, value)| (row as u32, [value as u32, column as u32])),
        );

        let mut sequence = Vec::with_capacity(n + m);
        for &[unknown, row] in &steps.steps {
            sequence.push(unknown);
            if row != NONE {
                sequence.push(n as u32 + row);
            }
        }
        sequence.extend(steps.dropped.iter().map(|row| n as u32 + row));
        let mut pivot = vec![0u32; n + m];
        for (at, &s) in sequence.iter().enumerate() {
            pivot[s as usize] = at as u32;
        }

        let mut code = Vec::with_capacity(2 * lookup.len() + 2 * count);
        let sums = |code: &mut Vec<u32>, places: core::ops::Range<u32>| {
            for place in places {
                let (own, list) = (own[place as usize], products.of(place as usize));
                code.push(2 * list.len() as u32 + u32::from(own != NONE));
                if own != NONE {
                    code.push(own);
                }
                code.extend_from_slice(list.as_flattened());
            }
        };
        let mut blocks = Vec::with_capacity(steps.steps.len());
        let mut rows = vec![0; lookup.start[steps.steps.len()] as usize];
        let mut entries = Vec::with_capacity(rows.len());
        for (s, &[unknown, row]) in steps.steps.iter().enumerate() {
            let (start, end) = (lookup.start[s], lookup.start[s + 1]);
            let (other, column) = (steps.row.of(s), steps.column.of(s));
            let (first, copies) = (lookup.row_start(s), lookup.copies_start(s));
            let column_start = lookup.column_start(s);
            blocks.push(Block { pair: row != NONE, end, first, row: other.len() as u32 });
            let coupled = column_start - first - other.len() as u32;
            if row != NONE {
                let changed = !products.of(start as usize).is_empty();
                let shared = if lookup.shares(s) { other.len() as u32 } else { 0 };
                code.extend([other.len() as u32, shared, coupled, column.len() as u32]);
                let list = if changed { whole_rows.of(row as usize) } else { &[] };
                code.push(list.len() as u32);
                code.extend_from_slice(list.as_flattened());
                code.push(unknown);
            } else {
                code.push(coupled);
            }
            sums(&mut code, start..copies);
            sums(&mut code, first..end);
            let mine = pivot[unknown as usize];
            let own_column = if row == NONE { mine } else { mine + 1 };
            let mut note = |place: u32, scalar: u32, column: u32| {
                rows[place as usize] = pivot[scalar as usize];
                entries.push((pivot[scalar as usize], [place, column]));
            };
            for (&u, place) in other.iter().zip(first..) {
                note(place, u, mine);
            }
            for u in lookup.coupled(s) {
                note(lookup.in_mass(s, u)?, u, own_column);
            }
            for (&r, place) in column.iter().zip(column_start..) {
                note(place, n as u32 + r, own_column);
            }
        }
        for i in 0..steps.dropped.len() {
            let s = steps.steps.len() + i;
            let list = whole_rows.of(steps.dropped[i] as usize);
            code.push(list.len() as u32);
            code.extend_from_slice(list.as_flattened());
            code.push(lookup.start[s + 1] - lookup.start[s]);
            for (&unknown, place) in steps.left.of(i).iter().zip(lookup.start[s]..) {
                code.push(unknown);
                sums(&mut code, place..place + 1);
            }
        }
        let forward = Lists::new(n + m, entries.iter().copied());
        let mut forward_code = Vec::with_capacity(n + m + 2 * entries.len());
        for k in 0..n + m - steps.dropped.len() {
            forward_code.push(forward.of(k).len() as u32);
            forward_code.extend_from_slice(forward.of(k).as_flattened());
        }
        let unit = |&s: &u32| steps.weights.get(s as usize).copied().unwrap_or(1.0);
        let units: Vec<f64> = sequence.iter().map(unit).collect();
        let mut ratios = vec![0.0; lookup.len()];
        let mut k = 0;
        for block in &blocks {
            if block.pair {
                for place in block.first as usize..(block.first + block.row) as usize {
                    ratios[place] = units[rows[place] as usize] / units[k];
                }
            }
            k += if block.pair { 2 } else { 1 };
        }
        Some(Plan {
            sequence,
            steps: steps.all.clone(),
            blocks,
            rows,
            factor_code: code,
            units,
            ratios,
            weights: steps.weights.clone(),
            forward_code,
            dropped: steps.dropped.len(),
            places: lookup.len(),
            products: count,
            lengths: [pattern.mass_len(), pattern.jacobian_len(), pattern.compliance_len()],
        })
    }

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

    /// Number of places for numbers of the factor.
    #[inline(always)]
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// Numbers of pivots and of rows below them, in the order of elimination; without dropped rows.
    pub(crate) fn front_sizes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.blocks
            .iter()
            .map(|block| (if block.pair { 2 } else { 1 }, (block.end - block.first) as usize))
    }

    /// Pairs, by the pivot of their unknown.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = usize> + '_ {
        let last = self.single_pivots().zip(&self.blocks);
        last.filter(|(_, block)| block.pair).map(|(k, _)| k - 1)
    }

    /// Pivot of the row of a place in a column of the factor.
    pub(crate) fn row(&self, place: usize) -> usize {
        self.rows[place] as usize
    }

    /// Pivots that were taken one by one: all but the unknowns of pairs, and rows that were dropped.
    pub(crate) fn single_pivots(&self) -> impl Iterator<Item = usize> + '_ {
        let mut next = 0;
        self.blocks.iter().map(move |block| {
            next += if block.pair { 2 } else { 1 };
            next - 1
        })
    }

    /// All pivots but the unknowns of pairs; for those that are no pairs, places of what is left below them,
    /// and of their columns of the factor.
    pub(crate) fn pivots(
        &self,
    ) -> impl Iterator<Item = (usize, [core::ops::Range<usize>; 2])> + '_ {
        let kept = self.sequence.len() - self.dropped;
        let blocks = self.single_pivots().enumerate().map(|(b, k)| {
            let start = if b == 0 { 0 } else { self.blocks[b - 1].end as usize };
            let Block { pair, first, end, .. } = self.blocks[b];
            let below = [start + 1..first as usize, first as usize..end as usize];
            (k, if pair { [0..0, 0..0] } else { below })
        });
        blocks.chain((kept..self.sequence.len()).map(|k| (k, [0..0, 0..0])))
    }

    /// Size and work.
    pub(crate) fn cost(&self) -> Cost {
        let largest = self.front_sizes().map(|(pivots, below)| pivots + below).max();
        Cost {
            factor_entries: self.places as u64,
            multiply_adds: self.products as u64,
            fronts: self.blocks.len(),
            largest_front: largest.unwrap_or(0),
            subtrees: 0,
        }
    }
}

/// All products, with the places of their sums.
fn products(steps: &Steps, lookup: &Lookup<'_>) -> Vec<(u32, [u32; 2])> {
    let mut products = Vec::with_capacity(2 * steps.products);
    let mut push = |place: Option<u32>, left: u32, right: u32| {
        products.push((place.expect("the reduction has made it"), [left, right]));
    };
    let mut all = Vec::new();
    for s in 0..steps.steps.len() {
        let (row, mass) = (steps.row.of(s), steps.mass.of(s));
        if steps.steps[s][1] == NONE {
            for (i, &t) in mass.iter().enumerate() {
                for &u in &mass[..=i] {
                    let [left, right] = [lookup.in_mass(s, t), lookup.as_left(s, u)];
                    push(lookup.mass(t, u), left.expect("coupled"), right.expect("coupled"));
                }
            }
            continue;
        }
        all.clear();
        all.extend_from_slice(row);
        all.extend(mass.iter().filter(|u| row.binary_search(u).is_err()));
        let own = lookup.shares(s);
        let coupled = |u: u32| mass.binary_search(&u).is_ok();
        // terms of the sum for t and u, one side of the symmetric whole
        let terms = |t: u32, u: u32| {
            let first = lookup.in_row(s, t).filter(|_| coupled(u));
            let second = lookup.in_row(s, u).filter(|_| own || coupled(t));
            let first = first.zip(lookup.as_left(s, u));
            [first, lookup.in_mass(s, t).zip(second)]
        };
        // what M couples among itself is left as it is
        for (i, &t) in all.iter().enumerate() {
            for &u in &all[..row.len().min(i + 1)] {
                let [one, other] = [terms(t, u), terms(u, t)];
                let number = |terms: &[Option<_>; 2]| terms.iter().flatten().count();
                let fewer = if number(&other) < number(&one) { other } else { one };
                for (left, right) in fewer.into_iter().flatten() {
                    push(lookup.mass(t, u), left, right);
                }
            }
        }
        for (&r, left) in steps.column.of(s).iter().zip(lookup.column_start(s)..) {
            for (&u, right) in row.iter().zip(lookup.row_start(s)..) {
                push(lookup.jacobian(r, u), left, right);
            }
        }
    }
    products
}
