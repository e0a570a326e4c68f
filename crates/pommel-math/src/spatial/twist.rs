//! Motions and forces of a rigid body.

use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use super::Vec3;
use crate::Real;

/// A motion `(ω, v)`: angular velocity, and velocity of the body point at the frame's origin.
///
/// Also used for the rate of a motion: angular acceleration, and the acceleration of the body
/// point at the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Twist<T> {
    /// Angular velocity, rad/s.
    pub angular: Vec3<T>,
    /// Velocity of the body point at the origin, m/s.
    pub linear: Vec3<T>,
}

/// A force on a rigid body `(n, f)`: moment about the frame's origin, and force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Wrench<T> {
    /// Moment about the origin, N·m.
    pub moment: Vec3<T>,
    /// Force, N.
    pub force: Vec3<T>,
}

impl<T: Real> Twist<T> {
    /// The motion with the given parts.
    #[inline(always)]
    pub const fn new(angular: Vec3<T>, linear: Vec3<T>) -> Self {
        Twist { angular, linear }
    }

    /// No motion.
    #[inline(always)]
    pub fn zero() -> Self {
        Twist::new(Vec3::zero(), Vec3::zero())
    }

    /// `ω · n + v · f`: the power of a wrench, W.
    #[inline(always)]
    pub fn dot(self, w: Wrench<T>) -> T {
        self.angular.dot(w.moment) + self.linear.dot(w.force)
    }

    /// Both parts times `s`.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Twist::new(self.angular.scale(s), self.linear.scale(s))
    }
}

impl<T: Real> Wrench<T> {
    /// Moment, then force.
    #[inline(always)]
    pub const fn to_array(self) -> [T; 6] {
        let (n, f) = (self.moment, self.force);
        [n.x, n.y, n.z, f.x, f.y, f.z]
    }

    /// The wrench with the given parts.
    #[inline(always)]
    pub const fn new(moment: Vec3<T>, force: Vec3<T>) -> Self {
        Wrench { moment, force }
    }

    /// No force.
    #[inline(always)]
    pub fn zero() -> Self {
        Wrench::new(Vec3::zero(), Vec3::zero())
    }

    /// Both parts times `s`.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Wrench::new(self.moment.scale(s), self.force.scale(s))
    }

    /// `s w + c`.
    #[inline(always)]
    pub fn scale_add(self, s: T, c: Self) -> Self {
        Wrench::new(self.moment.scale_add(s, c.moment), self.force.scale_add(s, c.force))
    }
}

impl<T: Real> Add for Twist<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Twist::new(self.angular + b.angular, self.linear + b.linear)
    }
}

impl<T: Real> Sub for Twist<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Twist::new(self.angular - b.angular, self.linear - b.linear)
    }
}

impl<T: Real> AddAssign for Twist<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> Add for Wrench<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Wrench::new(self.moment + b.moment, self.force + b.force)
    }
}

impl<T: Real> Sub for Wrench<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Wrench::new(self.moment - b.moment, self.force - b.force)
    }
}

impl<T: Real> Neg for Wrench<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Wrench::new(-self.moment, -self.force)
    }
}

impl<T: Real> AddAssign for Wrench<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> SubAssign for Wrench<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}
