//! `convert`: the same mechanism in another format.

use crate::support::{Place, dataset, numbers, pommel};

#[test]
fn urdf_toml_and_json_are_the_same_mechanism() {
    let place = Place::new();
    let urdf = dataset("robots/puma560_fixed/model.urdf");
    let (toml, json) = (place.path("puma.toml"), place.path("puma.json"));
    let run = pommel(&["convert", &urdf, &toml]).succeeds();
    assert_eq!(run.out, "");
    assert!(run.err.contains(&format!("wrote {toml}")), "{}", run.err);
    pommel(&["convert", &toml, &json]).succeeds();
    assert_eq!(place.names("."), ["puma.json", "puma.toml"]);

    let [a, b, c] = [&urdf, &toml, &json].map(|file| pommel(&["info", file, "--json"]).json());
    for key in ["name", "bodies", "joints", "coordinates", "velocities", "total_mass"] {
        assert_eq!(a[key], b[key], "{key}");
        assert_eq!(b[key], c[key], "{key}");
    }
    assert_eq!(b["digest"], c["digest"]);
    let [a, b, c] = [&urdf, &toml, &json].map(|file| pommel(&["accel", file, "--json"]).json());
    assert_eq!(a["a"], b["a"]);
    assert_eq!(b["a"], c["a"]);
}

#[test]
fn the_options_of_the_model_are_in_the_copy() {
    let place = Place::new();
    let urdf = dataset("robots/puma560_fixed/model.urdf");
    let copy = place.path("puma.json");
    let options = ["--gravity", "0", "0", "-1.62", "--floating-base"];
    pommel(&[&["convert", &urdf, &copy], &options[..]].concat()).succeeds();
    let info = pommel(&["info", &copy, "--json"]).json();
    assert_eq!(numbers(&info["gravity"]), [0.0, 0.0, -1.62]);
    assert_eq!(info["degrees_of_freedom"], 12);
}

#[test]
fn every_robot_of_the_data_sets_has_the_same_digest_after_a_round_trip() {
    let place = Place::new();
    let robots = std::fs::read_dir(dataset("robots")).expect("data sets");
    let mut count = 0;
    for robot in robots {
        let model = robot.expect("entry").path().join("model.toml");
        let Some(model) = model.to_str().filter(|_| model.exists()) else { continue };
        let copy = place.path("copy.json");
        pommel(&["convert", model, &copy]).succeeds();
        let [a, b] = [model, &copy].map(|file| pommel(&["info", file, "--json"]).json());
        assert_eq!(a["digest"], b["digest"], "{model}");
        count += 1;
    }
    assert!(count >= 6, "{count} robots");
}
