//! Sweeps whose instances have settings of the integration of their own.

use pommel::batch::{Instance, Observer, Outcome, Plan, Row, RunOptions, Runner, Sweep, run};
use pommel::sweep::SimulationRunner;

#[derive(Default)]
struct Rows(Vec<Row>);

impl Observer for Rows {
    fn rows(&mut self, rows: &[Row]) {
        self.0.extend_from_slice(rows);
    }
}

/// The rows of a plan for the planar arm, whose joints move at first.
fn rows(plan: &str, threads: usize) -> Vec<Row> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/robots/planar2_papadopoulos");
    let model = pommel::model::Description::from_path(format!("{folder}/model.toml"));
    let text = format!(
        "name = \"s\"\nmodel = \"m.toml\"\ndesign = {{ kind = \"grid\" }}\n{plan}
        [[parameters]]\npath = \"initial.v.j_L1\"\nvalues = [0.6, 1.0]\n"
    );
    let plan = Plan::from_toml_str(&text).expect("a plan");
    let sweep = Sweep::new(plan, model.expect("a model")).expect("a sweep");
    let runner = SimulationRunner::new(&sweep).expect("a supported model");
    let mut rows = Rows::default();
    let options = RunOptions { threads, ..RunOptions::default() };
    run(&sweep, &runner, &options, &mut rows).expect("runs");
    rows.0
}

fn parameter(path: &str, values: &[f64]) -> String {
    format!("[[parameters]]\npath = \"{path}\"\nvalues = {values:?}\n")
}

/// An instance with its own settings ends like one of a plan that gives them to all, to the bit,
/// whatever ran before with other settings.
#[test]
fn own_settings_do_what_those_of_the_plan_do() {
    for (values, path, plain) in [
        ([1e-3, 1e-9], "integrator.rtol", "end = 0.5\nintegrator = { atol = 1e-9, rtol = X }\n"),
        ([1e-3, 1e-9], "integrator.atol", "end = 0.5\nintegrator = { rtol = 1e-9, atol = X }\n"),
        ([1e-2, 5e-3], "integrator.step", "end = 0.5\nintegrator = { name = \"rk4\", step = X }\n"),
        ([0.5, 0.25], "end", "end = X\nintegrator = { rtol = 1e-6 }\n"),
    ] {
        let varied = plain.replace('X', "0.125") + &parameter(path, &values);
        let together = rows(&varied, 1);
        assert_eq!(rows(&varied, 2), together);
        let mut ends = Vec::new();
        for (&value, pair) in values.iter().zip(together.chunks(2)) {
            let alone = rows(&plain.replace('X', &format!("{value:?}")), 1);
            for (row, alone) in pair.iter().zip(alone) {
                assert!(alone.outcome.is_finished(), "{path}");
                assert_eq!(row.outcome, alone.outcome, "{path} = {value}");
                assert_eq!(row.parameters, [value, alone.parameters[0]]);
            }
            ends.push(pair[0].outcome.clone());
        }
        assert_ne!(ends[0], ends[1], "{path} matters");
    }
}

#[test]
fn settings_that_make_no_sense_are_failed_rows() {
    for (path, bad) in [
        ("integrator.step", [-0.01, 0.0]),
        ("integrator.rtol", [-1e-6, -1.0]),
        ("integrator.atol", [-1e-6, -1.0]),
        ("end", [-1.0, 0.0]),
    ] {
        let values = [0.01, bad[0], bad[1], 0.02];
        let list = rows(&("end = 0.1\n".to_owned() + &parameter(path, &values)), 1);
        assert_eq!(list.len(), 8);
        for (index, row) in list.iter().enumerate() {
            match &row.outcome {
                Outcome::Finished { .. } => assert!(!(2..6).contains(&index), "{path}: {row:?}"),
                Outcome::Failed { reason, message, time } => {
                    assert!((2..6).contains(&index), "{path}: {row:?}");
                    assert_eq!((reason.as_ref(), *time), ("integrator settings", 0.0), "{message}");
                    assert!(!message.is_empty());
                }
            }
        }
    }
}

/// A derived setting that is no number fails its row only.
#[test]
fn derived_settings_that_are_no_numbers_are_failed_rows() {
    for path in ["end", "integrator.step", "integrator.rtol"] {
        let list = rows(
            &format!(
                "end = 0.1\n[[derived]]\npath = \"{path}\"\nexpression = \"sqrt(x) / 100\"\n\
                 [[parameters]]\nname = \"x\"\npath = \"gravity[0]\"\nvalues = [1.0, -1.0]\n"
            ),
            1,
        );
        let reasons: Vec<_> = list
            .iter()
            .map(|row| match &row.outcome {
                Outcome::Finished { .. } => "finished",
                Outcome::Failed { reason, .. } => reason,
            })
            .collect();
        let bad = "integrator settings";
        assert_eq!(reasons, ["finished", "finished", bad, bad], "{path}");
    }
}

/// The runner gives an outcome of its own for an instance handed to it, not that of its neighbours.
#[test]
fn the_order_of_instances_does_not_matter() {
    struct Backwards(SimulationRunner);
    impl Runner for Backwards {
        type Worker = <SimulationRunner as Runner>::Worker;
        fn columns(&self) -> Vec<pommel::batch::Column> {
            self.0.columns()
        }
        fn group(&self) -> usize {
            4
        }
        fn worker(&self) -> Self::Worker {
            self.0.worker()
        }
        fn run(&self, worker: &mut Self::Worker, instances: &[Instance<'_>]) -> Vec<Outcome> {
            let backwards: Vec<_> = instances.iter().rev().copied().collect();
            let mut outcomes: Vec<_> = backwards
                .iter()
                .flat_map(|instance| self.0.run(worker, std::slice::from_ref(instance)))
                .collect();
            outcomes.reverse();
            outcomes
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sweeps");
    let sweep = Sweep::from_path(format!("{folder}/two_links_one_at_a_time.toml")).expect("sound");
    let runner = SimulationRunner::new(&sweep).expect("a supported model");
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    let forwards = run(&sweep, &runner, &options, &mut ()).expect("runs");
    let backwards = run(&sweep, &Backwards(runner), &options, &mut ()).expect("runs");
    assert_eq!((forwards.finished, &forwards.digest), (14, &backwards.digest));
}
