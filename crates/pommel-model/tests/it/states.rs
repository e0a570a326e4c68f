//! State files.

use crate::support::{FOUR_BAR, RICH};
use pommel_model::{Mechanism, ModelError, ResolvedState, State};

fn rich() -> Mechanism {
    Mechanism::from_toml_str(RICH).expect("rich")
}

fn resolve(text: &str) -> Result<ResolvedState, ModelError> {
    State::from_json_str(text)?.resolve(&rich())
}

fn errors(text: &str) -> Vec<String> {
    let error = resolve(text).expect_err(text);
    error.faults().iter().map(ToString::to_string).collect()
}

#[test]
fn an_empty_state_is_the_initial_state() {
    let mechanism = rich();
    let state = resolve("{}").expect("empty");
    assert_eq!(state, *mechanism.initial_state());
    // the free joint starts where its body is placed; the quaternion is normalised
    assert_eq!(state.q[..7], [1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(state.v[..6], [0.4, 0.5, 0.6, 0.1, 0.2, 0.3]);
    assert_eq!(state.q[7..10], [0.1, 0.2, 0.5]);
    assert_eq!(state.q[10..14], [0.5, 0.5, -0.5, 0.5]);
    assert_eq!(state.tau, vec![0.0; 19]);
    assert_eq!(state.wrenches, vec![[0.0; 6]; 8]);
}

#[test]
fn an_orientation_that_is_not_given_is_the_identity() {
    let text = RICH.replace(", socket = [0.5, 0.5, -0.5, 0.5]", "");
    let mechanism = Mechanism::from_toml_str(&text).expect("rich");
    assert_eq!(mechanism.initial_state().q[10..14], [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn values_by_joint_go_to_their_places() {
    let state = resolve(
        r#"{"q": {"elbow": 1.5, "shoulder": [2, 3], "hatch": [0.25]}, "v": {"elbow": -1},
            "tau": {"table": [1, 2, 3]}, "wrenches": {"upper": [1, 2, 3, 4, 5, 6]}}"#,
    )
    .expect("state");
    assert_eq!(state.q[7..10], [2.0, 3.0, 1.5]);
    assert_eq!(state.q[20], 0.25);
    assert_eq!(state.v[8], -1.0);
    // what is not named keeps its initial value
    assert_eq!(state.v[12], 1.0);
    assert_eq!(state.tau[15..18], [1.0, 2.0, 3.0]);
    assert_eq!(state.wrenches[1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn flat_lists_follow_the_order_of_the_coordinates() {
    let mechanism = Mechanism::from_toml_str(FOUR_BAR).expect("four-bar");
    let text = r#"{"q": [1, 2, 3], "v": [4, 5, 6], "tau": [7, 8, 9],
        "wrenches": [[0,0,1,0,0,0], [0,0,2,0,0,0], [0,0,3,0,0,0]]}"#;
    let state = State::from_json_str(text).expect("state").resolve(&mechanism).expect("state");
    assert_eq!(state.q, [1.0, 2.0, 3.0]);
    assert_eq!(state.v, [4.0, 5.0, 6.0]);
    assert_eq!(state.tau, [7.0, 8.0, 9.0]);
    assert_eq!(state.wrenches[2][2], 3.0);
}

#[test]
fn quaternions_are_normalised() {
    let state = resolve(r#"{"q": {"socket": [3, 0, 0, 4]}}"#).expect("state");
    assert_eq!(state.q[10..14], [0.6, 0.0, 0.0, 0.8]);
    assert_eq!(
        errors(r#"{"q": {"socket": [0, 0, 0, 0]}}"#),
        ["q.socket: the zero quaternion is no rotation; the identity is [1, 0, 0, 0]"]
    );
}

#[test]
fn faults_of_states_are_reported_at_once() {
    assert_eq!(
        errors(
            r#"{"q": {"elbw": 1, "shoulder": [1]}, "v": [1, 2], "tau": {"weld": 1},
                "wrenches": {"uper": [0, 0, 0, 0, 0, 0]}}"#
        ),
        [
            "q.elbw: there is no joint 'elbw'; did you mean 'elbow'?",
            "q.shoulder: expected 2 values, found 1",
            "v: expected 19 values, found 2",
            "tau.weld: joint 'weld' closes a loop and has no coordinates",
            "wrenches.uper: there is no body 'uper'; did you mean 'upper'?",
        ]
    );
    assert_eq!(
        errors(r#"{"wrenches": [[0,0,0,0,0,0]]}"#),
        ["wrenches: expected 8 values, found 1"]
    );
}

#[test]
fn the_structure_of_a_state_is_checked() {
    assert_eq!(errors(r#"{"Q": [1]}"#), ["the file: unknown key 'Q'; did you mean 'q'?"]);
    assert_eq!(errors(r#"{"q": {"elbow": "up"}}"#)[0].split(':').next(), Some("q.elbow"));
    assert_eq!(
        errors(r#"{"wrenches": {"upper": [1, 2]}}"#),
        ["wrenches.upper: expected 6 values, found 2"]
    );
}

#[test]
fn nan_in_a_state_is_refused() {
    let error = State::from_json_str(r#"{"v": [NaN]}"#).expect_err("NaN").to_string();
    assert!(error.contains("NaN and Infinity are not numbers in JSON"), "{error}");
    let state =
        State { v: Some(pommel_model::Coordinates::Flat(vec![f64::NAN; 19])), ..State::default() };
    let error = state.resolve(&rich()).expect_err("NaN");
    assert_eq!(error.faults().len(), 19);
    assert_eq!(error.faults()[3].to_string(), "v[3]: NaN is not a finite number");
}

#[test]
fn a_state_survives_json() {
    let text =
        r#"{"q": {"elbow": 1.5}, "tau": [0.1], "wrenches": {"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}}"#;
    let state = State::from_json_str(text).expect("state");
    let again = serde_json::to_string(&state).expect("JSON");
    assert_eq!(State::from_json_str(&again).expect("state"), state);
}
