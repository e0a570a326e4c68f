//! The system that is left while pairs are eliminated.

use crate::flat::Lists;
use crate::pattern::Pattern;

pub(super) const NONE: u32 = u32::MAX;

/// What is left at some place of J, in units of its column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) unknown: u32,
    pub(super) value: f64,
}

/// One step of the elimination: an unknown with the row that determines it; an unknown and `NONE`; or
/// `NONE` and a row that is dropped.
pub(crate) type Step = [u32; 2];

/// Steps, and what they act on.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// All, in order.
    pub(crate) all: Vec<Step>,
    /// Those that eliminate an unknown.
    pub(super) steps: Vec<Step>,
    /// Of every step: other unknowns of its row.
    pub(super) row: Lists<u32>,
    /// Unknowns that M couples with its unknown.
    pub(super) mass: Lists<u32>,
    /// Other rows of its unknown.
    pub(super) column: Lists<u32>,
    /// Whether the diagonal of M has an entry for its unknown.
    pub(super) diagonal: Vec<bool>,
    /// Rows that depend on others.
    pub(super) dropped: Vec<u32>,
    /// Their unknowns that are left when they are dropped.
    pub(super) left: Lists<u32>,
    /// Units of unknowns in J.
    pub(crate) weights: Vec<f64>,
    /// Products that all of this takes.
    pub(super) products: usize,
}

impl Steps {
    /// The same steps in an order in which each follows soon after those that it needs, so that what they
    /// have in common is still in the cache; lists ascend.
    pub(super) fn in_local_order(self, unknowns: usize, rows: usize) -> Steps {
        let count = self.steps.len();
        let mut step_of = vec![NONE; unknowns + rows];
        for (s, &[unknown, row]) in self.steps.iter().enumerate() {
            step_of[unknown as usize] = s as u32;
            if row != NONE {
                step_of[unknowns + row as usize] = s as u32;
            }
        }
        // which steps a step needs
        let needs = (0..count).flat_map(|s| {
            let rows = self.column.of(s).iter().map(|&r| unknowns + r as usize);
            let lists = [self.row.of(s), self.mass.of(s)];
            let acted_on = lists.into_iter().flatten().map(|&u| u as usize).chain(rows);
            let steps = acted_on.map(|scalar| step_of[scalar]).filter(|&t| t != NONE);
            steps.map(move |t| (t, s as u32))
        });
        let needs = Lists::new(count, needs);
        let mut order = Vec::with_capacity(count);
        let (mut open, mut stack) = (vec![true; count], Vec::new());
        for last in (0..count).rev() {
            // a step, and how many of those that it needs have been looked at
            stack.push((last, 0));
            while let Some((s, at)) = stack.pop() {
                if at == 0 && !core::mem::replace(&mut open[s], false) {
                    continue;
                }
                match needs.of(s).get(at) {
                    Some(&before) => {
                        stack.push((s, at + 1));
                        if open[before as usize] {
                            stack.push((before as usize, 0));
                        }
                    }
                    None => order.push(s),
                }
            }
        }
        let permuted = |lists: &Lists<u32>| {
            let mut new = Lists::default();
            let mut list = Vec::new();
            for &s in &order {
                list.clear();
                list.extend_from_slice(lists.of(s));
                list.sort_unstable();
                new.push(&list);
            }
            new
        };
        let mut left = self.left;
        (0..self.dropped.len()).for_each(|i| left.of_mut(i).sort_unstable());
        Steps {
            all: self.all,
            steps: order.iter().map(|&s| self.steps[s]).collect(),
            row: permuted(&self.row),
            mass: permuted(&self.mass),
            column: permuted(&self.column),
            diagonal: order.iter().map(|&s| self.diagonal[s]).collect(),
            dropped: self.dropped,
            left,
            weights: self.weights,
            products: self.products,
        }
    }
}

