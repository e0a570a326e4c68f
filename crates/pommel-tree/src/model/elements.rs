//! Joints taken apart into the motions that the sweeps know.
//!
//! A joint of several coordinates is a chain of simple motions with massless frames between them:
//! a universal joint is two rotations, a cylindrical one a rotation and a translation, a planar one
//! two translations and a rotation. Only the spherical and the free joint stay whole, because their
//! velocities are not rates of coordinates.

use pommel_math::{Real, Transform};

use super::joint::{BodySpec, Joint, Rotor};
use crate::TreeError;

/// A motion that is not taken apart further.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    Fixed,
    Turn([f64; 3]),
    Slide([f64; 3]),
    Screw([f64; 3], f64),
    Ball,
    Free,
}

impl Motion {
    pub(super) const fn sizes(self) -> (usize, usize) {
        match self {
            Motion::Fixed => (0, 0),
            Motion::Turn(_) | Motion::Slide(_) | Motion::Screw(..) => (1, 1),
            Motion::Ball => (4, 3),
            Motion::Free => (7, 6),
        }
    }
}

/// A frame that moves relative to its parent by one simple motion.
#[derive(Clone, Debug)]
pub(super) struct Element<T> {
    pub(super) motion: Motion,
    /// an earlier element; none for the ground
    pub(super) parent: Option<usize>,
    pub(super) in_parent: Transform<T>,
    pub(super) in_child: Transform<T>,
    /// the body whose joint this belongs to
    pub(super) owner: usize,
    /// the body that rides on this element
    pub(super) carried: Option<usize>,
    pub(super) q: usize,
    pub(super) v: usize,
    pub(super) armature: Vec<T>,
    pub(super) rotor: Option<Rotor<T>>,
}

/// All elements, each chain of parents and children together, parents first; numbers of positions
/// and velocities.
pub(super) fn elements<T: Real>(
    specs: &[BodySpec<T>],
) -> Result<(Vec<Element<T>>, usize, usize), TreeError> {
    let (nq, nv, first) = coordinates(specs)?;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); specs.len()];
    let mut pending: Vec<usize> = Vec::new();
    for (i, spec) in specs.iter().enumerate() {
        match spec.parent {
            Some(p) => children[p.index()].push(i),
            None => pending.push(i),
        }
    }
    pending.reverse();
    let mut list: Vec<Element<T>> = Vec::new();
    // the element that each body rides on
    let mut carrier = vec![0; specs.len()];
    while let Some(body) = pending.pop() {
        let spec = &specs[body];
        let motions = motions(spec.joint);
        let mut parent = spec.parent.map(|p| carrier[p.index()]);
        let (mut q, mut v) = first[body];
        let last = motions.len() - 1;
        for (k, &motion) in motions.iter().enumerate() {
            let (n_q, n_v) = motion.sizes();
            let offset = v - first[body].1;
            let identity = Transform::identity();
            let free = motion == Motion::Free;
            list.push(Element {
                motion,
                parent,
                in_parent: if k == 0 && !free { spec.in_parent } else { identity },
                in_child: if k == last && !free { spec.in_child } else { identity },
                owner: body,
                carried: (k == last).then_some(body),
                q,
                v,
                armature: spec.armature.iter().skip(offset).take(n_v).copied().collect(),
                rotor: spec.rotor,
            });
            parent = Some(list.len() - 1);
            (q, v) = (q + n_q, v + n_v);
        }
        carrier[body] = list.len() - 1;
        pending.extend(children[body].iter().rev());
    }
    Ok((list, nq, nv))
}

fn motions(joint: Joint) -> Vec<Motion> {
    match joint {
        Joint::Revolute { axis } => vec![Motion::Turn(axis)],
        Joint::Prismatic { axis } => vec![Motion::Slide(axis)],
        Joint::Helical { axis, pitch } => vec![Motion::Screw(axis, pitch)],
        Joint::Cylindrical { axis } => vec![Motion::Turn(axis), Motion::Slide(axis)],
        Joint::Universal { axis, axis2 } => vec![Motion::Turn(axis), Motion::Turn(axis2)],
        Joint::Planar => vec![
            Motion::Slide([1.0, 0.0, 0.0]),
            Motion::Slide([0.0, 1.0, 0.0]),
            Motion::Turn([0.0, 0.0, 1.0]),
        ],
        Joint::Spherical => vec![Motion::Ball],
        Joint::Fixed => vec![Motion::Fixed],
        Joint::Free => vec![Motion::Free],
    }
}

/// Numbers of positions and velocities, and each body's first ones.
type Coordinates = (usize, usize, Vec<(usize, usize)>);

fn coordinates<T>(specs: &[BodySpec<T>]) -> Result<Coordinates, TreeError> {
    let size = |spec: &BodySpec<T>| (spec.joint.nq(), spec.joint.nv());
    let (nq, nv) = specs.iter().map(size).fold((0, 0), |s, n| (s.0 + n.0, s.1 + n.1));
    let mut used = (vec![false; nq], vec![false; nv]);
    let mut next = (0, 0);
    let mut first = Vec::new();
    for spec in specs {
        let (q, v) = spec.coordinates.unwrap_or(next);
        let (n_q, n_v) = size(spec);
        for (used, first, count) in [(&mut used.0, q, n_q), (&mut used.1, v, n_v)] {
            for index in first..first + count {
                match used.get_mut(index) {
                    Some(taken) if !*taken => *taken = true,
                    _ => {
                        let body = Some(spec.name.clone());
                        return Err(TreeError::Coordinates { body, index });
                    }
                }
            }
        }
        next = (q + n_q, v + n_v);
        first.push((q, v));
    }
    Ok((nq, nv, first))
}
