//! Which fronts may be eliminated at the same time.
//!
//! The forest of fronts is cut into *parts*: subtrees of about equal work, and chains of fronts
//! towards the roots that wait for these. A part stands after its descendants, and together with them
//! it is a range of fronts. Parts follow from the structure alone, and they are made for one thread as
//! well: memory is laid out by them, so that the numbers do not depend on threads.

use core::ops::Range;

use super::symbolic::Fronts;

/// Least multiply-adds of a system that is cut: where parts have updates of their own, memory is
/// spread wider, which one thread does not need.
pub(crate) const CUT_FROM: u64 = 1 << 22;

/// A front with more than the whole work divided by this below it belongs to a chain.
const CHAIN: u64 = 16;
/// Subtrees are gathered to the whole work divided by this.
const SUBTREE: u64 = 64;
/// What is left over is a part of its own from the whole work divided by this.
const LEAST: u64 = 256;

/// Fronts that are eliminated one after the other.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "for several threads"))]
pub(crate) struct Part {
    /// First of its descendants, or itself.
    pub(crate) below: u32,
    /// First front, its own or a descendant's.
    pub(crate) first: u32,
    /// Its own fronts, ascending.
    pub(crate) own: Vec<Range<u32>>,
    /// Start of the updates of its own fronts.
    pub(crate) updates: u32,
}

/// All parts, descendants first; none if the system is not cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    pub(crate) parts: Vec<Part>,
}

/// A part while parts are found.
#[derive(Default)]
struct Node {
    own: Vec<Range<u32>>,
    below: Vec<Node>,
}

impl Node {
    /// Adds a run of subtrees, as a part of its own or not.
    fn add(&mut self, run: Range<u32>, apart: bool) {
        if run.is_empty() {
            return;
        }
        match apart {
            true => self.below.push(Node { own: vec![run], below: Vec::new() }),
            false => self.own.push(run),
        }
    }

    fn first(&self) -> u32 {
        let own = self.own.iter().map(|range| range.start);
        own.chain(self.below.iter().map(Node::first)).min().unwrap_or(u32::MAX)
    }

    /// Brings into order what was found later but comes earlier.
    fn settle(&mut self) {
        self.below.sort_unstable_by_key(Node::first);
        self.own.sort_unstable_by_key(|range| range.start);
        self.own.dedup_by(|next, range| {
            let follows = range.end == next.start;
            if follows {
                range.end = next.end;
            }
            follows
        });
    }

    /// Appends this node after its descendants; returns the work on the longest way to its end.
    fn flatten(mut self, work: &[u64], parts: &mut Vec<Part>) -> u64 {
        self.settle();
        let (below, first) = (parts.len() as u32, self.first());
        let longest = self.below.into_iter().map(|node| node.flatten(work, parts)).max();
        let own = self.own.iter().flat_map(|range| range.clone()).map(|f| work[f as usize]);
        let longest = longest.unwrap_or(0) + own.sum::<u64>();
        parts.push(Part { below, first, own: self.own, updates: 0 });
        longest
    }
}

impl Cut {
    /// Cuts fronts of the given multiply-adds.
    pub(crate) fn new(fronts: &Fronts, work: &[u64]) -> Self {
        let (count, total) = (work.len(), work.iter().sum::<u64>());
        if total < CUT_FROM {
            return Cut::default();
        }
        // work and first front of every subtree
        let mut sum = work.to_vec();
        let mut first: Vec<u32> = (0..count as u32).collect();
        for f in 0..count {
            if let Some(parent) = fronts.parent[f] {
                sum[parent as usize] += sum[f];
                first[parent as usize] = first[parent as usize].min(first[f]);
            }
        }
        let chained = |f: usize| sum[f] > total / CHAIN;
        // the children of what is in a chain, in order; behind all fronts the roots
        let mut children = vec![Vec::new(); count + 1];
        for f in 0..count {
            let parent = fronts.parent[f].map_or(count, |parent| parent as usize);
            if parent == count || chained(parent) {
                children[parent].push(f as u32);
            }
        }
        // chains whose next front has not come yet
        let mut open: Vec<Node> = Vec::new();
        for f in (0..count).filter(|&f| chained(f)).chain([count]) {
            let chains = children[f].iter().filter(|&&c| chained(c as usize)).count();
            let mut node = match chains {
                1 => open.pop().expect("the chain of the child"),
                _ => Node { below: open.split_off(open.len() - chains), own: Vec::new() },
            };
            // runs of subtrees between the chains
            let (mut run, mut gathered) = (0..0, 0);
            for &c in &children[f] {
                if chained(c as usize) {
                    node.add(run, gathered >= total / LEAST);
                    (run, gathered) = (0..0, 0);
                    continue;
                }
                let start = if run.is_empty() { first[c as usize] } else { run.start };
                run = start..c + 1;
                gathered += sum[c as usize];
                if gathered >= total / SUBTREE {
                    node.add(run, true);
                    (run, gathered) = (0..0, 0);
                }
            }
            node.add(run, gathered >= total / LEAST);
            if f < count {
                node.own.push(f as u32..f as u32 + 1);
            }
            open.push(node);
        }
        let mut parts = Vec::new();
        let all = open.pop().expect("the roots");
        let longest = all.flatten(work, &mut parts);
        // little gain for the copies that parts need
        if longest > total / 4 * 3 {
            return Cut::default();
        }
        Cut { parts }
    }

    /// Parts that wait for no other one.
    pub(crate) fn subtrees(&self) -> usize {
        (self.parts.iter().enumerate()).filter(|(k, part)| part.below as usize == *k).count()
    }

    /// For every front its part, and the end of the range of fronts of that part in which it stands.
    pub(crate) fn of_fronts(&self, count: usize) -> Vec<(u32, u32)> {
        let mut of = vec![(0, count as u32); count];
        for (k, part) in self.parts.iter().enumerate() {
            for range in &part.own {
                of[range.start as usize..range.end as usize].fill((k as u32, range.end));
            }
        }
        of
    }
}
