//! Changes of frame by screws about z and x.
//!
//! The transform of a link is a product of two (sometimes three) screws, each of which costs a
//! third of a general change of frame.
//! "in" means from parent to child components, "out" from child to parent.

use pommel_math::{ArticulatedInertia, Mat3, Real, Sym3, Transform, Vec3};

use crate::model::{LinkShape, Screw};

/// `Rz(θ)ᵀ v`.
#[inline(always)]
pub(crate) fn z_in<T: Real>(v: Vec3<T>, sin: T, cos: T) -> Vec3<T> {
    Vec3::new(cos.mul_add(v.x, sin * v.y), cos.mul_add(v.y, -(sin * v.x)), v.z)
}

/// `Rz(θ) v`.
#[inline(always)]
pub(crate) fn z_out<T: Real>(v: Vec3<T>, sin: T, cos: T) -> Vec3<T> {
    Vec3::new(cos.mul_add(v.x, -(sin * v.y)), cos.mul_add(v.y, sin * v.x), v.z)
}

/// `Rx(α)ᵀ v`.
#[inline(always)]
pub(crate) fn x_in<T: Real>(v: Vec3<T>, sin: T, cos: T) -> Vec3<T> {
    Vec3::new(v.x, cos.mul_add(v.y, sin * v.z), cos.mul_add(v.z, -(sin * v.y)))
}

/// `Rx(α) v`.
#[inline(always)]
pub(crate) fn x_out<T: Real>(v: Vec3<T>, sin: T, cos: T) -> Vec3<T> {
    Vec3::new(v.x, cos.mul_add(v.y, -(sin * v.z)), cos.mul_add(v.z, sin * v.y))
}

/// Two-by-two block `[p q; q t]` rotated out by 4 multiplications.
#[inline(always)]
pub(crate) fn rotate_symmetric<T: Real>(
    p: T,
    q: T,
    t: T,
    sin: T,
    cos: T,
    twice_cos: T,
) -> (T, T, T) {
    let u = sin.mul_add(t - p, -(twice_cos * q));
    let (p, t) = sin.product_both(u, p, t);
    (p, (-cos).mul_add(u, -q), t)
}

/// Two-by-two block `[p q; r t]` rotated out by 4 multiplications.
#[inline(always)]
pub(crate) fn rotate_general<T: Real>(p: T, q: T, r: T, t: T, sin: T, cos: T) -> [T; 4] {
    let u = sin.mul_add(t - p, -(cos * (q + r)));
    let (p, t) = sin.product_both(u, p, t);
    let (minus_q, r) = cos.product_both(u, r, -q);
    [p, -minus_q, r, t]
}

/// A symmetric matrix rotated out about z.
#[inline(always)]
fn symmetric_z_out<T: Real>(m: Sym3<T>, sin: T, cos: T) -> Sym3<T> {
    let (xx, xy, yy) = rotate_symmetric(m.xx, m.xy, m.yy, sin, cos, cos + cos);
    let v = z_out(Vec3::new(m.xz, m.yz, m.zz), sin, cos);
    Sym3 { xx, yy, zz: m.zz, xy, xz: v.x, yz: v.y }
}

/// A symmetric matrix rotated out about x.
#[inline(always)]
fn symmetric_x_out<T: Real>(m: Sym3<T>, sin: T, cos: T) -> Sym3<T> {
    let (yy, yz, zz) = rotate_symmetric(m.yy, m.yz, m.zz, sin, cos, cos + cos);
    let v = x_out(Vec3::new(m.xx, m.xy, m.xz), sin, cos);
    Sym3 { xx: m.xx, yy, zz, xy: v.y, xz: v.z, yz }
}

/// `Rz M̂ Rzᵀ`.
#[inline(always)]
pub(crate) fn inertia_z_out<T: Real>(
    m: ArticulatedInertia<T>,
    sin: T,
    cos: T,
) -> ArticulatedInertia<T> {
    let h = m.coupling;
    let [xx, xy, yx, yy] = rotate_general(h.x.x, h.x.y, h.y.x, h.y.y, sin, cos);
    let column = z_out(Vec3::new(h.x.z, h.y.z, h.z.z), sin, cos);
    let row = z_out(h.z, sin, cos);
    ArticulatedInertia {
        inertia: symmetric_z_out(m.inertia, sin, cos),
        coupling: Mat3::from_rows(Vec3::new(xx, xy, column.x), Vec3::new(yx, yy, column.y), row),
        mass: symmetric_z_out(m.mass, sin, cos),
    }
}

/// `Rx M̂ Rxᵀ`.
#[inline(always)]
pub(crate) fn inertia_x_out<T: Real>(
    m: ArticulatedInertia<T>,
    sin: T,
    cos: T,
) -> ArticulatedInertia<T> {
    let h = m.coupling;
    let [yy, yz, zy, zz] = rotate_general(h.y.y, h.y.z, h.z.y, h.z.z, sin, cos);
    let column = x_out(Vec3::new(h.x.x, h.y.x, h.z.x), sin, cos);
    ArticulatedInertia {
        inertia: symmetric_x_out(m.inertia, sin, cos),
        coupling: Mat3::from_rows(
            x_out(h.x, sin, cos),
            Vec3::new(column.y, yy, yz),
            Vec3::new(column.z, zy, zz),
        ),
        mass: symmetric_x_out(m.mass, sin, cos),
    }
}

/// The placement of a link in its parent at q = 0.
pub(crate) fn constant_transform<T: Real>(shape: LinkShape, screw: &Screw<T>) -> Transform<T> {
    transform(shape, screw, screw.sin_theta, screw.cos_theta, screw.d)
}

/// The placement of a link in its parent for given θ and d.
#[inline(always)]
pub(crate) fn transform<T: Real>(
    shape: LinkShape,
    screw: &Screw<T>,
    sin: T,
    cos: T,
    d: T,
) -> Transform<T> {
    let Screw { a, b, sin_alpha, cos_alpha, .. } = *screw;
    let (o, l) = (T::zero(), T::one());
    let about_x = Mat3::from_rows(
        Vec3::new(l, o, o),
        Vec3::new(o, cos_alpha, -sin_alpha),
        Vec3::new(o, sin_alpha, cos_alpha),
    );
    let about_z =
        |s: T, c: T| Mat3::from_rows(Vec3::new(c, -s, o), Vec3::new(s, c, o), Vec3::new(o, o, l));
    let inner = Transform::new(
        about_x * about_z(sin, cos),
        Vec3::new(a, (-d).mul_add(sin_alpha, b), d * cos_alpha),
    );
    if !shape.has_branch {
        return inner;
    }
    Transform::new(about_z(screw.sin_phi, screw.cos_phi), Vec3::new(o, o, screw.s)) * inner
}
