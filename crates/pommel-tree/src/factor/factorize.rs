//! The elimination without right-hand side.

use pommel_math::{ArticulatedInertia, Kernel, Quaternion, Real, Wrench};

use crate::model::{LinkKind, LinkShape, Model, Role};
use crate::sweep::eliminate::{self, PivotCheck, Singular};
use crate::sweep::{ball, bias, second, single, turn};
use crate::workspace::Workspace;

pub(super) struct Factorize<'a, T> {
    pub(super) model: &'a Model<T>,
    pub(super) workspace: &'a mut Workspace<T>,
    pub(super) q: &'a [T],
}

impl<T: Real> Kernel for Factorize<'_, T> {
    type Output = Option<Singular>;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Option<Singular> {
        let Factorize { model, workspace: ws, q } = self;
        bias::turn_joints(model, ws, q);
        let mut check = PivotCheck::default();
        let shapes = &model.topology.links;
        let mut carried = ArticulatedInertia::zero();
        for i in (0..shapes.len()).rev() {
            let (shape, link) = (shapes[i], &model.links[i]);
            let (iq, at) = (shape.q as usize, shape.turn as usize);
            let inner = if shape.has_sole { carried } else { ws.inner[i].inertia };
            let m = match shape.role {
                Role::Turn | Role::Tip => {
                    let reduced = if shape.role == Role::Tip {
                        let tip = &model.tips[shape.slot as usize];
                        check.require(tip.pivot, link.pivot_limit, i, 0);
                        ws.columns[i] = tip.column;
                        tip.reduced
                    } else {
                        let m = turn::plus_turning(inner, link);
                        check.require(m.inertia.zz, link.pivot_limit, i, 0);
                        let (column, reduced) = turn::reduce(m);
                        ws.columns[i] = column;
                        turn::slide(reduced, link.screw.d)
                    };
                    turn::turn_out(reduced, ws.sin[at], ws.cos[at], link)
                }
                Role::Second => {
                    let m = turn::plus_turning(inner, link);
                    check.require(m.inertia.zz, link.pivot_limit, i, 0);
                    let (column, reduced) = turn::reduce(m);
                    ws.columns[i] = column;
                    let axis = second::ground_axis(link, shape, ws.sin[at], ws.cos[at]);
                    carried = ArticulatedInertia::zero();
                    carried.inertia.zz = second::inertia_about(&reduced, axis);
                    continue;
                }
                Role::Ground => {
                    let pivot = inner.inertia.zz + link.derived.p_sum;
                    check.require(pivot, link.pivot_limit, i, 0);
                    ws.columns[i].inverse = pivot.recip();
                    continue;
                }
                Role::Wheel => {
                    let pivot = link.derived.p_sum;
                    check.require(pivot, link.pivot_limit, i, 0);
                    ws.columns[i].inverse = pivot.recip();
                    pass_on(ArticulatedInertia::zero(), shape, ws, &mut carried);
                    continue;
                }
                Role::Single | Role::Ball => {
                    let zero = Wrench::zero();
                    let what = (i, shape, link);
                    let (m, z) = if shape.role == Role::Ball {
                        let rotation = Quaternion::from_slice(&q[iq..]).rotation();
                        ws.balls[shape.slot as usize].rotation = rotation;
                        let m = eliminate::reduce_ball(model, ws, what, inner, &mut check);
                        ball::before_motion(m, zero, rotation, link)
                    } else {
                        let slide = match shape.kind {
                            LinkKind::Prismatic => link.screw.d + q[iq],
                            LinkKind::Helical => link.pitch.mul_add(q[iq], link.screw.d),
                            _ => link.screw.d,
                        };
                        ws.biases[i].extra = slide;
                        let m = eliminate::reduce_single(model, ws, what, inner, slide, &mut check);
                        (m.1, zero)
                    };
                    if shape.parent.is_none() {
                        continue;
                    }
                    single::turn_out(m, z, link).0
                }
                Role::Free => {
                    let rotation = Quaternion::from_slice(&q[iq + 3..]).rotation();
                    ws.roots[shape.slot as usize].rotation = rotation;
                    eliminate::reduce_free(model, ws, (i, shape, link), inner, &mut check);
                    continue;
                }
            };
            pass_on(turn::to_parent(m, link, shape), shape, ws, &mut carried);
        }
        check.failure
    }
}

/// Hands the inertia of a link with what it bears to its parent.
#[inline(always)]
fn pass_on<T: Real>(
    seen: ArticulatedInertia<T>,
    shape: LinkShape,
    ws: &mut Workspace<T>,
    carried: &mut ArticulatedInertia<T>,
) {
    let Some(p) = shape.parent else { return };
    if shape.sole {
        *carried = seen;
        return;
    }
    let parent = &mut ws.inner[p as usize].inertia;
    if shape.arrives_first {
        *parent = seen;
    } else {
        *parent += seen;
    }
}
