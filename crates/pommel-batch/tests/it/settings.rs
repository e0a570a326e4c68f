//! Settings of the integration that instances have of their own.

use crate::support::{Place, model, sweep_of};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use pommel_batch::{
    Column, Instance, Integrator, Method, Outcome, Plan, RunOptions, Runner, Setting, Sweep,
    Target, run_to_directory,
};
use std::sync::Mutex;

const HEAD: &str = "name = \"s\"\nmodel = \"m.toml\"\nend = 2.0\ndesign = { kind = \"grid\" }\n";

/// Writes down how each instance is to be integrated.
#[derive(Default)]
struct Recorder(Mutex<Vec<(u64, Integrator, f64)>>);

impl Runner for Recorder {
    type Worker = ();

    fn columns(&self) -> Vec<Column> {
        vec![Column::new("double_end", "s", "twice the end")]
    }

    fn worker(&self) {}

    fn run(&self, (): &mut (), instances: &[Instance<'_>]) -> Vec<Outcome> {
        let one = |instance: &Instance<'_>| {
            let entry = (instance.index(), instance.integrator(), instance.end());
            self.0.lock().expect("a list").push(entry);
            Outcome::Finished { values: vec![2.0 * instance.end()] }
        };
        instances.iter().map(one).collect()
    }
}

fn fault(text: &str) -> String {
    let plan = Plan::from_toml_str(&format!("{HEAD}{text}"));
    let error = plan.and_then(|plan| Sweep::new(plan, model())).expect_err("faulty");
    assert_eq!(error.faults().len(), 1, "{error}");
    error.faults()[0].to_string()
}

#[test]
fn instances_tell_their_settings() {
    let sweep = sweep_of(&format!(
        "{HEAD}integrator = {{ rtol = 1e-3, atol = 1e-5, max_steps = 7 }}
        parameters = [
            {{ path = \"integrator.rtol\", values = [1e-6, 1e-9] }},
            {{ path = \"end\", name = \"duration\", values = [1.0, 3.0] }},
        ]
        derived = [
            {{ path = \"integrator.step\", expression = \"duration / 100\" }},
            {{ path = \"integrator.atol\", expression = \"duration / 1000\" }},
        ]"
    ));
    assert!(sweep.varies_settings());
    assert_eq!(sweep.swept()[0].targets(), [Target::Setting(Setting::RelativeTolerance)]);
    assert_eq!(sweep.swept()[1].targets()[0].path(), "end");
    assert_eq!(sweep.description(3), *sweep.base(), "the model is left as it is");
    let (recorder, place) = (Recorder::default(), Place::new("settings"));
    run_to_directory(&sweep, &recorder, &RunOptions::default(), &mut (), place.join("out"))
        .expect("runs");
    let mut told = recorder.0.into_inner().expect("a list");
    told.sort_by_key(|(index, ..)| *index);
    let mut expected = Vec::new();
    for (index, (rtol, end)) in
        [(1e-6, 1.0), (1e-6, 3.0), (1e-9, 1.0), (1e-9, 3.0)].into_iter().enumerate()
    {
        let integrator = Integrator {
            name: Method::Dopri5,
            rtol: Some(rtol),
            atol: Some(end / 1000.0),
            step: Some(end / 100.0),
            max_steps: Some(7),
        };
        expected.push((index as u64, integrator, end));
    }
    assert_eq!(told, expected);

    // the table says when each instance ended
    let file = std::fs::File::open(place.join("out/results.parquet")).expect("file");
    let reader = SerializedFileReader::new(file).expect("parquet");
    for (row, (_, integrator, end)) in reader.get_row_iter(None).expect("rows").zip(&expected) {
        let row = row.expect("row");
        let cells: Vec<(String, Field)> =
            row.get_column_iter().map(|(name, cell)| (name.clone(), cell.clone())).collect();
        let cell = |name: &str| match cells.iter().find(|(n, _)| n == name) {
            Some((_, Field::Double(value))) => *value,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!((cell("time_reached"), cell("duration")), (*end, *end));
        assert_eq!(Some(cell("integrator.step")), integrator.step);
    }
}

#[test]
fn a_step_may_come_from_a_parameter() {
    let sweep = sweep_of(&format!(
        "{HEAD}integrator = {{ name = \"rk4\" }}\n\
         parameters = [{{ path = \"integrator.step\", values = [1e-2, -1.0] }}]"
    ));
    assert_eq!(sweep.len(), 2);
    let plain =
        sweep_of(&format!("{HEAD}parameters = [{{ path = \"gravity[0]\", values = [1.0] }}]"));
    assert!(!plain.varies_settings());
}

#[test]
fn paths_of_settings_are_checked() {
    let with = |path: &str| fault(&format!("parameters = [{{ path = '{path}', values = [1.0] }}]"));
    assert_eq!(
        with("integrator.rtoll"),
        "parameters[0].path: 'integrator.rtoll': integrator has no 'rtoll'; did you mean 'rtol'?"
    );
    assert_eq!(
        with("integrator.max_steps"),
        "parameters[0].path: 'integrator.max_steps': integrator has no 'max_steps'; there are \
         rtol, atol, step"
    );
    assert_eq!(
        with("integrator"),
        "parameters[0].path: 'integrator' is not one number; there are rtol, atol, step"
    );
    assert_eq!(
        with("integrator.rtol[0]"),
        "parameters[0].path: 'integrator.rtol[0]': integrator.rtol has no '0'; the file gives \
         nothing here"
    );
    assert_eq!(
        fault("parameters = [{ paths = ['end', 'end'], values = [1.0] }]"),
        "parameters[0].paths[1]: 'end' is the number that 'end' in parameters[0] sets already"
    );
    assert_eq!(
        fault(
            "integrator = { name = 'rk4', step = 0.1 }\n\
             parameters = [{ path = 'integrator.rtol', values = [1.0] }]"
        ),
        "parameters[0] (line 6): rk4 takes fixed steps and has no rtol; give `step` only, or \
         choose dopri5"
    );
}

#[test]
fn limits_are_checked() {
    let with = |limits: &str| {
        fault(&format!(
            "parameters = [{{ path = 'gravity[0]', values = [1.0] }}]\n[limits]\n{limits}"
        ))
    };
    assert_eq!(with("time_limit = 0"), "limits.time_limit (line 7): 0 must be positive");
    assert_eq!(with("time_limit = inf"), "limits.time_limit (line 7): inf is not a finite number");
    for share in ["-0.1", "1.5"] {
        assert_eq!(
            with(&format!("max_failed_share = {share}")),
            format!(
                "limits.max_failed_share (line 7): {share} is no share; give a number from 0 to 1"
            )
        );
    }
    assert_eq!(
        with("time_limt = 1.0"),
        "limits (line 7): unknown key 'time_limt'; did you mean 'time_limit'?"
    );
    let none = format!("{HEAD}parameters = [{{ path = 'gravity[0]', values = [1.0] }}]\n");
    let empty = Plan::from_toml_str(&format!("{none}limits = {{}}")).expect("sound");
    assert_eq!(empty.digest(), Plan::from_toml_str(&none).expect("sound").digest());
    let some = Plan::from_toml_str(&format!("{none}limits = {{ time_limit = 1 }}")).expect("sound");
    assert_ne!(some.digest(), empty.digest());
}
