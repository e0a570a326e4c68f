//! First sweep, root to tips: the wrench that each link needs to follow a reference motion.
//!
//! The accelerations that are solved for are corrections to a reference motion that may be chosen
//! freely. Revolute joints take the one in which no link has an angular acceleration about its own
//! axis; that saves work in every link beyond. A free body falls. Only angular velocities enter, never a velocity or
//! position in world: a robot at orbital speed keeps its digits.

use pommel_math::{Mat3, Quaternion, Real, Twist, Vec3, Wrench};

use crate::model::{Link, LinkKind, LinkShape, Model};
use crate::screw::{x_in, z_in};
use crate::workspace::{Motion, Workspace};

/// `(ω, α, a)` of the parent, carried to the joint frame before the joint's own screw.
struct Incoming<T> {
    omega: Vec3<T>,
    alpha: Vec3<T>,
    acceleration: Vec3<T>,
}

#[inline(always)]
pub(crate) fn sweep<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    with_external: bool,
) {
    let shapes = &model.topology.links;
    for i in 0..shapes.len() {
        let (shape, link) = (shapes[i], &model.links[i]);
        let mut motion = match shape.kind {
            LinkKind::Revolute => {
                let incoming = incoming(model, ws, shape, link);
                revolute(link, incoming, q[shape.q as usize], v[shape.v as usize])
            }
            LinkKind::Prismatic => {
                let incoming = incoming(model, ws, shape, link);
                prismatic(link, incoming, q[shape.q as usize], v[shape.v as usize])
            }
            LinkKind::Free => {
                let rotation = Quaternion::from_slice(&q[shape.q as usize + 3..]).rotation();
                ws.placements[i].rotation = rotation;
                free(link, rotation, &v[shape.v as usize..])
            }
        };
        if with_external {
            motion.bias -= ws.external[i];
        }
        ws.motions[i] = motion;
    }
}

#[inline(always)]
fn incoming<T: Real>(
    model: &Model<T>,
    ws: &Workspace<T>,
    shape: LinkShape,
    link: &Link<T>,
) -> Incoming<T> {
    let Some(p) = shape.parent else {
        let gravity = shape.root.map_or(Vec3::zero(), |r| model.roots[r as usize].gravity);
        return Incoming { omega: Vec3::zero(), alpha: Vec3::zero(), acceleration: -gravity };
    };
    let parent = &ws.motions[p as usize];
    let x = &link.screw;
    let g = &parent.gradient;
    let Vec3 { x: ax, y: ay, z: az } = parent.acceleration;
    let (mut omega, mut alpha) = (parent.omega, parent.alpha);
    // the joint frame's origin is at r in the parent: a + G r
    let mut acceleration = if shape.has_branch {
        let r = Vec3::new(
            x.cos_phi.mul_add(x.a, -(x.sin_phi * x.b)),
            x.sin_phi.mul_add(x.a, x.cos_phi * x.b),
            x.s,
        );
        omega = z_in(omega, x.sin_phi, x.cos_phi);
        alpha = z_in(alpha, x.sin_phi, x.cos_phi);
        z_in(parent.acceleration + *g * r, x.sin_phi, x.cos_phi)
    } else {
        Vec3::new(x.a.mul_add(g.x.x, ax), x.a.mul_add(g.y.x, ay), x.a.mul_add(g.z.x, az))
    };
    if shape.has_offset && !shape.has_branch {
        acceleration = Vec3::new(g.x.y, g.y.y, g.z.y).scale_add(x.b, acceleration);
    }
    let (sin, cos) = (x.sin_alpha, x.cos_alpha);
    Incoming {
        omega: x_in(omega, sin, cos),
        alpha: x_in(alpha, sin, cos),
        acceleration: x_in(acceleration, sin, cos),
    }
}

/// `G = [α]× + [ω]×²`.
#[inline(always)]
pub(crate) fn gradient<T: Real>(omega: Vec3<T>, alpha: Vec3<T>) -> Mat3<T> {
    let Vec3 { x, y, z } = omega;
    let (xx, yy, zz, xy, xz, yz) = (x * x, y * y, z * z, x * y, x * z, y * z);
    Mat3::from_rows(
        Vec3::new(-(yy + zz), xy - alpha.z, xz + alpha.y),
        Vec3::new(xy + alpha.z, -(xx + zz), yz - alpha.x),
        Vec3::new(xz - alpha.y, yz + alpha.x, -(xx + yy)),
    )
}

