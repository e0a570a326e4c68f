//! The one bound of pommel.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::{InstructionSet, Mask};

pub(crate) mod sealed {
    /// Only this crate adds scalars: kernels may rely on what they promise.
    pub trait Sealed {}
}

/// A scalar that pommel's kernels run on: the only bound that any of its functions asks for.
///
/// The set is closed ([`f64`], [`f32`], [`Lanes`](crate::Lanes), [`Dual`](crate::Dual),
/// [`Jet`](crate::Jet), [`Tangent`](crate::Tangent), [`Counted`](crate::Counted), [`Traced`](crate::Traced), and the vector
/// registers behind [`with_lanes`](crate::with_lanes)), all are `Copy` and of fixed size; none but
/// `Traced` allocates.
///
/// Rules for a kernel: write [`mul_add`](Real::mul_add) where a fused operation is meant (nothing
/// else is ever fused), compare only through [`lt`](Real::lt) and [`le`](Real::le), and choose
/// with [`select`](Real::select) instead of branching on a number.
pub trait Real:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Number of instances in one value.
    const LANES: usize;

    /// Distance from 1 to the next greater number.
    const EPSILON: f64;

    /// Number of angles that [`sin_cos_all`](Real::sin_cos_all) takes at a time: it is fastest where
    /// the length of a list is a multiple.
    const ANGLES: usize = 1;

    /// The least and the greatest instruction set that kernels over this scalar are compiled for.
    const SETS: [InstructionSet; 2] = [InstructionSet::Baseline, InstructionSet::Avx512];

    /// The constant `x` in every lane (rounded to the scalar's precision).
    fn from_f64(x: f64) -> Self;

    /// The value whose lane `i` is `f(i)`; a scalar with one lane asks for lane 0 only.
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self;

    /// Lane `i`, without derivatives.
    ///
    /// # Panics
    /// If `i` is not below [`LANES`](Real::LANES) (scalars with one lane ignore `i`).
    fn lane(self, i: usize) -> f64;

    /// `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// `plus + self · b` and `minus − self · b`: one product used twice, which processors that fuse
    /// form twice.
    #[inline(always)]
    fn product_both(self, b: Self, plus: Self, minus: Self) -> (Self, Self) {
        (self.mul_add(b, plus), (-self).mul_add(b, minus))
    }

    /// Square root; NaN below zero.
    fn sqrt(self) -> Self;

    /// Absolute value.
    fn abs(self) -> Self;

    /// Sine and cosine of an angle in radians, the same bits in every lane and on every machine.
    fn sin_cos(self) -> (Self, Self);

    /// Sines and cosines of a list of angles, the bits of [`sin_cos`](Real::sin_cos).
    ///
    /// # Panics
    /// If the lists differ in length.
    #[inline(always)]
    fn sin_cos_all(angles: &[Self], sin: &mut [Self], cos: &mut [Self]) {
        assert!(angles.len() == sin.len() && angles.len() == cos.len(), "lists of one length");
        for ((x, s), c) in angles.iter().zip(sin).zip(cos) {
            (*s, *c) = x.sin_cos();
        }
    }

    /// Arc tangent of `self / x` in the quadrant of the point `(x, self)`, rad.
    fn atan2(self, x: Self) -> Self;

    /// Exponential function.
    fn exp(self) -> Self;

    /// Natural logarithm.
    fn ln(self) -> Self;

    /// Where `self` is less than `other`; false for NaN.
    fn lt(self, other: Self) -> Mask;

    /// Where `self` is less than or equal to `other`; false for NaN.
    fn le(self, other: Self) -> Mask;

    /// Where the value is neither infinite nor NaN.
    fn is_finite(self) -> Mask;

    /// `a` where the mask is set, `b` elsewhere.
    fn select(mask: Mask, a: Self, b: Self) -> Self;

    /// Whether the value carries no derivative; true for every scalar but dual numbers and jets.
    #[inline(always)]
    fn is_constant(self) -> bool {
        true
    }

    /// The lane-wise greater; `other` where `self` is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The lane-wise smaller; `other` where `self` is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// `1 / self`.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::one() / self
    }

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }

    /// One in every lane.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }
}
