//! Forces given as code: against closed forms and against the same forces in a model.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pommel::constrained::{Accuracy, simulate_constrained};
use pommel::dynamics::{Applied, BodyPoint, TreeDynamics};
use pommel::forces::Acting;
use pommel::integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel::integrate::{Adaptive, ImplicitMethod, ImplicitOptions, Options, Tableau};
use pommel::math::{Jet, Vec3};
use pommel::mechanism::Evaluation;
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::nonsmooth::{NonsmoothDynamics, NonsmoothMotion, NonsmoothOptions};
use pommel::simulate::{Integrator, SimulateOptions, simulate};
use pommel::{AbsoluteDynamics, Approach, Error, Stabilization, integrate_constrained};
use pommel_testkit::count_allocations;

/// A cart of 2 kg on a rail along x, at 1 m with 5 m/s, with what else the model has.
fn cart(rest: &str) -> Mechanism {
    cart_at(5.0, rest)
}

fn cart_at(speed: f64, rest: &str) -> Mechanism {
    let text = format!(
        r#"
        name = "cart"
        kind = "planar"
        gravity = [0.0, 0.0]
        bodies = [{{ name = "cart", mass = 2.0, inertia = 1.0 }}]
        joints = [{{ name = "rail", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "cart" }}]
        initial = {{ q = {{ rail = 1.0 }}, v = {{ rail = {speed:?} }} }}
        {rest}
        "#
    );
    Mechanism::from_toml_str(&text).expect("sound")
}

const CENTRE: BodyPoint = BodyPoint { body: Some(0), point: [0.0; 3] };

/// `−3 v` at the mass centre.
fn drag(now: &mut Acting<'_>) {
    let drag = now.velocity(CENTRE).scale(-3.0);
    now.push(CENTRE, drag);
}

fn steps(tolerance: f64) -> Adaptive {
    Adaptive::new(tolerance, tolerance)
}

fn explicit(stabilization: Stabilization, tolerance: f64) -> Approach {
    let options = Options::adaptive(Tableau::dormand_prince_54(), steps(tolerance));
    Approach::Explicit { method: Method::SparseKkt, stabilization, options }
}

/// All families of integrators with adaptive steps.
fn approaches(tolerance: f64) -> Vec<Approach> {
    let projection = Stabilization::Projection(Metric::Mass);
    let radau = ImplicitMethod::Radau5.tableau();
    let implicit = ImplicitOptions::adaptive(radau.clone(), steps(tolerance));
    let constrained =
        |scheme| Approach::Constrained(MechanicsOptions::adaptive(scheme, steps(tolerance)));
    vec![
        explicit(projection, tolerance),
        explicit(Stabilization::Partitioning, tolerance),
        explicit(Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 }, tolerance),
        Approach::Implicit { method: Method::Qr, stabilization: projection, options: implicit },
        constrained(Scheme::radau(radau, Level::Stabilized)),
        constrained(Scheme::Rattle),
        constrained(Scheme::GeneralizedAlpha { spectral_radius: 0.8 }),
    ]
}

/// `x = 1 + 5 m/c (1 − e^{−c t / m})` with every approach, in joint coordinates too.
#[test]
fn linear_drag_slows_a_cart_as_the_exponential_says() {
    let mechanism = cart("");
    let (x, v) = (1.0 + 5.0 * 2.0 / 3.0 * (1.0 - (-1.5_f64).exp()), 5.0 * (-1.5_f64).exp());
    let mut dynamics = AbsoluteDynamics::new(&mechanism).expect("supported");
    dynamics.add_force("drag", drag);
    let state = dynamics.initial_state().expect("assembled");
    for approach in approaches(1e-8) {
        let run = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        let run = run.unwrap_or_else(|error| panic!("{approach:?}: {error}"));
        let off = (run.q[0] - x).abs().max((run.v[0] - v).abs());
        // schemes of order two take errors of steps that add up
        assert!(off < 2e-5, "{approach:?}: {off:e}");
    }
    let mut tree = TreeDynamics::new(&mechanism).expect("a tree");
    tree.add_force("drag", drag);
    let mut options = SimulateOptions::new(1.0);
    options.integrator = Integrator::dormand_prince(Some(1e-10), Some(1e-12));
    let run = simulate(&tree, mechanism.initial_state(), &options, &mut |_| ()).expect("the end");
    let end = run.samples.last().expect("a sample");
    assert!((end.q[0] - x).abs() < 1e-9 && (end.v[0] - v).abs() < 1e-9, "{end:?}");
    // what drag takes is what kinetic energy loses
    let lost = 0.5 * 2.0 * (25.0 - v * v);
    assert!((end.work + lost).abs() < 1e-8, "{} {lost}", end.work);
    assert!(run.diagnostics.energy_drift < 1e-8, "{:?}", run.diagnostics);
}

