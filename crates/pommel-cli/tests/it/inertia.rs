//! `mass-matrix`: the references of the data sets, and what it refuses.

use pommel_testkit::ROBOTS;
use serde_json::{Value, json};

use crate::support::{ARM, Place, assert_keys, dataset, numbers, pommel, texts};

fn model(robot: &str) -> String {
    dataset(&format!("robots/{robot}/model.toml"))
}

/// Rows of a matrix one after another.
#[track_caller]
fn entries(matrix: &Value) -> Vec<f64> {
    matrix.as_array().expect("rows").iter().flat_map(numbers).collect()
}

/// The difference to the truth relative to its largest number, or to 1 if all are small.
fn error(found: &[f64], truth: &[f64]) -> f64 {
    assert_eq!(found.len(), truth.len());
    let size = truth.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    found.iter().zip(truth).fold(0.0_f64, |m, (f, t)| m.max((f - t).abs())) / size
}

/// References of 50 digits; 1e-13 leaves a few hundred roundings.
#[test]
fn matrices_momenta_energies_and_jacobians_are_those_of_the_references() {
    let place = Place::new();
    for robot in ROBOTS {
        let file = dataset(&format!("robots/{robot}/static.json"));
        let reference: Value =
            serde_json::from_str(&std::fs::read_to_string(file).expect("file")).expect("JSON");
        let model = model(robot);
        let text = std::fs::read_to_string(&model).expect("file");
        let frames: Vec<&str> = (text.split("[[frames]]\nname = \"").skip(1))
            .map(|rest| rest.split('"').next().expect("a name"))
            .collect();
        for truth in reference["states"].as_array().expect("states") {
            let state = json!({ "q": truth["q"], "v": truth["v"] }).to_string();
            let state = place.file("state.json", state);
            let mut args = vec!["mass-matrix", &model, "--state", &state, "--json"];
            frames.iter().for_each(|frame| args.extend(["--frame", frame]));
            let found = pommel(&args).json();
            let check = |what: &str, found: &[f64], truth: &[f64]| {
                let error = error(found, truth);
                assert!(error < 1e-13, "{robot} {what}: {error:.1e}");
            };
            check("H", &entries(&found["H"]), &entries(&truth["H"]));
            let momentum = &found["momentum"];
            check("linear momentum", &numbers(&momentum["linear"]), &numbers(&truth["P"]));
            check("angular momentum", &numbers(&momentum["angular"]), &numbers(&truth["L_com"]));
            check("mass centre", &numbers(&momentum["centre"]), &numbers(&truth["com"]));
            for (key, other) in [("kinetic", "T"), ("potential", "V")] {
                let number = |x: &Value| x.as_f64().expect("a number");
                check(key, &[number(&found[key])], &[number(&truth[other])]);
            }
            let tips = truth["ee"].as_array().expect("a list");
            assert_eq!(tips.len(), frames.len());
            for (frame, tip) in frames.iter().zip(tips) {
                let found = &found["frames"][frame];
                check("position", &numbers(&found["position"]), &numbers(&tip["position"]));
                check("twist", &numbers(&found["twist"]), &numbers(&tip["twist"]));
                check("Jacobian", &entries(&found["jacobian"]), &entries(&tip["jacobian"]));
            }
            factors_multiply_to_the_matrix(robot, &found);
        }
    }
}

fn factors_multiply_to_the_matrix(robot: &str, found: &Value) {
    let (h, u, d) = (entries(&found["H"]), entries(&found["U"]), entries(&found["D"]));
    let n = numbers(&found["pivots"]).len();
    let product = |a: &dyn Fn(usize, usize) -> f64, b: &dyn Fn(usize, usize) -> f64| {
        let entry = |k: usize| (0..n).map(|j| a(k / n, j) * b(j, k % n)).sum::<f64>();
        (0..n * n).map(entry).collect::<Vec<f64>>()
    };
    let ud = product(&|r, c| u[r * n + c], &|r, c| d[r * n + c]);
    let udu = product(&|r, c| ud[r * n + c], &|r, c| u[c * n + r]);
    assert!(error(&udu, &h) < 1e-13, "{robot}");
    for r in 0..n {
        assert_eq!(u[r * n + r], 1.0);
        assert!((0..r).all(|c| u[r * n + c] == 0.0), "{robot}: U is upper triangular");
    }
    assert!(numbers(&found["pivots"]).iter().all(|&pivot| pivot > 0.0));
}

