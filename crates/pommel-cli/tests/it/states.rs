//! State files that cannot be used.

use crate::support::{ARM, Place, garbage, pommel};

/// Solves the arm at this state and expects a complaint.
#[track_caller]
fn refused(state: impl AsRef<[u8]>, complaints: &[&str]) {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let state = place.file("state.json", state);
    let complaints = [&[state.as_str()], complaints].concat();
    pommel(&["accel", &model, "--state", &state]).fails(2, &complaints);
    pommel(&["simulate", &model, "--end", "1", "--state", &state]).fails(2, &complaints);
}

#[test]
fn a_missing_state_is_named() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    pommel(&["accel", &model, "--state", "nowhere.json"]).fails(2, &["cannot read nowhere.json"]);
}

#[test]
fn nan_in_a_state_is_found() {
    refused(r#"{"q": {"elbow": NaN}}"#, &["state.json:1:", "NaN", "finite"]);
    refused(r#"{"v": {"elbow": 1e999}}"#, &["state.json:1:", "number out of range"]);
}

#[test]
fn a_state_of_the_wrong_length_is_found() {
    refused(r#"{"q": [1.0, 2.0]}"#, &["q: expected 8 values, found 2"]);
    refused(r#"{"v": {"root": [1.0]}}"#, &["v.root: expected 6 values, found 1"]);
    refused(r#"{"tau": [1.0]}"#, &["tau: expected 7 values, found 1"]);
    refused(r#"{"wrenches": {"link": [1.0]}}"#, &["wrenches.link", "expected 6 values, found 1"]);
}

#[test]
fn an_unknown_joint_or_body_in_a_state_is_found_with_a_suggestion() {
    refused(r#"{"q": {"elbwo": 1.0}}"#, &["q.elbwo", "no joint 'elbwo'", "did you mean 'elbow'?"]);
    refused(
        r#"{"wrenches": {"lnik": [0, 0, 0, 0, 0, 0]}}"#,
        &["wrenches.lnik", "no body 'lnik'", "did you mean 'link'?"],
    );
}

#[test]
fn an_unknown_key_in_a_state_is_found_with_a_suggestion() {
    refused(r#"{"taus": {"elbow": 1.0}}"#, &["unknown key 'taus'", "did you mean 'tau'?"]);
}

#[test]
fn a_value_of_the_wrong_type_in_a_state_is_found() {
    refused(r#"{"q": {"elbow": "half"}}"#, &["q.elbow", "'half'"]);
    refused("[1.0, 2.0]", &["expected a table"]);
    refused(r#"{"q": true}"#, &["q: "]);
}

#[test]
fn a_zero_quaternion_in_a_state_is_found() {
    refused(r#"{"q": {"root": [0, 0, 0, 0, 0, 0, 0]}}"#, &["q.root", "no rotation"]);
}

#[test]
fn binary_garbage_an_empty_file_and_a_directory_are_no_states() {
    refused(garbage(), &[]);
    refused("", &["EOF"]);
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let directory = place.path(".");
    pommel(&["accel", &model, "--state", &directory]).fails(2, &["cannot read"]);
}
