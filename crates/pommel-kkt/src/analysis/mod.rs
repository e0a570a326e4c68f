//! What depends on the pattern only: order, fronts, predicted cost.

mod cut;
mod for_values;
mod graph;
mod layout;
mod massless;
mod minimum_degree;
mod program;
#[cfg(feature = "serde")]
mod stored;
mod symbolic;

pub(crate) use cut::Part;
pub(crate) use layout::{Front, Layout};
pub(crate) use program::Program;

use std::sync::Arc;

use pommel_math::Real;

use crate::error::KktError;
use crate::flat::Plan;
use crate::pattern::Pattern;
use cut::Cut;
use graph::{Graph, Kind};
use symbolic::{Candidate, Fronts};

/// The plan of all eliminations of one pattern: order, fronts, predicted cost.
///
/// It is immutable, holds no numbers, and can be shared between threads.
#[derive(Clone, Debug)]
pub struct Analysis {
    pattern: Arc<Pattern>,
    graph: Graph,
    fronts: Fronts,
    cut: Cut,
    cost: Cost,
    program: Option<Program>,
    massless: Vec<usize>,
    /// Nodes of the graph in the order of elimination that was found.
    order: Vec<u32>,
    tolerance: Option<f64>,
    rounds: usize,
}

/// What an analysis is told besides the pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Bodies whose block of M may be singular. Each stands in one front with all constraints on it,
    /// and pivots are chosen by size there, unless coordinates are partitioned.
    pub massless: Vec<usize>,
    /// Constraints that are eliminated only after all of their bodies: those whose block on a single
    /// body may lose rank.
    pub late: Vec<usize>,
    /// An order of elimination of bodies `0..b` and constraints `b..b + c`; found if `None`.
    pub ordering: Option<Vec<usize>>,
    /// Whether coordinates are partitioned: each row of J determines one of its unknowns, chosen by the
    /// numbers given to [`for_values`](Analysis::for_values), which alone heeds this. No pivot of a row then
    /// depends on a mass. It is often the fastest way for planar mechanisms with few freedoms, and the
    /// best for masses of all sizes and for bodies without mass; but at other positions a row may not
    /// determine its unknown any more, where bodies come first only a true singularity does harm. Then
    /// digits are lost (and so they are along rows of thousands of loops), which refinement mends, and in
    /// the end solutions say [`Verdict::Misplaced`](crate::Verdict::Misplaced) or
    /// [`Verdict::Inaccurate`](crate::Verdict::Inaccurate): partition again. If `None`, coordinates are
    /// partitioned only where bodies lack mass or numbers object to other orders. In vain with much fill,
    /// with compliance, or with an ordering that is given.
    pub partitioned: Option<bool>,
    /// A pivot is taken for zero below this times the size of what it was left by; ε^0.8, 3·10⁻¹³ of
    /// `f64`, if `None`.
    ///
    /// Pivots of multipliers are those of `J M⁻¹ Jᵀ`, where a row counts with its square. So a row is
    /// taken for dependent if the part of it outside of the span of other rows is, in the metric of
    /// M⁻¹, below about the root of the tolerance: 5·10⁻⁷ of its size. Rows of mechanisms with
    /// redundant constraints agree only to the drift of positions, and count as dependent. Where coordinates
    /// are partitioned pivots are those of J itself, and the root of the tolerance is taken for them.
    /// A smaller tolerance keeps such rows, and their pivots may be mostly rounding: see the estimated
    /// errors. With 0, only pivots that vanish exactly are dropped.
    pub tolerance: Option<f64>,
}

impl Options {
    /// Whether bodies and constraints exist, and the tolerance makes sense.
    fn check(&self, pattern: &Pattern) -> Result<(), KktError> {
        let check = |list: &[usize], what, count: usize| match list.iter().find(|&&i| i >= count) {
            Some(&index) => Err(KktError::NoSuchBlock { what, index, count }),
            None => Ok(()),
        };
        if let Some(value) = self.tolerance.filter(|t| !(0.0..1.0).contains(t)) {
            return Err(KktError::Tolerance { value });
        }
        check(&self.massless, "body", pattern.body_count())?;
        check(&self.late, "constraint", pattern.constraint_count())
    }
}

