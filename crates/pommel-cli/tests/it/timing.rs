//! `time`: its document, counts of operations, and what it refuses.

use serde_json::{Value, json};

use crate::support::{Place, assert_keys, dataset, pommel};

fn puma() -> String {
    dataset("robots/puma560_fixed/model.urdf")
}

/// Times a kernel of the robot, as shortly as it makes sense.
fn time(args: &[&str]) -> Value {
    let puma = puma();
    let fixed = ["time", &puma, "--seconds", "0.01", "--json"];
    pommel(&[&fixed, args].concat()).json()
}

#[test]
fn every_kernel_is_timed_with_one_lane_and_with_several() {
    for kernel in ["forward-dynamics", "inverse-dynamics", "mass-matrix", "derivatives", "kkt"] {
        let mut counts = Vec::new();
        for lanes in ["1", "2", "4", "8"] {
            let found = time(&["--kernel", kernel, "--lanes", lanes]);
            let keys = [
                "kernel",
                "lanes",
                "instances",
                "ns_per_call_median",
                "ns_per_instance_median",
                "operations",
            ];
            assert_keys(&found, &keys);
            assert_eq!(found["kernel"], kernel);
            assert!(found["instances"].as_u64() >= Some(256));
            let number = |key: &str| found[key].as_f64().expect("a number");
            let (call, instance) = (number("ns_per_call_median"), number("ns_per_instance_median"));
            assert!(instance > 0.0 && call.is_finite());
            assert_eq!(call / number("lanes"), instance);
            assert_keys(&found["operations"], &["mul", "add", "div", "trig", "sqrt"]);
            counts.push(found["operations"].clone());
        }
        assert!(counts.iter().all(|c| c == &counts[0]), "counts are those of one instance");
    }
}

/// A chain of `n` joints, each a general Denavit-Hartenberg step beyond the last.
fn chain(n: usize) -> String {
    let mut text = "<robot name=\"chain\"><link name=\"b0\"/>".to_owned();
    for i in 1..=n {
        let x = i as f64;
        let (twist, length, offset): (f64, f64, f64) = (x.sin(), 0.3 + 0.01 * x, 0.1 + 0.02 * x);
        let (y, z) = (-offset * twist.sin(), offset * twist.cos());
        let parent = i - 1;
        text += &format!(
            "<link name=\"b{i}\"><inertial><origin xyz=\"0.02 {} 0.05\"/><mass value=\"2.5\"/>\
             <inertia ixx=\"0.3\" iyy=\"0.25\" izz=\"0.2\" ixy=\"0.01\" ixz=\"0.02\" iyz=\"0.015\"/>\
             </inertial></link><joint name=\"j{i}\" type=\"continuous\"><parent link=\"b{parent}\"/>\
             <child link=\"b{i}\"/><origin xyz=\"{length} {y} {z}\" rpy=\"{twist} 0 0\"/>\
             <axis xyz=\"0 0 1\"/></joint>",
            0.01 * x.cos()
        );
    }
    text + "</robot>"
}

/// The published recursion needs 201 n − 335 multiplications and divisions and 193 n − 304 additions
/// or more.
#[test]
fn forward_dynamics_of_a_chain_take_at_most_189_and_175_operations_a_joint() {
    let place = Place::new();
    let count = |n: usize| {
        let file = place.file("chain.urdf", chain(n));
        let args = ["--kernel", "forward-dynamics", "--seconds", "0.01", "--json"];
        let found = pommel(&[&["time", &file], &args[..]].concat()).json();
        let of = |key: &str| found["operations"][key].as_u64().expect("a count");
        (of("mul") + of("div"), of("add"))
    };
    let counts = [6, 10, 20].map(|n| (n as u64, count(n as usize)));
    for (n, (mul, add)) in counts {
        assert!(mul <= 189 * n - 285 && add <= 175 * n - 281, "n = {n}: {mul}, {add}");
    }
    let [(_, a), (_, b), (_, c)] = counts;
    assert_eq!((c.0 - b.0) * 4, (b.0 - a.0) * 10, "affine");
    assert_eq!((c.1 - b.1) * 4, (b.1 - a.1) * 10, "affine");
}

