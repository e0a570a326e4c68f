//! Robots of `datasets/robots` against 50-digit results.

use std::path::PathBuf;

use nalgebra::{DVector, Vector3};
use pommel_testkit::{Motion, ROBOTS, Robot, RobotBody, RobotJoint, relative_error, scale};
use serde_json::Value;

fn text(robot: &str, file: &str) -> String {
    let datasets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/robots");
    let path = PathBuf::from(datasets).join(robot).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("a list, not {value}"));
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The vector, or zero if it is not there.
fn vector(value: &Value) -> [f64; 3] {
    if value.is_null() { [0.0; 3] } else { numbers(value).try_into().expect("three numbers") }
}

/// The direction, or a unit vector if it is not there.
fn axis(value: &Value, default: usize) -> [f64; 3] {
    if value.is_null() {
        return Vector3::ith(default, 1.0).into();
    }
    Vector3::from(vector(value)).normalize().into()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("a list {key}"))
}

fn joint(joint: &Value) -> RobotJoint {
    let first = axis(&joint["axis"], 2);
    match joint["type"].as_str().expect("a type") {
        "revolute" => RobotJoint::Revolute(first),
        "prismatic" => RobotJoint::Prismatic(first),
        "helical" => RobotJoint::Helical(first, joint["pitch"].as_f64().expect("a pitch")),
        "cylindrical" => RobotJoint::Cylindrical(first),
        "universal" => RobotJoint::Universal(first, axis(&joint["axis2"], 1)),
        "spherical" => RobotJoint::Spherical,
        "fixed" => RobotJoint::Fixed,
        "free" => RobotJoint::Free,
        other => panic!("{other} joint"),
    }
}

/// The robot of a model file and the names of its bodies, in the order of the joints.
fn robot(name: &str) -> (Robot, Vec<String>) {
    let model: Value = toml::from_str(&text(name, "model.toml")).expect("a model");
    let (mut bodies, mut names) = (Vec::new(), Vec::<String>::new());
    for j in list(&model, "joints") {
        let parent = names.iter().position(|n| j["parent"] == n.as_str());
        assert!(parent.is_some() || j["parent"] == "ground", "parents come first");
        let body = list(&model, "bodies").iter().find(|b| b["name"] == j["child"]).expect("child");
        let mut inertia = numbers(&body["inertia"]);
        inertia.resize(6, 0.0);
        let place = &j["in_parent"];
        bodies.push(
            RobotBody::new(parent, joint(j))
                .placed(vector(&place["rpy"]), vector(&place["position"]))
                .with_inertia(
                    body["mass"].as_f64().expect("a mass"),
                    vector(&body["com"]),
                    inertia.try_into().expect("six numbers"),
                ),
        );
        names.push(j["child"].as_str().expect("a name").to_owned());
    }
    assert_eq!(bodies.len(), list(&model, "bodies").len());
    (Robot { bodies, gravity: vector(&model["gravity"]) }, names)
}

fn wrenches(state: &Value, names: &[String]) -> Vec<[f64; 6]> {
    let of = |name: &String| match &state["wext"][name.as_str()] {
        Value::Null => [0.0; 6],
        w => [numbers(&w["moment_about_com"]), numbers(&w["force"])]
            .concat()
            .try_into()
            .expect("six numbers"),
    };
    names.iter().map(of).collect()
}

fn rows(value: &Value) -> Vec<f64> {
    value.as_array().expect("rows").iter().flat_map(numbers).collect()
}

#[track_caller]
fn close(got: &[f64], truth: &[f64], what: &str) {
    // a result that is zero by symmetry is compared with one
    let error = relative_error(got, truth) * scale(truth) / scale(truth).max(1e-3);
    assert!(error < 1e-13, "{what}: {error:.1e}");
}