/// Predicted size of a factor and work of a factorization.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Entries of the factor: lower triangles of pivot blocks and the rectangles below.
    pub factor_entries: u64,
    /// Multiply-adds of a factorization; where coordinates are partitioned, without those that divide by
    /// pivots.
    pub multiply_adds: u64,
    /// Number of fronts.
    pub fronts: usize,
    /// Rows of the largest front.
    pub largest_front: usize,
    /// Subtrees of fronts that several threads may eliminate at the same time; zero where they would
    /// not gain enough ([`Analysis::CUT_FROM`]).
    pub subtrees: usize,
}

impl Analysis {
    /// Least [`multiply_adds`](Cost::multiply_adds) of a system that is cut into
    /// [`subtrees`](Cost::subtrees): smaller ones are factored by one thread.
    pub const CUT_FROM: u64 = cut::CUT_FROM;

    /// Analyses a pattern whose bodies all have definite blocks of M.
    ///
    /// # Errors
    /// [`KktError::TooLarge`] if the factor would have more than 4·10⁹ numbers.
    pub fn new(pattern: &Pattern) -> Result<Self, KktError> {
        Self::with_options(pattern, &Options::default())
    }

    /// Analyses a pattern as told.
    ///
    /// # Errors
    /// [`KktError::Ordering`] if the ordering is no permutation; [`KktError::NoSuchBlock`] if a
    /// body or constraint does not exist; [`KktError::Tolerance`] if the tolerance is not in `0..1`;
    /// [`KktError::TooLarge`] if the factor would have more than 4·10⁹ numbers.
    pub fn with_options(pattern: &Pattern, options: &Options) -> Result<Self, KktError> {
        Self::of(&Arc::new(pattern.clone()), options, None, None)
    }

    /// `by_numbers` says whether single numbers are eliminated; decided here if `None`. With `masses`
    /// of bodies, light ones come before heavy ones that are tied to them.
    fn of(
        pattern: &Arc<Pattern>,
        options: &Options,
        by_numbers: Option<bool>,
        masses: Option<&[f64]>,
    ) -> Result<Self, KktError> {
        let base = Graph::new(pattern);
        let nodes = base.nodes();
        options.check(pattern)?;
        let graph = if options.massless.is_empty() {
            base
        } else {
            let mut weak = vec![false; nodes];
            options.massless.iter().for_each(|&i| weak[i] = true);
            base.clustered(&weak)
        };
        let given = match &options.ordering {
            Some(ordering) => Some(user_order(&graph, nodes, ordering)?),
            None => None,
        };
        let mut analysis = Analysis {
            pattern: pattern.clone(),
            order: Vec::new(),
            graph,
            fronts: Fronts::default(),
            cut: Cut::default(),
            cost: Cost::default(),
            program: None,
            massless: options.massless.clone(),
            tolerance: options.tolerance,
            rounds: 1,
        };
        // there, all bodies come first
        let given_order = given.as_deref();
        let fits = || given_order.is_none_or(|order| bodies_first(&analysis.graph, order));
        if by_numbers.unwrap_or_else(fits) && analysis.plan_by_numbers(given_order) {
            return Ok(analysis);
        }
        let graph = &analysis.graph;
        let order = given.unwrap_or_else(|| {
            let mut late = vec![false; pattern.unknowns() + pattern.rows()];
            for &i in &options.late {
                let rows = pattern.constraint(i);
                let n = pattern.unknowns();
                late[n + rows.start..n + rows.end].fill(true);
            }
            let late = |node: usize| graph.scalars(node).iter().any(|&s| late[s as usize]);
            let strong = |constraint: usize, body: usize| {
                graph.width(constraint) <= graph.width(body) && !late(constraint)
            };
            let masses = masses.map(|masses| {
                let mut of_node = vec![0.0; graph.nodes()];
                for (mass, &node) in masses.iter().zip(&graph.node_of) {
                    of_node[node as usize] = *mass;
                }
                of_node
            });
            minimum_degree::order(graph, &strong, masses.as_deref(), usize::MAX).expect("no limit")
        });
        // an order that lets constraints come early may suit single numbers better
        let free = by_numbers.is_none() && options.ordering.is_none();
        if free && analysis.plan_by_numbers(Some(&order)) {
            return Ok(analysis);
        }
        let graph = &analysis.graph;
        let fronts = symbolic::fronts(graph, &order, &worth_merging);
        let memory = memory(graph, &fronts);
        if memory >= u64::from(u32::MAX) {
            return Err(KktError::TooLarge { size: memory as usize });
        }
        let (cost, work) = cost(graph, &fronts);
        let cut = Cut::new(&fronts, &work);
        analysis.cost = Cost { subtrees: cut.subtrees(), ..cost };
        analysis.cut = cut;
        (analysis.order, analysis.fronts) = (order, fronts);
        Ok(analysis)
    }

