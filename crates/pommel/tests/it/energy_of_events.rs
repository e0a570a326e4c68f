//! Energy of motions with friction and impacts: what impacts and friction take is what is missing.

use pommel::integrate::{Adaptive, Options, Tableau};
use pommel::model::Mechanism;
use pommel::nonsmooth::{
    EventKind, EventRecord, NonsmoothDynamics, NonsmoothMotion, NonsmoothOptions,
};

fn options() -> NonsmoothOptions {
    let tolerance = Adaptive::new(1e-12, 1e-12);
    NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_853(), tolerance))
}

fn dynamics(text: &str) -> NonsmoothDynamics {
    NonsmoothDynamics::new(&Mechanism::from_toml_str(text).expect("sound")).expect("supported")
}

fn energy(motion: &NonsmoothMotion<'_>) -> f64 {
    let energy = motion.energy();
    energy.kinetic + energy.potential
}

/// What impacts on bodies of this mass took, by the rates in the log.
fn taken_by_impacts(motion: &NonsmoothMotion<'_>, mass: f64) -> f64 {
    let impacts = motion.log().iter().filter(|e| e.kind == EventKind::Impact);
    impacts.map(|e| 0.5 * mass * (e.before * e.before - e.after * e.after)).sum()
}

/// A ball of 3 kg from 1 m that keeps 0.8 of its speed: before impact n its energy is `m g h 0.8^{2n}`.
#[test]
fn each_bounce_takes_its_part_of_the_energy() {
    let dynamics = dynamics(
        r#"
        name = "ball"
        kind = "planar"
        gravity = [0.0, -9.81]
        bodies = [{ name = "ball", mass = 3.0, inertia = 1.0, position = [0.0, 1.0], velocity = [0.5, 0.0] }]
        joints = [{ name = "free", type = "free", parent = "ground", child = "ball" }]
        contacts = [{ name = "floor", body = "ball", plane = { normal = [0.0, 1.0] }, restitution = 0.8 }]
        "#,
    );
    let state = dynamics.initial_state().expect("assembled");
    let mut motion = NonsmoothMotion::new(&dynamics, &state, &options()).expect("a start");
    let start = energy(&motion);
    // along the floor nothing changes
    let along = 0.5 * 3.0 * 0.25;
    let mut bounces = 0;
    for time in 1..=35 {
        motion.integrate_to(0.1 * f64::from(time), &mut ()).expect("not at rest before 4.06 s");
        bounces = motion.log().len();
        let left = along + 3.0 * 9.81 * 0.64_f64.powi(bounces as i32);
        let balance = energy(&motion) + taken_by_impacts(&motion, 3.0) - start;
        assert!((energy(&motion) - left).abs() < 1e-9 * start, "{bounces}: {}", energy(&motion));
        assert!(balance.abs() < 1e-10 * start, "{bounces}: {balance:e}");
    }
    assert!(bounces >= 8, "{bounces}");
}

/// A block of 2 kg slides at 2 m/s against 8 N into a stop 0.3 m away that returns half the speed, and comes to
/// rest 0.05 m before it: friction takes 8 N along 0.35 m, the impact three quarters of what is left there.
#[test]
fn friction_and_a_stop_take_all_energy_of_a_block() {
    let dynamics = dynamics(
        r#"
        name = "block"
        kind = "planar"
        gravity = [0.0, 0.0]
        bodies = [{ name = "block", mass = 2.0, inertia = 1.0, position = [0.0, 0.0], velocity = [2.0, 0.0] }]
        joints = [{ name = "table", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block",
                    friction = { coulomb = 8.0, static = 9.0 }, limits = { upper = 0.3, restitution = 0.5 } }]
        "#,
    );
    let state = dynamics.initial_state().expect("assembled");
    let mut motion = NonsmoothMotion::new(&dynamics, &state, &options()).expect("a start");
    let start = energy(&motion);
    let (mut way, mut x) = (0.0, 0.0);
    for step in 1..=200 {
        motion.integrate_to(0.005 * f64::from(step), &mut ()).expect("the end");
        // it turns round at the stop only, within one of these steps
        let struck = motion.log().iter().any(|e| e.kind == EventKind::Impact);
        let now = motion.q()[0];
        way = if struck { 0.3 + (0.3 - now) } else { way + (now - x) };
        x = now;
        let balance = energy(&motion) + taken_by_impacts(&motion, 2.0) + 8.0 * way - start;
        assert!(balance.abs() < 1e-10 * start, "{}: {balance:e}", motion.t());
    }
    let impact = motion.log().iter().find(|e| e.kind == EventKind::Impact).expect("an impact");
    // v² = 4 − 2 · 4 · 0.3
    let speed = 1.6_f64.sqrt();
    assert!((impact.t - (2.0 - speed) / 4.0).abs() < 1e-9, "{impact:?}");
    assert!((impact.before + speed).abs() < 1e-9, "{impact:?}");
    assert!((impact.after - 0.5 * speed).abs() < 1e-9, "{impact:?}");
    assert!((taken_by_impacts(&motion, 2.0) - 0.75 * 1.6).abs() < 1e-9);
    assert!((motion.q()[0] - 0.25).abs() < 1e-9, "{}", motion.q()[0]);
    assert!(energy(&motion).abs() < 1e-12, "{:e}", energy(&motion));
    assert_eq!(motion.log().last().expect("it sticks").kind, EventKind::Stick);
}