/// The work of drag by its closed form, and the balance of energy with a driver that works against it.
#[test]
fn energy_is_balanced_with_the_work_of_code() {
    let run = |rest: &str| {
        let mut dynamics = AbsoluteDynamics::new(&cart(rest)).expect("supported");
        dynamics.add_force("drag", drag);
        let state = dynamics.initial_state().expect("assembled");
        let approach = |tolerance| explicit(Stabilization::Projection(Metric::Mass), tolerance);
        let accuracy = Accuracy::Steps(1e-10);
        let run =
            simulate_constrained(&dynamics, &state, &approach, accuracy, (1.0, 0.5), &mut |_| ());
        run.expect("the end")
    };
    let free = run("");
    let end = free.samples.last().expect("a sample");
    let lost = 25.0 * (1.0 - (-3.0_f64).exp());
    assert!((end.work + lost).abs() < 1e-8, "{} {lost}", end.work);
    assert!(free.energy_drift < 1e-8, "{:e}", free.energy_drift);
    // at 5 m/s drag takes 75 W, which the driver gives
    let driven = run(
        r#"drivers = [{ joint = "rail", motion = { type = "polynomial", coefficients = [1.0, 5.0] } }]"#,
    );
    let end = driven.samples.last().expect("a sample");
    assert!((end.q[0] - 6.0).abs() < 1e-9, "{:?}", end.q);
    assert!(end.work.abs() < 1e-8 && driven.energy_drift < 1e-8, "{} {driven:?}", end.work);
}

/// Two bodies in space whose mass centres are not their origins, and what acts between them: one on a joint `ja` with
/// the ground, one free.
pub(crate) fn two_bodies(ja: &str, start: &str, forces: &str) -> Mechanism {
    let text = format!(
        r#"
        name = "two bodies"
        gravity = [0.3, -0.2, -1.0]
        bodies = [
            {{ name = "a", mass = 2.0, com = [0.1, 0.0, 0.2], inertia = [0.5, 0.6, 0.7] }},
            {{ name = "b", mass = 3.0, com = [0.0, 0.3, 0.0], inertia = [0.9, 0.8, 0.7] }},
        ]
        joints = [
            {{ name = "ja", {ja}, parent = "ground", child = "a" }},
            {{ name = "jb", type = "free", parent = "ground", child = "b" }},
        ]
        initial.{start}
        {forces}
        "#
    );
    Mechanism::from_toml_str(&text).expect("sound")
}

