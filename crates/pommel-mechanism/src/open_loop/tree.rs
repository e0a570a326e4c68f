//! Which joints are embedded, and where bodies are by the angles along them.

use std::collections::VecDeque;

/// A joint that may be embedded: two poses, the ground the last, with the joint's point from the mass centre of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    pub(super) joint: usize,
    pub(super) poses: [usize; 2],
    pub(super) points: [[f64; 2]; 2],
}

/// Bodies as they hang on each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// for each coordinate the absolute one that it is
    pub(super) columns: Vec<u32>,
    /// for each body the coordinate that is its angle
    pub(super) angles: Vec<u32>,
    /// bodies, those before which others hang on them
    pub(super) order: Vec<Hung>,
    pub(super) arms: Vec<Arm>,
    /// numbers of coordinates that M̂ couples, one after the other
    pub(super) blocks: Vec<usize>,
}

/// A body, and what it hangs on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hung {
    pub(super) body: u32,
    pub(super) base: Base,
    /// its arms
    pub(super) first: u32,
    pub(super) end: u32,
}

/// Where the first arm begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// at a point of the ground, m
    Ground([f64; 2]),
    /// at the mass centre of a body whose place is two coordinates, of which this is the first
    Body { column: u32 },
}

/// A vector that turns with a body, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) body: u32,
    pub(super) vector: [f64; 2],
}

impl Tree {
    /// The tree of bodies, and the joints that it embeds: of the ways to the ground the shortest.
    pub(super) fn new(bodies: usize, hinges: &[Hinge]) -> (Self, Vec<usize>) {
        let mut tree = Tree { angles: vec![0; bodies], ..Tree::default() };
        let mut embedded = Vec::new();
        // what a body hangs on, once that is known
        let mut parents: Vec<Option<Option<usize>>> = vec![None; bodies + 1];
        for start in std::iter::once(bodies).chain(0..bodies) {
            if parents[start].is_some() {
                continue;
            }
            parents[start] = Some(None);
            let mut queue = VecDeque::from([start]);
            while let Some(pose) = queue.pop_front() {
                for (index, hinge) in hinges.iter().enumerate() {
                    let Some(near) = hinge.poses.iter().position(|&end| end == pose) else {
                        continue;
                    };
                    let child = hinge.poses[1 - near];
                    if parents[child].is_none() {
                        parents[child] = Some(Some(index));
                        queue.push_back(child);
                    }
                }
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); bodies + 1];
        let mut starts = Vec::new();
        for body in 0..bodies {
            match parents[body].flatten() {
                Some(index) => {
                    let [a, b] = hinges[index].poses;
                    children[if a == body { b } else { a }].push(body);
                    embedded.push(hinges[index].joint);
                }
                None => starts.push(body),
            }
        }
        starts.extend(std::mem::take(&mut children[bodies]));
        let mut places = vec![None; bodies];
        // each of these makes a block of M̂ with what hangs on it
        for start in starts {
            let first = tree.columns.len();
            let mut list = vec![start];
            while let Some(body) = list.pop() {
                places[body] = Some(tree.order.len());
                let hinge = parents[body].flatten().map(|index| &hinges[index]);
                tree.hang(body, hinge, &places);
                list.extend(children[body].iter().rev());
            }
            tree.blocks.push(tree.columns.len() - first);
        }
        embedded.sort_unstable();
        (tree, embedded)
    }

    /// Adds a body whose parent is there.
    fn hang(&mut self, body: usize, hinge: Option<&Hinge>, places: &[Option<usize>]) {
        let first = self.arms.len();
        let base = match hinge {
            None => {
                let column = self.columns.len() as u32;
                self.columns.extend([3 * body as u32, 3 * body as u32 + 1]);
                Base::Body { column }
            }
            Some(hinge) => {
                let here = usize::from(hinge.poses[1] == body);
                let (there, parent) = (hinge.points[1 - here], hinge.poses[1 - here]);
                let base = match places.get(parent).copied().flatten() {
                    None => Base::Ground(there),
                    Some(place) => {
                        let on = self.order[place];
                        let mut arms = self.arms[on.first as usize..on.end as usize].to_vec();
                        match arms.last_mut().filter(|arm| arm.body as usize == parent) {
                            Some(arm) => {
                                arm.vector[0] += there[0];
                                arm.vector[1] += there[1];
                            }
                            None => arms.push(Arm { body: parent as u32, vector: there }),
                        }
                        self.arms.extend(arms);
                        on.base
                    }
                };
                let [x, y] = hinge.points[here];
                self.arms.push(Arm { body: body as u32, vector: [-x, -y] });
                // what has no length moves nothing
                let mut kept = first;
                for at in first..self.arms.len() {
                    if self.arms[at].vector != [0.0; 2] {
                        self.arms[kept] = self.arms[at];
                        kept += 1;
                    }
                }
                self.arms.truncate(kept);
                base
            }
        };
        self.angles[body] = self.columns.len() as u32;
        self.columns.push(3 * body as u32 + 2);
        let (first, end) = (first as u32, self.arms.len() as u32);
        self.order.push(Hung { body: body as u32, base, first, end });
    }
}
