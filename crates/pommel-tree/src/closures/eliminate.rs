//! Elimination of joints and multipliers, tips to root.
//!
//! On the way to the root, a link with its open rows satisfies
//!
//! ```text
//! f = M̂ μ + z + K λ          wrench that the link needs from its joint
//! 0 = Kᵀ μ − L λ + c          one equation a row
//! ```
//!
//! A joint takes away `q̈ = (τ̂ − ψᵀ μ' − g λ) / m̂` with `g = pᵀ K`, and leaves `K − ψ̂ g`,
//! `L + gᵀ g / m̂`, `c + gᵀ τ̂ / m̂`. As soon as the joints within a loop move its ends enough, its
//! multipliers are eliminated in turn, `λ = L⁻¹ (Kᵀ μ + c)`, which adds `K L⁻¹ Kᵀ` to `M̂`: the loop
//! has become an inertia, and the elimination goes on as in a tree. So a chain of loops costs time
//! proportional to its length. Rows for which the joints of the loop do not suffice go on towards
//! the root.

use pommel_math::{Real, Twist, Vec3, Wrench};

use super::ClosureError;
use super::LoopClosures;
use super::close::close_rows;
use super::ends::{arrive, put_down};
use super::workspace::ClosureWorkspace;
use crate::model::{Link, LinkKind, LinkShape, Model, Role};
use crate::screw::{x_out, z_out};
use crate::sweep::eliminate::{PivotCheck, pass_on};
use crate::sweep::{ball, root, single, tip, turn};
use crate::workspace::{Inner, Workspace};

