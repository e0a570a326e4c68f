//! First sweep, root to tips: the wrench that each link needs to follow a reference motion.
//!
//! The accelerations that are solved for are corrections to a reference motion that may be chosen
//! freely. Joints that turn take the one in which no link has an angular acceleration about its own
//! axis (a ball: none at all); that saves work in every link beyond. A free body falls. Only angular
//! velocities enter, never a velocity or position in world: a robot at orbital speed keeps its
//! digits.

use pommel_math::{Mat3, Quaternion, Real, Twist, Vec3, Wrench};

use crate::model::{Link, LinkKind, LinkShape, Model, Role, Spin};
use crate::screw::{x_in, z_in};
use crate::workspace::{Bias, Flow, GearLoad, Workspace};

/// `(ω, α, a)` of the parent, carried to the joint frame before the joint's own motion.
struct Incoming<T> {
    omega: Vec3<T>,
    alpha: Vec3<T>,
    acceleration: Vec3<T>,
    /// y component of `α` before `Rx(α)`
    alpha_y: T,
}

/// With `KEEP`, the motions of all links stay in `ws.flows`.
#[inline(always)]
pub(crate) fn sweep<T: Real, const KEEP: bool>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    with_external: bool,
) {
    let mut last = Flow::zero();
    let (shapes, links) = model.links();
    for i in 0..shapes.len() {
        let (shape, link) = (shapes[i], &links[i]);
        let (iq, iv, turn) = (shape.q as usize, shape.v as usize, shape.turn as usize);
        let parent = match shape.parent {
            Some(p) if !shape.follows => ws.flows[p as usize],
            _ => last,
        };
        let parent = &parent;
        let (flow, mut bias) = match shape.role {
            Role::Ground => ground(model, shape, link, ws.sin[turn], ws.cos[turn], v[iv]),
            Role::Second => {
                let incoming = incoming_from_ground(shape, link, parent);
                turned::<T, true, false>(link, incoming, ws.sin[turn], ws.cos[turn], v[iv])
            }
            Role::Turn => {
                let incoming = incoming::<T, false>(shape, link, parent);
                turned::<T, false, false>(link, incoming, ws.sin[turn], ws.cos[turn], v[iv])
            }
            Role::Tip => {
                let incoming = incoming::<T, false>(shape, link, parent);
                turned::<T, false, true>(link, incoming, ws.sin[turn], ws.cos[turn], v[iv])
            }
            Role::Wheel => {
                let mut bias = wheel(link, shape, parent, v[iv]);
                if with_external {
                    bias.extra = ws.external[i].moment.z;
                }
                if KEEP {
                    let incoming = incoming::<T, false>(shape, link, parent);
                    let (sin, cos) = (ws.sin[turn], ws.cos[turn]);
                    ws.flows[i] = turned::<T, false, false>(link, incoming, sin, cos, v[iv]).0;
                }
                ws.biases[i] = bias;
                continue;
            }
            Role::Single => {
                let incoming = incoming_or_ground(model, shape, link, parent);
                if let Some(rotor) = shape.rotor {
                    let spin = &model.rotors[rotor as usize];
                    ws.gears[rotor as usize] = gear_load(spin, shape.kind, &incoming, v[iv]);
                }
                let (sin, cos) = match shape.kind {
                    LinkKind::Prismatic => (link.screw.sin_theta, link.screw.cos_theta),
                    _ => (ws.sin[turn], ws.cos[turn]),
                };
                single(shape.kind, link, incoming, (sin, cos), q[iq], v[iv])
            }
            Role::Ball => {
                let incoming = incoming_or_ground(model, shape, link, parent);
                let rotation = Quaternion::from_slice(&q[iq..]).rotation();
                let (flow, bias, reference) =
                    ball(&model.links[i], incoming, rotation, Vec3::from_slice(&v[iv..]));
                let column = &mut ws.balls[shape.slot as usize];
                (column.rotation, column.reference) = (rotation, reference);
                (flow, bias)
            }
            Role::Free => {
                let rotation = Quaternion::from_slice(&q[iq + 3..]).rotation();
                ws.roots[shape.slot as usize].rotation = rotation;
                free(model, i, rotation, &v[iv..])
            }
        };
        if with_external {
            bias.wrench -= ws.external[i];
        }
        ws.biases[i] = bias;
        if KEEP || shape.keeps {
            ws.flows[i] = flow;
        }
        last = flow;
    }
}

