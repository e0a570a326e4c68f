//! Orders of schemes with constraints in every step, for bodies that turn in space: what quaternions, momenta and
//! rates of displacements of [`AbsoluteMechanics`] must be for them.

use pommel::absolute::AbsoluteState;
use pommel::constrained::AbsoluteMechanics;
use pommel::integrate::mechanics::{Level, Mechanics, MechanicsOptions, Scheme};
use pommel::integrate::{Adaptive, Control, ImplicitMethod, Options, Step, Tableau};
use pommel::math::{Quaternion, Vec3};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Approach, Stabilization, integrate_constrained};
use pommel_testkit::Rng;

/// A body with three moments of inertia, on a ball joint off its mass centre or free.
fn body(joint: &str, gravity: f64) -> AbsoluteDynamics {
    let text = format!(
        r#"
        name = "body"
        gravity = [0.0, 0.0, {gravity:?}]
        [[bodies]]
        name = "top"
        mass = 1.5
        inertia = [0.22, 0.3, 0.12]
        position = [0.0, 0.3, 0.4]
        quaternion = [0.8, -0.6, 0.0, 0.0]
        velocity = [0.1, 0.2, 0.0]
        angular_velocity = [0.7, 1.9, 2.1]
        [[joints]]
        name = "joint"
        parent = "ground"
        child = "top"
        {joint}
        "#
    );
    let model = Mechanism::from_toml_str(&text).expect("sound");
    AbsoluteDynamics::new(&model).expect("supported")
}

/// A top whose tip stands still, 0.5 m below its mass centre.
fn top() -> (AbsoluteDynamics, AbsoluteState) {
    let dynamics = body(
        r#"type = "spherical"
        in_child = { position = [0.0, 0.0, -0.5] }"#,
        -9.81,
    );
    let mut state = dynamics.initial_state().expect("assembled");
    // velocities of the mass centre follow from those of turning
    let q = Quaternion::from_slice(&state.q[3..]);
    let spin = Vec3::new(0.9, -0.6, 4.0);
    let arm = q.rotation() * Vec3::new(0.0, 0.0, 0.5);
    let velocity = (q.rotation() * spin).cross(arm);
    state.v = [spin.to_array(), velocity.to_array()].concat();
    dynamics.check_consistent(&state).expect("on the constraints");
    (dynamics, state)
}

fn free() -> (AbsoluteDynamics, AbsoluteState) {
    let dynamics = body("type = \"free\"", 0.0);
    let state = dynamics.initial_state().expect("assembled");
    (dynamics, state)
}

const END: f64 = 1.0;

fn run(dynamics: &AbsoluteDynamics, state: &AbsoluteState, approach: &Approach) -> Vec<f64> {
    let run = integrate_constrained(dynamics, state, approach, END, &mut ());
    let run = run.unwrap_or_else(|error| panic!("{approach:?}: {error}"));
    [run.q, run.v].concat()
}

/// The end by another kind of method: accelerations at every stage, order eight, states projected.
fn truth(dynamics: &AbsoluteDynamics, state: &AbsoluteState) -> Vec<f64> {
    let tolerance = Adaptive::new(1e-14, 1e-14);
    let options = Options::adaptive(Tableau::dormand_prince_853(), tolerance);
    let stabilization = Stabilization::Projection(Metric::Mass);
    let approach = Approach::Explicit { method: Method::Qr, stabilization, options };
    run(dynamics, state, &approach)
}

fn radau(method: ImplicitMethod, level: Level) -> Scheme {
    Scheme::radau(method.tableau(), level)
}

#[test]
fn schemes_have_their_orders_for_turning_bodies() {
    use ImplicitMethod::{Radau3, Radau5};
    let alpha = |spectral_radius| Scheme::GeneralizedAlpha { spectral_radius };
    // steps in a second, and how often they are halved: until errors are next to rounding
    let schemes = [
        (Scheme::SymplecticEuler, 1.0, 800, 3),
        (Scheme::Rattle, 2.0, 200, 3),
        (alpha(0.8), 2.0, 400, 3),
        (alpha(0.0), 2.0, 400, 3),
        (Scheme::Hht { alpha: -0.1 }, 2.0, 400, 3),
        (radau(Radau3, Level::Velocity), 3.0, 100, 3),
        (radau(Radau3, Level::Stabilized), 3.0, 100, 3),
        // velocities, which have the order of the stages
        (radau(Radau3, Level::Position), 2.0, 100, 3),
        (radau(Radau5, Level::Velocity), 5.0, 24, 2),
        (radau(Radau5, Level::Stabilized), 5.0, 24, 2),
        (radau(Radau5, Level::Position), 3.0, 32, 3),
    ];
    for (what, (dynamics, state)) in [("top", top()), ("free", free())] {
        let truth = truth(&dynamics, &state);
        for (scheme, order, first, halvings) in &schemes {
            // without forces symplectic Euler is RATTLE
            let order = match (what, scheme) {
                ("free", Scheme::SymplecticEuler) => 2.0,
                _ => *order,
            };
            let position = matches!(scheme, Scheme::Radau { level: Level::Position, .. });
            if what == "free" && position {
                // without rows there is no level
                continue;
            }
            let errors: Vec<f64> = (0..=*halvings)
                .map(|halving| {
                    let step = END / f64::from(first << halving);
                    let options = MechanicsOptions::fixed(scheme.clone(), step);
                    let end = run(&dynamics, &state, &Approach::Constrained(options));
                    let off = end.iter().zip(&truth).map(|(a, b)| (a - b).abs());
                    off.fold(0.0, f64::max)
                })
                .collect();
            let last = errors[errors.len() - 1];
            let slope = (errors[0] / last).log2() / f64::from(*halvings);
            let name = scheme.name();
            assert!(last > 2e-13, "{what}, {name}: errors are rounding, {errors:?}");
            assert!((slope - order).abs() < 0.1, "{what}, {name}: {slope:.3}, {errors:?}");
        }
    }
}

