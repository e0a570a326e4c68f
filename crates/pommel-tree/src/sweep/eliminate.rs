//! Second sweep, tips to root: one step of reverse Gaussian elimination per joint.
//!
//! `ψ = M̂ p`, `m̂ = pᵀ ψ`, `ψ̂ = ψ / m̂`, `τ̂ = τ − pᵀ z`; the parent gains
//! `Bᵀ (M̂ − ψ ψ̂ᵀ) B` and `Bᵀ (z + ψ̂ τ̂)`. The row and column of `p` in `M̂ − ψ ψ̂ᵀ` are zero, and
//! nothing is computed with them.

use pommel_math::{ArticulatedInertia, Mask, Mat3, Real, Sym3, Vec3, Wrench};

use super::root;
use crate::model::{Link, LinkKind, LinkShape, Model};
use crate::screw::{inertia_x_out, inertia_z_out, rotate_general, rotate_symmetric, x_out, z_out};
use crate::workspace::{Column, Inner, Motion, Workspace};

/// The first joint that felt too little inertia.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Singular {
    pub(crate) link: usize,
    pub(crate) velocity: usize,
    pub(crate) pivot: f64,
    pub(crate) limit: f64,
    pub(crate) lanes: Mask,
}

/// Collects failed lanes; the details are those of the first failure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PivotCheck {
    pub(crate) failure: Option<Singular>,
}

impl PivotCheck {
    /// Notes the lanes in which `pivot` does not exceed `limit`.
    #[inline(always)]
    pub(crate) fn require<T: Real>(&mut self, pivot: T, limit: T, link: usize, velocity: usize) {
        let good = limit.lt(pivot);
        if !good.is_all(T::LANES) {
            self.note(pivot, limit, !good & Mask::all(T::LANES), link, velocity);
        }
    }

    #[cold]
    #[inline(never)]
    fn note<T: Real>(&mut self, pivot: T, limit: T, lanes: Mask, link: usize, velocity: usize) {
        let lane = lanes.first().unwrap_or(0);
        let (pivot, limit) = (pivot.lane(lane), limit.lane(lane));
        match &mut self.failure {
            Some(failure) => failure.lanes |= lanes,
            None => self.failure = Some(Singular { link, velocity, pivot, limit, lanes }),
        }
    }
}

#[inline(always)]
pub(crate) fn sweep<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) {
    let shapes = &model.topology.links;
    for i in (0..shapes.len()).rev() {
        let (shape, link) = (shapes[i], &model.links[i]);
        let motion = &ws.motions[i];
        let v = shape.v as usize;
        let z = ws.inner[i].wrench + motion.bias;
        let seen = match shape.kind {
            LinkKind::Revolute => {
                let m = plus_revolute(ws.inner[i].inertia, link);
                let (column, seen) = revolute(m, z, tau[v], link, motion, shape);
                check.require(m.inertia.zz, link.pivot_limit, i, 0);
                ws.columns[i] = column;
                seen
            }
            LinkKind::Prismatic => {
                let m = plus_prismatic(ws.inner[i].inertia, link);
                let (column, seen) = prismatic(m, z, tau[v], link, motion, shape);
                check.require(m.mass.zz, link.pivot_limit, i, 0);
                ws.columns[i] = column;
                seen
            }
            LinkKind::Free => {
                let m = ws.inner[i].inertia + link.inertia.to_rigid().to_articulated();
                let (tau, qdd) = (&tau[v..v + 6], &mut qdd[v..v + 6]);
                ws.rates[i] = root::solve(
                    m,
                    z,
                    tau,
                    model.gravity,
                    ws.placements[i].rotation,
                    link.pivot_limit,
                    i,
                    check,
                    qdd,
                );
                continue;
            }
        };
        if let Some(p) = shape.parent {
            let parent = &mut ws.inner[p as usize];
            if shape.arrives_first {
                *parent = seen;
            } else {
                parent.inertia += seen.inertia;
                parent.wrench += seen.wrench;
            }
        }
    }
}

