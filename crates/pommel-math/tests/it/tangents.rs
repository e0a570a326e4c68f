//! Derivatives over other scalars.

use pommel_math::{Dual, Jet, Lanes, Real, Tangent};
use pommel_testkit::Rng;

use crate::scalars::formula;

#[test]
fn over_an_f64_it_is_a_dual_number_to_the_bit() {
    let mut rng = Rng::new(21);
    for _ in 0..2_000 {
        let (x, y) = (rng.symmetric(2.0), rng.symmetric(2.0));
        let dual = formula(Dual::<2>::variable(x, 0), Dual::variable(y, 1));
        let tangent = formula(Tangent::<f64, 2>::variable(x, 0), Tangent::variable(y, 1));
        assert_eq!(tangent.value().to_bits(), dual.value().to_bits());
        for k in 0..2 {
            assert_eq!(tangent.derivative(k).to_bits(), dual.derivative(k).to_bits());
        }
    }
}

#[test]
fn a_lane_is_one_instance_to_the_bit() {
    let mut rng = Rng::new(22);
    for _ in 0..500 {
        let x: [f64; 4] = std::array::from_fn(|_| rng.symmetric(3.0));
        let y: [f64; 4] = std::array::from_fn(|_| rng.symmetric(3.0));
        let all = formula(Tangent::<_, 1>::variable(Lanes(x), 0), Tangent::constant(Lanes(y)));
        for i in 0..4 {
            let one = formula(Tangent::<f64, 1>::variable(x[i], 0), Tangent::constant(y[i]));
            assert_eq!(all.value().0[i].to_bits(), one.value().to_bits());
            assert_eq!(all.derivative(0).0[i].to_bits(), one.derivative(0).to_bits());
        }
    }
}

/// Taylor coefficients of `f(x + s, y)` in s, differentiated by s, are those of one order more.
#[test]
fn derivatives_of_series_are_the_series_shifted() {
    let mut rng = Rng::new(23);
    for _ in 0..2_000 {
        let (x, y) = (rng.symmetric(2.0), rng.symmetric(2.0));
        let series = formula(Jet::<4>::variable(x), Jet::constant(y));
        let along = |k| {
            let moved = Tangent::<Jet<3>, 2>::new(Jet::variable(x), [Jet::zero(), Jet::one()]);
            formula(moved, Tangent::constant(Jet::constant(y))).derivative(k)
        };
        let (fixed, moved) = (along(0), along(1));
        // a coefficient is a sum of products of those of the functions inside, which reach 1e4 here
        let size = (0..=4).map(|k| series.coefficient(k).abs()).fold(1.0, f64::max);
        for k in 0..=3 {
            let expected = (k + 1) as f64 * series.coefficient(k + 1);
            let error = (moved.coefficient(k) - expected).abs();
            assert!(error <= 1e4 * f64::EPSILON * size, "{x} {y} {k}: {error:e} of {expected:e}");
            assert_eq!(fixed.coefficient(k), 0.0);
        }
    }
}

#[test]
fn nested_it_gives_second_derivatives() {
    let mut rng = Rng::new(24);
    for _ in 0..2_000 {
        let (x, y) = (rng.symmetric(2.0), rng.symmetric(2.0));
        let inner = Tangent::<f64, 1>::variable(x, 0);
        let nested =
            formula(Tangent::<_, 1>::variable(inner, 0), Tangent::constant(Tangent::constant(y)));
        let jet = formula(Jet::<2>::variable(x), Jet::constant(y));
        let second = nested.derivative(0).derivative(0);
        let size = jet.derivative(2).abs().max(jet.derivative(1).abs()).max(1.0);
        assert!((second - jet.derivative(2)).abs() <= 1e4 * f64::EPSILON * size, "{x} {y}");
    }
}

#[test]
fn constants_and_what_is_not_finite_are_told() {
    let x = Tangent::<f64, 2>::constant(3.0);
    assert!(x.is_constant() && x.is_finite().lane(0));
    assert!(!Tangent::<f64, 2>::variable(3.0, 1).is_constant());
    assert!(!Tangent::<Jet<1>, 1>::constant(Jet::variable(1.0)).is_constant());
    let nan = Tangent::<f64, 2>::new(1.0, [0.0, f64::NAN]);
    assert!(!nan.is_finite().lane(0));
    assert!(!Tangent::<f64, 1>::variable(0.0, 0).sqrt().is_finite().lane(0));
}
