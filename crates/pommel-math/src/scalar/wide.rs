//! Vector registers of x86-64 as scalars.
//!
//! Every operation is one or a few instructions, so a kernel over these types is vector code as it
//! stands, whatever the compiler makes of loops over lanes.
//!
//! # Safety
//! The types are private to this crate, and [`with_lanes`](crate::with_lanes) names them only where
//! the processor was found to have the features: AVX2 and FMA for 256 bits, AVX-512 F, VL and DQ
//! besides for 512. Whoever runs their code has got the type from there. So every intrinsic
//! below runs on a processor that has it. That is the ground of every `SAFETY: features` here.
//!
//! The methods are `#[inline(always)]` without target features; the intrinsics are inlined as soon
//! as the methods are in a function of [`dispatch`](crate::dispatch()).

#![allow(unsafe_code, reason = "intrinsics, sound by the invariant in the module's head")]

use core::arch::x86_64::*;
use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::trig::{self, Quadrant};
use crate::real::{Real, sealed::Sealed};
use crate::{InstructionSet, Mask};

/// An operator and its assigning form.
macro_rules! operator {
    ($name:ident, $op:ident $method:ident $intrinsic:ident $(, $assign:ident $assign_method:ident)?) => {
        impl $op for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: features
                $name(unsafe { $intrinsic(self.0, other.0) })
            }
        }
        $(impl $assign for $name {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = $op::$method(*self, other);
            }
        })?
    };
}

