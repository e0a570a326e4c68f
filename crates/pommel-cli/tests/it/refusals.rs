//! Motions that `pommel simulate` refuses or that end early: status and message.

use crate::support::{Place, dataset, pommel};

fn model(name: &str) -> String {
    dataset(&format!("mechanisms/{name}/model.toml"))
}

/// A four-bar, a tree, and something with events.
fn models() -> [String; 3] {
    [model("fourbar_ex32"), dataset("robots/ets7_payload/model.toml"), model("ev_bouncing_ball")]
}

#[test]
fn ends_before_the_start_are_wrong_usage() {
    for model in models() {
        for end in ["-1", "nan", "inf"] {
            let run = pommel(&["simulate", &model, "--end", end]);
            run.fails(2, &["--end", "must be finite and not negative"]);
        }
    }
}

#[test]
fn steps_below_the_resolution_of_time_are_named() {
    for model in models() {
        let run =
            pommel(&["simulate", &model, "--end", "1", "--integrator", "rk4", "--step", "1e-18"]);
        run.fails(1, &["t = 0", "below the resolution of the time"]);
    }
}

/// A model whose constraints contradict each other cannot be assembled: the constraint is named.
#[test]
fn states_that_cannot_be_brought_onto_the_constraints_are_named() {
    let place = Place::new();
    let file = place.file(
        "torn.toml",
        r#"
        name = "torn"
        kind = "planar"
        bodies = [{ name = "bar", mass = 1.0, inertia = 0.1 }]
        joints = [
            { name = "left", type = "revolute", parent = "ground", child = "bar", in_child = { position = [-0.5, 0.0] } },
            { name = "right", type = "revolute", parent = "ground", child = "bar", in_parent = { position = [3.0, 0.0] }, in_child = { position = [0.5, 0.0] } },
        ]
        "#,
    );
    pommel(&["simulate", &file, "--end", "1"]).fails(1, &["torn.toml", "right"]);
}

#[test]
fn numbers_that_are_none_are_wrong_input() {
    let place = Place::new();
    let state = place.file("state.json", r#"{ "q": [1e999, 0, 0] }"#);
    let run = pommel(&["simulate", &model("fourbar_ex32"), "--end", "1", "--state", &state]);
    run.fails(2, &["state.json"]);
}

#[test]
fn a_speed_of_rest_is_for_what_collides() {
    let four_bar = model("fourbar_ex32");
    let robot = dataset("robots/ets7_payload/model.toml");
    let rub = model("ev_belt_stickslip");
    for model in [&four_bar, &robot, &rub] {
        let run = pommel(&["simulate", model, "--end", "1", "--rest-speed", "0.1"]);
        run.fails(2, &["--rest-speed", "nothing collides"]);
    }
    for speed in ["-1", "nan"] {
        let run =
            pommel(&["simulate", &model("ev_bouncing_ball"), "--end", "1", "--rest-speed", speed]);
        run.fails(2, &["--rest-speed", "must be finite and not negative"]);
    }
}

/// Commands that know smooth motion only refuse what has events, instead of stepping into them.
#[test]
fn events_are_for_simulate() {
    for command in ["precision", "compare"] {
        for name in ["ev_belt_stickslip", "ev_pendulum_wall"] {
            let model = model(name);
            let run = pommel(&[command, &model, "--end", "1", "--seconds", "0.01"]);
            run.fails(2, &[name, "dry friction, limits of joints", "pommel simulate"]);
        }
    }
}

#[test]
fn tolerances_of_zero_are_refused() {
    for model in models() {
        let run = pommel(&["simulate", &model, "--end", "1", "--rtol", "0"]);
        run.fails(2, &["--rtol 0", "both are zero", "which no step meets"]);
    }
}
