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

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
const C1: f64 = std::f64::consts::FRAC_PI_2;
const C2: f64 = 6.123_233_995_736_766e-17;
const C3: f64 = -1.497_384_904_859_169_8e-33;

/// Adding and subtracting 1.5 · 2⁵² rounds to an integer, whose low bits are then the quadrant.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The largest argument of the fast path.
pub(super) const LIMIT: f64 = 1_048_576.0;

const S: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
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

/// Sine and cosine for `|x| ≤ LIMIT`; anything for other arguments.
#[inline(always)]
pub(super) fn sin_cos_reduced(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(TWO_OVER_PI, ROUNDER);
    let k = shifted - ROUNDER;
    let quadrant = shifted.to_bits();

    // x − k π/2 as r + tail
    let head = (-k).mul_add(C1, x);
    let r = (-k).mul_add(C2, head);
    let tail = (-k).mul_add(C3, (-k).mul_add(C2, head - r));

    let z = r * r;
    // sin(r + tail) = r + tail − z (tail/2 − r z p) + r z S0
    let p = z.mul_add(z.mul_add(z.mul_add(z.mul_add(S[5], S[4]), S[3]), S[2]), S[1]);
    let zr = z * r;
    let s_low = (-zr).mul_add(p, 0.5 * tail);
    let s = r - ((-zr).mul_add(S[0], z.mul_add(s_low, -tail)));
    // cos(r + tail) = 1 − z/2 + (z² q − r tail)
    let q =
        z.mul_add(z.mul_add(z.mul_add(z.mul_add(z.mul_add(C[5], C[4]), C[3]), C[2]), C[1]), C[0]);
    let half = 0.5 * z;
    let w = 1.0 - half;
    let c = w + ((1.0 - w) - half + (z * z).mul_add(q, -(r * tail)));

    let odd = quadrant & 1 == 1;
    let (s, c) = (if odd { c } else { s }, if odd { s } else { c });
    let sin_sign = (quadrant & 2) << 62;
    let cos_sign = (quadrant.wrapping_add(1) & 2) << 62;
    (f64::from_bits(s.to_bits() ^ sin_sign), f64::from_bits(c.to_bits() ^ cos_sign))
}

/// Sine and cosine of any argument, without a fast path.
#[cold]
#[inline(never)]
pub(super) fn sin_cos_any(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Sine and cosine of one number.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= LIMIT { sin_cos_reduced(x) } else { sin_cos_any(x) }
}