#[inline(always)]
fn revolute<T: Real>(link: &Link<T>, incoming: Incoming<T>, q: T, qd: T) -> Motion<T> {
    let (sin, cos) = (q + link.screw.theta).sin_cos();
    let d = link.screw.d;
    let mut omega = z_in(incoming.omega, sin, cos);
    let mut alpha = z_in(incoming.alpha, sin, cos);
    // ω_p × e q̇, and the reference joint acceleration that cancels the component along z
    alpha.x = omega.y.mul_add(qd, alpha.x);
    alpha.y = (-omega.x).mul_add(qd, alpha.y);
    let reference = -alpha.z;
    alpha.z = T::zero();
    omega.z += qd;

    let Vec3 { x, y, z } = omega;
    let (xx, yy, zz, xy, xz, yz) = (x * x, y * y, z * z, x * y, x * z, y * z);
    let g = Mat3::from_rows(
        Vec3::new(-(yy + zz), xy, xz + alpha.y),
        Vec3::new(xy, -(xx + zz), yz - alpha.x),
        Vec3::new(xz - alpha.y, yz + alpha.x, -(xx + yy)),
    );
    let a = z_in(incoming.acceleration, sin, cos);
    let a = Vec3::new(d.mul_add(g.x.z, a.x), d.mul_add(g.y.z, a.y), d.mul_add(g.z.z, a.z));

    // base parameters: no mass, h_z = 0, P_zz = 0
    let (h, p) = (link.inertia.first_moment, link.inertia.second_moment);
    let force = Vec3::new(
        g.x.x.mul_add(h.x, g.x.y * h.y),
        g.y.x.mul_add(h.x, g.y.y * h.y),
        g.z.x.mul_add(h.x, g.z.y * h.y),
    );
    // h × a, and the axial vector of G P
    let mx = h.y.mul_add(a.z, g.z.x.mul_add(p.xy, g.z.y * p.yy));
    let my = h.x.mul_add(a.z, g.z.x.mul_add(p.xx, g.z.y * p.xy));
    let mz = h.x.mul_add(a.y, -(h.y * a.x));
    let moment = Vec3::new(
        (g.z.z - g.y.y).mul_add(p.yz, (-g.y.x).mul_add(p.xz, mx)),
        (g.x.x - g.z.z).mul_add(p.xz, g.x.y.mul_add(p.yz, -my)),
        g.x.y.mul_add(
            p.xx - p.yy,
            (g.y.y - g.x.x).mul_add(p.xy, g.y.z.mul_add(p.xz, (-g.x.z).mul_add(p.yz, mz))),
        ),
    );
    Motion {
        omega,
        alpha,
        acceleration: a,
        gradient: g,
        sin,
        cos,
        d,
        reference,
        bias: Wrench::new(moment, force),
    }
}

#[inline(always)]
fn prismatic<T: Real>(link: &Link<T>, incoming: Incoming<T>, q: T, qd: T) -> Motion<T> {
    let (sin, cos) = (link.screw.sin_theta, link.screw.cos_theta);
    let d = link.screw.d + q;
    let omega = z_in(incoming.omega, sin, cos);
    let alpha = z_in(incoming.alpha, sin, cos);
    let g = gradient(omega, alpha);
    let a = z_in(incoming.acceleration, sin, cos);
    // a + d G ẑ + 2 ω × ẑ q̇
    let twice = qd + qd;
    let a = Vec3::new(
        omega.y.mul_add(twice, d.mul_add(g.x.z, a.x)),
        (-omega.x).mul_add(twice, d.mul_add(g.y.z, a.y)),
        d.mul_add(g.z.z, a.z),
    );
    // base parameters: no second moments
    let h = link.inertia.first_moment;
    let force = a.scale_add(link.inertia.mass, g * h);
    Motion {
        omega,
        alpha,
        acceleration: a,
        gradient: g,
        sin,
        cos,
        d,
        reference: T::zero(),
        bias: Wrench::new(h.cross(a), force),
    }
}

#[inline(always)]
fn free<T: Real>(link: &Link<T>, rotation: Mat3<T>, v: &[T]) -> Motion<T> {
    let omega = rotation.transpose_mul(Vec3::from_slice(v));
    // the reference motion falls freely: gravity costs no digit of the forces within the tree
    let acceleration = Vec3::zero();
    let rate = Twist::new(Vec3::zero(), acceleration);
    Motion {
        omega,
        alpha: Vec3::zero(),
        acceleration,
        gradient: gradient(omega, Vec3::zero()),
        sin: T::zero(),
        cos: T::one(),
        d: T::zero(),
        reference: T::zero(),
        bias: link.inertia.to_rigid().newton_euler(omega, rate),
    }
}
