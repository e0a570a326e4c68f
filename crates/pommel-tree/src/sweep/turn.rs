//! Elimination of a revolute link, and its change of frame to the parent.
//!
//! With z along the joint axis, `ψ` is a column of `M̂`, and the row and column of the axis vanish
//! in `M̂ − ψ ψ̂ᵀ`: 15 numbers remain, and nothing is computed with the zeros.

use pommel_math::{ArticulatedInertia, Mat3, Real, Sym3, Vec3, Wrench};

use crate::model::{Link, LinkShape};
use crate::screw::{inertia_z_out, rotate_general, rotate_symmetric, x_out, z_out};
use crate::workspace::{Column, Inner};

/// `M̂ − ψ ψ̂ᵀ` of a revolute link: the row and column of the axis are zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reduced<T> {
    pub(crate) ixx: T,
    pub(crate) ixy: T,
    pub(crate) iyy: T,
    pub(crate) hx: Vec3<T>,
    pub(crate) hy: Vec3<T>,
    pub(crate) k: Sym3<T>,
}

/// Adds the base parameters of a revolute link: ten numbers.
#[inline(always)]
pub(crate) fn plus_turning<T: Real>(
    m: ArticulatedInertia<T>,
    link: &Link<T>,
) -> ArticulatedInertia<T> {
    let (h, p) = (link.inertia.first_moment, link.inertia.second_moment);
    let ArticulatedInertia { inertia: i, coupling: c, mass } = m;
    ArticulatedInertia {
        inertia: Sym3 {
            xx: i.xx + p.yy,
            yy: i.yy + p.xx,
            zz: i.zz + link.derived.p_sum,
            xy: i.xy - p.xy,
            xz: i.xz - p.xz,
            yz: i.yz - p.yz,
        },
        coupling: Mat3::from_rows(
            Vec3::new(c.x.x, c.x.y, c.x.z + h.y),
            Vec3::new(c.y.x, c.y.y, c.y.z - h.x),
            Vec3::new(c.z.x - h.y, c.z.y + h.x, c.z.z),
        ),
        mass,
    }
}

/// `ψ̂ = ψ / m̂` and `M̂ − ψ ψ̂ᵀ`.
#[inline(always)]
pub(crate) fn reduce<T: Real>(m: ArticulatedInertia<T>) -> (Column<T>, Reduced<T>) {
    let ArticulatedInertia { inertia: i, coupling: h, mass: k } = m;
    let inverse = i.zz.recip();
    let (nx, ny) = (i.xz * inverse, i.yz * inverse);
    let f = h.z.scale(inverse);
    let reduced = Reduced {
        ixx: (-i.xz).mul_add(nx, i.xx),
        ixy: (-i.xz).mul_add(ny, i.xy),
        iyy: (-i.yz).mul_add(ny, i.yy),
        hx: f.scale_add(-i.xz, h.x),
        hy: f.scale_add(-i.yz, h.y),
        k: k.minus_outer(h.z, f),
    };
    (Column { psi_hat: Wrench::new(Vec3::new(nx, ny, T::one()), f), inverse }, reduced)
}

/// `z + ψ̂ τ̂`: the moment about the axis is what the motor gives.
#[inline(always)]
pub(crate) fn loaded<T: Real>(z: Wrench<T>, psi_hat: &Wrench<T>, tau_hat: T, tau: T) -> Wrench<T> {
    let n = psi_hat.moment;
    Wrench::new(
        Vec3::new(n.x.mul_add(tau_hat, z.moment.x), n.y.mul_add(tau_hat, z.moment.y), tau),
        psi_hat.force.scale_add(tau_hat, z.force),
    )
}

/// `Tz(d)`: `H + d ẑ × M`, `I + …`.
#[inline(always)]
pub(crate) fn slide<T: Real>(m: Reduced<T>, d: T) -> Reduced<T> {
    let Reduced { ixx, ixy, iyy, hx, hy, k } = m;
    let (hyy, hxx) = d.product_both(k.xy, hy.y, hx.x);
    let sx = Vec3::new(hxx, (-d).mul_add(k.yy, hx.y), (-d).mul_add(k.yz, hx.z));
    let sy = Vec3::new(d.mul_add(k.xx, hy.x), hyy, d.mul_add(k.xz, hy.z));
    Reduced {
        ixx: (-d).mul_add(hx.y + sx.y, ixx),
        ixy: d.mul_add(hx.x - sy.y, ixy),
        iyy: d.mul_add(hy.x + sy.x, iyy),
        hx: sx,
        hy: sy,
        k,
    }
}

/// `Tz(d)` of a wrench.
#[inline(always)]
pub(crate) fn slide_wrench<T: Real>(w: Wrench<T>, d: T) -> Wrench<T> {
    let Wrench { moment: n, force: f } = w;
    Wrench::new(Vec3::new((-d).mul_add(f.y, n.x), d.mul_add(f.x, n.y), n.z), f)
}

