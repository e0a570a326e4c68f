//! How the links move, in the frame of their tree.

use pommel_math::{Real, Twist, Vec3};

use super::memory::Column;
use crate::model::{LinkKind, Model};
use crate::posture::{axis, scale_add};
use crate::workspace::Workspace;

/// `V × S` of two twists.
#[inline(always)]
fn cross<T: Real>(v: Twist<T>, s: Twist<T>) -> Twist<T> {
    Twist::new(v.angular.cross(s.angular), v.angular.cross_add(s.linear, v.linear.cross(s.angular)))
}

/// The motion of the ground: gravity is an acceleration of everything.
#[inline(always)]
fn ground<T: Real>(model: &Model<T>) -> (Twist<T>, Twist<T>) {
    (Twist::zero(), Twist::new(Vec3::zero(), -model.gravity))
}

/// The motion of link `i` from that of its parent, and its columns `S`, `ψ`, `ψ′`, `χ`; returns how
/// many they are. Twists stand in `ws.rates`, their rates in `ws.flows`.
#[inline(always)]
pub(super) fn advance<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    i: usize,
    v: &[T],
    qdd: &[T],
    columns: &mut [Column<T>; 6],
) -> usize {
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
            for k in 0..6 {
                let column = &mut columns[k];
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
            for k in 0..count {
                let column = &mut columns[k];
                let s = axis(shape.kind, pitch, at, k);
                let psi = cross(before, s);
                column.axis = s;
                column.rate = psi;
                column.second = cross(rate_before, s) + cross(before, psi);
                twist = scale_add(s, v[iv + k], twist);
                rate = scale_add(psi, v[iv + k], scale_add(s, qdd[iv + k], rate));
            }
            for k in 0..count {
                let column = &mut columns[k];
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
    count
}

/// Twist and rate of a link.
#[inline(always)]
pub(super) fn motion_of<T: Real>(ws: &Workspace<T>, i: usize) -> (Twist<T>, Twist<T>) {
    (ws.rates[i], Twist::new(ws.flows[i].alpha, ws.flows[i].acceleration))
}
