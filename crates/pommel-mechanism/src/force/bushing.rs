//! Springs and dampers along and about the axes of a frame.

use pommel_math::Real;

use super::Forces;
use crate::gather::{field, numbers, vectors};
use crate::space::{Space, VectorOf};

/// Resists displacement and small rotation of a frame of body 2 against one of body 1.
///
/// Forces act on both bodies at the origin of the second frame.
#[derive(Clone, Debug)]
pub(crate) struct Bushing<T: Real, S: Space> {
    pub(crate) bodies: [u32; 2],
    pub(crate) points: [S::Vector<T>; 2],
    /// axes of the first frame, in body 1; the third is zero in the plane
    pub(crate) axes: [S::Vector<T>; 3],
    pub(crate) frames: S::Frames<T>,
    pub(crate) stiffness: [T; 3],
    pub(crate) damping: [T; 3],
    pub(crate) torsional_stiffness: [T; 3],
    pub(crate) torsional_damping: [T; 3],
}

impl<T: Real, S: Space> Bushing<T, S> {
    #[inline(always)]
    pub(super) fn add_to(&self, forces: &mut Forces<'_, T, S>) {
        let [p1, p2] = self.bodies.map(|body| forces.poses[body as usize]);
        let (a, b) = (S::point_at(&p1, self.points[0]), S::point_at(&p2, self.points[1]));
        let d = b.position.minus(a.position);
        let arm1 = a.arm.plus(d);
        for k in 0..S::DIMENSION {
            let axis = S::rotate(&p1, self.axes[k]);
            let axis_rate = S::turn(S::omega(&p1), axis);
            let rate = axis.dot(b.velocity.minus(a.velocity)) + axis_rate.dot(d);
            let pull = self.stiffness[k].mul_add(axis.dot(d), self.damping[k] * rate);
            forces.add(self.bodies[0], &S::point_row(&p1, arm1, axis), pull);
            forces.add(self.bodies[1], &S::point_row(&p2, b.arm, axis), -pull);
        }
        let relative = S::omega(&p2).minus(S::omega(&p1));
        for (k, (angle, axis)) in
            S::small_rotation(&self.frames, [&p1, &p2]).into_iter().enumerate()
        {
            let twist = self.torsional_stiffness[k]
                .mul_add(angle, self.torsional_damping[k] * axis.dot(relative));
            forces.add(self.bodies[0], &S::spin_row(&p1, axis), twist);
            forces.add(self.bodies[1], &S::spin_row(&p2, axis), -twist);
        }
    }

    /// Energy of the springs; of torsional springs for small rotations.
    pub(super) fn potential(&self, poses: &[S::Pose<T>]) -> T {
        let [p1, p2] = self.bodies.map(|body| &poses[body as usize]);
        let (a, b) = (S::point_at(p1, self.points[0]), S::point_at(p2, self.points[1]));
        let d = b.position.minus(a.position);
        let half = T::from_f64(0.5);
        let mut sum = T::zero();
        for k in 0..S::DIMENSION {
            let stretch = S::rotate(p1, self.axes[k]).dot(d);
            sum += half * self.stiffness[k] * stretch * stretch;
        }
        for (k, (angle, _)) in S::small_rotation(&self.frames, [p1, p2]).into_iter().enumerate() {
            sum += half * self.torsional_stiffness[k] * angle * angle;
        }
        sum
    }
}

impl<S: Space> Bushing<f64, S> {
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Bushing<T, S> {
        Bushing {
            bodies: list[0].bodies,
            points: vectors::<Self, T, S, 2>(list, |b| b.points),
            axes: vectors::<Self, T, S, 3>(list, |b| b.axes),
            frames: S::gather_frames(&field(list, |b| &b.frames)),
            stiffness: numbers(list, |b| b.stiffness),
            damping: numbers(list, |b| b.damping),
            torsional_stiffness: numbers(list, |b| b.torsional_stiffness),
            torsional_damping: numbers(list, |b| b.torsional_damping),
        }
    }
}
