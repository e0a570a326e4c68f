//! Sweeps side by side in lanes: the bits of single lanes, and of motions simulated alone.

use pommel::batch::{Method, Observer, Outcome, Plan, Row, RunOptions, Sweep, run};
use pommel::constrained::integrate_constrained;
use pommel::integrate::{Adaptive, ExplicitMethod, Options, Tableau};
use pommel::model::Description;
use pommel::simulate::{Integrator, SimulateOptions, simulate};
use pommel::sweep::SimulationRunner;
use pommel::{AbsoluteDynamics, Approach, TreeDynamics};

use crate::datasets::mechanism;

struct Rows(Vec<Row>);

impl Observer for Rows {
    fn rows(&mut self, rows: &[Row]) {
        self.0.extend_from_slice(rows);
    }
}

fn rows(sweep: &Sweep, lanes: usize, threads: usize) -> Vec<Row> {
    let runner = SimulationRunner::new(sweep).expect("a supported model");
    let runner = runner.with_lanes(lanes).expect("a number of lanes");
    let mut rows = Rows(Vec::new());
    let options = RunOptions { threads, ..RunOptions::default() };
    run(sweep, &runner, &options, &mut rows).expect("runs");
    rows.0
}

/// Bits of numbers, and all of a failure.
fn content(row: &Row) -> (u64, Vec<u64>, String) {
    let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect();
    match &row.outcome {
        Outcome::Finished { values } => (row.index, bits(values), String::new()),
        Outcome::Failed { reason, message, time } => {
            (row.index, vec![time.to_bits()], format!("{reason}: {message}"))
        }
    }
}

/// The same rows for all numbers of lanes; with one lane the end states of motions simulated alone.
fn check(plan: &str, model: &str) -> Vec<Row> {
    let plan = Plan::from_toml_str(plan).expect("a plan");
    let model = Description::from_toml_str(model).expect("a model");
    check_sweep(&Sweep::new(plan, model).expect("a sweep"))
}

fn check_sweep(sweep: &Sweep) -> Vec<Row> {
    let single = rows(sweep, 1, 1);
    assert_eq!(single.len() as u64, sweep.len());
    for lanes in [2, 4, 8] {
        for (row, alone) in rows(sweep, lanes, 2).iter().zip(&single) {
            assert_eq!(content(row), content(alone), "{lanes} lanes");
        }
    }
    let settings = &sweep.plan().integrator;
    for row in &single {
        let Outcome::Finished { values } = &row.outcome else { continue };
        let mechanism = sweep.mechanism(row.index).expect("sound");
        let dynamics = TreeDynamics::new(&mechanism).expect("supported");
        let mut options = SimulateOptions::new(sweep.plan().end);
        options.integrator = match settings.name {
            Method::Dopri5 => Integrator::dormand_prince(settings.rtol, settings.atol),
            Method::Rk4 => Integrator::fixed(ExplicitMethod::Rk4, settings.step.expect("a step")),
        };
        let state = mechanism.initial_state();
        let motion = simulate(&dynamics, state, &options, &mut |_| ()).expect("runs");
        let end = motion.samples.last().expect("the end");
        let state = [&end.q[..], &end.v, &[end.work]].concat();
        // samples of quaternions are of unit length to the last bit
        for (value, expected) in values.iter().zip(&state) {
            let off = (value - expected).abs();
            assert!(off <= f64::EPSILON, "instance {}: {value} {expected}", row.index);
        }
        let counts = motion.statistics;
        let counts = [counts.steps, counts.rejected, counts.evaluations].map(|n| n as f64);
        assert_eq!(values[values.len() - 3..], counts, "instance {}", row.index);
    }
    single
}

fn failures<'a>(rows: &'a [Row]) -> Vec<(u64, &'a str)> {
    let failure = |row: &'a Row| match &row.outcome {
        Outcome::Failed { reason, .. } => Some((row.index, &**reason)),
        Outcome::Finished { .. } => None,
    };
    rows.iter().filter_map(failure).collect()
}

