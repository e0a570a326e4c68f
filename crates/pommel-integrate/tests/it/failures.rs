//! Failures say when, where and why.

use std::error::Error;
use std::fmt;

use pommel_integrate::{
    Adaptive, Cause, Failure, IntegrateError, Options, Tableau, from_fn, integrate,
    integrate_lanes, try_from_fn,
};

use pommel_math::{Lanes, Real};

use crate::problems::dormand_prince;

#[derive(Debug, PartialEq)]
struct OutOfDomain {
    y: f64,
}

impl fmt::Display for OutOfDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "y = {} is negative", self.y)
    }
}

impl Error for OutOfDomain {}

fn failure<E: fmt::Debug>(error: IntegrateError<E>) -> Failure<E> {
    match error {
        IntegrateError::Failed(failure) => failure,
        IntegrateError::Input(error) => panic!("{error}"),
    }
}

/// `y' = −1` from 1 leaves the domain `y >= 0` at t = 1, whatever the step.
#[test]
fn an_error_of_the_system_ends_the_run_at_the_edge_of_its_domain() {
    let mut system = try_from_fn(1, |_t, y: &[f64], dy: &mut [f64]| {
        dy[0] = -1.0;
        if y[0] < 0.0 { Err(OutOfDomain { y: y[0] }) } else { Ok(()) }
    });
    let mut y = [1.0];
    let error =
        integrate(&mut system, 0.0, 2.0, &mut y, &dormand_prince(1e-6), &mut ()).unwrap_err();
    assert!(error.source().unwrap().to_string().ends_with("is negative"));
    let failure = failure(error);
    assert!((failure.t - 1.0).abs() < 1e-12 && y[0].abs() < 1e-12);
    assert!(failure.step > 0.0 && failure.step < 1e-13);
    assert!(matches!(failure.cause, Cause::Rhs(source) if source.y < 0.0));
}

/// `Err` stands for all lanes: each cuts its own step until its own smallest.
#[test]
fn an_error_of_the_system_ends_all_lanes_but_those_that_are_finished() {
    let mut system = try_from_fn(1, |t: Lanes<4>, _y: &[Lanes<4>], dy: &mut [Lanes<4>]| {
        dy[0] = Lanes([1.0; 4]);
        if t.0[1] > 0.5 { Err(OutOfDomain { y: t.0[1] }) } else { Ok(()) }
    });
    let mut y = [Lanes([0.0; 4])];
    let (start, end) = (Lanes([0.0; 4]), Lanes([1.0, 1.0, -1.0, 1e-9]));
    let run =
        integrate_lanes(&mut system, start, end, &mut y, &dormand_prince(1e-6), &mut ()).unwrap();
    assert_eq!(run.failed().bits(), 0b0111);
    assert!(run.failures.iter().all(|failure| matches!(failure.cause, Cause::Rhs(_))));
    assert!((run.outcome.t.lane(1) - 0.5).abs() < 1e-12);
    assert_eq!(run.outcome.t.lane(3), 1e-9);
    for lane in 0..4 {
        // y' = 1 from 0 at t = 0: the state is the time
        assert!((y[0].lane(lane) - run.outcome.t.lane(lane)).abs() < 1e-12);
    }
}

/// Trial steps may leave the domain: the square root of a negative number is NaN there, and the run
/// goes on with a smaller step.
#[test]
fn a_step_into_nan_is_cut_and_the_run_goes_on() {
    // y = (1 − t/2)², up to just before it touches zero
    let mut system = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = -y[0].sqrt());
    let options = Options::adaptive(
        Tableau::dormand_prince_54(),
        Adaptive::new(1e-9, 1e-9).first_step(100.0),
    );
    let mut y = [1.0];
    let outcome = integrate(&mut system, 0.0, 1.9, &mut y, &options, &mut ()).unwrap();
    assert!((y[0] - 0.05 * 0.05).abs() < 1e-7);
    assert!(outcome.statistics(0).rejected > 0);
}

#[test]
fn nan_at_every_step_size_names_stage_and_component() {
    let mut system = from_fn(3, |t: f64, _y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[1.0, 1.0, if t > 0.5 { f64::NAN } else { 1.0 }]);
    });
    let mut y = [0.0; 3];
    let error =
        integrate(&mut system, 0.0, 1.0, &mut y, &dormand_prince(1e-6), &mut ()).unwrap_err();
    let failure = failure(error);
    assert!((failure.t - 0.5).abs() < 1e-12, "{failure}");
    assert!(matches!(failure.cause, Cause::NonFinite { component: 2, stage: 1.. }), "{failure}");
    assert!(y.iter().all(|y| y.is_finite()));
}

