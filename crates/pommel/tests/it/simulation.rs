//! Simulation by invariants and closed forms.

use pommel::dynamics::{Applied, TreeDynamics};
use pommel::integrate::{Controller, ExplicitMethod};
use pommel::model::Mechanism;
use pommel::simulate::{Integrator, SimulateOptions, simulate};
use pommel_testkit::count_allocations;

use crate::datasets::mechanism;

fn oscillator(extra: &str) -> Mechanism {
    let text = format!(
        r#"
        name = "oscillator"
        gravity = [0.0, 0.0, 0.0]
        [[bodies]]
        name = "cart"
        mass = 2.0
        [[joints]]
        name = "slide"
        type = "prismatic"
        axis = [0.0, 3.0, 0.0]
        parent = "ground"
        child = "cart"
        stiffness = 50.0
        rest = 0.1
        {extra}
        [initial.q]
        slide = 0.4
        "#
    );
    Mechanism::from_toml_str(&text).expect("sound")
}

/// `x = rest + 0.3 e^{−δt} (cos ωt + δ/ω sin ωt)` for `2 x″ + c x′ + 50 (x − 0.1) = 0`.
#[test]
fn a_damped_oscillator_follows_its_closed_form() {
    let mechanism = oscillator("damping = 0.8");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let delta: f64 = 0.8 / 4.0;
    let omega = (25.0 - delta * delta).sqrt();
    for integrator in [
        Integrator::dormand_prince(Some(1e-10), Some(1e-12)),
        Integrator::ode45(Some(1e-10), Some(1e-12)),
        Integrator::fixed(ExplicitMethod::Rk4, 1e-3),
    ] {
        let options =
            SimulateOptions { every: Some(0.25), integrator, ..SimulateOptions::new(3.0) };
        let run =
            simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
        assert_eq!(run.samples.len(), 13);
        for s in &run.samples {
            let (sin, cos) = (omega * s.t).sin_cos();
            let x = 0.1 + 0.3 * (-delta * s.t).exp() * (cos + delta / omega * sin);
            assert!((s.q[0] - x).abs() < 1e-9, "{integrator:?} t = {}: {} {x}", s.t, s.q[0]);
        }
        if let Integrator::Adaptive { controller: Controller::Ode45, .. } = integrator {
            let s = &run.statistics;
            assert_eq!(s.evaluations, 1 + 6 * (s.steps + s.rejected));
        }
        // the work of spring and damper is in the balance
        assert!(run.diagnostics.energy_drift < 1e-9, "{:?}", run.diagnostics);
        assert_eq!(run.diagnostics.linear_momentum_drift, None, "the ground feels the spring");
    }
}

#[test]
fn a_fixed_step_makes_the_steps_it_says() {
    let mechanism = oscillator("");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let integrator = Integrator::fixed(ExplicitMethod::Rk4, 0.01);
    let options = SimulateOptions { integrator, ..SimulateOptions::new(1.0) };
    let run = simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
    assert_eq!((run.statistics.steps, run.statistics.rejected), (100, 0));
    assert_eq!(run.samples.last().map(|s| s.t), Some(1.0));
    let options = SimulateOptions { max_steps: 99, ..options };
    let error = simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ())
        .expect_err("one step too many");
    assert!(error.to_string().contains("limit on steps, 99,"), "{error}");
}

/// An evaluation of the equations of motion, loads and all, allocates nothing.
#[test]
fn an_evaluation_does_not_allocate() {
    let mechanism = mechanism("robots/ets7_free/model.toml");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let mut evaluator = dynamics.evaluator();
    let state = mechanism.initial_state();
    let mut a = vec![0.0; mechanism.nv()];
    let applied = Applied { tau: &state.tau, wrenches: None };
    let (power, allocations) = count_allocations(|| {
        dynamics.evaluate(&mut evaluator, 0.5, (&state.q, &state.v), applied, &mut a)
    });
    assert!(power.is_ok());
    assert_eq!(allocations, 0);
}

/// A step allocates nothing: a run of a hundred times the steps allocates as often.
#[test]
fn a_step_does_not_allocate() {
    let mechanism = mechanism("robots/ets7_free/model.toml");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let run = |steps: u32| {
        let integrator = Integrator::fixed(ExplicitMethod::Rk4, 0.01);
        let end = 0.01 * f64::from(steps);
        let options = SimulateOptions { integrator, ..SimulateOptions::new(end) };
        let state = mechanism.initial_state();
        let (result, allocations) =
            count_allocations(|| simulate(&dynamics, state, &options, &mut |_| ()));
        assert!(result.is_ok());
        allocations
    };
    run(10);
    assert_eq!(run(10), run(1000));
}

/// A wheel that feels a torque of 100 N·m for a twentieth of a second, with slopes of 10 µs at
/// one end: the impulse is the area under the table, whatever the steps.
#[test]
fn a_short_pulse_is_not_stepped_over() {
    let text = r#"
        name = "wheel"
        gravity = [0.0, 0.0, 0.0]
        bodies = [{ name = "wheel", mass = 1.0, inertia = [1.0, 1.0, 1.0] }]
        [[joints]]
        name = "axle"
        type = "revolute"
        parent = "ground"
        child = "wheel"
        [joints.torque]
        type = "table"
        interpolation = "linear"
        times = [5.0, 5.0, 5.05, 5.05001, 5.1]
        values = [0.0, 100.0, 100.0, 0.0, 0.0]
    "#;
    let mechanism = Mechanism::from_toml_str(text).expect("sound");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    assert_eq!(dynamics.breakpoints(), [5.0, 5.05, 5.05001, 5.1]);
    let impulse = 100.0 * 0.05 + 0.5 * 100.0 * 0.00001;
    for every in [None, Some(0.5)] {
        let options = SimulateOptions { every, ..SimulateOptions::new(10.0) };
        let run =
            simulate(&dynamics, mechanism.initial_state(), &options, &mut |_| ()).expect("runs");
        let end = run.samples.last().expect("the end");
        assert!((end.v[0] - impulse).abs() < 1e-9 * impulse, "{} {impulse}", end.v[0]);
        // the samples are those of one run: none twice, the end once
        assert!(run.samples.windows(2).all(|w| w[0].t < w[1].t));
        assert_eq!(run.samples.len(), if every.is_some() { 21 } else { 2 });
    }
}
