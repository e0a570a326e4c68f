//! Input that makes no sense, and motions that end early.

use pommel_integrate::mechanics::{
    Level, MechanicsOptions, Scheme, SchemeError, integrate_mechanics,
};
use pommel_integrate::{Adaptive, Cause, ImplicitMethod, InputError, IntegrateError};

use super::systems::{Body, Dense, Pendulum, Terms};

const START: [f64; 4] = [0.6, -0.8, 0.0, 0.0];

fn still() -> Dense<Pendulum> {
    Dense::new(Pendulum { drag: 0.0, shaking: 0.0 })
}

#[test]
fn schemes_that_make_no_sense() {
    let refused = |scheme: Scheme| {
        let options = MechanicsOptions::fixed(scheme, 0.1);
        let found =
            integrate_mechanics(&mut still(), 0.0, 1.0, &mut START.clone(), &options, &mut ());
        let Err(IntegrateError::Input(InputError::Scheme(error))) = found else {
            panic!("{found:?}")
        };
        error
    };
    for spectral_radius in [-0.1, 1.1, f64::NAN] {
        let error = refused(Scheme::GeneralizedAlpha { spectral_radius });
        assert!(matches!(error, SchemeError::SpectralRadius { .. }), "{error}");
    }
    for alpha in [-0.4, 0.1, f64::NAN] {
        let error = refused(Scheme::Hht { alpha });
        assert!(matches!(error, SchemeError::Alpha { .. }), "{error}");
    }
    let tableau = ImplicitMethod::Gauss4.tableau();
    let error = refused(Scheme::radau(tableau, Level::Position));
    assert!(error.to_string().contains("Radau IIA"), "{error}");
}

#[test]
fn input_that_makes_no_sense() {
    let fixed = |h| MechanicsOptions::fixed(Scheme::Rattle, h);
    let run = |options: &MechanicsOptions, t0: f64, t1: f64, y: &mut [f64]| {
        integrate_mechanics(&mut still(), t0, t1, y, options, &mut ())
    };
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let found = run(&fixed(h), 0.0, 1.0, &mut START.clone());
        assert!(matches!(found, Err(IntegrateError::Input(InputError::Step { .. }))), "{found:?}");
    }
    let found = run(&fixed(0.1), 0.0, 1.0, &mut [0.0; 3]);
    let Err(IntegrateError::Input(InputError::Dimension { expected: 4, found: 3 })) = found else {
        panic!("{found:?}")
    };
    let found = run(&fixed(0.1), 0.0, f64::NAN, &mut START.clone());
    let Err(IntegrateError::Failed(failure)) = found else { panic!("{found:?}") };
    assert!(matches!(failure.cause, Cause::Time), "{failure}");
    let found = run(&fixed(0.1), 0.0, 1.0, &mut [0.6, f64::NAN, 0.0, 0.0]);
    let Err(IntegrateError::Failed(failure)) = found else { panic!("{found:?}") };
    assert!(matches!(failure.cause, Cause::InitialState { component: 1 }), "{failure}");
    let negative = MechanicsOptions::adaptive(Scheme::Rattle, Adaptive::new(-1.0, 1.0));
    let found = run(&negative, 0.0, 1.0, &mut START.clone());
    assert!(matches!(found, Err(IntegrateError::Input(InputError::Tolerance { .. }))), "{found:?}");
    // nothing to do is done
    let found = run(&fixed(0.1), 1.0, 1.0, &mut START.clone()).expect("nothing");
    assert_eq!(found.statistics(0).evaluations, 0);
    // and below the resolution of time nothing can be
    let found = run(&fixed(1e-12), 1e6, 2e6, &mut START.clone());
    let Err(IntegrateError::Failed(failure)) = found else { panic!("{found:?}") };
    assert!(matches!(failure.cause, Cause::StepBelowResolution), "{failure}");
}

/// A force that is no number from 0.5 s on.
struct Breaking;

impl Body for Breaking {
    fn sizes(&self) -> [usize; 3] {
        [2, 2, 1]
    }
    fn mass(&self) -> Vec<f64> {
        vec![2.0; 2]
    }
    fn terms(&self, t: f64, q: &[f64], v: &[f64]) -> Terms {
        let mut terms = Pendulum { drag: 0.0, shaking: 0.0 }.terms(t, q, v);
        if t > 0.5 {
            terms.force[0] = f64::NAN;
        }
        terms
    }
}

#[test]
fn forces_that_are_no_numbers_end_a_run_with_its_time() {
    let radau = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
    for scheme in [Scheme::Rattle, Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, radau] {
        for options in [
            MechanicsOptions::fixed(scheme.clone(), 0.01),
            MechanicsOptions::adaptive(scheme, Adaptive::new(1e-4, 1e-4)),
        ] {
            let mut y = START;
            let mut system = Dense::new(Breaking);
            let found = integrate_mechanics(&mut system, 0.0, 1.0, &mut y, &options, &mut ());
            let Err(IntegrateError::Failed(failure)) = found else { panic!("{found:?}") };
            let expected = matches!(failure.cause, Cause::NonFinite { .. } | Cause::Stages { .. });
            assert!(expected, "{failure}");
            assert!(failure.t > 0.48 && failure.t <= 0.5, "{failure}");
            // the state is that of the last step
            assert!(y.iter().all(|y| y.is_finite()) && y != START);
        }
    }
}

#[test]
fn limits_on_steps_are_told() {
    let options = MechanicsOptions::fixed(Scheme::Rattle, 0.01).max_steps(10);
    let mut y = START;
    let found = integrate_mechanics(&mut still(), 0.0, 1.0, &mut y, &options, &mut ());
    let Err(IntegrateError::Failed(failure)) = found else { panic!("{found:?}") };
    assert!(matches!(failure.cause, Cause::TooManySteps { limit: 10 }), "{failure}");
    assert!((failure.t - 0.1).abs() < 1e-12);
}
