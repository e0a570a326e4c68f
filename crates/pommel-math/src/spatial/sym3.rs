//! Symmetric matrices of three rows, stored as six numbers.

use core::ops::{Add, AddAssign, Mul, Sub};

use super::{Mat3, Vec3};
use crate::Real;

/// A symmetric 3 × 3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Sym3<T> {
    /// Entry (1, 1).
    pub xx: T,
    /// Entry (2, 2).
    pub yy: T,
    /// Entry (3, 3).
    pub zz: T,
    /// Entries (1, 2) and (2, 1).
    pub xy: T,
    /// Entries (1, 3) and (3, 1).
    pub xz: T,
    /// Entries (2, 3) and (3, 2).
    pub yz: T,
}

impl<T: Real> Sym3<T> {
    /// The matrix with constant entries `[xx, yy, zz, xy, xz, yz]`.
    #[inline(always)]
    pub fn from_f64(m: [f64; 6]) -> Self {
        let [xx, yy, zz, xy, xz, yz] = m.map(T::from_f64);
        Sym3 { xx, yy, zz, xy, xz, yz }
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = T::zero();
        Sym3 { xx: zero, yy: zero, zz: zero, xy: zero, xz: zero, yz: zero }
    }

    /// `s` on the diagonal.
    #[inline(always)]
    pub fn scalar(s: T) -> Self {
        Sym3 { xx: s, yy: s, zz: s, ..Sym3::zero() }
    }

    /// First row.
    #[inline(always)]
    pub fn row_x(self) -> Vec3<T> {
        Vec3::new(self.xx, self.xy, self.xz)
    }

    /// Second row.
    #[inline(always)]
    pub fn row_y(self) -> Vec3<T> {
        Vec3::new(self.xy, self.yy, self.yz)
    }

    /// Third row.
    #[inline(always)]
    pub fn row_z(self) -> Vec3<T> {
        Vec3::new(self.xz, self.yz, self.zz)
    }

    /// The matrix as a full one.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<T> {
        Mat3::from_rows(self.row_x(), self.row_y(), self.row_z())
    }

    /// The upper triangle of a matrix that is symmetric up to rounding.
    #[inline(always)]
    pub fn from_upper(m: Mat3<T>) -> Self {
        Sym3 { xx: m.x.x, yy: m.y.y, zz: m.z.z, xy: m.x.y, xz: m.x.z, yz: m.y.z }
    }

    /// `R A Rᵀ`: the components in the parent frame, for a rotation `R` child → parent.
    #[inline(always)]
    pub fn rotated(self, r: Mat3<T>) -> Self {
        let ra = r * self.to_mat3();
        Sym3 {
            xx: ra.x.dot(r.x),
            yy: ra.y.dot(r.y),
            zz: ra.z.dot(r.z),
            xy: ra.x.dot(r.y),
            xz: ra.x.dot(r.z),
            yz: ra.y.dot(r.z),
        }
    }

    /// `A − a bᵀ` where `a bᵀ` is symmetric, that is, where `b` is a multiple of `a`.
    #[inline(always)]
    pub fn minus_outer(self, a: Vec3<T>, b: Vec3<T>) -> Self {
        Sym3 {
            xx: (-a.x).mul_add(b.x, self.xx),
            yy: (-a.y).mul_add(b.y, self.yy),
            zz: (-a.z).mul_add(b.z, self.zz),
            xy: (-a.x).mul_add(b.y, self.xy),
            xz: (-a.x).mul_add(b.z, self.xz),
            yz: (-a.y).mul_add(b.z, self.yz),
        }
    }

    /// The matrix with each entry in another scalar.
    #[inline(always)]
    pub fn cast<U: Real>(self, f: impl Fn(T) -> U) -> Sym3<U> {
        Sym3 {
            xx: f(self.xx),
            yy: f(self.yy),
            zz: f(self.zz),
            xy: f(self.xy),
            xz: f(self.xz),
            yz: f(self.yz),
        }
    }
}

impl<T: Real> Mul<Vec3<T>> for Sym3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.row_x().dot(v), self.row_y().dot(v), self.row_z().dot(v))
    }
}

impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Sym3 {
            xx: self.xx + b.xx,
            yy: self.yy + b.yy,
            zz: self.zz + b.zz,
            xy: self.xy + b.xy,
            xz: self.xz + b.xz,
            yz: self.yz + b.yz,
        }
    }
}

impl<T: Real> Sub for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Sym3 {
            xx: self.xx - b.xx,
            yy: self.yy - b.yy,
            zz: self.zz - b.zz,
            xy: self.xy - b.xy,
            xz: self.xz - b.xz,
            yz: self.yz - b.yz,
        }
    }
}

impl<T: Real> AddAssign for Sym3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
