//! `pommel compare`, and `accel` on mechanisms with loops.

use crate::support::{Place, dataset, pommel};

/// The stand-in for the published mechanism, to an early time.
#[test]
fn every_formulation_makes_the_same_calls_and_ends_alike() {
    let model = dataset("mechanisms/fm24/model.toml");
    let run = ["compare", &model, "--end", "0.2", "--seconds", "0.001", "--json"];
    let out = pommel(&run).json();
    let rows = out["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 19);
    let calls = rows[0]["evaluations"].as_u64().expect("a count");
    for row in rows {
        assert_eq!(row["status"], "ok", "{row}");
        let (name, end) = (&row["formulation"], row["end_difference"].as_f64().expect("a number"));
        if name == "penalty" {
            assert!(end < 1e-4, "{row}");
        } else {
            assert_eq!(row["evaluations"].as_u64(), Some(calls), "{row}");
            assert!(end < 1e-9, "{row}");
        }
    }
}

#[test]
fn a_comparison_is_written_with_its_picture() {
    let place = Place::new();
    let model = dataset("mechanisms/fm24/model.toml");
    let chosen = ["--formulations", "sparse_kkt,udwadia_kalaba"];
    let run =
        ["compare", &model, "--end", "0.1", "--seconds", "0.001", "--out", &place.path("cmp")];
    pommel(&[&run[..], &chosen].concat()).succeeds();
    let read = |name: &str| place.text(&format!("cmp/{name}"));
    assert!(read("comparison.md").contains("| udwadia_kalaba |"));
    assert!(read("comparison.md").contains("1954"));
    assert_eq!(read("comparison.csv").lines().count(), 3);
    assert!(read("comparison.svg").contains("<svg"));
}

/// Accelerations of the reference, at the start of the model.
#[test]
fn accelerations_of_a_mechanism_with_loops() {
    let model = dataset("mechanisms/fourbar_ex32/model.toml");
    let list = pommel(&["accel", &model, "--formulation", "all", "--json"]).json();
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), 19);
    let truth = std::fs::read_to_string(dataset("mechanisms/fourbar_ex32/truth.json"));
    let truth: serde_json::Value = serde_json::from_str(&truth.expect("the file")).expect("JSON");
    let expected = truth["states"][0]["a"].as_array().expect("accelerations");
    for document in list {
        let limit = if document["formulation"] == "penalty" { 1e-4 } else { 1e-9 };
        for (a, b) in document["a"].as_array().expect("a").iter().zip(expected) {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            assert!((a - b).abs() <= limit * (1.0 + b.abs()), "{document}");
        }
    }
}

#[test]
fn unknown_names_are_told() {
    let model = dataset("mechanisms/fm24/model.toml");
    for arguments in [
        ["compare", model.as_str(), "--formulations", "sparse"],
        ["compare", model.as_str(), "--controller", "none"],
        ["accel", model.as_str(), "--formulation", "kkt"],
    ] {
        pommel(&arguments).fails(2, &["unknown", "known: "]);
    }
}