const ARM: &str = r#"
    name = "arm"
    gravity = [0.0, 0.0, -9.81]
    bodies = [
        { name = "upper", mass = 2.0, com = [0.0, 0.0, -0.4], inertia = [0.1, 0.1, 0.02] },
        { name = "lower", mass = 1.0, com = [0.0, 0.0, -0.3], inertia = [0.05, 0.05, 0.01] },
        { name = "hand", mass = 0.5, com = [0.05, 0.0, -0.1], inertia = [0.01, 0.02, 0.01] },
    ]
    joints = [
        { name = "shoulder", type = "spherical", parent = "ground", child = "upper" },
        { name = "elbow", type = "revolute", parent = "upper", child = "lower", axis = [0.0, 1.0, 0.0],
          in_parent = { position = [0.0, 0.0, -0.8] }, damping = 0.3, stiffness = 5.0, rest = 0.4,
          torque = { type = "table", times = [0.0, 0.31, 0.5], values = [0.0, 2.0, -1.0], interpolation = "linear" } },
        { name = "wrist", type = "revolute", parent = "lower", child = "hand", axis = [1.0, 0.0, 0.0],
          in_parent = { position = [0.0, 0.0, -0.6] }, damping = 0.05,
          torque = { type = "sine", amplitude = 0.2, angular_frequency = 9.0 } },
    ]
    initial.q.elbow = 0.7
    initial.v.shoulder = [0.3, -0.8, 0.2]
"#;

const SPRING: &str = r#"
    [[forces]]
    type = "spring_damper"
    body1 = "ground"
    point1 = [1.0, 0.0, -1.0]
    body2 = "hand"
    point2 = [0.0, 0.0, -0.2]
    stiffness = 20.0
    damping = 0.5
    rest_length = 0.5
    [[forces]]
    type = "wrench"
    body = "lower"
    point = [0.0, 0.1, 0.0]
    force = [0.5, { type = "sine", amplitude = 1.0, angular_frequency = 3.0 }, 0.0]
    moment = [0.0, 0.1, 0.0]
    frame = "body"
"#;

fn arm_plan(more: &str) -> String {
    format!(
        r#"
        name = "arms"
        model = "arm.toml"
        end = 2.0
        integrator = {{ rtol = 1e-7, atol = 1e-8 }}
        design = {{ kind = "random", count = 37, seed = 3 }}
        [[parameters]]
        path = "bodies.hand.mass"
        uniform = [0.1, 4.0]
        [[parameters]]
        path = "initial.v.elbow"
        uniform = [-20.0, 20.0]
        [[parameters]]
        path = "joints.elbow.damping"
        uniform = [0.0, 1.0]
        {more}
        "#
    )
}

/// Springs, damping, torques with corners, forces on bodies: each lane has its own.
#[test]
fn lanes_give_the_bits_of_single_runs() {
    for model in [ARM.to_owned(), [ARM, SPRING].concat()] {
        let rows = check(&arm_plan(""), &model);
        assert!(failures(&rows).is_empty(), "{:?}", failures(&rows));
        let steps = |row: &Row| match &row.outcome {
            Outcome::Finished { values } => values[values.len() - 3],
            Outcome::Failed { .. } => f64::NAN,
        };
        let (least, most) = rows
            .iter()
            .map(steps)
            .fold((f64::MAX, 0.0_f64), |(least, most), n| (least.min(n), most.max(n)));
        assert!(most > 1.2 * least, "lanes end at different times: {least} to {most} steps");
    }
}

/// A free-floating arm from the data sets, whose forward dynamics takes another way.
#[test]
fn a_space_robot_has_the_same_bits_in_lanes() {
    let text = std::fs::read_to_string(format!(
        "{}/../../datasets/sweeps/free_floating_arm.toml",
        env!("CARGO_MANIFEST_DIR")
    ));
    let mut plan = Plan::from_toml_str(&text.expect("a plan")).expect("a plan");
    plan.design.count = Some(19);
    plan.end = 2.0;
    let model = mechanism("robots/ets7_payload/model.toml").description().clone();
    let rows = check_sweep(&Sweep::new(plan, model).expect("a sweep"));
    assert!(failures(&rows).is_empty());
}

