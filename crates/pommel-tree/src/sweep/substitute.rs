//! Third sweep, root to tips: `μ' = B μ_p`, `q̈ = τ̂/m̂ − ψ̂ᵀ μ'`, `μ = μ' + p q̈`.

use pommel_math::{Real, Twist, Vec3};

use crate::model::{LinkKind, Model};
use crate::screw::{x_in, z_in};
use crate::workspace::Workspace;

#[inline(always)]
pub(crate) fn sweep<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, qdd: &mut [T]) {
    let shapes = &model.topology.links;
    for i in 0..shapes.len() {
        let shape = shapes[i];
        if shape.kind == LinkKind::Free {
            continue;
        }
        let (motion, column) = (&ws.motions[i], &ws.columns[i]);
        let Some(p) = shape.parent else {
            // the ground does not accelerate
            let mut mu = Twist::zero();
            let rate = column.rate;
            match shape.kind {
                LinkKind::Prismatic => mu.linear.z = rate,
                _ => mu.angular.z = rate,
            }
            ws.rates[i] = mu;
            qdd[shape.v as usize] = rate + motion.reference;
            continue;
        };
        let x = &model.links[i].screw;
        let Twist { angular: mut w, linear: mut u } = ws.rates[p as usize];
        if shape.has_branch {
            // past s along the parent's axis, then turned by φ
            u = Vec3::new(w.y.mul_add(x.s, u.x), (-w.x).mul_add(x.s, u.y), u.z);
            w = z_in(w, x.sin_phi, x.cos_phi);
            u = z_in(u, x.sin_phi, x.cos_phi);
        }
        if shape.has_offset {
            u = Vec3::new((-w.z).mul_add(x.b, u.x), u.y, w.x.mul_add(x.b, u.z));
        }
        u = Vec3::new(u.x, w.z.mul_add(x.a, u.y), (-w.y).mul_add(x.a, u.z));
        let (sin, cos) = (x.sin_alpha, x.cos_alpha);
        w = z_in(x_in(w, sin, cos), motion.sin, motion.cos);
        u = z_in(x_in(u, sin, cos), motion.sin, motion.cos);
        u = Vec3::new(w.y.mul_add(motion.d, u.x), (-w.x).mul_add(motion.d, u.y), u.z);

        let psi = &column.psi_hat;
        let rate = match shape.kind {
            LinkKind::Prismatic => {
                let others = psi.force.x.mul_add(u.x, psi.force.y.mul_add(u.y, u.z));
                let rate = column.rate - (psi.moment.dot(w) + others);
                u.z += rate;
                rate
            }
            _ => {
                let others = psi.moment.x.mul_add(w.x, psi.moment.y.mul_add(w.y, w.z));
                let rate = column.rate - (psi.force.dot(u) + others);
                w.z += rate;
                rate
            }
        };
        ws.rates[i] = Twist::new(w, u);
        qdd[shape.v as usize] = rate + motion.reference;
    }
}
