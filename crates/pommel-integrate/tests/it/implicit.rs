//! Implicit methods: orders, stiffness, tolerances, dense output, failures.

use std::convert::Infallible;

use pommel_integrate::{
    Adaptive, Cause, Control, ImplicitMethod, ImplicitOptions, ImplicitParts, ImplicitTableau,
    IntegrateError, Step, StiffSystem, System, TableauError, from_fn, integrate_implicit,
    try_from_fn,
};

use crate::problems::{ExponentialOfCircle, distance, slope};

impl StiffSystem for ExponentialOfCircle {}

fn fixed(method: ImplicitMethod, h: f64) -> ImplicitOptions {
    ImplicitOptions::fixed(method.tableau(), h)
}

fn adaptive(method: ImplicitMethod, tolerance: f64) -> ImplicitOptions {
    ImplicitOptions::adaptive(method.tableau(), Adaptive::new(tolerance, tolerance))
        .max_steps(10_000_000)
}

#[test]
fn every_implicit_method_converges_with_its_order() {
    for method in ImplicitMethod::ALL {
        let tableau = method.tableau();
        let steps = match tableau.order() {
            1 => [1024, 2048, 4096, 8192],
            2 => [128, 256, 512, 1024],
            3 => [64, 128, 256, 512],
            4 => [32, 64, 128, 256],
            _ => [24, 32, 48, 64],
        };
        let sizes = steps.map(|steps| 1.0 / f64::from(steps));
        let errors = sizes.map(|h| {
            let mut y = ExponentialOfCircle::exact(1.0);
            let system = &mut ExponentialOfCircle;
            integrate_implicit(system, 1.0, 2.0, &mut y, &fixed(method, h), &mut ()).unwrap();
            distance(&y, &ExponentialOfCircle::exact(2.0))
        });
        let measured = slope(&sizes, &errors);
        let order = tableau.order() as f64;
        assert!((measured - order).abs() < 0.1, "{}: {measured}, {errors:?}", method.name());
    }
}

/// The continuous solution of s stages has order s, or less where stages are worse; its error in a step is
/// one power more.
#[test]
fn steps_are_interpolated_to_the_order_of_their_stages() {
    for (method, order) in [
        (ImplicitMethod::Euler, 1.0),
        (ImplicitMethod::Midpoint, 1.0),
        (ImplicitMethod::Radau3, 2.0),
        (ImplicitMethod::Gauss4, 2.0),
        (ImplicitMethod::Radau5, 3.0),
        (ImplicitMethod::Gauss6, 3.0),
    ] {
        let sizes = [0.02, 0.01, 0.005, 0.0025];
        let errors = sizes.map(|h| {
            let mut worst = 0.0_f64;
            let mut look = |step: &Step<'_, f64>| {
                for part in [0.2, 0.4, 0.7] {
                    let t = 0.5 + part * h;
                    let mut inside = [0.0; 2];
                    step.interpolate(t, &mut inside);
                    worst = worst.max(distance(&inside, &ExponentialOfCircle::exact(t)));
                }
                Control::Continue
            };
            let mut y = ExponentialOfCircle::exact(0.5);
            let system = &mut ExponentialOfCircle;
            integrate_implicit(system, 0.5, 0.5 + h, &mut y, &fixed(method, h), &mut look).unwrap();
            worst
        });
        let measured = slope(&sizes, &errors);
        assert!((measured - order - 1.0).abs() < 0.15, "{}: {measured}", method.name());
    }
}

