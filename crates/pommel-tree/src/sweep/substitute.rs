//! Third sweep, root to tips: `μ' = B μ_p`, `q̈ = τ̂/m̂ − ψ̂ᵀ μ'`, `μ = μ' + p q̈`.

use pommel_math::{Real, Twist, Vec3, Wrench};

use super::tip;
use crate::model::{Link, LinkKind, LinkShape, Model, Role};
use crate::screw::{x_in, z_in};
use crate::workspace::Workspace;

/// Takes `τ̂ / m̂` from `qdd`, and leaves the accelerations there.
#[inline(always)]
pub(crate) fn sweep<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, qdd: &mut [T]) {
    let mut last = Twist::zero();
    let (shapes, links) = model.links();
    for i in 0..shapes.len() {
        let (shape, link) = (shapes[i], &links[i]);
        let (iv, at) = (shape.v as usize, shape.turn as usize);
        let mut mu = match shape.parent {
            Some(p) if !shape.follows => ws.rates[p as usize],
            _ => last,
        };
        let bias = &ws.biases[i];
        match shape.role {
            Role::Turn | Role::Tip => {
                let x = &link.screw;
                let (w, u) = before_twist(mu, link, shape);
                // the reference motion of the parent about the axis joins its rate
                let about = x.sin_alpha.mul_add(w.y + bias.reference, -(x.cos_alpha * w.z));
                let planar = Vec3::new(w.x, x.cos_alpha.mul_add(w.y, x.sin_alpha * w.z), T::zero());
                let (sin, cos) = (ws.sin[at], ws.cos[at]);
                let w = z_in(planar, sin, cos);
                let mut u = z_in(x_in(u, x.sin_alpha, x.cos_alpha), sin, cos);
                let column = match shape.role {
                    Role::Tip => &model.tips[shape.slot as usize].column,
                    _ => {
                        u = Vec3::new(w.y.mul_add(x.d, u.x), (-w.x).mul_add(x.d, u.y), u.z);
                        &ws.columns[i]
                    }
                };
                let Wrench { moment: n, force: f } = column.psi_hat;
                let spin = (-n.x).mul_add(w.x, (-n.y).mul_add(w.y, qdd[iv]));
                let spin = (-f.x).mul_add(u.x, (-f.y).mul_add(u.y, (-f.z).mul_add(u.z, spin)));
                mu = Twist::new(Vec3::new(w.x, w.y, spin), u);
                qdd[iv] = spin + about;
                if shape.after_slide {
                    qdd[iv] += bias.extra;
                }
            }
            Role::Ground => {
                let zero = T::zero();
                mu = Twist::new(Vec3::new(zero, zero, qdd[iv]), Vec3::zero());
            }
            Role::Second => {
                let (axis, psi) = (ws.rates[i], &ws.columns[i].psi_hat);
                let (w, u) = (axis.angular, axis.linear);
                let others = psi.moment.x.mul_add(w.x, psi.moment.y.mul_add(w.y, w.z));
                let base = mu.angular.z;
                let rate = (-(psi.force.dot(u) + others)).mul_add(base, qdd[iv]);
                let angular = Vec3::new(w.x * base, w.y * base, w.z.mul_add(base, rate));
                mu = Twist::new(angular, u.scale(base));
                qdd[iv] = rate;
            }
            Role::Wheel => {
                let rate = qdd[iv] - mu.angular.dot(tip::wheel_axis(link, shape));
                qdd[iv] = rate + bias.reference;
                continue;
            }
            Role::Single => {
                mu = match shape.root {
                    Some(_) => Twist::zero(),
                    None => before_joint(mu, link, shape),
                };
                let rate = qdd[iv] - mu.dot(ws.columns[i].psi_hat);
                let (sin, cos) = match shape.kind {
                    LinkKind::Prismatic => (link.screw.sin_theta, link.screw.cos_theta),
                    _ => (ws.sin[at], ws.cos[at]),
                };
                mu = past_slide(mu, sin, cos, bias.extra);
                match shape.kind {
                    LinkKind::Prismatic => mu.linear.z += rate,
                    _ => {
                        mu.angular.z += rate;
                        mu.linear.z = link.pitch.mul_add(rate, mu.linear.z);
                    }
                }
                qdd[iv] = rate + bias.reference;
            }
            Role::Ball => {
                mu = match shape.root {
                    Some(_) => Twist::zero(),
                    None => before_joint(mu, link, shape),
                };
                let column = &ws.balls[shape.slot as usize];
                let x = &link.screw;
                mu = past_slide(mu, x.sin_theta, x.cos_theta, x.d);
                let into = column.rotation;
                let (w, u) = (into.transpose_mul(mu.angular), into.transpose_mul(mu.linear));
                let given = Vec3::from_slice(&qdd[iv..]);
                let rate = given - (column.angular * w + column.linear * u);
                mu = Twist::new(w + rate, u);
                (rate + column.reference).write_to(&mut qdd[iv..]);
            }
            Role::Free => mu = ws.rates[i],
        }
        if shape.keeps {
            ws.rates[i] = mu;
        }
        last = mu;
    }
}

/// From the parent's frame to the frame before `Rx(α)`.
#[inline(always)]
fn before_twist<T: Real>(mu: Twist<T>, link: &Link<T>, shape: LinkShape) -> (Vec3<T>, Vec3<T>) {
    let x = &link.screw;
    let Twist { angular: mut w, linear: mut u } = mu;
    if shape.has_branch {
        // past s along the parent's axis, then turned by φ
        u = Vec3::new(w.y.mul_add(x.s, u.x), (-w.x).mul_add(x.s, u.y), u.z);
        w = z_in(w, x.sin_phi, x.cos_phi);
        u = z_in(u, x.sin_phi, x.cos_phi);
    }
    if shape.has_offset {
        u = Vec3::new((-w.z).mul_add(x.b, u.x), u.y, w.x.mul_add(x.b, u.z));
    }
    (w, Vec3::new(u.x, w.z.mul_add(x.a, u.y), (-w.y).mul_add(x.a, u.z)))
}

/// From the parent's frame to the frame before the joint's motion.
#[inline(always)]
pub(crate) fn before_joint<T: Real>(mu: Twist<T>, link: &Link<T>, shape: LinkShape) -> Twist<T> {
    let (w, u) = before_twist(mu, link, shape);
    let (sin, cos) = (link.screw.sin_alpha, link.screw.cos_alpha);
    Twist::new(x_in(w, sin, cos), x_in(u, sin, cos))
}

/// `Rz(θ)ᵀ`, and `d` along z.
#[inline(always)]
pub(crate) fn past_slide<T: Real>(mu: Twist<T>, sin: T, cos: T, d: T) -> Twist<T> {
    let (w, u) = (z_in(mu.angular, sin, cos), z_in(mu.linear, sin, cos));
    Twist::new(w, Vec3::new(w.y.mul_add(d, u.x), (-w.x).mul_add(d, u.y), u.z))
}
