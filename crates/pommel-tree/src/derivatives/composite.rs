//! The sums over the subtrees, and what is between the velocities of one joint.

use pommel_math::{Mat3, Real, Vec3, Wrench};

use super::feel::{feel_all, get, put};
use super::memory::{Above, Column, Composite, DerivativeWorkspace, Load};
use super::motion::{advance, motion_of};
use super::{Tile, WIDTH};
use crate::inverse_dynamics::rotor_momentum;
use crate::model::{LinkKind, Model};
use crate::posture::place;
use crate::workspace::Workspace;

/// Fills `above`, `below`, `felt` and `own`.
#[inline(always)]
pub(super) fn find_columns<T: Real>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    external: Option<&[Wrench<T>]>,
) {
    place(model, &mut memory.tree, q);
    for i in 0..model.links.len() {
        let first = memory.relation.first[i] as usize;
        let mut columns = [Column::zero(); 6];
        let count = advance(model, &mut memory.tree, i, v, qdd, &mut columns);
        for k in 0..count {
            let at = first + k;
            write_above(&mut memory.above[at / WIDTH], at % WIDTH, &columns[k]);
        }
        memory.composites[i] = single(model, &memory.tree, i);
    }
    couple_rotors(model, memory, v, qdd);
    if let Some(wrenches) = external {
        load(model, memory, wrenches);
    }
    for i in (0..model.links.len()).rev() {
        if let Some(p) = model.topology.links[i].parent {
            let (p, sum) = (p as usize, memory.composites[i]);
            add(&mut memory.composites[p], &sum);
            if external.is_some() {
                let load = memory.loads[i];
                add_load(&mut memory.loads[p], &load);
            }
        }
    }
    feel_all(model, memory, external.is_some());
    for i in 0..model.links.len() {
        let shape = model.topology.links[i];
        if shape.kind.is_whole() {
            own_entries(model, memory, i);
        } else if shape.rotor.is_some() {
            turn_rotor(model, memory, i);
        }
    }
}

#[inline(always)]
fn add<T: Real>(sum: &mut Composite<T>, other: &Composite<T>) {
    sum.inertia += other.inertia;
    sum.wrench += other.wrench;
    sum.spread = add_matrices(sum.spread, other.spread);
    sum.momentum += other.momentum;
}

#[inline(always)]
fn add_load<T: Real>(sum: &mut Load<T>, other: &Load<T>) {
    sum.spread = add_matrices(sum.spread, other.spread);
    sum.moment += other.moment;
    sum.force += other.force;
}

#[inline(always)]
fn add_matrices<T: Real>(a: Mat3<T>, b: Mat3<T>) -> Mat3<T> {
    Mat3::from_rows(a.x + b.x, a.y + b.y, a.z + b.z)
}

/// `a bᵀ + c`.
#[inline(always)]
fn outer_add<T: Real>(a: Vec3<T>, b: Vec3<T>, c: Mat3<T>) -> Mat3<T> {
    Mat3::from_rows(b.scale_add(a.x, c.x), b.scale_add(a.y, c.y), b.scale_add(a.z, c.z))
}

/// The quantities of one link.
#[inline(always)]
fn single<T: Real>(model: &Model<T>, ws: &Workspace<T>, i: usize) -> Composite<T> {
    let inertia = model.rigid[i].to_parent(ws.placements[i]);
    let (twist, rate) = motion_of(ws, i);
    let omega = twist.angular;
    let Wrench { moment: spin, force: momentum } = inertia.apply(twist);
    let Wrench { moment, force } = inertia.apply(rate);
    // V ×* (I V)
    let moment = omega.cross_add(spin, twist.linear.cross_add(momentum, moment));
    let force = omega.cross_add(momentum, force);
    // Σ m u rᵀ = v hᵀ + [ω]× Σ m r rᵀ
    let j = inertia.inertia;
    let half = (j.xx + j.yy + j.zz) * T::from_f64(0.5);
    let x = omega.cross(Vec3::new(half - j.xx, -j.xy, -j.xz));
    let y = omega.cross(Vec3::new(-j.xy, half - j.yy, -j.yz));
    let z = omega.cross(Vec3::new(-j.xz, -j.yz, half - j.zz));
    let turned = Mat3::from_rows(x, y, z).transpose();
    Composite {
        inertia,
        wrench: Wrench::new(moment, force),
        spread: outer_add(twist.linear, inertia.first_moment, turned),
        momentum,
    }
}

/// `L = N J e` of the rotor of link `i`, in the axes of the frame, and the link that carries it.
#[inline(always)]
fn rotor<T: Real>(model: &Model<T>, ws: &Workspace<T>, i: usize) -> Option<(Vec3<T>, usize)> {
    let shape = model.topology.links[i];
    let (rotor, p) = (shape.rotor?, shape.parent? as usize);
    let momentum = rotor_momentum(model, rotor, shape, &model.links[i]);
    Some((ws.placements[p].rotation * momentum, p))
}

