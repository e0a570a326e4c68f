//! Batches: the same results for any threads, files, failed instances, unsound plans.

use parquet::record::Field;
use serde_json::{Value, json};

use crate::support::{ARM, Place, garbage, masses, parquet_columns, plan, pommel};

const RANDOM: &str = r#"
design = { kind = "random", count = 40, seed = 3 }
[[parameters]]
path = "bodies.link.mass"
name = "mass"
uniform = [LOW, 3.0]
[[parameters]]
path = "initial.v.elbow"
uniform = [-1.0, 1.0]
"#;

/// A place with the arm and a plan of 40 arms whose link has a mass from `low` to 3.
fn place_with_plan(low: &str) -> (Place, String) {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let plan = place.file("plan.toml", plan(&RANDOM.replace("LOW", low)));
    (place, plan)
}

/// Runs this plan and expects a complaint; nothing is written.
#[track_caller]
fn refused(rest: &str, complaints: &[&str]) {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let plan = place.file("plan.toml", plan(rest));
    let complaints = [&[plan.as_str()], complaints].concat();
    pommel(&["sweep", &plan, "--out", &place.path("results")]).fails(2, &complaints);
    assert_eq!(place.names("."), ["arm.toml", "plan.toml"]);
}

#[test]
fn the_digest_is_the_same_for_any_threads_and_on_a_second_run() {
    let (place, plan) = place_with_plan("1.0");
    let digest = |threads: &str, directory: &str| {
        let out = place.path(directory);
        let args = ["sweep", &plan, "--out", &out, "--threads", threads, "--json"];
        let summary = pommel(&args).json();
        assert_eq!(
            (&summary["finished"], &summary["threads"]),
            (&json!(40), &json!(threads.parse::<u64>().ok()))
        );
        summary["digest"].as_str().expect("a digest").to_owned()
    };
    let first = digest("1", "one");
    let table = place.read("one/results.parquet");
    assert_eq!(digest("2", "two"), first);
    assert_eq!(digest("2", "one"), first);
    assert_eq!(place.read("one/results.parquet"), table);
}

#[test]
fn the_directory_holds_table_summary_plot_and_plan() {
    let (place, plan) = place_with_plan("1.0");
    // what a run that was killed leaves
    std::fs::create_dir(place.path("results")).expect("directory");
    place.file("results/.pommel-sweep.lock", "");
    place.file("results/.results.parquet.partial", garbage());
    let run = pommel(&["sweep", &plan, "--out", &place.path("results")]).succeeds();
    let files = ["plan.toml", "plot.svg", "results.parquet", "summary.json"];
    assert_eq!(place.names("results"), [&["manifest.json"][..], &files].concat());
    for file in files {
        assert!(run.out.contains(&format!("wrote {}", place.path(&format!("results/{file}")))));
    }
    assert!(run.out.contains("40 of 40 finished"), "{}", run.out);
    assert_eq!(place.text("results/plan.toml"), place.text("plan.toml"));
    let plot = place.text("results/plot.svg");
    assert!(plot.starts_with("<svg") && !plot.contains("NaN"));

    let columns = parquet_columns(&place.path("results/results.parquet"));
    let index = |k: u64| Field::ULong(k);
    assert_eq!(columns["instance"], (0..40).map(index).collect::<Vec<_>>());
    for cell in &columns["mass"] {
        assert!(matches!(cell, Field::Double(mass) if (1.0..3.0).contains(mass)), "{cell}");
    }
    for name in ["initial.v.elbow", "q.root.x", "q.elbow", "v.elbow", "energy_drift", "steps"] {
        assert_eq!(columns[name].len(), 40, "{name}");
    }
}

#[test]
fn instances_with_a_negative_mass_are_recorded_as_failed() {
    let (place, plan) = place_with_plan("-3.0");
    let out = place.path("results");
    let summary = pommel(&["sweep", &plan, "--out", &out, "--json"]).json();
    let columns = parquet_columns(&place.path("results/results.parquet"));
    let mut failed = 0;
    for k in 0..40 {
        let Field::Double(mass) = columns["mass"][k] else { panic!("a mass") };
        let cells = (&columns["status"][k], &columns["reason"][k], &columns["message"][k]);
        if mass < 0.0 {
            failed += 1;
            let (Field::Str(status), Field::Str(reason), Field::Str(message)) = cells else {
                panic!("texts, not {cells:?}")
            };
            assert_eq!((status.as_str(), reason.as_str()), ("failed", "model"));
            assert!(message.contains("bodies[1] 'link'.mass"), "{message}");
            assert_eq!(columns["q.elbow"][k], Field::Null);
        } else {
            assert_eq!(cells, (&Field::Str("finished".to_owned()), &Field::Null, &Field::Null));
        }
    }
    assert!(0 < failed && failed < 40, "the plan draws both");
    assert_eq!(summary["failed"], json!({ "model": failed }));
    assert_eq!(summary["finished"], 40 - failed);
    assert!(!place.text("results/plot.svg").contains("NaN"));
}

#[test]
fn a_massless_link_is_an_instance_that_failed_as_singular() {
    let place = Place::new();
    place.file("arm.toml", ARM.replace("[0.1, 0.2, 0.2]", "[0.0, 0.0, 0.0]"));
    let plan = place.file("plan.toml", plan(&masses("[0.0, 1.0]")));
    let summary = pommel(&["sweep", &plan, "--out", &place.path("results"), "--json"]).json();
    assert_eq!(summary["failed"], json!({ "singular": 1 }));
    assert_eq!(summary["finished"], 1);
}