#[test]
fn states_of_a_file_are_cycled_through() {
    let place = Place::new();
    let states = json!([{ "v": [1.0, 0.0, 0.0, 0.0, 0.0, 0.5] }, {}, { "q": { "j_L2": 0.5 } }]);
    let file = place.file("states.json", states.to_string());
    let found = time(&["--kernel", "forward-dynamics", "--states", &file]);
    assert_eq!(found["instances"], 258);
    let loaded = json!([{ "wrenches": { "L6": [0, 0, 0, 0, 0, 1] } }]).to_string();
    let file = place.file("loaded.json", loaded);
    let loaded = time(&["--kernel", "forward-dynamics", "--states", &file]);
    let additions = |x: &Value| x["operations"]["add"].as_u64();
    assert!(additions(&loaded) > additions(&found));
}

#[test]
fn people_get_a_table() {
    let args = ["time", &puma(), "--kernel", "mass-matrix", "--lanes", "4", "--seconds", "0.01"];
    let out = pommel(&args).succeeds().out;
    for text in ["mass-matrix", "lanes", "time per instance, median", "multiplications"] {
        assert!(out.contains(text), "'{text}' is not in: {out}");
    }
}

#[test]
fn an_unknown_kernel_is_refused_with_those_that_are_known() {
    let puma = puma();
    pommel(&["time", &puma]).fails(2, &["--kernel <NAME>"]);
    let known = "known: forward-dynamics, inverse-dynamics, mass-matrix, derivatives, kkt";
    pommel(&["time", &puma, "--kernel", "magic"]).fails(2, &["unknown kernel 'magic'", known]);
}

/// Mechanisms with loops have a saddle-point system, but no kernels of trees.
#[test]
fn a_mechanism_with_loops_is_timed_in_absolute_coordinates() {
    let model = dataset("mechanisms/fm24/model.toml");
    let run = |kernel: &'static str, lanes: &'static str| {
        ["time", &model, "--kernel", kernel, "--lanes", lanes, "--seconds", "0.01", "--json"]
            .map(str::to_owned)
    };
    for lanes in ["1", "4"] {
        let arguments = run("kkt", lanes);
        let found = pommel(&arguments.each_ref().map(String::as_str)).json();
        assert_eq!((&found["kernel"], &found["instances"]), (&json!("kkt"), &json!(256)));
        assert!(found["ns_per_call_median"].as_f64() > Some(0.0));
        // 24 unknowns and as many rows, dense, would take 36 864
        let products = found["operations"]["mul"].as_u64().expect("a count");
        assert!((100..5000).contains(&products), "{products}");
    }
    let arguments = run("mass-matrix", "1");
    pommel(&arguments.each_ref().map(String::as_str)).fails(1, &["close loops"]);
}

#[test]
fn lanes_and_seconds_must_make_sense() {
    let puma = puma();
    let refused = |args: &[&str], says: &[&str]| {
        let fixed = ["time", &puma, "--kernel", "mass-matrix"];
        pommel(&[&fixed, args].concat()).fails(2, says);
    };
    for lanes in ["0", "3", "16"] {
        refused(&["--lanes", lanes], &["--lanes", lanes, "1, 2, 4 or 8"]);
    }
    refused(&["--lanes", "many"], &["invalid value 'many'"]);
    for seconds in ["0", "-1", "NaN", "inf"] {
        refused(&["--seconds", seconds], &["--seconds", "must be positive and at most 3600"]);
    }
}

#[test]
fn unreadable_states_are_named_with_their_place_in_the_list() {
    let place = Place::new();
    let puma = puma();
    let refused = |text: &str, says: &[&str]| {
        let file = place.file("states.json", text);
        let args = ["time", &puma, "--kernel", "mass-matrix", "--states", &file];
        pommel(&args).fails(2, &[&["states.json"], says].concat());
    };
    refused("nothing", &["states.json:1:", "not JSON"]);
    refused("[]", &["expected a list of states"]);
    refused("{}", &["expected a list of states"]);
    refused(r#"[{}, {"q": [1.0]}]"#, &["[1].q: expected 6 values, found 1"]);
    refused(r#"[{}, {"v": {"j_L9": 1.0}}]"#, &["[1].v.j_L9", "no joint 'j_L9'"]);
    refused(r#"[{"w": 1}]"#, &["[0]", "unknown key 'w'"]);
    refused("[1]", &["[0]", "expected a table"]);
    pommel(&["time", &puma, "--kernel", "mass-matrix", "--states", "nowhere.json"])
        .fails(2, &["cannot read nowhere.json"]);
}
