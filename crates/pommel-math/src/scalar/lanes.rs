//! Several instances side by side.

use core::array::from_fn;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::trig;
use crate::Mask;
use crate::real::{Real, sealed::Sealed};

/// `L` numbers, one per instance; `L` is 1, 2, 4 or 8.
///
/// Every operation acts on each lane as on an `f64` and gives the same bits. Run kernels on lanes
/// through [`dispatch`](crate::dispatch()): only then do they become vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Lanes<const L: usize>(pub [f64; L]);

impl<const L: usize> Default for Lanes<L> {
    #[inline(always)]
    fn default() -> Self {
        Lanes([0.0; L])
    }
}

impl<const L: usize> Lanes<L> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i])))
    }
}

impl<const L: usize> Add for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const L: usize> Sub for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const L: usize> Mul for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl<const L: usize> Div for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}

impl<const L: usize> Neg for Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl<const L: usize> AddAssign for Lanes<L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const L: usize> SubAssign for Lanes<L> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const L: usize> MulAssign for Lanes<L> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<const L: usize> Sealed for Lanes<L> {}

impl<const L: usize> Real for Lanes<L> {
    const LANES: usize = {
        assert!(L == 1 || L == 2 || L == 4 || L == 8, "lanes come in 1, 2, 4 or 8");
        L
    };
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Lanes([x; L])
    }
    #[inline(always)]
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
        Lanes(from_fn(f))
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.0[i]
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Lanes(from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        trig::sin_cos(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        self.zip(x, libm::atan2)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        self.map(libm::exp)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.map(libm::log)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        Mask::from_fn(L, |i| self.0[i] < other.0[i])
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        Mask::from_fn(L, |i| self.0[i] <= other.0[i])
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        Mask::from_fn(L, |i| self.0[i].is_finite())
    }
    #[inline(always)]
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        Lanes(from_fn(|i| if mask.lane(i) { a.0[i] } else { b.0[i] }))
    }
}

impl<const L: usize> trig::Quadrant for Lanes<L> {
    #[inline(always)]
    fn turn(shifted: Self, mut sin: Self, mut cos: Self) -> (Self, Self) {
        for i in 0..L {
            (sin.0[i], cos.0[i]) = trig::Quadrant::turn(shifted.0[i], sin.0[i], cos.0[i]);
        }
        (sin, cos)
    }
}