/// Instances that cannot be made, or do not reach their end: a row each with the reason, and the others as if they were
/// alone.
#[test]
fn instances_that_fail_leave_their_neighbours_alone() {
    let rows = check(
        r#"
        name = "failures"
        model = "arm.toml"
        end = 2.0
        integrator = { rtol = 1e-7, atol = 1e-8, max_steps = 400 }
        design = { kind = "grid" }
        [[parameters]]
        path = "bodies.hand.mass"
        values = [-1.0, 0.5, 2.0]
        [[parameters]]
        path = "initial.v.elbow"
        values = [0.0, 1e6, 1.0, 1e200, 2.0, -3.0, 4.0]
        "#,
        ARM,
    );
    let failed = failures(&rows);
    let of = |range: std::ops::Range<u64>| -> Vec<&str> {
        failed
            .iter()
            .filter(|(index, _)| range.contains(index))
            .map(|(_, reason)| *reason)
            .collect()
    };
    assert_eq!(of(0..7), ["model"; 7], "negative masses");
    for from in [7, 14] {
        let reasons = of(from..from + 7);
        assert_eq!(reasons.len(), 2, "two are too fast: {failed:?}");
        assert_eq!(reasons[0], "too many steps", "{failed:?}");
    }
}

/// Instances that cannot share registers: with and without armature, whose equations are others, in turn.
#[test]
fn instances_that_are_not_alike_have_the_same_bits() {
    let rows = check(
        r#"
        name = "gears"
        model = "arm.toml"
        end = 1.0
        integrator = { rtol = 1e-6, atol = 1e-8 }
        design = { kind = "grid" }
        [[parameters]]
        path = "bodies.hand.mass"
        values = [0.5, 1.0, 1.5, 2.0, 2.5]
        [[parameters]]
        path = "joints.elbow.armature"
        values = [0.0, 0.2, 0.1]
        "#,
        ARM,
    );
    assert!(failures(&rows).is_empty());
}

/// Parallel axes are solved in the plane; steps of one size.
#[test]
fn planar_trees_and_fixed_steps_have_the_same_bits() {
    let pendulum = r#"
        name = "pendulum"
        kind = "planar"
        gravity = [0.0, -9.81]
        bodies = [
            { name = "a", mass = 1.0, inertia = 0.0 },
            { name = "b", mass = 1.0, inertia = 0.1 },
            { name = "c", mass = 2.0, inertia = 0.0 },
        ]
        joints = [
            { name = "ja", type = "revolute", parent = "ground", child = "a", in_child = { position = [-1.0, 0.0] } },
            { name = "jb", type = "revolute", parent = "a", child = "b", in_child = { position = [-0.5, 0.0] } },
            { name = "jc", type = "revolute", parent = "b", child = "c", in_child = { position = [-0.7, 0.0] } },
        ]
        initial = { q = { ja = 0.3, jb = 0.5 } }
    "#;
    for integrator in ["{ rtol = 1e-6, atol = 1e-6 }", "{ name = \"rk4\", step = 0.01 }"] {
        let rows = check(
            &format!(
                r#"
                name = "pendulums"
                model = "pendulum.toml"
                end = 3.0
                integrator = {integrator}
                design = {{ kind = "random", count = 21 }}
                parameters = [
                    {{ path = "bodies.c.mass", uniform = [0.5, 3.0] }},
                    {{ path = "initial.v.jb", uniform = [-3.0, 3.0] }},
                ]
                "#
            ),
            pendulum,
        );
        assert!(failures(&rows).is_empty());
    }
}

/// Ends and tolerances of their own; those that make no sense are rows with the reason.
#[test]
fn instances_may_have_settings_of_their_own() {
    let rows = |lanes| {
        let plan = Plan::from_toml_str(
            r#"
            name = "settings"
            model = "arm.toml"
            end = 1.0
            integrator = { atol = 1e-8 }
            design = { kind = "grid" }
            [[parameters]]
            name = "x"
            path = "integrator.rtol"
            values = [1e-6, 1e-4, -1.0]
            [[parameters]]
            path = "end"
            values = [0.5, 1.0, 0.25, 0.0]
            [[derived]]
            path = "integrator.step"
            expression = "sqrt(x)"
            "#,
        );
        let model = Description::from_toml_str(ARM).expect("a model");
        let sweep = Sweep::new(plan.expect("a plan"), model).expect("a sweep");
        self::rows(&sweep, lanes, 1)
    };
    let single = rows(1);
    for (row, alone) in rows(4).iter().zip(&single) {
        assert_eq!(content(row), content(alone));
    }
    let failed: Vec<_> = single.iter().map(|row| !row.outcome.is_finished()).collect();
    assert_eq!(failed, (0..12).map(|k| k >= 8 || k % 4 == 3).collect::<Vec<_>>());
    assert!(failures(&single).iter().all(|(_, reason)| *reason == "integrator settings"));
}

