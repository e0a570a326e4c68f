//! Springs, wrenches and torques between bodies.

use pommel::dynamics::TreeDynamics;
use pommel::model::Mechanism;
use pommel::simulate::{SimulateOptions, simulate};

/// Two free bodies and what acts between them.
fn two_bodies(forces: &str) -> Mechanism {
    let text = format!(
        r#"
        name = "two bodies"
        gravity = [0.3, -0.2, -1.0]
        bodies = [
            {{ name = "a", mass = 2.0, com = [0.1, 0.0, 0.2], inertia = [0.5, 0.6, 0.7] }},
            {{ name = "b", mass = 3.0, com = [0.0, 0.3, 0.0], inertia = [0.9, 0.8, 0.7] }},
        ]
        joints = [
            {{ name = "ja", type = "free", parent = "ground", child = "a" }},
            {{ name = "jb", type = "free", parent = "ground", child = "b" }},
        ]
        initial.q.jb = [1.0, 0.5, 0.2, 1.0, 0.0, 0.0, 0.0]
        initial.v.ja = [0.3, -0.4, 0.5, 0.1, 0.2, 0.3]
        {forces}
        "#
    );
    Mechanism::from_toml_str(&text).expect("sound")
}

const SPRING: &str = r#"
    [[forces]]
    type = "spring_damper"
    body1 = "a"
    point1 = [0.2, 0.0, 0.0]
    body2 = "b"
    point2 = [0.0, 0.0, 0.3]
    stiffness = 40.0
    damping = 1.5
    rest_length = 0.4
    [[forces]]
    type = "torque"
    body1 = "a"
    body2 = "b"
    axis = [0.0, 2.0, 0.0]
    torque = { type = "sine", amplitude = 3.0, angular_frequency = 2.0, phase = 0.0, offset = 0.0 }
"#;

/// Forces between the bodies are internal: momentum changes by gravity only, and the energy
/// balance closes with the work of spring, damper and torque.
#[test]
fn internal_forces_keep_momentum_and_balance_energy() {
    let mechanism = two_bodies(SPRING);
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    assert!(dynamics.is_isolated(mechanism.initial_state()));
    let options = SimulateOptions { every: Some(0.1), ..SimulateOptions::new(5.0) };
    let run = simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
    let d = run.diagnostics;
    assert!(d.kinetic_scale > 1.0, "nothing moves: {d:?}");
    assert!(d.energy_drift < 1e-6 * d.kinetic_scale, "{d:?}");
    assert!(d.linear_momentum_drift.expect("isolated") < 1e-6, "{d:?}");
    assert!(d.angular_momentum_drift.expect("isolated") < 1e-6, "{d:?}");
}

/// A constant force at the mass centre in world axes: a parabola.
#[test]
fn a_force_at_the_mass_centre_moves_it_as_newton_says() {
    let mechanism = two_bodies(
        r#"
        [[forces]]
        type = "wrench"
        body = "b"
        point = [0.0, 0.3, 0.0]
        force = [1.2, 0.0, 6.0]
        "#,
    );
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    assert!(!dynamics.is_isolated(mechanism.initial_state()));
    let options = SimulateOptions::new(2.0);
    let run = simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
    let end = run.samples.last().expect("the end");
    // no moment about the mass centre, so b does not turn, and its origin moves alike
    let acceleration = [0.3 + 1.2 / 3.0, -0.2, -1.0 + 6.0 / 3.0];
    for k in 0..3 {
        let x = [1.0, 0.5, 0.2][k] + 0.5 * acceleration[k] * 4.0;
        assert!((end.q[7 + k] - x).abs() < 1e-8, "{k}: {} {x}", end.q[7 + k]);
    }
    let d = run.diagnostics;
    assert!(d.energy_drift < 1e-6 * d.kinetic_scale, "{d:?}");
    assert_eq!(d.linear_momentum_drift, None);
}

/// A follower force turns with its body: on a body that spins at a constant rate it goes round.
#[test]
fn a_follower_force_turns_with_its_body() {
    let text = r#"
        name = "spinner"
        gravity = [0.0, 0.0, 0.0]
        bodies = [{ name = "a", mass = 2.0, inertia = [1.0, 1.0, 1.0] }]
        joints = [{ name = "j", type = "free", parent = "ground", child = "a" }]
        initial.v.j = [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
        [[forces]]
        type = "wrench"
        body = "a"
        frame = "body"
        force = [1.0, 0.0, 0.0]
    "#;
    let mechanism = Mechanism::from_toml_str(text).expect("sound");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let run =
        simulate(&dynamics, mechanism.initial_state(), &SimulateOptions::new(1.5), &mut |_| ())
            .expect("runs");
    let v = &run.samples.last().expect("the end").v;
    // v = F / (m ω) (sin ωt, 1 − cos ωt)
    let (sin, cos) = 3.0_f64.sin_cos();
    assert!((v[3] - 0.25 * sin).abs() < 1e-8 && (v[4] - 0.25 * (1.0 - cos)).abs() < 1e-8, "{v:?}");
}
