//! Which trees move in parallel planes, and their numbers in the plane.
//!
//! If all joints of a tree are revolute and their axes parallel (sin α = 0 exactly), each link keeps
//! the distance to the plane across the axes. Only its angle ψ in that plane matters, the arm from
//! the parent's axis to its own, and of its base parameters the first moment in the plane and the
//! inertia about the axis.
//!
//! The plane is that of the root's x and y axes. An axis may point against the root's z axis
//! (cos α = −1): the link's frame is then seen from behind. With its sense σ = ±1, the vector
//! `(x, y)` of the link is `(x, σ y)` turned by ψ, and
//!
//! ```text
//! ψ = ψ_p + σ (q + θ) + σ_p φ
//! ```

use pommel_math::{Mask, Real};

use super::{Link, LinkKind, LinkShape, Role};

/// A tree in the plane.
#[derive(Clone, Debug)]
pub(crate) struct Planar<T> {
    /// the lanes in which all axes are parallel; at least one
    pub(crate) lanes: Mask,
    /// whether there are two links, one on the other, and turning the second moves mass
    pub(crate) is_pair: bool,
    /// in the order of the model's links
    pub(crate) links: Vec<PlanarLink<T>>,
}

/// A link in the plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanarLink<T> {
    /// σ
    pub(crate) sense: T,
    /// σ θ + σ_p φ, rad
    pub(crate) angle: T,
    /// from the parent's axis to the link's, turned with the parent, m
    pub(crate) arm: [T; 2],
    /// first moment of the base parameters, turned with the link, kg·m
    pub(crate) moment: [T; 2],
    /// their inertia about the axis, kg·m²
    pub(crate) inertia: T,
    /// what the pivot must exceed
    pub(crate) limit: T,
    /// whether this is a tip or wheel, whose pivot is constant, and exceeds the limit
    pub(crate) heavy: bool,
    pub(crate) q: u32,
    pub(crate) v: u32,
    pub(crate) place: Place,
    pub(crate) parent: u32,
    /// index of the root placement
    pub(crate) root: u32,
    pub(crate) end: End,
    /// whether the parent turns on the ground, so that its joint rests
    pub(crate) second: bool,
    /// whether this is the only child of its parent, and follows it
    pub(crate) sole: bool,
    /// whether some child does not follow in the list
    pub(crate) keeps: bool,
    /// whether no child of the parent is eliminated before this one
    pub(crate) arrives_first: bool,
}

/// Where a link hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Ground,
    /// on the link before
    Last,
    /// on an earlier link
    Earlier,
}

/// What hangs on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// links beyond; `sole` if just one, which follows
    Inner {
        sole: bool,
    },
    Tip,
    /// nothing, and turning it moves no mass
    Wheel,
}

/// Whether trees of these links can move in planes, if their axes are parallel.
pub(crate) fn may_be_planar(shapes: &[LinkShape]) -> bool {
    let turns = |s: &LinkShape| s.kind == LinkKind::Revolute && !s.geared && s.rotor.is_none();
    !shapes.is_empty() && shapes.iter().all(turns)
}

impl<T: Real> Planar<T> {
    /// None if no lane moves in a plane.
    pub(super) fn of(shapes: &[LinkShape], links: &[Link<T>]) -> Option<Box<Self>> {
        let lanes = parallel(shapes, links);
        if !may_be_planar(shapes) || lanes.is_none() {
            return None;
        }
        let mut list: Vec<PlanarLink<T>> = Vec::with_capacity(links.len());
        let mut children = vec![0; links.len()];
        for shape in shapes {
            if let Some(p) = shape.parent {
                children[p as usize] += 1;
            }
        }
        for (i, (shape, link)) in shapes.iter().zip(links).enumerate() {
            let x = &link.screw;
            let h = link.inertia.first_moment;
            let mut planar = PlanarLink {
                sense: T::one(),
                angle: x.theta,
                arm: [T::zero(); 2],
                moment: [h.x, h.y],
                inertia: link.derived.p_sum,
                limit: link.pivot_limit,
                heavy: children[i] == 0 && link.pivot_limit.lt(link.derived.p_sum).is_all(T::LANES),
                q: shape.q,
                v: shape.v,
                place: Place::Ground,
                parent: 0,
                root: shape.root.unwrap_or(0),
                end: match (shape.role, children[i]) {
                    (Role::Wheel, _) => End::Wheel,
                    (_, 0) => End::Tip,
                    _ => End::Inner { sole: shape.has_sole },
                },
                second: false,
                sole: shape.sole,
                keeps: shape.keeps,
                arrives_first: shape.arrives_first,
            };
            if let Some(p) = shape.parent {
                let parent = &list[p as usize];
                planar.place = if shape.follows { Place::Last } else { Place::Earlier };
                planar.parent = p;
                planar.second = parent.place == Place::Ground;
                planar.root = parent.root;
                planar.sense = parent.sense * x.cos_alpha;
                planar.moment[1] = planar.sense * h.y;
                planar.angle = planar.sense * x.theta;
                planar.arm = [x.a, parent.sense * x.b];
                if shape.has_branch {
                    let (sin, cos) = (x.sin_phi, x.cos_phi);
                    planar.angle += parent.sense * sin.atan2(cos);
                    planar.arm = [
                        cos.mul_add(x.a, -(sin * x.b)),
                        parent.sense * sin.mul_add(x.a, cos * x.b),
                    ];
                }
            }
            list.push(planar);
        }
        let is_pair = list.len() == 2 && list[1].second && list[1].end == End::Tip;
        Some(Box::new(Planar { lanes, is_pair, links: list }))
    }
}

/// The lanes in which all axes are exactly parallel.
fn parallel<T: Real>(shapes: &[LinkShape], links: &[Link<T>]) -> Mask {
    let on_a_link = || shapes.iter().zip(links).filter(|(shape, _)| shape.parent.is_some());
    let constant = |x: T| x.is_constant();
    if !on_a_link().all(|(_, l)| constant(l.screw.sin_alpha) && constant(l.screw.cos_alpha)) {
        return Mask::NONE;
    }
    Mask::from_fn(T::LANES, |lane| {
        on_a_link().all(|(_, link)| {
            let (sin, cos) = (link.screw.sin_alpha.lane(lane), link.screw.cos_alpha.lane(lane));
            sin == 0.0 && cos.abs() == 1.0
        })
    })
}