#[test]
fn nan_with_fixed_steps_ends_the_run_at_once() {
    for tableau in [Tableau::rk4(), Tableau::dormand_prince_54()] {
        let mut system = from_fn(2, |t: f64, _y: &[f64], dy: &mut [f64]| {
            dy.copy_from_slice(&[if t > 0.55 { f64::INFINITY } else { 1.0 }, 1.0]);
        });
        let mut y = [0.0; 2];
        let error =
            integrate(&mut system, 0.0, 1.0, &mut y, &Options::fixed(tableau, 0.1), &mut ())
                .unwrap_err();
        let failure = failure(error);
        assert_eq!((failure.t, failure.step), (0.5, 0.1));
        assert!(matches!(failure.cause, Cause::NonFinite { component: 0, .. }));
        // five sums of weights, rounded
        assert!(y.iter().all(|y| (y - 0.5).abs() < 5.0 * f64::EPSILON));
    }
}

#[test]
fn a_system_that_cannot_start_fails_at_the_start() {
    let mut system = try_from_fn(1, |_t, y: &[f64], _dy: &mut [f64]| Err(OutOfDomain { y: y[0] }));
    let error =
        integrate(&mut system, 3.0, 4.0, &mut [5.0], &dormand_prince(1e-6), &mut ()).unwrap_err();
    let failure = failure(error);
    assert_eq!((failure.t, failure.step), (3.0, 0.0));
    assert!(matches!(failure.cause, Cause::Rhs(source) if *source == OutOfDomain { y: 5.0 }));

    let mut system = from_fn(2, |_t, _y: &[f64], dy: &mut [f64]| dy[1] = f64::NAN);
    let error = integrate(&mut system, 3.0, 4.0, &mut [5.0, 5.0], &dormand_prince(1e-6), &mut ())
        .unwrap_err();
    let cause = self::failure(error).cause;
    assert!(matches!(cause, Cause::NonFinite { stage: 0, component: 1 }));
}

/// A decay with rate 1e6 over a second needs about 3e5 explicit steps.
#[test]
fn a_stiff_problem_is_reported_as_too_many_steps() {
    let mut system = from_fn(1, |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = -1e6 * (y[0] - t.cos());
    });
    let error =
        integrate(&mut system, 0.0, 1.0, &mut [0.0], &dormand_prince(1e-6), &mut ()).unwrap_err();
    assert!(error.to_string().contains("stiff"));
    let failure = failure(error);
    assert!(matches!(failure.cause, Cause::TooManySteps { limit: 100_000 }));
    assert!(failure.t > 0.1 && failure.t < 0.9);
}

/// `y' = y²` explodes at t = 1: the step shrinks with it until it cannot.
#[test]
fn a_singularity_is_reported_where_it_is() {
    let mut system = from_fn(2, |_t, y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[1.0, y[1] * y[1]]);
    });
    let mut y = [0.0, 1.0];
    let error =
        integrate(&mut system, 0.0, 2.0, &mut y, &dormand_prince(1e-9), &mut ()).unwrap_err();
    let failure = failure(error);
    assert!((failure.t - 1.0).abs() < 1e-6, "{failure}");
    assert!(matches!(
        failure.cause,
        Cause::Tolerance { component: 1, .. } | Cause::NonFinite { component: 1, .. }
    ));
}

#[test]
fn a_smallest_step_set_by_the_caller_is_respected() {
    // the right-hand side jumps at t = 1/3
    let mut system = from_fn(1, |t: f64, _y: &[f64], dy: &mut [f64]| {
        dy[0] = if t < 1.0 / 3.0 { 0.0 } else { 1e3 };
    });
    let options =
        Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-9, 1e-9).min_step(1e-3));
    let error = integrate(&mut system, 0.0, 1.0, &mut [0.0], &options, &mut ()).unwrap_err();
    let failure = failure(error);
    assert!(failure.step >= 1e-3 && failure.step < 1e-2, "{failure}");
    assert!(matches!(failure.cause, Cause::Tolerance { component: 0, error } if error > 1.0));
}

#[test]
fn a_fixed_step_that_time_cannot_resolve_is_refused() {
    let mut system = from_fn(1, |_t, _y: &[f64], dy: &mut [f64]| dy[0] = 1.0);
    let options = Options::fixed(Tableau::rk4(), 1e-16);
    let error = integrate(&mut system, 1.0, 2.0, &mut [0.0], &options, &mut ()).unwrap_err();
    assert!(matches!(failure(error).cause, Cause::StepBelowResolution));
}
