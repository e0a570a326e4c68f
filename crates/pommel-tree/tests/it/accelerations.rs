//! Forward and inverse dynamics against the dense mass matrix.

use pommel_math::{Mat3, Transform, Vec3};
use pommel_testkit::{
    Rng, Robot, RobotJoint, random_mechanism, random_robot, relative_error, scale,
};
use pommel_tree::{BodySpec, Joint, TreeBuilder, Workspace, forward_dynamics, inverse_dynamics};

use crate::common::{dh_chain, model, random_state, wrenches};

/// The residual `H v̇ + h − τ` of the dense equations, relative to their terms: unlike the error of
/// the accelerations, it does not grow with the condition of `H`.
pub(crate) fn backward_error(robot: &Robot, s: &crate::common::State, qdd: &[f64]) -> f64 {
    let terms = robot.terms(&s.q, &s.v, Some(&s.wrenches));
    let x = nalgebra_vector(qdd);
    let residual = &terms.mass_matrix * &x + &terms.bias - nalgebra_vector(&s.tau);
    let size = terms.mass_matrix.abs() * x.abs() + terms.bias.abs();
    residual.amax() / size.amax().max(scale(&s.tau))
}

fn nalgebra_vector(x: &[f64]) -> nalgebra::DVector<f64> {
    nalgebra::DVector::from_row_slice(x)
}

/// 600 random trees of up to 30 bodies with special placements, on fixed and free bases, with
/// wrenches on all bodies. 2000 ε bounds the rounding of some 30 nested changes of frame with
/// cancelling terms; typical values are ten times smaller.
#[test]
fn random_trees_satisfy_the_dense_equations_of_motion() {
    let mut rng = Rng::new(1);
    for case in 0..600 {
        let robot = random_robot(&mut rng, 1 + case % 30, case % 2 == 0);
        if robot.sizes().1 == 0 {
            continue;
        }
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let mut ws = Workspace::new(&model);
        let mut qdd = vec![0.0; model.nv()];
        let external = wrenches(&s.wrenches);
        forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, Some(&external), &mut qdd)
            .unwrap_or_else(|e| panic!("case {case}: {e}"));
        let error = backward_error(&robot, &s, &qdd);
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: backward error {error:.1e}");

        let mut tau = vec![0.0; model.nv()];
        inverse_dynamics(&model, &mut ws, &s.q, &s.v, &qdd, Some(&external), &mut tau);
        let terms = robot.terms(&s.q, &s.v, Some(&s.wrenches));
        let truth: Vec<f64> =
            (&terms.mass_matrix * nalgebra_vector(&qdd) + &terms.bias).iter().copied().collect();
        let size = scale(&truth)
            .max(scale(terms.bias.as_slice()))
            .max((terms.mass_matrix.abs() * nalgebra_vector(&qdd).abs()).amax());
        let error = relative_error(&tau, &truth) * scale(&truth) / size;
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: inverse dynamics {error:.1e}");
    }
}

/// All joints, rotors and armature, wrenches on all bodies. Tolerances as above.
#[test]
fn random_mechanisms_satisfy_the_dense_equations_of_motion() {
    let mut rng = Rng::new(8);
    for case in 0..1000 {
        let robot = random_mechanism(&mut rng, 1 + case % 30, case % 2 == 0);
        if robot.sizes().1 == 0 {
            continue;
        }
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let mut ws = Workspace::new(&model);
        let mut qdd = vec![0.0; model.nv()];
        let external = wrenches(&s.wrenches);
        forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, Some(&external), &mut qdd)
            .unwrap_or_else(|e| panic!("case {case}: {e}"));
        let error = backward_error(&robot, &s, &qdd);
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: backward error {error:.1e}");

        let mut tau = vec![0.0; model.nv()];
        inverse_dynamics(&model, &mut ws, &s.q, &s.v, &qdd, Some(&external), &mut tau);
        let terms = robot.terms(&s.q, &s.v, Some(&s.wrenches));
        let truth: Vec<f64> =
            (&terms.mass_matrix * nalgebra_vector(&qdd) + &terms.bias).iter().copied().collect();
        let size = scale(&truth)
            .max(scale(terms.bias.as_slice()))
            .max((terms.mass_matrix.abs() * nalgebra_vector(&qdd).abs()).amax());
        let error = relative_error(&tau, &truth) * scale(&truth) / size;
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: inverse dynamics {error:.1e}");
    }
}

/// On well-conditioned chains the accelerations themselves agree.
#[test]
fn chains_have_the_accelerations_of_the_dense_solve() {
    let mut rng = Rng::new(2);
    for n in 1..=12 {
        for free in [false, true] {
            let robot = dh_chain(n, free, n as u64);
            let s = random_state(&mut rng, &robot);
            let model = model(&robot);
            let mut qdd = vec![0.0; model.nv()];
            let mut ws = Workspace::new(&model);
            let external = wrenches(&s.wrenches);
            forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, Some(&external), &mut qdd)
                .expect("chain");
            let truth = robot
                .accelerations(&s.q, &s.v, &s.tau, Some(&s.wrenches))
                .expect("positive definite");
            let error = relative_error(&qdd, &truth);
            assert!(error < 1e-12, "n = {n}, free {free}: {error:.1e}");
        }
    }
}

