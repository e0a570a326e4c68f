//! Forces besides gravity: springs, bushings, loads in time, and what acts in joints.
//!
//! A force `F` at a point acts on a body's velocities by the derivative of `F · ṗ`, a moment by that
//! of `m · ω`. What acts between two bodies acts on both at the same place, so momentum is kept.

mod bushing;
mod joint;
mod spring;

pub(crate) use bushing::Bushing;
pub(crate) use joint::{FreeLoad, JointLoad, SpinLoad};
pub(crate) use spring::Spring;

use std::borrow::Borrow;

use pommel_math::Real;

use crate::function::Function;
use crate::gather::{field, number, vector};
use crate::space::Space;

/// A force element.
#[derive(Clone, Debug)]
pub(crate) enum Element<T: Real, S: Space> {
    Spring(Spring<T, S>),
    Bushing(Box<Bushing<T, S>>),
    Wrench(Box<WrenchLoad<T, S>>),
    Torque(Box<TorqueLoad<T, S>>),
    Joint(Box<JointLoad<T, S>>),
    Spin(Box<SpinLoad<T, S>>),
    Free(Box<FreeLoad<T, S>>),
}

/// Force and moment as functions of time on one body.
#[derive(Clone, Debug)]
pub(crate) struct WrenchLoad<T: Real, S: Space> {
    pub(crate) body: u32,
    pub(crate) point: S::Vector<T>,
    pub(crate) in_body_axes: bool,
    pub(crate) force: [Function; 3],
    pub(crate) moment: [Function; 3],
}

/// A moment on body 2 about an axis of body 1, and the opposite one on body 1.
#[derive(Clone, Debug)]
pub(crate) struct TorqueLoad<T: Real, S: Space> {
    pub(crate) bodies: [u32; 2],
    /// in body 1; none in the plane, where it is about z
    pub(crate) axis: Option<S::Vector<T>>,
    /// the sign of z in the plane
    pub(crate) sign: T,
    pub(crate) torque: Function,
}

/// Where forces are collected.
pub(crate) struct Forces<'a, T: Real, S: Space> {
    pub(crate) time: T,
    pub(crate) poses: &'a [S::Pose<T>],
    /// angles of joints as last tracked
    pub(crate) turns: &'a [T],
    /// of all bodies, without the ground
    pub(crate) force: &'a mut [T],
}

impl<T: Real, S: Space> Forces<'_, T, S> {
    /// Adds `factor · row` to the forces on a body; the ground feels nothing.
    #[inline(always)]
    pub(crate) fn add(&mut self, body: u32, row: &S::Row<T>, factor: T) {
        let start = body as usize * S::WIDTH;
        if start < self.force.len() {
            let force = &mut self.force[start..start + S::WIDTH];
            for (to, from) in force.iter_mut().zip(row.as_ref()) {
                *to = factor.mul_add(*from, *to);
            }
        }
    }
}

impl<T: Real, S: Space> Element<T, S> {
    /// Adds its forces.
    #[inline(always)]
    pub(crate) fn add_to(&self, forces: &mut Forces<'_, T, S>) {
        match self {
            Element::Spring(spring) => spring.add_to(forces),
            Element::Bushing(bushing) => bushing.add_to(forces),
            Element::Joint(load) => load.add_to(forces),
            Element::Spin(load) => load.add_to(forces),
            Element::Free(load) => load.add_to(forces),
            Element::Wrench(load) => {
                let pose = &forces.poses[load.body as usize];
                let [mut f, mut m] =
                    [&load.force, &load.moment].map(|list| values(list, forces.time));
                let arm = S::rotate(pose, load.point);
                if load.in_body_axes {
                    f = S::components(S::rotate(pose, S::vector(f)));
                    // the plane has its moment about z, the same in both
                    if S::DIMENSION == 3 {
                        m = S::components(S::rotate(pose, S::vector(m)));
                    }
                }
                let one = T::one();
                let rows = (S::point_row(pose, arm, S::vector(f)), S::spin_row(pose, S::spin(m)));
                forces.add(load.body, &rows.0, one);
                forces.add(load.body, &rows.1, one);
            }
            Element::Torque(load) => {
                let [p1, p2] = load.bodies.map(|body| &forces.poses[body as usize]);
                let axis = match load.axis {
                    Some(axis) => S::spin(S::components(S::rotate(p1, axis))),
                    None => S::spin([T::zero(), T::zero(), load.sign]),
                };
                let [torque, ..] = load.torque.at(forces.time);
                let rows = [S::spin_row(p1, axis), S::spin_row(p2, axis)];
                forces.add(load.bodies[0], &rows[0], -torque);
                forces.add(load.bodies[1], &rows[1], torque);
            }
        }
    }

