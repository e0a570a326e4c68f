//! Rows at a joint that is eliminated: what it gives to them, what they take from it, and their
//! wrenches on the other side.

use pommel_math::{Real, Vec3, Wrench};

use super::workspace::{ClosureWorkspace, SIDE, Side, pair};
use crate::block::{Row, Rows, add, rotate, wrench_before, wrench_to_parent};
use crate::model::{Link, LinkKind, LinkShape};
use crate::sweep::single::Posture;
use crate::workspace::{BallColumn, Column};

/// An eliminated joint with one velocity.
pub(super) struct Joint<T> {
    pub(super) column: Column<T>,
    /// whether the column stands in the frame before the joint's motion
    pub(super) before: bool,
    pub(super) posture: Posture<T>,
    /// `τ̂ / m̂`
    pub(super) rate: T,
    /// of the reference motion
    pub(super) reference: T,
}

/// Crosses a joint with one velocity: couplings, accelerations, what multipliers take from it, and
/// `K − ψ̂ g` in the frame of the parent.
#[inline(always)]
pub(super) fn joint<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    link: &Link<T>,
    shape: LinkShape,
    joint: &Joint<T>,
) {
    let inverse = joint.column.inverse;
    let psi_hat = joint.column.psi_hat.to_array();
    let Posture { sin, cos, slide } = joint.posture;
    let (size, x) = (joint.rate.abs(), &link.screw);
    let offset = x.a.abs() + x.b.abs() + x.s.abs() + slide.abs();
    memory.felt.clear();
    let begin = memory.crossings.len();
    for a in 0..memory.active.len() {
        let end = memory.active[a] as usize;
        let set = &mut memory.sets[end / 2];
        let end = &mut memory.ends[end];
        let mut w = end.wrenches;
        set.note_sizes(&w);
        let mut g = along(shape.kind, link, &w);
        let own = core::mem::replace(&mut end.joint, T::zero());
        g[0] += own;
        let mut scaled = [T::zero(); SIDE];
        for k in 0..SIDE {
            scaled[k] = g[k] * inverse;
        }
        for k in 0..SIDE {
            let given = g[k] * joint.rate;
            set.acceleration[k] += given;
            set.size[k] += given.abs();
            set.mobility[k] += g[k] * scaled[k];
            let along = reach(shape.kind, link, set.moment[k], set.force[k]);
            set.reach[k] = (along * along).mul_add(inverse, set.reach[k]);
            set.terms[k] = along.mul_add(size, set.terms[k]);
            set.moment[k] = offset.mul_add(set.force[k], set.moment[k]);
        }
        let given = own * joint.reference;
        set.acceleration[0] += given;
        set.size[0] += given.abs();
        set.reach[0] += own * own * inverse;
        if joint.before {
            wrench_before(&mut w, sin, cos, slide);
        }
        for c in 0..6 {
            add(&mut w[c], -psi_hat[c], &g);
        }
        if !joint.before {
            wrench_before(&mut w, sin, cos, slide);
        }
        wrench_to_parent(&mut w, link, shape);
        end.wrenches = w;
        memory.felt.push(g);
        memory.crossings.push((memory.active[a] / 2, scaled));
    }
    for a in 0..memory.active.len() {
        let first = memory.active[a] as usize / 2;
        for b in 0..=a {
            let (second, scaled) = memory.crossings[begin + b];
            let entries = &mut memory.mobility[pair(first, second as usize)];
            for r in 0..memory.counts[first] {
                add(&mut entries[r], memory.felt[a][r], &scaled);
            }
        }
    }
}

/// `pᵀ K`.
#[inline(always)]
fn along<T: Real>(kind: LinkKind, link: &Link<T>, w: &Rows<T, SIDE>) -> Side<T> {
    match kind {
        LinkKind::Prismatic => w[5],
        LinkKind::Helical => {
            let mut g = w[2];
            add(&mut g, link.pitch, &w[5]);
            g
        }
        LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => w[2],
    }
}

