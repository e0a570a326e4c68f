//! A spring with a damper along the line between two points.

use pommel_math::Real;

use super::Forces;
use crate::gather::{number, vectors};
use crate::space::{Space, VectorOf};

/// Tension `k (l − l₀) + c l̇ + preload`.
#[derive(Clone, Debug)]
pub(crate) struct Spring<T: Real, S: Space> {
    pub(crate) bodies: [u32; 2],
    pub(crate) points: [S::Vector<T>; 2],
    pub(crate) stiffness: T,
    pub(crate) damping: T,
    pub(crate) rest_length: T,
    pub(crate) preload: T,
}

impl<T: Real, S: Space> Spring<T, S> {
    #[inline(always)]
    pub(super) fn add_to(&self, forces: &mut Forces<'_, T, S>) {
        let [p1, p2] = self.bodies.map(|body| &forces.poses[body as usize]);
        let (a, b) = (S::point_at(p1, self.points[0]), S::point_at(p2, self.points[1]));
        let d = b.position.minus(a.position);
        let length = d.dot(d).sqrt();
        // points that coincide have no line between them, and feel no force
        let apart = T::zero().lt(length);
        let inverse = T::select(apart, length.recip(), T::zero());
        let u = d.times(inverse);
        let rate = u.dot(b.velocity.minus(a.velocity));
        let tension = self
            .stiffness
            .mul_add(length - self.rest_length, self.damping.mul_add(rate, self.preload));
        let rows = [S::point_row(p1, a.arm, u), S::point_row(p2, b.arm, u)];
        forces.add(self.bodies[0], &rows[0], tension);
        forces.add(self.bodies[1], &rows[1], -tension);
    }

    pub(super) fn potential(&self, poses: &[S::Pose<T>]) -> T {
        let [p1, p2] = self.bodies.map(|body| &poses[body as usize]);
        let (a, b) = (S::point_at(p1, self.points[0]), S::point_at(p2, self.points[1]));
        let d = b.position.minus(a.position);
        let stretch = d.dot(d).sqrt() - self.rest_length;
        stretch * (T::from_f64(0.5) * self.stiffness * stretch + self.preload)
    }
}

impl<S: Space> Spring<f64, S> {
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Spring<T, S> {
        Spring {
            bodies: list[0].bodies,
            points: vectors::<Self, T, S, 2>(list, |s| s.points),
            stiffness: number(list, |s| s.stiffness),
            damping: number(list, |s| s.damping),
            rest_length: number(list, |s| s.rest_length),
            preload: number(list, |s| s.preload),
        }
    }
}
