//! Mechanisms with loops in motion, and their drift off the constraints.

use std::path::PathBuf;

use pommel::constrained::ConstrainedRun;
use pommel::integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel::integrate::{
    Adaptive, Control, ImplicitMethod, ImplicitOptions, Options, Step, Tableau,
};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::{
    AbsoluteDynamics, Approach, Error, Stabilization, integrate_constrained, integrate_verified,
};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/mechanisms"))
}

fn load(name: &str) -> AbsoluteDynamics {
    let mechanism = Mechanism::from_path(folder().join(name).join("model.toml")).expect(name);
    AbsoluteDynamics::new(&mechanism).expect(name)
}

/// Times and states of the reference: bodies in the order of the model.
fn truth(name: &str) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let text = std::fs::read_to_string(folder().join(name).join("truth.json")).expect(name);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    let states = document["states"].as_array().expect("states");
    states
        .iter()
        .map(|s| (s["t"].as_f64().expect("t"), numbers(&s["q"]), numbers(&s["v"])))
        .collect()
}

fn options(tolerance: f64) -> Options {
    Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(tolerance, tolerance))
        .max_steps(10_000_000)
}

/// 100 s of a four-bar at a tolerance of 1e-6: positions grow off the constraints where nothing is done,
/// stay bounded with Baumgarte's method, and on the constraints with projection.
#[test]
fn drift_grows_is_bounded_or_vanishes() {
    let dynamics = load("fourbar_ex32");
    let state = dynamics.initial_state().expect("assembled");
    let run = |stabilization: Stabilization| {
        // the largest violation until 10 s, and after 90 s
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        let system = dynamics.system();
        let mut evaluation = pommel::mechanism::Evaluation::new(system);
        let mut watch = |step: &Step<'_, f64>| {
            let (q, v) = step.y_new().split_at(system.nq());
            system.evaluate(step.t_new(), q, v, &mut evaluation);
            let open = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if step.t_new() <= 10.0 {
                early = early.max(open);
            } else if step.t_new() >= 90.0 {
                late = late.max(open);
            }
            Control::Continue
        };
        let found = integrate_constrained(
            &dynamics,
            &state,
            &Approach::Explicit {
                method: Method::SparseKkt,
                stabilization,
                options: options(1e-6),
            },
            100.0,
            &mut watch,
        );
        (found.expect("the end"), early, late)
    };
    let (_, early, late) = run(Stabilization::None);
    assert!(late > 10.0 * early && late > 1e-5, "{early:e} {late:e}");
    let (_, early, late) = run(Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 });
    assert!(late < 3.0 * early && late < 1e-5, "{early:e} {late:e}");
    for metric in [Metric::Mass, Metric::Length] {
        let (found, ..) = run(Stabilization::Projection(metric));
        assert!(found.position_residual <= 1e-9, "{:e}", found.position_residual);
        assert!(found.velocity_residual <= 1e-9, "{:e}", found.velocity_residual);
    }
}

/// The last state of the reference in the coordinates of the system, beside one that was found.
fn end_of(name: &str, dynamics: &AbsoluteDynamics, found: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let (end, mut q, mut v) = truth(name).pop().expect("a state");
    if !dynamics.system().is_planar() {
        // the reference has velocities of mass centres first, and may have the negative quaternion
        v.chunks_mut(6).for_each(|body| body.rotate_left(3));
        for (body, found) in q.chunks_mut(7).zip(found.chunks(7)) {
            let same: f64 = body[3..].iter().zip(&found[3..]).map(|(a, b)| a * b).sum();
            body[3..].iter_mut().for_each(|x| *x *= same.signum());
        }
    }
    (end, q, v)
}

/// The largest error of the end, relative to `1 + |value|`.
fn error(name: &str, dynamics: &AbsoluteDynamics, run: &ConstrainedRun) -> f64 {
    let (_, q, v) = end_of(name, dynamics, &run.q);
    let off = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())))
    };
    off(&run.q, &q).max(off(&run.v, &v))
}

