//! Friction, stops and contacts in mechanisms: loops, redundant rows, several at one time.

use pommel::Error;
use pommel::mechanism::formulation::Method;
use pommel::mechanism::impact::Restitution;
use pommel::model::{Driver, Friction, Limits, Mechanism, OneOrMany, TimeFunction};
use pommel::nonsmooth::{
    EventKind, EventRecord, NonsmoothDynamics, NonsmoothError, NonsmoothMotion, NonsmoothOptions,
    RubStatus,
};

use crate::datasets;
use crate::nonsmooth::{options, start, toml};

/// Runs a model to a time.
fn run<'a>(
    dynamics: &'a NonsmoothDynamics,
    options: &NonsmoothOptions,
    end: f64,
) -> NonsmoothMotion<'a> {
    let mut motion = NonsmoothMotion::new(dynamics, &start(dynamics), options).expect("a motion");
    motion.integrate_to(end, &mut ()).unwrap_or_else(|error| panic!("{error}: {:?}", motion.log()));
    motion
}

fn kinds(log: &[EventRecord]) -> Vec<(&str, EventKind)> {
    log.iter().map(|e| (e.name.as_str(), e.kind)).collect()
}

/// A block that a force of `−10 + 20 t` N holds against a stop until it lifts it off: x = 20/6 (t − ½)³.
#[test]
fn a_closed_stop_opens_when_it_would_have_to_pull() {
    let dynamics = toml(
        r#"
name = "press"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [{ name = "block", mass = 1.0, inertia = 1.0 }]
joints = [{ name = "rail", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block",
            limits = { lower = 0.0, restitution = 0.4 }, torque = { type = "polynomial", coefficients = [-10.0, 20.0] } }]
"#,
    );
    let motion = run(&dynamics, &options(), 1.0);
    assert_eq!(kinds(motion.log()), [("rail (lower limit)", EventKind::Opened)]);
    assert!((motion.log()[0].t - 0.5).abs() < 1e-9, "{:?}", motion.log());
    assert!((motion.q()[0] - 20.0 / 6.0 * 0.125).abs() < 1e-9, "{:?}", motion.q());
}

/// A plate without restitution falls 0.8 m, stays on the floor, and is pulled off it at 2 s.
#[test]
fn a_contact_closes_without_restitution() {
    let dynamics = toml(
        r#"
name = "plate"
gravity = [0.0, 0.0, -9.81]
bodies = [{ name = "plate", mass = 2.0, inertia = [0.1, 0.1, 0.1] }]
joints = [{ name = "free", type = "free", parent = "ground", child = "plate" }]
contacts = [{ name = "floor", body = "plate", radius = 0.2, plane = { normal = [0.0, 0.0, 3.0] } }]
forces = [{ type = "wrench", body = "plate", force = [0.0, 0.0, { type = "table", times = [0.0, 2.0, 2.0], values = [0.0, 0.0, 29.62] }] }]
[initial.q]
free = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
"#,
    );
    let motion = run(&dynamics, &options(), 3.0);
    let floor = "floor";
    assert_eq!(kinds(motion.log()), [(floor, EventKind::Closed), (floor, EventKind::Opened)]);
    let fall = (2.0 * 0.8 / 9.81_f64).sqrt();
    let first = &motion.log()[0];
    assert!(
        (first.t - fall).abs() < 1e-9 && (first.before + 9.81 * fall).abs() < 1e-9,
        "{first:?}"
    );
    assert!(first.after.abs() < 1e-12);
    assert_eq!(motion.log()[1].t, 2.0);
    // 29.62 / 2 − 9.81 = 5 m/s²
    assert!((motion.q()[2] - 0.2 - 2.5).abs() < 1e-9, "{:?}", motion.q());
}

