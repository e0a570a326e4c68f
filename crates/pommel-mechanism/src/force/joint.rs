//! What acts in joints: springs, dampers, dry friction, torques.

use pommel_math::Real;

use super::{Forces, values};
use crate::constraint::Coordinate;
use crate::function::Function;
use crate::gather::{field, number, numbers, vector, vectors};
use crate::space::{Space, VectorOf};

/// A force on one joint coordinate.
#[derive(Clone, Debug)]
pub(crate) struct JointLoad<T: Real, S: Space> {
    pub(crate) coordinate: Coordinate<T, S>,
    pub(crate) torque: Option<Function>,
    pub(crate) stiffness: T,
    pub(crate) rest: T,
    pub(crate) damping: T,
    /// sliding friction, and the velocity of the surface that rubs
    pub(crate) coulomb: T,
    pub(crate) viscous: T,
    pub(crate) surface_velocity: T,
    /// sliding friction whose sense is known, in place of `coulomb`
    pub(crate) sliding: T,
    /// its place in the list of tracked angles
    pub(crate) turns: u32,
}

impl<T: Real, S: Space> JointLoad<T, S> {
    #[inline(always)]
    pub(super) fn add_to(&self, forces: &mut Forces<'_, T, S>) {
        let mut c = self.coordinate.at(forces.poses);
        c.value = self.coordinate.unwrap(c.value, forces.turns[self.turns as usize]);
        let sliding = c.rate - self.surface_velocity;
        let zero = T::zero();
        // at rest there is no sliding friction
        let sign =
            T::select(zero.lt(sliding), T::one(), T::select(sliding.lt(zero), -T::one(), zero));
        let mut force = self.stiffness.mul_add(self.rest - c.value, -(self.damping * c.rate));
        force += (-self.viscous).mul_add(sliding, -(self.coulomb * sign));
        force += self.sliding;
        if let Some(torque) = &self.torque {
            force += torque.at(forces.time)[0];
        }
        forces.add(self.coordinate.bodies[0], &c.rows[0], force);
        forces.add(self.coordinate.bodies[1], &c.rows[1], force);
    }

    pub(super) fn potential(&self, poses: &[S::Pose<T>], turns: &[T]) -> T {
        let value = self.coordinate.at(poses).value;
        let stretch = self.coordinate.unwrap(value, turns[self.turns as usize]) - self.rest;
        T::from_f64(0.5) * self.stiffness * stretch * stretch
    }
}

/// A moment in a ball joint, in axes of the child.
#[derive(Clone, Debug)]
pub(crate) struct SpinLoad<T: Real, S: Space> {
    pub(crate) bodies: [u32; 2],
    /// axes of the joint frame in body 2
    pub(crate) axes: [S::Vector<T>; 3],
    pub(crate) damping: [T; 3],
    pub(crate) torque: Option<[Function; 3]>,
}

impl<T: Real, S: Space> SpinLoad<T, S> {
    #[inline(always)]
    pub(super) fn add_to(&self, forces: &mut Forces<'_, T, S>) {
        let [p1, p2] = self.bodies.map(|body| forces.poses[body as usize]);
        let relative = S::omega(&p2).minus(S::omega(&p1));
        let applied = match &self.torque {
            Some(torque) => values(torque, forces.time),
            None => [T::zero(); 3],
        };
        for k in 0..3 {
            let axis = S::spin(S::components(S::rotate(&p2, self.axes[k])));
            let moment = (-self.damping[k]).mul_add(axis.dot(relative), applied[k]);
            forces.add(self.bodies[0], &S::spin_row(&p1, axis), -moment);
            forces.add(self.bodies[1], &S::spin_row(&p2, axis), moment);
        }
    }
}

/// Forces on a free body, against its own velocities: moment and force at the origin of its frame,
/// world axes.
#[derive(Clone, Debug)]
pub(crate) struct FreeLoad<T: Real, S: Space> {
    pub(crate) body: u32,
    /// origin of the body frame, from the mass centre
    pub(crate) origin: S::Vector<T>,
    /// `ωx ωy ωz vx vy vz`
    pub(crate) damping: [T; 6],
    pub(crate) torque: Option<[Function; 6]>,
}

impl<T: Real, S: Space> FreeLoad<T, S> {
    #[inline(always)]
    pub(super) fn add_to(&self, forces: &mut Forces<'_, T, S>) {
        let pose = forces.poses[self.body as usize];
        let at = S::point_at(&pose, self.origin);
        for k in 0..3 {
            let mut unit = [T::zero(); 3];
            unit[k] = T::one();
            let (spin, axis) = (S::spin(unit), S::vector(unit));
            let [turning, moving] = [k, k + 3]
                .map(|i| self.torque.as_ref().map_or(T::zero(), |f| f[i].at(forces.time)[0]));
            let moment = (-self.damping[k]).mul_add(spin.dot(S::omega(&pose)), turning);
            let force = (-self.damping[k + 3]).mul_add(axis.dot(at.velocity), moving);
            forces.add(self.body, &S::spin_row(&pose, spin), moment);
            forces.add(self.body, &S::point_row(&pose, at.arm, axis), force);
        }
    }
}

impl<S: Space> JointLoad<f64, S> {
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> JointLoad<T, S> {
        let torques: Vec<_> = list.iter().map(|l| l.torque.as_ref()).collect();
        JointLoad {
            coordinate: Coordinate::gather(&field(list, |l| &l.coordinate)),
            torque: Function::pack_some(&torques),
            stiffness: number(list, |l| l.stiffness),
            rest: number(list, |l| l.rest),
            damping: number(list, |l| l.damping),
            coulomb: number(list, |l| l.coulomb),
            viscous: number(list, |l| l.viscous),
            surface_velocity: number(list, |l| l.surface_velocity),
            sliding: number(list, |l| l.sliding),
            turns: list[0].turns,
        }
    }
}

impl<S: Space> SpinLoad<f64, S> {
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> SpinLoad<T, S> {
        let torques: Vec<_> = list.iter().map(|l| l.torque.as_ref()).collect();
        SpinLoad {
            bodies: list[0].bodies,
            axes: vectors::<Self, T, S, 3>(list, |l| l.axes),
            damping: numbers(list, |l| l.damping),
            torque: Function::pack_lists(&torques),
        }
    }
}

impl<S: Space> FreeLoad<f64, S> {
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> FreeLoad<T, S> {
        let torques: Vec<_> = list.iter().map(|l| l.torque.as_ref()).collect();
        FreeLoad {
            body: list[0].body,
            origin: vector::<Self, T, S>(list, |l| l.origin),
            damping: numbers(list, |l| l.damping),
            torque: Function::pack_lists(&torques),
        }
    }
}
