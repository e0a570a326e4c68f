//! Redundant closures: how many rows depend on others, and that dropping them changes nothing.

use nalgebra::{DMatrix, DVector};
use pommel_math::{Mat3, Transform, Vec3};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, random_mechanism};
use pommel_tree::{
    Attachment, BodyId, BodyMotion, Closure, ClosureWorkspace, LoopClosures, Model, Stabilization,
    Workspace, constrained_dynamics, forward_kinematics,
};

use crate::closures::Case;
use crate::common::{State, model, model_with, random_state};

/// A mechanism whose lengths are `scale` times those of another; without rotors and armatures.
fn scaled(mut robot: Robot, scale: f64) -> Robot {
    for body in &mut robot.bodies {
        body.origin = body.origin.map(|x| x * scale);
        body.centre = body.centre.map(|x| x * scale);
        body.inertia = body.inertia.map(|x| x * scale * scale);
        body.rotor = None;
        body.armature = [0.0; 6];
        if let RobotJoint::Helical(axis, pitch) = body.joint {
            body.joint = RobotJoint::Helical(axis, pitch * scale);
        }
    }
    robot
}

/// Closures between bodies `x` and `y` that the posture satisfies, at random frames.
fn assembled(
    rng: &mut Rng,
    model: &Model<f64>,
    s: &State,
    [x, y]: [usize; 2],
    scale: f64,
    count: usize,
) -> Vec<Closure<f64>> {
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let mut motions = vec![BodyMotion::default(); bodies.len()];
    let mut ws = Workspace::new(model);
    forward_kinematics(model, &mut ws, &s.q, &s.v, &mut motions);
    let closure = |rng: &mut Rng| {
        let rotation = Mat3::from_rpy(rng.vector(3.0));
        let near = motions[x].placement.translation + Vec3::from_f64(rng.vector(0.4 * scale));
        let frame = Transform::new(rotation, near);
        let on = |k: usize| Attachment::on(bodies[k], motions[k].placement.inverse() * frame);
        let (a, b) = (on(x), on(y));
        match rng.below(7) {
            0 => Closure::Weld(a, b),
            1 => Closure::Revolute(a, b),
            2 => Closure::Prismatic(a, b),
            3 => Closure::Cylindrical(a, b),
            4 => Closure::Universal(a, b),
            5 => Closure::Planar(a, b),
            _ => Closure::Spherical(a, b),
        }
    };
    (0..count).map(|_| closure(rng)).collect()
}

