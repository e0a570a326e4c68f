//! Second sweep, tips to root: one step of reverse Gaussian elimination per joint.
//!
//! `ψ = M̂ p`, `m̂ = pᵀ ψ`, `ψ̂ = ψ / m̂`, `τ̂ = τ − pᵀ z`; the parent gains
//! `Bᵀ (M̂ − ψ ψ̂ᵀ) B` and `Bᵀ (z + ψ̂ τ̂)`.

use pommel_math::{ArticulatedInertia, Mask, Real, Vec3, Wrench};

use super::{ball, root, second, single, tip, turn};
use crate::model::{Link, LinkShape, Model, Role};
use crate::workspace::{Inner, Workspace};

/// The first joint that felt too little inertia.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Singular {
    pub(crate) link: usize,
    pub(crate) velocity: usize,
    pub(crate) pivot: f64,
    pub(crate) limit: f64,
    pub(crate) lanes: Mask,
}

impl Singular {
    /// With the lanes that failed otherwise.
    pub(crate) fn and_lanes<T: Real>(self, finite: Mask) -> Self {
        Singular { lanes: self.lanes | (!finite & Mask::all(T::LANES)), ..self }
    }
}

/// Collects failed lanes; the details are those of the first failure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PivotCheck {
    pub(crate) failure: Option<Singular>,
    /// lanes that are solved otherwise
    pub(crate) ignored: Mask,
}

impl PivotCheck {
    /// Notes the lanes in which `pivot` does not exceed `limit`.
    #[inline(always)]
    pub(crate) fn require<T: Real>(&mut self, pivot: T, limit: T, link: usize, velocity: usize) {
        let good = limit.lt(pivot) | self.ignored;
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

/// Leaves `τ̂ / m̂` in `qdd`.
#[inline(always)]
pub(crate) fn sweep<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) {
    let (shapes, links) = model.links();
    let mut carried = Inner::zero();
    for i in (0..shapes.len()).rev() {
        let (shape, link) = (shapes[i], &links[i]);
        let (iv, at) = (shape.v as usize, shape.turn as usize);
        let bias = &ws.biases[i];
        let inner = if shape.has_sole { carried } else { ws.inner[i] };
        // each case by itself up to the parent: a common end would pass 27 numbers through memory
        let seen = match shape.role {
            Role::Turn => {
                let sum = Inner { wrench: inner.wrench + bias.wrench, ..inner };
                turning(ws, (i, shape, link), sum, tau[iv], check, &mut qdd[iv])
            }
            Role::Tip => {
                let (sin, cos) = (ws.sin[at], ws.cos[at]);
                let tip = &model.tips[shape.slot as usize];
                check.require(tip.pivot, link.pivot_limit, i, 0);
                let tau_hat = tau[iv] - bias.wrench.moment.z;
                qdd[iv] = tau_hat * tip.column.inverse;
                let z = turn::loaded(bias.wrench, &tip.column.psi_hat, tau_hat, tau[iv]);
                let z = turn::turn_wrench_out(z, sin, cos, link);
                let m = turn::turn_out(tip.reduced, sin, cos, link);
                turn::onto_parent(m, z, link, shape)
            }
            Role::Second => {
                let m = turn::plus_turning(inner.inertia, link);
                check.require(m.inertia.zz, link.pivot_limit, i, 0);
                let z = inner.wrench + bias.wrench;
                let (column, reduced) = turn::reduce(m);
                ws.columns[i] = column;
                let axis = second::ground_axis(link, shape, ws.sin[at], ws.cos[at]);
                ws.rates[i] = axis;
                let tau_hat = tau[iv] - z.moment.z;
                qdd[iv] = tau_hat * column.inverse;
                let z = turn::loaded(z, &column.psi_hat, tau_hat, tau[iv]);
                let mut seen = Inner::zero();
                seen.inertia.inertia.zz = second::inertia_about(&reduced, axis);
                seen.wrench.moment.z = axis.dot(z);
                carried = seen;
                continue;
            }
            Role::Ground => {
                let pivot = inner.inertia.inertia.zz + link.derived.p_sum;
                check.require(pivot, link.pivot_limit, i, 0);
                let z = inner.wrench.moment.z + bias.wrench.moment.z;
                let inverse = pivot.recip();
                ws.columns[i].inverse = inverse;
                qdd[iv] = (tau[iv] - z) * inverse;
                continue;
            }
            Role::Wheel => {
                let pivot = link.derived.p_sum;
                check.require(pivot, link.pivot_limit, i, 0);
                let inverse = pivot.recip();
                ws.columns[i].inverse = inverse;
                qdd[iv] = (tau[iv] + bias.extra) * inverse;
                let axis = tip::wheel_axis(link, shape);
                let moment = axis.scale_add(tau[iv], bias.wrench.moment);
                let mut seen = Inner::zero();
                seen.wrench = Wrench::new(moment, bias.wrench.force);
                pass_on(seen, shape, ws, &mut carried);
                continue;
            }
            Role::Single | Role::Ball => {
                let sum = Inner { wrench: inner.wrench + bias.wrench, ..inner };
                match general(model, ws, (i, shape, link), sum, tau, check, qdd) {
                    Some(seen) => seen,
                    None => continue,
                }
            }
            Role::Free => {
                let sum = Inner { wrench: inner.wrench + bias.wrench, ..inner };
                free(model, ws, (i, shape, link), sum, tau, check, qdd);
                continue;
            }
        };
        pass_on(seen, shape, ws, &mut carried);
    }
}

/// Eliminates a revolute joint; `inner` with the wrench of the link itself. Returns what the parent
/// feels.
#[inline(always)]
pub(crate) fn turning<T: Real>(
    ws: &mut Workspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: Inner<T>,
    tau: T,
    check: &mut PivotCheck,
    rate: &mut T,
) -> Inner<T> {
    let at = shape.turn as usize;
    let (sin, cos, d) = (ws.sin[at], ws.cos[at], link.screw.d);
    let m = turn::plus_turning(inner.inertia, link);
    check.require(m.inertia.zz, link.pivot_limit, i, 0);
    let z = inner.wrench;
    let (column, reduced) = turn::reduce(m);
    let tau_hat = tau - z.moment.z;
    *rate = tau_hat * column.inverse;
    let z = turn::loaded(z, &column.psi_hat, tau_hat, tau);
    ws.columns[i] = column;
    let z = turn::turn_wrench_out(turn::slide_wrench(z, d), sin, cos, link);
    let m = turn::turn_out(turn::slide(reduced, d), sin, cos, link);
    turn::onto_parent(m, z, link, shape)
}

/// The same for links with the role `Single` or `Ball`; nothing from a root.
#[inline(always)]
pub(crate) fn general<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: Inner<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Option<Inner<T>> {
    let iv = shape.v as usize;
    let z = inner.wrench;
    let (m, z) = if shape.role == Role::Ball {
        let m = reduce_ball(model, ws, (i, shape, link), inner.inertia, check);
        let column = &ws.balls[shape.slot as usize];
        let mut tau = Vec3::from_slice(&tau[iv..]);
        if shape.geared {
            let (a, r) = (&model.armature[iv..iv + 3], column.reference);
            tau -= Vec3::new(a[0] * r.x, a[1] * r.y, a[2] * r.z);
        }
        let (rate, z) = ball::load(column, z, tau);
        rate.write_to(&mut qdd[iv..]);
        shape.parent?;
        ball::before_motion(m, z, column.rotation, link)
    } else {
        let slide = ws.biases[i].extra;
        let (posture, m) = reduce_single(model, ws, (i, shape, link), inner.inertia, slide, check);
        let (column, bias) = (ws.columns[i], &ws.biases[i]);
        let mut tau_hat = tau[iv] - single::along(shape.kind, link, z);
        let mut z = posture.wrench_out(z);
        if shape.geared {
            tau_hat = (-model.armature[iv]).mul_add(bias.reference, tau_hat);
        }
        if let Some(rotor) = shape.rotor {
            let load = &ws.gears[rotor as usize];
            tau_hat -= load.torque;
            z.moment += load.moment;
        }
        qdd[iv] = tau_hat * column.inverse;
        let z = column.psi_hat.scale_add(tau_hat, z);
        shape.parent?;
        (m, z)
    };
    let (m, z) = single::turn_out(m, z, link);
    Some(turn::onto_parent(m, z, link, shape))
}

/// Leaves the column of a link with the role `Single`, and returns the posture of its joint and
/// `M̂ − ψ ψ̂ᵀ` before the joint's motion.
#[inline(always)]
pub(crate) fn reduce_single<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: ArticulatedInertia<T>,
    slide: T,
    check: &mut PivotCheck,
) -> (single::Posture<T>, ArticulatedInertia<T>) {
    let posture = single::Posture::of(shape, link, ws, slide);
    let spin = shape.rotor.map(|r| &model.rotors[r as usize]);
    let armature = model.armature[shape.v as usize];
    let (column, pivot, m) = single::reduce(inner, shape.kind, link, posture, armature, spin);
    check.require(pivot, link.pivot_limit, i, 0);
    ws.columns[i] = column;
    (posture, m)
}

