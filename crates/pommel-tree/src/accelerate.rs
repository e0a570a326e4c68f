//! Motions and accelerations of the links, root to tips.

use pommel_math::{Real, Vec3};

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
    let scalar = |list: Option<&[T]>, k: usize| list.map_or(T::zero(), |list| list[k]);
    let vector = |list: Option<&[T]>, k: usize| match list {
        Some(list) => Vec3::from_slice(&list[k..]),
        None => Vec3::zero(),
    };
    let (shapes, links) = model.links();
    for i in 0..shapes.len() {
        let (shape, link) = (shapes[i], &links[i]);
        let local = link_in_parent(model, shape, link, q);
        let (omega, alpha, a) = match shape.parent {
            Some(p) => {
                let m = &ws.flows[p as usize];
                (m.omega, m.alpha, m.acceleration + m.gradient * local.translation)
            }
            None => (Vec3::zero(), Vec3::zero(), ground),
        };
        let into = |u: Vec3<T>| local.rotation.transpose_mul(u);
        let (mut omega, mut alpha, mut a) = (into(omega), into(alpha), into(a));
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
        ws.flows[i] = Flow { omega, alpha, acceleration: a, gradient: gradient(omega, alpha) };
        ws.locals[i] = local;
    }
}
