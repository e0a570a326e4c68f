//! Which unknown a row determines.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[cfg(feature = "serde")]
use super::reduction::Step;
use super::reduction::{NONE, Reduction, Steps};
use crate::pattern::Pattern;

/// Least share of the largest number in a row that a pivot has.
const SHARE: f64 = 0.1;

/// Most numbers that are looked at for one product of the limit.
const LOOKS: usize = 8;

/// Chooses pairs by the numbers of J, `value(i)`. A row of which nothing is left but this `tolerance`
/// times the largest number that was in it depends on others. `None` if the elimination takes more than
/// `limit` products.
pub(crate) fn choose(
    pattern: &Pattern,
    value: impl Fn(usize) -> f64,
    tolerance: f64,
    limit: usize,
) -> Option<Steps> {
    let n = pattern.unknowns() as u32;
    let mut left = Reduction::new(pattern, value);
    let total = n as usize + pattern.rows();
    let mut version = vec![0u32; total];
    let mut queue = BinaryHeap::with_capacity(2 * total);
    for node in 0..total as u32 {
        if let Some(cost) = cost(&left, node, n) {
            queue.push(Reverse((cost, node, 0)));
        }
    }
    let mut touched = Vec::new();
    while let Some(Reverse((before, node, found))) = queue.pop() {
        if version[node as usize] != found {
            continue;
        }
        // neighbours may have made it dearer meanwhile
        match cost(&left, node, n) {
            Some(cost) if cost > before => {
                queue.push(Reverse((cost, node, found)));
                continue;
            }
            None => continue,
            _ => version[node as usize] = NONE,
        }
        let done = left.done.products.saturating_add(before);
        if done > limit || left.looks > LOOKS.saturating_mul(limit) {
            return None;
        }
        touched.clear();
        let Some(row) = node.checked_sub(n) else {
            left.single(node);
            touched.extend_from_slice(left.done.mass.last());
            push(&mut left, n, &touched, &mut version, &mut queue);
            continue;
        };
        match best(&left, row, tolerance) {
            None => touched = left.drop(row),
            Some(unknown) => {
                left.pair(unknown, row);
                version[unknown as usize] = NONE;
                let done = &left.done;
                touched.extend_from_slice(done.row.last());
                touched.extend_from_slice(done.mass.last());
                touched.extend(done.column.last().iter().map(|&r| n + r));
            }
        }
        push(&mut left, n, &touched, &mut version, &mut queue);
    }
    Some(left.done)
}

/// The elimination by steps and weights that were found before; `None` if they are none of this pattern, or
/// take more than `limit` products.
#[cfg(feature = "serde")]
pub(crate) fn replay(
    pattern: &Pattern,
    steps: &[Step],
    weights: Vec<f64>,
    limit: usize,
) -> Option<Steps> {
    let (n, m) = (pattern.unknowns(), pattern.rows());
    let mut left = Reduction::new(pattern, |_| 0.0);
    let mut open = vec![true; n + m];
    let mut take = |node: usize| {
        let open = open.get_mut(node)?;
        core::mem::replace(open, false).then_some(())
    };
    let mut taken = 0;
    for &[unknown, row] in steps {
        if row != NONE {
            take(n.checked_add(row as usize)?)?;
            taken += 1;
        }
        if unknown == NONE {
            (row != NONE).then_some(())?;
            left.drop(row);
            continue;
        }
        let free = *left.acting.get(unknown as usize)? == 0;
        if row == NONE { free } else { left.acts(row, unknown) }.then_some(())?;
        let cost = match row {
            NONE => cost(&left, unknown, n as u32)?,
            _ => left.cost(unknown, row),
        };
        (left.done.products.saturating_add(cost) <= limit).then_some(())?;
        take(unknown as usize)?;
        taken += 1;
        match row {
            NONE => left.single(unknown),
            _ => left.pair(unknown, row),
        }
    }
    let fits =
        taken == n + m && weights.len() == n && weights.iter().all(|w| *w > 0.0 && w.is_normal());
    fits.then_some(Steps { weights, ..left.done })
}

/// Products that a node takes: an unknown if no row is left on it, a row with its cheapest unknown.
fn cost(left: &Reduction, node: u32, n: u32) -> Option<usize> {
    match node.checked_sub(n) {
        None if left.acting[node as usize] == 0 => {
            let coupled = left.coupled[node as usize] as usize;
            Some(coupled.saturating_mul(coupled + 1) / 2)
        }
        None => None,
        Some(row) => {
            let largest = largest(left, row);
            let entries = left.rows[row as usize].iter();
            let good = entries.filter(|e| e.value.abs() >= SHARE * largest);
            Some(good.map(|e| left.cost(e.unknown, row)).min().unwrap_or(0))
        }
    }
}

fn largest(left: &Reduction, row: u32) -> f64 {
    left.rows[row as usize].iter().fold(0.0, |m, e| m.max(e.value.abs()))
}

/// The unknown that a row determines; `None` if nothing is left of it.
fn best(left: &Reduction, row: u32, tolerance: f64) -> Option<u32> {
    let largest = largest(left, row);
    let mut best: Option<(usize, f64, u32)> = None;
    for e in &left.rows[row as usize] {
        let value = e.value.abs();
        // NaN is for the factorization to find
        if value < SHARE * largest || value <= tolerance * left.sizes[row as usize] {
            continue;
        }
        let cost = left.cost(e.unknown, row);
        if best.is_none_or(|b| cost < b.0 || cost == b.0 && value > b.1) {
            best = Some((cost, value, e.unknown));
        }
    }
    best.map(|b| b.2)
}

type Queue = BinaryHeap<Reverse<(usize, u32, u32)>>;

/// Queues nodes whose cost has changed.
fn push(left: &mut Reduction, n: u32, touched: &[u32], version: &mut [u32], queue: &mut Queue) {
    for &node in touched {
        let version = &mut version[node as usize];
        if *version == NONE {
            continue;
        }
        if let Some(row) = node.checked_sub(n) {
            left.looks += left.rows[row as usize].len();
        }
        if let Some(cost) = cost(left, node, n) {
            *version += 1;
            queue.push(Reverse((cost, node, *version)));
        }
    }
}
