//! Changes of frame.

use core::ops::Mul;

use super::{Mat3, Twist, Vec3, Wrench};
use crate::Real;

/// The placement of a child frame in its parent: `R` rotates child components into parent
/// components, `r` is the child's origin in parent components, m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform<T> {
    /// `R`, child → parent.
    pub rotation: Mat3<T>,
    /// `r`, origin of the child in the parent, m.
    pub translation: Vec3<T>,
}

impl<T: Real> Default for Transform<T> {
    /// The identity.
    fn default() -> Self {
        Transform::identity()
    }
}

impl<T: Real> Transform<T> {
    /// The transform with the given parts.
    #[inline(always)]
    pub const fn new(rotation: Mat3<T>, translation: Vec3<T>) -> Self {
        Transform { rotation, translation }
    }

    /// The child frame coincides with its parent.
    #[inline(always)]
    pub fn identity() -> Self {
        Transform::new(Mat3::identity(), Vec3::zero())
    }

    /// The parent seen from the child.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        Transform::new(self.rotation.transpose(), -self.rotation.transpose_mul(self.translation))
    }

    /// A point given in child coordinates, in parent coordinates, m.
    #[inline(always)]
    pub fn point_to_parent(self, p: Vec3<T>) -> Vec3<T> {
        self.rotation * p + self.translation
    }

    /// A point given in parent coordinates, in child coordinates, m.
    #[inline(always)]
    pub fn point_to_child(self, p: Vec3<T>) -> Vec3<T> {
        self.rotation.transpose_mul(p - self.translation)
    }

    /// The twist of one rigid body, from the parent's origin and axes to the child's.
    #[inline(always)]
    pub fn twist_to_child(self, t: Twist<T>) -> Twist<T> {
        Twist::new(
            self.rotation.transpose_mul(t.angular),
            self.rotation.transpose_mul(t.angular.cross_add(self.translation, t.linear)),
        )
    }

    /// The twist of one rigid body, from the child's origin and axes to the parent's.
    #[inline(always)]
    pub fn twist_to_parent(self, t: Twist<T>) -> Twist<T> {
        let angular = self.rotation * t.angular;
        let linear = self.rotation * t.linear;
        Twist::new(angular, self.translation.cross_add(angular, linear))
    }

    /// A wrench, from the child's origin and axes to the parent's: the transpose of
    /// [`twist_to_child`](Transform::twist_to_child).
    #[inline(always)]
    pub fn wrench_to_parent(self, w: Wrench<T>) -> Wrench<T> {
        let force = self.rotation * w.force;
        let moment = self.rotation * w.moment;
        Wrench::new(self.translation.cross_add(force, moment), force)
    }

    /// The transform with each entry in another scalar.
    #[inline(always)]
    pub fn cast<U: Real>(self, f: impl Fn(T) -> U + Copy) -> Transform<U> {
        Transform::new(self.rotation.cast(f), self.translation.cast(f))
    }
}

impl<T: Real> Mul for Transform<T> {
    type Output = Self;
    /// `b` is placed in the child frame of `self`; the result places it in the parent frame.
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Transform::new(self.rotation * b.rotation, self.point_to_parent(b.translation))
    }
}
