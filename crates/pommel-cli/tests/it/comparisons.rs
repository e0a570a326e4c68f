//! `pommel compare`, and `accel` on mechanisms with loops.

use crate::support::{Place, dataset, pommel};

/// The published comparison: calls as of equivalent methods there (1828), ends near the reference
/// and nearer each other. The method with tolerance 1e-6 is itself off by 2.4e-5.
#[test]
fn the_published_comparison_ends_where_the_reference_does() {
    let model = dataset("mechanisms/fm24/model.toml");
    let out = pommel(&["compare", &model, "--seconds", "1e-6", "--json"]).json();
    let truth = std::fs::read_to_string(dataset("mechanisms/fm24/truth.json")).expect("the file");
    let truth: serde_json::Value = serde_json::from_str(&truth).expect("JSON");
    let last = truth["states"].as_array().expect("states").last().expect("a state");
    assert_eq!((&last["t"], &out["end"]), (&7.38.into(), &7.38.into()));
    // cranks of both sets
    let angles = |list: &serde_json::Value| [2, 14].map(|k| list[k].as_f64().expect("a number"));
    let expected = angles(&last["q"]);
    let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
    let rows = out["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 19);
    let first = angles(&rows[0]["end"]);
    for row in rows {
        assert_eq!(row["status"], "ok", "{row}");
        let (name, found) = (&row["formulation"], angles(&row["end"]));
        let calls = row["evaluations"].as_u64().expect("a count") as f64;
        // penalty approximates, and is stabilized
        if name != "penalty" {
            assert!((calls - 1828.0).abs() < 0.03 * 1828.0, "{name}: {calls} calls");
            assert!(near(found, first) < 1e-6, "{name}: {found:?}, others {first:?}");
        }
        let limit = if name == "penalty" { 1e-4 } else { 5e-5 };
        assert!(near(found, expected) < limit, "{name}: {found:?}, not {expected:?}");
        // the damper's work is accounted for
        let drift = row["energy_drift"].as_f64().expect("a number");
        assert!(drift < 1e-2, "{name}: {drift}");
    }
}

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