/// Errors fall with the tolerance as their orders say, forward and backward.
#[test]
fn every_implicit_method_responds_to_its_tolerance() {
    for method in ImplicitMethod::ALL {
        let digits: &[i32] = match method.tableau().stages() {
            1 => &[2, 3, 4, 5],
            2 => &[4, 5, 6, 7, 8],
            _ => &[3, 4, 5, 6, 7, 8, 9, 10],
        };
        let name = method.name();
        for [t0, t1] in [[0.0, 1.5], [1.5, 0.0]] {
            let mut errors = Vec::new();
            for digits in digits {
                let tolerance = 10_f64.powi(-digits);
                let mut y = ExponentialOfCircle::exact(t0);
                let (system, options) = (&mut ExponentialOfCircle, adaptive(method, tolerance));
                let outcome =
                    integrate_implicit(system, t0, t1, &mut y, &options, &mut ()).unwrap();
                assert_eq!(outcome.t, t1);
                let error = distance(&y, &ExponentialOfCircle::exact(t1));
                errors.push(error);
            }
            assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{name}: {errors:?}");
            // errors go as h^order, tolerances as h^(estimate + 1)
            let tableau = method.tableau();
            let expected = tableau.order() as f64 / (tableau.estimate_order() + 1) as f64;
            let tolerances: Vec<f64> = digits.iter().map(|d| 10_f64.powi(-d)).collect();
            let measured = slope(&tolerances, &errors);
            // the tightest meet rounding
            assert!(measured > expected - 0.3, "{name}: {measured}, not {expected}");
            for (error, tolerance) in errors.iter().zip(&tolerances) {
                assert!(*error < 30.0 * tolerance.powf(expected.min(1.0)), "{name}: {errors:?}");
            }
        }
    }
}

/// Van der Pol's oscillator, `ε y'' = (1 − y²) y' − y`.
struct VanDerPol {
    epsilon: f64,
    exact: bool,
}

impl System<f64> for VanDerPol {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2
    }
    fn rhs(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / self.epsilon;
        Ok(())
    }
}

impl StiffSystem for VanDerPol {
    fn jacobian(&mut self, _: f64, y: &[f64], jacobian: &mut [f64]) -> Result<bool, Infallible> {
        if self.exact {
            let e = self.epsilon;
            let entries = [0.0, 1.0, (-2.0 * y[0] * y[1] - 1.0) / e, (1.0 - y[0] * y[0]) / e];
            jacobian.copy_from_slice(&entries);
        }
        Ok(self.exact)
    }
}

/// The published end of the test set for stiff solvers [HW96, section IV.10]: ε = 1e-6, t = 2.
#[test]
fn van_der_pols_oscillator_ends_where_it_is_published_to() {
    let published = [1.706_167_732_170_483, -0.892_809_701_024_797_5];
    for method in [ImplicitMethod::Radau3, ImplicitMethod::Radau5, ImplicitMethod::Sdirk2] {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let mut counts = Vec::new();
            for exact in [true, false] {
                let mut y = [2.0, 0.0];
                let mut system = VanDerPol { epsilon: 1e-6, exact };
                let options = adaptive(method, tolerance);
                let outcome =
                    integrate_implicit(&mut system, 0.0, 2.0, &mut y, &options, &mut ()).unwrap();
                let error = distance(&y, &published);
                let name = method.name();
                assert!(error < 30.0 * tolerance, "{name}: {error:e} at {tolerance:e}");
                counts.push(outcome.statistics(0));
            }
            // factors serve for several steps, and derivatives for more
            let counts = counts[0];
            assert!(counts.jacobians < counts.steps, "{counts:?}");
            assert!(counts.factorizations > 0 && counts.evaluations > counts.steps);
        }
    }
}

/// Steps of the size of the interval over a mode that is gone at once: what L-stability is for, and what
/// Gauss methods do not do.
#[test]
fn fast_modes_die_in_methods_that_are_l_stable() {
    let left = |method: ImplicitMethod| {
        let mut fast = from_fn(1, |_, y: &[f64], dy: &mut [f64]| dy[0] = -1e8 * y[0]);
        let mut y = [1.0];
        integrate_implicit(&mut fast, 0.0, 1.0, &mut y, &fixed(method, 0.25), &mut ()).unwrap();
        y[0].abs()
    };
    for method in [ImplicitMethod::Euler, ImplicitMethod::Radau3, ImplicitMethod::Radau5] {
        assert!(left(method) < 1e-6, "{}", method.name());
    }
    for method in [ImplicitMethod::Midpoint, ImplicitMethod::Gauss4, ImplicitMethod::Gauss6] {
        assert!((left(method) - 1.0).abs() < 1e-3, "{}", method.name());
    }
}