/// Leaves `τ̂ / m̂` in `qdd`.
#[inline(always)]
pub(super) fn sweep<T: Real>(
    model: &Model<T>,
    closures: &LoopClosures<T>,
    ws: &mut Workspace<T>,
    memory: &mut ClosureWorkspace<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Result<(), ClosureError> {
    memory.crossings.clear();
    memory.whole_crossings.clear();
    memory.solved.clear();
    memory.couplings.clear();
    let shapes = &model.topology.links;
    let ground = shapes.len();
    let mut carried = Inner::zero();
    // whether the active ends came from the link before to the one in hand
    let mut rows_follow = false;
    for i in (0..shapes.len()).rev() {
        let (shape, link) = (shapes[i], &model.links[i]);
        let mut inner = match shape.role {
            Role::Tip | Role::Wheel => Inner::zero(),
            _ if shape.has_sole => carried,
            _ => ws.inner[i],
        };
        let begin = memory.solved.len() as u32;
        arrive(memory, i, rows_follow);
        if !memory.active.is_empty() {
            close_rows(closures, memory, &mut inner, Some(closures.sizes[i]))?;
        }
        memory.solved_ranges[i] = [begin, memory.solved.len() as u32];
        let first_crossing = match shape.role {
            Role::Ball | Role::Free => memory.whole_crossings.len(),
            _ => memory.crossings.len(),
        } as u32;
        let seen = cross(model, ws, memory, (i, shape, link), inner, tau, check, qdd);
        let last_crossing = match shape.role {
            Role::Ball | Role::Free => memory.whole_crossings.len(),
            _ => memory.crossings.len(),
        } as u32;
        memory.crossing_ranges[i] = [first_crossing, last_crossing];
        // the open rows go on to the parent
        let to = shape.parent.map_or(ground, |p| p as usize);
        rows_follow = to + 1 == i;
        if !rows_follow {
            put_down(memory, to);
        }
        if let Some(seen) = seen {
            pass_on(seen, shape, ws, &mut carried);
        }
    }
    let begin = memory.solved.len() as u32;
    arrive(memory, ground, false);
    close_rows(closures, memory, &mut Inner::zero(), None)?;
    memory.solved_ranges[ground] = [begin, memory.solved.len() as u32];
    Ok(())
}

/// Eliminates the joint of a link; returns what the parent feels.
#[inline(always)]
fn cross<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    memory: &mut ClosureWorkspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: Inner<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Option<Inner<T>> {
    let (iv, at) = (shape.v as usize, shape.turn as usize);
    let bias = ws.biases[i];
    let z = inner.wrench + bias.wrench;
    match shape.role {
        Role::Turn | Role::Tip | Role::Second | Role::Ground => {
            let (sin, cos, d) = (ws.sin[at], ws.cos[at], link.screw.d);
            let m = turn::plus_turning(inner.inertia, link);
            check.require(m.inertia.zz, link.pivot_limit, i, 0);
            let (column, reduced) = turn::reduce(m);
            let tau_hat = tau[iv] - z.moment.z;
            let rate = tau_hat * column.inverse;
            qdd[iv] = rate;
            ws.columns[i] = column;
            let reference = match shape.role {
                Role::Turn | Role::Tip => link.screw.sin_alpha.mul_add(bias.reference, bias.extra),
                _ => bias.reference,
            };
            cross_rows(memory, LinkKind::Revolute, link, column.inverse, rate, reference);
            for &end in &memory.active {
                let (w, g) = memory.ends[end as usize].met();
                *w = column.psi_hat.scale_add(-g, *w);
                let out = turn::turn_wrench_out(turn::slide_wrench(*w, d), sin, cos, link);
                *w = turn::wrench_to_parent(out, link, shape);
            }
            if shape.role == Role::Ground {
                return None;
            }
            let z = turn::loaded(z, &column.psi_hat, tau_hat, tau[iv]);
            let z = turn::turn_wrench_out(turn::slide_wrench(z, d), sin, cos, link);
            let m = turn::turn_out(turn::slide(reduced, d), sin, cos, link);
            Some(turn::onto_parent(m, z, link, shape))
        }
        Role::Wheel => {
            let pivot = link.derived.p_sum;
            check.require(pivot, link.pivot_limit, i, 0);
            let inverse = pivot.recip();
            ws.columns[i].inverse = inverse;
            let rate = (tau[iv] + bias.extra) * inverse;
            qdd[iv] = rate;
            cross_rows(memory, LinkKind::Revolute, link, inverse, rate, bias.reference);
            for &end in &memory.active {
                // ψ̂ is the axis
                let (w, g) = memory.ends[end as usize].met();
                w.moment.z -= g;
                let slid = turn::slide_wrench(*w, link.screw.d);
                let out = turn::turn_wrench_out(slid, ws.sin[at], ws.cos[at], link);
                *w = turn::wrench_to_parent(out, link, shape);
            }
            let axis = tip::wheel_axis(link, shape);
            let moment = axis.scale_add(tau[iv], bias.wrench.moment);
            Some(Inner { wrench: Wrench::new(moment, bias.wrench.force), ..Inner::zero() })
        }
        Role::Single => {
            let posture = single::Posture::of(shape, link, ws, bias.extra);
            let spin = shape.rotor.map(|r| &model.rotors[r as usize]);
            let armature = model.armature[iv];
            let (column, pivot, m) =
                single::reduce(inner.inertia, shape.kind, link, posture, armature, spin);
            check.require(pivot, link.pivot_limit, i, 0);
            let mut tau_hat = tau[iv] - single::along(shape.kind, link, z);
            let mut z = posture.wrench_out(z);
            if shape.geared {
                tau_hat = (-armature).mul_add(bias.reference, tau_hat);
            }
            if let Some(rotor) = shape.rotor {
                let load = &ws.gears[rotor as usize];
                tau_hat -= load.torque;
                z.moment += load.moment;
            }
            let rate = tau_hat * column.inverse;
            qdd[iv] = rate;
            ws.columns[i] = column;
            cross_rows(memory, shape.kind, link, column.inverse, rate, bias.reference);
            let (sin, cos) = (link.screw.sin_alpha, link.screw.cos_alpha);
            for &end in &memory.active {
                let (w, g) = memory.ends[end as usize].met();
                let before = column.psi_hat.scale_add(-g, posture.wrench_out(*w));
                let (n, f) = (before.moment, before.force);
                let out = Wrench::new(x_out(n, sin, cos), x_out(f, sin, cos));
                *w = turn::wrench_to_parent(out, link, shape);
            }
            shape.parent?;
            let z = column.psi_hat.scale_add(tau_hat, z);
            let (m, z) = single::turn_out(m, z, link);
            Some(turn::onto_parent(m, z, link, shape))
        }
        Role::Ball => {
            let column = &mut ws.balls[shape.slot as usize];
            let armature = shape.geared.then(|| &model.armature[iv..iv + 3]);
            let mut given = Vec3::from_slice(&tau[iv..]);
            if let Some(a) = armature {
                let r = column.reference;
                given -= Vec3::new(a[0] * r.x, a[1] * r.y, a[2] * r.z);
            }
            let inertia = inner.inertia + link.inertia.to_rigid().to_articulated();
            let m = ball::reduce(inertia, armature, link, column, i, check);
            let (rate, z) = ball::load(column, z, given);
            rate.write_to(&mut qdd[iv..]);
            let column = *column;
            let zero = Vec3::zero();
            cross_whole(
                memory,
                |w| Twist::new(ball::solve(&column, w.moment), zero),
                [column.inverse.x + column.inverse.y + column.inverse.z, T::zero()],
                Twist::new(rate, zero),
            );
            shape.parent?;
            let x = &link.screw;
            let (sin, cos) = (x.sin_alpha, x.cos_alpha);
            for &end in &memory.active {
                let w = &mut memory.ends[end as usize].wrench;
                let g = w.moment;
                let moment = g - column.angular.transpose_mul(g);
                let force = w.force - column.linear.transpose_mul(g);
                let out = Wrench::new(column.rotation * moment, column.rotation * force);
                let out = turn::slide_wrench(out, x.d);
                let before = |u: Vec3<T>| x_out(z_out(u, x.sin_theta, x.cos_theta), sin, cos);
                let out = Wrench::new(before(out.moment), before(out.force));
                *w = turn::wrench_to_parent(out, link, shape);
            }
            let (m, z) = ball::before_motion(m, z, column.rotation, link);
            let (m, z) = single::turn_out(m, z, link);
            Some(turn::onto_parent(m, z, link, shape))
        }
        Role::Free => {
            let m = inner.inertia + link.inertia.to_rigid().to_articulated();
            let column = &mut ws.roots[shape.slot as usize];
            let armature = shape.geared.then(|| &model.armature[iv..iv + 6]);
            root::factorize(m, armature, link.pivot_limit, i, column, check);
            let fall = root::Fall { gravity: model.gravity, armature };
            let rate = root::solve(column, z, &tau[iv..iv + 6], fall, &mut qdd[iv..iv + 6]);
            ws.rates[i] = rate;
            let column = *column;
            cross_whole(
                memory,
                |w| {
                    let mut x = w.to_array();
                    root::solve_factors(&column, &mut x);
                    Twist::new(Vec3::from_slice(&x), Vec3::from_slice(&x[3..]))
                },
                root::inverses(&column),
                rate,
            );
            for &end in &memory.active {
                memory.ends[end as usize].wrench = Wrench::zero();
            }
            None
        }
    }
}

/// The joint's part of all open rows: couplings, accelerations, and what multipliers take from it.
/// Leaves `g` at the ends.
#[inline(always)]
fn cross_rows<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    kind: LinkKind,
    link: &Link<T>,
    inverse: T,
    rate: T,
    reference: T,
) {
    let n = memory.rows.len();
    let begin = memory.crossings.len();
    for k in 0..memory.active.len() {
        let end = memory.active[k] as usize;
        let row = end / 2;
        let joint = memory.ends[end].joint;
        let g = single::along(kind, link, memory.ends[end].wrench) + joint;
        memory.ends[end].joint = g;
        let data = &mut memory.rows[row];
        let given = [g * rate, joint * reference];
        data.acceleration += given[0] + given[1];
        data.size += given[0].abs() + given[1].abs();
        data.mobility = (g * g).mul_add(inverse, data.mobility);
        let wrench = memory.ends[end].wrench;
        data.moment_squared = data.moment_squared.max(wrench.moment.norm_squared());
        data.force_squared = data.force_squared.max(wrench.force.norm_squared());
        let reach = match kind {
            LinkKind::Prismatic => data.force_squared,
            LinkKind::Helical => {
                (link.pitch * link.pitch).mul_add(data.force_squared, data.moment_squared)
            }
            _ => data.moment_squared,
        };
        data.reach = (joint * joint + reach).mul_add(inverse, data.reach);
        memory.crossings.push((row as u32, g));
    }
    let crossings = &mut memory.crossings[begin..];
    for a in 0..crossings.len() {
        let (r, g) = crossings[a];
        let scaled = g * inverse;
        let row = &mut memory.mobility[r as usize * n..][..n];
        for b in 0..a {
            let (s, by_inverse) = crossings[b];
            let entry = &mut row[s as usize];
            *entry = g.mul_add(by_inverse, *entry);
        }
        let own = &mut row[r as usize];
        *own = g.mul_add(scaled, *own);
        crossings[a].1 = scaled;
    }
}

/// The same for a joint with several velocities, `m̂⁻¹` given by `solve`, and about how large it is
/// for moments and for forces.
#[inline(always)]
fn cross_whole<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    solve: impl Fn(Wrench<T>) -> Twist<T>,
    sizes: [T; 2],
    rate: Twist<T>,
) {
    let n = memory.rows.len();
    for k in 0..memory.active.len() {
        let end = memory.active[k] as usize;
        let row = end / 2;
        let g = memory.ends[end].wrench;
        let y = solve(g);
        let given = rate.dot(g);
        let data = &mut memory.rows[row];
        data.acceleration += given;
        data.size += given.abs();
        data.mobility += y.dot(g);
        data.moment_squared = data.moment_squared.max(g.moment.norm_squared());
        data.force_squared = data.force_squared.max(g.force.norm_squared());
        data.reach += data.moment_squared * sizes[0] + data.force_squared * sizes[1];
        for other in 0..=k {
            let end = memory.active[other] as usize;
            let entry = &mut memory.mobility[row * n + end / 2];
            *entry += y.dot(memory.ends[end].wrench);
        }
        memory.whole_crossings.push((row as u32, y));
    }
}
