//! Time functions: values, derivatives, breaks.

use pommel_model::{Interpolation, TimeFunction};

fn functions() -> Vec<TimeFunction> {
    let (times, values) = (vec![0.0, 0.7, 1.5, 2.0, 3.5], vec![1.0, -0.5, 0.25, 2.0, 1.0]);
    vec![
        TimeFunction::from(2.5),
        TimeFunction::Sine { offset: 0.3, amplitude: 1.2, angular_frequency: 2.1, phase: 0.4 },
        TimeFunction::Polynomial { coefficients: vec![1.0, -2.0, 0.5, 0.25] },
        TimeFunction::Ramp { from: -1.0, to: 2.0, start: 0.55, end: 2.85 },
        TimeFunction::Table {
            times: times.clone(),
            values: values.clone(),
            interpolation: Interpolation::Linear,
        },
        TimeFunction::Table { times, values, interpolation: Interpolation::Cubic },
    ]
}

#[test]
fn derivatives_agree_with_central_differences_between_breaks() {
    let h = 1e-4;
    for function in functions() {
        for step in -5..45 {
            let t = 0.1 * f64::from(step) + 0.03;
            if function.breakpoints().iter().any(|at| (at - t).abs() < 2.0 * h) {
                continue;
            }
            let rate = (function.value(t + h) - function.value(t - h)) / (2.0 * h);
            let acceleration = (function.rate(t + h) - function.rate(t - h)) / (2.0 * h);
            // h²/6 times a third derivative of up to 20, and rounding of 1e-16/h
            assert!((function.rate(t) - rate).abs() < 1e-7, "{function:?} {t}");
            assert!((function.acceleration(t) - acceleration).abs() < 1e-6, "{function:?} {t}");
        }
    }
}

#[test]
fn a_sine_is_what_its_formula_says() {
    let f = TimeFunction::Sine { offset: 0.5, amplitude: 2.0, angular_frequency: 3.0, phase: 0.25 };
    let t: f64 = 0.8;
    let argument = 3.0 * t + 0.25;
    assert_eq!(f.value(t), 0.5 + 2.0 * argument.sin());
    assert_eq!(f.rate(t), 6.0 * argument.cos());
    assert_eq!(f.acceleration(t), -18.0 * argument.sin());
}

#[test]
fn ramps_and_tables_are_constant_outside() {
    for function in functions().into_iter().skip(3) {
        let breaks = function.breakpoints();
        let (first, last) = (breaks[0], breaks[breaks.len() - 1]);
        assert_eq!(function.derivatives(first - 1.0), [function.value(first), 0.0, 0.0]);
        assert_eq!(function.derivatives(last + 1.0), [function.value(last), 0.0, 0.0]);
    }
}

#[test]
fn tables_pass_through_their_entries() {
    for function in functions() {
        if let TimeFunction::Table { times, values, .. } = &function {
            for (time, value) in times.iter().zip(values) {
                assert_eq!(function.value(*time), *value);
            }
        }
    }
}

#[test]
fn a_cubic_table_reproduces_a_parabola() {
    let parabola = |t: f64| 1.0 - 2.0 * t + 3.0 * t * t;
    let times = vec![0.0, 0.5, 1.25, 2.0];
    let values = times.iter().copied().map(parabola).collect();
    let table = TimeFunction::Table { times, values, interpolation: Interpolation::Cubic };
    for step in 0..20 {
        let t = 0.1 * f64::from(step);
        // 64: two divided differences of values up to 9 over intervals of a half
        assert!((table.value(t) - parabola(t)).abs() < 64.0 * f64::EPSILON * 9.0, "{t}");
        assert!((table.rate(t) - (6.0 * t - 2.0)).abs() < 256.0 * f64::EPSILON * 10.0, "{t}");
    }
}

#[test]
fn a_time_given_twice_is_a_jump() {
    for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
        let pull = TimeFunction::Table {
            times: vec![0.0, 4.0, 4.0, 5.0],
            values: vec![0.0, 80.0, 0.0, 0.0],
            interpolation,
        };
        assert_eq!(pull.value(2.0), 40.0);
        assert_eq!(pull.value(4.0), 0.0);
        assert!(pull.value(4.0 - 1e-9) > 79.0);
        assert_eq!(pull.breakpoints(), [0.0, 4.0, 5.0]);
    }
}

#[test]
fn a_table_of_one_entry_is_a_constant() {
    let f = TimeFunction::Table {
        times: vec![1.0],
        values: vec![3.0],
        interpolation: Interpolation::Cubic,
    };
    for t in [0.0, 1.0, 2.0] {
        assert_eq!(f.derivatives(t), [3.0, 0.0, 0.0]);
    }
}