#[test]
fn a_sweep_without_a_finished_instance_has_its_table_and_plot() {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let plan = place.file("plan.toml", plan(&masses("[-1.0, -2.0]")));
    let out = place.path("results");
    let run = pommel(&["sweep", &plan, "--out", &out]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("none of the 2 instances finished"), "{}", run.err);
    assert!(run.out.contains("0 of 2 finished"), "{}", run.out);
    assert!(run.out.contains("2 failed: model"), "{}", run.out);
    let plot = place.text("results/plot.svg");
    assert!(plot.contains("0 of 2 instances finished"));
    assert!(!plot.contains("NaN") && !plot.contains("inf"));
    let run = pommel(&["sweep", &plan, "--out", &out, "--json"]);
    let summary: Value = serde_json::from_str(&run.out).expect("one document");
    assert_eq!((&summary["finished"], &summary["failed"]), (&json!(0), &json!({ "model": 2 })));
    assert!(summary["quantities"].as_array().expect("a list").iter().all(|q| q["mean"].is_null()));
    assert_eq!(parquet_columns(&place.path("results/results.parquet"))["instance"].len(), 2);
}

#[test]
fn a_directory_with_the_results_of_another_sweep_is_left_as_it_is() {
    let (place, plan) = place_with_plan("1.0");
    let out = place.path("results");
    pommel(&["sweep", &plan, "--out", &out]).succeeds();
    let before = place.read("results/results.parquet");
    let other = place.file("other.toml", place.text("plan.toml").replace("seed = 3", "seed = 4"));
    pommel(&["sweep", &other, "--out", &out])
        .fails(1, &[&out, "holds the results of another sweep", "choose another directory"]);
    assert_eq!(place.read("results/results.parquet"), before);
    assert_eq!(place.names("results").len(), 5);
}

#[test]
fn a_sweep_without_instances_is_refused() {
    let parameter = "parameters = [{ path = \"bodies.link.mass\", uniform = [1.0, 2.0] }]";
    refused(
        &format!("design = {{ kind = \"random\", count = 0 }}\n{parameter}"),
        &["design.count (line 4)", "a count of 0"],
    );
    let grid = "design = { kind = \"grid\" }\n";
    refused(&format!("{grid}parameters = []"), &["parameters", "at least one parameter"]);
    refused(grid, &["'parameters' is missing"]);
    refused(&masses("[]"), &["parameters[0].values", "there are no values"]);
}

#[test]
fn faults_of_a_plan_are_found() {
    let grid = "design = { kind = \"grid\" }\n";
    refused(
        &format!("{grid}parameters = [{{ path = \"bodies.lnik.mass\", values = [1.0] }}]"),
        &["parameters[0].path", "lnik", "'link'"],
    );
    refused(
        &format!("{grid}parameters = [{{ paht = \"bodies.link.mass\", values = [1.0] }}]"),
        &["parameters[0]", "unknown key 'paht'", "'path'"],
    );
    refused(&masses("[nan]"), &["parameters[0].values[0]", "NaN is not a finite number"]);
    refused(&masses("1.0"), &["parameters[0].values", "expected"]);
    refused(
        &format!("integrator.name = \"euler\"\n{}", masses("[1.0]")),
        &["integrator.name", "unknown value 'euler'", "dopri5, rk4"],
    );
    refused(&format!("integrator.rtol = -1.0\n{}", masses("[1.0]")), &["integrator.rtol", "-1"]);
    refused("design = { kind = \"grid\" parameters }", &["plan.toml:4:26: "]);
}

#[test]
fn a_missing_plan_or_model_is_named() {
    let place = Place::new();
    let out = place.path("results");
    pommel(&["sweep", "nowhere.toml", "--out", &out]).fails(2, &["cannot read nowhere.toml"]);
    let plan = place.file("plan.toml", plan(&masses("[1.0]")));
    pommel(&["sweep", &plan, "--out", &out]).fails(2, &["cannot read", "arm.toml"]);
}

#[test]
fn binary_garbage_an_empty_file_and_a_directory_are_no_plans() {
    let place = Place::new();
    let out = place.path("results");
    for name in ["garbage.toml", "garbage.json"] {
        let file = place.file(name, garbage());
        pommel(&["sweep", &file, "--out", &out]).fails(2, &[name]);
    }
    for name in ["empty.toml", "empty.json"] {
        pommel(&["sweep", &place.file(name, ""), "--out", &out]).fails(2, &[name]);
    }
    let directory = place.path("directory.toml");
    std::fs::create_dir(&directory).expect("directory");
    pommel(&["sweep", &directory, "--out", &out]).fails(2, &["cannot read", "directory.toml"]);
    pommel(&["sweep", "plan.txt", "--out", &out]).fails(2, &["plan.txt", ".toml or .json"]);
}

#[test]
fn a_plan_may_be_json() {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let plan: Value = json!({
        "name": "arms", "model": "arm.toml", "end": 0.5,
        "design": { "kind": "grid" },
        "parameters": [{ "path": "bodies.link.mass", "values": [1.0, 2.0, 3.0] }],
    });
    let plan = place.file("plan.json", plan.to_string());
    let summary = pommel(&["sweep", &plan, "--out", &place.path("results"), "--json"]).json();
    assert_eq!(summary["finished"], 3);
}
