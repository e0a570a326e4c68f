//! Ends of motions against references.

use pommel::integrate::{Adaptive, Options, Tableau};
use pommel::{Approach, integrate_constrained, integrate_verified};
use pommel_testkit::andrews;

use super::{approaches, error, load, truth};

/// Mechanisms that move as a reference does.
const MOTIONS: [&str; 19] = [
    "a01_pendulum",
    "a02_fourbar_n10",
    "a02_fourbar_n2",
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

/// Ends of motions are as accurate as asked, to ten times of it, redundant ones (Bricard's) among them, without a
/// flag.
#[test]
fn verified_motions_end_at_their_references() {
    for name in MOTIONS {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let end = truth(name).pop().expect("a state").0;
        for accuracy in [1e-6, 1e-9] {
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

/// Andrews' squeezing mechanism at 0.03 s against the end values that the *Test Set for Initial Value Problem Solvers*
/// publishes (PSIDE at 1e-14, printed to 16 digits). Its angles are relative; those of bodies are absolute.
#[test]
fn the_squeezer_ends_at_published_angles() {
    let dynamics = load("a03_andrews");
    let state = dynamics.initial_state().expect("assembled");
    let approach = |tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::projected(Options::adaptive(Tableau::dormand_prince_853(), settings))
    };
    let found = integrate_verified(&dynamics, &state, approach, 0.03, 1e-9, &mut ());
    let found = found.expect("an end that is verified");
    let turned = |q: &[f64]| std::array::from_fn(|body| q[3 * body + 2]);
    let angles = andrews::angles(&turned(&found.run.q), &turned(&state.q));
    for (found, published) in angles.iter().zip(andrews::PUBLISHED) {
        // the published values are right to 1.1e-9 rad, in the first two angles
        let error = (found - published).abs();
        assert!(error < 3e-9 && error < 1e-8 * published.abs(), "{published}: off by {error:e}");
    }
}

/// Every approach moves mechanisms as their references move, in the plane and in space.
#[test]
fn all_approaches_end_at_the_references() {
    for name in ["chain2", "fourbar_ex32", "peaucellier", "slidercrank", "spatial_chain3", "fm24"] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let end = truth(name).pop().expect("a state").0;
        for (label, approach, limit) in approaches() {
            let run = integrate_constrained(&dynamics, &state, &approach, end, &mut ());
            let run = run.unwrap_or_else(|error| panic!("{name}, {label}: {error}"));
            let error = error(name, &dynamics, &run);
            assert!(error < limit, "{name}, {label}: {error:e}");
        }
    }
}
