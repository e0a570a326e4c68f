//! Input that makes no sense is refused before anything is evaluated.

use pommel_integrate::{
    Adaptive, Cause, InputError, IntegrateError, Options, Tableau, Tolerance, integrate,
};

use crate::problems::{Pendulum, dormand_prince};

fn refusal(options: &Options, y: &mut [f64]) -> InputError {
    let mut pendulum = Pendulum::new(1.0);
    let error = integrate(&mut pendulum, 0.0, 1.0, y, options, &mut ()).unwrap_err();
    assert_eq!(pendulum.calls, 0);
    match error {
        IntegrateError::Input(error) => error,
        IntegrateError::Failed(failure) => panic!("{failure}"),
    }
}

fn adaptive(rtol: impl Into<Tolerance>, atol: impl Into<Tolerance>) -> Options {
    Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(rtol, atol))
}

#[test]
fn tolerances_must_be_finite_and_not_negative() {
    let error = refusal(&adaptive(-1e-6, 1e-6), &mut [0.0; 2]);
    assert_eq!(error, InputError::Tolerance { component: 0, value: -1e-6 });
    let error = refusal(&adaptive(1e-6, vec![1e-6, -1.0]), &mut [0.0; 2]);
    assert_eq!(error, InputError::Tolerance { component: 1, value: -1.0 });
    let error = refusal(&adaptive(f64::NAN, 1e-6), &mut [0.0; 2]);
    assert!(matches!(error, InputError::Tolerance { component: 0, value } if value.is_nan()));
    let error = refusal(&adaptive(1e-6, vec![1e-6; 3]), &mut [0.0; 2]);
    assert_eq!(error, InputError::ToleranceLength { expected: 2, found: 3 });
    let error = refusal(&adaptive(vec![1e-6, 0.0], 0.0), &mut [0.0; 2]);
    assert_eq!(error, InputError::NoTolerance { component: 1 });
}

#[test]
fn step_sizes_must_be_positive_and_finite() {
    let settings = Adaptive::new(1e-6, 1e-6);
    let pair = Tableau::dormand_prince_54;
    for options in [
        Options::fixed(Tableau::rk4(), 0.0),
        Options::fixed(Tableau::rk4(), -0.1),
        Options::fixed(Tableau::rk4(), f64::NAN),
        Options::adaptive(pair(), settings.clone().first_step(0.0)),
        Options::adaptive(pair(), settings.clone().max_step(f64::INFINITY)),
        Options::adaptive(pair(), settings.clone().min_step(-1.0)),
    ] {
        assert!(matches!(refusal(&options, &mut [0.0; 2]), InputError::Step { .. }));
    }
}

#[test]
fn adaptive_steps_need_an_embedded_pair() {
    let options = Options::adaptive(Tableau::rk4(), Adaptive::new(1e-6, 1e-6));
    assert_eq!(refusal(&options, &mut [0.0; 2]), InputError::NoErrorEstimate);
}

#[test]
fn the_state_must_have_the_dimension_of_the_system() {
    let error = refusal(&dormand_prince(1e-6), &mut [0.0; 3]);
    assert_eq!(error, InputError::Dimension { expected: 2, found: 3 });
}

#[test]
fn a_state_or_time_that_is_not_finite_is_named() {
    let run = |t0, t1, mut y: [f64; 2]| {
        let mut pendulum = Pendulum::new(1.0);
        let options = dormand_prince(1e-6);
        match integrate(&mut pendulum, t0, t1, &mut y, &options, &mut ()).unwrap_err() {
            IntegrateError::Failed(failure) => failure.cause,
            IntegrateError::Input(error) => panic!("{error}"),
        }
    };
    assert!(matches!(run(0.0, 1.0, [0.0, f64::NAN]), Cause::InitialState { component: 1 }));
    assert!(matches!(run(0.0, 1.0, [f64::INFINITY, 0.0]), Cause::InitialState { component: 0 }));
    assert!(matches!(run(0.0, f64::INFINITY, [0.0, 0.0]), Cause::Time));
    assert!(matches!(run(f64::NAN, 1.0, [0.0, 0.0]), Cause::Time));
}
