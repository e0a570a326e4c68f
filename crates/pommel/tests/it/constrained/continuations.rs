//! Mechanisms whose motion over singular positions is known in closed form.

use std::f64::consts::PI;

use pommel::constrained::{Accuracy, ConstrainedRun, simulate_constrained};
use pommel::integrate::{Adaptive, Control, Options, Step, Tableau};
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Approach, integrate_constrained};

/// Two bars of 1 m and 1 kg on pivots 1.5 m apart and a coupler of 1 kg between their tips: a parallelogram with an
/// inertia of 5/3 kg·m² against the angle of its bars. All bars lie flat at every half turn, where it might go on as an
/// antiparallelogram.
///
/// # Arguments
/// - `planar` whether in the plane, or in space about z
/// - `gravity` against y, m/s²
/// - `angle`, `rate` of the bars at the start
/// - `joint` more about the joint of the first bar with the ground
/// - `more` more of the model
pub(super) fn parallelogram(
    (planar, gravity): (bool, f64),
    (angle, rate): (f64, f64),
    joint: &str,
    more: &str,
) -> String {
    let (s, c) = angle.sin_cos();
    let kind = if planar { "planar" } else { "spatial" };
    let mut text = format!("name = \"parallelogram\"\nkind = \"{kind}\"\n");
    let vector = |x: f64, y: f64| {
        if planar { format!("[{x:?}, {y:?}]") } else { format!("[{x:?}, {y:?}, 0.0]") }
    };
    text += &format!("gravity = {}\n", vector(0.0, -gravity));
    let mut body = |name: &str, at: [f64; 2], v: [f64; 2], angle: f64, spin: f64| {
        let (position, velocity) = (vector(at[0], at[1]), vector(v[0], v[1]));
        let turned = if planar {
            format!("angle = {angle:?}\nangular_velocity = {spin:?}\ninertia = {:?}\n", 1.0 / 12.0)
        } else {
            format!(
                "rpy = [0.0, 0.0, {angle:?}]\nangular_velocity = [0.0, 0.0, {spin:?}]\n\
                 inertia = [0.01, {0:?}, {0:?}]\n",
                1.0 / 12.0
            )
        };
        text += &format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\nposition = {position}\nvelocity = {velocity}\n{turned}"
        );
    };
    let half = [-0.5 * rate * s, 0.5 * rate * c];
    body("bar0", [0.5 * c, 0.5 * s], half, angle, rate);
    body("bar1", [1.5 + 0.5 * c, 0.5 * s], half, angle, rate);
    body("coupler", [0.75 + c, s], [2.0 * half[0], 2.0 * half[1]], 0.0, 0.0);
    for (name, parent, child, from, to, more) in [
        ("ground_bar0", "ground", "bar0", 0.0, -0.5, joint),
        ("ground_bar1", "ground", "bar1", 1.5, -0.5, ""),
        ("bar0_coupler", "bar0", "coupler", 0.5, -0.75, ""),
        ("coupler_bar1", "coupler", "bar1", 0.75, 0.5, ""),
    ] {
        let (from, to) = (vector(from, 0.0), vector(to, 0.0));
        text += &format!(
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\nchild = \"{child}\"\n\
             in_parent = {{ position = {from} }}\nin_child = {{ position = {to} }}\n{more}\n"
        );
    }
    text + more
}

pub(super) fn dynamics(text: &str) -> AbsoluteDynamics {
    let mechanism = Mechanism::from_toml_str(text).expect("a model");
    AbsoluteDynamics::new(&mechanism).expect("a system")
}

fn approach(tableau: Tableau, tolerance: f64) -> Approach {
    let settings = Adaptive::new(tolerance, tolerance);
    Approach::projected(Options::adaptive(tableau, settings).max_steps(20_000))
}

/// Tolerances of both pairs that are tried.
fn approaches() -> Vec<(Approach, f64)> {
    let mut list = Vec::new();
    for tolerance in [1e-6, 1e-8, 1e-10, 1e-12] {
        list.push((approach(Tableau::dormand_prince_54(), tolerance), tolerance));
        list.push((approach(Tableau::dormand_prince_853(), tolerance), tolerance));
    }
    list
}

