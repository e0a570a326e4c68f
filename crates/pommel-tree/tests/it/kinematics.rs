//! Placements, velocities, momentum and energy.

use pommel_testkit::{Rng, random_mechanism, relative_error};
use pommel_tree::{
    BodyMotion, Workspace, energy, forward_dynamics, forward_kinematics, momentum, normalize,
    position_rate, quaternion_defect,
};

use crate::common::{dh_chain, model, random_state, wrenches};

#[test]
fn bodies_are_and_move_where_the_dense_kinematics_says() {
    let mut rng = Rng::new(11);
    for case in 0..100 {
        let robot = random_mechanism(&mut rng, 1 + case % 15, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let mut bodies = vec![BodyMotion::default(); model.body_count()];
        forward_kinematics(&model, &mut Workspace::new(&model), &s.q, &s.v, &mut bodies);
        let terms = robot.terms(&s.q, &s.v, None);
        for (i, (got, truth)) in bodies.iter().zip(&terms.motions).enumerate() {
            let close = |a: [f64; 3], b: &nalgebra::Vector3<f64>, what: &str| {
                let error = (nalgebra::Vector3::from(a) - b).amax() / (1.0 + b.amax());
                assert!(error < 1e-13, "case {case}, body {i}, {what}: {error:.1e}");
            };
            close(got.centre.to_array(), &truth.centre, "mass centre");
            close(got.velocity.to_array(), &truth.velocity, "velocity");
            close(got.angular_velocity.to_array(), &truth.angular_velocity, "angular velocity");
            let rows = got.placement.rotation.to_rows();
            for (r, row) in rows.iter().enumerate() {
                close(*row, &truth.rotation.row(r).transpose(), "orientation");
            }
        }
        // ½ vᵀ H v
        let v = nalgebra::DVector::from_row_slice(&s.v);
        let kinetic = 0.5 * v.dot(&(&terms.mass_matrix * &v));
        let got = energy(&model, &s.v, &bodies).kinetic;
        // bodies fixed to the ground do not count in either
        assert!((got - kinetic).abs() <= 1e-13 * (1.0 + kinetic), "case {case}: {got} {kinetic}");
    }
}

/// The rate of momentum is the sum of external forces, the rate of energy their power: the
/// accelerations enter through central differences of the momentum along the motion.
#[test]
fn momentum_and_energy_change_by_external_wrenches_and_joint_power() {
    let mut rng = Rng::new(12);
    let robot = dh_chain(5, true, 21);
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let s = random_state(&mut rng, &robot);
    // forces on the base would be external; leave them out
    let mut tau = s.tau.clone();
    tau[..6].fill(0.0);
    let external = wrenches(&s.wrenches);
    let mut qdd = vec![0.0; model.nv()];
    forward_dynamics(&model, &mut ws, &s.q, &s.v, &tau, Some(&external), &mut qdd)
        .expect("regular");

    let mut qd = vec![0.0; model.nq()];
    position_rate(&model, &s.q, &s.v, &mut qd);
    let mut sample = |h: f64| {
        let mut q: Vec<f64> = s.q.iter().zip(&qd).map(|(q, r)| q + h * r).collect();
        let v: Vec<f64> = s.v.iter().zip(&qdd).map(|(v, a)| v + h * a).collect();
        let mut rate = vec![0.0; model.nq()];
        normalize(&model, &mut q, &mut rate);
        let mut bodies = vec![BodyMotion::default(); model.body_count()];
        forward_kinematics(&model, &mut ws, &q, &v, &mut bodies);
        let e = energy(&model, &v, &bodies);
        (momentum(&model, &v, &bodies), e.kinetic + e.potential, bodies)
    };
    let h = 1e-5;
    let (before, _, _) = sample(-h);
    let (after, _, _) = sample(h);
    let (now, _, bodies) = sample(0.0);
    let mut force = model.gravity().scale(now.mass);
    let mut moment = pommel_math::Vec3::zero();
    let mut power = 0.0;
    for (w, motion) in external.iter().zip(&bodies) {
        force += w.force;
        moment += (motion.centre - now.centre).cross_add(w.force, w.moment);
        power += w.moment.dot(motion.angular_velocity) + w.force.dot(motion.velocity);
    }
    power += tau.iter().zip(&s.v).map(|(t, v)| t * v).sum::<f64>();
    let rate = |a: pommel_math::Vec3<f64>, b| (a - b).scale(0.5 / h);
    let linear = rate(after.linear, before.linear);
    let angular = rate(after.angular, before.angular);
    // central differences: error h² times third derivatives of order 1e3
    assert!((linear - force).norm() < 1e-6 * force.norm(), "{linear:?} {force:?}");
    assert!((angular - moment).norm() < 1e-5 * moment.norm(), "{angular:?} {moment:?}");
    let (_, e0, _) = sample(-h);
    let (_, e1, _) = sample(h);
    let error = ((e1 - e0) / (2.0 * h) - power).abs() / power.abs();
    assert!(error < 1e-5, "{error:.1e}");
}

#[test]
fn normalizing_keeps_rates_consistent() {
    let mut rng = Rng::new(13);
    let robot = dh_chain(2, true, 3);
    let model = model(&robot);
    let s = random_state(&mut rng, &robot);
    let mut q = s.q.clone();
    q[3..7].iter_mut().for_each(|x| *x *= 0.9);
    assert!((quaternion_defect(&model, &q) - 0.1).abs() < 1e-15);
    let mut qd = vec![0.0; model.nq()];
    position_rate(&model, &q, &s.v, &mut qd);
    normalize(&model, &mut q, &mut qd);
    assert!(quaternion_defect(&model, &q) < 2.0 * f64::EPSILON);
    let mut truth = vec![0.0; model.nq()];
    position_rate(&model, &q, &s.v, &mut truth);
    assert!(relative_error(&qd, &truth) < 4.0 * f64::EPSILON);
}
