//! Forward derivatives over any scalar.

use core::array::from_fn;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::real::{Real, sealed::Sealed};
use crate::{InstructionSet, Mask};

/// A value of the scalar `S` and its derivatives along `N` directions, which are of type `S`, too.
///
/// It is [`Dual`](crate::Dual) over another scalar: over [`Jet`](crate::Jet) it gives the derivatives
/// of every Taylor coefficient of a function by its arguments, over itself second derivatives.
/// Comparisons look at the value only.
///
/// ```
/// use pommel_math::{Jet, Real, Tangent};
///
/// // y = sin(p t) at t = 0.5, p = 3: how the velocity p cos(p t) depends on p
/// let t = Tangent::constant(Jet::<1>::variable(0.5));
/// let p = Tangent::<Jet<1>, 1>::variable(Jet::constant(3.0), 0);
/// let (y, _) = (p * t).sin_cos();
/// let slope = y.derivative(0).derivative(1);
/// assert!((slope - (1.5_f64.cos() - 1.5 * 1.5_f64.sin())).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent<S, const N: usize> {
    value: S,
    gradient: [S; N],
}

impl<S: Real, const N: usize> Default for Tangent<S, N> {
    fn default() -> Self {
        Tangent::constant(S::zero())
    }
}

impl<S: Real, const N: usize> Tangent<S, N> {
    /// `x` with zero derivatives.
    #[inline(always)]
    pub fn constant(x: S) -> Self {
        Tangent { value: x, gradient: [S::zero(); N] }
    }

    /// `x` as the variable of direction `k`: its derivative is 1 along `k`.
    ///
    /// # Panics
    /// If `k` is not below `N`.
    pub fn variable(x: S, k: usize) -> Self {
        let mut tangent = Tangent::constant(x);
        tangent.gradient[k] = S::one();
        tangent
    }

    /// `x` with the given derivatives.
    #[inline(always)]
    pub fn new(value: S, gradient: [S; N]) -> Self {
        Tangent { value, gradient }
    }

    /// The value.
    #[inline(always)]
    pub fn value(self) -> S {
        self.value
    }

    /// The derivative along direction `k`.
    ///
    /// # Panics
    /// If `k` is not below `N`.
    #[inline(always)]
    pub fn derivative(self, k: usize) -> S {
        self.gradient[k]
    }

    /// `f(self)` with value `value` and derivative `slope` with respect to `self`.
    #[inline(always)]
    fn chain(self, value: S, slope: S) -> Self {
        Tangent { value, gradient: from_fn(|k| slope * self.gradient[k]) }
    }
}

impl<S: Real, const N: usize> Add for Tangent<S, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Tangent {
            value: self.value + other.value,
            gradient: from_fn(|k| self.gradient[k] + other.gradient[k]),
        }
    }
}

impl<S: Real, const N: usize> Sub for Tangent<S, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Tangent {
            value: self.value - other.value,
            gradient: from_fn(|k| self.gradient[k] - other.gradient[k]),
        }
    }
}

impl<S: Real, const N: usize> Mul for Tangent<S, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Tangent {
            value: self.value * other.value,
            gradient: from_fn(|k| {
                self.value.mul_add(other.gradient[k], self.gradient[k] * other.value)
            }),
        }
    }
}

impl<S: Real, const N: usize> Div for Tangent<S, N> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl, reason = "one reciprocal for all directions")]
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let inverse = other.value.recip();
        Tangent {
            value,
            gradient: from_fn(|k| (-value).mul_add(other.gradient[k], self.gradient[k]) * inverse),
        }
    }
}

impl<S: Real, const N: usize> Neg for Tangent<S, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Tangent { value: -self.value, gradient: self.gradient.map(|g| -g) }
    }
}

impl<S: Real, const N: usize> AddAssign for Tangent<S, N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Real, const N: usize> SubAssign for Tangent<S, N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<S: Real, const N: usize> MulAssign for Tangent<S, N> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<S: Real, const N: usize> Sealed for Tangent<S, N> {}

impl<S: Real, const N: usize> Real for Tangent<S, N> {
    const LANES: usize = S::LANES;
    const EPSILON: f64 = S::EPSILON;
    const SETS: [InstructionSet; 2] = S::SETS;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Tangent::constant(S::from_f64(x))
    }
    #[inline(always)]
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
        Tangent::constant(S::from_lanes(f))
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.value.lane(i)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Tangent {
            value: self.value.mul_add(b.value, c.value),
            gradient: from_fn(|k| {
                self.value.mul_add(b.gradient[k], self.gradient[k].mul_add(b.value, c.gradient[k]))
            }),
        }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, S::from_f64(0.5) / root)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let negative = self.value.lt(S::zero());
        let gradient = from_fn(|k| S::select(negative, -self.gradient[k], self.gradient[k]));
        Tangent { value: self.value.abs(), gradient }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.value.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let square = self.value.mul_add(self.value, x.value * x.value);
        Tangent {
            value: self.value.atan2(x.value),
            gradient: from_fn(|k| {
                (x.value * self.gradient[k] - self.value * x.gradient[k]) / square
            }),
        }
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let e = self.value.exp();
        self.chain(e, e)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.value.ln(), self.value.recip())
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        self.value.lt(other.value)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        self.value.le(other.value)
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        self.gradient.iter().fold(self.value.is_finite(), |finite, g| finite & g.is_finite())
    }
    fn is_constant(self) -> bool {
        // −0 is equal to 0, as in `Dual`
        self.value.is_constant() && self.gradient.iter().all(|g| *g == S::zero())
    }
    #[inline(always)]
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        Tangent {
            value: S::select(mask, a.value, b.value),
            gradient: from_fn(|k| S::select(mask, a.gradient[k], b.gradient[k])),
        }
    }
}
