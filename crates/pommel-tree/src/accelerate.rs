//! Motions and accelerations of the links, root to tips.

use pommel_math::{Real, Transform, Vec3};

use crate::kinematics::link_in_parent;
use crate::model::{LinkKind, Model};
use crate::sweep::bias::gradient;
use crate::workspace::{Flow, Workspace};

/// Fills `ws.flows` with the motion of every link at the velocities `v` and the joint accelerations
/// `qdd`, in link axes, and `ws.locals` with the placements in the parents. The ground accelerates
/// with `ground` (world axes): against gravity, or not at all.
#[inline(always)]
pub(crate) fn accelerate_links<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: Option<&[T]>,
    qdd: Option<&[T]>,
    ground: Vec3<T>,
) {
    let resting = Flow { acceleration: ground, ..Flow::zero() };
    for i in 0..model.links.len() {
        let parent = match model.topology.links[i].parent {
            Some(p) => ws.flows[p as usize],
            None => resting,
        };
        (ws.locals[i], ws.flows[i]) = accelerate_link(model, i, &parent, q, v, qdd);
    }
}

/// Placement in the parent and motion of link `i` on a parent with the motion `parent`.
#[inline(always)]
pub(crate) fn accelerate_link<T: Real>(
    model: &Model<T>,
    i: usize,
    parent: &Flow<T>,
    q: &[T],
    v: Option<&[T]>,
    qdd: Option<&[T]>,
) -> (Transform<T>, Flow<T>) {
    let scalar = |list: Option<&[T]>, k: usize| list.map_or(T::zero(), |list| list[k]);
    let vector = |list: Option<&[T]>, k: usize| match list {
        Some(list) => Vec3::from_slice(&list[k..]),
        None => Vec3::zero(),
    };
    let (shape, link) = (model.topology.links[i], &model.links[i]);
    let local = link_in_parent(model, shape, link, q);
    let into = |u: Vec3<T>| local.rotation.transpose_mul(u);
    // nothing turns below a root
    let (mut omega, mut alpha, mut a) = match shape.parent {
        Some(_) => (
            into(parent.omega),
            into(parent.alpha),
            into(parent.acceleration + parent.gradient * local.translation),
        ),
        None => (Vec3::zero(), Vec3::zero(), into(parent.acceleration)),
    };
    let iv = shape.v as usize;
    let along_z = |x: T| Vec3::new(T::zero(), T::zero(), x);
    let slide = match shape.kind {
        LinkKind::Prismatic => T::one(),
        LinkKind::Helical => link.pitch,
        LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => T::zero(),
    };
    if matches!(shape.kind, LinkKind::Prismatic | LinkKind::Helical) {
        let rate = slide * scalar(v, iv);
        a = omega.cross_add(along_z(rate + rate), a);
        a.z = slide.mul_add(scalar(qdd, iv), a.z);
    }
    match shape.kind {
        LinkKind::Revolute | LinkKind::Helical => {
            let rate = scalar(v, iv);
            alpha = omega.cross_add(along_z(rate), alpha);
            alpha.z += scalar(qdd, iv);
            omega.z += rate;
        }
        LinkKind::Prismatic => {}
        LinkKind::Ball => {
            let relative = vector(v, iv);
            alpha = omega.cross_add(relative, alpha) + vector(qdd, iv);
            omega += relative;
        }
        LinkKind::Free => {
            omega = into(vector(v, iv));
            alpha = into(vector(qdd, iv));
            a += into(vector(qdd, iv + 3));
        }
    }
    let gradient = gradient(omega, alpha);
    (local, Flow { omega, alpha, acceleration: a, gradient })
}