/// Singular values of `J M⁻¹ Jᵀ`, scaled to a unit diagonal, the largest first.
fn spectrum(j: &DMatrix<f64>, mass_matrix: &DMatrix<f64>) -> Vec<f64> {
    // rows of J L⁻ᵀ, scaled to length 1: the squares of its singular values, without squaring
    let lower = mass_matrix.clone().cholesky().expect("positive definite").l();
    let mut rows = lower.solve_lower_triangular(&j.transpose()).expect("regular");
    for mut column in rows.column_iter_mut() {
        let norm = column.norm();
        if norm > 0.0 {
            column /= norm;
        }
    }
    let mut values: Vec<f64> = rows.singular_values().iter().map(|x| x * x).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// Two to four assembled closures between the same two bodies of a random mechanism, in mm, m and
/// km: never a contradiction, the rank that dense singular values show, the equations of motion, no
/// acceleration of the rows, and multipliers no larger than the least ones demand.
#[test]
fn assembled_redundant_closures_never_contradict_at_any_scale() {
    let mut rng = Rng::new(131);
    let (mut compared, mut redundant) = (0, 0);
    let (mut worst_motion, mut worst_rows) = (0.0_f64, 0.0_f64);
    for case in 0..1500 {
        let scale = [1e-3, 1.0, 1e3][case % 3];
        let robot = scaled(random_mechanism(&mut rng, 12, case % 2 == 0), scale);
        let mut s = random_state(&mut rng, &robot);
        s.v.fill(0.0);
        let model = model(&robot);
        let ends = [rng.below(12), rng.below(12)];
        let count = 2 + rng.below(3);
        let closures = assembled(&mut rng, &model, &s, ends, scale, count);
        if LoopClosures::new(&model, closures.clone(), Stabilization::default()).is_err() {
            continue; // both ends on one link
        }
        let mut case_of = Case::stabilized(&model, closures, Stabilization::default());
        let (qdd, lambda) = case_of.solve(&s).unwrap_or_else(|e| panic!("case {case}: {e}"));
        let dropped = case_of.memory.dependent_rows().count();
        let left: Vec<f64> = case_of.memory.acceleration_residuals().collect();
        let j = case_of.jacobian(&s);
        let terms = robot.terms(&s.q, &s.v, Some(&s.wrenches));
        let (a, l) = (DVector::from_row_slice(&qdd), DVector::from_row_slice(&lambda));
        // the equations of motion, each velocity relative to its own terms and the largest product
        let residual = &terms.mass_matrix * &a + j.transpose() * &l + &terms.bias
            - DVector::from_row_slice(&s.tau);
        let size = terms.mass_matrix.abs() * a.abs() + j.transpose().abs() * l.abs();
        worst_motion = worst_motion.max(residual.amax() / size.amax());
        // at rest, J q̈ = 0
        let rows = &j * &a;
        for k in 0..rows.len() {
            let size = j.row(k).amax() * a.amax();
            if size > 0.0 {
                worst_rows = worst_rows.max(rows[k].abs() / size);
            }
        }
        let values = spectrum(&j, &terms.mass_matrix);
        // near the limit of dependence either answer is right
        if !values.iter().any(|x| (1e-14..=1e-7).contains(x)) {
            let rank = values.iter().filter(|&&x| x > 1e-7).count();
            assert_eq!(j.nrows() - dropped, rank, "case {case} {values:?} {left:?}");
            let inverse = terms.mass_matrix.cholesky().expect("positive definite");
            let mobility = &j * inverse.solve(&j.transpose());
            let free = inverse.solve(&(DVector::from_row_slice(&s.tau) - &terms.bias));
            let svd = mobility.svd(true, true);
            let limit = 1e-12 * svd.singular_values[0];
            let least = svd.solve(&(&j * free), limit).expect("both factors");
            let force = (j.transpose().abs() * least.abs()).amax();
            let ratio = (j.transpose().abs() * l.abs()).amax() / force;
            // in mm moments and forces are a thousand times further apart
            let allowed = if scale < 1.0 { 1e4 } else { 1e2 };
            assert!(ratio < allowed, "case {case}: multipliers {ratio:.1e} of the least ones");
            compared += 1;
        }
        redundant += usize::from(dropped > 0);
    }
    assert!(compared > 900 && redundant > 1000, "{compared} compared, {redundant} redundant");
    assert!(worst_motion < 1e-8, "{worst_motion:.1e}");
    // rows that differ from others by less than 1.3e-6 are dropped
    assert!(worst_rows < 1.3e-6, "{worst_rows:.1e}");
}

/// A revolute joint and a slide on it, with closures that hold whatever the two do: what is left of
/// the rows is rounding, and must not be mistaken for a lever.
#[test]
fn rows_that_no_joint_moves_are_dropped() {
    for scale in [1e-3, 1.0, 1e3] {
        let body =
            |parent, joint| {
                RobotBody::new(parent, joint)
                    .placed([0.3, -0.8, 0.5], [0.4, -0.2, 0.7])
                    .with_inertia(1.5, [0.1, 0.2, -0.1], [0.2, 0.3, 0.25, 0.01, 0.02, -0.01])
            };
        let robot = Robot {
            bodies: vec![
                body(None, RobotJoint::Revolute([1.0, 0.0, 0.0])),
                body(Some(0), RobotJoint::Prismatic([0.0, -1.0, 0.0])),
            ],
            gravity: [0.0, 0.0, -9.81],
        };
        let robot = scaled(robot, scale);
        let mut rng = Rng::new(3);
        let mut s = random_state(&mut rng, &robot);
        s.v.fill(0.0);
        let model = model(&robot);
        let bodies: Vec<BodyId> = model.topology().bodies().collect();
        let mut motions = vec![BodyMotion::default(); 2];
        forward_kinematics(&model, &mut Workspace::new(&model), &s.q, &s.v, &mut motions);
        // a cylindrical closure along the slide: nothing is asked that the slide does not keep
        let axis = motions[1].placement.rotation * Vec3::from_f64([0.0, -1.0, 0.0]);
        let x = axis.cross(Vec3::from_f64([0.3, 0.1, 0.9]));
        let x = x.scale(x.norm().recip());
        let rotation = Mat3::from_rows(x, axis.cross(x), axis).transpose();
        let frame = Transform::new(rotation, Vec3::from_f64([0.7, -2.0, 1.1]).scale(scale));
        let on = |k: usize| Attachment::on(bodies[k], motions[k].placement.inverse() * frame);
        let closure = Closure::Cylindrical(on(0), on(1));
        let mut case = Case::stabilized(&model, vec![closure; 2], Stabilization::default());
        let (_, lambda) = case.solve(&s).expect("consistent");
        assert_eq!(case.memory.dependent_rows().count(), 8, "scale {scale}");
        assert!(lambda.iter().all(|&x| x == 0.0), "{lambda:?}");
    }
}

/// The limits follow the rounding of the scalar: a parallelogram in single precision.
#[test]
fn a_parallelogram_has_three_dependent_rows_in_single_precision() {
    let (robot, s, _, _) = crate::closures::parallelogram();
    let model = model_with::<f32>(&robot, |_, spec| spec);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let at = |x| Transform::new(Mat3::identity(), Vec3::<f32>::from_f64([x, 0.0, 0.0]));
    let closure =
        Closure::Revolute(Attachment::on(bodies[1], at(2.0)), Attachment::on(bodies[2], at(1.0)));
    let closures = LoopClosures::new(&model, vec![closure], Stabilization::default());
    let closures = closures.expect("valid");
    let mut memory = ClosureWorkspace::new(&closures);
    let narrow = |x: &[f64]| -> Vec<f32> { x.iter().map(|&x| x as f32).collect() };
    let (q, v, tau) = (narrow(&s.q), narrow(&s.v), narrow(&s.tau));
    let (mut qdd, mut lambda) = ([0.0_f32; 3], [0.0_f32; 5]);
    constrained_dynamics(
        &model,
        &closures,
        &mut Workspace::new(&model),
        &mut memory,
        (&q, &v),
        &tau,
        None,
        &mut qdd,
        &mut lambda,
    )
    .expect("consistent");
    assert_eq!(memory.dependent_rows().count(), 3);
    // by hand, as in double precision
    let gravity = -9.81 * 1.1_f64.cos() * 3.0;
    let alpha = (2.0 - 1.0 + gravity) / (2.0 * (0.2 + 1.5 * 0.25) + 1.5);
    for (found, truth) in qdd.iter().zip([alpha, -alpha, alpha]) {
        assert!((f64::from(*found) - truth).abs() < 1e-5 * alpha.abs(), "{qdd:?} {alpha}");
    }
}
