//! The sweeps in the plane from the root to the tips.

use pommel_math::{Mask, Real, Vec3};

use super::{Pair, dot, put, scale_add, turned};
use crate::model::{End, Place, Planar, RootPlacement};
use crate::workspace::Workspace;

/// Angles and angular velocities, sums along the tree, and the sines and cosines of the angles.
///
/// What rounding takes from a sum of angles is summed, too (`[Knu97, §4.2.2, Theorem B]`), so that
/// the angle between two links is as exact as its coordinate, although the tree before them has
/// turned many times: what was taken counts to first order, so up to some 1e9 rad, in `f32` 1e4.
#[inline(always)]
pub(crate) fn turn<T: Real>(planar: &Planar<T>, ws: &mut Workspace<T>, q: &[T], v: &[T]) {
    let links = &planar.links[..];
    let n = links.len();
    let (states, angles) = (&mut ws.planar.states[..n], &mut ws.angles[..n]);
    let zero = T::zero();
    let (mut angle, mut low, mut omega) = (zero, zero, zero);
    for i in 0..n {
        let link = &links[i];
        let step = link.sense.mul_add(q[link.q as usize], link.angle);
        let rate = link.sense * v[link.v as usize];
        match link.place {
            Place::Ground => (angle, low, omega) = (step, zero, rate),
            Place::Last => {
                (angle, low) = precise_sum(angle, low, step);
                omega += rate;
            }
            Place::Earlier => {
                let p = link.parent as usize;
                let parent = &states[p];
                omega = parent.omega + rate;
                (angle, low) = precise_sum(angles[p], parent.low, step);
            }
        }
        angles[i] = angle;
        states[i].low = low;
        states[i].omega = omega;
    }
    T::sin_cos_all(&ws.angles, &mut ws.sin, &mut ws.cos);
}

/// `a + b` as a rounded number and what rounding took from it, the latter added to `low`.
#[inline(always)]
fn precise_sum<T: Real>(a: T, low: T, b: T) -> (T, T) {
    let sum = a + b;
    let part = sum - a;
    (sum, low + ((a - (sum - part)) + (b - part)))
}

/// Arms, and accelerations of the joints at the reference motion.
#[inline(always)]
pub(crate) fn place<T: Real>(
    planar: &Planar<T>,
    roots: &[RootPlacement<T>],
    ws: &mut Workspace<T>,
) {
    let links = &planar.links[..];
    let n = links.len();
    let (states, sin, cos) = (&mut ws.planar.states[..n], &mut ws.sin[..n], &mut ws.cos[..n]);
    let zero = T::zero();
    let (mut s, mut c, mut omega, mut a) = (zero, zero, zero, [zero; 2]);
    for i in 0..n {
        let link = &links[i];
        if link.place == Place::Ground {
            let Vec3 { x, y, .. } = roots[link.root as usize].gravity;
            a = [-x, -y];
        } else {
            if link.place == Place::Earlier {
                let p = link.parent as usize;
                (s, c, omega, a) = (sin[p], cos[p], states[p].omega, states[p].acceleration);
            }
            let r = turned(link.arm, s, c);
            a = scale_add(r, -(omega * omega), a);
            states[i].e = [-r[1], r[0]];
        }
        let state = &mut states[i];
        state.acceleration = a;
        // of ψ + low
        (s, c) = (state.low.mul_add(cos[i], sin[i]), (-state.low).mul_add(sin[i], cos[i]));
        omega = state.omega;
        (sin[i], cos[i]) = (s, c);
    }
}

/// Angular accelerations, and the joint accelerations from them. Those of lanes that are not planar
/// stay. Returns the lanes in which all are finite.
#[inline(always)]
pub(crate) fn accelerate<T: Real>(
    planar: &Planar<T>,
    ws: &mut Workspace<T>,
    qdd: &mut [T],
) -> Mask {
    let links = &planar.links[..];
    let n = links.len();
    let (states, columns) = (&mut ws.planar.states[..n], &ws.planar.columns[..n]);
    let zero = T::zero();
    let mut finite = zero;
    // angular acceleration of the last link, and acceleration of its joint
    let (mut alpha, mut a): (T, Pair<T>) = (zero, [zero; 2]);
    for i in 0..n {
        let (link, column) = (&links[i], &columns[i]);
        let rate = match link.place {
            Place::Ground => {
                (alpha, a) = (column.free, [zero; 2]);
                alpha
            }
            Place::Last | Place::Earlier => {
                let mut before = alpha;
                if link.place == Place::Earlier {
                    // the sweep inward has used up both
                    let parent = &states[link.parent as usize];
                    (before, a) = (parent.omega, parent.acceleration);
                }
                let e = states[i].e;
                if link.end == End::Wheel {
                    alpha = column.free;
                } else if link.second {
                    alpha = (-before).mul_add(column.lever, column.free);
                    a = [e[0] * before, e[1] * before];
                } else {
                    let free = column.free - dot(column.psi, a);
                    alpha = (-before).mul_add(column.lever, free);
                    a = scale_add(e, before, a);
                }
                alpha - before
            }
        };
        if link.keeps {
            (states[i].omega, states[i].acceleration) = (alpha, a);
        }
        finite = put(planar, qdd, link.v, link.sense * rate, finite);
    }
    finite.is_finite()
}
