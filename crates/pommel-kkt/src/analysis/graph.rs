//! The quotient graph: bodies and constraints as nodes.

use crate::pattern::{Entries, Pattern};

/// What a node of the graph stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A body with a definite block of M.
    Body,
    /// A constraint.
    Constraint,
    /// Bodies without enough mass, with all constraints on them: pivots are chosen by size.
    Cluster,
}

/// Two nodes are adjacent if any entry of `[M Jᵀ; J −C]` couples them.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) kind: Vec<Kind>,
    /// Where the scalars of every node start.
    pub(crate) first: Vec<u32>,
    /// Scalars of the nodes, in the order `x`, λ of the system.
    pub(crate) scalars: Vec<u32>,
    /// Where the neighbours of every node start.
    pub(crate) start: Vec<u32>,
    /// Neighbours.
    pub(crate) neighbours: Vec<u32>,
    /// The node of every body, then of every constraint.
    pub(crate) node_of: Vec<u32>,
}

impl Graph {
    /// Bodies, then constraints.
    pub(crate) fn new(pattern: &Pattern) -> Self {
        let n = pattern.unknowns() as u32;
        let bodies = pattern.body_count();
        let mut first = pattern.bodies.clone();
        first.extend(pattern.constraints[1..].iter().map(|row| n + row));
        let nodes = first.len() - 1;
        let total = first[nodes];
        let mut node = vec![0u32; total as usize];
        for i in 0..nodes {
            node[first[i] as usize..first[i + 1] as usize].fill(i as u32);
        }

        // every coupled pair once or a few times: the entries of one block mostly follow each other
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(nodes * 3);
        let mut add = |entries: &Entries, down: u32, right: u32| {
            let mut recent = [(u32::MAX, u32::MAX); 8];
            for e in 0..entries.len() {
                let a = node[(entries.rows[e] + down) as usize];
                let b = node[(entries.columns[e] + right) as usize];
                let slot = &mut recent[(a ^ b) as usize & 7];
                if a != b && *slot != (a, b) {
                    *slot = (a, b);
                    pairs.push((a, b));
                }
            }
        };
        add(&pattern.mass, 0, 0);
        add(&pattern.jacobian, n, 0);
        add(&pattern.compliance, n, n);
        let kind = |i| if i < bodies { Kind::Body } else { Kind::Constraint };
        Graph::from_pairs((0..nodes).map(kind).collect(), first, (0..total).collect(), &pairs)
    }

    fn from_pairs(
        kind: Vec<Kind>,
        first: Vec<u32>,
        scalars: Vec<u32>,
        pairs: &[(u32, u32)],
    ) -> Self {
        let nodes = kind.len();
        let mut start = vec![0u32; nodes + 1];
        for &(a, b) in pairs {
            start[a as usize + 1] += 1;
            start[b as usize + 1] += 1;
        }
        for i in 0..nodes {
            start[i + 1] += start[i];
        }
        let mut place = start.clone();
        let mut neighbours = vec![0u32; 2 * pairs.len()];
        for &(a, b) in pairs {
            for (a, b) in [(a, b), (b, a)] {
                neighbours[place[a as usize] as usize] = b;
                place[a as usize] += 1;
            }
        }
        let node_of = (0..nodes as u32).collect();
        let mut graph = Graph { kind, first, scalars, start, neighbours, node_of };
        graph.remove_repetitions();
        graph
    }

    fn remove_repetitions(&mut self) {
        let mut seen = vec![u32::MAX; self.nodes()];
        let (mut from, mut to) = (0, 0);
        for i in 0..self.nodes() {
            let end = self.start[i + 1] as usize;
            for e in from..end {
                let j = self.neighbours[e];
                if seen[j as usize] != i as u32 {
                    seen[j as usize] = i as u32;
                    self.neighbours[to] = j;
                    to += 1;
                }
            }
            from = end;
            self.start[i + 1] = to as u32;
        }
        self.neighbours.truncate(to);
    }

    /// Joins every body that `weak` names with the constraints on it into one node.
    pub(crate) fn clustered(&self, weak: &[bool]) -> Self {
        // the least node that stands for a group
        let mut group: Vec<u32> = (0..self.nodes() as u32).collect();
        fn find(group: &mut [u32], mut i: u32) -> u32 {
            while group[i as usize] != i {
                group[i as usize] = group[group[i as usize] as usize];
                i = group[i as usize];
            }
            i
        }
        let mut cluster = vec![false; self.nodes()];
        for i in (0..self.nodes()).filter(|&i| weak[i]) {
            for &j in self.of(i) {
                if self.kind[j as usize] != Kind::Body || weak[j as usize] {
                    let (a, b) = (find(&mut group, i as u32), find(&mut group, j));
                    group[a.max(b) as usize] = a.min(b);
                }
            }
            cluster[i] = true;
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.nodes()];
        let mut clustered = vec![false; self.nodes()];
        for i in 0..self.nodes() {
            let root = find(&mut group, i as u32) as usize;
            members[root].push(i as u32);
            clustered[root] |= cluster[i];
        }
        let mut new = vec![u32::MAX; self.nodes()];
        let (mut kind, mut first, mut scalars) = (Vec::new(), vec![0], Vec::new());
        for i in 0..self.nodes() {
            if members[i].is_empty() {
                continue;
            }
            new[i] = kind.len() as u32;
            kind.push(if clustered[i] { Kind::Cluster } else { self.kind[i] });
            for &j in &members[i] {
                scalars.extend_from_slice(self.scalars(j as usize));
            }
            first.push(scalars.len() as u32);
        }
        let mut pairs = Vec::with_capacity(self.neighbours.len() / 2);
        for i in 0..self.nodes() {
            let a = new[find(&mut group, i as u32) as usize];
            for &j in self.of(i).iter().filter(|&&j| j as usize > i) {
                let b = new[find(&mut group, j) as usize];
                if a != b {
                    pairs.push((a, b));
                }
            }
        }
        let node_of = (0..self.nodes() as u32).map(|i| new[find(&mut group, i) as usize]).collect();
        Graph { node_of, ..Graph::from_pairs(kind, first, scalars, &pairs) }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.kind.len()
    }

    /// Number of scalars of a node.
    #[inline(always)]
    pub(crate) fn width(&self, node: usize) -> u32 {
        self.first[node + 1] - self.first[node]
    }

    /// Scalars of a node.
    pub(crate) fn scalars(&self, node: usize) -> &[u32] {
        &self.scalars[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// Neighbours of a node.
    #[inline(always)]
    pub(crate) fn of(&self, node: usize) -> &[u32] {
        &self.neighbours[self.start[node] as usize..self.start[node + 1] as usize]
    }

    #[inline(always)]
    pub(crate) fn is_body(&self, node: usize) -> bool {
        self.kind[node] == Kind::Body
    }
}