/// One of them turns on the ground.
fn turning_and_free(forces: &str) -> Mechanism {
    let start = "q.ja = 0.4\n\
                 initial.q.jb = [1.0, 0.5, 0.2, 0.8, 0.0, 0.6, 0.0]\n\
                 initial.v.jb = [0.3, -0.4, 0.5, 0.1, 0.2, 0.3]";
    two_bodies(r#"type = "revolute", axis = [0.0, 1.0, 0.0]"#, start, forces)
}

/// A spring and damper between points off the mass centres.
pub(crate) const SPRING: &str = r#"
    [[forces]]
    type = "spring_damper"
    body1 = "a"
    point1 = [0.2, 0.0, 0.0]
    body2 = "b"
    point2 = [0.0, 0.0, 0.3]
    stiffness = 40.0
    damping = 1.5
    rest_length = 0.4
"#;

/// The spring of [`SPRING`].
fn spring(now: &mut Acting<'_>) {
    let a = BodyPoint { body: Some(0), point: [0.2, 0.0, 0.0] };
    let b = BodyPoint { body: Some(1), point: [0.0, 0.0, 0.3] };
    let line = now.position(b) - now.position(a);
    let length = line.norm();
    let direction = line.scale(length.recip());
    let rate = (now.velocity(b) - now.velocity(a)).dot(direction);
    let pull = direction.scale(40.0 * (length - 0.4) + 1.5 * rate);
    now.push(a, pull);
    now.push(b, -pull);
}

#[test]
fn a_spring_as_code_is_the_spring_of_the_model() {
    let (with, without) = (turning_and_free(SPRING), turning_and_free(""));
    let near = |found: &[f64], expected: &[f64], what: &str| {
        let size = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12 * size, "{what}: {found} {expected}");
        }
    };
    let dynamics = AbsoluteDynamics::new(&with).expect("supported");
    let mut coded = AbsoluteDynamics::new(&without).expect("supported");
    coded.add_force("spring", spring);
    let state = dynamics.initial_state().expect("assembled");
    for method in [Method::SparseKkt, Method::Qr, Method::Recursion] {
        let expected = dynamics.accelerations(method, 0.0, &state).expect("a solution");
        let found = coded.accelerations(method, 0.0, &state).expect("a solution");
        near(&found.a, &expected.a, method.name());
        near(&found.multipliers, &expected.multipliers, method.name());
    }
    let (tree, mut coded_tree) =
        (TreeDynamics::new(&with).expect("a tree"), TreeDynamics::new(&without).expect("a tree"));
    coded_tree.add_force("spring", spring);
    let joint = with.initial_state();
    let expected = tree.accelerations(joint).expect("accelerations");
    let found = coded_tree.accelerations(joint).expect("accelerations");
    near(&found.a, &expected.a, "tree");
    assert!(found.backward_error < 1e-13, "{found:?}");
    // and on the way
    let options = SimulateOptions::new(1.0);
    let end = |dynamics: &TreeDynamics| {
        let run = simulate(dynamics, joint, &options, &mut |_| ()).expect("the end");
        let end = run.samples.last().expect("a sample");
        [&end.q[..], &end.v, &[end.work]].concat()
    };
    for (found, expected) in end(&coded_tree).iter().zip(&end(&tree)) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    let projected = explicit(Stabilization::Projection(Metric::Mass), 1e-9);
    let ends = [&coded, &dynamics].map(|dynamics| {
        let run = integrate_constrained(dynamics, &state, &projected, 1.0, &mut ());
        let run = run.expect("the end");
        [run.q, run.v].concat()
    });
    for (found, expected) in ends[0].iter().zip(&ends[1]) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// Moments, axes of bodies, the ground and generalized forces, in both kinds of coordinates.
#[test]
fn moments_and_axes_mean_the_same_in_both_coordinates() {
    let mechanism = turning_and_free("");
    let law = |now: &mut Acting<'_>| {
        let tip = BodyPoint { body: Some(1), point: [0.1, -0.2, 0.3] };
        let wall = BodyPoint { body: None, point: [0.0, 2.0, 0.0] };
        let thrust = now.to_world(tip, Vec3::new(0.5, 1.0, -2.0));
        now.push(tip, thrust + (now.position(wall) - now.position(tip)).scale(3.0));
        let moment = now.angular_velocity(tip).scale(-2.0) + Vec3::new(now.time(), 0.0, 0.4);
        now.turn(tip, moment);
        now.push(wall, thrust);
        assert_eq!(now.velocity(wall), Vec3::zero());
    };
    let mut absolute = AbsoluteDynamics::new(&mechanism).expect("supported");
    let mut tree = TreeDynamics::new(&mechanism).expect("a tree");
    absolute.add_force("thrust", law);
    tree.add_force("thrust", law);
    let state = absolute.initial_state().expect("assembled");
    let joint = mechanism.initial_state();
    let found = absolute.accelerations(Method::SparseKkt, 0.0, &state).expect("a solution");
    let a = tree.accelerations(joint).expect("accelerations").a;
    let bodies = absolute.bodies(&state.q, &state.v, &found.a);
    for ((name, found), (_, expected)) in bodies.iter().zip(absolute.bodies_of_joints(joint, &a)) {
        for k in 0..3 {
            let (linear, angular) = (
                found.acceleration[k] - expected.acceleration[k],
                found.angular_acceleration[k] - expected.angular_acceleration[k],
            );
            assert!(
                linear.abs() < 1e-12 && angular.abs() < 1e-12,
                "{name}: {linear:e} {angular:e}"
            );
        }
    }
    // a generalized force is what the coordinate feels: 7 N on 2 kg
    let mut generalized = TreeDynamics::new(&cart("")).expect("a tree");
    generalized.add_force("motor", |now| now.generalized()[0] += 7.0 * now.q()[0] + now.v()[0]);
    let a = generalized.accelerations(cart("").initial_state()).expect("accelerations").a[0];
    assert!((a - 6.0).abs() < 1e-14, "{a}");
}

