//! The JSON documents: keys of the contract, and numbers known from elsewhere.

use serde_json::{Value, json};

use crate::support::{ARM, Place, assert_keys, dataset, masses, numbers, plan, pommel, texts};

const ACCEL: [&str; 7] =
    ["coordinates", "q", "v", "a", "multipliers", "backward_error", "formulation"];
const SIMULATE: [&str; 8] = [
    "steps",
    "rejected",
    "evaluations",
    "events",
    "position_residual_max",
    "velocity_residual_max",
    "energy_drift",
    "cpu_seconds",
];

fn puma() -> String {
    dataset("robots/puma560_fixed/model.urdf")
}

#[test]
fn info_holds_the_keys_of_the_contract() {
    let info = pommel(&["info", &puma(), "--json"]).json();
    let keys = [
        "name",
        "kind",
        "bodies",
        "joints",
        "coordinates",
        "velocities",
        "constraints",
        "rank",
        "redundant_rows",
        "degrees_of_freedom",
        "is_tree",
        "total_mass",
        "digest",
    ];
    assert_keys(&info, &keys);
    assert_eq!(info["kind"], "spatial");
    assert_eq!(texts(&info["velocities"]), ["j_L1", "j_L2", "j_L3", "j_L4", "j_L5", "j_L6"]);
    assert_eq!(info["is_tree"], true);
    assert_eq!(info["degrees_of_freedom"], 6);
}

#[test]
fn accel_holds_the_keys_of_the_contract_and_a_list_of_all_formulations() {
    let one = pommel(&["accel", &puma(), "--json"]).json();
    assert_keys(&one, &ACCEL);
    let all = pommel(&["accel", &puma(), "--json", "--formulation", "all"]).json();
    let all = all.as_array().expect("a list");
    // its bodies lack inertia about some axes: three methods that invert M refuse
    assert_eq!(all.len(), 17);
    for entry in all {
        assert_keys(entry, &ACCEL);
        // joint coordinates first, then absolute ones of six bodies
        let joints = entry["coordinates"] == one["coordinates"];
        assert_eq!(numbers(&entry["a"]).len(), if joints { 6 } else { 36 });
        let limit = if entry["formulation"] == "penalty" { 1e-4 } else { 1e-9 };
        for (name, body) in entry["bodies"].as_object().expect("bodies") {
            for key in ["acceleration", "angular_acceleration"] {
                let expected = numbers(&one["bodies"][name][key]);
                for (a, b) in numbers(&body[key]).iter().zip(&expected) {
                    assert!((a - b).abs() <= limit * (1.0 + b.abs()), "{name}: {a} {b} {entry}");
                }
            }
        }
    }
    assert_eq!(all[0]["a"], one["a"]);
}

#[test]
fn simulate_holds_the_keys_of_the_contract_and_the_trajectory_unless_it_goes_to_a_file() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let run = ["simulate", &model, "--end", "0.5", "--every", "0.25", "--json"];
    let document = pommel(&run).json();
    assert_keys(&document, &SIMULATE);
    let trajectory = &document["trajectory"];
    assert_keys(trajectory, &["t", "q", "v", "bodies"]);
    for body in ["base", "link"] {
        let keys = ["position", "quaternion", "velocity", "angular_velocity"];
        assert_keys(&trajectory["bodies"][body], &keys);
        for key in keys {
            assert_eq!(trajectory["bodies"][body][key].as_array().map(Vec::len), Some(3), "{key}");
        }
    }

    let file = place.path("run.json");
    let document = pommel(&[&run[..], &["--out", &file]].concat()).json();
    assert_keys(&document, &SIMULATE);
    assert!(document.get("trajectory").is_none());
    let written: Value = serde_json::from_str(&place.text("run.json")).expect("JSON");
    assert_eq!(&written, trajectory);
}