/// Sine and cosine of every joint angle.
#[inline(always)]
pub(crate) fn turn_joints<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, q: &[T]) {
    let (shapes, links) = model.links();
    for i in 0..shapes.len() {
        let (shape, link) = (&shapes[i], &links[i]);
        if matches!(shape.kind, LinkKind::Revolute | LinkKind::Helical) {
            ws.angles[shape.turn as usize] = q[shape.q as usize] + link.screw.theta;
        }
    }
    T::sin_cos_all(&ws.angles, &mut ws.sin, &mut ws.cos);
}

/// Without `WHOLE`, the z component of `α` is that which a sliding parent adds.
#[inline(always)]
fn incoming<T: Real, const WHOLE: bool>(
    shape: LinkShape,
    link: &Link<T>,
    parent: &Flow<T>,
) -> Incoming<T> {
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
        alpha: Vec3::new(
            alpha.x,
            if shape.after_slide { cos.mul_add(alpha.y, sin * alpha.z) } else { cos * alpha.y },
            match (WHOLE, shape.after_slide) {
                (true, true) => cos.mul_add(alpha.z, -(sin * alpha.y)),
                (true, false) => -(sin * alpha.y),
                (false, true) => cos * alpha.z,
                (false, false) => T::zero(),
            },
        ),
        acceleration: x_in(acceleration, sin, cos),
        alpha_y: alpha.y,
    }
}

/// On the ground: at rest, falling up.
#[inline(always)]
fn incoming_or_ground<T: Real>(
    model: &Model<T>,
    shape: LinkShape,
    link: &Link<T>,
    parent: &Flow<T>,
) -> Incoming<T> {
    match shape.root {
        Some(root) => Incoming {
            omega: Vec3::zero(),
            alpha: Vec3::zero(),
            acceleration: -model.roots[root as usize].gravity,
            alpha_y: T::zero(),
        },
        None => incoming::<T, true>(shape, link, parent),
    }
}

