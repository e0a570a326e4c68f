//! Orientations as quaternions.

use core::ops::Mul;

use super::{Mat3, Vec3};
use crate::Real;

/// A quaternion `w + x i + y j + z k` (Hamilton), rotating body components into parent components.
///
/// [`rotation`](Quaternion::rotation) and [`rate`](Quaternion::rate) do not need unit norm: the
/// rotation is that of the normalised quaternion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Quaternion<T> {
    /// Scalar part.
    pub w: T,
    /// First vector component.
    pub x: T,
    /// Second vector component.
    pub y: T,
    /// Third vector component.
    pub z: T,
}

impl<T: Real> Default for Quaternion<T> {
    /// The identity.
    fn default() -> Self {
        Quaternion::identity()
    }
}

impl<T: Real> Quaternion<T> {
    /// The quaternion with the given parts.
    #[inline(always)]
    pub const fn new(w: T, x: T, y: T, z: T) -> Self {
        Quaternion { w, x, y, z }
    }

    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Quaternion::new(T::one(), T::zero(), T::zero(), T::zero())
    }

    /// The quaternion from the first four entries of a slice, `w x y z`.
    ///
    /// # Panics
    /// If the slice is shorter.
    #[inline(always)]
    pub fn from_slice(q: &[T]) -> Self {
        Quaternion::new(q[0], q[1], q[2], q[3])
    }

    /// Writes `w x y z` to the first four entries of a slice.
    ///
    /// # Panics
    /// If the slice is shorter.
    #[inline(always)]
    pub fn write_to(self, out: &mut [T]) {
        out[0] = self.w;
        out[1] = self.x;
        out[2] = self.y;
        out[3] = self.z;
    }

    /// The rotation by `angle` (rad) about a unit axis.
    pub fn from_axis_angle(axis: Vec3<T>, angle: T) -> Self {
        let (s, c) = (angle * T::from_f64(0.5)).sin_cos();
        Quaternion::new(c, axis.x * s, axis.y * s, axis.z * s)
    }

    /// Squared norm.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.z.mul_add(self.z, self.y.mul_add(self.y, self.x.mul_add(self.x, self.w * self.w)))
    }

    /// The quaternion divided by its norm.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        self.scale(self.norm_squared().sqrt().recip())
    }

    /// The inverse of a unit quaternion.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Quaternion::new(self.w, -self.x, -self.y, -self.z)
    }

    /// Each part times `s`.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Quaternion::new(self.w * s, self.x * s, self.y * s, self.z * s)
    }

    /// The rotation matrix body → parent, of the normalised quaternion.
    #[inline(always)]
    pub fn rotation(self) -> Mat3<T> {
        let Quaternion { w, x, y, z } = self;
        let s = T::from_f64(2.0) / self.norm_squared();
        let (sx, sy, sz) = (s * x, s * y, s * z);
        let (wx, wy, wz) = (w * sx, w * sy, w * sz);
        let (xx, xy, xz) = (x * sx, x * sy, x * sz);
        let (yy, yz, zz) = (y * sy, y * sz, z * sz);
        let one = T::one();
        Mat3::from_rows(
            Vec3::new(one - (yy + zz), xy - wz, xz + wy),
            Vec3::new(xy + wz, one - (xx + zz), yz - wx),
            Vec3::new(xz - wy, yz + wx, one - (xx + yy)),
        )
    }

    /// The time derivative of the quaternion for an angular velocity in **parent** axes, rad/s:
    /// `½ (0, ω) ∘ q`.
    #[inline(always)]
    pub fn rate(self, omega: Vec3<T>) -> Self {
        let half = omega.scale(T::from_f64(0.5));
        Quaternion::new(T::zero(), half.x, half.y, half.z) * self
    }

    /// The time derivative of the quaternion for an angular velocity in **body** axes, rad/s:
    /// `½ q ∘ (0, ω)`.
    #[inline(always)]
    pub fn rate_in_body(self, omega: Vec3<T>) -> Self {
        let half = omega.scale(T::from_f64(0.5));
        self * Quaternion::new(T::zero(), half.x, half.y, half.z)
    }
}

impl Quaternion<f64> {
    /// The unit quaternion of a rotation matrix (Shepperd's choice of the largest part; `w ≥ 0`).
    pub fn from_rotation(r: Mat3<f64>) -> Self {
        let m = r.to_rows();
        let trace = m[0][0] + m[1][1] + m[2][2];
        let squares = [1.0 + trace, 1.0 - trace + 2.0 * m[0][0], 1.0 - trace + 2.0 * m[1][1], {
            1.0 - trace + 2.0 * m[2][2]
        }];
        let k = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
        let large = squares[k].sqrt();
        let s = 0.5 / large;
        let (a, b, c) = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]);
        let (xy, xz, yz) = (m[0][1] + m[1][0], m[0][2] + m[2][0], m[1][2] + m[2][1]);
        let q = match k {
            0 => Quaternion::new(0.5 * large, a * s, b * s, c * s),
            1 => Quaternion::new(a * s, 0.5 * large, xy * s, xz * s),
            2 => Quaternion::new(b * s, xy * s, 0.5 * large, yz * s),
            _ => Quaternion::new(c * s, xz * s, yz * s, 0.5 * large),
        };
        if q.w < 0.0 { q.scale(-1.0) } else { q }
    }
}

impl<T: Real> Mul for Quaternion<T> {
    type Output = Self;
    /// The Hamilton product: first `b`, then `self`.
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Quaternion {
            w: (-a.z).mul_add(b.z, (-a.y).mul_add(b.y, (-a.x).mul_add(b.x, a.w * b.w))),
            x: (-a.z).mul_add(b.y, a.y.mul_add(b.z, a.x.mul_add(b.w, a.w * b.x))),
            y: (-a.x).mul_add(b.z, a.z.mul_add(b.x, a.y.mul_add(b.w, a.w * b.y))),
            z: (-a.y).mul_add(b.x, a.x.mul_add(b.y, a.z.mul_add(b.w, a.w * b.z))),
        }
    }
}