    /// The pattern that was analysed.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Predicted size and work.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The order in which bodies `0..b` and constraints `b..b + c` were taken to find the fronts.
    pub fn ordering(&self) -> Vec<usize> {
        let mut place = vec![0u32; self.graph.nodes()];
        for (at, &node) in self.order.iter().enumerate() {
            place[node as usize] = at as u32;
        }
        let mut ordering: Vec<usize> = (0..self.graph.node_of.len()).collect();
        ordering.sort_by_key(|&i| place[self.graph.node_of[i] as usize]);
        ordering
    }

    /// Bodies in fronts whose pivots are chosen by size; none where coordinates are partitioned.
    pub fn massless(&self) -> &[usize] {
        &self.massless
    }

    /// Numbers of pivots and of boundary rows of every front, in the order of elimination.
    pub fn front_sizes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let nodes = &self.fronts.nodes;
        let width = |at: u32| self.graph.width(nodes[at as usize] as usize) as usize;
        let fronts = (0..self.fronts.len()).map(move |f| {
            let pivots = self.fronts.first[f]..self.fronts.first[f + 1];
            let boundary = self.fronts.boundary(f).iter().map(|&at| width(at)).sum();
            (pivots.map(width).sum(), boundary)
        });
        fronts.chain(self.program.iter().flat_map(|program| program.front_sizes()))
    }

    /// Number of orders that [`for_values`](Self::for_values) tried; one if it was not asked.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    pub(crate) fn shared_pattern(&self) -> Arc<Pattern> {
        self.pattern.clone()
    }

    pub(crate) fn tolerance(&self) -> Option<f64> {
        self.tolerance
    }

    pub(crate) fn program(&self) -> Option<Program> {
        self.program.clone()
    }

    /// Makes the program by single numbers, where there are few of them; says whether there is one now.
    fn plan_by_numbers(&mut self, order: Option<&[u32]>) -> bool {
        let pattern = &*self.pattern;
        let scalars = pattern.unknowns() + pattern.rows();
        let entries = pattern.mass.len() + pattern.jacobian.len() + pattern.compliance.len();
        if entries > ENTRIES * scalars || self.graph.kind.contains(&Kind::Cluster) {
            return false;
        }
        let order = match order {
            Some(order) => order.to_vec(),
            None => {
                // a rough bound, as blocks are taken for dense
                let limit = 2 * PRODUCTS * scalars;
                match minimum_degree::order(&self.graph, &|_, _| false, None, limit) {
                    Some(order) => order,
                    None => return false,
                }
            }
        };
        let graph = &self.graph;
        let sequence = order.iter().flat_map(|&node| graph.scalars(node as usize).iter().copied());
        let Some(plan) = Plan::new(pattern, sequence, PRODUCTS * scalars) else {
            return false;
        };
        self.cost = plan.cost();
        self.program = Some(Program::Numbers(Arc::new(plan)));
        self.order = order;
        true
    }

    pub(crate) fn layout(&self, w: usize) -> Layout {
        Layout::new(&self.pattern, &self.graph, &self.fronts, &self.cut, w)
    }

    /// For every pivot: its scalar in the order `x`, λ.
    pub(crate) fn sequence(&self) -> Vec<u32> {
        if let Some(program) = &self.program {
            return program.sequence().to_vec();
        }
        let nodes = self.fronts.nodes.iter();
        nodes.flat_map(|&node| self.graph.scalars(node as usize).iter().copied()).collect()
    }
}