/// `Rz(θ)`, then `Rx(α)`, of an inertia whose row and column of the z axis are zero.
#[inline(always)]
pub(crate) fn turn_out<T: Real>(
    m: Reduced<T>,
    sin: T,
    cos: T,
    link: &Link<T>,
) -> ArticulatedInertia<T> {
    let Reduced { ixx, ixy, iyy, hx, hy, k } = m;
    let twice_cos = cos + cos;
    let (ixx, ixy, iyy) = rotate_symmetric(ixx, ixy, iyy, sin, cos, twice_cos);
    let [hxx, hxy, hyx, hyy] = rotate_general(hx.x, hx.y, hy.x, hy.y, sin, cos);
    let hz = z_out(Vec3::new(hx.z, hy.z, T::zero()), sin, cos);
    let (kxx, kxy, kyy) = rotate_symmetric(k.xx, k.xy, k.yy, sin, cos, twice_cos);
    let kz = z_out(Vec3::new(k.xz, k.yz, k.zz), sin, cos);

    let (sa, ca, c) = (link.screw.sin_alpha, link.screw.cos_alpha, &link.derived);
    let izz = c.sin_squared * iyy;
    let inertia =
        Sym3 { xx: ixx, yy: iyy - izz, zz: izz, xy: ca * ixy, xz: sa * ixy, yz: c.sin_cos * iyy };
    // [c −s; s c] [p q; 0 0] [c s; −s c]
    let w = ca.mul_add(hyy, -(sa * hz.y));
    let (yy, zy) = (ca * w, sa * w);
    let coupling = Mat3::from_rows(
        x_out(Vec3::new(hxx, hxy, hz.x), sa, ca),
        Vec3::new(ca * hyx, yy, zy + hz.y),
        Vec3::new(sa * hyx, zy, hyy - yy),
    );
    let (kyy, kyz, kzz) = rotate_symmetric(kyy, kz.y, k.zz, sa, ca, c.twice_cos);
    let kx = x_out(Vec3::new(kxx, kxy, kz.x), sa, ca);
    let mass = Sym3 { xx: kxx, yy: kyy, zz: kzz, xy: kx.y, xz: kx.z, yz: kyz };
    ArticulatedInertia { inertia, coupling, mass }
}

/// `Rz(θ)`, then `Rx(α)`, of a wrench.
#[inline(always)]
pub(crate) fn turn_wrench_out<T: Real>(w: Wrench<T>, sin: T, cos: T, link: &Link<T>) -> Wrench<T> {
    let (sa, ca) = (link.screw.sin_alpha, link.screw.cos_alpha);
    let out = |u| x_out(z_out(u, sin, cos), sa, ca);
    Wrench::new(out(w.moment), out(w.force))
}

/// `T(a, b, 0)`, and the screw of a branch.
#[inline(always)]
pub(crate) fn to_parent<T: Real>(
    m: ArticulatedInertia<T>,
    link: &Link<T>,
    shape: LinkShape,
) -> ArticulatedInertia<T> {
    let x = &link.screw;
    let ArticulatedInertia { inertia: i, coupling: h, mass: k } = m;
    let a = x.a;
    let (hzz, hyy) = a.product_both(k.yz, h.z.z, h.y.y);
    let sy = Vec3::new((-a).mul_add(k.xz, h.y.x), hyy, (-a).mul_add(k.zz, h.y.z));
    let sz = Vec3::new(a.mul_add(k.xy, h.z.x), a.mul_add(k.yy, h.z.y), hzz);
    let mut inertia = ArticulatedInertia {
        inertia: Sym3 {
            xx: i.xx,
            yy: (-a).mul_add(h.y.z + sy.z, i.yy),
            zz: a.mul_add(h.z.y + sz.y, i.zz),
            xy: (-a).mul_add(h.x.z, i.xy),
            xz: a.mul_add(h.x.y, i.xz),
            yz: a.mul_add(h.y.y - sz.z, i.yz),
        },
        coupling: Mat3::from_rows(h.x, sy, sz),
        mass: k,
    };
    let zero = T::zero();
    if shape.has_offset {
        inertia = inertia.shifted(Vec3::new(zero, x.b, zero));
    }
    if shape.has_branch {
        inertia = inertia_z_out(inertia, x.sin_phi, x.cos_phi).shifted(Vec3::new(zero, zero, x.s));
    }
    inertia
}

/// `T(a, b, 0)`, and the screw of a branch, of a wrench.
#[inline(always)]
pub(crate) fn wrench_to_parent<T: Real>(
    w: Wrench<T>,
    link: &Link<T>,
    shape: LinkShape,
) -> Wrench<T> {
    let x = &link.screw;
    let (mut n, mut f) = (w.moment, w.force);
    n = Vec3::new(n.x, (-x.a).mul_add(f.z, n.y), x.a.mul_add(f.y, n.z));
    if shape.has_offset {
        n = Vec3::new(x.b.mul_add(f.z, n.x), n.y, (-x.b).mul_add(f.x, n.z));
    }
    if shape.has_branch {
        (n, f) = (z_out(n, x.sin_phi, x.cos_phi), z_out(f, x.sin_phi, x.cos_phi));
        n = Vec3::new((-x.s).mul_add(f.y, n.x), x.s.mul_add(f.x, n.y), n.z);
    }
    Wrench::new(n, f)
}

/// What the parent feels of an inertia and a wrench that were turned by `Rx(α)`.
#[inline(always)]
pub(crate) fn onto_parent<T: Real>(
    inertia: ArticulatedInertia<T>,
    wrench: Wrench<T>,
    link: &Link<T>,
    shape: LinkShape,
) -> Inner<T> {
    Inner {
        inertia: to_parent(inertia, link, shape),
        wrench: wrench_to_parent(wrench, link, shape),
    }
}
