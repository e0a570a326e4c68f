//! The sums over the subtrees, and what each velocity makes of them.

use pommel_math::{Mat3, Real, Vec3, Wrench};

use super::memory::{Above, Below, Column, Composite, DerivativeWorkspace, Load};
use super::motion::{advance, motion_of};
use super::{Tile, WIDTH};
use crate::inverse_dynamics::rotor_momentum;
use crate::model::{LinkKind, Model};
use crate::posture::place;
use crate::workspace::Workspace;

/// Fills `above`, `below` and `columns`.
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
        advance(model, &mut memory.tree, i, v, qdd, &mut memory.columns[first..]);
        memory.composites[i] = single(model, &memory.tree, i);
    }
    couple_rotors(model, memory, v, qdd);
    if let Some(wrenches) = external {
        load(model, memory, wrenches);
    }
    for i in (0..model.links.len()).rev() {
        let sum = memory.composites[i];
        let load = external.map(|_| memory.loads[i]);
        meet(model, memory, i, &sum, load.as_ref());
        if let Some(p) = model.topology.links[i].parent {
            let p = p as usize;
            add(&mut memory.composites[p], &sum);
            if let Some(load) = load {
                add_load(&mut memory.loads[p], &load);
            }
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

#[inline(always)]
fn trace<T: Real>(m: Mat3<T>) -> T {
    m.x.x + m.y.y + m.z.z
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

/// `B p`.
#[inline(always)]
fn turning<T: Real>(sum: &Composite<T>, half_trace: T, p: Vec3<T>) -> Wrench<T> {
    let moment = p.scale(half_trace) - sum.spread * p;
    let force = p.cross(sum.momentum);
    Wrench::new(moment + moment, force + force)
}

/// The columns of the velocities of link `i` with the sums over its subtree.
#[inline(always)]
fn meet<T: Real>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
    i: usize,
    sum: &Composite<T>,
    load: Option<&Load<T>>,
) {
    let shape = model.topology.links[i];
    let first = memory.relation.first[i] as usize;
    if !shape.kind.is_whole() {
        let column = &mut memory.columns[first];
        feel::<T, true>(column, sum, load);
        let armature = model.armature[shape.v as usize];
        column.diagonal = diagonal(column, armature);
        if shape.rotor.is_some() {
            turn_rotor(model, memory, i);
        }
        write_tiles(memory, first);
        return;
    }
    let count = shape.kind.coordinates().1;
    for k in 0..count {
        let column = &mut memory.columns[first + k];
        if shape.kind == LinkKind::Free && k >= 3 {
            feel::<T, false>(column, sum, load);
        } else {
            feel::<T, true>(column, sum, load);
        }
    }
    own_entries(model, memory, i);
    for k in 0..count {
        write_tiles(memory, first + k);
    }
}

/// What a column makes of the sums; without `MOVES`, its velocity is a uniform motion of the tree.
#[inline(always)]
fn feel<T: Real, const MOVES: bool>(
    column: &mut Column<T>,
    sum: &Composite<T>,
    load: Option<&Load<T>>,
) {
    let spread_trace = trace(sum.spread);
    let s = column.axis;
    column.inertia = sum.inertia.apply(s);
    let back = s.angular.scale(spread_trace) - sum.spread.transpose_mul(s.angular);
    let back = sum.momentum.cross_add(s.linear, back);
    column.turning = back + back;
    if MOVES {
        let Wrench { moment, force } = sum.wrench;
        let turned =
            Wrench::new(s.angular.cross_add(moment, s.linear.cross(force)), s.angular.cross(force));
        column.by_position = turned
            + sum.inertia.apply(column.second)
            + turning(sum, spread_trace, column.rate.angular);
        column.by_velocity =
            sum.inertia.apply(column.drift) + turning(sum, spread_trace, s.angular);
    } else {
        column.by_position = Wrench::zero();
        column.by_velocity = Wrench::zero();
    }
    if let Some(load) = load {
        let load_trace = trace(load.spread);
        let p = s.angular;
        let moment = p.scale(load_trace) - load.spread * p;
        column.by_position += Wrench::new(p.cross_add(load.moment, moment), p.cross(load.force));
        let back = p.scale(load_trace) - load.spread.transpose_mul(p);
        column.external = load.moment.cross_add(p, load.force.cross_add(s.linear, back));
    }
}

/// Adds the rotor of link `i` to its column.
#[inline(always)]
fn turn_rotor<T: Real>(model: &Model<T>, memory: &mut DerivativeWorkspace<T>, i: usize) {
    let Some((momentum, p)) = rotor(model, &memory.tree, i) else { return };
    let column = &mut memory.columns[memory.relation.first[i] as usize];
    let omega = memory.tree.rates[p].angular;
    column.inertia.moment += momentum;
    column.turning = omega.cross_add(momentum, column.turning);
    column.by_velocity.moment = omega.cross_add(momentum, column.by_velocity.moment);
}

/// The entries of a velocity on the diagonals, without its rotor.
#[inline(always)]
fn diagonal<T: Real>(column: &Column<T>, armature: T) -> [T; 3] {
    let s = column.axis;
    [s.dot(column.by_position), s.dot(column.by_velocity), s.dot(column.inertia) + armature]
}

#[inline(always)]
fn write_tiles<T: Real>(memory: &mut DerivativeWorkspace<T>, at: usize) {
    let column = &memory.columns[at];
    write_above(&mut memory.above[at / WIDTH], at % WIDTH, column);
    write_below(&mut memory.below[at / WIDTH], at % WIDTH, column);
}

/// The entries between the velocities of a spherical or free joint.
#[inline(always)]
fn own_entries<T: Real>(model: &Model<T>, memory: &mut DerivativeWorkspace<T>, i: usize) {
    let shape = model.topology.links[i];
    let first = memory.relation.first[i] as usize;
    let count = shape.kind.coordinates().1;
    for k in 0..count {
        let column = &memory.columns[first + k];
        let s = column.axis;
        memory.columns[first + k].diagonal = diagonal(column, model.armature[shape.v as usize + k]);
        for j in 0..count {
            let (column, other) = (&memory.columns[first + k], &memory.columns[first + j]);
            let entry = if shape.kind == LinkKind::Free {
                s.dot(other.by_position)
            } else {
                by_position(column, other)
            };
            memory.columns[first + k].own[j] = entry;
        }
    }
}

/// `∂τ_k/∂q_j` where the axis of `k` moves with `j`.
#[inline(always)]
fn by_position<T: Real>(k: &Column<T>, j: &Column<T>) -> T {
    j.second.dot(k.inertia) + k.turning.dot(j.rate.angular) + k.external.dot(j.axis.angular)
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
        write(tile, 3 * k, at, list[k]);
    }
}

#[inline(always)]
fn write_below<T: Real>(tile: &mut Below<T>, at: usize, column: &Column<T>) {
    let list = [column.inertia, column.by_position, column.by_velocity];
    for k in 0..3 {
        write(tile, 6 * k, at, list[k].moment);
        write(tile, 6 * k + 3, at, list[k].force);
    }
}

/// Rows `row` to `row + 2` of column `at`.
#[inline(always)]
fn write<T: Real>(tile: &mut [Tile<T>], row: usize, at: usize, x: Vec3<T>) {
    (tile[row][at], tile[row + 1][at], tile[row + 2][at]) = (x.x, x.y, x.z);
}