/// The end of a motion, and how many singular positions it passed in one step.
fn end_of(text: &str, approach: &Approach, end: f64) -> (ConstrainedRun, u32) {
    let dynamics = dynamics(text);
    let state = dynamics.initial_state().expect("assembled");
    let mut passages = 0;
    let mut watch = |step: &Step<'_, f64>| {
        passages += u32::from(step.visits().is_some());
        Control::Continue
    };
    let run = integrate_constrained(&dynamics, &state, approach, end, &mut watch);
    (run.unwrap_or_else(|error| panic!("{error}")), passages)
}

/// Angles and rates of three bodies in the plane.
fn check_planar(run: &ConstrainedRun, angles: [f64; 3], rates: [f64; 3], most: f64) {
    for b in 0..3 {
        let off = (run.q[3 * b + 2] - angles[b]).abs().max((run.v[3 * b + 2] - rates[b]).abs());
        assert!(off < most, "body {b}: {off:e} of {most:e}, {:?}", run.statistics);
    }
}

/// A damper lets the bars come to rest beyond two flat positions: `θ̇ = ω e^(−ct/J)`.
#[test]
fn a_damped_parallelogram_passes_singular_positions() {
    let (c, rate, end) = (0.5, 2.0, 6.0);
    let text = parallelogram((true, 0.0), (0.5, rate), &format!("damping = {c}"), "");
    let mut all = 0;
    for (approach, tolerance) in approaches() {
        let (run, passages) = end_of(&text, &approach, end);
        all += passages;
        let decay = (-c * end / (5.0 / 3.0)).exp();
        let angle = 0.5 + rate * (5.0 / 3.0) / c * (1.0 - decay);
        let rate = rate * decay;
        check_planar(&run, [angle, angle, 0.0], [rate, rate, 0.0], 500.0 * tolerance);
    }
    assert!(all > 0, "no position was passed");
}

/// Where a driver turns the first bar, nothing is left to integrate, and both ways to go on satisfy the constraints.
#[test]
fn a_driven_parallelogram_stays_one_over_singular_positions() {
    let driver = "[[drivers]]\nname = \"turn\"\njoint = \"ground_bar0\"\n\
                  motion = { type = \"polynomial\", coefficients = [0.5, 2.0, 0.3] }\n";
    let text = parallelogram((true, 0.0), (0.5, 2.0), "", driver);
    let mut all = 0;
    for (approach, tolerance) in approaches() {
        let (run, passages) = end_of(&text, &approach, 3.0);
        all += passages;
        let (angle, rate) = (0.5 + 6.0 + 2.7, 2.0 + 1.8);
        check_planar(&run, [angle, angle, 0.0], [rate, rate, 0.0], 500.0 * tolerance);
    }
    assert!(all > 0, "no position was passed");
}

/// A slider on the line of the crank's bearing, crank and rod of 1 m, pushed along `2 cos(t − 0.7)`: where both are
/// stretched it comes to rest for a moment, and the crank turns on at 1 rad/s, or back.
#[test]
fn a_driven_slider_crank_passes_singular_positions() {
    let (s, c) = (-0.7_f64).sin_cos();
    let text = format!(
        "name = \"slider crank\"\nkind = \"planar\"\ngravity = [0.0, -9.81]\n\
         [[bodies]]\nname = \"crank\"\nmass = 1.0\ninertia = 0.1\nposition = [{:?}, {:?}]\nangle = -0.7\n\
         velocity = [{:?}, {:?}]\nangular_velocity = 1.0\n\
         [[bodies]]\nname = \"rod\"\nmass = 1.0\ninertia = 0.1\nposition = [{:?}, {:?}]\nangle = 0.7\n\
         velocity = [{:?}, {:?}]\nangular_velocity = -1.0\n\
         [[bodies]]\nname = \"slider\"\nmass = 1.0\ninertia = 1.0\nposition = [{:?}, 0.0]\nangle = 0.0\n\
         velocity = [{:?}, 0.0]\nangular_velocity = 0.0\n\
         [[joints]]\nname = \"ground_crank\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"crank\"\n\
         in_child = {{ position = [-0.5, 0.0] }}\n\
         [[joints]]\nname = \"crank_rod\"\ntype = \"revolute\"\nparent = \"crank\"\nchild = \"rod\"\n\
         in_parent = {{ position = [0.5, 0.0] }}\nin_child = {{ position = [-0.5, 0.0] }}\n\
         [[joints]]\nname = \"rod_slider\"\ntype = \"revolute\"\nparent = \"rod\"\nchild = \"slider\"\n\
         in_parent = {{ position = [0.5, 0.0] }}\n\
         [[joints]]\nname = \"ground_slider\"\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"slider\"\n\
         axis = [1.0, 0.0]\n\
         [[drivers]]\nname = \"push\"\njoint = \"ground_slider\"\n\
         motion = {{ type = \"sine\", offset = 0.0, amplitude = 2.0, angular_frequency = 1.0, phase = {:?} }}\n",
        0.5 * c,
        0.5 * s,
        -0.5 * s,
        0.5 * c,
        1.5 * c,
        0.5 * s,
        -1.5 * s,
        0.5 * c,
        2.0 * c,
        -2.0 * s,
        0.5 * PI - 0.7
    );
    let mut all = 0;
    for (approach, tolerance) in approaches() {
        let (run, passages) = end_of(&text, &approach, 1.6);
        all += passages;
        check_planar(&run, [0.9, -0.9, 0.0], [1.0, -1.0, 0.0], 500.0 * tolerance);
    }
    assert!(all > 0, "no position was passed");
}

