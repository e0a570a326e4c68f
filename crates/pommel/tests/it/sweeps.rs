//! Sweeps side by side in lanes: the bits of single lanes, and of motions simulated alone.

use pommel::TreeDynamics;
use pommel::batch::{Observer, Outcome, Plan, Row, RunOptions, Sweep, run};
use pommel::model::Description;
use pommel::simulate::{Integrator, SimulateOptions, simulate};
use pommel::sweep::SimulationRunner;

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
        options.integrator = Integrator::dormand_prince(settings.rtol, settings.atol);
        options.first_step = settings.step;
        let state = mechanism.initial_state();
        let motion = simulate(&dynamics, state, &options, &mut |_| ()).expect("runs");
        let end = motion.samples.last().expect("the end");
        let state = [&end.q[..], &end.v, &[end.work]].concat();
        // samples of quaternions are of unit length to the last bit
        for (value, expected) in values.iter().zip(&state) {
            let off = (value - expected).abs();
            assert!(off <= f64::EPSILON, "instance {}: {value} {expected}", row.index);
        }
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