/// Adds the base parameters of a revolute link: ten numbers.
#[inline(always)]
fn plus_revolute<T: Real>(m: ArticulatedInertia<T>, link: &Link<T>) -> ArticulatedInertia<T> {
    let (h, p) = (link.inertia.first_moment, link.inertia.second_moment);
    let ArticulatedInertia { inertia: i, coupling: c, mass } = m;
    ArticulatedInertia {
        inertia: Sym3 {
            xx: i.xx + p.yy,
            yy: i.yy + p.xx,
            zz: i.zz + (p.xx + p.yy),
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

/// Adds the base parameters of a prismatic link: mass and first moments.
#[inline(always)]
fn plus_prismatic<T: Real>(m: ArticulatedInertia<T>, link: &Link<T>) -> ArticulatedInertia<T> {
    let (mass, Vec3 { x, y, z }) = (link.inertia.mass, link.inertia.first_moment);
    let ArticulatedInertia { inertia, coupling: c, mass: s } = m;
    ArticulatedInertia {
        inertia,
        coupling: Mat3::from_rows(
            Vec3::new(c.x.x, c.x.y - z, c.x.z + y),
            Vec3::new(c.y.x + z, c.y.y, c.y.z - x),
            Vec3::new(c.z.x - y, c.z.y + x, c.z.z),
        ),
        mass: Sym3 { xx: s.xx + mass, yy: s.yy + mass, zz: s.zz + mass, ..s },
    }
}

#[inline(always)]
fn revolute<T: Real>(
    m: ArticulatedInertia<T>,
    z: Wrench<T>,
    tau: T,
    link: &Link<T>,
    motion: &Motion<T>,
    shape: LinkShape,
) -> (Column<T>, Inner<T>) {
    let ArticulatedInertia { inertia: i, coupling: h, mass: k } = m;
    let (sin, cos, d) = (motion.sin, motion.cos, motion.d);
    let inverse = i.zz.recip();
    // ψ̂: angular (x, y, 1), linear
    let (nx, ny) = (i.xz * inverse, i.yz * inverse);
    let f = h.z.scale(inverse);
    let tau_hat = tau - z.moment.z;
    let column =
        Column { psi_hat: Wrench::new(Vec3::new(nx, ny, T::one()), f), rate: tau_hat * inverse };

    // M̂ − ψ ψ̂ᵀ: rows and columns of the joint axis vanish
    let ixx = (-i.xz).mul_add(nx, i.xx);
    let iyy = (-i.yz).mul_add(ny, i.yy);
    let ixy = (-i.xz).mul_add(ny, i.xy);
    let hx = f.scale_add(-i.xz, h.x);
    let hy = f.scale_add(-i.yz, h.y);
    let k = k.minus_outer(h.z, f);
    // z + ψ̂ τ̂
    let force = f.scale_add(tau_hat, z.force);
    let moment = Vec3::new(nx.mul_add(tau_hat, z.moment.x), ny.mul_add(tau_hat, z.moment.y), tau);

    // Tz(d): H + d ẑ × M, I + …
    let sx = k.row_y().scale_add(-d, hx);
    let sy = k.row_x().scale_add(d, hy);
    let ixx = (-d).mul_add(hx.y + sx.y, ixx);
    let iyy = d.mul_add(hy.x + sy.x, iyy);
    let ixy = d.mul_add(hx.x - sy.y, ixy);
    let moment = Vec3::new((-d).mul_add(force.y, moment.x), d.mul_add(force.x, moment.y), moment.z);
    // Rz(θ)
    let (ixx, ixy, iyy) = rotate_symmetric(ixx, ixy, iyy, sin, cos);
    let [hxx, hxy, hyx, hyy] = rotate_general(sx.x, sx.y, sy.x, sy.y, sin, cos);
    let hz = z_out(Vec3::new(sx.z, sy.z, T::zero()), sin, cos);
    let (kxx, kxy, kyy) = rotate_symmetric(k.xx, k.xy, k.yy, sin, cos);
    let kz = z_out(Vec3::new(k.xz, k.yz, k.zz), sin, cos);
    let (force, moment) = (z_out(force, sin, cos), z_out(moment, sin, cos));
    // Rx(α): z rows of I and H are still zero
    let (sa, ca) = (link.screw.sin_alpha, link.screw.cos_alpha);
    let (cy, sy) = (ca * iyy, sa * iyy);
    let inertia =
        Sym3 { xx: ixx, yy: ca * cy, zz: sa * sy, xy: ca * ixy, xz: sa * ixy, yz: sa * cy };
    // [c −s; s c] [p q; 0 0] [c s; −s c]
    let w = ca.mul_add(hyy, -(sa * hz.y));
    let u = sa.mul_add(hyy, ca * hz.y);
    let coupling = Mat3::from_rows(
        x_out(Vec3::new(hxx, hxy, hz.x), sa, ca),
        Vec3::new(ca * hyx, ca * w, ca * u),
        Vec3::new(sa * hyx, sa * w, sa * u),
    );
    let (kyy, kyz, kzz) = rotate_symmetric(kyy, kz.y, k.zz, sa, ca);
    let kx = x_out(Vec3::new(kxx, kxy, kz.x), sa, ca);
    let mass = Sym3 { xx: kxx, yy: kyy, zz: kzz, xy: kx.y, xz: kx.z, yz: kyz };
    let wrench = Wrench::new(x_out(moment, sa, ca), x_out(force, sa, ca));
    let inner = Inner { inertia: ArticulatedInertia { inertia, coupling, mass }, wrench };
    (column, to_parent(inner, link, shape))
}

#[inline(always)]
fn prismatic<T: Real>(
    m: ArticulatedInertia<T>,
    z: Wrench<T>,
    tau: T,
    link: &Link<T>,
    motion: &Motion<T>,
    shape: LinkShape,
) -> (Column<T>, Inner<T>) {
    let psi =
        Wrench::new(Vec3::new(m.coupling.x.z, m.coupling.y.z, m.coupling.z.z), m.mass.row_z());
    let inverse = psi.force.z.recip();
    let mut psi_hat = psi.scale(inverse);
    psi_hat.force.z = T::one();
    let tau_hat = tau - z.force.z;
    let column = Column { psi_hat, rate: tau_hat * inverse };
    let inertia = m.minus_outer(psi, psi_hat);
    let wrench = psi_hat.scale_add(tau_hat, z);

    let zero = T::zero();
    let shifted = inertia.shifted(Vec3::new(zero, zero, motion.d));
    let moment = Vec3::new(zero, zero, motion.d).cross_add(wrench.force, wrench.moment);
    let (sin, cos) = (motion.sin, motion.cos);
    let (sa, ca) = (link.screw.sin_alpha, link.screw.cos_alpha);
    let inertia = inertia_x_out(inertia_z_out(shifted, sin, cos), sa, ca);
    let out = |u| x_out(z_out(u, sin, cos), sa, ca);
    let inner = Inner { inertia, wrench: Wrench::new(out(moment), out(wrench.force)) };
    (column, to_parent(inner, link, shape))
}

/// `T(a, b, 0)`, and the screw of a branch.
#[inline(always)]
fn to_parent<T: Real>(inner: Inner<T>, link: &Link<T>, shape: LinkShape) -> Inner<T> {
    let x = &link.screw;
    let Inner { inertia: ArticulatedInertia { inertia: i, coupling: h, mass: k }, wrench } = inner;
    let (a, zero) = (x.a, T::zero());
    let sy = k.row_z().scale_add(-a, h.y);
    let sz = k.row_y().scale_add(a, h.z);
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
    let force = wrench.force;
    let mut moment = Vec3::new(
        wrench.moment.x,
        (-a).mul_add(force.z, wrench.moment.y),
        a.mul_add(force.y, wrench.moment.z),
    );
    if shape.has_offset {
        let r = Vec3::new(zero, x.b, zero);
        inertia = inertia.shifted(r);
        moment = r.cross_add(force, moment);
    }
    if !shape.has_branch {
        return Inner { inertia, wrench: Wrench::new(moment, force) };
    }
    let r = Vec3::new(zero, zero, x.s);
    let (sin, cos) = (x.sin_phi, x.cos_phi);
    let (force, moment) = (z_out(force, sin, cos), z_out(moment, sin, cos));
    let moment = r.cross_add(force, moment);
    Inner {
        inertia: inertia_z_out(inertia, sin, cos).shifted(r),
        wrench: Wrench::new(moment, force),
    }
}
