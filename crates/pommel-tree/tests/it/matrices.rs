//! Inertia matrix, Jacobians, momentum matrix and bias terms against the dense robot.

use nalgebra::{DMatrix, DVector};
use pommel_math::{Transform, Vec3};
use pommel_testkit::{Rng, Robot, random_mechanism};
use pommel_tree::{
    BodyAcceleration, Workspace, bias_forces, centroidal_momentum_matrix, forward_accelerations,
    forward_dynamics, gravity_forces, inverse_dynamics, jacobian, mass_matrix,
};

use crate::common::{State, model, random_state, wrenches};

/// Rounding of some 20 nested changes of frame, relative to the largest entry.
const TOLERANCE: f64 = 1e-13;

fn cases(seed: u64, mut check: impl FnMut(usize, &Robot, &State)) {
    let mut rng = Rng::new(seed);
    for case in 0..200 {
        let robot = random_mechanism(&mut rng, 1 + case % 20, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        check(case, &robot, &s);
    }
}

fn close(got: &DMatrix<f64>, truth: &DMatrix<f64>, what: &str) {
    let error = (got - truth).amax();
    assert!(error <= TOLERANCE * (1.0 + truth.amax()), "{what}: {error:.1e}");
}

#[test]
fn the_inertia_matrix_is_the_dense_one() {
    cases(81, |case, robot, s| {
        let model = model(robot);
        let n = model.nv();
        let mut m = vec![f64::NAN; n * n];
        mass_matrix(&model, &mut Workspace::new(&model), &s.q, &mut m);
        let truth = robot.terms(&s.q, &s.v, None).mass_matrix;
        close(&DMatrix::from_row_slice(n, n, &m), &truth, &format!("case {case}"));
    });
}

#[test]
fn bias_and_gravity_forces_are_the_dense_ones() {
    cases(82, |case, robot, s| {
        let model = model(robot);
        let n = model.nv();
        let mut ws = Workspace::new(&model);
        let external = wrenches(&s.wrenches);
        let (mut h, mut g) = (vec![0.0; n], vec![0.0; n]);
        bias_forces(&model, &mut ws, &s.q, &s.v, Some(&external), &mut h);
        gravity_forces(&model, &mut ws, &s.q, &mut g);
        let truth = robot.terms(&s.q, &s.v, Some(&s.wrenches)).bias;
        let at_rest = robot.terms(&s.q, &vec![0.0; n], None).bias;
        let column = |x: &[f64]| DMatrix::from_column_slice(n, 1, x);
        close(&column(&h), &column(truth.as_slice()), &format!("case {case} h"));
        close(&column(&g), &column(at_rest.as_slice()), &format!("case {case} g"));
    });
}

#[test]
fn jacobians_and_accelerations_of_mass_centres_are_the_dense_ones() {
    cases(83, |case, robot, s| {
        let model = model(robot);
        let n = model.nv();
        let mut ws = Workspace::new(&model);
        let truth = robot.terms(&s.q, &s.v, None).motions;
        let mut bias = vec![BodyAcceleration::default(); model.body_count()];
        forward_accelerations(&model, &mut ws, &s.q, &s.v, &vec![0.0; n], &mut bias);
        for (body, motion) in model.topology().bodies().zip(&truth) {
            let mut j = vec![f64::NAN; 6 * n];
            let centre = model.centre_of_mass(body);
            jacobian(&model, &mut ws, &s.q, body, centre, &mut j);
            let what = format!("case {case} body {}", body.index());
            close(&DMatrix::from_row_slice(6, n, &j), &motion.jacobian, &what);
            let got = bias[body.index()];
            let vector = |v: Vec3<f64>| DMatrix::from_column_slice(3, 1, &v.to_array());
            let dense = |v: &nalgebra::Vector3<f64>| DMatrix::from_column_slice(3, 1, v.as_slice());
            close(&vector(got.angular), &dense(&motion.bias_angular_acceleration), &what);
            close(&vector(got.linear), &dense(&motion.bias_acceleration), &what);
        }
    });
}

#[test]
fn the_momentum_matrix_gives_the_momenta_of_the_dense_robot() {
    cases(84, |case, robot, s| {
        // on the ground the dense robot counts bodies and rotors that cannot move, too
        if case % 2 == 1 || robot.bodies.iter().skip(1).any(|b| b.parent.is_none()) {
            return;
        }
        let model = model(robot);
        let n = model.nv();
        let mut a = vec![f64::NAN; 6 * n];
        let mut ws = Workspace::new(&model);
        let centre = centroidal_momentum_matrix(&model, &mut ws, &s.q, &mut a);
        let got = DMatrix::from_row_slice(6, n, &a) * DVector::from_row_slice(&s.v);
        let truth = robot.momentum(&s.q, &s.v);
        let column = |x: &[f64]| DMatrix::from_column_slice(x.len(), 1, x);
        let what = format!("case {case}");
        close(&column(&got.as_slice()[..3]), &column(truth.angular.as_slice()), &what);
        close(&column(&got.as_slice()[3..]), &column(truth.linear.as_slice()), &what);
        close(&column(&centre.to_array()), &column(truth.centre.as_slice()), &what);
    });
}

/// The point's frame is the body's: a Jacobian at another point differs by the lever arm.
#[test]
fn accelerations_of_points_follow_their_body() {
    cases(85, |case, robot, s| {
        let model = model(robot);
        let n = model.nv();
        let mut ws = Workspace::new(&model);
        let body = model.topology().bodies().last().expect("a body");
        let point = Vec3::from_f64([0.3, -0.2, 0.5]);
        let mut here = vec![0.0; 6 * n];
        jacobian(&model, &mut ws, &s.q, body, point, &mut here);
        let mut bodies = vec![pommel_tree::BodyMotion::default(); model.body_count()];
        pommel_tree::forward_kinematics(&model, &mut ws, &s.q, &s.v, &mut bodies);
        let motion = bodies[body.index()];
        let Transform { rotation, .. } = motion.placement;
        let arm = rotation * (point - model.centre_of_mass(body));
        let velocity = motion.angular_velocity.cross(arm) + motion.velocity;
        let j = DMatrix::from_row_slice(6, n, &here) * DVector::from_row_slice(&s.v);
        let truth = [motion.angular_velocity.to_array(), velocity.to_array()].concat();
        let column = |x: &[f64]| DMatrix::from_column_slice(6, 1, x);
        close(&column(j.as_slice()), &column(&truth), &format!("case {case}"));
    });
}

/// Inverse dynamics of the accelerations that forward dynamics finds gives the forces back: 10⁴
/// random mechanisms of up to 60 bodies with all joints. The condition of the inertia matrix enters
/// the accelerations but not this residual, which is relative to the largest term of its equations.
#[test]
fn inverse_dynamics_undoes_forward_dynamics_on_ten_thousand_mechanisms() {
    let mut rng = Rng::new(86);
    let mut worst = 0.0_f64;
    for case in 0..10_000 {
        let robot = random_mechanism(&mut rng, 1 + case % 60, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let n = model.nv();
        let mut ws = Workspace::new(&model);
        let (mut qdd, mut tau, mut h) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let external = wrenches(&s.wrenches);
        forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, Some(&external), &mut qdd)
            .unwrap_or_else(|e| panic!("case {case}: {e}"));
        inverse_dynamics(&model, &mut ws, &s.q, &s.v, &qdd, Some(&external), &mut tau);
        bias_forces(&model, &mut ws, &s.q, &s.v, Some(&external), &mut h);
        let size = s.tau.iter().chain(&h).fold(0.0_f64, |m, x| m.max(x.abs()));
        let error = s.tau.iter().zip(&tau).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        worst = worst.max(error / size);
    }
    assert!(worst < 1e-11, "{worst:.1e}");
}
