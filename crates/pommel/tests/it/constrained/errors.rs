//! Motions that do not reach their end, and states and settings that are refused.

use pommel::integrate::mechanics::{MechanicsOptions, Scheme};
use pommel::integrate::{Adaptive, ImplicitMethod, ImplicitOptions, Options, Tableau};
use pommel::mechanism::formulation::Method;
use pommel::model::Mechanism;
use pommel::{
    AbsoluteDynamics, Approach, Error, Stabilization, integrate_constrained, integrate_verified,
};

use super::{folder, load, options};

/// A position that a motion cannot pass is an error with its time, at once: a slider that is pushed to where crank and
/// rod are stretched, and on.
#[test]
fn what_does_not_continue_is_an_error() {
    let path = folder().join("slidercrank").join("model.toml");
    let text = std::fs::read_to_string(path).expect("a file");
    let mut driven = String::new();
    for line in text.lines() {
        // the slider moves outwards with 1 m/s
        let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
        if key == "velocity" || key == "angular_velocity" {
            let numbers = value.trim_matches(['[', ']']).split(", ");
            let scaled: Vec<String> = numbers
                .map(|x| x.parse::<f64>().expect("a number") / -1.0015552940247414)
                .map(|x| format!("{x:?}"))
                .collect();
            let list = scaled.join(", ");
            let value = if key == "velocity" { format!("[{list}]") } else { list };
            driven += &format!("{key} = {value}\n");
        } else {
            driven += &format!("{line}\n");
        }
    }
    driven += "[[drivers]]\nname = \"push\"\njoint = \"ground_slider\"\nmotion = { type = \"polynomial\", \
               coefficients = [1.0057560561667655, 1.0] }\n";
    let mechanism = Mechanism::from_toml_str(&driven).expect("a model");
    let dynamics = AbsoluteDynamics::new(&mechanism).expect("a system");
    let state = dynamics.initial_state().expect("assembled");
    for tolerance in [1e-6, 1e-11] {
        let settings = Adaptive::new(tolerance, tolerance);
        let options = Options::adaptive(Tableau::dormand_prince_853(), settings);
        let approach = Approach::projected(options);
        let found = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        let error = found.expect_err("the slider is out of reach");
        let time = match &error {
            Error::Constrained { failure, .. } => failure.t,
            Error::Projection { time, .. } => *time,
            other => panic!("{other}"),
        };
        assert!((time - 0.0942439438).abs() < 1e-3, "{error}");
    }
}

/// A formulation that refuses says when, and which row.
#[test]
fn an_early_end_tells_time_and_reason() {
    let dynamics = load("massless_coupler");
    let state = dynamics.initial_state().expect("assembled");
    let found = integrate_constrained(
        &dynamics,
        &state,
        &Approach::Explicit {
            method: Method::RangeSpace,
            stabilization: Stabilization::None,
            options: options(1e-6),
        },
        1.0,
        &mut (),
    );
    let error = found.expect_err("a body without mass");
    assert!(matches!(error, Error::Constrained { .. }), "{error}");
    assert!(error.to_string().contains("range_space"), "{error}");
}

/// A state off the constraints is refused, with the rows.
#[test]
fn a_state_off_the_constraints_is_refused() {
    let dynamics = load("fourbar_ex32");
    let start = dynamics.initial_state().expect("assembled");
    let run = |state: &pommel::absolute::AbsoluteState| {
        integrate_constrained(&dynamics, state, &Approach::projected(options(1e-6)), 1.0, &mut ())
    };
    let mut state = start.clone();
    state.q[0] += 1e-3;
    let error = run(&state).expect_err("a joint is open");
    let Error::Inconsistent { rows, .. } = &error else { panic!("{error}") };
    assert!(rows.iter().all(|(_, _, of_velocities)| !of_velocities), "{rows:?}");
    assert!((rows[0].1.abs() - 1e-3).abs() < 1e-9, "{rows:?}");
    assert!(error.to_string().contains(&rows[0].0), "{error}");
    let mut state = start;
    state.v[1] += 0.5;
    let error = run(&state).expect_err("a joint comes apart");
    let Error::Inconsistent { rows, .. } = &error else { panic!("{error}") };
    assert!(rows.iter().all(|(_, _, of_velocities)| *of_velocities), "{rows:?}");
    assert!(error.to_string().contains("velocity of"), "{error}");
}

/// The end of a chaotic motion is not known after some time, which is told.
#[test]
fn an_end_that_is_not_known_is_an_error() {
    let dynamics = load("chain5");
    let state = dynamics.initial_state().expect("assembled");
    let approach = |tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::projected(Options::adaptive(Tableau::dormand_prince_853(), settings))
    };
    let found = integrate_verified(&dynamics, &state, approach, 40.0, 1e-9, &mut ());
    let error = found.expect_err("five bars that tumble for 40 s");
    assert!(matches!(error, Error::Accuracy { .. }), "{error}");
    assert!(error.to_string().contains("is not known to 1e-9"), "{error}");
}

/// An accuracy next to rounding, or steps that follow no tolerance, verify nothing.
#[test]
fn what_cannot_be_verified_is_an_error() {
    let dynamics = load("chain2");
    let state = dynamics.initial_state().expect("assembled");
    let adaptive = |tolerance| Approach::projected(options(tolerance));
    for accuracy in [5e-14, 0.0] {
        let found = integrate_verified(&dynamics, &state, adaptive, 0.1, accuracy, &mut ());
        assert!(matches!(found, Err(Error::Accuracy { .. })), "{found:?}");
    }
    let fixed = |_| Approach::projected(Options::fixed(Tableau::rk4(), 0.01));
    let found = integrate_verified(&dynamics, &state, fixed, 0.1, 1e-6, &mut ());
    assert!(matches!(found, Err(Error::NotAdaptive)), "{found:?}");
}

/// Options that make no sense are told, whatever the approach.
#[test]
fn options_that_make_no_sense_are_refused() {
    let dynamics = load("fourbar_ex32");
    let state = dynamics.initial_state().expect("assembled");
    // two tolerances for many components
    let settings = || Adaptive::new(vec![1e-6; 2], vec![1e-6; 2]);
    let implicit = ImplicitOptions::adaptive(ImplicitMethod::Radau5.tableau(), settings());
    for approach in [
        Approach::projected(Options::adaptive(Tableau::dormand_prince_54(), settings())),
        Approach::Implicit {
            method: Method::SparseKkt,
            stabilization: Stabilization::None,
            options: implicit,
        },
        Approach::Constrained(MechanicsOptions::adaptive(Scheme::Rattle, settings())),
    ] {
        let found = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        assert!(matches!(found, Err(Error::Integration(_))), "{found:?}");
    }
}
