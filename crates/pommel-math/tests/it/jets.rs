//! Taylor series are those of the functions.

use pommel_math::{Dual, Jet, Real};
use pommel_testkit::Rng;

use crate::scalars::formula;

const EPSILON: f64 = f64::EPSILON;

fn coefficients<const K: usize>(jet: Jet<K>) -> Vec<f64> {
    (0..=K).map(|k| jet.coefficient(k)).collect()
}

/// Each to `ulps` units of the larger of itself and 1.
fn assert_near(found: &[f64], expected: &[f64], ulps: f64) {
    assert_eq!(found.len(), expected.len());
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {
        let limit = ulps * EPSILON * y.abs().max(1.0);
        assert!((x - y).abs() <= limit, "coefficient {k}: {found:?} against {expected:?}");
    }
}

#[test]
fn polynomials_with_integer_coefficients_are_exact() {
    let t = Jet::<4>::variable(3.0);
    let one = Jet::one();
    assert_eq!(coefficients(t * t * t), [27.0, 27.0, 9.0, 1.0, 0.0]);
    assert_eq!(coefficients(t.mul_add(t, -t)), [6.0, 5.0, 1.0, 0.0, 0.0]);
    // (t² − 1) / (t − 1) = t + 1 = √((t + 1)²)
    assert_eq!(coefficients((t * t - one) / (t - one)), [4.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(coefficients(((t + one) * (t + one)).sqrt()), [4.0, 1.0, 0.0, 0.0, 0.0]);
    let quartic = t * t * t * t;
    let derivatives: Vec<f64> = (0..=4).map(|k| quartic.derivative(k)).collect();
    assert_eq!(derivatives, [81.0, 108.0, 108.0, 72.0, 24.0]);
}

#[test]
fn series_of_elementary_functions_are_those_of_the_books() {
    let t = Jet::<6>::variable(0.0);
    let one = Jet::<6>::one();
    assert_eq!(coefficients((one - t).recip()), [1.0; 7]);
    let factorial = |k: usize| (1..=k).product::<usize>() as f64;
    let exponential: Vec<f64> = (0..=6).map(|k| 1.0 / factorial(k)).collect();
    assert_near(&coefficients(t.exp()), &exponential, 2.0);
    let (sine, cosine) = t.sin_cos();
    let signs = [1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0];
    let part = |odd: usize| -> Vec<f64> {
        (0..=6).map(|k| if k % 2 == odd { signs[k] / factorial(k) } else { 0.0 }).collect()
    };
    assert_near(&coefficients(sine), &part(1), 2.0);
    assert_near(&coefficients(cosine), &part(0), 2.0);
    let logarithm = [0.0, 1.0, -1.0 / 2.0, 1.0 / 3.0, -1.0 / 4.0, 1.0 / 5.0, -1.0 / 6.0];
    assert_near(&coefficients((one + t).ln()), &logarithm, 4.0);
    let tangent = [0.0, 1.0, 0.0, -1.0 / 3.0, 0.0, 1.0 / 5.0, 0.0];
    assert_near(&coefficients(t.atan2(one)), &tangent, 4.0);
    let root = [1.0, 1.0 / 2.0, -1.0 / 8.0, 1.0 / 16.0, -5.0 / 128.0, 7.0 / 256.0, -21.0 / 1024.0];
    assert_near(&coefficients((one + t).sqrt()), &root, 4.0);
}

/// Third derivatives of compositions, worked out by hand.
#[test]
fn derivatives_of_compositions_have_their_closed_forms() {
    let derivatives = |jet: Jet<3>| [0, 1, 2, 3].map(|k| jet.derivative(k));
    let one = Jet::<3>::one();
    let mut rng = Rng::new(31);
    for _ in 0..1_000 {
        let x = rng.symmetric(2.0);
        let t = Jet::<3>::variable(x);
        let (s, c) = x.sin_cos();
        let e = s.exp();
        // a few roundings a coefficient, amplified by numbers of at most 25 that cancel
        let ulps = 64.0;
        let expected = [e, c * e, (c * c - s) * e, c * (c * c - 3.0 * s - 1.0) * e];
        assert_near(&derivatives(t.sin_cos().0.exp()), &expected, ulps);

        let w = 1.0 + x * x;
        let expected = [
            w.ln(),
            2.0 * x / w,
            2.0 * (1.0 - x * x) / (w * w),
            4.0 * x * (x * x - 3.0) / (w * w * w),
        ];
        assert_near(&derivatives((one + t * t).ln()), &expected, ulps);

        let r = w.sqrt();
        let expected = [r, x / r, 1.0 / (r * w), -3.0 * x / (r * w * w)];
        assert_near(&derivatives((one + t * t).sqrt()), &expected, ulps);

        // the angle of a point that runs around a circle is the angle, wherever the cut is
        let angle = t * t;
        let (s, c) = angle.sin_cos();
        let seen = derivatives(s.atan2(c));
        // zero is what remains of (2 x)³, twice
        let scale = 1.0 + 8.0 * x.abs().powi(3);
        assert_near(&seen[1..], &[2.0 * x, 2.0, 0.0], 16.0 * scale);

        let expected = [x / w, (1.0 - x * x) / (w * w), 2.0 * x * (x * x - 3.0) / (w * w * w)];
        assert_near(&derivatives(t / (one + t * t))[..3], &expected, ulps);
    }
}

#[test]
fn value_is_that_of_f64_and_first_derivative_that_of_dual_to_the_bit() {
    let mut rng = Rng::new(32);
    for _ in 0..5_000 {
        let [x, y, dx, dy]: [f64; 4] = std::array::from_fn(|_| rng.symmetric(3.0));
        let number = formula(x, y);
        let dual = formula(Dual::<1>::new(x, [dx]), Dual::new(y, [dy]));
        let jet = formula(Jet::<3>::new(x, [dx, 0.5, -0.25]), Jet::new(y, [dy, -0.125, 2.0]));
        assert_eq!(jet.value().to_bits(), number.to_bits());
        assert_eq!(jet.derivative(1).to_bits(), dual.derivative(0).to_bits());
        let single = formula(Jet::<1>::new(x, [dx]), Jet::new(y, [dy]));
        assert_eq!(single.derivative(1).to_bits(), dual.derivative(0).to_bits());
        assert_eq!(formula(Jet::<0>::variable(x), Jet::variable(y)).value(), number);
        // cut series are the beginnings of longer ones
        let short = formula(Jet::<2>::new(x, [dx, 0.5]), Jet::new(y, [dy, -0.125]));
        assert_eq!(short.coefficient(2).to_bits(), jet.coefficient(2).to_bits());
    }
}

#[test]
fn second_derivative_is_the_difference_of_first_ones() {
    let mut rng = Rng::new(33);
    let mut tried = 0;
    while tried < 1_000 {
        let [x, y, dx, dy]: [f64; 4] = std::array::from_fn(|_| rng.symmetric(2.0));
        // the formula jumps at x = y, and has corners
        if (x - y).abs() < 0.01 || x.abs() < 0.01 || y.abs() < 0.01 {
            continue;
        }
        let dual = |t: f64| {
            formula(Dual::<1>::new(x + t * dx, [dx]), Dual::new(y + t * dy, [dy])).derivative(0)
        };
        let h = 1e-5;
        let slopes = [dual(-h), dual(0.0), dual(h)];
        if (slopes[0] - 2.0 * slopes[1] + slopes[2]).abs() > 1e-5 * (1.0 + slopes[1].abs()) {
            continue; // a corner of |·| or of min within the difference
        }
        tried += 1;
        let jet = formula(Jet::<2>::new(x, [dx, 0.0]), Jet::new(y, [dy, 0.0])).derivative(2);
        let difference = (slopes[2] - slopes[0]) / (2.0 * h);
        // rounding over h, and h² times a fourth derivative of up to a few thousand
        let limit = 1e-5 * (1.0 + jet.abs() + slopes[1].abs());
        assert!((jet - difference).abs() < limit, "{x} {y} {dx} {dy}: {jet} {difference}");
    }
}

/// As with dual numbers: the value stands, derivatives that do not exist are not finite.
#[test]
fn singular_points_show_in_the_derivatives_only() {
    let zero = Jet::<2>::variable(0.0);
    let one = Jet::<2>::one();
    let root = zero.sqrt();
    assert_eq!((root.value(), root.derivative(1)), (0.0, f64::INFINITY));
    assert!(root.derivative(2).is_nan() || root.derivative(2) == f64::NEG_INFINITY);
    assert!(Jet::<2>::zero().sqrt().derivative(1).is_nan());
    assert!((-one).sqrt().value().is_nan());
    let logarithm = zero.ln();
    assert_eq!(logarithm.value(), f64::NEG_INFINITY);
    assert_eq!(logarithm.derivative(1), f64::INFINITY);
    assert_eq!((one / zero).value(), f64::INFINITY);
    let angle = zero.atan2(Jet::zero());
    assert!(angle.value() == 0.0 && angle.derivative(1).is_nan());
    for jet in [root, logarithm, one / zero, angle] {
        assert!(jet.is_finite().is_none());
    }
    assert!(one.is_finite().any() && zero.is_finite().any());
    // |·| has the side of its argument, and no negative zero
    assert_eq!(coefficients(zero.abs()), [0.0, 1.0, 0.0]);
    assert_eq!(coefficients((-zero - one).abs()), [1.0, 1.0, 0.0]);
    assert!(Jet::<1>::constant(-0.0).abs().value().is_sign_positive());
}

#[test]
fn comparisons_look_at_the_value() {
    let (a, b) = (Jet::<1>::new(1.0, [5.0]), Jet::<1>::new(1.0, [-5.0]));
    assert!(a.lt(b).is_none() && a.le(b).any() && b.le(a).any());
    assert_eq!(Jet::select(a.lt(b), a, b), b);
    assert_eq!(Jet::select(a.le(b), a, b), a);
    assert!(!a.is_constant() && Jet::<3>::constant(2.0).is_constant());
    assert_eq!(a.lane(0), 1.0);
}

#[test]
fn derivatives_go_in_and_come_out() {
    let jet = Jet::from_derivatives(0.1, [0.7, -0.3, 6.0, 24.0]);
    assert_eq!(coefficients(jet), [0.1, 0.7, -0.15, 1.0, 1.0]);
    assert_eq!([0, 1, 2, 3, 4].map(|k| jet.derivative(k)), [0.1, 0.7, -0.3, 6.0, 24.0]);
    assert_eq!(Jet::<0>::variable(0.5), Jet::constant(0.5));
}
