//! Sine and cosine without a branch, the same bits for one number and for a lane.
//!
//! `x = k π/2 + r`, `|r| ≤ π/4`. With π/2 = C1 + C2 + C3 to 160 bits, `x − k C1` is exact in one
//! fused operation (the difference is a multiple of 2⁻⁵³ below 1), and what C2 and C3 take off is
//! carried as a tail. On `[−π/4, π/4]` sine and cosine are the minimax polynomials of fdlibm
//! (Sun Microsystems 1993, `k_sin.c`, `k_cos.c`: degree 13 and 14, error below 2⁻⁵⁸).
//!
//! For `|x| ≤ 2²⁰` the results differ from those of the `libm` crate by at most 2⁻⁵² of the larger of
//! the result and 1e-10 (tests `trigonometry`). Larger arguments, infinities and NaN go to the `libm`
//! crate, lane by lane: about as exact, slower.

use crate::Real;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
const C1: f64 = std::f64::consts::FRAC_PI_2;
const C2: f64 = 6.123_233_995_736_766e-17;
const C3: f64 = -1.497_384_904_859_169_8e-33;

/// Adding and subtracting 1.5 · 2⁵² rounds to an integer, whose low bits are then the quadrant.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The largest argument of the fast path.
const LIMIT: f64 = 1_048_576.0;

const S0: f64 = -1.666_666_666_666_663_2e-1;

/// The factors of z², z³, … beyond.
const S: [f64; 5] = [
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];

const C: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// A scalar whose values near [`ROUNDER`] show the quadrant in their low bits.
pub(super) trait Quadrant: Real {
    /// Sine and cosine of `k π/2 + r` from those of `r`; the low bits of each lane of `shifted` are
    /// those of `k`.
    fn turn(shifted: Self, sin: Self, cos: Self) -> (Self, Self);
}

impl Quadrant for f64 {
    #[inline(always)]
    fn turn(shifted: f64, sin: f64, cos: f64) -> (f64, f64) {
        let quadrant = shifted.to_bits();
        let odd = quadrant & 1 == 1;
        let (sin, cos) = (if odd { cos } else { sin }, if odd { sin } else { cos });
        let sin_sign = (quadrant & 2) << 62;
        let cos_sign = (quadrant.wrapping_add(1) & 2) << 62;
        (f64::from_bits(sin.to_bits() ^ sin_sign), f64::from_bits(cos.to_bits() ^ cos_sign))
    }
}

/// Sine and cosine for `|x| ≤ LIMIT`; anything for other arguments.
#[inline(always)]
pub(super) fn sin_cos_reduced<T: Quadrant>(x: T) -> (T, T) {
    let constant = T::from_f64;
    let shifted = x.mul_add(constant(TWO_OVER_PI), constant(ROUNDER));
    let k = shifted - constant(ROUNDER);

    // x − k π/2 as r + tail
    let head = (-k).mul_add(constant(C1), x);
    let r = (-k).mul_add(constant(C2), head);
    let tail = (-k).mul_add(constant(C3), (-k).mul_add(constant(C2), head - r));

    let z = r * r;
    // sin(r + tail) = r + tail − z (tail/2 − r z p) + r z S0
    let p = polynomial(z, S);
    let zr = z * r;
    let s_low = (-zr).mul_add(p, constant(0.5) * tail);
    let s = r - ((-zr).mul_add(constant(S0), z.mul_add(s_low, -tail)));
    // cos(r + tail) = 1 − z/2 + (z² q − r tail)
    let q = polynomial(z, C);
    let half = constant(0.5) * z;
    let w = T::one() - half;
    let c = w + ((T::one() - w) - half + (z * z).mul_add(q, -(r * tail)));

    T::turn(shifted, s, c)
}

/// `c₀ + c₁ z + c₂ z² + …` by Horner's rule.
#[inline(always)]
fn polynomial<T: Real, const N: usize>(z: T, coefficients: [f64; N]) -> T {
    let mut sum = T::from_f64(coefficients[N - 1]);
    for i in (0..N - 1).rev() {
        sum = z.mul_add(sum, T::from_f64(coefficients[i]));
    }
    sum
}

/// Sine and cosine lane by lane, where some argument leaves the range of the branch-free code.
#[cold]
#[inline(never)]
fn sin_cos_any<T: Quadrant>(x: T) -> (T, T) {
    let (mut sin, mut cos) = ([0.0; 8], [0.0; 8]);
    for i in 0..T::LANES {
        let x = x.lane(i);
        (sin[i], cos[i]) = if x.abs() <= LIMIT { sin_cos_reduced(x) } else { libm::sincos(x) };
    }
    (T::from_lanes(|i| sin[i]), T::from_lanes(|i| cos[i]))
}

/// Sine and cosine of any arguments.
#[inline(always)]
pub(super) fn sin_cos<T: Quadrant>(x: T) -> (T, T) {
    if x.abs().le(T::from_f64(LIMIT)).is_all(T::LANES) {
        sin_cos_reduced(x)
    } else {
        sin_cos_any(x)
    }
}

/// Sines and cosines of a list; several at a time where the processor has wide registers.
#[inline(always)]
pub(super) fn sin_cos_all(angles: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    assert!(angles.len() == sin.len() && angles.len() == cos.len(), "lists of one length");
    let blocked = angles.len() - angles.len() % WIDE;
    for start in (0..blocked).step_by(WIDE) {
        let here = start..start + WIDE;
        block(&angles[here.clone()], &mut sin[here.clone()], &mut cos[here]);
    }
    // the rest is a block with zeros behind it, unless it is next to nothing
    let rest = &angles[blocked..];
    if rest.len() > 1 {
        let mut padded = [[0.0; WIDE]; 3];
        let [x, s, c] = &mut padded;
        x[..rest.len()].copy_from_slice(rest);
        block(x, s, c);
        sin[blocked..].copy_from_slice(&s[..rest.len()]);
        cos[blocked..].copy_from_slice(&c[..rest.len()]);
    } else if let [x] = rest {
        (sin[blocked], cos[blocked]) = sin_cos(*x);
    }
}

/// Numbers that are taken at a time.
pub(super) const WIDE: usize = 8;

/// [`WIDE`] of them.
#[inline(always)]
fn block(x: &[f64], s: &mut [f64], c: &mut [f64]) {
    let (x, s, c) = (&x[..WIDE], &mut s[..WIDE], &mut c[..WIDE]);
    for i in 0..WIDE {
        (s[i], c[i]) = sin_cos_reduced(x[i]);
    }
    if !x.iter().all(|x| x.abs() <= LIMIT) {
        for i in 0..WIDE {
            (s[i], c[i]) = sin_cos(x[i]);
        }
    }
}