#[test]
fn a_planar_body_has_an_angle() {
    let place = Place::new();
    let model = place.file(
        "pendulum.toml",
        r#"
        name = "pendulum"
        kind = "planar"
        bodies = [{ name = "rod", mass = 1.0, com = [0.5, 0.0], inertia = 0.1 }]
        joints = [{ name = "pin", type = "revolute", parent = "ground", child = "rod" }]
        "#,
    );
    let document = pommel(&["simulate", &model, "--end", "2", "--json"]).json();
    let rod = &document["trajectory"]["bodies"]["rod"];
    assert_keys(rod, &["position", "angle", "velocity", "angular_velocity"]);
    let q = document["trajectory"]["q"].as_array().expect("a list");
    let angles = numbers(&rod["angle"]);
    assert_eq!(angles.len(), q.len());
    for (angle, q) in angles.iter().zip(q) {
        // atan2 of a sine and a cosine: a few units in the last place of half a turn
        assert!((angle - numbers(q)[0]).abs() < 4.0 * std::f64::consts::PI * f64::EPSILON);
    }
}

#[test]
fn sweep_holds_the_keys_of_the_contract_and_agrees_with_the_summary_in_its_directory() {
    let place = Place::new();
    place.file("arm.toml", ARM);
    let plan = place.file("plan.toml", plan(&masses("[1.0, 2.0]")));
    let summary = pommel(&["sweep", &plan, "--out", &place.path("results"), "--json"]).json();
    let keys =
        ["instances", "finished", "failed", "wall_seconds", "instances_per_second", "digest"];
    assert_keys(&summary, &keys);
    assert_eq!((&summary["instances"], &summary["failed"]), (&json!(2), &json!({})));
    let written: Value = serde_json::from_str(&place.text("results/summary.json")).expect("JSON");
    assert_eq!(written, summary);
}

#[test]
fn schema_holds_the_schemas_of_model_and_plan() {
    let schema = pommel(&["schema"]).json();
    assert_keys(&schema["model"]["properties"], &["name", "bodies", "joints"]);
    assert_keys(&schema["sweep"]["properties"], &["model", "end", "design", "parameters"]);
}

#[test]
fn floats_come_back_bit_by_bit() {
    let place = Place::new();
    // no short decimal, smallest normal and subnormal numbers, one step below 1
    let q = [0.1 + 0.2, f64::MIN_POSITIVE, 5e-324, 1.0 - f64::EPSILON / 2.0, -1.0 / 3.0, -0.0];
    let state = place.file("state.json", json!({ "q": q }).to_string());
    let document = pommel(&["accel", &puma(), "--state", &state, "--json"]).json();
    let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&numbers(&document["q"])), bits(&q));
}

/// References of 50 digits, see the data set's README. 1e-12 of the largest acceleration leaves
/// room for the conditioning of the inertia matrix, whose entries span five decades.
#[track_caller]
fn accelerations_are_those_of_the_reference(robot: &str, file: &str, gravity: &[&str]) {
    let place = Place::new();
    let model = dataset(&format!("robots/{robot}/{file}"));
    let truth = dataset(&format!("robots/{robot}/static.json"));
    let text = std::fs::read_to_string(truth).expect("file");
    let reference: Value = serde_json::from_str(&text).expect("JSON");
    let states = reference["states"].as_array().expect("a list");
    assert_eq!(states.len(), 4);
    for expected in states {
        let mut state = json!({ "q": expected["q"], "v": expected["v"], "tau": expected["Q"] });
        for (body, wrench) in expected["wext"].as_object().into_iter().flatten() {
            let moment = numbers(&wrench["moment_about_com"]);
            state["wrenches"][body] = json!([moment, numbers(&wrench["force"])].concat());
        }
        let state = place.file("state.json", state.to_string());
        let args = [&["accel", &model, "--state", &state, "--json"], gravity].concat();
        let found = numbers(&pommel(&args).json()["a"]);
        let expected = numbers(&expected["vdot"]);
        let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= 1e-12 * scale, "{found:?} is not {expected:?}");
        }
    }
}