#[test]
fn equations_of_motion_agree_with_fifty_digit_references() {
    for name in ROBOTS {
        let (robot, names) = robot(name);
        let reference: Value = serde_json::from_str(&text(name, "static.json")).expect("JSON");
        for s in list(&reference, "states") {
            let what = |part: &str| format!("{name} state {}: {part}", s["id"]);
            let (q, v, external) = (numbers(&s["q"]), numbers(&s["v"]), wrenches(s, &names));
            let terms = robot.terms(&q, &v, Some(&external));
            close(terms.mass_matrix.as_slice(), &rows(&s["H"]), &what("H"));
            close(terms.bias.as_slice(), &numbers(&s["h"]), &what("h"));
            let tau = numbers(&s["Q"]);
            let vdot = robot.accelerations(&q, &v, &tau, Some(&external)).expect("regular");
            close(&vdot, &numbers(&s["vdot"]), &what("accelerations"));
        }
    }
}

#[test]
fn momentum_and_energy_agree_with_fifty_digit_references() {
    for name in ROBOTS {
        let (robot, _) = robot(name);
        let reference: Value = serde_json::from_str(&text(name, "static.json")).expect("JSON");
        for s in list(&reference, "states") {
            let what = |part: &str| format!("{name} state {}: {part}", s["id"]);
            let (q, v) = (numbers(&s["q"]), numbers(&s["v"]));
            let p = robot.momentum(&q, &v);
            let number = |key: &str| vec![s[key].as_f64().expect("a number")];
            close(&[p.mass], &number("mass"), &what("mass"));
            close(p.centre.as_slice(), &numbers(&s["com"]), &what("mass centre"));
            close(p.linear.as_slice(), &numbers(&s["P"]), &what("P"));
            close(p.angular.as_slice(), &numbers(&s["L_com"]), &what("L"));
            let about_origin = p.angular_about_origin();
            close(about_origin.as_slice(), &numbers(&s["L_origin"]), &what("L about the origin"));
            close(&[robot.kinetic_energy(&q, &v)], &number("T"), &what("kinetic energy"));
            close(&[robot.potential_energy(&q)], &number("V"), &what("potential energy"));
        }
    }
}

/// Position and Jacobian of a point given in the body frame.
fn point(motion: &Motion, centre: [f64; 3], point: [f64; 3]) -> (Vector3<f64>, Vec<f64>) {
    let arm = motion.rotation * (Vector3::from(point) - Vector3::from(centre));
    let mut jacobian = motion.jacobian.clone();
    for mut column in jacobian.column_iter_mut() {
        let omega: Vector3<f64> = column.fixed_rows::<3>(0).into();
        let mut linear = column.fixed_rows_mut::<3>(3);
        linear += omega.cross(&arm);
    }
    (motion.centre + arm, jacobian.transpose().as_slice().to_vec())
}

#[test]
fn jacobians_of_end_effectors_agree_with_fifty_digit_references() {
    for name in ROBOTS {
        let (robot, names) = robot(name);
        let model: Value = toml::from_str(&text(name, "model.toml")).expect("a model");
        let reference: Value = serde_json::from_str(&text(name, "static.json")).expect("JSON");
        for s in list(&reference, "states") {
            let motions = robot.motions(&numbers(&s["q"]), &numbers(&s["v"]));
            for (frame, ee) in list(&model, "frames").iter().zip(list(s, "ee")) {
                let what = |part: &str| format!("{name} state {}, {}: {part}", s["id"], ee["body"]);
                assert_eq!(frame["body"], ee["body"]);
                let i = names.iter().position(|n| frame["body"] == n.as_str()).expect("a body");
                let offset = vector(&frame["position"]);
                let (x, jacobian) = point(&motions[i], robot.bodies[i].centre, offset);
                close(x.as_slice(), &numbers(&ee["position"]), &what("position"));
                close(&jacobian, &rows(&ee["jacobian"]), &what("Jacobian"));
                let columns = nalgebra::DMatrix::from_row_slice(6, robot.sizes().1, &jacobian);
                let twist = columns * DVector::from_vec(numbers(&s["v"]));
                close(twist.as_slice(), &numbers(&ee["twist"]), &what("twist"));
            }
        }
    }
}
