//! Which velocities carry which, by tiles of [`WIDTH`] columns.
//!
//! Velocities are numbered here link by link, parents first; the numbers of the model may be
//! others. Velocities of one joint carry one another in their order, so that the velocities before
//! any one form a chain.

use super::WIDTH;
use crate::model::Topology;

/// Columns of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) tile: u32,
    /// bit `l` for column `l` of the tile
    pub(super) columns: u8,
}

/// A list of lists.
#[derive(Clone, Debug)]
pub(super) struct Lists<E> {
    starts: Vec<u32>,
    entries: Vec<E>,
}

impl<E> Lists<E> {
    fn from_lists(lists: Vec<Vec<E>>) -> Self {
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for list in lists {
            entries.extend(list);
            starts.push(entries.len() as u32);
        }
        Lists { starts, entries }
    }

    /// Entries of all lists.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// List `k` of values that stand in the order of the entries.
    #[inline(always)]
    pub(super) fn values<'a, T>(&self, k: usize, values: &'a [T]) -> &'a [T] {
        &values[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// Where list `k` stands among the entries.
    #[inline(always)]
    pub(super) fn range(&self, k: usize) -> core::ops::Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    /// One of all entries.
    #[inline(always)]
    pub(super) fn entry(&self, at: usize) -> E
    where
        E: Copy,
    {
        self.entries[at]
    }

    /// List `k`.
    #[inline(always)]
    pub(super) fn of(&self, k: usize) -> &[E] {
        &self.entries[self.starts[k] as usize..self.starts[k + 1] as usize]
    }
}

/// The relation of ancestors.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// the velocity of the model that is number `k` here
    pub(super) order: Vec<u32>,
    /// whether both numberings are the same
    pub(super) is_ordered: bool,
    /// the link of each velocity
    pub(super) link: Vec<u32>,
    /// the first velocity of each link
    pub(super) first: Vec<u32>,
    /// velocities before `k`, ascending, without `k`
    pub(super) before: Lists<u32>,
    /// velocities beyond `k`, ascending, without `k`
    pub(super) beyond: Lists<u32>,
    /// for each entry of `before` the place of the same pair in `beyond`
    pub(super) place_beyond: Vec<u32>,
    /// columns of those before, with `k`
    pub(super) spans_before: Lists<Span>,
    /// columns of those beyond, without `k`
    pub(super) spans_beyond: Lists<Span>,
}

impl Relation {
    pub(super) fn new(topology: &Topology) -> Self {
        let mut order = Vec::new();
        let (mut first, mut link) = (Vec::new(), Vec::new());
        let mut before: Vec<Vec<u32>> = Vec::new();
        for (i, shape) in topology.links.iter().enumerate() {
            let start = order.len() as u32;
            let count = shape.kind.coordinates().1 as u32;
            let mut chain = match shape.parent {
                Some(p) => {
                    let last = first[p as usize]
                        + topology.links[p as usize].kind.coordinates().1 as u32
                        - 1;
                    let mut chain = before[last as usize].clone();
                    chain.push(last);
                    chain
                }
                None => Vec::new(),
            };
            first.push(start);
            for k in 0..count {
                order.push(shape.v + k);
                link.push(i as u32);
                before.push(chain.clone());
                chain.push(start + k);
            }
        }
        let mut beyond = vec![Vec::new(); order.len()];
        for (k, list) in before.iter().enumerate() {
            for &j in list {
                beyond[j as usize].push(k as u32);
            }
        }
        let beyond = Lists::from_lists(beyond);
        // the columns of `beyond` ascend as well
        let mut next: Vec<u32> = beyond.starts.clone();
        let mut place_beyond = Vec::new();
        for &j in before.iter().flatten() {
            place_beyond.push(next[j as usize]);
            next[j as usize] += 1;
        }
        let with_own =
            |(k, list): (usize, &Vec<u32>)| spans(list.iter().copied().chain([k as u32]));
        Relation {
            is_ordered: order.iter().enumerate().all(|(k, &v)| k == v as usize),
            spans_before: Lists::from_lists(before.iter().enumerate().map(with_own).collect()),
            spans_beyond: Lists::from_lists(
                (0..order.len()).map(|j| spans(beyond.of(j).iter().copied())).collect(),
            ),
            before: Lists::from_lists(before),
            beyond,
            place_beyond,
            order,
            link,
            first,
        }
    }

    /// Number of tiles in a row; one without velocities.
    pub(super) fn tiles(&self) -> usize {
        self.order.len().div_ceil(WIDTH).max(1)
    }
}

/// The tiles of an ascending list of columns.
fn spans(columns: impl Iterator<Item = u32>) -> Vec<Span> {
    let mut list: Vec<Span> = Vec::new();
    for k in columns {
        let (tile, bit) = (k / WIDTH as u32, 1 << (k % WIDTH as u32));
        match list.last_mut() {
            Some(span) if span.tile == tile => span.columns |= bit,
            _ => list.push(Span { tile, columns: bit }),
        }
    }
    list
}