/// Leaves the columns of a ball, and returns `M̂ − ψ m̂⁻¹ ψᵀ` in child axes.
#[inline(always)]
pub(crate) fn reduce_ball<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: ArticulatedInertia<T>,
    check: &mut PivotCheck,
) -> ArticulatedInertia<T> {
    let iv = shape.v as usize;
    let armature = shape.geared.then(|| &model.armature[iv..iv + 3]);
    let m = inner + link.inertia.to_rigid().to_articulated();
    ball::reduce(m, armature, link, &mut ws.balls[shape.slot as usize], i, check)
}

/// Leaves the factors of the six equations of a free body.
#[inline(always)]
pub(crate) fn reduce_free<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: ArticulatedInertia<T>,
    check: &mut PivotCheck,
) {
    let iv = shape.v as usize;
    let armature = shape.geared.then(|| &model.armature[iv..iv + 6]);
    let m = inner + link.inertia.to_rigid().to_articulated();
    let column = &mut ws.roots[shape.slot as usize];
    root::factorize(m, armature, link.pivot_limit, i, column, check);
}

/// Solves the six equations of a free body, and leaves the rate of its twist in `rates`.
#[inline(always)]
pub(crate) fn free<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: Inner<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) {
    let iv = shape.v as usize;
    reduce_free(model, ws, (i, shape, link), inner.inertia, check);
    let column = &ws.roots[shape.slot as usize];
    let armature = shape.geared.then(|| &model.armature[iv..iv + 6]);
    let fall = root::Fall { gravity: model.gravity, armature };
    let (tau, qdd) = (&tau[iv..iv + 6], &mut qdd[iv..iv + 6]);
    ws.rates[i] = root::solve(column, inner.wrench, tau, fall, qdd);
}

/// Hands what a link adds to its parent.
#[inline(always)]
pub(crate) fn pass_on<T: Real>(
    seen: Inner<T>,
    shape: LinkShape,
    ws: &mut Workspace<T>,
    carried: &mut Inner<T>,
) {
    let Some(p) = shape.parent else { return };
    if shape.sole {
        *carried = seen;
        return;
    }
    let parent = &mut ws.inner[p as usize];
    if shape.arrives_first {
        *parent = seen;
    } else {
        parent.inertia += seen.inertia;
        parent.wrench += seen.wrench;
    }
}
