//! Planar mechanisms integrated in the angles of their bodies, against references.

use pommel::constrained::{OpenLoopSystem, integrate_constrained, integrate_open_loop};
use pommel::dynamics::BodyPoint;
use pommel::integrate::{Adaptive, Options, Stepper, System, Tableau};
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Approach, Error};
use pommel_testkit::{andrews, count_allocations};
use serde_json::Value;

use crate::datasets::{json, mechanism, numbers};

fn load(name: &str) -> AbsoluteDynamics {
    let mechanism: Mechanism = mechanism(&format!("mechanisms/{name}/model.toml"));
    AbsoluteDynamics::new(&mechanism).expect(name)
}

fn options(tolerance: f64) -> Options {
    let settings = Adaptive::new(tolerance, tolerance);
    Options::adaptive(Tableau::dormand_prince_853(), settings).max_steps(1_000_000)
}

/// The time of the last reference state, its coordinates and velocities.
fn end(name: &str) -> (f64, Vec<f64>, Vec<f64>) {
    let document: Value = json(&format!("mechanisms/{name}/truth.json"));
    let last = document["states"].as_array().expect("states").last().expect("a state").clone();
    (last["t"].as_f64().expect("t"), numbers(&last["q"]), numbers(&last["v"]))
}

/// The largest difference relative to `1 + |value|`.
fn off(found: &[f64], expected: &[f64]) -> f64 {
    let pairs = found.iter().zip(expected);
    pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / (1.0 + b.abs())))
}

/// Planar mechanisms whose motions pass no singular position end at their references: to 1e-8 at a tolerance of 1e-11,
/// and a thousand times worse at most where the tolerance is ten thousand times that.
#[test]
fn motions_end_at_their_references() {
    for name in [
        "a01_pendulum",
        "a03_andrews",
        "chain2",
        "chain5",
        "conservative_fm24",
        "fm24",
        "fourbar_ex32",
        "peaucellier",
        "slidercrank",
    ] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let (end, q, v) = end(name);
        let error = |tolerance: f64| {
            let run = integrate_open_loop(&dynamics, &state, &options(tolerance), end, &mut ());
            let run = run.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(run.t, end);
            // closed to a ten-thousandth of the tolerance, and by 1e-13 of the reach at best
            let open = run.position_residual;
            assert!(open < 1e-12_f64.max(1e-3 * tolerance), "{name} at {tolerance:e}: {open:e}");
            off(&run.q, &q).max(off(&run.v, &v))
        };
        let (loose, tight) = (error(1e-7), error(1e-11));
        assert!(tight < 1e-8, "{name}: {tight:e}");
        assert!(loose < 1e-4 && loose > tight, "{name}: {loose:e}, {tight:e}");
    }
}

/// Steps of a motion allocate nothing: as much for a long one as for a short one.
#[test]
fn steps_do_not_allocate() {
    let dynamics = load("a03_andrews");
    let state = dynamics.initial_state().expect("assembled");
    let mechanism = dynamics.open_loop().expect("planar");
    let options = options(1e-6);
    let mut system = OpenLoopSystem::new(&mechanism, &state, 1e-6).expect("a system");
    let mut stepper = Stepper::new(14, &options).expect("a stepper");
    let start = OpenLoopSystem::start(&mechanism, &state);
    let mut y = start.clone();
    let mut run = |end: f64| {
        y.copy_from_slice(&start);
        let (ended, count) = count_allocations(|| {
            let run = stepper.run(&mut system, 0.0, end, &mut y, &mut ()).expect("options");
            run.into_result().is_ok()
        });
        assert!(ended);
        count
    };
    // the first one may choose another order of elimination
    run(0.03);
    assert_eq!(run(0.03), run(0.003));
}

/// The first stage of the step after a projection: that of the state before it where the change is within the tolerance,
/// and found anew where it is not.
#[test]
fn derivatives_after_a_projection_are_those_of_the_state_it_found() {
    let dynamics = load("a03_andrews");
    let state = dynamics.initial_state().expect("assembled");
    let mechanism = dynamics.open_loop().expect("planar");
    let mut system = OpenLoopSystem::new(&mechanism, &state, 1e-6).expect("a system");
    let mut stepper = Stepper::new(14, &options(1e-10)).expect("a stepper");
    let mut moving = OpenLoopSystem::start(&mechanism, &state);
    let run = stepper.run(&mut system, 0.0, 0.02, &mut moving, &mut ()).expect("options");
    assert!(run.into_result().is_ok());
    let largest = |list: &[f64]| list.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for (off, allowed) in [(1e-8, 1e-6), (1e-3, 0.0)] {
        let mut y = moving.clone();
        for (k, y) in y.iter_mut().enumerate() {
            *y *= 1.0 + off * (k as f64).sin();
        }
        let (mut found, mut expected) = ([0.0; 14], [0.0; 14]);
        system.rhs(0.02, &y, &mut found).expect("a solution");
        let before = (y.clone(), found);
        system.project(0.02, &mut y, &mut found);
        system.rhs(0.02, &y, &mut expected).expect("a solution");
        assert_ne!(before.0, y, "it was projected");
        assert_eq!(found[..7], y[7..], "rates of angles are those of the state");
        let apart: Vec<f64> = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
        let size = largest(&expected);
        assert!(largest(&apart) <= allowed * size, "{off:e}: {:e} of {size:e}", largest(&apart));
        // the first is kept, the second is not
        assert_eq!(found[7..] == before.1[7..], allowed > 0.0);
    }
}

