//! The sweep in the plane from the tips to the root.

use pommel_math::Real;

use super::{Column, Felt, Pair, dot, scale_add, turned};
use crate::model::{End, Place, Planar};
use crate::sweep::eliminate::PivotCheck;
use crate::workspace::Workspace;

/// Eliminates the joints.
#[inline(always)]
pub(crate) fn eliminate_joints<T: Real>(
    planar: &Planar<T>,
    ws: &mut Workspace<T>,
    tau: &[T],
    with_loads: bool,
    check: &mut PivotCheck,
) {
    let links = &planar.links[..];
    let n = links.len();
    let (sin, cos) = (&ws.sin[..n], &ws.cos[..n]);
    let memory = &mut ws.planar;
    let (states, columns) = (&memory.states[..n], &mut memory.columns[..n]);
    let (felt, loads) = (&mut memory.felt[..n], &memory.loads[..n]);
    let mut carried = Felt::zero();
    for i in (0..n).rev() {
        let (link, state) = (&links[i], &states[i]);
        let tau = link.sense * tau[link.v as usize];
        let mut own = Felt::zero();
        own.j = link.inertia;
        if link.end != End::Wheel {
            // u = ẑ × h,  n = u·a,  f = −ω² h
            let h = turned(link.moment, sin[i], cos[i]);
            own.u = [-h[1], h[0]];
            own.n = dot(own.u, state.acceleration);
            let minus_square = -(state.omega * state.omega);
            own.f = [h[0] * minus_square, h[1] * minus_square];
        } else {
            // its speed does not matter, unless it is no number
            let none = state.omega * T::zero();
            (own.n, own.f) = (none, [none; 2]);
        }
        if with_loads {
            let load = &loads[i];
            own.n -= load.n;
            own.f = [own.f[0] - load.f[0], own.f[1] - load.f[1]];
        }
        let all = match link.end {
            End::Inner { sole: true } => own.plus(carried),
            End::Inner { sole: false } => own.plus(felt[i]),
            End::Tip | End::Wheel => own,
        };
        if !link.heavy {
            check.require(all.j, link.limit, i, 0);
        }
        let inverse = all.j.recip();
        let free = (tau - all.n) * inverse;
        let column = &mut columns[i];
        let at = (state.e, tau);
        let seen = match (link.place, link.end, link.second) {
            (Place::Ground, _, _) => {
                column.free = free;
                continue;
            }
            (_, End::Wheel, _) => {
                column.free = free;
                let mut seen = Felt::zero();
                (seen.n, seen.f) = (tau + dot(state.e, all.f), all.f);
                seen
            }
            (_, End::Tip, true) => eliminate::<T, true, true>(&all, inverse, free, at, column),
            (_, End::Tip, false) => eliminate::<T, true, false>(&all, inverse, free, at, column),
            (_, End::Inner { .. }, true) => {
                eliminate::<T, false, true>(&all, inverse, free, at, column)
            }
            (_, End::Inner { .. }, false) => {
                eliminate::<T, false, false>(&all, inverse, free, at, column)
            }
        };
        if link.sole {
            carried = seen;
            continue;
        }
        let parent = &mut felt[link.parent as usize];
        *parent = if link.arrives_first { seen } else { parent.plus(seen) };
    }
}

/// Leaves the column of a joint on the arm `e`, and returns what its parent feels. `TIP`: nothing
/// beyond, so that K is zero. `SECOND`: the parent feels moments about its axis alone.
#[inline(always)]
fn eliminate<T: Real, const TIP: bool, const SECOND: bool>(
    all: &Felt<T>,
    inverse: T,
    free: T,
    (e, tau): (Pair<T>, T),
    column: &mut Column<T>,
) -> Felt<T> {
    let (u, k) = (all.u, all.k);
    let across = dot(u, e);
    let lever = across * inverse;
    let mut seen = Felt::zero();
    let mut bent = [T::zero(); 2];
    if TIP {
        seen.j = -(across * lever);
    } else {
        // K e
        bent = [k[0].mul_add(e[0], k[1] * e[1]), k[1].mul_add(e[0], k[2] * e[1])];
        seen.j = (-across).mul_add(lever, dot(e, bent));
    }
    seen.n = across.mul_add(free, dot(e, all.f) + tau);
    column.lever = lever;
    column.free = free;
    if !SECOND {
        let psi = [u[0] * inverse, u[1] * inverse];
        column.psi = psi;
        seen.u = scale_add(u, -lever, bent);
        seen.k = [
            (-u[0]).mul_add(psi[0], k[0]),
            (-u[0]).mul_add(psi[1], k[1]),
            (-u[1]).mul_add(psi[1], k[2]),
        ];
        seen.f = scale_add(u, free, all.f);
    }
    seen
}
