//! Minimum degree, with constraints after enough of their bodies.
//!
//! The elimination graph is kept as a quotient graph: an eliminated node becomes an *element*, the
//! list of nodes that its elimination has coupled. Degrees are the approximate external degrees of
//! Amestoy, Davis and Duff (SIAM J. Matrix Anal. Appl. 17(4), 1996), counted in scalars.
//!
//! A body may be eliminated at any time: its block is positive definite, and constraints eliminated
//! before it have only made it heavier. A constraint may be eliminated in two cases:
//!
//! * Bodies that eliminated constraints (or M) connect, directly or by way of others, form an
//!   *assembly*. An eliminated body is *free* if no constraint of its assembly was eliminated after it:
//!   what is left of the assembly's mass was its pivot block, so it can move in every direction. A
//!   constraint that acts on a free body with full row rank, and on no eliminated body of the same
//!   assembly that is not free, has a negative definite pivot: other assemblies move independently, and
//!   only add to it. In a tree, the body that was eliminated last is free.
//! * No body is left among its neighbours: its pivot vanishes then only if it depends on constraints
//!   eliminated before. Only in this case is a cluster eliminated.
//!
//! Full row rank is taken for granted where a constraint has no more rows than the body has unknowns,
//! unless it is said to be late. Where numbers deny it, the factorization notices.

use super::graph::{Graph, Kind};

const NONE: u32 = u32::MAX;

/// Bodies that eliminated constraints connect.
struct Assemblies {
    /// A member nearer to the one that stands for all.
    leader: Vec<u32>,
    /// When a constraint on the assembly was eliminated last, by its leader.
    constrained: Vec<u32>,
    /// When a body was eliminated; never if zero.
    eliminated: Vec<u32>,
}

impl Assemblies {
    fn of(&mut self, mut body: u32) -> u32 {
        while self.leader[body as usize] != body {
            let next = self.leader[self.leader[body as usize] as usize];
            self.leader[body as usize] = next;
            body = next;
        }
        body
    }

    /// Joins all of these bodies.
    fn join(&mut self, bodies: impl Iterator<Item = u32>, constrained: u32) {
        let mut first = NONE;
        for body in bodies {
            let leader = self.of(body);
            if first == NONE {
                first = leader;
            }
            self.leader[leader as usize] = first;
        }
        if first != NONE {
            self.constrained[first as usize] = constrained;
        }
    }

    /// Whether a body was eliminated after all constraints on its assembly.
    fn is_free(&mut self, body: u32) -> bool {
        let leader = self.of(body);
        self.constrained[leader as usize] < self.eliminated[body as usize]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Element,
    Absorbed,
}

struct Degrees {
    head: Vec<u32>,
    tail: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    degree: Vec<u32>,
    listed: Vec<bool>,
    least: usize,
}

impl Degrees {
    /// Puts a node behind the others of its degree.
    fn insert(&mut self, i: u32) {
        let d = self.list(i);
        let old = self.tail[d];
        self.previous[i as usize] = old;
        self.next[i as usize] = NONE;
        if old != NONE {
            self.next[old as usize] = i;
        } else {
            self.head[d] = i;
        }
        self.tail[d] = i;
        self.listed[i as usize] = true;
        self.least = self.least.min(d);
    }

    fn list(&self, i: u32) -> usize {
        (self.degree[i as usize] as usize).min(self.head.len() - 1)
    }

    fn remove(&mut self, i: u32) {
        if !self.listed[i as usize] {
            return;
        }
        self.listed[i as usize] = false;
        let (next, previous) = (self.next[i as usize], self.previous[i as usize]);
        let d = self.list(i);
        if next != NONE {
            self.previous[next as usize] = previous;
        } else {
            self.tail[d] = previous;
        }
        if previous != NONE {
            self.next[previous as usize] = next;
        } else {
            self.head[d] = next;
        }
    }