/// NaN from 0.5 s on.
fn ends_at_half(now: &mut Acting<'_>) {
    let force = if now.time() > 0.5 { f64::NAN } else { 1.0 };
    now.push(CENTRE, Vec3::new(force, 0.0, 0.0));
}

/// That a motion ended with the name of the force, next to 0.5 s.
fn assert_named(error: Error, within: f64, what: &str) {
    let Error::Force { source, reached: Some(reached) } = &error else {
        panic!("{what}: {error}");
    };
    assert_eq!(source.name, "motor", "{what}");
    assert!(source.value.is_nan(), "{what}");
    assert!(source.time > 0.5 && source.time < 0.5 + within, "{what}: {error}");
    assert!(*reached <= 0.5 && *reached > 0.5 - within, "{what}: {error}");
    let text = error.to_string();
    assert!(text.contains("'motor' is NaN at t = 0.5"), "{what}: {text}");
}

#[test]
fn a_force_that_is_no_number_ends_a_motion_by_name() {
    let mut dynamics = AbsoluteDynamics::new(&cart("")).expect("supported");
    dynamics.add_force("drag", drag);
    dynamics.add_force("motor", ends_at_half);
    let state = dynamics.initial_state().expect("assembled");
    for approach in approaches(1e-6) {
        let what = format!("{approach:?}");
        let error = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        assert_named(error.expect_err(&what), 1e-9, &what);
        let error = simulate_constrained(
            &dynamics,
            &state,
            &|_| approach.clone(),
            Accuracy::Steps(1e-6),
            (1.0, 0.1),
            &mut |_| (),
        );
        assert_named(error.expect_err(&what), 1e-9, &what);
    }
    // steps of one size are not made shorter
    let fixed = Options::fixed(Tableau::rk4(), 0.09);
    let (method, stabilization) = (Method::SparseKkt, Stabilization::None);
    let approach = Approach::Explicit { method, stabilization, options: fixed };
    let error = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
    assert_named(error.expect_err("fixed"), 0.09, "fixed");
    let approach = Approach::Constrained(MechanicsOptions::fixed(Scheme::Rattle, 0.09));
    let error = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
    assert_named(error.expect_err("fixed"), 0.09, "rattle");

    let mut tree = TreeDynamics::new(&cart("")).expect("a tree");
    tree.add_force("drag", drag);
    tree.add_force("motor", ends_at_half);
    let options = SimulateOptions::new(1.0);
    let error = simulate(&tree, cart("").initial_state(), &options, &mut |_| ());
    assert_named(error.expect_err("tree"), 1e-9, "tree");

    for joint in ["", r#"friction = { coulomb = 0.1 }"#] {
        let text = format!(
            r#"
            name = "cart"
            kind = "planar"
            bodies = [{{ name = "cart", mass = 2.0, inertia = 1.0, velocity = [5.0, 0.0] }}]
            joints = [{{ name = "rail", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "cart"{}{joint} }}]
            "#,
            if joint.is_empty() { "" } else { ", " }
        );
        let model = Mechanism::from_toml_str(&text).expect("sound");
        let mut dynamics = NonsmoothDynamics::new(&model).expect("supported");
        dynamics.add_force("motor", ends_at_half);
        let state = dynamics.initial_state().expect("assembled");
        let options = Options::adaptive(Tableau::dormand_prince_54(), steps(1e-8));
        let options = NonsmoothOptions::new(options);
        let mut motion = NonsmoothMotion::new(&dynamics, &state, &options).expect("a start");
        let error = motion.integrate_to(1.0, &mut ());
        assert_named(error.expect_err("nonsmooth"), 1e-9, "nonsmooth");
        assert!(motion.t() <= 0.5, "{}", motion.t());
    }
}