/// A uniform rod that falls from the horizontal: −m g l / (I + m l²), by hand.
#[test]
fn a_pendulum_falls_as_computed_by_hand() {
    let mut builder = TreeBuilder::<f64>::new();
    let rod = BodySpec::new("rod", None, Joint::Revolute { axis: [0.0, 0.0, 2.0] }).with_inertia(
        3.0,
        Vec3::from_f64([0.5, 0.0, 0.0]),
        [0.0, 0.25, 0.25, 0.0, 0.0, 0.0],
    );
    builder.add(rod).expect("valid");
    builder.gravity(Vec3::from_f64([0.0, -9.81, 0.0]));
    let model = builder.build().expect("valid");
    let mut qdd = [0.0];
    forward_dynamics(&model, &mut Workspace::new(&model), &[0.0], &[7.0], &[0.0], None, &mut qdd)
        .expect("regular");
    let truth = -3.0 * 9.81 * 0.5 / (0.25 + 3.0 * 0.25);
    assert!((qdd[0] - truth).abs() <= 4.0 * f64::EPSILON * truth.abs(), "{}", qdd[0]);
}

/// The joint frame may sit anywhere in the child: moving it and the body data together changes
/// nothing.
#[test]
fn the_joint_frame_in_the_child_is_respected() {
    let offset = Transform::new(Mat3::from_rpy([0.3, -0.7, 1.1]), Vec3::from_f64([0.2, 0.1, -0.4]));
    let build = |with_offset: bool| {
        let mut builder = TreeBuilder::<f64>::new();
        builder.gravity(Vec3::from_f64([1.0, 2.0, -9.0]));
        let mut parent = None;
        for i in 0..3 {
            let centre = Vec3::from_f64([0.1, 0.2 * i as f64, 0.3]);
            let inertia = pommel_math::Sym3::from_f64([0.4, 0.5, 0.6, 0.01, 0.02, 0.03]);
            let place = Transform::new(Mat3::from_rpy([0.5, 0.2, i as f64]), centre);
            let axis = [0.2, 0.5, 1.0];
            let mut spec = BodySpec::new(format!("b{i}"), parent, Joint::Revolute { axis });
            if with_offset {
                // body frame: the joint frame seen from the body is `offset`
                let back = offset;
                spec.in_child = back;
                let turned = inertia.rotated(back.rotation);
                spec = spec.with_inertia(
                    2.0,
                    back.point_to_parent(centre),
                    [turned.xx, turned.yy, turned.zz, turned.xy, turned.xz, turned.yz],
                );
                spec.in_parent = if i == 0 { place } else { back * place };
            } else {
                spec = spec.with_inertia(2.0, centre, [0.4, 0.5, 0.6, 0.01, 0.02, 0.03]);
                spec.in_parent = place;
            }
            parent = Some(builder.add(spec).expect("valid"));
        }
        builder.build().expect("valid")
    };
    let (plain, moved) = (build(false), build(true));
    let (q, v, tau) = ([0.3, -1.0, 2.0], [1.0, 2.0, -0.5], [3.0, 1.0, -2.0]);
    let solve = |model| {
        let mut qdd = [0.0; 3];
        forward_dynamics(model, &mut Workspace::new(model), &q, &v, &tau, None, &mut qdd)
            .expect("regular");
        qdd
    };
    let error = relative_error(&solve(&moved), &solve(&plain));
    assert!(error < 100.0 * f64::EPSILON, "{error:.1e}");
}

/// A robot in orbit accelerates in its joints as one at rest: the velocity and the position of the
/// base do not enter.
#[test]
fn orbital_position_and_velocity_change_no_joint_acceleration() {
    let mut rng = Rng::new(3);
    let robot = dh_chain(6, true, 9);
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let s = random_state(&mut rng, &robot);
    let mut here = vec![0.0; model.nv()];
    let mut there = here.clone();
    forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, None, &mut here).expect("regular");
    let (mut q, mut v) = (s.q.clone(), s.v.clone());
    q[0] += 7.0e6;
    v[3] += 7700.0;
    v[4] -= 300.0;
    forward_dynamics(&model, &mut ws, &q, &v, &s.tau, None, &mut there).expect("regular");
    assert_eq!(here, there);
}

/// A quaternion that has drifted off the unit sphere stands for its direction.
#[test]
fn the_norm_of_the_quaternion_does_not_matter() {
    let mut rng = Rng::new(4);
    let robot = dh_chain(3, true, 5);
    assert_eq!(robot.bodies[0].joint, RobotJoint::Free);
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let s = random_state(&mut rng, &robot);
    let mut unit = vec![0.0; model.nv()];
    forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, None, &mut unit).expect("regular");
    let mut q = s.q.clone();
    q[3..7].iter_mut().for_each(|x| *x *= 1.7);
    let mut scaled = vec![0.0; model.nv()];
    forward_dynamics(&model, &mut ws, &q, &s.v, &s.tau, None, &mut scaled).expect("regular");
    assert!(relative_error(&scaled, &unit) < 1e-13);
}