/// Gauss methods keep quadratic invariants to rounding.
#[test]
fn gauss_methods_keep_the_length_of_a_rotating_vector() {
    for method in [ImplicitMethod::Midpoint, ImplicitMethod::Gauss4, ImplicitMethod::Gauss6] {
        let mut turning = from_fn(3, |t: f64, y: &[f64], dy: &mut [f64]| {
            let w = [t.sin(), 1.0, 0.3 * t];
            dy.copy_from_slice(&[
                w[1] * y[2] - w[2] * y[1],
                w[2] * y[0] - w[0] * y[2],
                w[0] * y[1] - w[1] * y[0],
            ]);
        });
        let mut y = [1.0, 0.0, 0.0];
        let options = fixed(method, 0.05);
        integrate_implicit(&mut turning, 0.0, 20.0, &mut y, &options, &mut ()).unwrap();
        assert!((distance(&y, &[0.0; 3]) - 1.0).abs() < 1e-11, "{}", method.name());
    }
}

#[test]
fn radau5_has_order_5_and_no_more() {
    let tableau = ImplicitMethod::Radau5.tableau();
    assert!(tableau.is_stiffly_accurate());
    assert_eq!((tableau.stages(), tableau.order(), tableau.estimate_order()), (3, 5, 3));
    let again = ImplicitTableau::new(ImplicitParts {
        name: "again".into(),
        a: (0..3).map(|i| (0..3).map(|j| tableau.a(i, j)).collect()).collect(),
        b: tableau.b().to_vec(),
        c: tableau.c().to_vec(),
        order: 6,
    });
    assert!(matches!(again, Err(TableauError::OrderCondition { tree, .. }) if tree.order() == 6));
}

#[test]
fn tables_that_cannot_be_used_are_refused() {
    let parts = |a: [[f64; 2]; 2], b: [f64; 2], c: [f64; 2], order| ImplicitParts {
        name: "bad".into(),
        a: a.iter().map(|row| row.to_vec()).collect(),
        b: b.to_vec(),
        c: c.to_vec(),
        order,
    };
    let refused = |parts: ImplicitParts| ImplicitTableau::new(parts).unwrap_err();
    // the trapezoidal rule has an explicit stage
    let trapezoid = parts([[0.0, 0.0], [0.5, 0.5]], [0.5, 0.5], [0.0, 1.0], 2);
    assert_eq!(refused(trapezoid), TableauError::SingularMatrix);
    let twice = parts([[0.5, 0.0], [0.0, 0.5]], [0.5, 0.5], [0.5, 0.5], 2);
    assert_eq!(refused(twice), TableauError::RepeatedNode { first: 0, second: 1 });
    let mistyped = parts([[0.25, -0.04], [0.54, 0.25]], [0.5, 0.5], [0.21, 0.79], 4);
    assert!(matches!(refused(mistyped), TableauError::OrderCondition { .. }));
    // a double eigenvalue, 1/2, with one eigenvector
    let double = parts([[0.75, -0.125], [0.5, 0.25]], [0.5, 0.5], [0.625, 0.75], 1);
    assert_eq!(refused(double), TableauError::Defective);
    let none = parts([[0.25, f64::NAN], [0.5, 0.25]], [0.5, 0.5], [0.25, 0.75], 1);
    assert!(matches!(refused(none), TableauError::NotFinite { .. }));
    let short = ImplicitParts {
        name: "short".into(),
        a: vec![vec![1.0], vec![1.0]],
        b: vec![0.5, 0.5],
        c: vec![0.5, 1.0],
        order: 1,
    };
    assert!(matches!(refused(short), TableauError::Length { expected: 2, found: 1, .. }));
    let nothing = ImplicitParts { name: "none".into(), a: vec![], b: vec![], c: vec![], order: 1 };
    assert_eq!(refused(nothing), TableauError::Empty);
}