#[test]
fn accelerations_of_the_puma_urdf_are_those_of_the_reference() {
    let gravity = ["--gravity", "0", "0", "-9.81"];
    accelerations_are_those_of_the_reference("puma560_fixed", "model.urdf", &gravity);
}

#[test]
fn accelerations_of_a_robot_with_joints_of_every_kind_are_those_of_the_reference() {
    accelerations_are_those_of_the_reference("mixed_joints_free", "model.toml", &[]);
}

/// By joint in the state, and as a table for people.
#[test]
fn coordinates_of_joints_of_every_kind_have_their_names_and_units() {
    let place = Place::new();
    let model = dataset("robots/mixed_joints_free/model.toml");
    let state = json!({
        "q": { "j_S1": [0.8, 0.6, 0.0, 0.0], "j_U1": [0.1, 0.2], "j_C1": [0.3, 0.05], "j_H1": 0.4 },
        "v": { "j_S1": [0.1, 0.2, 0.3], "j_C1": [0.5, -0.25] },
        "tau": { "j_P1": 2.0 },
    });
    let state = place.file("state.json", state.to_string());
    let out = pommel(&["accel", &model, "--state", &state]).succeeds().out;
    let line = |name: &str| {
        let line = out.lines().find(|line| line.starts_with(name));
        let words = line.unwrap_or_else(|| panic!("no {name} in {out}")).split_whitespace();
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    for (name, v, unit) in [
        ("j_S1.wz", "0.3", "rad/s"),
        ("j_C1.angle", "0.5", "rad/s"),
        ("j_C1.slide", "-0.25", "m/s"),
        ("j_U1.angle2", "0", "rad/s"),
        ("j_H1", "0", "rad/s"),
        ("j_P1", "0", "m/s"),
        ("root.wx", "0", "rad/s"),
        ("root.vx", "0", "m/s"),
    ] {
        let words = line(name);
        assert_eq!((words[1].as_str(), words[2].as_str()), (v, unit), "{name}");
        assert_eq!(words[4], format!("{unit}²"), "{name}");
    }
    let run = pommel(&["simulate", &model, "--end", "0.5", "--state", &state]).succeeds();
    assert!(run.out.contains("j_S1.qw") && run.out.contains("j_C1.slide"), "{}", run.out);
}

#[test]
fn a_floating_base_adds_six_velocities() {
    let fixed = pommel(&["info", &puma(), "--json"]).json();
    let free = pommel(&["info", &puma(), "--floating-base", "--json"]).json();
    assert_eq!(texts(&fixed["velocities"]).len() + 6, texts(&free["velocities"]).len());
    assert_eq!(texts(&fixed["coordinates"]).len() + 7, texts(&free["coordinates"]).len());
    assert_ne!(fixed["digest"], free["digest"]);
}

#[test]
fn a_free_arm_falls_with_the_gravity_of_the_option_else_of_the_model() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM.replace("elbow = 0.5", "elbow = 0.0"));
    let accelerations = |options: &[&str]| {
        let args = [&["accel", &model, "--json"], options].concat();
        numbers(&pommel(&args).json()["a"])
    };
    for (options, gravity) in [
        (&[][..], [0.0, 0.0, -9.81]),
        (&["--gravity", "0", "0", "0"], [0.0, 0.0, 0.0]),
        (&["--gravity", "1.5", "-2.5", "3.25"], [1.5, -2.5, 3.25]),
    ] {
        let a = accelerations(options);
        let expected = [&[0.0; 3][..], &gravity, &[0.0]].concat();
        // a handful of products and sums over two bodies
        let bound = 32.0 * f64::EPSILON * 10.0;
        let near = a.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= bound);
        assert!(near && a.len() == expected.len(), "{a:?} is not {expected:?}");
    }
}
