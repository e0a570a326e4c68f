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
        assert!(drift < 2e-3, "{name}: {drift}");
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
    let run = ["compare", &model, "--seconds", "0.001", "--out", &place.path("cmp")];
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
fn accelerations_by_all_formulations_tell_units_and_differences() {
    let model = dataset("mechanisms/fourbar_ex32/model.toml");
    let run = pommel(&["accel", &model, "--formulation", "all"]).succeeds();
    assert!(run.out.contains("m/s²") && run.out.contains("rad/s²"), "{}", run.out);
    let told: Vec<&str> = run.out.lines().filter(|line| line.contains("differs from")).collect();
    assert_eq!(told.len(), 18, "{}", run.out);
    for line in told {
        let difference: f64 =
            line.rsplit(' ').next().and_then(|x| x.parse().ok()).expect("a number");
        let limit = if line.contains("penalty") { 1e-4 } else { 1e-9 };
        assert!(difference < limit, "{line}");
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

/// A wheel in space on a torsional spring, far enough that its angle passes half a turn:
/// `θ = 5 sin t`. Orientations alone do not tell turns.
const WHEEL: &str = r#"
name = "wheel"
gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "wheel"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "hub"
type = "revolute"
axis = [0.0, 0.0, 1.0]
parent = "ground"
child = "wheel"
stiffness = 1.0
[initial.v]
hub = 5.0
"#;

#[test]
fn springs_in_space_know_their_turns() {
    let place = Place::new();
    let model = place.file("wheel.toml", WHEEL);
    let run = ["compare", &model, "--end", "1.5", "--rtol", "1e-9", "--seconds", "1e-6", "--json"];
    let out = pommel(&run).json();
    let (angle, rate) = (5.0 * 1.5_f64.sin(), 5.0 * 1.5_f64.cos());
    let mut done = 0;
    for row in out["rows"].as_array().expect("rows") {
        if row["status"] != "ok" || row["formulation"] == "penalty" {
            continue;
        }
        let end: Vec<f64> =
            row["end"].as_array().expect("an end").iter().map(|x| x.as_f64().unwrap()).collect();
        // quaternion and its sign, then the spin
        let (w, z) = (end[3], end[6]);
        let found = 2.0 * z.atan2(w);
        let off = ((found - angle) / std::f64::consts::TAU).rem_euclid(1.0);
        assert!(off.min(1.0 - off) < 1e-7, "{row}");
        assert!((end[9] - rate).abs() < 1e-6, "{row}");
        assert!(row["energy_drift"].as_f64().expect("a number") < 1e-6, "{row}");
        done += 1;
    }
    assert!(done >= 15, "{done} formulations ended");
    // a state beyond half a turn, in joint coordinates
    let state = place.file("state.json", r#"{"q": {"hub": 4.0}, "v": {"hub": 0.0}}"#);
    for formulation in ["recursion", "sparse_kkt", "qr"] {
        let run = ["accel", &model, "--state", &state, "--formulation", formulation, "--json"];
        let a = pommel(&run).json()["bodies"]["wheel"]["angular_acceleration"][2].clone();
        assert!((a.as_f64().expect("a number") + 4.0).abs() < 1e-12, "{formulation}: {a}");
    }
}

/// A screw, several turns on.
#[test]
fn screws_do_not_lose_their_turns() {
    let place = Place::new();
    let text = WHEEL
        .replace("type = \"revolute\"", "type = \"helical\"\npitch = 0.3")
        .replace("stiffness = 1.0\n", "")
        .replace("hub = 5.0", "hub = 9.0");
    let model = place.file("screw.toml", text);
    let run = ["compare", &model, "--end", "2", "--rtol", "1e-9", "--seconds", "1e-6", "--json"];
    let out = pommel(&run).json();
    let mut done = 0;
    for row in out["rows"].as_array().expect("rows") {
        if row["status"] != "ok" || row["formulation"] == "penalty" {
            continue;
        }
        // it turns on and on: 18 rad, and 0.3 m a radian
        let height = row["end"][2].as_f64().expect("a number");
        assert!((height - 0.3 * 18.0).abs() < 1e-6, "{row}");
        assert!(row["position_residual_max"].as_f64().expect("a number") < 1e-6, "{row}");
        done += 1;
    }
    assert!(done >= 15, "{done} formulations ended");
    // and a state that is several turns up is not moved
    let state = place.file("state.json", r#"{"q": {"hub": 14.0}}"#);
    let run =
        pommel(&["accel", &model, "--state", &state, "--formulation", "sparse_kkt", "--json"]);
    assert!(!run.err.contains("moved"), "{}", run.err);
    let z = run.json()["bodies"]["wheel"]["position"][2].as_f64().expect("a number");
    assert!((z - 0.3 * 14.0).abs() < 1e-12, "{z}");
}

/// Joint forces of the state act all the time, as `--help` says of states.
#[test]
fn applied_forces_act_in_comparisons() {
    let place = Place::new();
    let model = place.file("wheel.toml", WHEEL.replace("stiffness = 1.0\n", ""));
    let state = place.file("state.json", r#"{"v": {"hub": 0.0}, "tau": {"hub": 2.0}}"#);
    let run = ["compare", &model, "--state", &state, "--end", "1", "--seconds", "1e-6", "--json"];
    let chosen = ["--formulations", "sparse_kkt,recursion,qr"];
    let out = pommel(&[&run[..], &chosen].concat()).json();
    for row in out["rows"].as_array().expect("rows") {
        assert!((row["end"][9].as_f64().expect("a number") - 2.0).abs() < 1e-6, "{row}");
        assert!(row["energy_drift"].as_f64().expect("a number") < 1e-6, "{row}");
    }
}

/// Rows that depend on others drift apart, and still count as dependent: all end alike.
#[test]
fn redundant_constraints_survive_their_drift() {
    let model = dataset("mechanisms/a04_bricard/model.toml");
    let run = ["compare", &model, "--end", "3", "--seconds", "0.001", "--json"];
    let out = pommel(&run).json();
    let rows = out["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 19);
    for row in rows {
        let name = row["formulation"].as_str().expect("a name");
        // a penalty approximates, and steps of the other may say that they do not converge
        if ["penalty", "augmented_lagrangian"].contains(&name) {
            continue;
        }
        assert_eq!(row["status"], "ok", "{name}");
        let number = |key: &str| row[key].as_f64().expect(key);
        assert!(number("position_residual_max") < 2e-4, "{name}");
        assert!(number("energy_drift") < 2e-3, "{name}: {}", number("energy_drift"));
        assert!(number("end_difference") < 1e-3, "{name}: {}", number("end_difference"));
        assert!(number("evaluations") < 2000.0, "{name}");
    }
}

/// A driver that leaves its reach: no formulation gets to the end, which is no success.
#[test]
fn a_comparison_that_nothing_finishes_fails() {
    let place = Place::new();
    let text = std::fs::read_to_string(dataset("mechanisms/slidercrank/model.toml")).expect("read");
    let driver = "\n[[drivers]]\nname = \"push\"\njoint = \"ground_slider\"\n\
                  motion = { type = \"polynomial\", coefficients = [1.0057570561667655, 0.1] }\n";
    let model = place.file("pushed.toml", text + driver);
    let out = place.path("comparison");
    let run =
        ["compare", &model, "--end", "2", "--seconds", "0.001", "--formulations", "qr,sparse_kkt"];
    let found = pommel(&[&run[..], &["--out", &out]].concat());
    assert!(found.out.contains("failed: ended at t = 0.9"), "{}", found.out);
    assert!(!found.err.contains("log scale"), "{}", found.err);
    assert_eq!(found.status, Some(1));
    assert!(found.err.contains("no formulation reached the end"), "{}", found.err);
    assert!(place.text("comparison/comparison.csv").contains("ended at"));
}

#[test]
fn published_figures_stand_beside_the_published_run_only() {
    let model = dataset("mechanisms/fm24/model.toml");
    let run = ["compare", &model, "--seconds", "0.001", "--formulations", "sparse_kkt"];
    assert!(pommel(&run).succeeds().out.contains("published"));
    for other in [["--end", "0.5"], ["--rtol", "1e-5"], ["--controller", "pi"]] {
        let said = pommel(&[&run[..], &other].concat()).succeeds().out;
        assert!(!said.contains("published"), "{said}");
    }
}
