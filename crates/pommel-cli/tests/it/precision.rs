//! `precision`.

use serde_json::Value;

use crate::support::{Place, dataset, pommel};

fn model(name: &str) -> String {
    dataset(&format!("mechanisms/{name}/model.toml"))
}

#[test]
fn smaller_tolerances_cost_more_and_give_more_digits() {
    let place = Place::new();
    let out = place.path("precision");
    let run = pommel(&[
        "precision",
        &model("fourbar_ex32"),
        "--end",
        "0.5",
        "--methods",
        "dopri5,dop853,radau5-stabilized",
        "--tolerances",
        "1e-9,1e-5",
        "--drift",
        "--out",
        &out,
        "--json",
    ]);
    let document = run.json();
    assert!(document["reference_difference"].as_f64().expect("a number") <= 1e-8);
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    for pair in rows.chunks(2) {
        assert_eq!(pair[0]["method"], pair[1]["method"]);
        let of = |row: &Value, key: &str| row[key].as_f64().expect("a number");
        assert_eq!([&pair[0], &pair[1]].map(|row| of(row, "tolerance")), [1e-5, 1e-9]);
        assert!(of(&pair[1], "error") < 0.2 * of(&pair[0], "error"), "{pair:?}");
        assert!(of(&pair[1], "evaluations") > of(&pair[0], "evaluations"), "{pair:?}");
        assert_eq!(pair[0]["status"], "ok");
    }
    assert_eq!(
        place.names("precision"),
        ["drift.csv", "drift.svg", "precision.csv", "precision.svg"]
    );
    let csv = place.text("precision/precision.csv");
    assert_eq!(csv.lines().count(), 7);
    let svg = place.text("precision/precision.svg");
    for name in ["dopri5", "dop853", "radau5-stabilized", "error of the end"] {
        assert!(svg.contains(name), "{name}");
    }
    let drift = place.text("precision/drift.csv");
    let last = |name: &str| -> f64 {
        let row = drift.lines().rfind(|line| line.starts_with(name)).expect("a row");
        row.rsplit(',').next().expect("a cell").parse().expect("a number")
    };
    assert!(last("none") > 10.0 * last("baumgarte") || last("none") > 1e-8);
    assert!(last("projection") < 1e-12);
}

/// A method that takes long is not asked for more, and one that cannot go on says why.
#[test]
fn slow_methods_end_early_and_failures_are_rows() {
    // redundant rows contradict each other where drift is large
    let document = pommel(&[
        "precision",
        &model("a04_bricard"),
        "--end",
        "2",
        "--methods",
        "dopri5-baumgarte",
        "--tolerances",
        "5e-1,1e-2",
        "--json",
    ]);
    let document = document.json();
    let rows = document["rows"].as_array().expect("rows");
    let failed: Vec<_> = rows.iter().filter(|row| row["status"] != "ok").collect();
    assert!(!failed.is_empty(), "{rows:?}");
    for row in failed {
        let status = row["status"].as_str().expect("a status");
        assert!(status.contains("the integration ended at"), "{status}");
        assert!(row["error"].is_null());
    }
    let run = pommel(&[
        "precision",
        &model("chain2"),
        "--end",
        "0.5",
        "--methods",
        "dopri5",
        "--tolerances",
        "1e-4,1e-6",
        "--seconds",
        "1e-9",
        "--json",
    ]);
    assert_eq!(run.json()["rows"].as_array().map(Vec::len), Some(1));
}

#[test]
fn arguments_that_make_no_sense_are_told() {
    let chain = model("chain2");
    for (extra, message) in [
        (&["--methods", "ode9"][..], "unknown method 'ode9'; known: bs32, dopri5"),
        (&["--tolerances", "1e-20"], "must be between 1e-14 and 1"),
        (&["--seconds", "0"], "--seconds 0 must be positive"),
    ] {
        pommel(&[&["precision", &chain, "--end", "1"], extra].concat()).fails(2, &[message]);
    }
    pommel(&["precision", &chain, "--end", "-1"]).fails(2, &["--end -1 must be positive"]);
}
