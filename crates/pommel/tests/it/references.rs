//! Robots of `datasets/robots` against 50-digit accelerations and 12-digit trajectories.

use pommel::dynamics::TreeDynamics;
use pommel::math::Vec3;
use pommel::model::{Description, JointType, Mechanism, OneOrMany, ResolvedState, TimeFunction};
use pommel::simulate::{Integrator, SimulateOptions, simulate};
use pommel::tree::{BodyMotion, Workspace, energy, forward_kinematics, momentum};
use pommel_testkit::{ROBOTS, relative_error};
use serde_json::Value;

use crate::datasets::{json, mechanism, numbers};

fn state(mechanism: &Mechanism, s: &Value) -> ResolvedState {
    let mut wrenches = vec![[0.0; 6]; mechanism.bodies().len()];
    for (name, w) in s["wext"].as_object().into_iter().flatten() {
        let body = mechanism.description().body_index(name).expect("a body of the robot");
        let list = [numbers(&w["moment_about_com"]), numbers(&w["force"])].concat();
        wrenches[body] = list.try_into().expect("six numbers");
    }
    ResolvedState { q: numbers(&s["q"]), v: numbers(&s["v"]), tau: numbers(&s["Q"]), wrenches }
}

#[test]
fn accelerations_agree_with_fifty_digit_references() {
    for robot in ROBOTS {
        let mechanism = mechanism(&format!("robots/{robot}/model.toml"));
        let dynamics = TreeDynamics::new(&mechanism).expect("supported");
        let reference = json(&format!("robots/{robot}/static.json"));
        for s in reference["states"].as_array().expect("states") {
            let found = dynamics.accelerations(&state(&mechanism, s)).expect("regular");
            let error = relative_error(&found.a, &numbers(&s["vdot"]));
            assert!(error < 1e-13, "{robot} state {}: {error:.1e}", s["id"]);
            assert!(found.backward_error < 1e-14, "{robot}: {:.1e}", found.backward_error);
        }
    }
}

#[test]
fn momentum_and_energy_agree_with_fifty_digit_references() {
    for robot in ROBOTS {
        let mechanism = mechanism(&format!("robots/{robot}/model.toml"));
        let dynamics = TreeDynamics::new(&mechanism).expect("supported");
        let model = dynamics.model();
        let reference = json(&format!("robots/{robot}/static.json"));
        for s in reference["states"].as_array().expect("states") {
            let state = state(&mechanism, s);
            let mut bodies = vec![BodyMotion::default(); model.body_count()];
            forward_kinematics(model, &mut Workspace::new(model), &state.q, &state.v, &mut bodies);
            let (p, e) = (momentum(model, &state.v, &bodies), energy(model, &state.v, &bodies));
            let close = |got: &[f64], truth: &[f64], what: &str| {
                let size = truth.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                let worst = got.iter().zip(truth).fold(0.0_f64, |m, (g, t)| m.max((g - t).abs()));
                assert!(worst < 1e-13 * size, "{robot} {what}: {got:?} {truth:?}");
            };
            close(&p.linear.to_array(), &numbers(&s["P"]), "P");
            close(&p.angular.to_array(), &numbers(&s["L_com"]), "L about the mass centre");
            close(&p.angular_about_origin().to_array(), &numbers(&s["L_origin"]), "L");
            close(&p.centre.to_array(), &numbers(&s["com"]), "mass centre");
            close(&[p.mass], &[s["mass"].as_f64().expect("mass")], "mass");
            close(&[e.kinetic], &[s["T"].as_f64().expect("T")], "kinetic energy");
            close(&[e.potential], &[s["V"].as_f64().expect("V")], "potential energy");
        }
    }
}

/// The mechanism with the torques of a reference trajectory in its joints, and its start.
fn driven(robot: &str, case: &Value) -> (Mechanism, ResolvedState) {
    let mut description: Description =
        mechanism(&format!("robots/{robot}/model.toml")).into_description();
    let law = &case["torque"];
    let (a, w, phi) = (numbers(&law["A"]), numbers(&law["w"]), numbers(&law["phi"]));
    let mut used = 0;
    for joint in &mut description.joints {
        let nv = joint.joint_type.nv(false);
        if joint.joint_type == JointType::Free || nv == 0 {
            continue;
        }
        let torque = |k: usize| TimeFunction::Sine {
            offset: 0.0,
            amplitude: a[k],
            angular_frequency: w[k],
            phase: phi[k],
        };
        joint.torque = Some(OneOrMany::Many((used..used + nv).map(torque).collect()));
        used += nv;
    }
    assert_eq!(used, a.len());
    let mechanism = Mechanism::new(description).expect("still sound");
    let mut q = numbers(&case["q0_decimal"]);
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    for at in dynamics.model().topology().quaternions() {
        let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
    }
    let start = ResolvedState { q, v: numbers(&case["v0"]), ..mechanism.initial_state().clone() };
    (mechanism, start)
}

