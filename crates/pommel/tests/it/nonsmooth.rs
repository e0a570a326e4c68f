//! Friction with stick, stops, contacts: motions of model files against closed forms.

use pommel::Error;
use pommel::absolute::AbsoluteState;
use pommel::integrate::{Adaptive, EventError, Options, Tableau};
use pommel::model::Mechanism;
use pommel::nonsmooth::{
    EventKind, EventRecord, NonsmoothDynamics, NonsmoothError, NonsmoothMotion, NonsmoothOptions,
    RubStatus,
};
use serde_json::Value;

use crate::datasets;

pub(crate) fn options() -> NonsmoothOptions {
    let tolerance = Adaptive::new(1e-13, 1e-13);
    NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_853(), tolerance))
}

fn load(name: &str) -> (NonsmoothDynamics, Value) {
    let mechanism = datasets::mechanism(&format!("mechanisms/{name}/model.toml"));
    let truth = datasets::json(&format!("mechanisms/{name}/truth.json"));
    (NonsmoothDynamics::new(&mechanism).expect(name), truth)
}

pub(crate) fn toml(text: &str) -> NonsmoothDynamics {
    NonsmoothDynamics::new(&Mechanism::from_toml_str(text).expect("a model")).expect("dynamics")
}

pub(crate) fn start(dynamics: &NonsmoothDynamics) -> AbsoluteState {
    dynamics.initial_state().expect("assembled")
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn list<'a>(truth: &'a Value, key: &str) -> &'a [Value] {
    truth[key].as_array().unwrap_or_else(|| panic!("{key} is no list"))
}

/// Runs through the states of a reference and compares them; returns the log.
fn follow(name: &str, keys: [&str; 2], place: usize, until: f64) -> Vec<EventRecord> {
    let (dynamics, truth) = load(name);
    let mut motion = NonsmoothMotion::new(&dynamics, &start(&dynamics), &options()).expect(name);
    for state in list(&truth, "states") {
        let t = number(state, "t");
        if t > until {
            break;
        }
        motion.integrate_to(t, &mut ()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let [x, v] = keys.map(|key| number(state, key));
        let found = [motion.q()[place], motion.v()[place]];
        assert!(
            (found[0] - x).abs() < 1e-8,
            "{name} at {t}: {} for {x}, {:?}",
            found[0],
            motion.log()
        );
        assert!((found[1] - v).abs() < 1e-8, "{name} at {t}: {} for {v}", found[1]);
    }
    motion.log().to_vec()
}

/// The times of a log are those of a list in the reference.
fn times(
    log: &[EventRecord],
    kinds: &[EventKind],
    expected: impl Iterator<Item = f64>,
    least: usize,
) {
    let found: Vec<f64> = log.iter().filter(|e| kinds.contains(&e.kind)).map(|e| e.t).collect();
    assert!(found.len() >= least, "{} events: {log:?}", found.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}: {log:?}");
    }
}

#[test]
fn oscillators_with_dry_friction_reverse_and_stick() {
    for (name, reversals, end) in
        [("ev_coulomb_oscillator", 4, 3.0), ("ev_viscous_coulomb_oscillator", 7, 5.0)]
    {
        let (dynamics, truth) = load(name);
        let log = follow(name, ["x", "v"], 0, end);
        let events = list(&truth, "events");
        let truth_of =
            |kind: &str| -> Vec<&Value> { events.iter().filter(|e| e["kind"] == kind).collect() };
        let expected = truth_of("reversal").into_iter().map(|e| number(e, "t"));
        times(&log, &[EventKind::Reversal], expected, reversals);
        // the last one sticks, and holds
        let last = truth_of("stick")[0];
        let mut motion =
            NonsmoothMotion::new(&dynamics, &start(&dynamics), &options()).expect(name);
        motion.integrate_to(end, &mut ()).expect(name);
        let stick = motion.log().last().expect("an event");
        assert_eq!(
            (stick.kind, stick.name.as_str()),
            (EventKind::Stick, "slide"),
            "{:?}",
            motion.log()
        );
        assert!((stick.t - number(last, "t")).abs() < 1e-9, "{stick:?}");
        assert!((motion.q()[0] - number(last, "x")).abs() < 1e-8, "{}", motion.q()[0]);
        assert_eq!(
            motion.log().iter().filter(|e| e.kind == EventKind::Reversal).count(),
            reversals
        );
        assert!(matches!(motion.rub(0), RubStatus::Sticks { .. }));
        let held = motion.q()[0];
        motion.integrate_to(100.0, &mut ()).expect("rest");
        assert!((motion.q()[0] - held).abs() < 1e-14, "{:e}", motion.q()[0] - held);
        assert!(motion.v()[0].abs() < 1e-14, "{:e}", motion.v()[0]);
    }
}