/// All that differs between widths in the names of intrinsics only.
macro_rules! register {
    (
        $(#[$doc:meta])* $name:ident($register:ident), $lanes:literal lanes, $instructions:ident,
        $splat:ident $load:ident $store:ident,
        $add:ident $sub:ident $mul:ident $div:ident $fmadd:ident $sqrt:ident $max:ident $min:ident,
        $andnot:ident $xor:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $name($register);

        impl $name {
            #[inline(always)]
            fn from_array(x: [f64; $lanes]) -> Self {
                // SAFETY: features; the pointer is to as many numbers as are loaded
                $name(unsafe { $load(x.as_ptr()) })
            }

            #[inline(always)]
            fn to_array(self) -> [f64; $lanes] {
                let mut x = [0.0; $lanes];
                // SAFETY: features; the pointer is to as many numbers as are stored
                unsafe { $store(x.as_mut_ptr(), self.0) };
                x
            }

            #[inline(always)]
            fn map(self, f: impl Fn(f64) -> f64) -> Self {
                Self::from_array(self.to_array().map(f))
            }
        }

        operator!($name, Add add $add, AddAssign add_assign);
        operator!($name, Sub sub $sub, SubAssign sub_assign);
        operator!($name, Mul mul $mul, MulAssign mul_assign);
        operator!($name, Div div $div);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: features
                $name(unsafe { $xor(self.0, $splat(-0.0)) })
            }
        }

        impl Default for $name {
            #[inline(always)]
            fn default() -> Self {
                Self::from_f64(0.0)
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.compare::<_CMP_EQ_OQ>(*other).is_all($lanes)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple("Lanes").field(&self.to_array()).finish()
            }
        }

        impl Sealed for $name {}

        impl Real for $name {
            const LANES: usize = $lanes;
            const EPSILON: f64 = f64::EPSILON;
            const SETS: [InstructionSet; 2] = [InstructionSet::$instructions, InstructionSet::Avx512];

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                // SAFETY: features
                $name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
                Self::from_array(core::array::from_fn(f))
            }
            #[inline(always)]
            fn lane(self, i: usize) -> f64 {
                self.to_array()[i]
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: features
                $name(unsafe { $fmadd(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: features
                $name(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: features
                $name(unsafe { $andnot($splat(-0.0), self.0) })
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                trig::sin_cos(self)
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                let (y, x) = (self.to_array(), x.to_array());
                Self::from_lanes(|i| libm::atan2(y[i], x[i]))
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
                self.compare::<_CMP_LT_OQ>(other)
            }
            #[inline(always)]
            fn le(self, other: Self) -> Mask {
                self.compare::<_CMP_LE_OQ>(other)
            }
            #[inline(always)]
            fn is_finite(self) -> Mask {
                self.abs().lt(Self::from_f64(f64::INFINITY))
            }
            #[inline(always)]
            fn select(mask: Mask, a: Self, b: Self) -> Self {
                Self::choose(mask, a, b)
            }
            // the instructions give their second operand for NaN and for two zeros, as `Real` asks
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: features
                $name(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: features
                $name(unsafe { $min(self.0, other.0) })
            }
        }
    };
}

/// What differs in kind between 512 bits and less: there masks are sign bits of lanes.
macro_rules! signs_as_masks {
    (
        $name:ident, $compare:ident $signs:ident $blend:ident,
        $splat:ident $set:ident($($bit:literal),*) $and:ident $equal:ident $shift:ident $add:ident,
        $to_integer:ident $to_float:ident $xor:ident
    ) => {
        impl $name {
            #[inline(always)]
            fn compare<const OP: i32>(self, other: Self) -> Mask {
                // SAFETY: features
                Mask::from_bits(unsafe { $signs($compare::<OP>(self.0, other.0)) } as u8)
            }

            #[inline(always)]
            fn choose(mask: Mask, a: Self, b: Self) -> Self {
                // SAFETY: features
                $name(unsafe {
                    let bits = $set($($bit),*);
                    let lanes = $equal($and($splat(i64::from(mask.bits())), bits), bits);
                    $blend(b.0, a.0, $to_float(lanes))
                })
            }
        }

        impl Quadrant for $name {
            #[inline(always)]
            fn turn(shifted: Self, sin: Self, cos: Self) -> (Self, Self) {
                // SAFETY: features
                unsafe {
                    let quadrant = $to_integer(shifted.0);
                    let odd = $to_float($shift::<63>(quadrant));
                    let (s, c) = ($blend(sin.0, cos.0, odd), $blend(cos.0, sin.0, odd));
                    let next = $add(quadrant, $splat(1));
                    let sin_sign = $to_float($shift::<62>($and(quadrant, $splat(2))));
                    let cos_sign = $to_float($shift::<62>($and(next, $splat(2))));
                    ($name($xor(s, sin_sign)), $name($xor(c, cos_sign)))
                }
            }
        }
    };
}

register!(
    /// Four numbers in a 256-bit register.
    F64x4(__m256d), 4 lanes, Avx2Fma,
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd,
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd
    _mm256_fmadd_pd _mm256_sqrt_pd _mm256_max_pd _mm256_min_pd,
    _mm256_andnot_pd _mm256_xor_pd
);
signs_as_masks!(
    F64x4, _mm256_cmp_pd _mm256_movemask_pd _mm256_blendv_pd,
    _mm256_set1_epi64x _mm256_set_epi64x(8, 4, 2, 1) _mm256_and_si256 _mm256_cmpeq_epi64
    _mm256_slli_epi64 _mm256_add_epi64,
    _mm256_castpd_si256 _mm256_castsi256_pd _mm256_xor_pd
);

register!(
    /// Eight numbers in a 512-bit register.
    F64x8(__m512d), 8 lanes, Avx512,
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd,
    _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd
    _mm512_fmadd_pd _mm512_sqrt_pd _mm512_max_pd _mm512_min_pd,
    _mm512_andnot_pd _mm512_xor_pd
);

impl F64x8 {
    #[inline(always)]
    fn compare<const OP: i32>(self, other: Self) -> Mask {
        // SAFETY: features
        Mask::from_bits(unsafe { _mm512_cmp_pd_mask::<OP>(self.0, other.0) })
    }

    #[inline(always)]
    fn choose(mask: Mask, a: Self, b: Self) -> Self {
        // SAFETY: features
        F64x8(unsafe { _mm512_mask_blend_pd(mask.bits(), b.0, a.0) })
    }
}

impl Quadrant for F64x8 {
    #[inline(always)]
    fn turn(shifted: Self, sin: Self, cos: Self) -> (Self, Self) {
        // SAFETY: features
        unsafe {
            let quadrant = _mm512_castpd_si512(shifted.0);
            let odd = _mm512_test_epi64_mask(quadrant, _mm512_set1_epi64(1));
            let s = _mm512_mask_blend_pd(odd, sin.0, cos.0);
            let c = _mm512_mask_blend_pd(odd, cos.0, sin.0);
            let next = _mm512_add_epi64(quadrant, _mm512_set1_epi64(1));
            let two = _mm512_set1_epi64(2);
            let sin_sign = _mm512_slli_epi64::<62>(_mm512_and_si512(quadrant, two));
            let cos_sign = _mm512_slli_epi64::<62>(_mm512_and_si512(next, two));
            (
                F64x8(_mm512_xor_pd(s, _mm512_castsi512_pd(sin_sign))),
                F64x8(_mm512_xor_pd(c, _mm512_castsi512_pd(cos_sign))),
            )
        }
    }
}