/// At the start nothing has been reached, and single states have no motion.
#[test]
fn a_force_that_is_no_number_at_the_start_is_named_by_every_entry() {
    let law = |now: &mut Acting<'_>| {
        now.generalized()[0] += 1.0 / (now.time() - now.time());
    };
    let infinite = |now: &mut Acting<'_>| now.generalized()[0] += f64::INFINITY;
    let check = |error: Error, at: Option<f64>| {
        let Error::Force { source, reached } = error else { panic!("{error}") };
        assert_eq!((source.name.as_str(), source.time, reached), ("motor", 0.0, at));
        assert_eq!(source.value, f64::INFINITY);
    };
    let mut dynamics = AbsoluteDynamics::new(&cart("")).expect("supported");
    dynamics.add_force("motor", law);
    let state = dynamics.initial_state().expect("assembled");
    for approach in approaches(1e-6) {
        let error = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        check(error.expect_err("infinite"), Some(0.0));
    }
    check(dynamics.accelerations(Method::Qr, 0.0, &state).expect_err("infinite"), None);
    let mut tree = TreeDynamics::new(&cart("")).expect("a tree");
    tree.add_force("motor", infinite);
    let (model, options) = (cart(""), SimulateOptions::new(1.0));
    let error = simulate(&tree, model.initial_state(), &options, &mut |_| ());
    check(error.expect_err("infinite"), Some(0.0));
    check(tree.accelerations(model.initial_state()).expect_err("infinite"), None);
    let mut nonsmooth = NonsmoothDynamics::new(&model).expect("supported");
    nonsmooth.add_force("motor", infinite);
    let options =
        NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_54(), steps(1e-8)));
    let error = NonsmoothMotion::new(&nonsmooth, &state, &options).expect_err("infinite");
    check(error, Some(0.0));
}

/// `2 x″ = 2/x³` is no number for x < 0; a first step of 1 s reaches there, the motion does not:
/// `x² = 1 + 2 x₀ v₀ t + (v₀² + 1) t²`.
#[test]
fn steps_become_shorter_where_only_trials_leave_the_domain_of_a_force() {
    let mechanism = cart_at(-2.0, "");
    let outside = Arc::new(AtomicU64::new(0));
    let count = outside.clone();
    let law = move |now: &mut Acting<'_>| {
        let x = now.position(CENTRE).x;
        if x <= 0.0 {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let force = if x > 0.0 { 2.0 / (x * x * x) } else { f64::NAN };
        now.push(CENTRE, Vec3::new(force, 0.0, 0.0));
    };
    let x = (1.0 - 2.0 * 2.0 * 1.0 + (4.0 + 1.0) * 1.0_f64).sqrt();
    let mut dynamics = AbsoluteDynamics::new(&mechanism).expect("supported");
    dynamics.add_force("wall", law.clone());
    let state = dynamics.initial_state().expect("assembled");
    let adaptive = steps(1e-9).first_step(1.0);
    let options = Options::adaptive(Tableau::dormand_prince_54(), adaptive.clone());
    let stabilization = Stabilization::Projection(Metric::Mass);
    let explicit = Approach::Explicit { method: Method::SparseKkt, stabilization, options };
    let radau = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
    let scheme = Approach::Constrained(MechanicsOptions::adaptive(radau, adaptive));
    for approach in [explicit, scheme] {
        let before = outside.load(Ordering::Relaxed);
        let run = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        let run = run.expect("the end");
        assert!((run.q[0] - x).abs() < 1e-6, "{} {x}", run.q[0]);
        assert!(outside.load(Ordering::Relaxed) > before, "no trial left the domain");
        assert!(run.statistics.rejected > 0, "{:?}", run.statistics);
    }
    let mut tree = TreeDynamics::new(&mechanism).expect("a tree");
    tree.add_force("wall", law);
    let options = SimulateOptions { first_step: Some(1.0), ..SimulateOptions::new(1.0) };
    let before = outside.load(Ordering::Relaxed);
    let run = simulate(&tree, mechanism.initial_state(), &options, &mut |_| ()).expect("the end");
    let end = run.samples.last().expect("a sample");
    assert!((end.q[0] - x).abs() < 1e-6, "{} {x}", end.q[0]);
    assert!(outside.load(Ordering::Relaxed) > before, "no trial left the domain");
}

