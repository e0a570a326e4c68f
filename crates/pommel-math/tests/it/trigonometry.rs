//! Sine and cosine against the correctly rounded-to-an-ulp `libm`.

use pommel_math::{Lanes, Real};
use pommel_testkit::Rng;

fn ulps(got: f64, truth: f64) -> f64 {
    let spacing = (truth.abs().max(1e-300) * f64::EPSILON).max(f64::MIN_POSITIVE);
    (got - truth).abs() / spacing
}

/// Both err by less than one unit in the last place, so they differ by at most two (in units of
/// ε · |value|, a unit being between half and one of these).
#[test]
fn sine_and_cosine_agree_with_libm() {
    let mut rng = Rng::new(1);
    for range in [1e-8, 0.1, 0.8, 3.2, 100.0, 1e4, 1e6, 1e9, 1e300] {
        for _ in 0..20_000 {
            let x = rng.symmetric(range);
            let (s, c) = Real::sin_cos(x);
            let (ts, tc) = libm::sincos(x);
            let worst = ulps(s, ts).max(ulps(c, tc));
            assert!(worst <= 1.0, "x = {x:e}: {s:e} {ts:e}, {c:e} {tc:e}: {worst}");
        }
    }
}

/// The hard arguments: doubles next to multiples of π/2, where the reduction cancels.
#[test]
fn multiples_of_half_pi_are_reduced_exactly() {
    for k in -200_000i32..200_000 {
        let x = f64::from(k) * std::f64::consts::FRAC_PI_2;
        for x in [x, x.next_up(), x.next_down()] {
            let (s, c) = Real::sin_cos(x);
            let (ts, tc) = libm::sincos(x);
            assert!((s - ts).abs() <= f64::EPSILON * ts.abs().max(1e-10), "{x:e} {s:e} {ts:e}");
            assert!((c - tc).abs() <= f64::EPSILON * tc.abs().max(1e-10), "{x:e} {c:e} {tc:e}");
        }
    }
}

#[test]
fn special_arguments() {
    assert_eq!(Real::sin_cos(0.0), (0.0, 1.0));
    assert!(Real::sin_cos(-0.0_f64).0.is_sign_negative());
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (s, c) = Real::sin_cos(x);
        assert!(s.is_nan() && c.is_nan());
    }
}

/// One huge or infinite lane does not change the bits of its neighbours.
#[test]
fn lanes_have_the_bits_of_single_numbers() {
    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let mut x: [f64; 8] = std::array::from_fn(|_| rng.symmetric(50.0));
        match rng.below(6) {
            0 => x[3] = 1e12,
            1 => x[5] = f64::NAN,
            2 => x[0] = f64::INFINITY,
            _ => {}
        }
        let (s, c) = Lanes(x).sin_cos();
        for i in 0..8 {
            let (ts, tc) = Real::sin_cos(x[i]);
            assert_eq!((s.0[i].to_bits(), c.0[i].to_bits()), (ts.to_bits(), tc.to_bits()));
        }
    }
}
