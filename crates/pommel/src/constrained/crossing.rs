//! Tests of passages over motions that are known in closed form.

use pommel_integrate::Observer;
use pommel_mechanism::formulation::Method;
use pommel_model::Mechanism;

use super::passage::{Passage, Span};
use super::watch::Watch;
use super::way::Way;
use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

/// When the motions are singular.
const TIME: f64 = 1.0;

/// A motion at a time: angle, rate and acceleration of the bars, and of a wheel.
type Motion<'a> = &'a dyn Fn(f64) -> [[f64; 3]; 2];

/// A parallelogram of two bars of 1 m on pivots 1.5 m apart and a coupler, each of 1 kg, all flat at an angle of π at
/// [`TIME`]: 5/3 kg·m² against the angle of its bars. In space, turning about z, with a wheel of 0.1 kg·m² beside.
///
/// # Arguments
/// - `joint` more about the joint of the first bar with the ground
/// - `wheel` more about the joint of the wheel, in space
/// - `more` more of the model
fn parallelogram(joint: &str, wheel: Option<&str>, more: &str) -> AbsoluteDynamics {
    let planar = wheel.is_none();
    let vector = |x: f64, y: f64| {
        if planar { format!("[{x:?}, {y:?}]") } else { format!("[{x:?}, {y:?}, 0.0]") }
    };
    let kind = if planar { "planar" } else { "spatial" };
    let gravity = vector(0.0, 0.0);
    let mut text = format!("name = \"parallelogram\"\nkind = \"{kind}\"\ngravity = {gravity}\n");
    let twelfth = 1.0 / 12.0;
    for (name, x, y) in
        [("bar0", -0.5, 0.0), ("bar1", 1.0, 0.0), ("coupler", -0.25, 0.0), ("wheel", 0.0, 5.0)]
    {
        if planar && name == "wheel" {
            continue;
        }
        let angle = if name.starts_with("bar") { std::f64::consts::PI } else { 0.0 };
        let inertia = match (planar, name) {
            (true, _) => format!("angle = {angle:?}\ninertia = {twelfth:?}"),
            (false, "wheel") => "inertia = [0.1, 0.1, 0.1]".into(),
            (false, _) => {
                format!("rpy = [0.0, 0.0, {angle:?}]\ninertia = [0.01, {twelfth:?}, {twelfth:?}]")
            }
        };
        let position = vector(x, y);
        text += &format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\nposition = {position}\n{inertia}\n"
        );
    }
    for (name, parent, child, from, to, more) in [
        ("ground_bar0", "ground", "bar0", [0.0, 0.0], -0.5, joint),
        ("ground_bar1", "ground", "bar1", [1.5, 0.0], -0.5, ""),
        ("bar0_coupler", "bar0", "coupler", [0.5, 0.0], -0.75, ""),
        ("coupler_bar1", "coupler", "bar1", [0.75, 0.0], 0.5, ""),
        ("hub", "ground", "wheel", [0.0, 5.0], 0.0, wheel.unwrap_or_default()),
    ] {
        if planar && name == "hub" {
            continue;
        }
        let (from, to) = (vector(from[0], from[1]), vector(to, 0.0));
        text += &format!(
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\nchild = \"{child}\"\n\
             in_parent = {{ position = {from} }}\nin_child = {{ position = {to} }}\n{more}\n"
        );
    }
    let mechanism = Mechanism::from_toml_str(&(text + more)).expect("a model");
    AbsoluteDynamics::new(&mechanism).expect("a system")
}

