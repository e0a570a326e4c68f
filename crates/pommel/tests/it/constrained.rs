//! Mechanisms with loops in motion, and their drift off the constraints.

use std::path::PathBuf;

use pommel::integrate::{Adaptive, Control, Options, Step, Tableau};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Error, Stabilization, integrate_constrained};
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
            Method::SparseKkt,
            stabilization,
            &options(1e-6),
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

/// Mechanisms end where their references do, to what their motion makes of the tolerance, redundant ones (Bricard's) and those
/// that pass singular positions (four-bars whose bars all lie flat) without a flag.
#[test]
fn motions_end_at_their_references() {
    for name in [
        "a01_pendulum",
        "a02_fourbar_n2",
        "a04_bricard",
        "chain2",
        "chain5",
        "conservative_fm24",
        "flyball_soft",
        "fm24",
        "fourbar_ex32",
        "heavy_top",
        "peaucellier",
        "slidercrank",
        "spatial_chain3",
        "stewart_springs",
    ] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let truth = truth(name);
        let (end, q, v) = truth.last().expect("a state");
        for tolerance in [1e-6, 1e-9] {
            let found = integrate_constrained(
                &dynamics,
                &state,
                Method::SparseKkt,
                Stabilization::Projection(Metric::Mass),
                &options(tolerance),
                *end,
                &mut (),
            );
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            let off = |a: &[f64], b: &[f64]| {
                a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())))
            };
            let planar = dynamics.system().is_planar();
            let (mut q, mut v) = (q.clone(), v.clone());
            if !planar {
                // the reference has velocities of mass centres first, and may have the negative quaternion
                v.chunks_mut(6).for_each(|body| body.rotate_left(3));
                for (body, found) in q.chunks_mut(7).zip(found.q.chunks(7)) {
                    let same: f64 = body[3..].iter().zip(&found[3..]).map(|(a, b)| a * b).sum();
                    body[3..].iter_mut().for_each(|x| *x *= same.signum());
                }
            }
            let error = off(&found.q, &q).max(off(&found.v, &v));
            // global errors over seconds of motion, which multiply those of the steps
            assert!(error < 500.0 * tolerance, "{name} at {tolerance:e}: {error:e}");
            assert!(found.position_residual < 1e-10, "{name}: {:e}", found.position_residual);
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
        Method::RangeSpace,
        Stabilization::None,
        &options(1e-6),
        1.0,
        &mut (),
    );
    let error = found.expect_err("a body without mass");
    assert!(matches!(error, Error::Constrained { .. }), "{error}");
    assert!(error.to_string().contains("range_space"), "{error}");
}