/// How large `pᵀ K` would be, were the wrench along the joint.
#[inline(always)]
fn reach<T: Real>(kind: LinkKind, link: &Link<T>, moment: T, force: T) -> T {
    match kind {
        LinkKind::Prismatic => force,
        LinkKind::Helical => link.pitch.abs().mul_add(force, moment),
        LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => moment,
    }
}

/// The same for a joint with several velocities, `m̂⁻¹` given by `solve`, and about how large it is
/// for moments and for forces; the wrenches stay as they are.
#[inline(always)]
pub(super) fn whole<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    solve: impl Fn(Wrench<T>) -> [T; 6],
    sizes: [T; 2],
    rate: [T; 6],
) {
    let begin = memory.whole_crossings.len();
    let rates = [
        rate[0].abs() + rate[1].abs() + rate[2].abs(),
        rate[3].abs() + rate[4].abs() + rate[5].abs(),
    ];
    for a in 0..memory.active.len() {
        let end = memory.active[a] as usize;
        let (set, end, rows) =
            (&mut memory.sets[end / 2], &memory.ends[end], memory.counts[end / 2]);
        set.note_sizes(&end.wrenches);
        let mut twists = [[T::zero(); SIDE]; 6];
        for r in 0..rows {
            let twist = solve(end.wrench(r));
            for c in 0..6 {
                twists[c][r] = twist[c];
            }
        }
        for k in 0..SIDE {
            let (mut given, mut mobility) = (T::zero(), T::zero());
            for c in 0..6 {
                let g = end.wrenches[c][k];
                given = rate[c].mul_add(g, given);
                mobility = twists[c][k].mul_add(g, mobility);
            }
            set.acceleration[k] += given;
            set.size[k] += given.abs();
            set.mobility[k] += mobility;
            let (moment, force) = (set.moment[k], set.force[k]);
            set.reach[k] += (force * force).mul_add(sizes[1], moment * moment * sizes[0]);
            set.terms[k] += force.mul_add(rates[1], moment * rates[0]);
        }
        memory.whole_crossings.push((memory.active[a] / 2, twists));
    }
    for a in 0..memory.active.len() {
        let (first, twists) = memory.whole_crossings[begin + a];
        for b in 0..=a {
            let other = memory.active[b] as usize;
            let entries = &mut memory.mobility[pair(first as usize, other / 2)];
            for r in 0..memory.counts[first as usize] {
                for c in 0..6 {
                    add(&mut entries[r], twists[c][r], &memory.ends[other].wrenches[c]);
                }
            }
        }
    }
}

/// Carries the wrenches of the active ends past a ball: `K − ψ̂ g` in the frame of the parent.
#[inline(always)]
pub(super) fn past_ball<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    column: &BallColumn<T>,
    link: &Link<T>,
    shape: LinkShape,
) {
    for a in 0..memory.active.len() {
        let w = &mut memory.ends[memory.active[a] as usize].wrenches;
        for k in 0..SIDE {
            let g = Vec3::new(w[0][k], w[1][k], w[2][k]);
            let moment = g - column.angular.transpose_mul(g);
            let force = column.linear.transpose_mul(g);
            (w[0][k], w[1][k], w[2][k]) = (moment.x, moment.y, moment.z);
            w[3][k] -= force.x;
            w[4][k] -= force.y;
            w[5][k] -= force.z;
        }
        let (set, x) = (&mut memory.sets[memory.active[a] as usize / 2], &link.screw);
        let offset = x.a.abs() + x.b.abs() + x.s.abs() + x.d.abs();
        for k in 0..SIDE {
            set.moment[k] = offset.mul_add(set.force[k], set.moment[k]);
        }
        rotate(w, column.rotation);
        wrench_before(w, link.screw.sin_theta, link.screw.cos_theta, link.screw.d);
        wrench_to_parent(w, link, shape);
    }
}

/// The sum of the numbers of all rows.
#[inline(always)]
pub(super) fn sum<T: Real>(x: &Row<T, SIDE>) -> T {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}