    fn pop(&mut self) -> Option<u32> {
        while self.least < self.head.len() {
            let i = self.head[self.least];
            if i != NONE {
                self.remove(i);
                return Some(i);
            }
            self.least += 1;
        }
        None
    }
}

/// The order of elimination.
///
/// `strong(constraint, body)` says whether the constraint's block on the body has full row rank.
/// With `masses` of the nodes that are bodies, no body comes before one that is much lighter and tied to
/// it by a constraint. `None` if the elimination of constraints takes more than `limit` products.
pub(crate) fn order(
    graph: &Graph,
    strong: &dyn Fn(usize, usize) -> bool,
    masses: Option<&[f64]>,
    limit: usize,
) -> Option<Vec<u32>> {
    let nodes = graph.nodes();
    let scalars = *graph.first.last().expect("offsets") as usize;
    let mut degrees = Degrees {
        head: vec![NONE; scalars.clamp(1, 4096)],
        tail: vec![NONE; scalars.clamp(1, 4096)],
        next: vec![NONE; nodes],
        previous: vec![NONE; nodes],
        degree: vec![0; nodes],
        listed: vec![false; nodes],
        least: 0,
    };
    // lists of a node: its elements, then its remaining neighbours; an element: its nodes
    let mut pool = Vec::with_capacity(graph.neighbours.len() * 2);
    pool.extend_from_slice(&graph.neighbours);
    let mut start: Vec<u32> = graph.start[..nodes].to_vec();
    let mut elements = vec![0u32; nodes];
    let mut length: Vec<u32> = (0..nodes).map(|i| graph.of(i).len() as u32).collect();
    let mut state = vec![State::Waiting; nodes];
    // of an element: scalars that it couples, whether a body is among them
    let mut size = vec![0u32; nodes];
    let mut has_body = vec![false; nodes];
    let mut assemblies = Assemblies {
        leader: (0..nodes as u32).collect(),
        constrained: vec![0; nodes],
        eliminated: vec![0; nodes],
    };
    for i in (0..nodes).filter(|&i| graph.is_body(i)) {
        let others = graph.of(i).iter().copied().filter(|&j| graph.is_body(j as usize));
        if others.clone().next().is_some() {
            assemblies.join(others.chain([i as u32]), 0);
        }
    }
    let mut outside = vec![0u32; nodes];
    let mut stamp = vec![0u32; nodes];
    let mut mark = vec![NONE; nodes];

    for i in 0..nodes {
        degrees.degree[i] = graph.of(i).iter().map(|&j| graph.width(j as usize)).sum();
        let alone = !graph.of(i).iter().any(|&j| graph.is_body(j as usize));
        let waits = |masses| waits_for_lighter(graph, i, masses, &state);
        if graph.is_body(i) && !masses.is_some_and(waits) || alone {
            degrees.insert(i as u32);
        }
    }

    let mut products = 0;
    let mut sequence = Vec::with_capacity(nodes);
    while let Some(pivot) = degrees.pop() {
        let p = pivot as usize;
        sequence.push(pivot);
        state[p] = State::Element;
        mark[p] = pivot;
        let now = sequence.len() as u32;
        if graph.is_body(p) {
            assemblies.eliminated[p] = now;
        } else {
            let bodies = graph.of(p).iter().copied().filter(|&j| graph.is_body(j as usize));
            assemblies.join(bodies, now);
        }

        // the new element
        let begin = pool.len();
        let (s, e, l) = (start[p] as usize, elements[p] as usize, length[p] as usize);
        for at in s..s + l {
            let x = pool[at] as usize;
            if at < s + e {
                if state[x] != State::Element {
                    continue;
                }
                state[x] = State::Absorbed;
                for k in start[x] as usize..(start[x] + length[x]) as usize {
                    let j = pool[k];
                    if mark[j as usize] != pivot && state[j as usize] == State::Waiting {
                        mark[j as usize] = pivot;
                        pool.push(j);
                    }
                }
            } else if mark[x] != pivot && state[x] == State::Waiting {
                mark[x] = pivot;
                pool.push(x as u32);
            }
        }
        let end = pool.len();
        start[p] = begin as u32;
        elements[p] = 0;
        length[p] = (end - begin) as u32;
        let mut total = 0;
        for at in begin..end {
            total += graph.width(pool[at] as usize);
            has_body[p] |= graph.is_body(pool[at] as usize);
        }
        size[p] = total;
        if !graph.is_body(p) {
            let (width, total) = (graph.width(p) as usize, total as usize);
            let height = (width + total).saturating_mul(width + total) / 2;
            products = width.saturating_mul(height).saturating_add(products);
            if products > limit {
                return None;
            }
        }

        // |E \ new element| for every element E that touches it
        for at in begin..end {
            let i = pool[at] as usize;
            for k in start[i] as usize..(start[i] + elements[i]) as usize {
                let x = pool[k] as usize;
                if state[x] != State::Element {
                    continue;
                }
                if stamp[x] != pivot + 1 {
                    stamp[x] = pivot + 1;
                    outside[x] = size[x];
                }
                outside[x] -= graph.width(i);
            }
        }

        for at in begin..end {
            let i = pool[at] as usize;
            let (s, e, l) = (start[i] as usize, elements[i] as usize, length[i] as usize);
            let mut to = s;
            let mut degree = 0;
            let mut body = has_body[p];
            for k in s..s + e {
                let x = pool[k] as usize;
                if state[x] != State::Element {
                    continue;
                }
                if outside[x] == 0 {
                    state[x] = State::Absorbed;
                    continue;
                }
                degree += outside[x];
                body |= has_body[x];
                pool[to] = x as u32;
                to += 1;
            }
            let kept = to - s;
            // the new element takes the place of one that it has absorbed, or of the pivot
            let (mut write, mut hold) = (to, Some(pivot));
            for k in s + e..s + l {
                let x = pool[k];
                if state[x as usize] != State::Waiting || mark[x as usize] == pivot {
                    continue;
                }
                degree += graph.width(x as usize);
                body |= graph.is_body(x as usize);
                if let Some(h) = hold {
                    if write == k {
                        // no room: swap through
                        pool[write] = h;
                        hold = Some(x);
                        write += 1;
                        continue;
                    }
                    pool[write] = h;
                    hold = None;
                    write += 1;
                }
                pool[write] = x;
                write += 1;
            }
            if let Some(h) = hold {
                pool[write] = h;
                write += 1;
            }
            debug_assert!(write <= s + l);
            elements[i] = kept as u32 + 1;
            length[i] = (write - s) as u32;

            let around = total - graph.width(i);
            let bound = degrees.degree[i].saturating_add(around);
            degrees.remove(i as u32);
            degrees.degree[i] = (degree + around).min(bound);
            let eligible = if graph.is_body(i) {
                !masses.is_some_and(|masses| waits_for_lighter(graph, i, masses, &state))
            } else {
                !body || is_definite(graph, i, &mut assemblies, strong)
            };
            if eligible {
                degrees.insert(i as u32);
            }
        }
        if let Some(masses) = masses.filter(|_| graph.is_body(p)) {
            for &c in graph.of(p) {
                for &b in graph.of(c as usize) {
                    let i = b as usize;
                    let idle = state[i] == State::Waiting && !degrees.listed[i];
                    if idle && graph.is_body(i) && !waits_for_lighter(graph, i, masses, &state) {
                        degrees.insert(b);
                    }
                }
            }
        }
    }
    debug_assert_eq!(sequence.len(), nodes);
    Some(sequence)
}

/// Whether a constraint with bodies left among its neighbours has a definite pivot.
fn is_definite(
    graph: &Graph,
    constraint: usize,
    assemblies: &mut Assemblies,
    strong: &dyn Fn(usize, usize) -> bool,
) -> bool {
    // not all constraints of a cluster act on the body
    if graph.kind[constraint] == Kind::Cluster {
        return false;
    }
    for &b in graph.of(constraint) {
        if assemblies.is_free(b) && strong(constraint, b as usize) {
            let assembly = assemblies.of(b);
            let moves = |&o: &u32| {
                assemblies.eliminated[o as usize] == 0
                    || assemblies.is_free(o)
                    || assemblies.of(o) != assembly
            };
            if graph.of(constraint).iter().all(moves) {
                return true;
            }
        }
    }
    false
}

/// A body that is heavier than another one by this waits for it.
const HEAVIER: f64 = 1e3;

/// Whether a constraint that is left ties a body to one that is left and much lighter.
fn waits_for_lighter(graph: &Graph, body: usize, masses: &[f64], state: &[State]) -> bool {
    let left = |i: u32| state[i as usize] == State::Waiting;
    let constraints = graph.of(body).iter().filter(|&&c| left(c) && !graph.is_body(c as usize));
    constraints.flat_map(|&c| graph.of(c as usize)).any(|&b| {
        left(b) && graph.is_body(b as usize) && masses[b as usize] * HEAVIER < masses[body]
    })
}