#[test]
fn failures_tell_time_and_reason() {
    let options = adaptive(ImplicitMethod::Radau5, 1e-8);
    // y = 1/(1 − t)
    let mut blown = from_fn(1, |_, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
    let error = integrate_implicit(&mut blown, 0.0, 2.0, &mut [1.0], &options, &mut ());
    let IntegrateError::Failed(failure) = error.unwrap_err() else { panic!("no input error") };
    assert!((failure.t - 1.0).abs() < 1e-3, "{failure}");
    let mut broken = try_from_fn(1, |t: f64, _: &[f64], dy: &mut [f64]| {
        dy[0] = 1.0;
        if t > 0.5 { Err("beyond one half") } else { Ok(()) }
    });
    let error = integrate_implicit(&mut broken, 0.0, 2.0, &mut [1.0], &options, &mut ());
    let IntegrateError::Failed(failure) = error.unwrap_err() else { panic!("no input error") };
    assert!(matches!(failure.cause, Cause::Rhs(_)) && (failure.t - 0.5).abs() < 1e-6, "{failure}");
    let mut none = from_fn(1, |t: f64, _: &[f64], dy: &mut [f64]| {
        dy[0] = if t > 0.5 { f64::NAN } else { 1.0 };
    });
    let error = integrate_implicit(&mut none, 0.0, 2.0, &mut [1.0], &options, &mut ());
    let IntegrateError::Failed(failure) = error.unwrap_err() else { panic!("no input error") };
    assert!(matches!(failure.cause, Cause::NonFinite { component: 0, .. }), "{failure}");
    let mut fine = from_fn(1, |_, _: &[f64], dy: &mut [f64]| dy[0] = 1.0);
    for (t0, t1, y) in [(f64::NAN, 1.0, 1.0), (0.0, f64::INFINITY, 1.0), (0.0, 1.0, f64::NAN)] {
        let error = integrate_implicit(&mut fine, t0, t1, &mut [y], &options, &mut ());
        assert!(matches!(error, Err(IntegrateError::Failed(_))));
    }
    let few = adaptive(ImplicitMethod::Radau5, 1e-8).max_steps(3);
    let mut slow = ExponentialOfCircle;
    let mut y = ExponentialOfCircle::exact(0.0);
    let error = integrate_implicit(&mut slow, 0.0, 1.0, &mut y, &few, &mut ()).unwrap_err();
    assert!(error.to_string().contains("limit on steps, 3"), "{error}");
}

/// `x' = y`, `0 = x − sin t`, whose matrix has rank one: y is of index 2.
struct Prescribed {
    determined: bool,
}

impl System<f64> for Prescribed {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        dy[0] = y[1];
        dy[1] = if self.determined { y[0] - t.sin() } else { 0.0 };
        Ok(())
    }
}

impl StiffSystem for Prescribed {
    fn mass(&self, mass: &mut [f64]) -> bool {
        mass[0] = 1.0;
        true
    }
    fn index(&self, component: usize) -> u8 {
        1 + component as u8
    }
}

#[test]
fn algebraic_equations_hold_and_indefinite_ones_are_told() {
    let options = adaptive(ImplicitMethod::Radau5, 1e-8);
    let mut y = [0.0, 1.0];
    let mut system = Prescribed { determined: true };
    integrate_implicit(&mut system, 0.0, 2.0, &mut y, &options, &mut ()).unwrap();
    assert!((y[0] - 2_f64.sin()).abs() < 1e-12 && (y[1] - 2_f64.cos()).abs() < 1e-6, "{y:?}");
    let mut system = Prescribed { determined: false };
    let error = integrate_implicit(&mut system, 0.0, 2.0, &mut [0.0, 1.0], &options, &mut ());
    let IntegrateError::Failed(failure) = error.unwrap_err() else { panic!("no input error") };
    assert!(matches!(failure.cause, Cause::SingularMatrix), "{failure}");
}