/// The Jacobian times the accelerations and `J̇ v` are the acceleration of the point: here from the
/// difference of two twists a short time apart.
#[test]
fn the_rate_of_a_jacobian_is_that_of_the_velocity_at_constant_rates() {
    let place = Place::new();
    let model = dataset("robots/puma560_fixed/model.toml");
    let (q, v) = ([0.3, -0.5, 0.7, 0.2, -0.4, 0.6], [0.5, -0.3, 0.8, 1.1, -0.7, 0.9]);
    let h = 1e-5;
    let at = |t: f64| {
        let q: Vec<f64> = q.iter().zip(v).map(|(q, v)| q + t * v).collect();
        let state = place.file("state.json", json!({ "q": q, "v": v }).to_string());
        let args = ["mass-matrix", &model, "--state", &state, "--frame", "ee", "--json"];
        pommel(&args).json()["frames"]["ee"].clone()
    };
    let bias = numbers(&at(0.0)["jacobian_rate_v"]);
    let (before, after) = (numbers(&at(-h)["twist"]), numbers(&at(h)["twist"]));
    let rate: Vec<f64> = before.iter().zip(&after).map(|(a, b)| (b - a) / (2.0 * h)).collect();
    // h² of the difference, and rounding over h
    assert!(error(&rate, &bias) < 1e-8, "{rate:?} is not {bias:?}");
}

#[test]
fn the_document_holds_the_keys_of_the_contract() {
    let found = pommel(&["mass-matrix", &model("ets7_free"), "--json"]).json();
    let keys = ["coordinates", "H", "U", "D", "pivots", "momentum", "kinetic", "potential"];
    assert_keys(&found, &keys);
    assert_keys(&found["momentum"], &["linear", "angular"]);
    assert_eq!(texts(&found["coordinates"]).len(), 12);
    assert_eq!(found["H"].as_array().map(Vec::len), Some(12));
    assert_eq!(found["frames"], json!({}));
}

/// The link's mass centre is half a metre from its own origin, one metre from the base's.
#[test]
fn the_name_of_a_body_means_its_mass_centre_and_that_of_a_frame_goes_before() {
    let place = Place::new();
    let position = |text: &str, name: &str| {
        let file = place.file("arm.toml", text);
        let found = pommel(&["mass-matrix", &file, "--frame", name, "--json"]).json();
        numbers(&found["frames"][name]["position"])
    };
    assert_eq!(position(ARM, "link"), [1.0, 0.0, 0.0]);
    let frame = "\n[[frames]]\nname = \"link\"\nbody = \"base\"\nposition = [0.0, 2.0, 0.0]\n";
    assert_eq!(position(&format!("{ARM}{frame}"), "link"), [0.0, 2.0, 0.0]);
    let frame = "\n[[frames]]\nname = \"door\"\nbody = \"ground\"\nposition = [7.0, 2.0, 0.0]\n";
    assert_eq!(position(&format!("{ARM}{frame}"), "door"), [7.0, 2.0, 0.0]);
}

#[test]
fn people_get_tables_and_of_large_matrices_a_part() {
    let out = pommel(&["mass-matrix", &model("ets7_free"), "--frame", "ee"]).succeeds().out;
    for text in ["H = U D Uᵀ", "pivot", "angular momentum about the mass centre", "Jacobian of ee"]
    {
        assert!(out.contains(text), "'{text}' is not in: {out}");
    }
    assert!(!out.contains("--json has all"), "{out}");
    let out = pommel(&["mass-matrix", &model("dual_iiwa_free")]).succeeds().out;
    assert!(out.contains("the first 12 × 12 of 20 × 20 entries; --json has all"), "{out}");
}

#[test]
fn an_unknown_frame_is_named_with_those_that_are_known() {
    let model = model("ets7_free");
    let says = ["--frame eee", "no frame and no body", "did you mean 'ee'?"];
    pommel(&["mass-matrix", &model, "--frame", "eee"]).fails(2, &says);
    let says = ["--frame gripper", "frames: ee; bodies: base, L1"];
    pommel(&["mass-matrix", &model, "--frame", "gripper"]).fails(2, &says);
}

#[test]
fn an_unreadable_state_and_a_massless_tip_are_named() {
    let place = Place::new();
    let model = model("puma560_fixed");
    pommel(&["mass-matrix", &model, "--state", "nowhere.json"])
        .fails(2, &["cannot read nowhere.json"]);
    let state = place.file("state.json", r#"{"q": [1.0, 2.0]}"#);
    pommel(&["mass-matrix", &model, "--state", &state])
        .fails(2, &["state.json", "q: expected 6 values, found 2"]);
    let massless =
        ARM.replace("mass = 2.0", "mass = 0.0").replace("0.1, 0.2, 0.2", "0.0, 0.0, 0.0");
    let file = place.file("arm.toml", massless);
    pommel(&["mass-matrix", &file]).fails(1, &["joint of body 'link'", "no inertia"]);
}