#[test]
fn trajectories_agree_with_twelve_digit_references() {
    let cases = [
        ("ets7_free", "ets7_torques"),
        ("ets7_free", "ets7_tumbling"),
        ("dual_iiwa_free", "dual_iiwa_torques"),
        ("mixed_joints_free", "mixed_joints_torques"),
        ("planar2_papadopoulos", "planar2_torques"),
        ("sc3dof_wheels", "sc3dof_wheels_torques"),
    ];
    for (robot, case) in cases {
        let reference = json(&format!("robots/{robot}/trajectory_{case}.json"));
        let (mechanism, start) = driven(robot, &reference);
        let dynamics = TreeDynamics::new(&mechanism).expect("supported");
        let samples = reference["samples"].as_array().expect("samples");
        let mut options = SimulateOptions::new(10.0);
        options.every = Some(0.5);
        options.integrator = Integrator::dormand_prince(Some(1e-11), Some(1e-13));
        let trajectory = simulate(&dynamics, &start, &options, &mut |_| ()).expect("integrates");
        let mut compared = 0;
        for truth in samples {
            let t = truth["t"].as_f64().expect("a time");
            let got = trajectory.samples.iter().find(|s| s.t == t).expect("on the grid");
            let (mut q, mut v) = (numbers(&truth["q"]), numbers(&truth["v"]));
            // a quaternion and its negative are the same orientation
            for at in dynamics.model().topology().quaternions() {
                let (q, got) = (&mut q[at..at + 4], &got.q[at..at + 4]);
                let dot: f64 = q.iter().zip(got).map(|(a, b)| a * b).sum();
                q.iter_mut().for_each(|x| *x *= dot.signum());
            }
            let worst = |got: &[f64], truth: &mut Vec<f64>| {
                got.iter().zip(truth).fold(0.0_f64, |m, (g, t)| m.max((g - *t).abs()))
            };
            let error = worst(&got.q, &mut q).max(worst(&got.v, &mut v));
            assert!(error < 1e-8, "{case} at t = {t}: {error:.1e}");
            let work = truth["work"].as_f64().expect("work");
            assert!((got.work - work).abs() < 1e-8 * (1.0 + work.abs()), "{case}: work at {t}");
            compared += 1;
        }
        assert!(compared >= 6, "{case}");
        let d = trajectory.diagnostics;
        assert!(d.energy_drift < 1e-8 * (1.0 + d.kinetic_scale), "{case}: {d:?}");
        assert!(d.linear_momentum_drift.expect("isolated") < 1e-7, "{case}: {d:?}");
        assert!(d.angular_momentum_drift.expect("isolated") < 1e-7, "{case}: {d:?}");
        assert!(d.quaternion_residual < 1e-10, "{case}: {d:?}");
    }
}

/// The end effector, a named frame, is where the reference says.
#[test]
fn named_frames_are_where_the_references_say() {
    for robot in ROBOTS {
        let mechanism = mechanism(&format!("robots/{robot}/model.toml"));
        let dynamics = TreeDynamics::new(&mechanism).expect("supported");
        let model = dynamics.model();
        let reference = json(&format!("robots/{robot}/static.json"));
        for s in reference["states"].as_array().expect("states") {
            let state = state(&mechanism, s);
            let mut bodies = vec![BodyMotion::default(); model.body_count()];
            forward_kinematics(model, &mut Workspace::new(model), &state.q, &state.v, &mut bodies);
            for (frame, ee) in
                mechanism.description().frames.iter().zip(s["ee"].as_array().expect("list"))
            {
                assert_eq!(Some(frame.body.as_str()), ee["body"].as_str());
                let body = mechanism.description().body_index(&frame.body).expect("known");
                let placement = bodies[dynamics.body(body).index()].placement;
                let x = placement.point_to_parent(Vec3::from_f64(frame.frame().position));
                let error = relative_error(&x.to_array(), &numbers(&ee["position"]));
                assert!(error < 1e-14, "{robot} {}: {error:.1e}", frame.body);
            }
        }
    }
}

/// The same robot from URDF and from the native file.
#[test]
fn the_urdf_of_the_puma_has_the_accelerations_of_the_native_file() {
    let mechanism = mechanism("robots/puma560_fixed/model.urdf");
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    let reference = json("robots/puma560_fixed/static.json");
    for s in reference["states"].as_array().expect("states") {
        let found = dynamics.accelerations(&state(&mechanism, s)).expect("regular");
        let error = relative_error(&found.a, &numbers(&s["vdot"]));
        assert!(error < 1e-13, "state {}: {error:.1e}", s["id"]);
    }
}