/// ε^0.8, unless told otherwise.
pub(crate) fn tolerance_or_default<T: Real>(tolerance: Option<f64>) -> f64 {
    tolerance.unwrap_or(T::EPSILON.powf(0.8))
}

/// Most entries of the system, and products of its elimination, a scalar, with which it is eliminated by
/// single numbers.
const ENTRIES: usize = 3;
const PRODUCTS: usize = 16;

/// The caller's order of bodies and constraints as one of the graph's nodes: a cluster comes where
/// the last of its members does.
fn user_order(graph: &Graph, nodes: usize, ordering: &[usize]) -> Result<Vec<u32>, KktError> {
    let mut seen = vec![false; nodes];
    for (position, &i) in ordering.iter().enumerate() {
        if i >= nodes || core::mem::replace(&mut seen[i], true) {
            return Err(KktError::Ordering { position });
        }
    }
    if ordering.len() != nodes {
        return Err(KktError::Ordering { position: ordering.len() });
    }
    let mut last = vec![0; graph.nodes()];
    for (position, &i) in ordering.iter().enumerate() {
        last[graph.node_of[i] as usize] = position;
    }
    let mut order: Vec<u32> = (0..graph.nodes() as u32).collect();
    order.sort_by_key(|&i| last[i as usize]);
    Ok(order)
}

/// Whether every constraint comes after all bodies on it.
fn bodies_first(graph: &Graph, order: &[u32]) -> bool {
    let mut place = vec![0; graph.nodes()];
    for (at, &node) in order.iter().enumerate() {
        place[node as usize] = at;
    }
    (0..graph.nodes()).filter(|&i| graph.is_body(i)).all(|i| {
        let mut constraints = graph.of(i).iter().filter(|&&j| !graph.is_body(j as usize));
        constraints.all(|&j| place[i] < place[j as usize])
    })
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
    let stored = p * (p + 1) / 2 + p * u + q * (q + 1) / 2 + q * v;
    if p + q <= 8 {
        return zeros * 6 <= stored;
    }
    rows > 24 && zeros * 16 <= stored
}

/// Most numbers that panels and updates take, padded for the widest vectors, if no update makes room for
/// another one.
fn memory(graph: &Graph, fronts: &Fronts) -> u64 {
    let width = |at: u32| u64::from(graph.width(fronts.nodes[at as usize] as usize));
    let mut numbers = 0u64;
    for f in 0..fronts.len() {
        let pivots: u64 = (fronts.first[f]..fronts.first[f + 1]).map(width).sum();
        let boundary: u64 = fronts.boundary(f).iter().map(|&at| width(at)).sum();
        let [p, u] = [pivots, boundary].map(|n| n.next_multiple_of(8));
        numbers = numbers.saturating_add(pivots * (p + u) + (boundary + 1) * u);
    }
    numbers
}

/// Size and work, and the multiply-adds of every front.
fn cost(graph: &Graph, fronts: &Fronts) -> (Cost, Vec<u64>) {
    let mut work = Vec::with_capacity(fronts.len());
    let mut cost = Cost { fronts: fronts.len(), ..Cost::default() };
    let mut widths = vec![0u64; fronts.nodes.len()];
    for (at, &node) in fronts.nodes.iter().enumerate() {
        widths[at] = u64::from(graph.width(node as usize));
    }
    for f in 0..fronts.len() {
        let p: u64 = widths[fronts.first[f] as usize..fronts.first[f + 1] as usize].iter().sum();
        let u: u64 = fronts.boundary(f).iter().map(|&at| widths[at as usize]).sum();
        cost.factor_entries += p * (p + 1) / 2 + p * u;
        work.push((0..p).map(|k| (p + u - k) * (p + u - k - 1) / 2).sum());
        cost.multiply_adds += work[f];
        cost.largest_front = cost.largest_front.max((p + u) as usize);
    }
    (cost, work)
}