/// Two rails of one block stick: friction is not unique, but what both hold is, 3 + 4 N. Then they rub with
/// 2 + 3 N.
#[test]
fn two_joints_that_stick_hold_what_both_can() {
    let dynamics = toml(
        r#"
name = "two rails"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [{ name = "block", mass = 2.0, inertia = 1.0 }]
joints = [
    { name = "a", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block",
      friction = { coulomb = 2.0, static = 3.0 }, torque = { type = "polynomial", coefficients = [0.0, 10.0] } },
    { name = "b", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block",
      friction = { coulomb = 3.0, static = 4.0 } },
]
"#,
    );
    let motion = run(&dynamics, &options(), 0.69);
    assert!(motion.log().is_empty() && motion.q()[0].abs() < 1e-14, "{:?}", motion.log());
    let motion = run(&dynamics, &options(), 1.0);
    assert_eq!(kinds(motion.log()), [("a", EventKind::Slip), ("b", EventKind::Slip)]);
    assert!(motion.log().iter().all(|e| (e.t - 0.7).abs() < 1e-9), "{:?}", motion.log());
    // 2 v̇ = 10 t − 5
    let v = (5.0 * (1.0 - 0.49) - 5.0 * 0.3) / 2.0;
    assert!((motion.v()[0] - v).abs() < 1e-9, "{} {v}", motion.v()[0]);
}

/// A redundant mechanism (three parallel cranks under a platform, of rank 11 of 12) that sticks in one joint.
/// All cranks at θ feel 9.81 cos θ (3/2 + 2) N·m of gravity; a torque that grows helps it to break away.
#[test]
fn a_redundant_mechanism_sticks_and_breaks_away() {
    let path = "mechanisms/double_parallel_crank/model.toml";
    let mut description = datasets::mechanism(path).description().clone();
    for body in &mut description.bodies {
        body.velocity = None;
        body.angular_velocity = None;
    }
    let joint = &mut description.joints[0];
    assert_eq!(joint.parent, "ground");
    let friction = Friction { coulomb: 15.0, r#static: Some(20.0), ..Friction::default() };
    joint.friction = Some(OneOrMany::One(friction));
    let torque = TimeFunction::Polynomial { coefficients: vec![0.0, -2.0] };
    joint.torque = Some(OneOrMany::One(torque));
    let mechanism = Mechanism::new(description).expect("a model");
    let dynamics = NonsmoothDynamics::new(&mechanism).expect("dynamics");
    let weight = 9.81 * 1.1_f64.cos() * 3.5;
    let breaks = (20.0 - weight) / 2.0;
    assert!(breaks > 1.0);
    let initial = start(&dynamics);
    let motion = run(&dynamics, &options(), breaks - 1e-3);
    assert!(motion.log().is_empty(), "{:?}", motion.log());
    let moved = motion.q().iter().zip(&initial.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(moved < 1e-13, "{moved:e}");
    let motion = run(&dynamics, &options(), breaks + 0.1);
    let log = motion.log();
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!(log[0].kind, EventKind::Slip);
    assert!((log[0].t - breaks).abs() < 1e-9, "{} for {breaks}", log[0].t);
    assert!((log[0].before - 20.0).abs() < 1e-8 && (log[0].after - 15.0).abs() < 1e-12, "{log:?}");
    // (3/3 + 2) θ̈ = −9.81 cos θ · 3.5 − 2 t + 15, of which cos θ has hardly changed within 0.1 s
    let acceleration = |t: f64| (-weight - 2.0 * t + 15.0) / 3.0;
    let v = 0.1 * 0.5 * (acceleration(breaks) + acceleration(breaks + 0.1));
    let found = motion.v()[2];
    assert!((found - v).abs() < 2e-2 * v.abs() && found < 0.0, "{found} {v}");
}

fn four_bar(restitution: f64) -> NonsmoothDynamics {
    let path = "mechanisms/fourbar_ex32/model.toml";
    let mut description = datasets::mechanism(path).description().clone();
    let joint = &mut description.joints[0];
    assert_eq!(joint.parent, "ground");
    let start = description.bodies[0].angle.expect("an angle");
    let limits = Limits {
        lower: Some(start - 0.8),
        upper: Some(start + 0.5),
        restitution,
        ..Limits::default()
    };
    joint.limits = Some(OneOrMany::One(limits));
    NonsmoothDynamics::new(&Mechanism::new(description).expect("a model")).expect("dynamics")
}

/// A four-bar between two stops: with a coefficient of 1 it keeps its energy through all impacts, with less it
/// loses it there and only there; loops stay closed, and neither stop is passed.
#[test]
fn a_four_bar_between_stops_keeps_or_loses_energy() {
    for law in [Restitution::Newton, Restitution::Poisson] {
        for e in [1.0, 0.7] {
            let dynamics = four_bar(e);
            let options = NonsmoothOptions { restitution: law, ..options() };
            let mut motion =
                NonsmoothMotion::new(&dynamics, &start(&dynamics), &options).expect("a motion");
            let energy = |motion: &NonsmoothMotion<'_>| {
                let energy = motion.energy();
                energy.kinetic + energy.potential
            };
            let (mut impacts, mut before) = (0, energy(&motion));
            let first = before;
            for step in 1..=20 {
                motion.integrate_to(0.1 * f64::from(step), &mut ()).expect("a motion");
                let (now, count) = (energy(&motion), motion.log().len());
                if e == 1.0 || count == impacts {
                    assert!((now - before).abs() < 1e-9 * first.abs().max(1.0), "{now} {before}");
                } else {
                    assert!(now < before - 1e-6, "{now} {before}");
                }
                (impacts, before) = (count, now);
                let residual = {
                    let system = dynamics.system();
                    let mut evaluation = pommel::mechanism::Evaluation::new(system);
                    system.evaluate(motion.t(), motion.q(), motion.v(), &mut evaluation);
                    evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()))
                };
                assert!(residual < 1e-11, "{residual:e}");
            }
            assert!(impacts >= 3, "{:?}", motion.log());
            for event in motion.log() {
                assert_eq!(event.kind, EventKind::Impact);
                assert!((event.after + e * event.before).abs() < 1e-9, "{event:?}");
            }
        }
    }
}

