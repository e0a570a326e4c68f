//! The factors of the inertia matrix from the columns of the elimination.
//!
//! The forward dynamics has found `M = U D Uᵀ`: the entry of `Uᵀ` between a velocity `k` and one
//! before it is `ψ̂_k · S_j`. So `L = Uᵀ` needs no elimination, and rows of it depend on nothing but
//! their own `ψ̂`. Between velocities of one joint, `m̂` is factored in turn.

use pommel_math::{Mat3, Real, Transform, Vec3, Wrench};

use super::memory::DerivativeWorkspace;
use super::{Tile, WIDTH};
use crate::model::{Model, Role};
use crate::screw::z_in;
use crate::sweep::{ball, root, single, turn};
use crate::workspace::{BallColumn, RootColumn, Workspace};

/// Fills `rows_before`, `columns_beyond` and `inverse`, after the columns of the elimination and
/// `above` were found.
#[inline(always)]
pub(super) fn find_factors<T: Real>(model: &Model<T>, memory: &mut DerivativeWorkspace<T>) {
    let shapes = &model.topology.links;
    for i in 0..shapes.len() {
        let first = memory.relation.first[i] as usize;
        match shapes[i].role {
            Role::Ball => {
                let column = &memory.tree.balls[shapes[i].slot as usize];
                let mut m = [[T::zero(); 3]; 3];
                for c in 0..3 {
                    m[c] = ball::multiply(column, unit(c)).to_array();
                }
                let psi = ball_columns(column, memory.tree.placements[i]);
                several(memory, first, m, psi);
            }
            Role::Free => {
                let column = &memory.tree.roots[shapes[i].slot as usize];
                // nothing is before a root
                several(memory, first, root_inertia(column), [Wrench::zero(); 6]);
            }
            _ => {
                let (psi_hat, inverse) = column(model, &memory.tree, i);
                memory.inverse[first] = inverse;
                write_row(memory, first, psi_hat);
            }
        }
    }
}

/// `ψ̂` of a joint with one velocity in the frame of the tree, and `1 / m̂`.
#[inline(always)]
fn column<T: Real>(model: &Model<T>, ws: &Workspace<T>, i: usize) -> (Wrench<T>, T) {
    let (shape, link) = (model.topology.links[i], &model.links[i]);
    let zero = Vec3::zero();
    let column = match shape.role {
        Role::Tip => model.tips[shape.slot as usize].column,
        _ => ws.columns[i],
    };
    let psi_hat = match shape.role {
        // the balanced wheel, of which the parent feels nothing but the moment
        Role::Wheel => Wrench::new(unit(2), zero),
        Role::Ground => Wrench::new(zero, zero),
        Role::Single => {
            // back to the frame of the link
            let posture = single::Posture::of(shape, link, ws, ws.biases[i].extra);
            let Wrench { moment, force } = column.psi_hat;
            let moment = z_in(moment, posture.sin, posture.cos);
            let force = z_in(force, posture.sin, posture.cos);
            turn::slide_wrench(Wrench::new(moment, force), -posture.slide)
        }
        _ => column.psi_hat,
    };
    (in_tree(ws.placements[i], psi_hat), column.inverse)
}

/// A wrench from the frame of a link to that of its tree.
#[inline(always)]
fn in_tree<T: Real>(at: Transform<T>, w: Wrench<T>) -> Wrench<T> {
    let force = at.rotation * w.force;
    Wrench::new(at.translation.cross_add(force, at.rotation * w.moment), force)
}

#[inline(always)]
fn unit<T: Real>(axis: usize) -> Vec3<T> {
    let one = |at: usize| if axis == at { T::one() } else { T::zero() };
    Vec3::new(one(0), one(1), one(2))
}

/// `ψ̂` of the three velocities of a spherical joint in the frame of the tree.
#[inline(always)]
fn ball_columns<T: Real>(column: &BallColumn<T>, at: Transform<T>) -> [Wrench<T>; 3] {
    let (a, l) = (&column.angular, &column.linear);
    [
        in_tree(at, Wrench::new(a.x, l.x)),
        in_tree(at, Wrench::new(a.y, l.y)),
        in_tree(at, Wrench::new(a.z, l.z)),
    ]
}

/// The inertia matrix of a free body with all that it carries, in world axes.
#[inline(always)]
fn root_inertia<T: Real>(column: &RootColumn<T>) -> [[T; 6]; 6] {
    let out: Mat3<T> = column.rotation;
    let mut m = [[T::zero(); 6]; 6];
    for c in 0..6 {
        let body = out.transpose() * unit(c % 3);
        let zero = Vec3::zero();
        let (w, u) = if c < 3 { (body, zero) } else { (zero, body) };
        let mut x = [w.x, w.y, w.z, u.x, u.y, u.z];
        root::multiply_factors(column, &mut x);
        let (moment, force) = (out * Vec3::from_slice(&x), out * Vec3::from_slice(&x[3..]));
        m[c] = Wrench::new(moment, force).to_array();
    }
    m
}

/// The rows of a joint with `N` velocities from its `m̂ = u d uᵀ`, `u` unit upper triangular:
/// `Uᵀ` gains the factor `uᵀ`.
#[inline(always)]
fn several<T: Real, const N: usize>(
    memory: &mut DerivativeWorkspace<T>,
    first: usize,
    mut m: [[T; N]; N],
    mut psi: [Wrench<T>; N],
) {
    for k in (0..N).rev() {
        let inverse = m[k][k].recip();
        memory.inverse[first + k] = inverse;
        let mut factors = [T::zero(); N];
        for j in 0..k {
            factors[j] = m[k][j] * inverse;
            for l in 0..=j {
                m[j][l] = (-factors[j]).mul_add(m[k][l], m[j][l]);
            }
        }
        let mut sum = psi[k];
        for j in 0..k {
            sum = psi[j].scale_add(factors[j], sum);
        }
        psi[k] = sum;
        write_row(memory, first + k, sum);
        // between the velocities of the joint
        let DerivativeWorkspace { relation, rows_before, columns_beyond, .. } = memory;
        let (row, places) = (relation.before.range(first + k), &relation.place_beyond);
        let start = row.end - k;
        for j in 0..k {
            rows_before[start + j] = -factors[j];
            columns_beyond[places[start + j] as usize] = -factors[j];
        }
    }
}

/// Writes a row of `−L` to the lists.
#[inline(always)]
fn write_row<T: Real>(memory: &mut DerivativeWorkspace<T>, k: usize, psi_hat: Wrench<T>) {
    let DerivativeWorkspace { relation, above, rows_before, columns_beyond, .. } = memory;
    let psi = psi_hat.to_array();
    let range = relation.before.range(k);
    let mut e = range.start;
    let spans = relation.spans_before.of(k);
    for s in 0..spans.len() {
        let t = spans[s].tile as usize;
        let mut row = Tile::zero();
        for c in 0..6 {
            for l in 0..WIDTH {
                row[l] = (-psi[c]).mul_add(above[t][c][l], row[l]);
            }
        }
        while e < range.end && relation.before.entry(e) as usize / WIDTH == t {
            let x = row[relation.before.entry(e) as usize % WIDTH];
            rows_before[e] = x;
            columns_beyond[relation.place_beyond[e] as usize] = x;
            e += 1;
        }
    }
}
