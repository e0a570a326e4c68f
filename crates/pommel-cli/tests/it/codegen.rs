//! `convert --codegen`: the code is compiled, and gives the accelerations of `accel`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{ARM, Place, Run, arm_with, dataset, numbers, pommel};

/// Reads `q, v, tau` from the arguments and prints `qdd`; NQ, NV and FUNCTION are replaced.
const MAIN_C: &str = r#"#include <stdio.h>
#include <stdlib.h>

void FUNCTION(const double q[NQ], const double v[NV], const double tau[NV], double qdd[NV]);

int main(int argc, char **argv)
{
    double x[NQ + 2 * NV], qdd[NV];
    if (argc != 1 + NQ + 2 * NV) return 1;
    for (int k = 1; k < argc; k++) x[k - 1] = strtod(argv[k], NULL);
    FUNCTION(x, x + NQ, x + NQ + NV, qdd);
    for (int k = 0; k < NV; k++) printf("%.17g\n", qdd[k]);
    return 0;
}
"#;

const MAIN_RS: &str = r#"mod robot;

fn main() {
    let x: Vec<f64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (q, rest) = x.split_at(NQ);
    let (v, tau) = rest.split_at(NV);
    let mut qdd = [0.0; NV];
    let (q, v, tau) = (q.try_into().unwrap(), v.try_into().unwrap(), tau.try_into().unwrap());
    robot::FUNCTION(q, v, tau, &mut qdd);
    qdd.iter().for_each(|x| println!("{x:e}"));
}
"#;

fn run(command: &mut Command) -> String {
    let what = format!("{command:?}");
    let output = command.output().unwrap_or_else(|e| panic!("{what}: {e}; a compiler is needed"));
    let run = Run::of(output);
    assert_eq!(run.status, Some(0), "{what}: {}", run.err);
    assert_eq!(run.err, "", "{what}");
    run.out
}

/// Writes code for a robot with a main function in the same language, and compiles them.
fn compile(place: &Place, model: &str, language: &str, (nq, nv): (usize, usize)) -> String {
    let file = place.path(&format!("robot.{language}"));
    let written = pommel(&["convert", model, &file, "--codegen"]).succeeds();
    assert_eq!(written.out, "");
    let function = written.err.lines().find_map(|line| line.split_once("_forward_dynamics: "));
    let (prefix, statements) = function.expect("a note on the size");
    assert!(statements.ends_with(" statements"), "{statements}");
    let main = if language == "c" { MAIN_C } else { MAIN_RS };
    let main = (main.replace("FUNCTION", &format!("{prefix}_forward_dynamics")))
        .replace("NQ", &nq.to_string())
        .replace("NV", &nv.to_string());
    let main = place.file(&format!("main.{language}"), main);
    let program = place.path(&format!("{language}.exe"));
    match language {
        "c" => run(Command::new("cc")
            .args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .args([&file, &main, "-o", &program, "-lm"])),
        _ => run(Command::new("rustc")
            .args(["--edition", "2021", "-D", "warnings"])
            .args([&main, "-o", &program])),
    };
    program
}

/// The code of one robot in one language, at the states of its reference.
#[track_caller]
fn code_gives_the_accelerations_of_the_program(robot: &str, language: &str) {
    let place = Place::new();
    let model = dataset(&format!("robots/{robot}/model.toml"));
    let truth = std::fs::read_to_string(dataset(&format!("robots/{robot}/static.json")));
    let reference: Value = serde_json::from_str(&truth.expect("file")).expect("JSON");
    let mut program = None;
    for state in reference["states"].as_array().expect("a list") {
        let [q, v, tau] = ["q", "v", "Q"].map(|key| numbers(&state[key]));
        let sizes = (q.len(), v.len());
        let program = program.get_or_insert_with(|| compile(&place, &model, language, sizes));
        let inputs = [&q[..], &v, &tau].concat();
        let printed = run(Command::new(program).args(inputs.iter().map(|x| format!("{x:e}"))));
        let found: Vec<f64> = printed.lines().map(|x| x.parse().expect("a number")).collect();
        let state = place.file("state.json", json!({ "q": q, "v": v, "tau": tau }).to_string());
        let expected =
            numbers(&pommel(&["accel", &model, "--state", &state, "--json"]).json()["a"]);
        let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= 1e-12 * scale, "{robot}: {found:?} is not {expected:?}");
        }
    }
}

