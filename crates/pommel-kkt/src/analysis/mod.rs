//! What depends on the pattern only: order, fronts, predicted cost.

mod graph;
mod layout;
mod minimum_degree;
mod symbolic;

pub(crate) use layout::{Front, Layout};

use crate::pattern::Pattern;
use graph::Graph;
use symbolic::{Candidate, Fronts};

/// The plan of all eliminations of one pattern.
#[derive(Clone, Debug)]
pub struct Analysis {
    pattern: Pattern,
    graph: Graph,
    fronts: Fronts,
    cost: Cost,
}

/// Predicted size of a factor and work of a factorization.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Entries of the factor: lower triangles of pivot blocks and the rectangles below.
    pub factor_entries: u64,
    /// Multiply-adds of a factorization.
    pub multiply_adds: u64,
    /// Number of fronts.
    pub fronts: usize,
    /// Rows of the largest front.
    pub largest_front: usize,
}

impl Analysis {
    /// Analyses a pattern.
    pub fn new(pattern: &Pattern) -> Self {
        let graph = Graph::new(pattern);
        let strong = |constraint: usize, body: usize| graph.width(constraint) <= graph.width(body);
        let order = minimum_degree::order(&graph, &strong);
        let fronts = symbolic::fronts(&graph, &order, &worth_merging);
        let cost = cost(&graph, &fronts);
        Analysis { pattern: pattern.clone(), graph, fronts, cost }
    }

    /// The pattern that was analysed.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Predicted size and work.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    pub(crate) fn layout(&self, w: usize) -> Layout {
        Layout::new(&self.pattern, &self.graph, &self.fronts, w)
    }

    /// For every pivot: its scalar in the order `x`, λ.
    pub(crate) fn sequence(&self) -> Vec<u32> {
        let nodes = self.fronts.nodes.iter();
        nodes.flat_map(|&node| self.graph.scalars(node as usize).iter().copied()).collect()
    }
}

/// Whether fronts are better gathered into one: fewer, larger fronts against stored zeros.
fn worth_merging(c: &Candidate) -> bool {
    if c.pivoted {
        return false;
    }
    let [p, u] = c.child.map(u64::from);
    let [q, v] = c.parent.map(u64::from);
    // zeros: pivots of the child against rows of the parent that it does not know
    let zeros = p * (q + v - u);
    let rows = p + q + v;
    if rows <= 8 {
        return true;
    }
    let stored = p * (p + 1) / 2 + p * u + q * (q + 1) / 2 + q * v;
    zeros == 0 || rows <= 16 && zeros * 4 <= stored || zeros * 16 <= stored
}

fn cost(graph: &Graph, fronts: &Fronts) -> Cost {
    let mut cost = Cost { fronts: fronts.len(), ..Cost::default() };
    let mut widths = vec![0u64; fronts.nodes.len()];
    for (at, &node) in fronts.nodes.iter().enumerate() {
        widths[at] = u64::from(graph.width(node as usize));
    }
    for f in 0..fronts.len() {
        let p: u64 = widths[fronts.first[f] as usize..fronts.first[f + 1] as usize].iter().sum();
        let u: u64 = fronts.boundary(f).iter().map(|&at| widths[at as usize]).sum();
        cost.factor_entries += p * (p + 1) / 2 + p * u;
        cost.multiply_adds += (0..p).map(|k| (p + u - k) * (p + u - k - 1) / 2).sum::<u64>();
        cost.largest_front = cost.largest_front.max((p + u) as usize);
    }
    cost
}
