//! What the velocities make of the sums over their subtrees, eight velocities at a time.

use pommel_math::{Real, Vec3};

use super::memory::{Above, Composite, DerivativeWorkspace, Felt, Load};
use super::{Tile, WIDTH};
use crate::model::Model;

/// A vector for each of eight velocities.
type Vector<T> = [Tile<T>; 3];

/// Sums over eight subtrees: mass, first moment, inertia (xx, yy, zz, xy, xz, yz), wrench, spread
/// by rows, momentum.
struct Sums<T> {
    mass: Tile<T>,
    first: Vector<T>,
    inertia: [Tile<T>; 6],
    moment: Vector<T>,
    force: Vector<T>,
    spread: [Vector<T>; 3],
    momentum: Vector<T>,
}

/// Fills `below` and `felt` from `above` and the sums over the subtrees. Columns without a velocity
/// become zero.
#[inline(always)]
pub(super) fn feel_all<T: Real>(
    model: &Model<T>,
    memory: &mut DerivativeWorkspace<T>,
    loaded: bool,
) {
    let DerivativeWorkspace { relation, composites, loads, above, below, felt, .. } = memory;
    let n = relation.order.len();
    for t in 0..above.len() {
        let mut sums = Sums::zero();
        let mut armature = Tile::zero();
        for l in 0..WIDTH.min(n - WIDTH * t) {
            let k = WIDTH * t + l;
            sums.put(l, &composites[relation.link[k] as usize]);
            armature[l] = model.armature[relation.order[k] as usize];
        }
        let (above, below, felt) = (&above[t], &mut below[t], &mut felt[t]);
        *below = [Tile::zero(); 18];
        *felt = Felt::zero();
        feel(&sums, above, below, felt);
        if loaded {
            let mut load = Loads::zero();
            for l in 0..WIDTH.min(n - WIDTH * t) {
                load.put(l, &loads[relation.link[WIDTH * t + l] as usize]);
            }
            feel_load(&load, above, below, felt);
        }
        felt.diagonal[2] = armature;
        for c in 0..6 {
            add(&mut felt.diagonal[0], &above[c], &below[6 + c]);
            add(&mut felt.diagonal[1], &above[c], &below[12 + c]);
            add(&mut felt.diagonal[2], &above[c], &below[c]);
        }
    }
}

/// `sum + a b`.
#[inline(always)]
fn add<T: Real>(sum: &mut Tile<T>, a: &Tile<T>, b: &Tile<T>) {
    for l in 0..WIDTH {
        sum[l] = a[l].mul_add(b[l], sum[l]);
    }
}

/// `sum − a b`.
#[inline(always)]
fn take<T: Real>(sum: &mut Tile<T>, a: &Tile<T>, b: &Tile<T>) {
    for l in 0..WIDTH {
        sum[l] = (-a[l]).mul_add(b[l], sum[l]);
    }
}

#[inline(always)]
fn double<T: Real>(x: &mut [Tile<T>]) {
    for c in 0..x.len() {
        for l in 0..WIDTH {
            x[c][l] = x[c][l] + x[c][l];
        }
    }
}

#[inline(always)]
fn plus<T: Real>(sum: &mut [Tile<T>], x: &[Tile<T>]) {
    for c in 0..x.len() {
        for l in 0..WIDTH {
            sum[c][l] += x[c][l];
        }
    }
}

/// `sum + a × b`.
#[inline(always)]
fn add_cross<T: Real>(sum: &mut [Tile<T>], a: &[Tile<T>], b: &[Tile<T>]) {
    for c in 0..3 {
        let (d, e) = ((c + 1) % 3, (c + 2) % 3);
        add(&mut sum[c], &a[d], &b[e]);
        take(&mut sum[c], &a[e], &b[d]);
    }
}

/// `sum + p tr S − S p`, or `− Sᵀ p`.
#[inline(always)]
fn add_spread<T: Real, const TRANSPOSED: bool>(
    sum: &mut [Tile<T>],
    spread: &[Vector<T>; 3],
    p: &[Tile<T>],
) {
    let mut trace = spread[0][0];
    for l in 0..WIDTH {
        trace[l] += spread[1][1][l] + spread[2][2][l];
    }
    for c in 0..3 {
        add(&mut sum[c], &trace, &p[c]);
        for d in 0..3 {
            take(&mut sum[c], if TRANSPOSED { &spread[d][c] } else { &spread[c][d] }, &p[d]);
        }
    }
}

impl<T: Real> Sums<T> {
    #[inline(always)]
    fn zero() -> Self {
        let zero = Tile::zero();
        let vector = [zero; 3];
        Sums {
            mass: zero,
            first: vector,
            inertia: [zero; 6],
            moment: vector,
            force: vector,
            spread: [vector; 3],
            momentum: vector,
        }
    }