/// Mechanisms that move as a reference does.
const MOTIONS: [&str; 19] = [
    "a01_pendulum",
    "a02_fourbar_n2",
    "a02_fourbar_n10",
    "a02_fourbar_n40",
    "a03_andrews",
    "a04_bricard",
    "a05_flyball",
    "chain2",
    "chain5",
    "chain50",
    "conservative_fm24",
    "flyball_soft",
    "fm24",
    "fourbar_ex32",
    "heavy_top",
    "peaucellier",
    "slidercrank",
    "spatial_chain3",
    "stewart_springs",
];

/// Ends of motions are as accurate as asked, to ten times of it, for all mechanisms alike: redundant ones (Bricard's)
/// and those that pass singular positions (four-bars whose bars all lie flat) without a flag.
#[test]
fn verified_motions_end_at_their_references() {
    for name in MOTIONS {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let end = truth(name).pop().expect("a state").0;
        // four-bars pass positions where all bars lie flat: constraints know these to half of the digits only
        let list: &[f64] = if name.starts_with("a02") { &[1e-6] } else { &[1e-6, 1e-9] };
        for &accuracy in list {
            let approach = |tolerance| {
                let settings = Adaptive::new(tolerance, tolerance);
                let options = Options::adaptive(Tableau::dormand_prince_853(), settings);
                Approach::projected(options.max_steps(10_000_000))
            };
            let found = integrate_verified(&dynamics, &state, approach, end, accuracy, &mut ());
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            let error = error(name, &dynamics, &found.run);
            assert!(error < 10.0 * accuracy, "{name} to {accuracy:e}: {error:e}");
            assert!(found.difference <= accuracy && found.runs >= 2);
            assert!(found.run.position_residual < 1e-10, "{name}");
        }
    }
}

/// All approaches, at a tolerance that their order suits; how many times the tolerance their ends may be off: their
/// errors of steps add up.
fn approaches() -> Vec<(&'static str, Approach, f64)> {
    let explicit = |stabilization| Approach::Explicit {
        method: Method::SparseKkt,
        stabilization,
        options: options(1e-7),
    };
    let scheme = |scheme, tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::Constrained(MechanicsOptions::adaptive(scheme, settings).max_steps(1_000_000))
    };
    let radau =
        |level| scheme(Scheme::Radau { tableau: ImplicitMethod::Radau5.tableau(), level }, 1e-7);
    let implicit = |stabilization| Approach::Implicit {
        method: Method::SparseKkt,
        stabilization,
        options: ImplicitOptions::adaptive(
            ImplicitMethod::Radau5.tableau(),
            Adaptive::new(1e-7, 1e-7),
        ),
    };
    let mass = Stabilization::Projection(Metric::Mass);
    vec![
        ("projection", explicit(mass), 1e-7),
        ("projection by length", explicit(Stabilization::Projection(Metric::Length)), 1e-7),
        ("simple partitioning", explicit(Stabilization::Projection(Metric::Independent)), 1e-7),
        ("partitioning", explicit(Stabilization::Partitioning), 1e-7),
        ("Baumgarte", explicit(Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 }), 1e-7),
        ("implicit", implicit(mass), 1e-7),
        ("implicit partitioning", implicit(Stabilization::Partitioning), 1e-7),
        ("stabilized index 2", radau(Level::Stabilized), 1e-7),
        ("index 2", radau(Level::Velocity), 1e-7),
        ("index 3", radau(Level::Position), 1e-7),
        ("RATTLE", scheme(Scheme::Rattle, 1e-5), 1e-5),
        ("alpha", scheme(Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, 1e-5), 1e-5),
        ("HHT", scheme(Scheme::Hht { alpha: -0.05 }, 1e-5), 1e-5),
    ]
}

/// Every approach moves mechanisms as their references move, in the plane and in space.
#[test]
fn all_approaches_end_at_the_references() {
    for name in ["chain2", "fourbar_ex32", "peaucellier", "slidercrank", "spatial_chain3", "fm24"] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let end = truth(name).pop().expect("a state").0;
        for (label, approach, tolerance) in approaches() {
            let run = integrate_constrained(&dynamics, &state, &approach, end, &mut ());
            let run = run.unwrap_or_else(|error| panic!("{name}, {label}: {error}"));
            let error = error(name, &dynamics, &run);
            assert!(error < 2e4 * tolerance, "{name}, {label}: {error:e}");
        }
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
