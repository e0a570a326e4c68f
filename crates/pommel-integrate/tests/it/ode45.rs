//! `Controller::Ode45` takes the steps of MATLAB's `ode45`.
//!
//! The numbers come from an independent program, a step-by-step emulation of `ode45` in Python with
//! NumPy (its stages are summed in another order, so end states differ by rounding): forward from
//! `t0` to `t1`, and for the backward runs with the time mirrored.

use pommel_integrate::{
    Adaptive, Cause, Controller, InputError, IntegrateError, Options, Statistics, Tableau,
    Tolerance, from_fn, integrate,
};

use crate::arenstorf::{PERIOD, START, three_bodies};
use crate::problems::distance;

type Rhs = fn(f64, &[f64], &mut [f64]);

fn pendulum(_t: f64, y: &[f64], dy: &mut [f64]) {
    dy[0] = y[1];
    dy[1] = -9.81 * y[0].sin();
}

fn van_der_pol(_t: f64, y: &[f64], dy: &mut [f64]) {
    dy[0] = y[1];
    dy[1] = 2.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
}

/// A slow and a fast decay, the latter after a ramp: steps at the limit of stability.
fn decay(t: f64, y: &[f64], dy: &mut [f64]) {
    dy[0] = -2.0 * y[0];
    dy[1] = -30.0 * y[1] + t;
}

/// See [`crate::problems::ExponentialOfCircle`].
fn exponential_of_circle(t: f64, y: &[f64], dy: &mut [f64]) {
    dy[0] = 2.0 * t * y[0] * y[1].ln();
    dy[1] = -2.0 * t * y[1] * y[0].ln();
}

/// A run of the reference: interval, tolerances, evaluations, accepted and rejected steps, end.
struct Case {
    rhs: Rhs,
    interval: [f64; 2],
    start: &'static [f64],
    tolerances: [f64; 2],
    evaluations: u64,
    steps: u64,
    rejected: u64,
    end: &'static [f64],
    /// By how much the end may differ, of its greatest component: what rounding has grown to. The
    /// orbit multiplies it by a million; loose steps carry the rounding of their sizes.
    spread: f64,
}

const DECAY_END: &[f64] = &[4.540004994099767e-05, 0.16555552991213462];
const LONG_DECAY_END: &[f64] = &[1.3336440864405508e-34, 1.3326181748545403];

#[rustfmt::skip]
const CASES: [Case; 12] = [
    Case { rhs: pendulum, interval: [0.0, 10.0], start: &[0.5, 0.0], tolerances: [1e-6, 1e-6],
        evaluations: 847, steps: 141, rejected: 0,
        end: &[0.4178610501022021, 0.8447974012702513], spread: 1e-12 },
    Case { rhs: pendulum, interval: [0.0, 7.0], start: &[2.0, 0.0], tolerances: [1e-3, 1e-6],
        evaluations: 217, steps: 29, rejected: 7,
        end: &[-1.4877345850975576, 3.1393728199974276], spread: 1e-11 },
    Case { rhs: pendulum, interval: [0.0, 7.0], start: &[3.1, 0.0], tolerances: [1e-9, 1e-9],
        evaluations: 2155, steps: 359, rejected: 0,
        end: &[3.082609061065297, -0.13096319290220085], spread: 1e-12 },
    Case { rhs: van_der_pol, interval: [0.0, 20.0], start: &[2.0, 0.0], tolerances: [1e-6, 1e-6],
        evaluations: 1549, steps: 239, rejected: 19,
        end: &[-1.7283073388712187, 0.3978817800420234], spread: 1e-12 },
    Case { rhs: van_der_pol, interval: [0.0, 20.0], start: &[2.0, 0.0], tolerances: [1e-3, 1e-6],
        evaluations: 619, steps: 83, rejected: 20,
        end: &[-1.7280651912840506, 0.3979603189997483], spread: 1e-12 },
    Case { rhs: three_bodies, interval: [0.0, PERIOD], start: &START, tolerances: [1e-6, 1e-6],
        evaluations: 1129, steps: 174, rejected: 14,
        end: &[0.9939936390266942, -7.331090850821618e-06, -0.0012601069849363933,
            -2.002574394514592], spread: 1e-9 },
    Case { rhs: decay, interval: [0.0, 5.0], start: &[1.0, -3.0], tolerances: [1e-6, 1e-6],
        evaluations: 469, steps: 74, rejected: 4, end: DECAY_END, spread: 1e-12 },
    Case { rhs: decay, interval: [1.0, 40.0], start: &[1.0, 1.0], tolerances: [1e-3, 1e-6],
        evaluations: 2281, steps: 360, rejected: 20, end: LONG_DECAY_END, spread: 1e-12 },
    Case { rhs: exponential_of_circle, interval: [0.0, 2.0], start: &[1.0, std::f64::consts::E],
        tolerances: [1e-8, 1e-10], evaluations: 343, steps: 55, rejected: 2,
        end: &[0.46916418361324186, 0.5201471011701204], spread: 1e-12 },
    // backward
    Case { rhs: pendulum, interval: [3.0, -4.0], start: &[0.5, 1.0], tolerances: [1e-6, 1e-6],
        evaluations: 601, steps: 100, rejected: 0,
        end: &[-0.5974954365464491, -0.050877610661096], spread: 1e-12 },
    Case { rhs: van_der_pol, interval: [0.0, -2.0], start: &[1.0, 0.3], tolerances: [1e-6, 1e-8],
        evaluations: 97, steps: 15, rejected: 1,
        end: &[0.10935788063611412, 0.17168438985729603], spread: 1e-12 },
    Case { rhs: exponential_of_circle, interval: [1.5, 0.25],
        start: &[2.177273044783055, 0.5335654033823061], tolerances: [1e-6, 1e-9],
        evaluations: 85, steps: 14, rejected: 0,
        end: &[1.0644508385296214, 2.7129800776326034], spread: 1e-12 },
];

