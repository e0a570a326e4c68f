//! What options, observers and directions of time mean for passages over singular positions.

use pommel::Stabilization;
use pommel::integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel::integrate::{Adaptive, Cause, Control, ImplicitMethod, Options, Step, Tableau};
use pommel::mechanism::formulation::Method;
use pommel::{Approach, Error, integrate_constrained};

use super::continuations::{dynamics, parallelogram};
use super::{error, load};

/// Parallelogram that turns at 2 rad/s for ever, and lies flat at `θ = π` and so on: `θ = 0.5 + 2 t`.
fn turning() -> String {
    parallelogram((true, 0.0), (0.5, 2.0), "", "")
}

fn adaptive(tolerance: f64) -> Adaptive {
    Adaptive::new(tolerance, tolerance)
}

/// Passages are taken in parts where steps may not be larger, and each part is seen, and ends on the motion.
#[test]
fn no_step_is_larger_than_asked_for() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    for (most, tolerance) in [(0.01, 1e-11), (0.02, 1e-11), (0.013, 1e-10)] {
        let settings = adaptive(tolerance).max_step(most);
        let approach =
            Approach::projected(Options::adaptive(Tableau::dormand_prince_54(), settings));
        let (mut t, mut passages) = (0.0, 0);
        let mut watch = |step: &Step<'_, f64>| {
            assert_eq!(step.t_old(), t, "steps join");
            let h = step.t_new() - step.t_old();
            assert!(h > 0.0 && h < most * (1.0 + 1e-9), "{t}: {h}");
            t = step.t_new();
            passages += u32::from(step.visits().is_some());
            let q = step.y_new();
            let off = (q[2] - q[5]).abs().max((q[2] - q[8]).abs());
            assert!(off < 1e3 * tolerance, "{t}: {off:e}");
            Control::Continue
        };
        let run = integrate_constrained(&dynamics, &state, &approach, 10.0, &mut watch);
        let run = run.expect("the end");
        // short steps pass many of the positions without a passage
        assert!(passages > 1, "{passages} parts of passages");
        let off = error(name, &dynamics, &run);
        assert!(off < 500.0 * tolerance, "{off:e}");
        assert!(run.statistics.steps < 2500, "{:?}", run.statistics);
        assert!(run.position_residual < 1e-10, "{:e}", run.position_residual);
    }
}

/// Fixed steps stay on their grid over a position that is singular right at one of its times.
#[test]
fn fixed_steps_stay_on_their_grid() {
    let pi = std::f64::consts::PI;
    // flat at t = 1
    let text = parallelogram((true, 0.0), (pi - 1.0, 1.0), "", "");
    let dynamics = dynamics(&text);
    let state = dynamics.initial_state().expect("assembled");
    let radau = |level| Scheme::radau(ImplicitMethod::Radau5.tableau(), level);
    let constrained = |scheme, h| Approach::Constrained(MechanicsOptions::fixed(scheme, h));
    let mut passages = 0;
    for h in [0.05, 0.01] {
        for (approach, most) in [
            (Approach::projected(Options::fixed(Tableau::rk4(), h)), 1e-6),
            (
                Approach::Explicit {
                    method: Method::SparseKkt,
                    stabilization: Stabilization::Partitioning,
                    options: Options::fixed(Tableau::rk4(), h),
                },
                1e-4,
            ),
            (constrained(radau(Level::Stabilized), h), 1e-6),
            (constrained(radau(Level::Position), h), 1e-6),
            // of order 2
            (constrained(Scheme::Rattle, h), 0.5 * h * h),
        ] {
            let mut count = 0;
            let mut watch = |step: &Step<'_, f64>| {
                count += 1;
                passages += u32::from(step.visits().is_some());
                assert!((step.t_new() - h * f64::from(count)).abs() < 1e-9, "{}", step.t_new());
                Control::Continue
            };
            let run = integrate_constrained(&dynamics, &state, &approach, 2.0, &mut watch);
            let run = run.unwrap_or_else(|error| panic!("{h}, {most:e}: {error}"));
            assert_eq!(f64::from(count), (2.0 / h).round());
            for b in 0..2 {
                let off = (run.q[3 * b + 2] - pi - 1.0).abs();
                assert!(off < most, "{h}, bar {b}: {off:e} of {most:e}");
            }
        }
    }
    // schemes with constraints in every step do not go on without
    assert!(passages > 20, "{passages} parts of passages");
}

/// Who stops within a passage gets the state there: bars are parallel, with the energy of the start.
#[test]
fn a_passage_may_be_stopped() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    for (most, parts) in [(1.0, 1), (0.01, 1), (0.01, 3)] {
        let settings = adaptive(1e-11).max_step(most);
        let approach =
            Approach::projected(Options::adaptive(Tableau::dormand_prince_54(), settings));
        let (mut seen, mut last) = (0, 0.0);
        let mut watch = |step: &Step<'_, f64>| {
            last = step.t_new();
            seen += u32::from(step.visits().is_some());
            if seen == parts { Control::Stop } else { Control::Continue }
        };
        let run = integrate_constrained(&dynamics, &state, &approach, 5.0, &mut watch);
        let run = run.expect("a stop");
        assert_eq!((seen, run.t), (parts, last));
        for b in 0..3 {
            let (angle, rate) = (run.q[3 * b + 2], run.v[3 * b + 2]);
            let off = (angle - run.q[2]).abs().max((rate - run.v[2]).abs());
            // three bars and two couplers
            let energy = 1.5 * rate * rate + 3.5 * 9.81 * angle.sin();
            assert!(off < 1e-9 && (energy - 35.835).abs() < 1e-8, "{b}: {off:e}, {energy}");
        }
    }
}

/// The limit on steps is one of the whole motion: it ends it, wherever that is, and no passage is begun after it.
#[test]
fn the_limit_on_steps_is_kept() {
    let dynamics = dynamics(&turning());
    let state = dynamics.initial_state().expect("assembled");
    let run = |limit: u64| {
        let options = Options::adaptive(Tableau::dormand_prince_54(), adaptive(1e-9));
        let approach = Approach::projected(options.max_steps(limit));
        let mut steps = 0;
        let mut watch = |_: &Step<'_, f64>| {
            steps += 1;
            Control::Continue
        };
        (integrate_constrained(&dynamics, &state, &approach, 6.0, &mut watch), steps)
    };
    let (found, _) = run(100_000);
    let needed = found.expect("the end").statistics;
    let needed = needed.steps + needed.rejected;
    for limit in 1..needed {
        let (found, steps) = run(limit);
        let Err(Error::Constrained { failure, .. }) = &found else { panic!("{limit}: {found:?}") };
        let Cause::TooManySteps { limit: told } = failure.cause else { panic!("{failure}") };
        assert_eq!(told, limit);
        assert!(steps <= limit, "{steps} steps of {limit}");
    }
    assert!(run(needed + 1).0.is_ok());
}
