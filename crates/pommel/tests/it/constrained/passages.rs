//! Singular positions on the way.

use pommel::integrate::{Adaptive, Control, Options, Step, Tableau};
use pommel::{Approach, integrate_constrained};

use super::{approaches, error, load, truth};

/// A mechanism passes singular positions, where all bars lie flat, without a flag: thirteen times in ten seconds. Tight
/// tolerances cost about what their order asks for, no pile of steps.
#[test]
fn singular_positions_are_passed() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let (five, eight) = (Tableau::dormand_prince_54(), Tableau::dormand_prince_853());
    for (tableau, tolerance, most) in [
        (&five, 1e-6, 300),
        (&five, 1e-9, 1000),
        (&five, 1e-10, 1500),
        (&five, 1e-11, 2500),
        (&eight, 1e-6, 150),
        (&eight, 1e-10, 400),
        (&eight, 1e-11, 600),
        (&eight, 1e-13, 1200),
    ] {
        let settings = Adaptive::new(tolerance, tolerance);
        let approach = Approach::projected(Options::adaptive(tableau.clone(), settings));
        let found = integrate_constrained(&dynamics, &state, &approach, 10.0, &mut ());
        let found = found.unwrap_or_else(|error| panic!("{tolerance:e}: {error}"));
        let error = error(name, &dynamics, &found);
        // errors of steps add up over ten seconds
        assert!(error < 500.0 * tolerance, "{tolerance:e}: {error:e}");
        assert!(found.position_residual < 1e-10, "{:e}", found.position_residual);
        assert!(found.statistics.steps < most, "{tolerance:e}: {:?}", found.statistics);
    }
}

/// Samples around a singular position lie on the motion: all bars are parallel and energy is kept within the passage,
/// also where the motion ends next to that position or right at it.
#[test]
fn passages_are_seen_and_may_end_inside() {
    let dynamics = load("a02_fourbar_n2");
    let state = dynamics.initial_state().expect("assembled");
    let approach = |_| {
        let settings = Adaptive::new(1e-11, 1e-11);
        Approach::projected(Options::adaptive(Tableau::dormand_prince_54(), settings))
    };
    for end in [0.7, 0.714, 0.7143, 0.71435, 0.714355, 0.71435547, 0.7143555, 0.7144, 0.715, 0.74] {
        let accuracy = pommel::constrained::Accuracy::Steps(1e-11);
        let times = (end, 1e-3);
        let found = pommel::constrained::simulate_constrained(
            &dynamics,
            &state,
            &approach,
            accuracy,
            times,
            &mut |_| {},
        );
        let found = found.unwrap_or_else(|error| panic!("{end}: {error}"));
        let last = found.samples.last().expect("samples");
        assert_eq!(last.t, end);
        assert!(found.energy_drift < 1e-8, "{end}: {:e}", found.energy_drift);
        for sample in &found.samples {
            let off = (sample.q[2] - sample.q[5]).abs().max((sample.q[2] - sample.q[8]).abs());
            assert!(off < 1e-9, "{end}, {}: {off:e}", sample.t);
            let energy = sample.kinetic + sample.potential;
            assert!((energy - 35.835).abs() < 1e-8, "{end}, {}: {energy}", sample.t);
        }
    }
}

/// The reference of a diagram of work and precision is found over thirteen singular positions, and all that take part
/// reach its end.
#[test]
fn precision_is_known_over_singular_positions() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let found = pommel::precision::reference_end(&dynamics, &state, 10.0).expect("a reference");
    assert!(found.difference <= 1e-10, "{:e}", found.difference);
    let off = error(name, &dynamics, &found.run);
    assert!(off < 1e-9, "{off:e}");
    let reference = [&found.run.q[..], &found.run.v].concat();
    for contender in pommel::precision::contenders() {
        let measure = (&reference[..], f64::INFINITY);
        let rows =
            pommel::precision::precision(&dynamics, &state, 10.0, &contender, &[1e-6], measure);
        let row = &rows[0];
        assert!(row.failure.is_none(), "{}: {:?}", row.name, row.failure);
        assert!(row.error < 0.1, "{}: {:e}", row.name, row.error);
    }
}

/// Schemes with constraints in every step, implicit methods, and all ways against drift pass singular positions.
#[test]
fn all_approaches_pass_singular_positions() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let (end, q, v) = truth(name).swap_remove(1);
    let mut all = 0;
    for (label, approach, limit) in approaches() {
        let mut passages = 0;
        let mut watch = |step: &Step<'_, f64>| {
            passages += u32::from(step.visits().is_some());
            Control::Continue
        };
        let run = integrate_constrained(&dynamics, &state, &approach, end, &mut watch);
        let run = run.unwrap_or_else(|error| panic!("{label}: {error}"));
        let pairs = run.q.iter().chain(&run.v).zip(q.iter().chain(&v));
        let off = pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
        // the limit is that of longer motions
        assert!(off < 0.1 * limit, "{label}: {off:e}");
        // bars stay parallel
        let apart = (run.q[2] - run.q[5]).abs().max((run.q[2] - run.q[8]).abs());
        assert!(apart < 1e-12, "{label}: {apart:e}");
        // no pile of steps before the position
        assert!(run.statistics.steps < 150, "{label}: {:?}", run.statistics);
        assert!(passages <= 1, "{label}: one position, {passages} passages");
        all += passages;
    }
    assert!(all >= 3, "{all}");
}