fn ode45(rtol: impl Into<Tolerance>, atol: impl Into<Tolerance>) -> Options {
    let steps = Adaptive::new(rtol, atol).controller(Controller::Ode45);
    Options::adaptive(Tableau::dormand_prince_54(), steps)
}

fn run(rhs: Rhs, [t0, t1]: [f64; 2], y: &mut [f64], options: &Options) -> Statistics {
    let outcome = integrate(&mut from_fn(y.len(), rhs), t0, t1, y, options, &mut ()).unwrap();
    assert_eq!(outcome.t, t1);
    outcome.statistics(0)
}

#[test]
fn attempts_and_evaluations_are_those_of_the_reference() {
    for case in CASES {
        let mut y = case.start.to_vec();
        let [rtol, atol] = case.tolerances;
        let counts = run(case.rhs, case.interval, &mut y, &ode45(rtol, atol));
        let found = (counts.evaluations, counts.steps, counts.rejected);
        assert_eq!(found, (case.evaluations, case.steps, case.rejected), "{:?}", case.interval);
        // one evaluation to begin, six an attempt
        assert_eq!(counts.evaluations, 1 + 6 * (counts.steps + counts.rejected));
        let scale = case.end.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        for (x, expected) in y.iter().zip(case.end) {
            let error = (x - expected).abs();
            assert!(error <= case.spread * scale, "{y:?} against {:?}", case.end);
        }
    }
}

/// Nothing happens, so the first step is the largest: a tenth of the interval, and ten of them.
#[test]
fn no_step_is_larger_than_a_tenth_of_the_interval() {
    let rest: Rhs = |_t, _y, dy| dy.fill(0.0);
    let counts = run(rest, [0.0, 3.0], &mut [1.0], &ode45(1e-6, 1e-6));
    assert_eq!((counts.steps, counts.rejected, counts.evaluations), (10, 0, 61));
    assert!(counts.largest_step < 0.3 * (1.0 + 1e-12));
    let with = |settings: Adaptive| {
        let settings = settings.controller(Controller::Ode45);
        let options = Options::adaptive(Tableau::dormand_prince_54(), settings);
        run(rest, [0.0, -3.0], &mut [1.0], &options)
    };
    let settings = Adaptive::new(1e-6, 1e-6);
    assert_eq!(with(settings.clone().max_step(5.0)).steps, 1);
    // two steps of one, and the rest of the same size but for a twentieth
    let counts = with(settings.clone().max_step(3.0 / 2.05));
    assert_eq!(counts.steps, 2);
    assert!(counts.largest_step > 3.0 / 2.05 * 1.04);
    // growth by five, from the first step to the tenth: 0.01, 0.05, 0.25, 9 × 0.3 less the rest
    let counts = with(settings.first_step(0.01));
    assert_eq!((counts.smallest_step, counts.steps), (0.01, 12));
}

