//! Vectors of three components.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::Real;

/// Three components in some frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

impl<T: Real> Vec3<T> {
    /// The vector with the given components.
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Vec3 { x, y, z }
    }

    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Vec3::new(T::zero(), T::zero(), T::zero())
    }

    /// The vector with constant components.
    #[inline(always)]
    pub fn from_f64(v: [f64; 3]) -> Self {
        Vec3::new(T::from_f64(v[0]), T::from_f64(v[1]), T::from_f64(v[2]))
    }

    /// The vector from the first three entries of a slice.
    ///
    /// # Panics
    /// If the slice is shorter.
    #[inline(always)]
    pub fn from_slice(v: &[T]) -> Self {
        Vec3::new(v[0], v[1], v[2])
    }

    /// Writes the components to the first three entries of a slice.
    ///
    /// # Panics
    /// If the slice is shorter.
    #[inline(always)]
    pub fn write_to(self, out: &mut [T]) {
        out[0] = self.x;
        out[1] = self.y;
        out[2] = self.z;
    }

    /// The components as an array.
    #[inline(always)]
    pub const fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// The vector with each component in another scalar.
    #[inline(always)]
    pub fn cast<U: Real>(self, f: impl Fn(T) -> U) -> Vec3<U> {
        Vec3::new(f(self.x), f(self.y), f(self.z))
    }

    /// `a · b`.
    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.z.mul_add(b.z, self.y.mul_add(b.y, self.x * b.x))
    }

    /// `a × b`.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Vec3 {
            x: self.y.mul_add(b.z, -(self.z * b.y)),
            y: self.z.mul_add(b.x, -(self.x * b.z)),
            z: self.x.mul_add(b.y, -(self.y * b.x)),
        }
    }

    /// `c + a × b`.
    #[inline(always)]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        Vec3 {
            x: self.y.mul_add(b.z, (-self.z).mul_add(b.y, c.x)),
            y: self.z.mul_add(b.x, (-self.x).mul_add(b.z, c.y)),
            z: self.x.mul_add(b.y, (-self.y).mul_add(b.x, c.z)),
        }
    }

    /// `s a`.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Vec3::new(self.x * s, self.y * s, self.z * s)
    }

    /// `s a + c`.
    #[inline(always)]
    pub fn scale_add(self, s: T, c: Self) -> Self {
        Vec3::new(self.x.mul_add(s, c.x), self.y.mul_add(s, c.y), self.z.mul_add(s, c.z))
    }

    /// `a · a`.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.dot(self)
    }

    /// Euclidean length.
    #[inline(always)]
    pub fn norm(self) -> T {
        self.norm_squared().sqrt()
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Vec3::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Vec3::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Vec3::new(-self.x, -self.y, -self.z)
    }
}

impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        self.scale(s)
    }
}

impl<T: Real> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}
