//! Which case of the sweeps treats each link.

use pommel_math::Real;

use super::assemble::Draft;
use super::{Link, LinkKind, LinkShape, Role};

/// What follows from who is whose child, and the role of every link but wheels.
pub(super) fn set_structure<T: Real>(drafts: &mut [Draft<T>]) {
    for i in 0..drafts.len() {
        let children = drafts[i].children.clone();
        // the sweep from the tips meets the last child first
        if let Some(&last) = children.last() {
            drafts[last].shape.arrives_first = true;
        }
        // the frame of a link is turned towards its first child, that of a ball or a free one
        // towards none; by structure and not by numbers, so that all instances do the same
        let kind = drafts[i].shape.kind;
        for (k, &child) in children.iter().enumerate() {
            let shape = &mut drafts[child].shape;
            shape.has_branch = kind.is_whole() || k > 0;
            shape.after_slide = !kind.turns();
            shape.follows = child == i + 1;
            shape.sole = shape.follows && children.len() == 1;
        }
        drafts[i].shape.has_sole = children.len() == 1 && children[0] == i + 1;
        drafts[i].shape.keeps = children.iter().any(|&child| child != i + 1);
    }
    for i in 0..drafts.len() {
        let shape = drafts[i].shape;
        let parent = shape.parent.map(|p| drafts[p as usize].shape);
        drafts[i].shape.role = match (shape.kind, parent) {
            (LinkKind::Free, _) => Role::Free,
            (LinkKind::Ball, _) => Role::Ball,
            (LinkKind::Prismatic | LinkKind::Helical, _) => Role::Single,
            (LinkKind::Revolute, _) if shape.geared => Role::Single,
            (LinkKind::Revolute, None) => Role::Ground,
            (LinkKind::Revolute, Some(p)) if p.role == Role::Ground && p.has_sole => Role::Second,
            (LinkKind::Revolute, Some(_)) if drafts[i].children.is_empty() => Role::Tip,
            (LinkKind::Revolute, Some(_)) => Role::Turn,
        };
    }
}

/// How many units of rounding of its axial inertia a wheel may be out of balance.
const BALANCE: f64 = 8.0;

/// Tips whose mass centre lies on their axis and whose inertia is the same about all axes across
/// it: to turn them moves no mass. With dual numbers that must not depend on the derivative.
pub(super) fn find_wheels<T: Real>(shapes: &mut [LinkShape], links: &[Link<T>]) {
    for (shape, link) in shapes.iter_mut().zip(links) {
        if shape.role != Role::Tip {
            continue;
        }
        let (m, h, p) = (link.inertia.mass, link.inertia.first_moment, link.inertia.second_moment);
        let rounding = T::from_f64(BALANCE * T::EPSILON);
        let bound = (p.xx.abs() + p.yy.abs() + p.zz.abs()) * rounding;
        let small = |x: T| x.is_constant() && x.abs().le(bound).is_all(T::LANES);
        let moments = [p.xy, p.xz, p.yz, p.xx - p.yy];
        // h² ≤ (bound / rounding) m rounding²
        let light = |h: T| h.is_constant() && (h * h).le(bound * rounding * m).is_all(T::LANES);
        let limit = link.pivot_limit;
        let turns = limit.lt(p.xx + p.yy).is_all(T::LANES);
        if turns && moments.into_iter().all(small) && light(h.x) && light(h.y) {
            shape.role = Role::Wheel;
        }
    }
}

/// Numbers the links of each role that have memory of their own.
pub(super) fn number(shapes: &mut [LinkShape]) {
    let (mut turns, mut tips, mut balls, mut free) = (0, 0, 0, 0);
    for shape in shapes {
        if matches!(shape.kind, LinkKind::Revolute | LinkKind::Helical) {
            shape.turn = turns;
            turns += 1;
        }
        let count = match shape.role {
            Role::Tip => &mut tips,
            Role::Ball => &mut balls,
            Role::Free => &mut free,
            _ => continue,
        };
        shape.slot = *count;
        *count += 1;
    }
}
