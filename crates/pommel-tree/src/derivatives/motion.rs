//! Where the links are and how they move, in the frame of their tree.

use pommel_math::{Mat3, Quaternion, Real, Transform, Twist, Vec3};

use super::memory::Column;
use crate::model::{LinkKind, Model};
use crate::workspace::Workspace;

/// Fills `ws.placements`, relative to the origin of each tree's root, by screws from link to link,
/// after [`turn_joints`](crate::sweep::bias::turn_joints).
#[inline(always)]
pub(super) fn place<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, q: &[T]) {
    for (i, (shape, link)) in model.topology.links.iter().zip(&model.links).enumerate() {
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

/// `V × S` of two twists.
#[inline(always)]
fn cross<T: Real>(v: Twist<T>, s: Twist<T>) -> Twist<T> {
    Twist::new(v.angular.cross(s.angular), v.angular.cross_add(s.linear, v.linear.cross(s.angular)))
}

#[inline(always)]
pub(super) fn scale_add<T: Real>(t: Twist<T>, s: T, c: Twist<T>) -> Twist<T> {
    Twist::new(t.angular.scale_add(s, c.angular), t.linear.scale_add(s, c.linear))
}

/// The twist `S` of velocity `k` of a link.
#[inline(always)]
pub(super) fn axis<T: Real>(kind: LinkKind, pitch: T, at: Transform<T>, k: usize) -> Twist<T> {
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

/// The motion of the ground: gravity is an acceleration of everything.
#[inline(always)]
fn ground<T: Real>(model: &Model<T>) -> (Twist<T>, Twist<T>) {
    (Twist::zero(), Twist::new(Vec3::zero(), -model.gravity))
}

/// The motion of link `i` from that of its parent, and its columns `S`, `ψ`, `ψ′`, `χ`. Twists stand in `ws.rates`, their rates in `ws.flows`.
#[inline(always)]
pub(super) fn advance<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    i: usize,
    v: &[T],
    qdd: &[T],
    columns: &mut [Column<T>],
) {
    let shape = model.topology.links[i];
    let iv = shape.v as usize;
    let count = shape.kind.coordinates().1;
    let (pitch, at) = (model.links[i].pitch, ws.placements[i]);
    let (before, rate_before) = match shape.parent {
        Some(p) => motion_of(ws, p as usize),
        None => ground(model),
    };
    let (mut twist, mut rate) = (before, rate_before);
    match shape.kind {
        LinkKind::Free => {
            // the velocity of the origin is a uniform motion: left out
            let own = &qdd[iv..];
            twist.angular = Vec3::from_slice(&v[iv..]);
            rate.angular = Vec3::from_slice(own);
            rate.linear += Vec3::from_slice(&own[3..]);
            for (k, column) in columns[..6].iter_mut().enumerate() {
                let s = axis(shape.kind, pitch, at, k);
                column.axis = s;
                let psi = if k < 3 { cross(twist, s) } else { Twist::zero() };
                column.rate = psi;
                column.drift = psi;
                column.second =
                    if k < 3 { cross(rate, s) + cross(twist, psi) } else { Twist::zero() };
            }
        }
        LinkKind::Ball => {
            for (k, column) in columns[..count].iter_mut().enumerate() {
                let s = axis(shape.kind, pitch, at, k);
                let psi = cross(before, s);
                column.axis = s;
                column.rate = psi;
                column.second = cross(rate_before, s) + cross(before, psi);
                twist = scale_add(s, v[iv + k], twist);
                rate = scale_add(psi, v[iv + k], scale_add(s, qdd[iv + k], rate));
            }
            for column in &mut columns[..count] {
                column.drift = column.rate + cross(twist, column.axis);
            }
        }
        LinkKind::Revolute | LinkKind::Prismatic | LinkKind::Helical => {
            let s = axis(shape.kind, pitch, at, 0);
            let psi = cross(before, s);
            let column = &mut columns[0];
            column.axis = s;
            column.rate = psi;
            column.second = cross(rate_before, s) + cross(before, psi);
            // V_i × S = V_p × S, because V_i − V_p is along S
            column.drift = psi + psi;
            twist = scale_add(s, v[iv], twist);
            rate = scale_add(psi, v[iv], scale_add(s, qdd[iv], rate));
        }
    }
    ws.rates[i] = twist;
    ws.flows[i].alpha = rate.angular;
    ws.flows[i].acceleration = rate.linear;
}

/// Twist and rate of a link.
#[inline(always)]
pub(super) fn motion_of<T: Real>(ws: &Workspace<T>, i: usize) -> (Twist<T>, Twist<T>) {
    (ws.rates[i], Twist::new(ws.flows[i].alpha, ws.flows[i].acceleration))
}
