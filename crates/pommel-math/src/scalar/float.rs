//! `f64` and `f32` as scalars.

use super::trig;
use crate::Mask;
use crate::real::{Real, sealed::Sealed};

#[inline(always)]
fn single(truth: bool) -> Mask {
    Mask::from_fn(1, |_| truth)
}

impl Sealed for f64 {}

impl Real for f64 {
    const LANES: usize = 1;
    const EPSILON: f64 = f64::EPSILON;
    const ANGLES: usize = trig::WIDE;

    #[inline(always)]
    fn from_f64(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> f64 {
        f(0)
    }
    #[inline(always)]
    fn lane(self, _i: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn mul_add(self, b: f64, c: f64) -> f64 {
        f64::mul_add(self, b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (f64, f64) {
        trig::sin_cos(self)
    }
    #[inline(always)]
    fn sin_cos_all(angles: &[f64], sin: &mut [f64], cos: &mut [f64]) {
        trig::sin_cos_all(angles, sin, cos);
    }
    #[inline(always)]
    fn atan2(self, x: f64) -> f64 {
        libm::atan2(self, x)
    }
    #[inline(always)]
    fn exp(self) -> f64 {
        libm::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> f64 {
        libm::log(self)
    }
    #[inline(always)]
    fn lt(self, other: f64) -> Mask {
        single(self < other)
    }
    #[inline(always)]
    fn le(self, other: f64) -> Mask {
        single(self <= other)
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        single(f64::is_finite(self))
    }
    #[inline(always)]
    fn select(mask: Mask, a: f64, b: f64) -> f64 {
        if mask.lane(0) { a } else { b }
    }
}

impl Sealed for f32 {}

/// Single precision. Transcendental functions are computed in `f64` and rounded.
impl Real for f32 {
    const LANES: usize = 1;
    const EPSILON: f64 = f32::EPSILON as f64;

    #[inline(always)]
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> f32 {
        f(0) as f32
    }
    #[inline(always)]
    fn lane(self, _i: usize) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn mul_add(self, b: f32, c: f32) -> f32 {
        f32::mul_add(self, b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (f32, f32) {
        let (s, c) = trig::sin_cos(f64::from(self));
        (s as f32, c as f32)
    }
    #[inline(always)]
    fn atan2(self, x: f32) -> f32 {
        libm::atan2(f64::from(self), f64::from(x)) as f32
    }
    #[inline(always)]
    fn exp(self) -> f32 {
        libm::exp(f64::from(self)) as f32
    }
    #[inline(always)]
    fn ln(self) -> f32 {
        libm::log(f64::from(self)) as f32
    }
    #[inline(always)]
    fn lt(self, other: f32) -> Mask {
        single(self < other)
    }
    #[inline(always)]
    fn le(self, other: f32) -> Mask {
        single(self <= other)
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        single(f32::is_finite(self))
    }
    #[inline(always)]
    fn select(mask: Mask, a: f32, b: f32) -> f32 {
        if mask.lane(0) { a } else { b }
    }
}