/// State and derivative of the parallelogram, and of the wheel in space.
fn state(planar: bool, [bars, wheel]: [[f64; 3]; 2]) -> [Vec<f64>; 2] {
    let [mut q, mut v, mut dq, mut a] = <[Vec<f64>; 4]>::default();
    let still = [0.0; 3];
    let bodies = [
        ([0.0, 0.0], 0.5, bars),
        ([1.5, 0.0], 0.5, bars),
        ([0.75, 0.0], 1.0, still),
        ([0.0, 5.0], 0.0, wheel),
    ];
    for ([x, y], part, [angle, spin, spinning]) in
        bodies.into_iter().take(if planar { 3 } else { 4 })
    {
        // places are those on the bars, whatever turns there
        let [at, rate, acceleration] = bars;
        let (s, c) = at.sin_cos();
        let place = [x + part * c, y + part * s];
        let velocity = [-part * s * rate, part * c * rate];
        let (along, across) = (-part * rate * rate, part * acceleration);
        let change = [along * c - across * s, along * s + across * c];
        if planar {
            q.extend([place[0], place[1], angle]);
            v.extend([velocity[0], velocity[1], spin]);
            dq.extend([velocity[0], velocity[1], spin]);
            a.extend([change[0], change[1], spinning]);
        } else {
            let (s, c) = (0.5 * angle).sin_cos();
            q.extend([place[0], place[1], 0.0, c, 0.0, 0.0, s]);
            v.extend([0.0, 0.0, spin, velocity[0], velocity[1], 0.0]);
            let half = 0.5 * spin;
            dq.extend([velocity[0], velocity[1], 0.0, -half * s, 0.0, 0.0, half * c]);
            a.extend([0.0, 0.0, spinning, change[0], change[1], 0.0]);
        }
    }
    [[q, v].concat(), [dq, a].concat()]
}

