//! The data sets of robots load, with the coordinates of their reference results.

use crate::support::datasets;
use pommel_model::{JointType, Mechanism, State};
use serde_json::{Value, json};

const ROBOTS: [(&str, usize, usize); 6] = [
    ("puma560_fixed", 6, 6),
    ("ets7_free", 13, 12),
    ("dual_iiwa_free", 21, 20),
    ("mixed_joints_free", 18, 16),
    ("planar2_papadopoulos", 9, 8),
    ("sc3dof_wheels", 13, 12),
];

fn robot(name: &str) -> Mechanism {
    Mechanism::from_path(datasets("robots").join(name).join("model.toml")).expect(name)
}

fn reference(name: &str, file: &str) -> Value {
    let path = datasets("robots").join(name).join(file);
    let text = std::fs::read_to_string(&path).expect("reference");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn every_robot_loads_with_the_coordinates_of_its_reference() {
    for (name, nq, nv) in ROBOTS {
        let mechanism = robot(name);
        assert_eq!((mechanism.nq(), mechanism.nv()), (nq, nv), "{name}");
        assert!(mechanism.is_tree());
        assert_eq!(mechanism.name(), name);
        assert!(!mechanism.description().frames.is_empty());
        for state in reference(name, "static.json")["states"].as_array().expect("states") {
            let mass = state["mass"].as_f64().expect("mass");
            // 32: a sum of up to 15 masses, in any order
            assert!((mechanism.total_mass() - mass).abs() <= 32.0 * f64::EPSILON * mass, "{name}");
        }
    }
}

#[test]
fn the_first_joint_of_a_free_robot_is_its_base() {
    for (name, ..) in ROBOTS.into_iter().filter(|(name, ..)| *name != "puma560_fixed") {
        let mechanism = robot(name);
        assert_eq!(mechanism.joints()[0].joint_type, JointType::Free);
        assert_eq!(mechanism.description().joints[0].name, "root");
        assert_eq!(mechanism.description().bodies[0].name, "base");
    }
}

#[test]
fn inertias_that_no_body_has_draw_warnings_in_the_robots_that_have_them() {
    let warned = |name| {
        let mechanism = robot(name);
        mechanism.warnings().iter().map(|fault| fault.name.clone().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(warned("ets7_free"), ["L1", "L2", "L3"]);
    assert_eq!(warned("puma560_fixed"), ["L1"]);
    for name in ["dual_iiwa_free", "mixed_joints_free", "planar2_papadopoulos", "sc3dof_wheels"] {
        assert_eq!(warned(name), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn reference_states_resolve_to_their_own_numbers() {
    for (name, ..) in ROBOTS {
        let mechanism = robot(name);
        for state in reference(name, "static.json")["states"].as_array().expect("states") {
            let mut wrenches = serde_json::Map::new();
            for (body, wrench) in state["wext"].as_object().into_iter().flatten() {
                let moment = wrench["moment_about_com"].as_array().expect("moment");
                let force = wrench["force"].as_array().expect("force");
                let both: Vec<_> = moment.iter().chain(force).cloned().collect();
                wrenches.insert(body.clone(), Value::from(both));
            }
            let text = json!({
                "q": state["q"], "v": state["v"], "tau": state["Q"], "wrenches": wrenches
            });
            let resolved = State::from_json_str(&text.to_string()).expect("state");
            let resolved = resolved.resolve(&mechanism).expect("resolved");
            assert_eq!(json!(resolved.v), state["v"], "{name}");
            assert_eq!(json!(resolved.tau), state["Q"], "{name}");
            for (found, given) in resolved.q.iter().zip(state["q"].as_array().expect("q")) {
                let given = given.as_f64().expect("number");
                // normalising a quaternion again moves it by a rounding at most
                assert!((found - given).abs() <= f64::EPSILON, "{name} {found} {given}");
            }
            assert_eq!(
                resolved.wrenches.iter().filter(|wrench| **wrench != [0.0; 6]).count(),
                wrenches.len()
            );
        }
    }
}

#[test]
fn trajectories_start_from_states_of_the_model() {
    for (robot_name, file) in [
        ("ets7_free", "trajectory_ets7_tumbling.json"),
        ("ets7_free", "trajectory_ets7_torques.json"),
        ("dual_iiwa_free", "trajectory_dual_iiwa_torques.json"),
        ("mixed_joints_free", "trajectory_mixed_joints_torques.json"),
        ("planar2_papadopoulos", "trajectory_planar2_torques.json"),
        ("sc3dof_wheels", "trajectory_sc3dof_wheels_torques.json"),
    ] {
        let mechanism = robot(robot_name);
        let trajectory = reference(robot_name, file);
        let text = json!({"q": trajectory["q0_decimal"], "v": trajectory["v0"]}).to_string();
        assert!(State::from_json_str(&text).expect("state").resolve(&mechanism).is_ok());
        assert_eq!(trajectory["samples"].as_array().expect("samples").len(), 6);
        assert_eq!(trajectory["torque"]["A"].as_array().expect("A").len(), mechanism.nv() - 6);
    }
}