    #[inline(always)]
    fn put(&mut self, l: usize, sum: &Composite<T>) {
        let i = &sum.inertia.inertia;
        self.mass[l] = sum.inertia.mass;
        put(&mut self.first, l, sum.inertia.first_moment);
        let list = [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz];
        for c in 0..6 {
            self.inertia[c][l] = list[c];
        }
        put(&mut self.moment, l, sum.wrench.moment);
        put(&mut self.force, l, sum.wrench.force);
        let rows = [sum.spread.x, sum.spread.y, sum.spread.z];
        for c in 0..3 {
            put(&mut self.spread[c], l, rows[c]);
        }
        put(&mut self.momentum, l, sum.momentum);
    }

    /// `out + I t` of the twists `t`.
    #[inline(always)]
    fn add_inertia(&self, out: &mut [Tile<T>], t: &[Tile<T>]) {
        let (moment, force) = out.split_at_mut(3);
        let (w, u) = t.split_at(3);
        let [xx, yy, zz, xy, xz, yz] = &self.inertia;
        let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        for c in 0..3 {
            for d in 0..3 {
                add(&mut moment[c], rows[c][d], &w[d]);
            }
            add(&mut force[c], &self.mass, &u[c]);
        }
        add_cross(moment, &self.first, u);
        add_cross(force, w, &self.first);
    }

    /// `out + B p`.
    #[inline(always)]
    fn add_turning(&self, out: &mut [Tile<T>], p: &[Tile<T>]) {
        let mut turned = [Tile::zero(); 6];
        let (moment, force) = turned.split_at_mut(3);
        add_spread::<T, false>(moment, &self.spread, p);
        add_cross(force, p, &self.momentum);
        double(&mut turned);
        plus(out, &turned);
    }
}

/// `I S`, `Bᵀ S`, and the wrenches that velocities before feel.
#[inline(always)]
fn feel<T: Real>(sums: &Sums<T>, above: &Above<T>, below: &mut [Tile<T>; 18], felt: &mut Felt<T>) {
    let (w, u) = (&above[..3], &above[3..6]);
    let (inertia, rest) = below.split_at_mut(6);
    let (by_position, by_velocity) = rest.split_at_mut(6);
    sums.add_inertia(inertia, &above[..6]);
    add_spread::<T, true>(&mut felt.turning, &sums.spread, w);
    add_cross(&mut felt.turning, &sums.momentum, u);
    double(&mut felt.turning);
    add_cross(&mut by_position[..3], w, &sums.moment);
    add_cross(&mut by_position[..3], u, &sums.force);
    add_cross(&mut by_position[3..], w, &sums.force);
    sums.add_inertia(by_position, &above[9..15]);
    sums.add_turning(by_position, &above[6..9]);
    sums.add_inertia(by_velocity, &above[15..21]);
    sums.add_turning(by_velocity, w);
}

/// Sums of the external wrenches on eight subtrees.
struct Loads<T> {
    spread: [Vector<T>; 3],
    moment: Vector<T>,
    force: Vector<T>,
}

impl<T: Real> Loads<T> {
    #[inline(always)]
    fn zero() -> Self {
        let vector = [Tile::zero(); 3];
        Loads { spread: [vector; 3], moment: vector, force: vector }
    }

    #[inline(always)]
    fn put(&mut self, l: usize, load: &Load<T>) {
        let rows = [load.spread.x, load.spread.y, load.spread.z];
        for c in 0..3 {
            put(&mut self.spread[c], l, rows[c]);
        }
        put(&mut self.moment, l, load.moment);
        put(&mut self.force, l, load.force);
    }
}

/// `E S` and `Eᵀ S`.
#[inline(always)]
fn feel_load<T: Real>(
    load: &Loads<T>,
    above: &Above<T>,
    below: &mut [Tile<T>; 18],
    felt: &mut Felt<T>,
) {
    let (p, u) = (&above[..3], &above[3..6]);
    add_spread::<T, false>(&mut below[6..9], &load.spread, p);
    add_cross(&mut below[6..9], p, &load.moment);
    add_cross(&mut below[9..12], p, &load.force);
    add_spread::<T, true>(&mut felt.external, &load.spread, p);
    add_cross(&mut felt.external, &load.moment, p);
    add_cross(&mut felt.external, &load.force, u);
}

/// Column `l` of three rows.
#[inline(always)]
pub(super) fn put<T: Real>(rows: &mut [Tile<T>], l: usize, x: Vec3<T>) {
    (rows[0][l], rows[1][l], rows[2][l]) = (x.x, x.y, x.z);
}

#[inline(always)]
pub(super) fn get<T: Real>(rows: &[Tile<T>], l: usize) -> Vec3<T> {
    Vec3::new(rows[0][l], rows[1][l], rows[2][l])
}