/// A block with a rail on another one runs into it and makes it slide: friction is no impulse. Both go on with
/// 1 m/s, against 4 N on 2 kg, and rest after half a second.
#[test]
fn an_impact_breaks_what_sticks() {
    let dynamics = toml(
        r#"
name = "bump"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [{ name = "a", mass = 1.0, inertia = 1.0 }, { name = "b", mass = 1.0, inertia = 1.0 }]
joints = [
    { name = "table", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "a", friction = { coulomb = 4.0, static = 100.0 } },
    { name = "gap", type = "prismatic", axis = [1.0, 0.0], parent = "a", child = "b", limits = { lower = 0.0 } },
]
[initial.q]
gap = [1.0]
[initial.v]
gap = [-2.0]
"#,
    );
    let motion = run(&dynamics, &options(), 3.0);
    let expected = [
        ("table", EventKind::Slip),
        ("gap (lower limit)", EventKind::Closed),
        ("table", EventKind::Stick),
    ];
    assert_eq!(kinds(motion.log()), expected);
    let times: Vec<f64> = motion.log().iter().map(|e| e.t).collect();
    assert!((times[0] - 0.5).abs() < 1e-9 && (times[2] - 1.0).abs() < 1e-9, "{times:?}");
    assert!((motion.q()[0] + 0.25).abs() < 1e-9 && (motion.q()[3] + 0.25).abs() < 1e-9);
    assert!(matches!(motion.rub(0), RubStatus::Sticks { .. }) && motion.is_closed(0));
}

/// Blocks that nearly touch hand on an impact one by one: only the last one moves then.
#[test]
fn a_cradle_with_gaps_hands_on_the_impact() {
    let dynamics = toml(
        r#"
name = "cradle"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [
    { name = "a", mass = 1.0, inertia = 1.0 }, { name = "b", mass = 1.0, inertia = 1.0 }, { name = "c", mass = 1.0, inertia = 1.0 },
]
joints = [
    { name = "ra", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "a" },
    { name = "rb", type = "prismatic", axis = [1.0, 0.0], parent = "a", child = "b", limits = { lower = 0.1, restitution = 1.0 } },
    { name = "rc", type = "prismatic", axis = [1.0, 0.0], parent = "b", child = "c", limits = { lower = 0.1, restitution = 1.0 } },
]
[initial.q]
rb = [0.5]
rc = [0.101]
[initial.v]
ra = [2.0]
rb = [-2.0]
"#,
    );
    let motion = run(&dynamics, &options(), 1.0);
    let v = [motion.v()[0], motion.v()[3], motion.v()[6]];
    assert!(v[0].abs() < 1e-12 && v[1].abs() < 1e-12 && (v[2] - 2.0).abs() < 1e-12, "{v:?}");
    let times: Vec<f64> = motion.log().iter().map(|e| e.t).collect();
    assert!((times[0] - 0.2).abs() < 1e-9 && (times[1] - 0.2005).abs() < 1e-9, "{times:?}");
}

