//! Another body at the root of a free tree.
//!
//! The joints between the free body and the new root change direction: what was the parent's side
//! becomes the child's. Axes are turned round, so that their coordinates stay; a spherical joint
//! turns the other way.

use pommel_math::{Real, Transform};

use super::elements::{Element, Motion};
use super::joint::BodySpec;
use crate::error::{Obstacle, TreeError};

impl Motion {
    /// The motion of the parent relative to the child, at the same coordinates; those of a spherical
    /// joint are other ones.
    fn reversed(self) -> Motion {
        let back = |axis: [f64; 3]| axis.map(|x| -x);
        match self {
            Motion::Turn(axis) => Motion::Turn(back(axis)),
            Motion::Slide(axis) => Motion::Slide(back(axis)),
            Motion::Screw(axis, pitch) => Motion::Screw(back(axis), pitch),
            Motion::Fixed | Motion::Ball | Motion::Free => self,
        }
    }
}

/// The elements between a body's and the root of its tree, both included, the body's first.
fn path<T>(elements: &[Element<T>], body: usize) -> Vec<usize> {
    let mut list = Vec::new();
    let mut at = elements.iter().position(|e| e.carried == Some(body));
    while let Some(i) = at {
        list.push(i);
        at = elements[i].parent;
    }
    list
}

/// Zero in all lanes, and without a derivative.
fn is_zero<T: Real>(x: T) -> bool {
    x.is_constant() && (0..T::LANES).all(|i| x.lane(i) == 0.0)
}

/// The elements of the same trees with `body` in place of the free body of its tree.
pub(super) fn reroot<T: Real>(
    specs: &[BodySpec<T>],
    elements: &[Element<T>],
    body: usize,
) -> Result<Vec<Element<T>>, TreeError> {
    let path = path(elements, body);
    let refuse = |joint: usize, obstacle| {
        let joint = specs[joint].name.clone();
        Err(TreeError::NotARoot { body: specs[body].name.clone(), joint, obstacle })
    };
    let (&first, &top) = (&path[0], &path[path.len() - 1]);
    if elements[top].motion != Motion::Free {
        return refuse(elements[top].owner, Obstacle::Ground);
    }
    for &i in &path {
        let element = &elements[i];
        let whole = matches!(element.motion, Motion::Ball | Motion::Free);
        if element.rotor.is_some() {
            return refuse(element.owner, Obstacle::Rotor);
        }
        if whole && element.armature.iter().any(|&a| !is_zero(a)) {
            return refuse(element.owner, Obstacle::Armature);
        }
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); elements.len()];
    for (i, element) in elements.iter().enumerate() {
        match element.parent {
            Some(p) if !(path.contains(&i) && path.contains(&p)) => children[p].push(i),
            _ => {}
        }
    }
    for pair in path.windows(2) {
        children[pair[0]].insert(0, pair[1]);
    }
    // in the order of the trees, chains together
    let mut pending: Vec<(usize, Option<usize>)> = Vec::new();
    for (i, element) in elements.iter().enumerate().rev() {
        if element.parent.is_none() {
            pending.push((if i == top { first } else { i }, None));
        }
    }
    let mut list: Vec<Element<T>> = Vec::new();
    while let Some((i, parent)) = pending.pop() {
        let at = list.len();
        let position = path.iter().position(|&p| p == i);
        let carried = elements[i].carried;
        list.push(match position {
            None => Element { parent, ..elements[i].clone() },
            Some(0) => Element {
                in_parent: Transform::identity(),
                in_child: Transform::identity(),
                owner: body,
                carried,
                parent,
                ..elements[top].clone()
            },
            Some(k) => {
                let joint = &elements[path[k - 1]];
                Element {
                    motion: joint.motion.reversed(),
                    in_parent: joint.in_child,
                    in_child: joint.in_parent,
                    carried,
                    parent,
                    ..joint.clone()
                }
            }
        });
        pending.extend(children[i].iter().rev().map(|&c| (c, Some(at))));
    }
    Ok(list)
}

/// For each free tree that is better eliminated towards another body than the free one, that body:
/// the heaviest, if it and what is fixed to it are heavier than the free body by the factor
/// [`HEAVIER`], and if it can be a root.
pub(super) fn heaviest<T: Real>(specs: &[BodySpec<T>], elements: &[Element<T>]) -> Vec<usize> {
    let lane_mass = |body: usize| specs[body].mass.lane(0);
    // what is fixed together is one rigid body, counted at the element that moves it
    let mut mass = vec![0.0; elements.len()];
    let mut mover: Vec<usize> = Vec::new();
    let mut tree: Vec<usize> = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        let parent = element.parent;
        mover.push(match (element.motion, parent) {
            (Motion::Fixed, Some(p)) => mover[p],
            _ => i,
        });
        tree.push(parent.map_or(i, |p| tree[p]));
        if let Some(body) = element.carried {
            mass[mover[i]] += lane_mass(body);
        }
    }
    let mut roots = Vec::new();
    for (top, element) in elements.iter().enumerate() {
        if element.parent.is_some() || element.motion != Motion::Free {
            continue;
        }
        let better = (0..elements.len())
            .filter(|&i| tree[i] == top && elements[mover[i]].carried.is_some())
            .filter(|&i| mover[i] == i && mass[i] > HEAVIER * mass[top]);
        // the first of the heaviest
        let best = better.fold(None, |best: Option<usize>, i| match best {
            Some(b) if mass[b] >= mass[i] => Some(b),
            _ => Some(i),
        });
        let body = best.and_then(|i| elements[i].carried);
        if let Some(body) = body
            && reroot(specs, elements, body).is_ok()
        {
            roots.push(body);
        }
    }
    roots
}

/// From which factor on a heavier body is the better root: about a digit is lost up to there.
pub(super) const HEAVIER: f64 = 10.0;