#[test]
fn what_it_is_not_for_is_told() {
    let space = load("a05_flyball");
    let state = space.initial_state().expect("assembled");
    let found = integrate_open_loop(&space, &state, &options(1e-6), 1.0, &mut ());
    assert!(matches!(found, Err(Error::NotPlanar)), "{found:?}");
    // bars that lie flat are a singular position, after 0.6 s or so
    let bars = load("a02_fourbar_n2");
    let state = bars.initial_state().expect("assembled");
    let found = integrate_open_loop(&bars, &state, &options(1e-12), 10.0, &mut ());
    match found {
        Err(Error::Projection { time, .. }) => assert!(time > 0.0 && time < 10.0),
        Err(Error::Constrained { failure, .. }) => assert!(failure.t > 0.0 && failure.t < 10.0),
        other => panic!("{other:?}"),
    }
    let four_bar = load("fourbar_ex32");
    let mut state = four_bar.initial_state().expect("assembled");
    state.q[2] += 0.01;
    let found = integrate_open_loop(&four_bar, &state, &options(1e-6), 1.0, &mut ());
    assert!(matches!(found, Err(Error::Inconsistent { .. })), "{found:?}");
}

/// Andrews' squeezing mechanism ends at its published angles, which are right to 1.1e-9 rad.
#[test]
fn the_squeezer_ends_at_published_angles() {
    let dynamics = load("a03_andrews");
    let state = dynamics.initial_state().expect("assembled");
    let run = integrate_open_loop(&dynamics, &state, &options(1e-12), andrews::END, &mut ());
    let run = run.expect("an end");
    let turned = |q: &[f64]| std::array::from_fn(|body| q[3 * body + 2]);
    let found = andrews::angles(&turned(&run.q), &turned(&state.q));
    for (found, published) in found.iter().zip(andrews::PUBLISHED) {
        let error = (found - published).abs();
        assert!(error < 3e-9 && error < 1e-8 * published.abs(), "{published}: off by {error:e}");
    }
}

/// A force given as code acts as in absolute coordinates, and is named where it is no number.
#[test]
fn forces_given_as_code_act() {
    let four_bar = || {
        let mut dynamics = load("fourbar_ex32");
        let body = dynamics.mechanism().description().bodies.len() - 1;
        let tip = BodyPoint { body: Some(body), point: [0.2, 0.1, 0.0] };
        dynamics.add_force("drag", move |now| {
            let drag = now.velocity(tip).scale(-3.0);
            now.push(tip, drag);
        });
        dynamics
    };
    let dynamics = four_bar();
    let state = dynamics.initial_state().expect("assembled");
    let end = 2.0;
    let angles = integrate_open_loop(&dynamics, &state, &options(1e-11), end, &mut ());
    let angles = angles.expect("an end");
    let approach = Approach::projected(options(1e-11));
    let absolute = integrate_constrained(&dynamics, &state, &approach, end, &mut ());
    let absolute = absolute.expect("an end");
    let apart = off(&angles.q, &absolute.q).max(off(&angles.v, &absolute.v));
    assert!(apart < 1e-8, "{apart:e}");
    let without = load("fourbar_ex32");
    let free = integrate_open_loop(&without, &state, &options(1e-11), end, &mut ());
    let free = free.expect("an end");
    assert!(off(&angles.q, &free.q) > 1e-3, "the drag does something");
    let mut broken = four_bar();
    broken.add_force("cut", |now| {
        let torque = if now.time() > 0.5 { f64::NAN } else { 0.0 };
        now.generalized()[2] += torque;
    });
    match integrate_open_loop(&broken, &state, &options(1e-6), end, &mut ()) {
        Err(Error::Force { source, reached: Some(reached) }) => {
            assert_eq!(source.name, "cut");
            assert!(source.time > 0.5 && (reached - 0.5).abs() < 1e-6, "{reached}");
        }
        other => panic!("{other:?}"),
    }
    let backward = integrate_open_loop(&without, &state, &options(1e-6), -1.0, &mut ());
    assert!(matches!(backward, Err(Error::End { end: -1.0 })), "{backward:?}");
}