/// RATTLE and symplectic Euler keep the angular momentum of a free body to rounding, which is what
/// [`Mechanics::momenta`] promises of a step.
#[test]
fn angular_momentum_of_a_free_body_is_kept_to_rounding() {
    let (dynamics, state) = free();
    let inertia = [0.22, 0.3, 0.12];
    let momentum = |y: &[f64]| {
        let spin: Vec<f64> = y[7..10].iter().zip(inertia).map(|(w, j)| w * j).collect();
        Quaternion::from_slice(&y[3..]).rotation() * Vec3::from_slice(&spin)
    };
    let before = momentum(&[&state.q[..], &state.v].concat());
    for scheme in [Scheme::Rattle, Scheme::SymplecticEuler] {
        let mut most = 0.0_f64;
        let mut watch = |step: &Step<'_, f64>| {
            most = most.max((momentum(step.y_new()) - before).norm());
            Control::Continue
        };
        let options = MechanicsOptions::fixed(scheme.clone(), 0.01);
        let approach = Approach::Constrained(options);
        integrate_constrained(&dynamics, &state, &approach, 20.0, &mut watch).expect("the end");
        // 2000 steps, a few roundings each
        let limit = 2000.0 * 4.0 * f64::EPSILON * before.norm();
        assert!(most < limit, "{}: {most:e}", scheme.name());
    }
}

/// `d/dt displace(q, d)` along `ḋ` is what velocities do to the displaced coordinates.
#[test]
fn rates_of_displacements_are_those_of_what_they_displace() {
    let (dynamics, state) = free();
    let system = AbsoluteMechanics::new(&dynamics, &state);
    let mut rng = Rng::new(7);
    for _ in 0..20 {
        let d = rng.list(6, 1.5);
        let v = rng.list(6, 2.0);
        let displaced = |by: f64, rate: &[f64]| {
            let mut q = state.q.clone();
            let d: Vec<f64> = d.iter().zip(rate).map(|(d, r)| d + by * r).collect();
            system.displace(&mut q, &d);
            q
        };
        let mut rate = vec![0.0; 6];
        system.displacement_rate(&d, &v, &mut rate);
        let mut expected = vec![0.0; 7];
        system.position_rate(&displaced(0.0, &rate), &v, &mut expected);
        // differences of second order: errors of about step² times third derivatives, and rounding over the step
        let step = 1e-5;
        let (ahead, behind) = (displaced(step, &rate), displaced(-step, &rate));
        for k in 0..7 {
            let found = (ahead[k] - behind[k]) / (2.0 * step);
            assert!((found - expected[k]).abs() < 1e-8, "{k}: {found} {}", expected[k]);
        }
    }
}

/// Momenta at both ends of a step without forces are one vector in axes that stand still: `R₀ p₀ = R₁ p₁`, and for
/// small steps they are `J ω`.
#[test]
fn momenta_of_a_step_are_one_vector_in_space() {
    let (dynamics, state) = free();
    let system = AbsoluteMechanics::new(&dynamics, &state);
    let mut rng = Rng::new(11);
    for h in [1e-6, 0.1, 0.7] {
        let u = rng.list(6, 2.0);
        let (mut start, mut end) = (vec![0.0; 6], vec![0.0; 6]);
        system.momenta(h, &u, &mut start, &mut end);
        let mut q = state.q.clone();
        let d: Vec<f64> = u.iter().map(|u| h * u).collect();
        system.displace(&mut q, &d);
        let [before, after] = [(&state.q, &start), (&q, &end)]
            .map(|(q, p)| Quaternion::from_slice(&q[3..]).rotation() * Vec3::from_slice(p));
        assert!((before - after).norm() < 1e-14 * (1.0 + before.norm()), "{before:?} {after:?}");
        if h < 1e-5 {
            for (k, inertia) in [0.22, 0.3, 0.12].into_iter().enumerate() {
                assert!((start[k] - inertia * u[k]).abs() < 1e-5, "{start:?}");
            }
        }
        assert!((start[3] - 1.5 * u[3]).abs() < 1e-14, "{start:?}");
    }
}
