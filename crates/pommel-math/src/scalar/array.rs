//! [`Lanes`] for one instruction set.

use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::Lanes;
use crate::Mask;
use crate::dispatch::InstructionSet;
use crate::real::{Real, sealed::Sealed};

/// [`Lanes`] whose kernels are compiled for the instruction set `SET` only, not for all: what
/// [`with_lanes`](crate::with_lanes) falls back to where a processor has no register that is wide
/// enough. Nothing but size and compile time of the program differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub(super) struct Array<const L: usize, const SET: u8>(Lanes<L>);

/// Values of `SET`.
pub(super) const BASELINE: u8 = InstructionSet::Baseline as u8;
pub(super) const AVX2: u8 = InstructionSet::Avx2Fma as u8;

impl<const L: usize, const SET: u8> Array<L, SET> {
    const ONLY: InstructionSet = match SET {
        BASELINE => InstructionSet::Baseline,
        AVX2 => InstructionSet::Avx2Fma,
        _ => InstructionSet::Avx512,
    };
}

/// Binary operators, entry by entry.
macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident),*) => {$(
        impl<const L: usize, const SET: u8> $trait for Array<L, SET> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Array(self.0.$method(other.0))
            }
        }
        impl<const L: usize, const SET: u8> $assign for Array<L, SET> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                self.0 = self.0.$method(other.0);
            }
        }
    )*};
}

operators!(
    Add add AddAssign add_assign,
    Sub sub SubAssign sub_assign,
    Mul mul MulAssign mul_assign
);

impl<const L: usize, const SET: u8> Div for Array<L, SET> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Array(self.0 / other.0)
    }
}

impl<const L: usize, const SET: u8> Neg for Array<L, SET> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Array(-self.0)
    }
}

impl<const L: usize, const SET: u8> Sealed for Array<L, SET> {}

impl<const L: usize, const SET: u8> Real for Array<L, SET> {
    const LANES: usize = Lanes::<L>::LANES;
    const EPSILON: f64 = f64::EPSILON;
    const SETS: [InstructionSet; 2] = [Self::ONLY; 2];

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Array(Lanes::from_f64(x))
    }
    #[inline(always)]
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
        Array(Lanes::from_lanes(f))
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.0.lane(i)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Array(self.0.mul_add(b.0, c.0))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Array(self.0.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Array(self.0.abs())
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (Array(sin), Array(cos))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Array(self.0.atan2(x.0))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Array(self.0.exp())
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Array(self.0.ln())
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        self.0.lt(other.0)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        self.0.le(other.0)
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        self.0.is_finite()
    }
    #[inline(always)]
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        Array(Lanes::select(mask, a.0, b.0))
    }
}
