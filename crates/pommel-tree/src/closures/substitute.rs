//! Accelerations and multipliers, root to tips.

use pommel_math::{Real, Twist, Vec3, Wrench};

use super::cross::sum;
use super::workspace::{ClosureWorkspace, SIDE, Side};
use crate::model::{LinkKind, Model, Role};
use crate::sweep::substitute::{before_joint, past_slide};
use crate::sweep::tip;
use crate::workspace::Workspace;

/// Takes `τ̂ / m̂` from `qdd`, and leaves the accelerations there.
#[inline(always)]
pub(super) fn sweep<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    memory: &mut ClosureWorkspace<T>,
    qdd: &mut [T],
) {
    let (shapes, links) = model.links();
    solve_rows(memory, shapes.len(), Twist::zero());
    for i in 0..shapes.len() {
        let (shape, link) = (shapes[i], &links[i]);
        let (iv, at) = (shape.v as usize, shape.turn as usize);
        let mut mu = shape.parent.map_or_else(Twist::zero, |p| ws.rates[p as usize]);
        let bias = ws.biases[i];
        match shape.role {
            Role::Wheel => {
                let rate = qdd[iv] - taken(memory, i);
                let axis = tip::wheel_axis(link, shape);
                let own = rate - mu.angular.dot(axis);
                qdd[iv] = own + bias.reference;
                // for rows that end on the wheel
                mu =
                    past_slide(before_joint(mu, link, shape), ws.sin[at], ws.cos[at], link.screw.d);
                mu.angular.z += own;
            }
            Role::Turn | Role::Tip | Role::Second | Role::Ground => {
                if shape.parent.is_some() {
                    mu = before_joint(mu, link, shape);
                    mu = past_slide(mu, ws.sin[at], ws.cos[at], link.screw.d);
                }
                let rate = qdd[iv] - taken(memory, i) - mu.dot(ws.columns[i].psi_hat);
                mu.angular.z += rate;
                let reference = match shape.role {
                    Role::Turn | Role::Tip => {
                        link.screw.sin_alpha.mul_add(bias.reference, bias.extra)
                    }
                    _ => bias.reference,
                };
                qdd[iv] = rate + reference;
            }
            Role::Single => {
                if shape.parent.is_some() {
                    mu = before_joint(mu, link, shape);
                }
                let rate = qdd[iv] - taken(memory, i) - mu.dot(ws.columns[i].psi_hat);
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
                if shape.parent.is_some() {
                    mu = before_joint(mu, link, shape);
                }
                let column = &ws.balls[shape.slot as usize];
                let x = &link.screw;
                mu = past_slide(mu, x.sin_theta, x.cos_theta, x.d);
                let into = column.rotation;
                let (w, u) = (into.transpose_mul(mu.angular), into.transpose_mul(mu.linear));
                let given = Vec3::from_slice(&qdd[iv..]) - taken_whole(memory, i).angular;
                let rate = given - (column.angular * w + column.linear * u);
                mu = Twist::new(w + rate, u);
                (rate + column.reference).write_to(&mut qdd[iv..]);
            }
            Role::Free => {
                let taken = taken_whole(memory, i);
                mu = ws.rates[i] - taken;
                let out = ws.roots[shape.slot as usize].rotation;
                let angular = Vec3::from_slice(&qdd[iv..]) - out * taken.angular;
                let linear = Vec3::from_slice(&qdd[iv + 3..]) - out * taken.linear;
                angular.write_to(&mut qdd[iv..]);
                linear.write_to(&mut qdd[iv + 3..]);
            }
        }
        ws.rates[i] = mu;
        solve_rows(memory, i, mu);
    }
}

/// What the multipliers of open rows take from the acceleration of a joint.
#[inline(always)]
fn taken<T: Real>(memory: &ClosureWorkspace<T>, i: usize) -> T {
    let [begin, end] = memory.crossing_ranges[i];
    let mut parts = [T::zero(); SIDE];
    for at in begin as usize..end as usize {
        let (closure, rates) = &memory.crossings[at];
        add_products(&mut parts, rates, &memory.multipliers[*closure as usize]);
    }
    sum(&parts)
}

#[inline(always)]
fn taken_whole<T: Real>(memory: &ClosureWorkspace<T>, i: usize) -> Twist<T> {
    let [begin, end] = memory.crossing_ranges[i];
    let mut parts = [[T::zero(); SIDE]; 6];
    for at in begin as usize..end as usize {
        let (closure, rates) = &memory.whole_crossings[at];
        for c in 0..6 {
            add_products(&mut parts[c], &rates[c], &memory.multipliers[*closure as usize]);
        }
    }
    let [a, b, c, d, e, f] = &parts;
    Twist::new(Vec3::new(sum(a), sum(b), sum(c)), Vec3::new(sum(d), sum(e), sum(f)))
}

/// `λ_k = (K_kᵀ μ + c_k − Σ L_kj λ_j) / L_kk` of the rows solved at a link, the last one first.
#[inline(always)]
fn solve_rows<T: Real>(memory: &mut ClosureWorkspace<T>, link: usize, mu: Twist<T>) {
    let [begin, end] = memory.solved_ranges[link];
    for k in (begin as usize..end as usize).rev() {
        let solved = memory.solved[k];
        let wrench: Wrench<T> = solved.wrench;
        let own = mu.dot(wrench) + solved.acceleration;
        let mut parts = [T::zero(); SIDE];
        for at in solved.couplings[0] as usize..solved.couplings[1] as usize {
            let (closure, coupling) = &memory.couplings[at];
            add_products(&mut parts, coupling, &memory.multipliers[*closure as usize]);
        }
        let rest = own - sum(&parts);
        memory.multipliers[solved.closure as usize][solved.row as usize] = rest * solved.inverse;
    }
}

/// Adds the products of each row.
#[inline(always)]
fn add_products<T: Real>(y: &mut Side<T>, a: &Side<T>, b: &Side<T>) {
    for k in 0..SIDE {
        y[k] = a[k].mul_add(b[k], y[k]);
    }
}