/// A ball whose weight is code bounces as one whose weight is gravity's, event by event.
#[test]
fn a_bouncing_ball_with_weight_as_code_bounces_alike() {
    let model = |gravity: &str| {
        let text = format!(
            r#"
            name = "ball"
            kind = "planar"
            gravity = [0.0, {gravity}]
            bodies = [{{ name = "ball", mass = 2.0, inertia = 1.0, position = [0.0, 1.0], velocity = [1.0, 0.0] }}]
            joints = [{{ name = "free", type = "free", parent = "ground", child = "ball" }}]
            contacts = [{{ name = "floor", body = "ball", plane = {{ normal = [0.0, 1.0] }}, restitution = 0.8 }}]
            "#
        );
        NonsmoothDynamics::new(&Mechanism::from_toml_str(&text).expect("sound")).expect("supported")
    };
    let plain = model("-9.81");
    let mut coded = model("0.0");
    coded.add_force("weight", |now| now.push(CENTRE, Vec3::new(0.0, -2.0 * 9.81, 0.0)));
    let options = Options::adaptive(Tableau::dormand_prince_54(), steps(1e-10));
    let options = NonsmoothOptions::new(options);
    let state = plain.initial_state().expect("assembled");
    let [plain, coded] = [&plain, &coded].map(|dynamics| {
        let mut motion = NonsmoothMotion::new(dynamics, &state, &options).expect("a start");
        motion.integrate_to(2.0, &mut ()).expect("the end");
        motion
    });
    assert!(plain.log().len() > 2, "{:?}", plain.log());
    assert_eq!(plain.log().len(), coded.log().len());
    for (a, b) in plain.log().iter().zip(coded.log()) {
        assert!((a.t - b.t).abs() < 1e-9, "{a:?} {b:?}");
    }
    for (a, b) in plain.q().iter().zip(coded.q()) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn asking_forces_of_code_does_not_allocate() {
    let mechanism = turning_and_free("");
    let mut dynamics = AbsoluteDynamics::new(&mechanism).expect("supported");
    dynamics.add_force("spring", spring);
    let state = dynamics.initial_state().expect("assembled");
    let mut evaluation = Evaluation::new(dynamics.system());
    let system = dynamics.system();
    system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
    let ((), count) =
        count_allocations(|| system.evaluate(0.0, &state.q, &state.v, &mut evaluation));
    assert_eq!(count, 0);
    let mut tree = TreeDynamics::new(&mechanism).expect("a tree");
    tree.add_force("spring", spring);
    let joint = mechanism.initial_state();
    let (mut evaluator, mut a) = (tree.evaluator(), vec![0.0; mechanism.nv()]);
    let applied = Applied { tau: &joint.tau, wrenches: None };
    let ((), count) = count_allocations(|| {
        let done = tree.evaluate(&mut evaluator, 0.0, (&joint.q, &joint.v), applied, &mut a);
        done.expect("accelerations");
    });
    assert_eq!(count, 0);
}

/// Code over `f64` has no derivatives: other scalars say so.
#[test]
fn systems_over_other_scalars_do_not_pretend_to_know_code() {
    let mut dynamics = AbsoluteDynamics::new(&cart("")).expect("supported");
    dynamics.add_force("drag", drag);
    let jets = dynamics.system().cast::<Jet<1>>();
    let (q, v) = (vec![Jet::constant(0.1); 3], vec![Jet::constant(0.2); 3]);
    let mut evaluation = Evaluation::new(&jets);
    jets.evaluate(Jet::constant(0.0), &q, &v, &mut evaluation);
    assert!(evaluation.force().iter().all(|f| f.value().is_nan()));
    assert!(evaluation.phi().iter().all(|x| x.value().is_finite()));
}
