//! Elimination of a spherical joint, three velocities at once.
//!
//! `p = [1; 0]` in child axes, `m̂ = I` (plus armature). Without armature the angular rows and
//! columns of `M̂ − ψ m̂⁻¹ ψᵀ` vanish: the parent feels a mass `M − Hᵀ I⁻¹ H` at the centre.

use pommel_math::{ArticulatedInertia, Mat3, Real, Sym3, Vec3, Wrench};

use super::eliminate::PivotCheck;
use super::turn;
use crate::model::Link;
use crate::screw::{inertia_z_out, z_out};
use crate::workspace::BallColumn;

/// Factors `m̂`, and returns `M̂ − ψ m̂⁻¹ ψᵀ` about the centre in child axes.
#[inline(always)]
pub(crate) fn reduce<T: Real>(
    m: ArticulatedInertia<T>,
    armature: Option<&[T]>,
    link: &Link<T>,
    column: &mut BallColumn<T>,
    index: usize,
    check: &mut PivotCheck,
) -> ArticulatedInertia<T> {
    let mut pivot = m.inertia;
    if let Some(a) = armature {
        pivot.xx += a[0];
        pivot.yy += a[1];
        pivot.zz += a[2];
    }
    let limit = link.pivot_limit;
    check.require(pivot.xx, limit, index, 0);
    let d1 = pivot.xx.recip();
    let (l21, l31) = (pivot.xy * d1, pivot.xz * d1);
    let yy = (-l21).mul_add(pivot.xy, pivot.yy);
    let yz = (-l21).mul_add(pivot.xz, pivot.yz);
    check.require(yy, limit, index, 1);
    let d2 = yy.recip();
    let l32 = yz * d2;
    let zz = (-l32).mul_add(yz, (-l31).mul_add(pivot.xz, pivot.zz));
    check.require(zz, limit, index, 2);
    column.inverse = Vec3::new(d1, d2, zz.recip());
    column.lower = Vec3::new(l21, l31, l32);
    column.linear = columns(column, m.coupling);
    let (h, x) = (m.coupling, column.linear);
    let hx = h.transpose() * x;
    let k = m.mass - symmetric(hx);
    if armature.is_none() {
        column.angular = Mat3::identity();
        return ArticulatedInertia { mass: k, ..ArticulatedInertia::zero() };
    }
    let i = m.inertia.to_mat3();
    column.angular = columns(column, i);
    let (ii, ih) = (i * column.angular, i * x);
    ArticulatedInertia {
        inertia: m.inertia - symmetric(ii),
        coupling: Mat3::from_rows(h.x - ih.x, h.y - ih.y, h.z - ih.z),
        mass: k,
    }
}

/// `m̂⁻¹ τ̂`, and `z + ψ m̂⁻¹ τ̂` in child axes.
#[inline(always)]
pub(crate) fn load<T: Real>(
    column: &BallColumn<T>,
    z: Wrench<T>,
    tau: Vec3<T>,
) -> (Vec3<T>, Wrench<T>) {
    let tau_hat = tau - z.moment;
    let moment = z.moment + column.angular.transpose_mul(tau_hat);
    let force = z.force + column.linear.transpose_mul(tau_hat);
    (solve(column, tau_hat), Wrench::new(moment, force))
}

/// `m̂⁻¹ x`.
#[inline(always)]
pub(crate) fn solve<T: Real>(column: &BallColumn<T>, x: Vec3<T>) -> Vec3<T> {
    let (l, d) = (column.lower, column.inverse);
    let y2 = (-l.x).mul_add(x.x, x.y);
    let y3 = (-l.z).mul_add(y2, (-l.y).mul_add(x.x, x.z));
    let z3 = y3 * d.z;
    let z2 = (-l.z).mul_add(z3, y2 * d.y);
    Vec3::new((-l.x).mul_add(z2, (-l.y).mul_add(z3, x.x * d.x)), z2, z3)
}

/// `m̂ x`.
#[inline(always)]
pub(crate) fn multiply<T: Real>(column: &BallColumn<T>, x: Vec3<T>) -> Vec3<T> {
    let (l, d) = (column.lower, column.inverse);
    let y1 = l.x.mul_add(x.y, l.y.mul_add(x.z, x.x)) / d.x;
    let y2 = l.z.mul_add(x.z, x.y) / d.y;
    let y3 = x.z / d.z;
    Vec3::new(y1, l.x.mul_add(y1, y2), l.y.mul_add(y1, l.z.mul_add(y2, y3)))
}

/// `m̂⁻¹ B`.
#[inline(always)]
fn columns<T: Real>(column: &BallColumn<T>, b: Mat3<T>) -> Mat3<T> {
    let b = b.transpose();
    Mat3::from_rows(solve(column, b.x), solve(column, b.y), solve(column, b.z)).transpose()
}

/// A product that is symmetric but for rounding.
#[inline(always)]
fn symmetric<T: Real>(m: Mat3<T>) -> Sym3<T> {
    Sym3 { xx: m.x.x, yy: m.y.y, zz: m.z.z, xy: m.x.y, xz: m.x.z, yz: m.y.z }
}

/// From child axes to the frame after `Rx(α)`.
#[inline(always)]
pub(crate) fn before_motion<T: Real>(
    m: ArticulatedInertia<T>,
    z: Wrench<T>,
    rotation: Mat3<T>,
    link: &Link<T>,
) -> (ArticulatedInertia<T>, Wrench<T>) {
    let turned = ArticulatedInertia {
        inertia: m.inertia.rotated(rotation),
        coupling: rotation * m.coupling * rotation.transpose(),
        mass: m.mass.rotated(rotation),
    };
    let (sin, cos, d) = (link.screw.sin_theta, link.screw.cos_theta, link.screw.d);
    let m = inertia_z_out(turned.shifted(Vec3::new(T::zero(), T::zero(), d)), sin, cos);
    let z = turn::slide_wrench(Wrench::new(rotation * z.moment, rotation * z.force), d);
    (m, Wrench::new(z_out(z.moment, sin, cos), z_out(z.force, sin, cos)))
}
