//! Matrices of three rows and columns.

use core::ops::Mul;

use super::Vec3;
use crate::Real;

/// A 3 × 3 matrix, by rows. Rotation matrices are of this type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Mat3<T> {
    /// First row.
    pub x: Vec3<T>,
    /// Second row.
    pub y: Vec3<T>,
    /// Third row.
    pub z: Vec3<T>,
}

impl<T: Real> Mat3<T> {
    /// The matrix with the given rows.
    #[inline(always)]
    pub const fn from_rows(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Self {
        Mat3 { x, y, z }
    }

    /// The matrix with constant entries, by rows.
    #[inline(always)]
    pub fn from_f64(m: [[f64; 3]; 3]) -> Self {
        Mat3 { x: Vec3::from_f64(m[0]), y: Vec3::from_f64(m[1]), z: Vec3::from_f64(m[2]) }
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Mat3 { x: Vec3::zero(), y: Vec3::zero(), z: Vec3::zero() }
    }

    /// The unit matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        Mat3::from_f64([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    }

    /// The rotation by an angle, given as its sine and cosine, about a unit axis.
    #[inline(always)]
    pub fn rotation(axis: Vec3<T>, sin: T, cos: T) -> Self {
        let Vec3 { x, y, z } = axis;
        let k = T::one() - cos;
        let (kx, ky, kz) = (k * x, k * y, k * z);
        let (sx, sy, sz) = (sin * x, sin * y, sin * z);
        Mat3 {
            x: Vec3::new(kx.mul_add(x, cos), kx.mul_add(y, -sz), kx.mul_add(z, sy)),
            y: Vec3::new(ky.mul_add(x, sz), ky.mul_add(y, cos), ky.mul_add(z, -sx)),
            z: Vec3::new(kz.mul_add(x, -sy), kz.mul_add(y, sx), kz.mul_add(z, cos)),
        }
    }

    /// The rotation by roll, pitch, yaw about fixed axes, `Rz(yaw) Ry(pitch) Rx(roll)`, rad.
    pub fn from_rpy(rpy: [T; 3]) -> Self {
        let (sr, cr) = rpy[0].sin_cos();
        let (sp, cp) = rpy[1].sin_cos();
        let (sy, cy) = rpy[2].sin_cos();
        Mat3 {
            x: Vec3::new(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            y: Vec3::new(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            z: Vec3::new(-sp, cp * sr, cp * cr),
        }
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        Mat3 {
            x: Vec3::new(self.x.x, self.y.x, self.z.x),
            y: Vec3::new(self.x.y, self.y.y, self.z.y),
            z: Vec3::new(self.x.z, self.y.z, self.z.z),
        }
    }

    /// `Aᵀ v`: for a rotation, the components in the child frame.
    #[inline(always)]
    pub fn transpose_mul(self, v: Vec3<T>) -> Vec3<T> {
        self.z.scale_add(v.z, self.y.scale_add(v.y, self.x.scale(v.x)))
    }

    /// The matrix with each entry in another scalar.
    #[inline(always)]
    pub fn cast<U: Real>(self, f: impl Fn(T) -> U + Copy) -> Mat3<U> {
        Mat3 { x: self.x.cast(f), y: self.y.cast(f), z: self.z.cast(f) }
    }

    /// The entries by rows.
    #[inline(always)]
    pub const fn to_rows(self) -> [[T; 3]; 3] {
        [self.x.to_array(), self.y.to_array(), self.z.to_array()]
    }
}

impl<T: Real> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }
}

impl<T: Real> Mul for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Mat3 { x: b.transpose_mul(self.x), y: b.transpose_mul(self.y), z: b.transpose_mul(self.z) }
    }
}