/// What the rotors do to the links that carry them.
#[inline(always)]
fn couple_rotors<T: Real>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
    v: &[T],
    qdd: &[T],
) {
    if model.rotors.is_empty() {
        return;
    }
    for (i, shape) in model.topology.links.iter().enumerate() {
        let Some((momentum, p)) = rotor(model, &memory.tree, i) else { continue };
        let iv = shape.v as usize;
        let carrier = &mut memory.composites[p];
        let spin = momentum.scale(v[iv]);
        let omega = memory.tree.rates[p].angular;
        carrier.wrench.moment += omega.cross_add(spin, momentum.scale(qdd[iv]));
        let Vec3 { x, y, z } = spin.scale(T::from_f64(0.5));
        let o = T::zero();
        let half = Mat3::from_rows(Vec3::new(o, -z, y), Vec3::new(z, o, -x), Vec3::new(-y, x, o));
        carrier.spread = add_matrices(carrier.spread, half);
    }
}

/// Fills `loads` and takes the external wrenches from those of the links.
#[inline(always)]
fn load<T: Real>(model: &Model<T>, memory: &mut DerivativeWorkspace<T>, wrenches: &[Wrench<T>]) {
    memory.loads.fill(Load::default());
    for ((body, shape), wrench) in model.bodies.iter().zip(&model.topology.bodies).zip(wrenches) {
        let Some(link) = shape.link else { continue };
        let link = link as usize;
        let centre = body.placement.point_to_parent(body.centre);
        let centre = memory.tree.placements[link].point_to_parent(centre);
        let Wrench { moment, force } = *wrench;
        let sum = &mut memory.loads[link];
        sum.spread = outer_add(force, centre, sum.spread);
        sum.moment += moment;
        sum.force += force;
        let about_origin = Wrench::new(centre.cross_add(force, moment), force);
        memory.composites[link].wrench -= about_origin;
    }
}

/// Adds the rotor of link `i` to its column; the diagonals are without it.
#[inline(always)]
fn turn_rotor<T: Real>(model: &Model<T>, memory: &mut DerivativeWorkspace<T>, i: usize) {
    let Some((momentum, p)) = rotor(model, &memory.tree, i) else { return };
    let at = memory.relation.first[i] as usize;
    let (below, felt, l) =
        (&mut memory.below[at / WIDTH], &mut memory.felt[at / WIDTH], at % WIDTH);
    let turned = memory.tree.rates[p].angular.cross(momentum);
    let moment = get(&below[..3], l) + momentum;
    put(&mut below[..3], l, moment);
    let moment = get(&below[12..15], l) + turned;
    put(&mut below[12..15], l, moment);
    let turning = get(&felt.turning, l) + turned;
    put(&mut felt.turning, l, turning);
}

/// The entries between the velocities of a spherical or free joint. The position and the linear
/// velocity of a free joint are a uniform motion of the tree, which nothing feels.
#[inline(always)]
fn own_entries<T: Real>(model: &Model<T>, memory: &mut DerivativeWorkspace<T>, i: usize) {
    let shape = model.topology.links[i];
    let first = memory.relation.first[i] as usize;
    let count = shape.kind.coordinates().1;
    let DerivativeWorkspace { above, below, felt, own, .. } = memory;
    let is_free = shape.kind == LinkKind::Free;
    for k in if is_free { 3..6 } else { 0..0 } {
        let (t, l) = ((first + k) / WIDTH, (first + k) % WIDTH);
        for c in 6..18 {
            below[t][c][l] = T::zero();
        }
        felt[t].diagonal[0][l] = T::zero();
        felt[t].diagonal[1][l] = T::zero();
    }
    for k in 0..count {
        let (t, l) = ((first + k) / WIDTH, (first + k) % WIDTH);
        for j in 0..count {
            let (u, m) = ((first + j) / WIDTH, (first + j) % WIDTH);
            let dot = |a: &[Tile<T>], b: &[Tile<T>], rows: usize| {
                let mut sum = T::zero();
                for c in 0..rows {
                    sum = a[c][l].mul_add(b[c][m], sum);
                }
                sum
            };
            own[first + k][j] = if is_free {
                dot(&above[t][..6], &below[u][6..12], 6)
            } else {
                // the axis of k moves with j
                dot(&below[t][..6], &above[u][9..15], 6)
                    + dot(&felt[t].turning, &above[u][6..9], 3)
                    + dot(&felt[t].external, &above[u][..3], 3)
            };
        }
    }
}

#[inline(always)]
fn write_above<T: Real>(tile: &mut Above<T>, at: usize, column: &Column<T>) {
    let Column { axis, rate, second, drift, .. } = column;
    let list = [
        axis.angular,
        axis.linear,
        rate.angular,
        second.angular,
        second.linear,
        drift.angular,
        drift.linear,
    ];
    for k in 0..7 {
        put(&mut tile[3 * k..3 * k + 3], at, list[k]);
    }
}
