//! What instances of one mechanism share: names, parents, kinds of joints, coordinates.

use std::sync::Arc;

use super::{LinkKind, LinkShape};

/// A body of a tree, as [`TreeBuilder::add`](super::TreeBuilder::add) numbered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// The position of the body among all, counted from 0 in the order in which they were added.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The structure of a tree without its numbers.
///
/// Bodies that are fixed to one another move as one *link*; the sweeps know links only. Links are
/// numbered parent before child.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    pub(crate) links: Vec<LinkShape>,
    pub(crate) bodies: Vec<BodyShape>,
    pub(crate) nq: usize,
    pub(crate) nv: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyShape {
    pub(crate) name: String,
    pub(crate) parent: Option<BodyId>,
    /// the link that carries the body; none if it is fixed to the ground
    pub(crate) link: Option<u32>,
}

impl Topology {
    /// Number of links: bodies that move relative to their parent.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.bodies[body.index()].name
    }

    /// The body with the given name; of several, the one that was added first.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(|i| BodyId(i as u32))
    }

    /// All bodies, parents before children.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }

    /// The parent of a body; none if that is the ground.
    pub fn parent(&self, body: BodyId) -> Option<BodyId> {
        self.bodies[body.index()].parent
    }

    /// Whether a body cannot move.
    pub fn is_fixed_to_ground(&self, body: BodyId) -> bool {
        self.bodies[body.index()].link.is_none()
    }

    /// The velocities that belong to free joints.
    pub fn free_velocities(&self) -> impl Iterator<Item = usize> + '_ {
        let free = self.links.iter().filter(|link| link.kind == LinkKind::Free);
        free.flat_map(|link| link.v as usize..link.v as usize + 6)
    }

    /// The first position coordinate of every quaternion.
    pub fn quaternions(&self) -> impl Iterator<Item = usize> + '_ {
        self.links.iter().filter_map(|link| match link.kind {
            LinkKind::Free => Some(link.q as usize + 3),
            LinkKind::Ball => Some(link.q as usize),
            _ => None,
        })
    }

    /// The name of the body whose joint moves link `link`.
    pub(crate) fn link_name(&self, link: usize) -> &str {
        let body = self.links[link].body;
        &self.bodies[body as usize].name
    }

    /// The name of the body that the joint of link `link` leads to, seen from the root: the body
    /// whose joint it is, or in a tree with another root the one on the other side.
    pub(crate) fn carried_name(&self, link: usize) -> &str {
        let rides = |body: &BodyShape| body.link.is_some_and(|l| self.carries(link, l as usize));
        let owner = &self.bodies[self.links[link].body as usize];
        let beyond = self.bodies.iter().filter(|&body| rides(body));
        let nearest = if rides(owner) { None } else { beyond.min_by_key(|body| body.link) };
        &nearest.unwrap_or(owner).name
    }

    /// Whether link `i` is `other` or carries it.
    fn carries(&self, i: usize, other: usize) -> bool {
        let mut at = Some(other);
        while let Some(link) = at.filter(|&link| link > i) {
            at = self.links[link].parent.map(|p| p as usize);
        }
        at == Some(i)
    }

    /// The name of the body whose joint has the position coordinate `position`.
    pub(crate) fn position_name(&self, position: usize) -> &str {
        let has = |link: &LinkShape| {
            let length = match link.kind {
                LinkKind::Free => 7,
                LinkKind::Ball => 4,
                _ => 1,
            };
            (link.q as usize..link.q as usize + length).contains(&position)
        };
        self.links.iter().position(has).map_or("", |link| self.link_name(link))
    }

    /// Whether a position coordinate is one of the place of a free body.
    pub(crate) fn is_a_place(&self, position: usize) -> bool {
        let free = self.links.iter().filter(|link| link.kind == LinkKind::Free);
        free.map(|link| link.q as usize).any(|q| (q..q + 3).contains(&position))
    }

    /// Whether both have the same links, so that one's memory serves the other. Which offsets are
    /// zero does not matter.
    #[inline(always)]
    pub(crate) fn has_the_links_of(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other) || self.has_equal_links(other)
    }

    #[inline(never)]
    fn has_equal_links(&self, other: &Topology) -> bool {
        let alike =
            |(a, b): (&LinkShape, &LinkShape)| *a == LinkShape { has_offset: a.has_offset, ..*b };
        self.links.len() == other.links.len()
            && self.nv == other.nv
            && self.nq == other.nq
            && self.links.iter().zip(&other.links).all(alike)
    }

    /// The topology that serves instances of both, or none if they differ in more than in which
    /// numbers are zero.
    pub(crate) fn merged(a: &Arc<Topology>, b: &Arc<Topology>) -> Option<Arc<Topology>> {
        if Arc::ptr_eq(a, b) || a == b {
            return Some(Arc::clone(a));
        }
        let mut merged = Topology::clone(a);
        if a.links.len() != b.links.len() {
            return None;
        }
        for (link, other) in merged.links.iter_mut().zip(&b.links) {
            link.has_offset |= other.has_offset;
        }
        let mut check = Topology::clone(b);
        for (link, other) in check.links.iter_mut().zip(&merged.links) {
            link.has_offset = other.has_offset;
        }
        (merged == check).then(|| Arc::new(merged))
    }
}
