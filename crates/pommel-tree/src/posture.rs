//! Placements of the links by screws, once the joints are turned, in the frame of their tree: world
//! axes, about the origin of the tree's root.

use pommel_math::{Mat3, Quaternion, Real, Transform, Twist, Vec3};

use crate::model::{LinkKind, Model};
use crate::workspace::Workspace;

/// Fills `ws.placements`, relative to the origin of each tree's root, by screws from link to link,
/// after [`turn_joints`](crate::sweep::bias::turn_joints).
#[inline(always)]
pub(crate) fn place<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, q: &[T]) {
    let (shapes, links) = model.links();
    for i in 0..shapes.len() {
        let (shape, link) = (&shapes[i], &links[i]);
        let frame = match (shape.parent, shape.root) {
            (Some(p), _) => ws.placements[p as usize],
            (None, Some(root)) => {
                Transform::new(model.roots[root as usize].world.rotation, Vec3::zero())
            }
            (None, None) => Transform::identity(),
        };
        let screw = &link.screw;
        let q = &q[shape.q as usize..];
        let (sin, cos, d) = match shape.kind {
            LinkKind::Revolute => {
                (ws.sin[shape.turn as usize], ws.cos[shape.turn as usize], screw.d)
            }
            LinkKind::Helical => (
                ws.sin[shape.turn as usize],
                ws.cos[shape.turn as usize],
                link.pitch.mul_add(q[0], screw.d),
            ),
            LinkKind::Prismatic => (screw.sin_theta, screw.cos_theta, screw.d + q[0]),
            LinkKind::Ball => (screw.sin_theta, screw.cos_theta, screw.d),
            LinkKind::Free => {
                let turned = frame.rotation * Quaternion::from_slice(&q[3..]).rotation();
                ws.placements[i] = Transform::new(turned, Vec3::zero());
                continue;
            }
        };
        // the columns of the rotation are the axes of the frame
        let axes = frame.rotation.transpose();
        let (mut x, mut y, mut z, mut r) = (axes.x, axes.y, axes.z, frame.translation);
        if shape.has_branch {
            r = z.scale_add(screw.s, r);
            (x, y) = turn(x, y, screw.sin_phi, screw.cos_phi);
        }
        r = x.scale_add(screw.a, y.scale_add(screw.b, r));
        (y, z) = turn(y, z, screw.sin_alpha, screw.cos_alpha);
        (x, y) = turn(x, y, sin, cos);
        r = z.scale_add(d, r);
        let mut rotation = Mat3::from_rows(x, y, z).transpose();
        if shape.kind == LinkKind::Ball {
            rotation = rotation * Quaternion::from_slice(q).rotation();
        }
        ws.placements[i] = Transform::new(rotation, r);
    }
}

/// Two axes turned about the third.
#[inline(always)]
fn turn<T: Real>(a: Vec3<T>, b: Vec3<T>, sin: T, cos: T) -> (Vec3<T>, Vec3<T>) {
    (a.scale_add(cos, b.scale(sin)), b.scale_add(cos, a.scale(-sin)))
}

/// The twist `S` of velocity `k` of a link.
#[inline(always)]
pub(crate) fn axis<T: Real>(kind: LinkKind, pitch: T, at: Transform<T>, k: usize) -> Twist<T> {
    let r = at.translation;
    let turn = |e: Vec3<T>| Twist::new(e, r.cross(e));
    let column = |k: usize| {
        let Mat3 { x, y, z } = at.rotation;
        match k {
            0 => Vec3::new(x.x, y.x, z.x),
            1 => Vec3::new(x.y, y.y, z.y),
            _ => Vec3::new(x.z, y.z, z.z),
        }
    };
    match kind {
        LinkKind::Revolute => turn(column(2)),
        LinkKind::Prismatic => Twist::new(Vec3::zero(), column(2)),
        LinkKind::Helical => {
            let Twist { angular, linear } = turn(column(2));
            Twist::new(angular, angular.scale_add(pitch, linear))
        }
        LinkKind::Ball => turn(column(k)),
        LinkKind::Free => {
            let one = |at: usize| if k % 3 == at { T::one() } else { T::zero() };
            let e = Vec3::new(one(0), one(1), one(2));
            if k < 3 { Twist::new(e, Vec3::zero()) } else { Twist::new(Vec3::zero(), e) }
        }
    }
}

#[inline(always)]
pub(crate) fn scale_add<T: Real>(t: Twist<T>, s: T, c: Twist<T>) -> Twist<T> {
    Twist::new(t.angular.scale_add(s, c.angular), t.linear.scale_add(s, c.linear))
}

/// Fills `ws.rates` with the twists of the placed links, and `ws.root_velocities` with the linear
/// velocities of free roots, which the twists lack.
#[inline(always)]
pub(crate) fn move_links<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, v: &[T]) {
    let (shapes, links) = model.links();
    for i in 0..shapes.len() {
        let (shape, at) = (shapes[i], ws.placements[i]);
        let own = &v[shape.v as usize..];
        let mut twist = match shape.parent {
            Some(p) => ws.rates[p as usize],
            None => {
                ws.root_velocities[i] = match shape.kind {
                    LinkKind::Free => Vec3::from_slice(&own[3..]),
                    _ => Vec3::zero(),
                };
                Twist::zero()
            }
        };
        match shape.kind {
            LinkKind::Free => twist.angular = Vec3::from_slice(own),
            LinkKind::Ball => {
                let omega = at.rotation * Vec3::from_slice(own);
                twist += Twist::new(omega, at.translation.cross(omega));
            }
            kind => twist = scale_add(axis(kind, links[i].pitch, at, 0), own[0], twist),
        }
        ws.rates[i] = twist;
    }
}
