//! What becomes of constraints and momentum over many steps.

use pommel::integrate::mechanics::{MechanicsOptions, Scheme};
use pommel::integrate::{Cause, Control, Step};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Approach, Error, Stabilization, integrate_constrained};

use super::{load, options};

/// 100 s of a four-bar at a tolerance of 1e-6: positions grow off the constraints where nothing is done,
/// stay bounded with Baumgarte's method, and on the constraints with projection.
#[test]
fn drift_grows_is_bounded_or_vanishes() {
    let dynamics = load("fourbar_ex32");
    let state = dynamics.initial_state().expect("assembled");
    let run = |stabilization: Stabilization| {
        // the largest violation until 10 s, and after 90 s
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        let system = dynamics.system();
        let mut evaluation = pommel::mechanism::Evaluation::new(system);
        let mut watch = |step: &Step<'_, f64>| {
            let (q, v) = step.y_new().split_at(system.nq());
            system.evaluate(step.t_new(), q, v, &mut evaluation);
            let open = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if step.t_new() <= 10.0 {
                early = early.max(open);
            } else if step.t_new() >= 90.0 {
                late = late.max(open);
            }
            Control::Continue
        };
        let found = integrate_constrained(
            &dynamics,
            &state,
            &Approach::Explicit {
                method: Method::SparseKkt,
                stabilization,
                options: options(1e-6),
            },
            100.0,
            &mut watch,
        );
        (found.expect("the end"), early, late)
    };
    let (_, early, late) = run(Stabilization::None);
    assert!(late > 10.0 * early && late > 1e-5, "{early:e} {late:e}");
    let (_, early, late) = run(Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 });
    assert!(late < 3.0 * early && late < 1e-5, "{early:e} {late:e}");
    for metric in [Metric::Mass, Metric::Length] {
        let (found, ..) = run(Stabilization::Projection(metric));
        assert!(found.position_residual <= 1e-9, "{:e}", found.position_residual);
        assert!(found.velocity_residual <= 1e-9, "{:e}", found.velocity_residual);
    }
}

/// What steps have made of momentum after a million of them: two bodies on a spherical joint that tumble freely,
/// and a chain in the plane.
#[test]
fn momentum_is_kept_to_rounding_over_a_million_steps() {
    let spatial = r#"
        name = "tumbling pair"
        gravity = [0.0, 0.0, 0.0]
        [[bodies]]
        name = "a"
        mass = 2.0
        inertia = [0.3, 0.2, 0.4]
        position = [-0.5, 0.0, 0.0]
        velocity = [0.0, 0.0, 0.0]
        angular_velocity = [0.3, 0.0, 1.2]
        [[bodies]]
        name = "b"
        mass = 1.0
        inertia = [0.1, 0.25, 0.2]
        position = [0.5, 0.0, 0.0]
        velocity = [0.0, 1.2, 0.0]
        angular_velocity = [-0.4, 0.0, 1.2]
        [[joints]]
        name = "base"
        type = "free"
        parent = "ground"
        child = "a"
        [[joints]]
        name = "ball"
        type = "spherical"
        parent = "a"
        child = "b"
        in_parent = { position = [0.5, 0.0, 0.0] }
        in_child = { position = [-0.5, 0.0, 0.0] }
    "#;
    let mechanism = Mechanism::from_toml_str(spatial).expect("a model");
    let dynamics = AbsoluteDynamics::new(&mechanism).expect("dynamics");
    let state = dynamics.initial_state().expect("assembled");
    let masses = [2.0, 1.0];
    let inertias = [[0.3, 0.2, 0.4], [0.1, 0.25, 0.2]];
    // linear momentum, and angular momentum about the origin
    let momentum = |y: &[f64]| {
        let (q, v) = y.split_at(14);
        let mut sum = [0.0; 6];
        for b in 0..2 {
            let (q, v) = (&q[7 * b..], &v[6 * b..]);
            let rotation = pommel::math::Quaternion::from_slice(&q[3..]).rotation();
            let spin = [0, 1, 2].map(|k| inertias[b][k] * v[k]);
            let spin = (rotation * pommel::math::Vec3::from_slice(&spin)).to_array();
            let p = [0, 1, 2].map(|k| masses[b] * v[3 + k]);
            let arm =
                [q[1] * p[2] - q[2] * p[1], q[2] * p[0] - q[0] * p[2], q[0] * p[1] - q[1] * p[0]];
            (0..3).for_each(|k| sum[k] += p[k]);
            (0..3).for_each(|k| sum[3 + k] += spin[k] + arm[k]);
        }
        sum
    };
    let start = momentum(&[&state.q[..], &state.v].concat());
    let mut largest = 0.0_f64;
    let mut watch = |step: &Step<'_, f64>| {
        let now = momentum(step.y_new());
        // positions drift away: angular momentum about the origin is a difference of large numbers then
        let size = step.y_new().iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for k in 0..6 {
            let of = if k < 3 { 1.0 } else { size };
            largest = largest.max((now[k] - start[k]).abs() / of);
        }
        Control::Continue
    };
    let options = MechanicsOptions::fixed(Scheme::Rattle, 1e-3);
    let approach = Approach::Constrained(options);
    let run = integrate_constrained(&dynamics, &state, &approach, 1000.0, &mut watch);
    let run = run.expect("the end");
    assert_eq!(run.statistics.steps, 1_000_000);
    // a million roundings of 1e-16 at random: some 1e-13
    assert!(largest < 1e-11, "{largest:e}");
    assert!(run.position_residual < 1e-12, "{:e}", run.position_residual);
}

/// Drift does not lock a mechanism one of whose rows depends on others: Bricard's goes through a position after 1.25 s at
/// which that row differed from the others by so much that all motion stopped, whatever the tolerance.
#[test]
fn drift_does_not_lock_redundant_mechanisms() {
    let dynamics = load("a04_bricard");
    let state = dynamics.initial_state().expect("assembled");
    let end = |stabilization, tolerance: f64| {
        let approach = Approach::Explicit {
            method: Method::SparseKkt,
            stabilization,
            options: options(tolerance),
        };
        integrate_constrained(&dynamics, &state, &approach, 2.0, &mut ())
    };
    let right = end(Stabilization::Projection(Metric::Mass), 1e-11).expect("an end");
    for stabilization in [Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 }, Stabilization::None]
    {
        let mut ended = 0;
        for tolerance in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
            let about = format!("{stabilization:?} at {tolerance:e}");
            match end(stabilization, tolerance) {
                Ok(run) => {
                    let pairs = run.q.iter().zip(&right.q).chain(run.v.iter().zip(&right.v));
                    let off = pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                    assert!(off < 1e-2, "{about}: {off:e}");
                    ended += 1;
                }
                Err(Error::Constrained { failure, .. }) => {
                    assert!(matches!(failure.cause, Cause::Rhs(_)), "{about}: {failure}");
                }
                Err(error) => panic!("{about}: {error}"),
            }
        }
        assert!(ended >= 3, "{stabilization:?}: {ended} of six motions reach their end");
    }
}