/// A four-bar: the end states of motions simulated alone, and those that do not close.
#[test]
fn mechanisms_with_loops_are_swept() {
    let plan = Plan::from_toml_str(
        r#"
        name = "four-bars"
        model = "model.toml"
        end = 0.5
        integrator = { rtol = 1e-7, atol = 1e-7 }
        design = { kind = "grid" }
        [[parameters]]
        path = "bodies.coupler.mass"
        values = [1.0, 2.0, 4.0]
        [[parameters]]
        path = "joints.crank_coupler.in_parent.position[0]"
        values = [0.1, 0.11, 9.0]
        "#,
    );
    let model = mechanism("mechanisms/fourbar_ex32/model.toml").description().clone();
    let sweep = Sweep::new(plan.expect("a plan"), model).expect("a sweep");
    let found = rows(&sweep, 4, 2);
    let failed: Vec<u64> = failures(&found).iter().map(|(index, _)| *index).collect();
    assert_eq!(failed, [2, 5, 8], "cranks that are too long");
    assert!(failures(&found).iter().all(|(_, reason)| *reason == "assembly"), "{found:?}");
    for row in &found {
        let Outcome::Finished { values } = &row.outcome else { continue };
        let dynamics = AbsoluteDynamics::new(&sweep.mechanism(row.index).expect("sound"));
        let dynamics = dynamics.expect("supported");
        let state = dynamics.initial_state().expect("assembled");
        let settings = Adaptive::new(1e-7, 1e-7);
        let options = Options::adaptive(Tableau::dormand_prince_54(), settings);
        let approach = Approach::projected(options);
        let run = integrate_constrained(&dynamics, &state, &approach, 0.5, &mut ()).expect("runs");
        assert_eq!(values[..run.q.len() + run.v.len()], [run.q, run.v].concat());
        assert!(values[values.len() - 5] < 1e-12, "{values:?}");
    }
}

/// Instances that take too long are rows, in trees and in loops; a limit that is not reached changes nothing.
#[test]
fn instances_that_take_too_long_are_failures() {
    let four_bar = mechanism("mechanisms/fourbar_ex32/model.toml").description().clone();
    let arm = Description::from_toml_str(ARM).expect("a model");
    for (model, body) in [(four_bar, "coupler"), (arm, "hand")] {
        let sweep = |end: f64, limit: f64| {
            let plan = format!(
                "name = \"slow\"\nmodel = \"model.toml\"\nend = {end:?}\n\
                 integrator = {{ rtol = 1e-6, atol = 1e-6 }}\nlimits = {{ time_limit = {limit:?} }}\n\
                 design = {{ kind = \"grid\" }}\n[[parameters]]\npath = \"bodies.{body}.mass\"\n\
                 values = [1.0, 2.0, 3.0]\n"
            );
            Sweep::new(Plan::from_toml_str(&plan).expect("a plan"), model.clone()).expect("a sweep")
        };
        for row in rows(&sweep(1e9, 0.02), 2, 1) {
            let Outcome::Failed { reason, message, time } = row.outcome else { panic!("it ended") };
            assert_eq!(reason, "time limit");
            assert!(time > 0.0 && time < 1e9 && message.contains("0.02 s"), "{message}");
        }
        let (free, limited) = (rows(&sweep(0.1, 1e6), 2, 1), rows(&sweep(0.1, 1e3), 4, 1));
        for (a, b) in free.iter().zip(&limited) {
            assert!(a.outcome.is_finished());
            assert_eq!(content(a), content(b));
        }
    }
}