/// In space a spring in the joint of the first bar pulls by its whole angle, turns included: `J θ̈ = −k θ`. Flat
/// positions are passed at π and 2π, and at 2π again on the way back; a turn that is lost there would let the spring
/// rest.
#[test]
fn turns_are_kept_over_singular_positions() {
    let (start, rate, end) = (0.5_f64, 8.0, 2.5_f64);
    let joint = format!("stiffness = {:?}", 5.0 / 3.0);
    let text = parallelogram((false, 0.0), (start, rate), &joint, "");
    let mut all = 0;
    for (approach, tolerance) in approaches() {
        let (run, passages) = end_of(&text, &approach, end);
        all += passages;
        let angle = start * end.cos() + rate * end.sin();
        let turning = rate * end.cos() - start * end.sin();
        for b in 0..2 {
            let (w, z) = (run.q[7 * b + 3], run.q[7 * b + 6]);
            // half the angle, up to the sign of the quaternion
            let (sine, cosine) = (0.5 * angle).sin_cos();
            let off = (w * sine - z * cosine).abs().max((run.v[6 * b + 2] - turning).abs());
            assert!(off < 2e3 * tolerance, "body {b}, {tolerance:e}: {off:e} {:?}", run.statistics);
        }
    }
    assert!(all > 0, "no position was passed");
}

/// What a driver does over a singular position is known: energy less work stays.
#[test]
fn work_of_drivers_is_known_over_singular_positions() {
    let driver = "[[drivers]]\nname = \"turn\"\njoint = \"ground_bar0\"\n\
                  motion = { type = \"polynomial\", coefficients = [0.5, 2.0, 0.3] }\n";
    let text = parallelogram((true, 0.0), (0.5, 2.0), "damping = 0.5", driver);
    let dynamics = dynamics(&text);
    let state = dynamics.initial_state().expect("assembled");
    let mut all = 0;
    for tolerance in [1e-6, 1e-9, 1e-12] {
        let approach = approach(Tableau::dormand_prince_853(), tolerance);
        all += end_of(&text, &approach, 3.0).1;
        let found = simulate_constrained(
            &dynamics,
            &state,
            &|_| approach.clone(),
            Accuracy::Steps(tolerance),
            (3.0, 1e-3),
            &mut |_| {},
        );
        let found = found.expect("the end");
        // ordinary steps next to the position take the driver's power at interpolated places, whose rounding it multiplies
        let allowed = (1e3 * tolerance).max(3e-8);
        assert!(found.energy_drift < allowed, "{tolerance:e}: {:e}", found.energy_drift);
        for sample in &found.samples {
            let rate = 2.0 + 0.6 * sample.t;
            let work = 0.5 * (5.0 / 3.0) * (rate * rate - 4.0);
            let off = (sample.work - work).abs();
            assert!(off < allowed, "{tolerance:e}, {}: {off:e}", sample.t);
        }
    }
    assert!(all > 0, "no position was passed");
}