#[test]
fn a_belt_takes_a_mass_along_and_loses_it() {
    let log = follow("ev_belt_stickslip", ["x", "v"], 0, 10.0);
    let (_, truth) = load("ev_belt_stickslip");
    let events = list(&truth, "events").iter();
    let log: Vec<EventRecord> = log.into_iter().filter(|e| e.t > 0.0).collect();
    assert_eq!(log.len(), 5, "{log:?}");
    for (found, expected) in log.iter().zip(events) {
        assert!((found.t - number(expected, "t")).abs() < 1e-9, "{found:?} for {expected}");
        let kind =
            if expected["kind"] == "slip starts" { EventKind::Slip } else { EventKind::Stick };
        assert_eq!(found.kind, kind);
    }
    // friction while it sticks reaches 5 N, and is 3 N then
    assert!(
        (log[0].before - 5.0).abs() < 1e-8 && (log[0].after - 3.0).abs() < 1e-9,
        "{:?}",
        log[0]
    );
}

#[test]
fn a_sled_breaks_away_and_comes_to_rest() {
    let log = follow("ev_drag_sled", ["x", "v"], 0, 10.0);
    let log: Vec<EventRecord> = log.into_iter().filter(|e| e.t > 0.0).collect();
    let kinds: Vec<EventKind> = log.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::Slip, EventKind::Stick], "{log:?}");
    assert!(
        (log[0].t - 2.3544).abs() < 1e-9 && (log[1].t - 5.907509289840299).abs() < 1e-9,
        "{log:?}"
    );
}

#[test]
fn walls_throw_back() {
    for (name, keys, place, rates, until) in [
        ("ev_oscillator_wall", ["x", "v"], 0, ["v_minus", "v_plus"], 10.0),
        ("ev_pendulum_wall", ["psi", "psi_dot"], 2, ["w_minus", "w_plus"], 10.0),
        ("ev_bouncing_ball", ["y", "v"], 1, ["v_minus", "v_plus"], 3.9),
    ] {
        let log = follow(name, keys, place, until);
        let (_, truth) = load(name);
        let impacts = list(&truth, "impacts");
        times(&log, &[EventKind::Impact], impacts.iter().map(|e| number(e, "t")), 3);
        for (found, expected) in log.iter().zip(impacts) {
            let [before, after] = rates.map(|key| number(expected, key));
            assert!((found.before - before).abs() < 1e-8, "{name}: {found:?} for {expected}");
            assert!((found.after - after).abs() < 1e-8, "{name}: {found:?} for {expected}");
        }
    }
}

#[test]
fn a_bouncing_ball_ends_where_its_impacts_pile_up_or_rests() {
    let (dynamics, truth) = load("ev_bouncing_ball");
    let limit_time = number(&truth, "zeno_time");
    let mut motion =
        NonsmoothMotion::new(&dynamics, &start(&dynamics), &options()).expect("a motion");
    let error = motion.integrate_to(5.0, &mut ()).expect_err("impacts pile up");
    let Error::Nonsmooth(error) = error else { panic!("{error}") };
    let NonsmoothError::Events { source: EventError::Zeno { name, limit, .. }, .. } = &*error
    else {
        panic!("{error}")
    };
    assert_eq!(name, "floor");
    assert!((limit - limit_time).abs() < 1e-8, "{limit}");
    assert!(error.to_string().contains("pile up"), "{error}");
    assert!(motion.log().len() > 30 && motion.t() < limit_time);
    // with a speed of rest it closes, and stays
    let options = NonsmoothOptions { rest_speed: 1e-6, ..options() };
    let mut motion =
        NonsmoothMotion::new(&dynamics, &start(&dynamics), &options).expect("a motion");
    motion.integrate_to(5.0, &mut ()).expect("rest");
    assert!(motion.is_closed(0));
    let last = motion.log().last().expect("an event");
    assert_eq!(last.kind, EventKind::Closed);
    assert!((last.t - limit_time).abs() < 1e-6, "{last:?}");
    assert!(motion.q()[1].abs() < 1e-14 && motion.v()[1].abs() < 1e-14, "{:?}", motion.q());
}