/// Runs up to a singular position, and crosses it with the longest bridge that holds.
///
/// # Arguments
/// - `motion` that of bars and wheel
/// - `before` how long before [`TIME`] states of the way so far are
/// - `check` sees the step
fn cross(
    dynamics: &AbsoluteDynamics,
    motion: Motion<'_>,
    (before, since): (&[f64], f64),
    tolerance: f64,
    check: &mut dyn FnMut(&pommel_integrate::Step<'_, f64>),
) -> bool {
    // forces are those of the model
    let start = dynamics.initial_state().expect("flat bars");
    let mut way = Way::default();
    for before in before {
        let now = motion(TIME - before);
        let [y, dy] = state(dynamics.system().is_planar(), now);
        // in space, springs of the wheel count its turns
        let turns = vec![now[1][0]; start.turns.len()];
        way.remember(TIME - before, (&y, &dy), &turns);
    }
    let mut passage = Passage::new(dynamics, &start, Method::SparseKkt).expect("a small system");
    let Some((time, reach)) = passage.foresee(&mut way, since) else { return false };
    assert!((time - TIME).abs() < 0.02 * reach, "{time}, {reach}");
    for part in [1.0, 0.7, 0.5, 0.35, 0.25] {
        let span = Span { time, reach: part * reach, since };
        if passage.cross(&way, span, tolerance) {
            passage.enter(way.past.last().expect("a state"));
            check(&passage.step(span.far(), span, tolerance));
            return true;
        }
    }
    false
}

/// Times before the position where steps have shrunk.
const BEFORE: [f64; 7] = [0.3, 0.24, 0.17, 0.11, 0.06, 0.03, 0.015];

fn driver(motion: &str) -> String {
    format!("[[drivers]]\nname = \"turn\"\njoint = \"ground_bar0\"\nmotion = {{ {motion} }}\n")
}

/// With a damper (`θ̈ = −c θ̇ / J`), with a driver, which leaves nothing to integrate, and in space with a wheel that
/// turns about its spring's rest by some turns within the passage, 40 rad from zero: bars stay parallel, rates and states
/// within are those of the motion.
#[test]
fn passages_stay_on_the_motion() {
    let pi = std::f64::consts::PI;
    let damping = format!("damping = {:?}", 0.6 * 5.0 / 3.0);
    let damped = |t: f64| {
        let decay = (-0.6 * (t - TIME)).exp();
        [[pi + 2.0 / 0.6 * (1.0 - decay), 2.0 * decay, -1.2 * decay], [0.0; 3]]
    };
    let driven = |t: f64| [[pi - 2.0 + 1.5 * t + 0.5 * t * t, 1.5 + t, 1.0], [0.0; 3]];
    let motion = format!("type = \"polynomial\", coefficients = [{:?}, 1.5, 0.5]", pi - 2.0);
    // 0.1 θ̈ = −0.1 (θ − 40)
    let beside = |t: f64| {
        let (s, c) = (t - TIME).sin_cos();
        [[pi + 2.0 * (t - TIME), 2.0, 0.0], [40.0 + 50.0 * s, 50.0 * c, -50.0 * s]]
    };
    let spring = "stiffness = 0.1\nrest = 40.0";
    let motions: [(AbsoluteDynamics, Motion<'_>); 3] = [
        (parallelogram(&damping, None, ""), &damped),
        (parallelogram("", None, &driver(&motion)), &driven),
        (parallelogram("", Some(spring), ""), &beside),
    ];
    for (k, (dynamics, motion)) in motions.iter().enumerate() {
        let planar = dynamics.system().is_planar();
        for tolerance in [1e-4, 1e-6, 1e-9, 1e-12] {
            for since in [0.0, 0.93] {
                let mut check = |step: &pommel_integrate::Step<'_, f64>| {
                    let [end, dy] = state(planar, motion(step.t_new()));
                    let off = |a: &[f64], b: &[f64]| {
                        a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
                    };
                    // of high order, whatever the tolerance
                    let most = if planar { 1e-12 } else { tolerance };
                    let rates = off(step.dy_new(), &dy);
                    assert!(rates < 100.0 * most, "{k} {tolerance:e}: {rates:e}");
                    let (mut y, h) = (dy.clone(), step.t_new() - step.t_old());
                    for i in 0..=40 {
                        let t = (step.t_old() + h * f64::from(i) / 40.0).min(step.t_new());
                        step.interpolate(t, &mut y);
                        let off = off(&y, &state(planar, motion(t))[0]);
                        // within, it is the integral, which rounding puts off the constraints
                        assert!(off < most.max(1e-10), "{k} {tolerance:e}, {t}: {off:e}");
                    }
                    let off = off(step.y_new(), &end);
                    assert!(off < most, "{k} {tolerance:e}: {off:e}");
                    if !planar {
                        let beyond_half_a_turn = step.t_new() - step.t_old() > pi / 50.0;
                        assert!(beyond_half_a_turn, "{} to {}", step.t_old(), step.t_new());
                        let turns = vec![motion(step.t_old())[1][0]];
                        let start = dynamics.initial_state().expect("flat bars");
                        let old = AbsoluteState { turns, ..start };
                        let mut nobody = ();
                        let mut watch = Watch::new(dynamics, &old, &mut nobody);
                        watch.step(step);
                        let off = watch.turns()[0] - motion(step.t_new())[1][0];
                        assert!(off.abs() < 1e-3, "{off:e}");
                    }
                    let visits = step.visits().expect("a bridge");
                    assert!(visits.iter().all(|(t, _)| t >= since), "{since}");
                };
                let held = cross(dynamics, *motion, (&BEFORE, since), tolerance, &mut check);
                assert!(held, "{k} {tolerance:e} {since}");
            }
        }
    }
}

/// A driver whose rate jumps at the singular position: states beyond are on the constraints, but no smooth motion
/// leads there.
#[test]
fn what_goes_on_with_a_jump_is_not_passed() {
    let pi = std::f64::consts::PI;
    let table = format!(
        "type = \"table\", times = [0.0, 1.0, 2.0], values = [{:?}, {pi:?}, {:?}]",
        pi - 2.0,
        pi + 1.0
    );
    let dynamics = parallelogram("", None, &driver(&table));
    let motion = |t: f64| [[pi + 2.0 * (t - TIME), 2.0, 0.0], [0.0; 3]];
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-9] {
        assert!(
            !cross(&dynamics, &motion, (&BEFORE, 0.0), tolerance, &mut |_| {}),
            "{tolerance:e}"
        );
    }
}

/// One state is no guess, and what was before a time is not looked at.
#[test]
fn little_that_is_known_is_not_enough() {
    let pi = std::f64::consts::PI;
    let dynamics = parallelogram("", None, "");
    let motion = |t: f64| [[pi + 2.0 * (t - TIME), 2.0, 0.0], [0.0; 3]];
    let held =
        |before: &[f64], since| cross(&dynamics, &motion, (before, since), 1e-6, &mut |_| {});
    assert!(held(&BEFORE, 0.0));
    assert!(!held(&[0.03], 0.0));
    assert!(!held(&BEFORE, TIME - 0.02));
}