/// A ball that leaves the floor with a small speed falls back onto it after `2 v / g`, however soon that is beside the
/// steps: here it stays.
#[test]
fn a_ball_that_hardly_leaves_the_floor_falls_back_onto_it() {
    for speed in [1e-2, 1e-4, 1e-6, 1e-8] {
        let dynamics = dynamics(&format!(
            r#"
            name = "hop"
            kind = "planar"
            gravity = [0.0, -10.0]
            bodies = [{{ name = "ball", mass = 3.0, inertia = 1.0, velocity = [0.5, {speed:e}] }}]
            joints = [{{ name = "free", type = "free", parent = "ground", child = "ball" }}]
            contacts = [{{ name = "floor", body = "ball", plane = {{ normal = [0.0, 1.0] }}, restitution = 0.8 }}]
            "#
        ));
        let options = NonsmoothOptions { rest_speed: 0.1, ..options() };
        let state = dynamics.initial_state().expect("assembled");
        let mut motion = NonsmoothMotion::new(&dynamics, &state, &options).expect("a start");
        motion.integrate_to(1.0, &mut ()).unwrap_or_else(|error| panic!("{speed:e}: {error}"));
        let [landing] = motion.log() else { panic!("{speed:e}: {:?}", motion.log()) };
        assert_eq!(landing.kind, EventKind::Closed, "{landing:?}");
        // events are found to 1e-12 of a step
        let (time, tolerance) = (speed / 5.0, 1e-9 * speed + 1e-13);
        assert!((landing.t - time).abs() < tolerance, "{speed:e}: {landing:?}");
        assert!(motion.q()[1].abs() < 1e-12, "{speed:e}: {:?}", motion.q());
        assert!((motion.q()[0] - 0.5).abs() < 1e-12, "{speed:e}: {:?}", motion.q());
    }
}

/// Event functions that are zero all the time are none: a ball that rests on the floor, a block that sticks.
#[test]
fn what_touches_and_what_sticks_from_the_start_has_no_events() {
    let resting = dynamics(
        r#"
        name = "resting"
        kind = "planar"
        gravity = [0.0, -9.81]
        bodies = [{ name = "ball", mass = 3.0, inertia = 1.0, velocity = [0.5, 0.0] }]
        joints = [{ name = "free", type = "free", parent = "ground", child = "ball" }]
        contacts = [{ name = "floor", body = "ball", plane = { normal = [0.0, 1.0] }, restitution = 0.8 }]
        "#,
    );
    let sticking = dynamics(
        r#"
        name = "sticking"
        kind = "planar"
        gravity = [1.0, 0.0]
        bodies = [{ name = "block", mass = 2.0, inertia = 1.0 }]
        joints = [{ name = "table", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "block",
                    friction = { coulomb = 8.0, static = 9.0 } }]
        "#,
    );
    // in the air and without gravity a gap of constant width
    let hovering = dynamics(
        r#"
        name = "hovering"
        kind = "planar"
        gravity = [0.0, 0.0]
        bodies = [{ name = "ball", mass = 3.0, inertia = 1.0, velocity = [0.5, 0.0] }]
        joints = [{ name = "free", type = "free", parent = "ground", child = "ball" }]
        contacts = [{ name = "floor", body = "ball", plane = { normal = [0.0, 1.0] } }]
        "#,
    );
    for (dynamics, x) in [(&resting, 1.0), (&sticking, 0.0), (&hovering, 1.0)] {
        let name = dynamics.mechanism().name();
        let state = dynamics.initial_state().expect("assembled");
        let mut motion = NonsmoothMotion::new(dynamics, &state, &options()).expect(name);
        motion.integrate_to(2.0, &mut ()).unwrap_or_else(|error| panic!("{name}: {error}"));
        // that a contact closes at the start may be told, with a speed of rounding
        let rounding = |e: &EventRecord| e.t == 0.0 && e.before.abs() < 1e-30;
        assert!(motion.log().iter().all(rounding), "{name}: {:?}", motion.log());
        assert!((motion.q()[0] - x).abs() < 1e-10, "{name}: {:?}", motion.q());
        assert!(motion.q()[1].abs() < 1e-12, "{name}: {:?}", motion.q());
    }
}