/// Two pendulum bobs that meet their stops at one time: the log has them in the order of the model, and a second
/// run is the same to the bit.
#[test]
fn simultaneous_events_have_one_order() {
    let model = |names: [&str; 2]| {
        let [a, b] = names;
        format!(
            r#"
name = "twins"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [{{ name = "{a}", mass = 1.0, inertia = 1.0 }}, {{ name = "{b}", mass = 3.0, inertia = 1.0 }}]
joints = [
    {{ name = "{a}", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "{a}", stiffness = 4.0, limits = {{ lower = -0.2, restitution = 0.9 }} }},
    {{ name = "{b}", type = "prismatic", axis = [0.0, 1.0], parent = "ground", child = "{b}", stiffness = 12.0, limits = {{ lower = -0.2, restitution = 0.9 }} }},
]
[initial.q]
{a} = [1.0]
{b} = [1.0]
"#
        )
    };
    for names in [["a", "b"], ["b", "a"]] {
        let dynamics = toml(&model(names));
        let motion = run(&dynamics, &options(), 8.0);
        let log = motion.log();
        assert!(log.len() >= 6 && log.len().is_multiple_of(2), "{log:?}");
        for pair in log.chunks(2) {
            assert!((pair[0].t - pair[1].t).abs() < 1e-11, "{pair:?}");
            if pair[0].t == pair[1].t {
                assert!(pair[0].name.starts_with(names[0]) && pair[1].name.starts_with(names[1]));
            }
        }
        assert_eq!(log[0].t, log[1].t);
        assert_eq!(run(&dynamics, &options(), 8.0).log(), log);
    }
}

/// A torsion pendulum in space with dry friction, over more than a turn: the oscillator of the data set times 20.
#[test]
fn a_revolute_joint_in_space_sticks_after_turns() {
    let dynamics = toml(
        r#"
name = "torsion"
gravity = [0.0, 0.0, 0.0]
bodies = [{ name = "disc", mass = 1.0, inertia = [1.0, 1.0, 1.0] }]
joints = [{ name = "rod", type = "revolute", axis = [1.0, 2.0, 2.0], parent = "ground", child = "disc", stiffness = 40.0,
            friction = { coulomb = 40.0, static = 50.0 }, limits = { lower = -8.5, upper = 10.5 } }]
[initial.q]
rod = [10.0]
"#,
    );
    let motion = run(&dynamics, &options(), 3.0);
    let truth = datasets::json("mechanisms/ev_coulomb_oscillator/truth.json");
    let events = truth["events"].as_array().expect("a list");
    let log = motion.log();
    assert_eq!(log.len(), 5, "{log:?}");
    for (found, expected) in log.iter().zip(events) {
        assert!((found.t - expected["t"].as_f64().expect("t")).abs() < 1e-9, "{found:?}");
    }
    assert_eq!(log[4].kind, EventKind::Stick);
    assert!(motion.q()[3].abs() > 1.0 - 1e-12, "no turn is left: {:?}", motion.q());
}

