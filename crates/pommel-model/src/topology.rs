//! Which joint carries which body, and what is wrong if some body hangs on nothing.
//!
//! Joints are swept in file order, again and again until nothing changes: a joint becomes the
//! **tree joint** of its child if its parent hangs on ground already and its child on nothing yet.
//! So any order of joints in the file works, and where several joints could carry a body, the one
//! that first reaches it does. All other joints close loops. A joint with role `tree` is the only
//! one that may carry its child, one with role `loop` never carries it. A joint carries its
//! `child`, never its `parent`.

use crate::GROUND;
use crate::description::{Description, Role};
use crate::fault::FaultKind;
use std::collections::HashMap;

/// Names of bodies as indices; ground is none.
pub(crate) struct Names<'a> {
    bodies: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// The first body of a name counts; a second one is a fault found elsewhere.
    pub(crate) fn new(description: &'a Description) -> Self {
        let mut bodies = HashMap::with_capacity(description.bodies.len());
        for (index, body) in description.bodies.iter().enumerate() {
            bodies.entry(body.name.as_str()).or_insert(index);
        }
        Self { bodies }
    }

    /// `Some(None)` for ground, `Some(Some(index))` for a body, `None` for nothing.
    pub(crate) fn find(&self, name: &str) -> Option<Option<usize>> {
        if name == GROUND { Some(None) } else { self.bodies.get(name).map(|index| Some(*index)) }
    }
}

/// The tree that the joints span.
pub(crate) struct Topology {
    /// For each body its tree joint.
    pub(crate) tree_joint: Vec<usize>,
    /// Bodies, parent before child.
    pub(crate) order: Vec<usize>,
    /// For each joint its ends; ground is none.
    pub(crate) ends: Vec<(Option<usize>, Option<usize>)>,
}

/// Spans the tree, or says by path what is wrong. Joints with unknown names are left out here.
pub(crate) fn span(description: &Description) -> Result<Topology, Vec<(String, FaultKind)>> {
    let names = Names::new(description);
    let joints = &description.joints;
    let mut faults = Vec::new();
    let ends: Vec<_> =
        joints.iter().map(|joint| (names.find(&joint.parent), names.find(&joint.child))).collect();
    let count = description.bodies.len();

    // a body with a joint of role `tree` waits for that one
    let mut reserved = vec![None; count];
    for (j, joint) in joints.iter().enumerate().filter(|(_, joint)| joint.role == Role::Tree) {
        let path = || format!("joints[{j}].role");
        match ends[j].1 {
            Some(Some(child)) => match reserved[child] {
                None => reserved[child] = Some(j),
                Some(first) => {
                    let first: usize = first;
                    let (body, first) = (joint.child.clone(), joints[first].name.clone());
                    faults.push((path(), FaultKind::TwoTreeJoints { body, first }));
                }
            },
            Some(None) => faults.push((path(), FaultKind::TreeToGround)),
            None => {}
        }
    }

    let may_carry = |j: usize, child: usize| {
        joints[j].role != Role::Loop && reserved[child].is_none_or(|tree| tree == j)
    };
    let mut tree_joint = vec![None; count];
    let mut order = Vec::with_capacity(count);
    loop {
        let before = order.len();
        for j in 0..joints.len() {
            let (Some(parent), Some(Some(child))) = ends[j] else { continue };
            let parent_hangs = parent.is_none_or(|parent: usize| tree_joint[parent].is_some());
            if parent_hangs && tree_joint[child].is_none() && may_carry(j, child) {
                tree_joint[child] = Some(j);
                order.push(child);
            }
        }
        if order.len() == before {
            break;
        }
    }

    if order.len() < count {
        // the first joint that may carry a body and starts from a known one
        let carrier = |body: usize| {
            (0..joints.len()).find(|&j| {
                ends[j].0.is_some() && ends[j].1 == Some(Some(body)) && may_carry(j, body)
            })
        };
        let hangs: Vec<bool> = tree_joint.iter().map(Option::is_some).collect();
        faults.extend(unreached(description, &ends, &hangs, carrier));
    }
    match tree_joint.into_iter().collect() {
        Some(tree_joint) if faults.is_empty() => {
            let ends = ends.into_iter().map(|(a, b)| (a.flatten(), b.flatten())).collect();
            Ok(Topology { tree_joint, order, ends })
        }
        _ => Err(faults),
    }
}

type Ends = (Option<Option<usize>>, Option<Option<usize>>);

/// Why bodies hang on nothing: circles of parents, or bodies that no joint carries. A body that
/// merely hangs on such a body is not reported.
fn unreached(
    description: &Description,
    ends: &[Ends],
    hangs: &[bool],
    carrier: impl Fn(usize) -> Option<usize>,
) -> Vec<(String, FaultKind)> {
    let bodies = &description.bodies;
    let mut faults = Vec::new();
    let mut reported = vec![false; bodies.len()];
    for start in (0..bodies.len()).filter(|&body| !hangs[body]) {
        let mut chain = vec![start];
        loop {
            let body = chain[chain.len() - 1];
            if reported[body] {
                break;
            }
            match carrier(body).and_then(|joint| ends[joint].0.flatten()) {
                None => {
                    let name = &bodies[body].name;
                    // a joint with an unknown end is reported as such; the body may be its child
                    let known = |end: &Ends| end.0.is_some() && end.1.is_some();
                    let meant = (0..ends.len())
                        .any(|j| !known(&ends[j]) && ends[j].1.is_none_or(|end| end == Some(body)));
                    if !meant {
                        let as_parent =
                            description.joints.iter().find(|joint| joint.parent == *name);
                        let kind = FaultKind::NotConnected {
                            body: name.clone(),
                            as_parent: as_parent.map(|joint| joint.name.clone()),
                        };
                        faults.push((format!("bodies[{body}]"), kind));
                    }
                    break;
                }
                Some(parent) => {
                    if let Some(at) = chain.iter().position(|&body| body == parent) {
                        chain.push(parent);
                        let circle = &chain[at..];
                        let names = circle.iter().rev().map(|&b| bodies[b].name.clone()).collect();
                        let path = format!("bodies[{parent}]");
                        faults.push((path, FaultKind::Cycle { bodies: names }));
                        break;
                    }
                    chain.push(parent);
                }
            }
        }
        for body in chain {
            reported[body] = true;
        }
    }
    faults
}
