//! Blocks of a system of which only the entries are known.

use super::Entries;
use super::lists::Lists;

/// Widest run of coupled unknowns that becomes one body: two bodies of space.
const WIDEST_BODY: usize = 12;

/// Unknowns of a body of space.
const SPATIAL: usize = 6;

/// Most rows of one constraint: a weld.
const MOST_ROWS: usize = 6;

/// First unknown of every body, and `n`.
pub(super) fn bodies(n: usize, m: usize, mass: &Entries, jacobian: &Entries) -> Vec<u32> {
    if mass.rows == mass.columns {
        let width = [3, 2].into_iter().find(|&w| n.is_multiple_of(w) && fills(w, n, m, jacobian));
        return (0..=n as u32).step_by(width.unwrap_or(1)).collect();
    }
    let runs = runs(n, mass);
    if spatial(n, &runs) && fills(SPATIAL, n, m, jacobian) {
        return (0..=n as u32).step_by(SPATIAL).collect();
    }
    runs
}

/// Whether runs could be the inertias of bodies of space about their centres of mass: blocks of six
/// with one run of two or three, the rest of M is diagonal.
fn spatial(n: usize, runs: &[u32]) -> bool {
    let mut coupled = vec![false; n / SPATIAL];
    n.is_multiple_of(SPATIAL)
        && runs.windows(2).filter(|run| run[1] - run[0] > 1).all(|run| {
            let [first, last] = [run[0] as usize / SPATIAL, (run[1] as usize - 1) / SPATIAL];
            let alone = !core::mem::replace(&mut coupled[first], true);
            first == last && run[1] - run[0] <= 3 && alone
        })
        && coupled.iter().any(|&c| c)
}

/// Runs of unknowns such that no entry of M couples two of them; wide ones fall into unknowns.
fn runs(n: usize, mass: &Entries) -> Vec<u32> {
    // number of entries that couple an unknown up to i with one behind it
    let mut crossing = vec![0i64; n];
    for (row, column, _) in mass.iter() {
        crossing[column] += 1;
        crossing[row] -= 1;
    }
    let mut offsets = vec![0];
    let (mut open, mut first) = (0, 0);
    for i in 0..n {
        open += crossing[i];
        if open == 0 {
            if i + 1 - first > WIDEST_BODY {
                offsets.extend(first as u32 + 1..=i as u32);
            }
            first = i + 1;
            offsets.push(first as u32);
        }
    }
    offsets
}

/// Whether rows of J that touch a body of width `w` have most of its `w` entries.
///
/// Of triples, as many zeros as 3/4 of the entries are accepted: a revolute joint of the plane couples
/// x with the angle and y with the angle, two entries of three, and one where arms are aligned with
/// the axes. Of pairs, as many as 1/3: differences of neighbours, which have no pairs, leave 1/2. Of
/// six, as many as 5/4: a ball joint couples one translation with two rotations, three entries.
/// Blocks at a wrong place leave more.
fn fills(w: usize, n: usize, m: usize, jacobian: &Entries) -> bool {
    let by_row = Lists::new(m, jacobian.iter().map(|(row, column, _)| (row, column as u32)));
    let mut seen = vec![u32::MAX; n / w];
    let mut blocks = 0;
    for (row, column) in by_row.iter() {
        let body = column as usize / w;
        if seen[body] != row as u32 {
            seen[body] = row as u32;
            blocks += 1;
        }
    }
    let (all, entries) = (w * blocks, jacobian.len());
    let few = match w {
        2 => 3 * all <= 4 * entries,
        3 => 4 * all <= 7 * entries,
        _ => 4 * all <= 9 * entries,
    };
    entries > 0 && few
}

/// First row of every constraint, and `m`: runs of rows that touch the same bodies.
pub(super) fn constraints(m: usize, bodies: &[u32], jacobian: &Entries) -> Vec<u32> {
    let n = bodies[bodies.len() - 1] as usize;
    let mut body = vec![0u32; n];
    for (i, range) in bodies.windows(2).enumerate() {
        body[range[0] as usize..range[1] as usize].fill(i as u32);
    }
    // sorted by columns, then by rows: the columns of every row rise
    let by_column = Lists::new(n, jacobian.iter().map(|(row, column, _)| (column, row as u32)));
    let rows = by_column.iter().map(|(column, row)| (row as usize, body[column]));
    let touched = Lists::new(m, rows);
    let mut offsets = vec![0];
    let mut first = 0;
    for row in 1..=m {
        let joins = row < m
            && row - first < MOST_ROWS
            && !touched.of(row).is_empty()
            && distinct(touched.of(row - 1)).eq(distinct(touched.of(row)));
        if !joins {
            offsets.push(row as u32);
            first = row;
        }
    }
    offsets
}

/// A sorted list without repetitions.
fn distinct(sorted: &[u32]) -> impl Iterator<Item = u32> + '_ {
    sorted.chunk_by(|a, b| a == b).map(|run| run[0])
}
