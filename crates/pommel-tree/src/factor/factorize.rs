//! The elimination without right-hand side.

use pommel_math::{Kernel, Quaternion, Real};

use crate::model::{LinkKind, Model, Role};
use crate::sweep::eliminate::{PivotCheck, Singular, pass_on};
use crate::sweep::{ball, bias, root, second, single, turn};
use crate::workspace::{Inner, Workspace};

pub(super) struct Factorize<'a, T> {
    pub(super) model: &'a Model<T>,
    pub(super) workspace: &'a mut Workspace<T>,
    pub(super) q: &'a [T],
}

impl<T: Real> Kernel for Factorize<'_, T> {
    type Output = Option<Singular>;
    const LEAST: pommel_math::InstructionSet = T::INSTRUCTIONS;

    #[inline(always)]
    fn run(self) -> Option<Singular> {
        let Factorize { model, workspace: ws, q } = self;
        bias::turn_joints(model, ws, q);
        let mut check = PivotCheck::default();
        let shapes = &model.topology.links;
        let mut carried = Inner::zero();
        for i in (0..shapes.len()).rev() {
            let (shape, link) = (shapes[i], &model.links[i]);
            let (iq, iv, at) = (shape.q as usize, shape.v as usize, shape.turn as usize);
            let inner = if shape.has_sole { carried.inertia } else { ws.inner[i].inertia };
            let mut seen = Inner::zero();
            match shape.role {
                Role::Turn => {
                    let m = turn::plus_turning(inner, link);
                    check.require(m.inertia.zz, link.pivot_limit, i, 0);
                    let (column, reduced) = turn::reduce(m);
                    ws.columns[i] = column;
                    let reduced = turn::slide(reduced, link.screw.d);
                    let m = turn::turn_out(reduced, ws.sin[at], ws.cos[at], link);
                    seen.inertia = turn::to_parent(m, link, shape);
                }
                Role::Tip => {
                    let tip = &model.tips[shape.slot as usize];
                    check.require(tip.pivot, link.pivot_limit, i, 0);
                    ws.columns[i] = tip.column;
                    let m = turn::turn_out(tip.reduced, ws.sin[at], ws.cos[at], link);
                    seen.inertia = turn::to_parent(m, link, shape);
                }
                Role::Second => {
                    let m = turn::plus_turning(inner, link);
                    check.require(m.inertia.zz, link.pivot_limit, i, 0);
                    let (column, reduced) = turn::reduce(m);
                    ws.columns[i] = column;
                    let axis = second::ground_axis(link, shape, ws.sin[at], ws.cos[at]);
                    seen.inertia.inertia.zz = second::inertia_about(&reduced, axis);
                }
                Role::Ground => {
                    let pivot = inner.inertia.zz + link.derived.p_sum;
                    check.require(pivot, link.pivot_limit, i, 0);
                    ws.columns[i].inverse = pivot.recip();
                }
                Role::Wheel => {
                    let pivot = link.derived.p_sum;
                    check.require(pivot, link.pivot_limit, i, 0);
                    ws.columns[i].inverse = pivot.recip();
                }
                Role::Single => {
                    let slide = match shape.kind {
                        LinkKind::Prismatic => link.screw.d + q[iq],
                        LinkKind::Helical => link.pitch.mul_add(q[iq], link.screw.d),
                        _ => link.screw.d,
                    };
                    ws.biases[i].extra = slide;
                    let posture = single::Posture::of(shape, link, ws, slide);
                    let spin = shape.rotor.map(|r| &model.rotors[r as usize]);
                    let armature = model.armature[iv];
                    let (column, pivot, m) =
                        single::reduce(inner, shape.kind, link, posture, armature, spin);
                    check.require(pivot, link.pivot_limit, i, 0);
                    ws.columns[i] = column;
                    if shape.parent.is_some() {
                        seen.inertia = single::inertia_onto_parent(m, link, shape);
                    }
                }
                Role::Ball => {
                    let column = &mut ws.balls[shape.slot as usize];
                    column.rotation = Quaternion::from_slice(&q[iq..]).rotation();
                    let armature = shape.geared.then(|| &model.armature[iv..iv + 3]);
                    let m = inner + link.inertia.to_rigid().to_articulated();
                    let m = ball::reduce(m, armature, link, column, i, &mut check);
                    if shape.parent.is_some() {
                        seen.inertia = ball::inertia_onto_parent(m, column.rotation, link, shape);
                    }
                }
                Role::Free => {
                    let column = &mut ws.roots[shape.slot as usize];
                    column.rotation = Quaternion::from_slice(&q[iq + 3..]).rotation();
                    let armature = shape.geared.then(|| &model.armature[iv..iv + 6]);
                    let m = inner + link.inertia.to_rigid().to_articulated();
                    root::factorize(m, armature, link.pivot_limit, i, column, &mut check);
                }
            }
            pass_on(seen, shape, ws, &mut carried);
        }
        check.failure
    }
}