/// What is left.
pub(super) struct Reduction {
    pub(super) rows: Vec<Vec<Entry>>,
    /// The largest number or term that has ever been in a row.
    pub(super) sizes: Vec<f64>,
    /// Rows that act on an unknown, and some that are gone.
    columns: Vec<Vec<u32>>,
    /// Number of the rows that act on an unknown.
    pub(super) acting: Vec<u32>,
    /// Other unknowns that M couples with an unknown, and some that are gone.
    mass: Vec<Vec<u32>>,
    /// Number of the other unknowns that M couples with an unknown.
    pub(super) coupled: Vec<u32>,
    /// Unknowns, then rows, that are gone.
    gone: Vec<bool>,
    /// Numbers that were looked at, beside products.
    pub(super) looks: usize,
    diagonal: Vec<bool>,
    mark: Vec<u32>,
    pub(super) done: Steps,
}

impl Reduction {
    /// The whole system. `value(i)` is number `i` of J.
    pub(super) fn new(pattern: &Pattern, value: impl Fn(usize) -> f64) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let mut rows = vec![Vec::new(); m];
        let mut columns = vec![Vec::new(); n];
        // units of unknowns must not matter
        let weights = weights(pattern, &value);
        let mut sizes = vec![0.0f64; m];
        for (row, column, index) in pattern.jacobian.iter() {
            let value = value(index) * weights[column];
            sizes[row] = sizes[row].max(value.abs());
            rows[row].push(Entry { unknown: column as u32, value });
            columns[column].push(row as u32);
        }
        let (mut mass, mut diagonal) = (vec![Vec::new(); n], vec![false; n]);
        for (row, column, _) in pattern.mass.iter() {
            if row == column {
                diagonal[row] = true;
            } else {
                mass[row].push(column as u32);
                mass[column].push(row as u32);
            }
        }
        let done = Steps { weights, ..Steps::default() };
        let count = |lists: &[Vec<u32>]| lists.iter().map(|list| list.len() as u32).collect();
        Reduction {
            rows,
            sizes,
            acting: count(&columns),
            columns,
            coupled: count(&mass),
            mass,
            gone: vec![false; n + m],
            looks: 0,
            diagonal,
            mark: vec![NONE; n],
            done,
        }
    }

    /// Products that the elimination of a pair takes.
    pub(super) fn cost(&self, unknown: u32, row: u32) -> usize {
        let k = unknown as usize;
        let others = self.rows[row as usize].len() - 1;
        let rows = self.acting[k] as usize - 1;
        let own = if self.diagonal[k] { others.saturating_mul(others + 1) / 2 } else { 0 };
        others.saturating_mul(rows + self.coupled[k] as usize).saturating_add(own)
    }

    /// Eliminates a pair.
    pub(super) fn pair(&mut self, unknown: u32, row: u32) {
        self.done.products += self.cost(unknown, row);
        let k = unknown as usize;
        let mut others = core::mem::take(&mut self.rows[row as usize]);
        let at = others.iter().position(|e| e.unknown == unknown).expect("the row acts on it");
        let pivot = others.swap_remove(at).value;
        let n = self.columns.len();
        self.gone[n + row as usize] = true;
        let mut column = core::mem::take(&mut self.columns[k]);
        column.retain(|&r| !self.gone[n + r as usize]);
        for e in &others {
            self.acting[e.unknown as usize] -= 1;
        }
        for &r in &column {
            self.reduce_row(r, unknown, pivot, &others);
        }
        let mass = self.take_mass(unknown);
        let own = self.diagonal[k];
        let others: Vec<u32> = others.iter().map(|e| e.unknown).collect();
        for (i, &t) in others.iter().enumerate() {
            self.couple(t, &mass);
            self.couple(t, if own { &others[i..] } else { &[] });
        }
        self.done.row.push(&others);
        self.record([unknown, row], &mass, &column);
    }

    /// Eliminates an unknown on which no row is left.
    pub(super) fn single(&mut self, unknown: u32) {
        let mass = self.take_mass(unknown);
        self.done.products += mass.len() * (mass.len() + 1) / 2;
        for (i, &t) in mass.iter().enumerate() {
            self.couple(t, &mass[i..]);
        }
        self.done.row.push(&[]);
        self.record([unknown, NONE], &mass, &[]);
    }

    /// Whether a row is left and acts on an unknown.
    #[cfg(feature = "serde")]
    pub(super) fn acts(&self, row: u32, unknown: u32) -> bool {
        self.rows[row as usize].iter().any(|e| e.unknown == unknown)
    }

    /// Takes a row out of the system; the unknowns that it acts on.
    pub(super) fn drop(&mut self, row: u32) -> Vec<u32> {
        let entries = core::mem::take(&mut self.rows[row as usize]);
        let unknowns: Vec<u32> = entries.iter().map(|e| e.unknown).collect();
        self.gone[self.columns.len() + row as usize] = true;
        for &t in &unknowns {
            self.acting[t as usize] -= 1;
        }
        self.done.all.push([NONE, row]);
        self.done.dropped.push(row);
        self.done.left.push(&unknowns);
        unknowns
    }

    fn record(&mut self, step: Step, mass: &[u32], column: &[u32]) {
        let done = &mut self.done;
        done.all.push(step);
        done.steps.push(step);
        done.mass.push(mass);
        done.column.push(column);
        done.diagonal.push(self.diagonal[step[0] as usize]);
    }

    /// Subtracts a multiple of the row of a pivot, such that nothing is left in its column.
    fn reduce_row(&mut self, row: u32, unknown: u32, pivot: f64, others: &[Entry]) {
        let (entries, size) = (&mut self.rows[row as usize], &mut self.sizes[row as usize]);
        let at = entries.iter().position(|e| e.unknown == unknown).expect("in the column");
        let value = entries.swap_remove(at).value;
        self.looks += entries.len();
        let factor = if value == 0.0 { 0.0 } else { value / pivot };
        for (at, e) in entries.iter().enumerate() {
            self.mark[e.unknown as usize] = at as u32;
        }
        for e in others {
            let term = factor * e.value;
            *size = size.max(term.abs());
            match self.mark[e.unknown as usize] {
                NONE => {
                    entries.push(Entry { unknown: e.unknown, value: -term });
                    self.columns[e.unknown as usize].push(row);
                    self.acting[e.unknown as usize] += 1;
                }
                at => entries[at as usize].value -= term,
            }
        }
        for e in &*entries {
            self.mark[e.unknown as usize] = NONE;
        }
    }

    /// Takes an unknown, and what M couples with it.
    fn take_mass(&mut self, unknown: u32) -> Vec<u32> {
        self.gone[unknown as usize] = true;
        let mut mass = core::mem::take(&mut self.mass[unknown as usize]);
        mass.retain(|&t| !self.gone[t as usize]);
        for &t in &mass {
            self.coupled[t as usize] -= 1;
        }
        mass
    }

    /// Couples an unknown with those of a list; with itself, on the diagonal.
    fn couple(&mut self, unknown: u32, others: &[u32]) {
        for &u in others {
            if u == unknown {
                self.diagonal[u as usize] = true;
                continue;
            }
            let lists = [unknown, u].map(|u| &self.mass[u as usize]);
            let (short, other) =
                if lists[0].len() <= lists[1].len() { (lists[0], u) } else { (lists[1], unknown) };
            self.looks += short.len();
            if !short.contains(&other) {
                for (t, u) in [(unknown, u), (u, unknown)] {
                    self.mass[t as usize].push(u);
                    self.coupled[t as usize] += 1;
                }
            }
        }
    }
}

/// Units of unknowns: weights of the columns of J such that, with others of the rows, the largest number
/// of every row and column is about one (Ruiz, RAL-TR-2001-034).
fn weights(pattern: &Pattern, value: impl Fn(usize) -> f64) -> Vec<f64> {
    const ROUNDS: usize = 8;
    let mut columns = vec![1.0f64; pattern.unknowns()];
    let mut rows = vec![1.0f64; pattern.rows()];
    let mut largest = [vec![0.0f64; rows.len()], vec![0.0f64; columns.len()]];
    for _ in 0..ROUNDS {
        largest.iter_mut().for_each(|list| list.fill(0.0));
        for (row, column, index) in pattern.jacobian.iter() {
            let size = (rows[row] * value(index) * columns[column]).abs();
            largest[0][row] = largest[0][row].max(size);
            largest[1][column] = largest[1][column].max(size);
        }
        for (weights, largest) in [&mut rows, &mut columns].into_iter().zip(&largest) {
            for (weight, largest) in weights.iter_mut().zip(largest) {
                let new = *weight / largest.sqrt();
                if new.is_normal() {
                    *weight = new;
                }
            }
        }
    }
    columns
}