/// A wheel on a torsion spring that turns fast beside a parallelogram in space, 20 rad and more from zero: its turns are followed through it. `J θ̈ = −k (θ − 20)` of the wheel; the parallelogram
/// falls through its flat position and keeps its energy.
#[test]
fn turns_of_what_turns_fast_are_kept_over_singular_positions() {
    let (start, rate) = (20.0_f64, 40.0_f64);
    let (s, c) = (0.5 * start).sin_cos();
    let wheel = format!(
        "[[bodies]]\nname = \"wheel\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\nposition = [0.0, 5.0, 0.0]\n\
         quaternion = [{c:?}, 0.0, 0.0, {s:?}]\nvelocity = [0.0, 0.0, 0.0]\n\
         angular_velocity = [0.0, 0.0, {rate:?}]\n\
         [[joints]]\nname = \"hub\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"wheel\"\n\
         in_parent = {{ position = [0.0, 5.0, 0.0] }}\nstiffness = 0.1\nrest = {start:?}\n"
    );
    let text = parallelogram((false, 9.81), (2.0, 0.5), "", &wheel);
    let dynamics = dynamics(&text);
    let mut state = dynamics.initial_state().expect("assembled");
    // quaternions do not tell turns
    let part = start - 3.0 * std::f64::consts::TAU;
    let hub = state.turns.iter().position(|x| (x - part).abs() < 1e-9);
    state.turns[hub.expect("the angle of the wheel")] = start;
    let energy = 0.5 * (5.0 / 3.0) * 0.25 + 2.0 * 9.81 * 2.0_f64.sin();
    let mut passages = 0;
    for (approach, tolerance) in approaches() {
        let end = 1.0_f64;
        let mut watch = |step: &Step<'_, f64>| {
            passages += u32::from(step.visits().is_some());
            Control::Continue
        };
        let run = integrate_constrained(&dynamics, &state, &approach, end, &mut watch);
        let run = run.unwrap_or_else(|error| panic!("{tolerance:e}: {error}"));
        let off = (run.v[6 * 3 + 2] - rate * end.cos()).abs();
        assert!(off < 2e3 * tolerance, "{tolerance:e}: {off:e} {:?}", run.statistics);
        let (w, z, turning) = (run.q[3], run.q[6], run.v[2]);
        let found = 0.5 * (5.0 / 3.0) * turning * turning + 2.0 * 9.81 * 2.0 * w * z;
        assert!((found - energy).abs() < 2e3 * tolerance, "{tolerance:e}: {found}");
    }
    assert!(passages > 0, "{passages}");
}

/// Parallelograms that are driven, or pushed by a torque, `θ̈` constant, from many places before a flat position and at
/// many speeds, with loose tolerances and tight ones.
#[test]
fn many_starts_before_singular_positions_lead_through() {
    let mut all = 0;
    for k in 0..60 {
        // spread over their ranges without a pattern
        let part = |factor: u32, of: u32| f64::from((k * factor) % of) / f64::from(of);
        let start = PI - 0.02 - 0.9 * part(37, 101);
        let (rate, change) = (0.3 + 6.0 * part(53, 97), -3.0 + 6.0 * part(29, 89));
        let text = if k % 2 == 0 {
            let driver = format!(
                "[[drivers]]\nname = \"turn\"\njoint = \"ground_bar0\"\nmotion = {{ type = \"polynomial\", \
                 coefficients = [{start:?}, {rate:?}, {:?}] }}\n",
                0.5 * change
            );
            parallelogram((true, 0.0), (start, rate), "", &driver)
        } else {
            let torque = format!("torque = {:?}", change * 5.0 / 3.0);
            parallelogram((true, 0.0), (start, rate), &torque, "")
        };
        for (approach, tolerance) in approaches() {
            let (run, passages) = end_of(&text, &approach, 1.0);
            all += passages;
            let (angle, rate) = (start + rate + 0.5 * change, rate + change);
            check_planar(&run, [angle, angle, 0.0], [rate, rate, 0.0], 2e3 * tolerance);
        }
    }
    assert!(all > 20, "{all} passages");
}