/// Static and sliding friction of one size: it breaks away without a jump; and a force that is just that
/// size, or no force at all on what touches, is no event.
#[test]
fn marginal_cases_go_on() {
    let block = |force: &str, more: &str| {
        toml(&format!(
            r#"
name = "block"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [{{ name = "block", mass = 2.0, inertia = 1.0 }}]
joints = [{{ name = "table", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block", torque = {force}, {more} }}]
"#
        ))
    };
    let ramp = "{ type = \"polynomial\", coefficients = [0.0, 20.0] }";
    let dynamics = block(ramp, "friction = { coulomb = 5.0 }");
    let motion = run(&dynamics, &options(), 1.0);
    assert_eq!(kinds(motion.log()), [("table", EventKind::Slip)]);
    assert!((motion.log()[0].t - 0.25).abs() < 1e-9, "{:?}", motion.log());
    // 2 v̇ = 20 t − 5
    let v = (10.0 * (1.0 - 0.0625) - 5.0 * 0.75) / 2.0;
    assert!((motion.v()[0] - v).abs() < 1e-9, "{} {v}", motion.v()[0]);
    let dynamics = block("5.0", "friction = { coulomb = 5.0 }");
    assert!(run(&dynamics, &options(), 10.0).v()[0].abs() < 1e-12);
    let dynamics = block("0.0", "limits = { lower = 0.0, restitution = 0.5 }");
    assert!(run(&dynamics, &options(), 10.0).log().is_empty());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let dynamics = four_bar(0.5);
    let state = start(&dynamics);
    let refused =
        |options: &NonsmoothOptions| match NonsmoothMotion::new(&dynamics, &state, options) {
            Err(Error::Nonsmooth(error)) => *error,
            other => panic!("{other:?}"),
        };
    let with = NonsmoothOptions { method: Method::Recursion, ..options() };
    assert!(matches!(refused(&with), NonsmoothError::Method { method: Method::Recursion }));
    for speed in [-1.0, f64::NAN] {
        let with = NonsmoothOptions { rest_speed: speed, ..options() };
        assert!(matches!(refused(&with), NonsmoothError::RestSpeed { .. }));
    }
    let mut beyond = state.clone();
    beyond.q[2] += 1.0;
    let error = NonsmoothMotion::new(&dynamics, &beyond, &options()).expect_err("beyond a stop");
    assert!(error.to_string().contains("upper limit"), "{error}");
    let mut motion = NonsmoothMotion::new(&dynamics, &state, &options()).expect("a motion");
    motion.integrate_to(0.1, &mut ()).expect("a motion");
    for end in [0.05, f64::NAN] {
        let error = motion.integrate_to(end, &mut ()).expect_err("backwards");
        assert!(error.to_string().contains("already"), "{error}");
    }
    // a force that is no number is told
    let mut poisoned = state.clone();
    poisoned.applied[0] = f64::NAN;
    let error = NonsmoothMotion::new(&dynamics, &poisoned, &options()).expect_err("no number");
    assert!(error.to_string().contains("force[0]"), "{error}");
}

/// A slider that a driven crank moves rubs: it does not stick at its dead centres, its friction reverses there.
#[test]
fn friction_of_a_driven_slider_reverses_at_dead_centres() {
    let mut description =
        datasets::mechanism("mechanisms/slidercrank/model.toml").description().clone();
    let friction = Friction { coulomb: 5.0, r#static: Some(50.0), ..Friction::default() };
    description.joints[3].friction = Some(OneOrMany::One(friction));
    let motion = TimeFunction::Polynomial { coefficients: vec![0.7, 4.0] };
    let joint = description.joints[0].name.clone();
    description.drivers.push(Driver { name: None, joint, coordinate: 0, motion });
    let mechanism = Mechanism::new(description).expect("a model");
    let dynamics = NonsmoothDynamics::new(&mechanism).expect("dynamics");
    let motion = run(&dynamics, &options(), 3.0);
    let log = motion.log();
    assert_eq!(log.len(), 4, "{log:?}");
    for (k, event) in log.iter().enumerate() {
        let t = (std::f64::consts::PI * (k as f64 + 1.0) - 0.7) / 4.0;
        assert!((event.t - t).abs() < 1e-9, "{} for {t}", event.t);
        let sense = if k % 2 == 0 { -1.0 } else { 1.0 };
        assert_eq!((event.kind, event.after), (EventKind::Reversal, 5.0 * sense), "{event:?}");
    }
}

/// A driver that starts and stops with a jolt moves a joint with friction.
#[test]
fn drivers_with_kinks_move_what_rubs() {
    let dynamics = toml(
        r#"
name = "jolt"
kind = "planar"
gravity = [0.0, 0.0]
bodies = [{ name = "block", mass = 2.0, inertia = 1.0 }, { name = "load", mass = 1.0, inertia = 1.0 }]
joints = [
    { name = "rail", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block", friction = { coulomb = 3.0 } },
    { name = "top", type = "prismatic", axis = [1.0, 0.0], parent = "block", child = "load", friction = { coulomb = 2.0 } },
]
drivers = [{ joint = "rail", motion = { type = "ramp", from = 0.0, to = 2.0, start = 1.0, end = 3.0 } }]
"#,
    );
    let motion = run(&dynamics, &options(), 2.0);
    // the load slips back, as the jolt is no impulse to it, and gains 2 m/s²: half a second, a quarter metre
    let expected = [("top", EventKind::Slip), ("top", EventKind::Stick)];
    assert_eq!(kinds(motion.log()), expected, "{:?}", motion.log());
    assert!((motion.log()[1].t - 1.5).abs() < 1e-9, "{:?}", motion.log());
    assert!((motion.q()[0] - 1.0).abs() < 1e-12 && (motion.q()[3] - 0.75).abs() < 1e-9);
    let motion = run(&dynamics, &options(), 5.0);
    // and runs on by as much at the end
    assert!(
        (motion.q()[0] - 2.0).abs() < 1e-12 && (motion.q()[3] - 2.0).abs() < 1e-9,
        "{:?}",
        motion.q()
    );
    assert_eq!(motion.log().len(), 4, "{:?}", motion.log());
}

/// A box on four feet, of which three would do, with a load beyond them that grows by 10 N/s: it tips about the
/// edge of two feet when `F (b − a) = m g a`, and the other two lift off.
#[test]
fn a_box_on_four_feet_tips() {
    let mut text = r#"
name = "box"
gravity = [0.0, 0.0, -10.0]
bodies = [{ name = "box", mass = 3.0, com = [0.0, 0.0, 0.4], inertia = [0.5, 0.6, 0.7] }]
joints = [{ name = "free", type = "free", parent = "ground", child = "box" }]
forces = [{ type = "wrench", body = "box", point = [1.5, 0.0, 0.5], force = [0.0, 0.0, { type = "polynomial", coefficients = [0.0, -10.0] }] }]
"#
    .to_owned();
    for (k, (x, y)) in [(-0.5, -1.0), (0.5, -1.0), (-0.5, 1.0), (0.5, 1.0)].iter().enumerate() {
        text += &format!(
            "[[contacts]]\nname = \"foot {k}\"\nbody = \"box\"\npoint = [{x}, {y}, 0.0]\nrestitution = 0.3\n\
             plane = {{ normal = [0.0, 0.0, 1.0] }}\n"
        );
    }
    let dynamics = toml(&text);
    // 10 t (1.5 − 0.5) = 3 · 10 · 0.5
    let motion = run(&dynamics, &options(), 1.4);
    assert!(motion.log().is_empty(), "{:?}", motion.log());
    assert!((0..4).all(|foot| motion.is_closed(foot)));
    assert!(motion.v().iter().all(|v| v.abs() < 1e-12), "{:?}", motion.v());
    let motion = run(&dynamics, &options(), 1.7);
    let mut opened: Vec<&str> = motion.log().iter().map(|e| e.name.as_str()).collect();
    opened.sort_unstable();
    assert_eq!(opened, ["foot 0", "foot 2"], "{:?}", motion.log());
    for event in motion.log() {
        assert!(event.kind == EventKind::Opened && (event.t - 1.5).abs() < 1e-8, "{event:?}");
    }
    // it turns about the edge: the feet there stay, and it turns about y
    assert!(motion.is_closed(1) && motion.is_closed(3) && motion.v()[1] > 1e-3);
    assert!(motion.v()[0].abs() < 1e-10 && motion.v()[2].abs() < 1e-10, "{:?}", motion.v());
}