#[test]
fn c_code_gives_the_accelerations_of_the_program() {
    for robot in ["puma560_fixed", "ets7_free", "mixed_joints_free", "planar2_papadopoulos"] {
        code_gives_the_accelerations_of_the_program(robot, "c");
    }
}

#[test]
fn rust_code_gives_the_accelerations_of_the_program() {
    for robot in ["puma560_fixed", "mixed_joints_free"] {
        code_gives_the_accelerations_of_the_program(robot, "rs");
    }
}

#[test]
fn the_gravity_of_the_option_is_in_the_code() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let file = place.path("arm.c");
    pommel(&["convert", &model, &file, "--codegen", "--gravity", "0", "1.625", "0"]).succeeds();
    let text = place.text("arm.c");
    assert!(text.contains("Gravity in world axes: 0.0, 1.625, 0.0 m/s²"), "{text}");
    assert!(text.contains("1.625 + t"), "{text}");
}

#[test]
fn forces_of_the_model_that_are_not_in_the_code_are_named() {
    let place = Place::new();
    let model = place
        .file("arm.toml", arm_with("type = \"revolute\"", "type = \"revolute\"\ndamping = 0.1"));
    let run = pommel(&["convert", &model, &place.path("arm.rs"), "--codegen"]).succeeds();
    assert!(run.err.contains("not in it: joint elbow (damping)"), "{}", run.err);
    assert!(place.text("arm.rs").contains("//     joint elbow (damping)\n"));
}

#[test]
fn code_that_cannot_be_written_is_refused_and_leaves_nothing() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    for (name, options, says) in [
        ("arm.c", &[][..], "models are written as .toml or .json; with --codegen"),
        ("arm.rs", &[], "models are written as .toml or .json; with --codegen"),
        ("arm.py", &["--codegen"], "code is written as .c or .rs"),
        ("arm.json", &["--codegen"], "code is written as .c or .rs"),
        ("arm", &["--codegen"], "code is written as .c or .rs"),
    ] {
        let file = place.path(name);
        pommel(&[&["convert", &model, &file], options].concat()).fails(2, &[&file, says]);
    }
    let below = place.path("arm.toml/arm.c");
    let run = pommel(&["convert", &model, &below, "--codegen"]);
    assert!(!run.err.contains("statements"), "{}", run.err);
    run.fails(1, &["cannot write", &below]);
    assert_eq!(place.names("."), ["arm.toml"]);
}

#[test]
fn a_mechanism_with_a_loop_and_a_massless_tip_have_no_code() {
    let place = Place::new();
    let code = place.path("arm.c");
    let hinge = "\n[[joints]]\nname = \"lock\"\ntype = \"revolute\"\nparent = \"ground\"\n\
                 child = \"link\"\naxis = [0.0, 0.0, 1.0]\n\n[initial.v]";
    let model =
        place.file("loop.toml", arm_with("\n[initial.v]", hinge).replace("elbow = 0.5", ""));
    pommel(&["convert", &model, &code, "--codegen"])
        .fails(1, &["loop.toml", "'lock': joints that close loops are not available"]);
    let massless =
        arm_with("mass = 2.0", "mass = 0.0").replace("[0.1, 0.2, 0.2]", "[0.0, 0.0, 0.0]");
    let model = place.file("light.toml", massless);
    pommel(&["convert", &model, &code, "--codegen"])
        .fails(1, &["light.toml", "joint of body 'link'", "no inertia"]);
    assert!(!Path::new(&code).exists());
}
