//! Which blocks the factor has, and how they are gathered into fronts.
//!
//! A *front* eliminates the scalars of one or more nodes at once: a dense symmetric matrix over its
//! pivots and its *boundary*, the later scalars that these are coupled with. What is left on the
//! boundary is added into the front of the first boundary node, its *parent*.

use super::graph::{Graph, Kind};

const NONE: u32 = u32::MAX;

/// Fronts in an order in which children precede parents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fronts {
    /// First node (in elimination order) of every front, and the number of nodes.
    pub(crate) first: Vec<u32>,
    /// The nodes in elimination order.
    pub(crate) nodes: Vec<u32>,
    /// Where the boundary of every front starts.
    pub(crate) boundary_start: Vec<u32>,
    /// Boundary nodes as positions in elimination order, ascending.
    pub(crate) boundary: Vec<u32>,
    /// Parent of every front; none for a root.
    pub(crate) parent: Vec<Option<u32>>,
    /// Whether the pivots of a front are chosen by size.
    pub(crate) pivoted: Vec<bool>,
}

impl Fronts {
    pub(crate) fn len(&self) -> usize {
        self.parent.len()
    }

    pub(crate) fn boundary(&self, front: usize) -> &[u32] {
        let range = self.boundary_start[front]..self.boundary_start[front + 1];
        &self.boundary[range.start as usize..range.end as usize]
    }
}

/// Structures of the columns of blocks, by the order of elimination.
struct Columns {
    start: Vec<u32>,
    rows: Vec<u32>,
    parent: Vec<u32>,
}

/// Column structures in terms of positions in `order`; rows ascend only after [`sorted`].
fn columns(graph: &Graph, order: &[u32]) -> Columns {
    let nodes = order.len();
    let mut position = vec![0u32; nodes];
    for (at, &i) in order.iter().enumerate() {
        position[i as usize] = at as u32;
    }
    let mut start = vec![0u32; nodes + 1];
    let mut rows: Vec<u32> = Vec::with_capacity(graph.neighbours.len());
    let mut parent = vec![NONE; nodes];
    let mut child = vec![NONE; nodes];
    let mut sibling = vec![NONE; nodes];
    let mut mark = vec![NONE; nodes];
    for at in 0..nodes {
        let here = at as u32;
        mark[at] = here;
        let begin = rows.len();
        let mut least = NONE;
        for &j in graph.of(order[at] as usize) {
            let j = position[j as usize];
            if j > here && mark[j as usize] != here {
                mark[j as usize] = here;
                rows.push(j);
                least = least.min(j);
            }
        }
        let mut c = child[at];
        while c != NONE {
            for k in start[c as usize]..start[c as usize + 1] {
                let j = rows[k as usize];
                if mark[j as usize] != here {
                    mark[j as usize] = here;
                    rows.push(j);
                    least = least.min(j);
                }
            }
            c = sibling[c as usize];
        }
        debug_assert_eq!(begin, start[at] as usize);
        start[at + 1] = rows.len() as u32;
        parent[at] = least;
        if least != NONE {
            sibling[at] = child[least as usize];
            child[least as usize] = here;
        }
    }
    Columns { start, rows, parent }
}

/// Positions in an order in which every node directly follows its subtree.
fn postorder(parent: &[u32]) -> Vec<u32> {
    let nodes = parent.len();
    let mut child = vec![NONE; nodes];
    let mut sibling = vec![NONE; nodes];
    let mut roots = NONE;
    for i in (0..nodes).rev() {
        let list = if parent[i] == NONE { &mut roots } else { &mut child[parent[i] as usize] };
        sibling[i] = *list;
        *list = i as u32;
    }
    let mut order = Vec::with_capacity(nodes);
    let mut stack = Vec::new();
    let mut next = roots;
    loop {
        while next != NONE {
            stack.push(next);
            next = child[next as usize];
        }
        let Some(i) = stack.pop() else { break };
        order.push(i);
        next = sibling[i as usize];
    }
    order
}

/// The fronts of an elimination order.
///
/// `merge(pivots of the child, its boundary, pivots of the parent, its boundary, zeros)` decides
/// whether a child is gathered with its parent; the numbers are counts of scalars, zeros the entries
/// that are stored in vain for it.
pub(crate) fn fronts(graph: &Graph, order: &[u32], merge: &dyn Fn(&Candidate) -> bool) -> Fronts {
    let columns = columns(graph, order);
    let nodes = order.len();
    let post = postorder(&columns.parent);
    let mut place = vec![0u32; nodes];
    for (at, &i) in post.iter().enumerate() {
        place[i as usize] = at as u32;
    }

    // in postorder: sizes of columns in scalars
    let width = |at: usize| graph.width(order[post[at] as usize] as usize);
    let kind = |at: usize| graph.kind[order[post[at] as usize] as usize];
    let list = |at: usize| {
        let i = post[at] as usize;
        &columns.rows[columns.start[i] as usize..columns.start[i + 1] as usize]
    };
    let parent: Vec<u32> = (post.iter())
        .map(|&i| columns.parent[i as usize])
        .map(|p| if p == NONE { NONE } else { place[p as usize] })
        .collect();

    // a front is a run of positions whose last one holds the boundary
    let mut front_first: Vec<u32> = (0..nodes as u32).collect();
    let mut pivots: Vec<u32> = (0..nodes).map(width).collect();
    let boundary: Vec<u32> = (0..nodes)
        .map(|at| list(at).iter().map(|&j| graph.width(order[j as usize] as usize)).sum())
        .collect();
    let mut gone = vec![false; nodes];
    for at in 1..nodes {
        // the child that ends right before this node, if it is one
        loop {
            let begin = front_first[at];
            if begin == 0 {
                break;
            }
            let child = begin as usize - 1;
            if parent[child] != at as u32 {
                break;
            }
            let candidate = Candidate {
                child: [pivots[child], boundary[child]],
                parent: [pivots[at], boundary[at]],
                pivoted: [kind(child), kind(at)].contains(&Kind::Cluster),
            };
            if !merge(&candidate) {
                break;
            }
            gone[child] = true;
            front_first[at] = front_first[child];
            pivots[at] += pivots[child];
        }
    }

    let mut fronts = Fronts { first: vec![0], boundary_start: vec![0], ..Fronts::default() };
    let mut front_of = vec![0u32; nodes];
    for at in (0..nodes).filter(|&at| !gone[at]) {
        let index = fronts.parent.len() as u32;
        for i in front_first[at] as usize..=at {
            front_of[i] = index;
            fronts.nodes.push(order[post[i] as usize]);
        }
        fronts.first.push(fronts.nodes.len() as u32);
        let begin = fronts.boundary.len();
        fronts.boundary.extend(list(at).iter().map(|&j| place[j as usize]));
        fronts.boundary[begin..].sort_unstable();
        fronts.boundary_start.push(fronts.boundary.len() as u32);
        fronts.parent.push(None);
        fronts.pivoted.push((front_first[at] as usize..=at).any(|i| kind(i) == Kind::Cluster));
    }
    for front in 0..fronts.len() {
        let first = fronts.boundary(front).first().copied();
        fronts.parent[front] = first.map(|at| front_of[at as usize]);
    }
    fronts
}

/// Two fronts that may become one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Pivots and boundary of the child, in scalars.
    pub(crate) child: [u32; 2],
    /// Pivots and boundary of the parent.
    pub(crate) parent: [u32; 2],
    /// Whether pivots of one of them are chosen by size.
    pub(crate) pivoted: bool,
}