    /// Takes the angle of a joint as that which the next ones are near to.
    pub(crate) fn track(&self, poses: &[S::Pose<T>], turns: &mut [T]) {
        if let Element::Joint(load) = self {
            load.coordinate.track(poses, &mut turns[load.turns as usize]);
        }
    }

    /// Energy that is stored in it.
    pub(crate) fn potential(&self, poses: &[S::Pose<T>], turns: &[T]) -> T {
        match self {
            Element::Spring(spring) => spring.potential(poses),
            Element::Bushing(bushing) => bushing.potential(poses),
            Element::Joint(load) => load.potential(poses, turns),
            _ => T::zero(),
        }
    }
}

#[inline(always)]
pub(crate) fn values<T: Real>(functions: &[Function; 3], time: T) -> [T; 3] {
    [functions[0].at(time)[0], functions[1].at(time)[0], functions[2].at(time)[0]]
}

impl<S: Space> Element<f64, S> {
    /// Whether two elements differ in numbers only.
    pub(crate) fn alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Element::Spring(a), Element::Spring(b)) => a.bodies == b.bodies,
            (Element::Bushing(a), Element::Bushing(b)) => a.bodies == b.bodies,
            (Element::Wrench(a), Element::Wrench(b)) => {
                a.body == b.body && a.in_body_axes == b.in_body_axes
            }
            (Element::Torque(a), Element::Torque(b)) => a.bodies == b.bodies,
            (Element::Joint(a), Element::Joint(b)) => a.coordinate.alike(&b.coordinate),
            (Element::Spin(a), Element::Spin(b)) => a.bodies == b.bodies,
            (Element::Free(a), Element::Free(b)) => a.body == b.body,
            _ => false,
        }
    }

    /// The same element of several instances.
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Element<T, S> {
        /// The instances of one kind of element.
        macro_rules! of {
            ($kind:path) => {
                &list
                    .iter()
                    .filter_map(|e| if let $kind(x) = e { Some(Borrow::borrow(x)) } else { None })
                    .collect::<Vec<_>>()
            };
        }
        match list[0] {
            Element::Spring(_) => Element::Spring(Spring::gather(of!(Element::Spring))),
            Element::Bushing(_) => {
                Element::Bushing(Box::new(Bushing::gather(of!(Element::Bushing))))
            }
            Element::Joint(_) => Element::Joint(Box::new(JointLoad::gather(of!(Element::Joint)))),
            Element::Spin(_) => Element::Spin(Box::new(SpinLoad::gather(of!(Element::Spin)))),
            Element::Free(_) => Element::Free(Box::new(FreeLoad::gather(of!(Element::Free)))),
            Element::Wrench(_) => {
                let list: &[&WrenchLoad<f64, S>] = of!(Element::Wrench);
                Element::Wrench(Box::new(WrenchLoad {
                    body: list[0].body,
                    point: vector::<WrenchLoad<f64, S>, T, S>(list, |w| w.point),
                    in_body_axes: list[0].in_body_axes,
                    force: std::array::from_fn(|k| Function::pack(&field(list, |w| &w.force[k]))),
                    moment: std::array::from_fn(|k| Function::pack(&field(list, |w| &w.moment[k]))),
                }))
            }
            Element::Torque(_) => {
                let list: &[&TorqueLoad<f64, S>] = of!(Element::Torque);
                let axis = list[0].axis.map(|axis| {
                    vector::<TorqueLoad<f64, S>, T, S>(list, |t| t.axis.unwrap_or(axis))
                });
                Element::Torque(Box::new(TorqueLoad {
                    bodies: list[0].bodies,
                    axis,
                    sign: number(list, |t| t.sign),
                    torque: Function::pack(&field(list, |t| &t.torque)),
                }))
            }
        }
    }
}
