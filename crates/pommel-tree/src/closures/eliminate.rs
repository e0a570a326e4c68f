//! Elimination of joints and multipliers, tips to root.
//!
//! On the way to the root, a link with its open rows satisfies
//!
//! ```text
//! f = M̂ μ + z + K λ          wrench that the link needs from its joint
//! 0 = Kᵀ μ − L λ + c          one equation a row
//! ```
//!
//! A joint takes away `q̈ = (τ̂ − ψᵀ μ' − g λ) / m̂` with `g = pᵀ K`, and leaves `K − ψ̂ g`,
//! `L + gᵀ g / m̂`, `c + gᵀ τ̂ / m̂`. As soon as the joints within a loop move its ends enough, its
//! multipliers are eliminated in turn, `λ = L⁻¹ (Kᵀ μ + c)`, which adds `K L⁻¹ Kᵀ` to `M̂`: the loop
//! has become an inertia, and the elimination goes on as in a tree. So a chain of loops costs time
//! proportional to its length. Rows for which the joints of the loop do not suffice go on towards
//! the root.

use pommel_math::{Real, Twist, Vec3, Wrench};

use super::close::{Slack, close_rows};
use super::ends::{arrive, put_down};
use super::workspace::ClosureWorkspace;
use super::{ClosureError, LoopClosures, cross};
use crate::block::zeros;
use crate::model::{Link, LinkShape, Model, Role};
use crate::sweep::eliminate::{self, PivotCheck, pass_on};
use crate::sweep::{ball, root, single, tip};
use crate::workspace::{Column, Inner, Workspace};

/// Leaves `τ̂ / m̂` in `qdd`.
#[inline(always)]
pub(super) fn sweep<T: Real>(
    model: &Model<T>,
    closures: &LoopClosures<T>,
    ws: &mut Workspace<T>,
    memory: &mut ClosureWorkspace<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Result<(), ClosureError> {
    memory.crossings.clear();
    memory.whole_crossings.clear();
    memory.solved.clear();
    memory.couplings.clear();
    let shapes = &model.topology.links;
    let ground = shapes.len();
    let mut carried = Inner::zero();
    // whether the active ends came from the link before to the one in hand
    let mut rows_follow = false;
    for i in (0..shapes.len()).rev() {
        let (shape, link) = (shapes[i], &model.links[i]);
        let mut inner = match shape.role {
            Role::Tip | Role::Wheel => Inner::zero(),
            _ if shape.has_sole => carried,
            _ => ws.inner[i],
        };
        let begin = memory.solved.len() as u32;
        arrive(memory, i, rows_follow);
        if !memory.active.is_empty() {
            close_rows(memory, &mut inner, Some(closures.sizes[i]), Slack::of(closures))?;
        }
        memory.solved_ranges[i] = [begin, memory.solved.len() as u32];
        let first_crossing = match shape.role {
            Role::Ball | Role::Free => memory.whole_crossings.len(),
            _ => memory.crossings.len(),
        } as u32;
        let seen = eliminate_joint(model, ws, memory, (i, shape, link), inner, tau, check, qdd);
        let last_crossing = match shape.role {
            Role::Ball | Role::Free => memory.whole_crossings.len(),
            _ => memory.crossings.len(),
        } as u32;
        memory.crossing_ranges[i] = [first_crossing, last_crossing];
        // the open rows go on to the parent
        let to = shape.parent.map_or(ground, |p| p as usize);
        rows_follow = to + 1 == i;
        if !rows_follow {
            put_down(memory, to);
        }
        if let Some(seen) = seen {
            pass_on(seen, shape, ws, &mut carried);
        }
    }
    let begin = memory.solved.len() as u32;
    arrive(memory, ground, false);
    close_rows(memory, &mut Inner::zero(), None, Slack::of(closures))?;
    memory.solved_ranges[ground] = [begin, memory.solved.len() as u32];
    Ok(())
}

/// Eliminates the joint of a link; returns what the parent feels.
#[inline(always)]
fn eliminate_joint<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    memory: &mut ClosureWorkspace<T>,
    (i, shape, link): (usize, LinkShape, &Link<T>),
    inner: Inner<T>,
    tau: &[T],
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Option<Inner<T>> {
    let (iv, at) = (shape.v as usize, shape.turn as usize);
    let bias = ws.biases[i];
    let inner = Inner { wrench: inner.wrench + bias.wrench, ..inner };
    let mut seen = None;
    match shape.role {
        Role::Turn | Role::Tip | Role::Second | Role::Ground => {
            let what = (i, shape, link);
            seen = Some(eliminate::turning(ws, what, inner, tau[iv], check, &mut qdd[iv]));
        }
        Role::Wheel => {
            let pivot = link.derived.p_sum;
            check.require(pivot, link.pivot_limit, i, 0);
            let inverse = pivot.recip();
            qdd[iv] = (tau[iv] + bias.extra) * inverse;
            // ψ̂ is the axis
            let zero = Vec3::zero();
            let psi_hat = Wrench::new(Vec3::new(T::zero(), T::zero(), T::one()), zero);
            ws.columns[i] = Column { psi_hat, inverse };
            let axis = tip::wheel_axis(link, shape);
            let moment = axis.scale_add(tau[iv], bias.wrench.moment);
            seen = Some(Inner { wrench: Wrench::new(moment, bias.wrench.force), ..Inner::zero() });
        }
        Role::Single | Role::Ball => {
            seen = eliminate::general(model, ws, (i, shape, link), inner, tau, check, qdd);
        }
        Role::Free => eliminate::free(model, ws, (i, shape, link), inner, tau, check, qdd),
    }
    if memory.active.is_empty() {
        return seen;
    }
    match shape.role {
        Role::Ball => {
            let column = &ws.balls[shape.slot as usize];
            let d = column.inverse;
            let zero = T::zero();
            let angular = |w: Vec3<T>| [w.x, w.y, w.z, zero, zero, zero];
            cross::whole(
                memory,
                |w| angular(ball::solve(column, w.moment)),
                [d.x + d.y + d.z, zero],
                angular(Vec3::from_slice(&qdd[iv..])),
            );
            cross::past_ball(memory, column, link, shape);
        }
        Role::Free => {
            let column = &ws.roots[shape.slot as usize];
            let solve = |w: Wrench<T>| {
                let mut x = w.to_array();
                root::solve_factors(column, &mut x);
                x
            };
            let Twist { angular: w, linear: u } = ws.rates[i];
            let rate = [w.x, w.y, w.z, u.x, u.y, u.z];
            cross::whole(memory, solve, root::inverses(column), rate);
            // the ground bears nothing
            for a in 0..memory.active.len() {
                memory.ends[memory.active[a] as usize].wrenches = zeros();
            }
        }
        _ => {
            let before = shape.role == Role::Single;
            let posture = if before {
                single::Posture::of(shape, link, ws, bias.extra)
            } else {
                single::Posture { sin: ws.sin[at], cos: ws.cos[at], slide: link.screw.d }
            };
            let reference = match shape.role {
                Role::Turn | Role::Tip => link.screw.sin_alpha.mul_add(bias.reference, bias.extra),
                _ => bias.reference,
            };
            let joint =
                cross::Joint { column: ws.columns[i], before, posture, rate: qdd[iv], reference };
            cross::joint(memory, link, shape, &joint);
        }
    }
    seen
}
