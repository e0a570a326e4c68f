//! Springs, wrenches and torques between bodies.

use pommel::dynamics::TreeDynamics;
use pommel::model::Mechanism;
use pommel::simulate::{SimulateOptions, simulate};

use crate::forces::{SPRING, two_bodies};

/// Two free bodies and what acts between them.
fn two_free_bodies(forces: &str) -> Mechanism {
    let start = "q.jb = [1.0, 0.5, 0.2, 1.0, 0.0, 0.0, 0.0]\n\
                 initial.v.ja = [0.3, -0.4, 0.5, 0.1, 0.2, 0.3]";
    two_bodies(r#"type = "free""#, start, forces)
}

const TORQUE: &str = r#"
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
    let mechanism = two_free_bodies(&[SPRING, TORQUE].concat());
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
    let mechanism = two_free_bodies(
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

/// A free body of 2 kg on a spring to the ground along x: `x = x₀ + A e^{−δt} (cos ωt + δ/ω sin ωt)`
/// about the rest position `0.6 − 5/50`, whichever end of the spring is named first.
#[test]
fn a_spring_to_the_ground_follows_its_closed_form() {
    let (stiffness, damping, mass) = (50.0_f64, 0.8_f64, 2.0_f64);
    let delta = damping / (2.0 * mass);
    let omega = (stiffness / mass - delta * delta).sqrt();
    let rest = 0.6 - 5.0 / stiffness;
    let (sin, cos) = (omega * 1.5).sin_cos();
    let truth = rest + (1.0 - rest) * (-delta * 1.5).exp() * (cos + delta / omega * sin);
    for ends in ["body1 = \"ground\"\nbody2 = \"a\"", "body1 = \"a\"\nbody2 = \"ground\""] {
        let text = format!(
            r#"
            name = "sprung"
            gravity = [0.0, 0.0, 0.0]
            bodies = [{{ name = "a", mass = 2.0, inertia = [1.0, 1.0, 1.0] }}]
            joints = [{{ name = "j", type = "free", parent = "ground", child = "a" }}]
            initial.q.j = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
            [[forces]]
            type = "spring_damper"
            {ends}
            stiffness = 50.0
            damping = 0.8
            rest_length = 0.6
            preload = 5.0
            "#
        );
        let mechanism = Mechanism::from_toml_str(&text).expect("sound");
        let dynamics = TreeDynamics::new(&mechanism).expect("supported");
        assert!(!dynamics.is_isolated(mechanism.initial_state()), "the ground feels the spring");
        let options = SimulateOptions::new(1.5);
        let run =
            simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
        let x = run.samples.last().expect("the end").q[0];
        assert!((x - truth).abs() < 1e-7, "{ends}: {x} {truth}");
    }
}

/// A torque of 1 N·m from the ground on a wheel of 1 kg·m² turns it by half a radian in a second.
#[test]
fn a_torque_from_the_ground_turns_its_second_body() {
    let text = r#"
        name = "wheel"
        gravity = [0.0, 0.0, 0.0]
        bodies = [{ name = "a", mass = 2.0, inertia = [3.0, 1.0, 2.0] }]
        joints = [{ name = "j", type = "free", parent = "ground", child = "a" }]
        [[forces]]
        type = "torque"
        body1 = "ground"
        body2 = "a"
        axis = [0.0, 4.0, 0.0]
        torque = 1.0
    "#;
    let mechanism = Mechanism::from_toml_str(text).expect("sound");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    assert!(!dynamics.is_isolated(mechanism.initial_state()));
    let options = SimulateOptions::new(1.0);
    let run = simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
    let end = run.samples.last().expect("the end");
    // half the angle in the quaternion's y part
    assert!((end.q[5] - 0.25_f64.sin()).abs() < 1e-9, "{:?}", end.q);
    assert!((end.v[1] - 1.0).abs() < 1e-9, "{:?}", end.v);
}

/// Viscous friction against a surface that moves drags the cart to the surface's velocity:
/// `v = u (1 − e^{−ct/m})`.
#[test]
fn viscous_friction_drags_towards_the_moving_surface() {
    let text = r#"
        name = "belt"
        gravity = [0.0, 0.0, 0.0]
        bodies = [{ name = "cart", mass = 2.0 }]
        [[joints]]
        name = "slide"
        type = "prismatic"
        parent = "ground"
        child = "cart"
        friction = { coulomb = 0.0, viscous = 3.0, surface_velocity = 0.5 }
    "#;
    let mechanism = Mechanism::from_toml_str(text).expect("sound");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let options = SimulateOptions::new(1.0);
    let run = simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
    let truth = 0.5 * (1.0 - (-1.5_f64).exp());
    let v = run.samples.last().expect("the end").v[0];
    assert!((v - truth).abs() < 1e-8, "{v} {truth}");
}