/// The parent turns about its z on the ground: `ω = (0, 0, q̇)`, `α = 0`.
#[inline(always)]
fn incoming_from_ground<T: Real>(
    shape: LinkShape,
    link: &Link<T>,
    parent: &Flow<T>,
) -> Incoming<T> {
    let x = &link.screw;
    let g = &parent.gradient;
    let mut a = parent.acceleration;
    a.x = x.a.mul_add(g.x.x, a.x);
    if shape.has_offset {
        a.y = x.b.mul_add(g.y.y, a.y);
    }
    let spin = parent.omega.z;
    Incoming {
        omega: Vec3::new(T::zero(), x.sin_alpha * spin, x.cos_alpha * spin),
        alpha: Vec3::zero(),
        acceleration: x_in(a, x.sin_alpha, x.cos_alpha),
        alpha_y: T::zero(),
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
fn ground<T: Real>(
    model: &Model<T>,
    shape: LinkShape,
    link: &Link<T>,
    sin: T,
    cos: T,
    qd: T,
) -> (Flow<T>, Bias<T>) {
    let zero = T::zero();
    let gravity = shape.root.map_or(Vec3::zero(), |r| model.roots[r as usize].gravity);
    let acceleration = z_in(-gravity, sin, cos);
    let minus_square = -(qd * qd);
    let gradient = Mat3::from_rows(
        Vec3::new(minus_square, zero, zero),
        Vec3::new(zero, minus_square, zero),
        Vec3::zero(),
    );
    // only the moment about the axis is felt
    let h = link.inertia.first_moment;
    let moment = h.x.mul_add(acceleration.y, -(h.y * acceleration.x));
    let wrench = Wrench::new(Vec3::new(zero, zero, moment), Vec3::zero());
    let omega = Vec3::new(zero, zero, qd);
    (
        Flow { omega, alpha: Vec3::zero(), acceleration, gradient },
        Bias { wrench, reference: zero, extra: zero },
    )
}

/// A revolute link. `SECOND`: the parent turns about its z on the ground. `TIP`: the slide is zero.
#[inline(always)]
fn turned<T: Real, const SECOND: bool, const TIP: bool>(
    link: &Link<T>,
    incoming: Incoming<T>,
    sin: T,
    cos: T,
    qd: T,
) -> (Flow<T>, Bias<T>) {
    let d = link.screw.d;
    let mut omega = incoming.omega;
    let mut alpha = Vec3::zero();
    if SECOND {
        (omega.x, omega.y) = (sin * omega.y, cos * omega.y);
        alpha.x = omega.y * qd;
        alpha.y = -(omega.x * qd);
    } else {
        omega = z_in(omega, sin, cos);
        alpha = z_in(incoming.alpha, sin, cos);
        // ω_p × e q̇
        alpha.x = omega.y.mul_add(qd, alpha.x);
        alpha.y = (-omega.x).mul_add(qd, alpha.y);
    }
    // the reference joint acceleration cancels the component along z
    alpha.z = T::zero();
    omega.z += qd;

    let Vec3 { x, y, z } = omega;
    let (xx, yy, zz, xy, xz, yz) = (x * x, y * y, z * z, x * y, x * z, y * z);
    let g = Mat3::from_rows(
        Vec3::new(-(yy + zz), xy, xz + alpha.y),
        Vec3::new(xy, -(xx + zz), yz - alpha.x),
        Vec3::new(xz - alpha.y, yz + alpha.x, -(xx + yy)),
    );
    let mut a = z_in(incoming.acceleration, sin, cos);
    if !TIP {
        a = Vec3::new(d.mul_add(g.x.z, a.x), d.mul_add(g.y.z, a.y), d.mul_add(g.z.z, a.z));
    }

    // base parameters: no mass, h_z = 0, P_zz = 0
    let (h, p, c) = (link.inertia.first_moment, link.inertia.second_moment, &link.derived);
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
        (zz - yy).mul_add(p.yz, (-g.y.x).mul_add(p.xz, mx)),
        (xx - zz).mul_add(p.xz, g.x.y.mul_add(p.yz, -my)),
        g.x.y.mul_add(
            c.p_difference,
            (yy - xx).mul_add(p.xy, g.y.z.mul_add(p.xz, (-g.x.z).mul_add(p.yz, mz))),
        ),
    );
    (
        Flow { omega, alpha, acceleration: a, gradient: g },
        Bias {
            wrench: Wrench::new(moment, force),
            reference: incoming.alpha_y,
            extra: -incoming.alpha.z,
        },
    )
}

/// A balanced wheel: the moment that turns its spin with the parent, in parent axes; the reference
/// acceleration that leaves the spin as it is.
#[inline(always)]
fn wheel<T: Real>(link: &Link<T>, shape: LinkShape, parent: &Flow<T>, qd: T) -> Bias<T> {
    let axis = crate::sweep::tip::wheel_axis(link, shape);
    let spin = link.derived.p_sum * (parent.omega.dot(axis) + qd);
    let moment = parent.omega.cross(axis.scale(spin));
    Bias {
        wrench: Wrench::new(moment, Vec3::zero()),
        reference: -parent.alpha.dot(axis),
        extra: T::zero(),
    }
}

/// Any joint with one velocity.
#[inline(always)]
fn single<T: Real>(
    kind: LinkKind,
    link: &Link<T>,
    incoming: Incoming<T>,
    (sin, cos): (T, T),
    q: T,
    qd: T,
) -> (Flow<T>, Bias<T>) {
    let mut omega = z_in(incoming.omega, sin, cos);
    let mut alpha = z_in(incoming.alpha, sin, cos);
    let mut acceleration = z_in(incoming.acceleration, sin, cos);
    let mut reference = T::zero();
    let (mut slide, mut slide_rate) = (link.screw.d, T::zero());
    match kind {
        LinkKind::Prismatic => (slide, slide_rate) = (slide + q, qd),
        LinkKind::Helical => {
            slide = link.pitch.mul_add(q, slide);
            slide_rate = link.pitch * qd;
        }
        LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => {}
    }
    // 2 ω × ẑ ḋ; the component of ω along z does not enter
    let twice = slide_rate + slide_rate;
    let coriolis = Vec3::new(omega.y * twice, -(omega.x * twice), T::zero());
    if kind.turns() {
        alpha.x = omega.y.mul_add(qd, alpha.x);
        alpha.y = (-omega.x).mul_add(qd, alpha.y);
        reference = -alpha.z;
        alpha.z = T::zero();
        omega.z += qd;
        acceleration.z = (link.pitch * reference) + acceleration.z;
    }
    let g = gradient(omega, alpha);
    // a + d G ẑ: the same in the parent and in the link
    let along = Vec3::new(g.x.z, g.y.z, g.z.z);
    acceleration = along.scale_add(slide, acceleration) + coriolis;
    let inertia = link.inertia.to_rigid();
    let wrench = inertia.newton_euler(omega, Twist::new(alpha, acceleration));
    (Flow { omega, alpha, acceleration, gradient: g }, Bias { wrench, reference, extra: slide })
}

/// A rotor on the parent at the reference motion, in the frame before the joint's motion.
#[inline(always)]
fn gear_load<T: Real>(
    spin: &Spin<T>,
    kind: LinkKind,
    incoming: &Incoming<T>,
    qd: T,
) -> GearLoad<T> {
    let reference = if kind.turns() { -incoming.alpha.z } else { T::zero() };
    let momentum = spin.axis.scale(spin.coupling);
    GearLoad {
        moment: incoming.omega.cross_add(momentum.scale(qd), momentum.scale(reference)),
        torque: momentum.dot(incoming.alpha),
    }
}

#[inline(always)]
fn ball<T: Real>(
    link: &Link<T>,
    incoming: Incoming<T>,
    rotation: Mat3<T>,
    relative: Vec3<T>,
) -> (Flow<T>, Bias<T>, Vec3<T>) {
    let (sin, cos, d) = (link.screw.sin_theta, link.screw.cos_theta, link.screw.d);
    let (omega, alpha) = (z_in(incoming.omega, sin, cos), z_in(incoming.alpha, sin, cos));
    // the centre is a point of the parent, d along z
    let g = gradient(omega, alpha);
    let at_centre =
        Vec3::new(g.x.z, g.y.z, g.z.z).scale_add(d, z_in(incoming.acceleration, sin, cos));
    let carried = rotation.transpose_mul(omega);
    // the reference acceleration of the joint leaves no angular acceleration
    let reference = -carried.cross_add(relative, rotation.transpose_mul(alpha));
    let omega = carried + relative;
    let acceleration = rotation.transpose_mul(at_centre);
    let rate = Twist::new(Vec3::zero(), acceleration);
    let wrench = link.inertia.to_rigid().newton_euler(omega, rate);
    let flow =
        Flow { omega, alpha: Vec3::zero(), acceleration, gradient: gradient(omega, Vec3::zero()) };
    let bias = Bias::of(wrench);
    (flow, bias, reference)
}

#[inline(always)]
fn free<T: Real>(model: &Model<T>, i: usize, rotation: Mat3<T>, v: &[T]) -> (Flow<T>, Bias<T>) {
    let omega = rotation.transpose_mul(Vec3::from_slice(v));
    // the reference motion falls freely: gravity costs no digit of the forces within the tree
    let inertia = model.links[i].inertia.to_rigid();
    let wrench = inertia.newton_euler(omega, Twist::new(Vec3::zero(), Vec3::zero()));
    let flow = Flow {
        omega,
        alpha: Vec3::zero(),
        acceleration: Vec3::zero(),
        gradient: gradient(omega, Vec3::zero()),
    };
    (flow, Bias::of(wrench))
}