/// A component measured in another unit, and its tolerance with it, changes nothing: powers of two.
#[test]
fn thresholds_belong_to_their_components() {
    const UNIT: f64 = 1024.0;
    let scaled: Rhs = |t, y, dy| {
        van_der_pol(t, &[y[0], y[1] / UNIT], dy);
        dy[1] *= UNIT;
    };
    let mut plain = [2.0, 0.0];
    let mut other = plain;
    let rtol = vec![1e-5, 1e-4];
    let counts = run(van_der_pol, [0.0, 9.0], &mut plain, &ode45(rtol.clone(), vec![1e-6, 1e-7]));
    let atol = vec![1e-6, 1e-7 * UNIT];
    assert_eq!(run(scaled, [0.0, 9.0], &mut other, &ode45(rtol, atol)), counts);
    assert_eq!([plain[0], plain[1] * UNIT], other);
    // a component that is far below its threshold does not count
    let loose = ode45(1e-5, vec![1e-6, 1e3]);
    assert!(run(van_der_pol, [0.0, 9.0], &mut [2.0, 0.0], &loose).steps < counts.steps);
}

#[test]
fn a_relative_tolerance_of_zero_is_refused() {
    let mut system = from_fn(2, van_der_pol);
    for (rtol, at) in [(vec![0.0, 0.0], 0), (vec![1e-6, 0.0], 1)] {
        let options = ode45(rtol, 1e-6);
        let error = integrate(&mut system, 0.0, 1.0, &mut [2.0, 0.0], &options, &mut ());
        let Err(IntegrateError::Input(error)) = error else { panic!("{error:?}") };
        assert_eq!(error, InputError::NoRelativeTolerance { component: at });
        assert!(error.to_string().contains(&format!("component {at} is 0")));
    }
}

/// `y' = y²` from 1 explodes at 1, and the other right-hand side is no number from there on.
#[test]
fn a_lane_that_cannot_go_on_says_why_after_the_smallest_step() {
    let explosion: Rhs = |_t, y, dy| {
        dy[0] = 0.0;
        dy[1] = y[1] * y[1];
    };
    let options = ode45(1e-6, 1e-6);
    let mut y = [1.0, 1.0];
    let error = integrate(&mut from_fn(2, explosion), 0.0, 2.0, &mut y, &options, &mut ());
    let Err(IntegrateError::Failed(failure)) = error else { panic!("{error:?}") };
    assert!((failure.t - 1.0).abs() < 1e-6, "{failure}");
    assert!(failure.step.abs() <= 16.0 * f64::EPSILON);
    assert!(matches!(failure.cause, Cause::Tolerance { component: 1, error } if error > 1.0));

    let edge: Rhs = |t, _y, dy| dy.fill(if t < 1.0 { 1.0 } else { f64::NAN });
    let error = integrate(&mut from_fn(1, edge), 0.0, 2.0, &mut [0.0], &options, &mut ());
    let Err(IntegrateError::Failed(failure)) = error else { panic!("{error:?}") };
    assert!((failure.t - 1.0).abs() < 1e-12, "{failure}");
    assert!(matches!(failure.cause, Cause::NonFinite { .. }));
}

/// Another pair: the exponent follows its order, and errors follow the tolerance.
#[test]
fn other_pairs_work_with_it() {
    let error = |rtol: f64| {
        let settings = Adaptive::new(rtol, rtol).controller(Controller::Ode45);
        let options = Options::adaptive(Tableau::heun(), settings);
        let mut y = [1.0, 0.0];
        let rhs: Rhs = |_t, y, dy| dy.copy_from_slice(&[y[1], -y[0]]);
        let counts = run(rhs, [0.0, 3.0], &mut y, &options);
        assert!(counts.rejected < counts.steps / 4);
        distance(&y, &[3.0_f64.cos(), -3.0_f64.sin()])
    };
    let errors = [1e-3, 1e-4, 1e-5, 1e-6].map(error);
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0] / 4.0), "{errors:?}");
    assert!(errors[3] < 1e-4);
}

#[test]
fn single_precision_has_its_own_smallest_step() {
    let mut system = from_fn(1, |_t: f32, y: &[f32], dy: &mut [f32]| dy[0] = -y[0]);
    let mut y = [1.0_f32];
    let outcome = integrate(&mut system, 0.0, 2.0, &mut y, &ode45(1e-4, 1e-6), &mut ()).unwrap();
    assert!(outcome.t == 2.0 && (y[0] - (-2.0_f32).exp()).abs() < 1e-4);
}
