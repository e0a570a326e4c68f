//! Forward derivatives.

use core::array::from_fn;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::Mask;
use crate::real::{Real, sealed::Sealed};

/// A value and its derivatives along `N` directions, exact to rounding.
///
/// A long gradient is computed in chunks of `N`: seed `N` variables with [`variable`], run the
/// kernel, read [`derivative`]. Comparisons look at the value only, so the derivative of a
/// [`select`](Real::select) is that of the chosen side.
///
/// [`variable`]: Dual::variable
/// [`derivative`]: Dual::derivative
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    value: f64,
    gradient: [f64; N],
}

impl<const N: usize> Default for Dual<N> {
    fn default() -> Self {
        Dual::constant(0.0)
    }
}

impl<const N: usize> Dual<N> {
    /// `x` with zero derivatives.
    #[inline(always)]
    pub const fn constant(x: f64) -> Self {
        Dual { value: x, gradient: [0.0; N] }
    }

    /// `x` as the variable of direction `k`: its derivative is 1 along `k`.
    ///
    /// # Panics
    /// If `k` is not below `N`.
    pub fn variable(x: f64, k: usize) -> Self {
        let mut gradient = [0.0; N];
        gradient[k] = 1.0;
        Dual { value: x, gradient }
    }

    /// `x` with the given derivatives.
    #[inline(always)]
    pub const fn new(value: f64, gradient: [f64; N]) -> Self {
        Dual { value, gradient }
    }

    /// The value.
    #[inline(always)]
    pub const fn value(self) -> f64 {
        self.value
    }

    /// The derivative along direction `k`.
    #[inline(always)]
    pub const fn derivative(self, k: usize) -> f64 {
        self.gradient[k]
    }

    /// The derivatives along all directions.
    #[inline(always)]
    pub const fn gradient(self) -> [f64; N] {
        self.gradient
    }

    /// `f(self)` with value `value` and derivative `slope` with respect to `self`.
    #[inline(always)]
    fn chain(self, value: f64, slope: f64) -> Self {
        Dual { value, gradient: from_fn(|k| slope * self.gradient[k]) }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Dual {
            value: self.value + other.value,
            gradient: from_fn(|k| self.gradient[k] + other.gradient[k]),
        }
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Dual {
            value: self.value - other.value,
            gradient: from_fn(|k| self.gradient[k] - other.gradient[k]),
        }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            gradient: from_fn(|k| {
                self.value.mul_add(other.gradient[k], self.gradient[k] * other.value)
            }),
        }
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let inverse = 1.0 / other.value;
        Dual {
            value,
            gradient: from_fn(|k| (-value).mul_add(other.gradient[k], self.gradient[k]) * inverse),
        }
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { value: -self.value, gradient: self.gradient.map(|g| -g) }
    }
}

impl<const N: usize> AddAssign for Dual<N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const N: usize> SubAssign for Dual<N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const N: usize> MulAssign for Dual<N> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<const N: usize> Sealed for Dual<N> {}

impl<const N: usize> Real for Dual<N> {
    const LANES: usize = 1;
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Dual::constant(x)
    }
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        Dual::constant(f(0))
    }
    #[inline(always)]
    fn lane(self, _i: usize) -> f64 {
        self.value
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Dual {
            value: self.value.mul_add(b.value, c.value),
            gradient: from_fn(|k| {
                self.value.mul_add(b.gradient[k], self.gradient[k].mul_add(b.value, c.gradient[k]))
            }),
        }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        if self.value < 0.0 { -self } else { self }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.value.sin_cos_real();
        (self.chain(s, c), self.chain(c, -s))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let square = self.value.mul_add(self.value, x.value * x.value);
        Dual {
            value: libm::atan2(self.value, x.value),
            gradient: from_fn(|k| {
                (x.value * self.gradient[k] - self.value * x.gradient[k]) / square
            }),
        }
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let e = libm::exp(self.value);
        self.chain(e, e)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(libm::log(self.value), 1.0 / self.value)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        Real::lt(self.value, other.value)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        Real::le(self.value, other.value)
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        let gradient = self.gradient.iter().all(|g| g.is_finite());
        Mask::from_fn(1, |_| self.value.is_finite() && gradient)
    }
    fn is_constant(self) -> bool {
        self.gradient.iter().all(|&g| g == 0.0)
    }
    #[inline(always)]
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        if mask.lane(0) { a } else { b }
    }
}

/// `f64::sin_cos` exists in the standard library with other bits; this one is ours.
trait SinCosReal {
    fn sin_cos_real(self) -> (f64, f64);
}

impl SinCosReal for f64 {
    #[inline(always)]
    fn sin_cos_real(self) -> (f64, f64) {
        <f64 as Real>::sin_cos(self)
    }
}
