//! Redundant closures: how many rows depend on others, and that dropping them changes nothing.

use nalgebra::{DMatrix, DVector};
use pommel_math::{Mat3, Real, Transform, Vec3};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, random_mechanism};
use pommel_tree::{
    Attachment, BodyId, BodyMotion, BodySpec, Closure, ClosureError, ClosureWorkspace, Joint,
    LoopClosures, Model, Stabilization, TreeBuilder, Workspace, constrained_dynamics,
    forward_kinematics,
};

use crate::closures::{Case, loop_joint};
use crate::common::{State, model, model_with, random_state, two_trees};

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
        loop_joint(rng.below(7), on(x), on(y))
    };
    (0..count).map(|_| closure(rng)).collect()
}

/// Singular values of `J M⁻¹ Jᵀ`, scaled to a unit diagonal, the largest first.
fn spectrum(j: &DMatrix<f64>, mass_matrix: &DMatrix<f64>) -> Vec<f64> {
    // rows of J L⁻ᵀ, scaled to length 1: the squares of its singular values, without squaring
    let lower = mass_matrix.clone().cholesky().expect("positive definite").l();
    let mut rows = lower.solve_lower_triangular(&j.transpose()).expect("regular");
    let largest = rows.column_iter().fold(0.0_f64, |m, column| m.max(column.norm()));
    for mut column in rows.column_iter_mut() {
        let norm = column.norm();
        // of a row that no joint moves, rounding
        column *= if norm > 1e-12 * largest { norm.recip() } else { 0.0 };
    }
    let mut values: Vec<f64> = rows.singular_values().iter().map(|x| x * x).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// The part of `v` that moves no row, by Gram and Schmidt on the rows, the largest first; twice.
fn without_rows(j: &DMatrix<f64>, v: &mut DVector<f64>) {
    let mut rows: Vec<DVector<f64>> = j.row_iter().map(|row| row.transpose()).collect();
    let start: Vec<f64> = rows.iter().map(|row| row.norm()).collect();
    let mut basis: Vec<DVector<f64>> = Vec::new();
    loop {
        let left = rows.iter().zip(&start).map(|(row, start)| row.norm() / start.max(1e-300));
        let best = left.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((best, share)) = best else { break };
        // what is left of dependent rows
        if share < 1e-9 || start[best] < 1e-12 {
            break;
        }
        let unit = rows[best].normalize();
        for _ in 0..2 {
            for row in &mut rows {
                *row -= &unit * unit.dot(row);
            }
        }
        rows[best].fill(0.0);
        basis.push(unit);
    }
    for _ in 0..2 {
        for unit in &basis {
            *v -= unit * unit.dot(v);
        }
    }
}

/// Mechanisms in motion, one or two trees, with assembled closures between one to three pairs of
/// bodies and velocities that satisfy them: never a contradiction, whatever cancels in the rows.
#[test]
fn assembled_redundant_closures_never_contradict_in_motion() {
    let mut rng = Rng::new(133);
    let mut redundant = 0;
    for case in 0..600 {
        let scale = [1e-3, 1.0, 1e3][case % 3];
        let pairs = 1 + case / 3 % 3;
        let robot = if case % 2 == 0 {
            random_mechanism(&mut rng, 12, true)
        } else {
            let first = random_mechanism(&mut rng, 7, true);
            two_trees(&first, &random_mechanism(&mut rng, 5, false))
        };
        let robot = scaled(robot, scale);
        let mut s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let mut closures = Vec::new();
        for _ in 0..pairs {
            let ends = [rng.below(12), rng.below(12)];
            let count = 1 + rng.below(3);
            closures.extend(assembled(&mut rng, &model, &s, ends, scale, count));
        }
        for stabilization in [Stabilization::default(), Stabilization { alpha: 10.0, beta: 10.0 }] {
            if LoopClosures::new(&model, closures.clone(), stabilization).is_err() {
                continue; // both ends on one link
            }
            let mut case_of = Case::stabilized(&model, closures.clone(), stabilization);
            let j = case_of.jacobian(&s);
            let mut v = DVector::from_row_slice(&s.v);
            without_rows(&j, &mut v);
            s.v.copy_from_slice(v.as_slice());
            let solved = case_of.solve(&s);
            solved.unwrap_or_else(|e| panic!("case {case} of {pairs} at {scale}: {e}"));
            redundant += usize::from(case_of.memory.dependent_rows().count() > 0);
        }
    }
    assert!(redundant > 500, "{redundant}");
}

/// A door on two hinges, the second of them a closure, about any axis and in motion: nothing is left
/// of the rows but rounding, of whatever size the parts were.
#[test]
fn a_second_hinge_is_redundant_about_any_axis() {
    fn check<T: Real>(axis: [f64; 3], v: f64, rates: f64) {
        let mut builder = TreeBuilder::<T>::new();
        builder.gravity(Vec3::from_f64([0.0, 0.0, -9.81]));
        let inertia = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0].map(T::from_f64);
        let door = BodySpec::new("door", None, Joint::Revolute { axis }).with_inertia(
            T::from_f64(20.0),
            Vec3::from_f64([0.4, 0.1, 0.3]),
            inertia,
        );
        let door = builder.add(door).expect("valid");
        let model = builder.build().expect("valid");
        let z = Vec3::<f64>::from_f64(axis);
        let z = z.scale(z.norm().recip());
        let x = z.cross(Vec3::from_f64([0.3, -0.5, 0.2]));
        let x = x.scale(x.norm().recip());
        let rotation = Mat3::from_rows(x, z.cross(x), z).transpose();
        let frame = Transform::new(rotation, z).cast(T::from_f64);
        let hinge = Closure::Revolute(Attachment::ground(frame), Attachment::on(door, frame));
        let rates = T::from_f64(rates);
        let stabilization = Stabilization { alpha: rates, beta: rates };
        let closures = LoopClosures::new(&model, vec![hinge], stabilization).expect("valid");
        let mut memory = ClosureWorkspace::new(&closures);
        let (mut qdd, mut lambda) = ([T::zero()], [T::zero(); 5]);
        for k in 0..60 {
            let q = [T::from_f64(0.11 * f64::from(k))];
            constrained_dynamics(
                &model,
                &closures,
                &mut Workspace::new(&model),
                &mut memory,
                (&q, &[T::from_f64(v)]),
                &[T::zero()],
                None,
                &mut qdd,
                &mut lambda,
            )
            .unwrap_or_else(|e| panic!("axis {axis:?} v {v} posture {k}: {e}"));
            assert_eq!(memory.dependent_rows().count(), 5);
            assert!(lambda.iter().all(|x| x.lane(0) == 0.0));
            assert_eq!(memory.least_share(), 1.0);
        }
    }
    for axis in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [1.0, 1.0, 1.0]] {
        for v in [0.0, 1e-9, 0.5, 30.0] {
            for rates in [0.0, 10.0] {
                check::<f64>(axis, v, rates);
                check::<f32>(axis, v, rates);
            }
        }
    }
}

/// The parallelogram in any orientation: three dependent rows, and the same accelerations.
#[test]
fn a_tilted_parallelogram_has_three_dependent_rows() {
    let (robot, mut s, _, _) = crate::closures::parallelogram();
    let mut rng = Rng::new(134);
    for case in 0..500 {
        let rpy = rng.vector(3.0);
        let turn = Mat3::<f64>::from_rpy(rpy);
        let mut tilted = robot.clone();
        for i in [0, 2] {
            tilted.bodies[i].rpy = rpy;
            tilted.bodies[i].origin = (turn * Vec3::from_f64(tilted.bodies[i].origin)).to_array();
        }
        tilted.gravity = (turn * Vec3::from_f64(tilted.gravity)).to_array();
        let model = model(&tilted);
        let bodies: Vec<BodyId> = model.topology().bodies().collect();
        let at = |x| Transform::new(Mat3::identity(), Vec3::from_f64([x, 0.0, 0.0]));
        let ends = [Attachment::on(bodies[1], at(2.0)), Attachment::on(bodies[2], at(1.0))];
        let closure = Closure::Revolute(ends[0], ends[1]);
        let rate = [0.0, 0.7, 10.0][case % 3];
        s.v = vec![rate, -rate, rate];
        let mut case_of = Case::new(&model, vec![closure]);
        let (qdd, _) = case_of.solve(&s).unwrap_or_else(|e| panic!("case {case}: {e}"));
        assert_eq!(case_of.memory.dependent_rows().count(), 3, "case {case}");
        let gravity = -9.81 * 1.1_f64.cos() * 3.0;
        let alpha = (2.0 - 1.0 + gravity) / (2.0 * (0.2 + 1.5 * 0.25) + 1.5);
        for (found, truth) in qdd.iter().zip([alpha, -alpha, alpha]) {
            // at 10 rad/s the rows are a hundred times larger
            assert!((found - truth).abs() < 1e-11 * alpha.abs(), "case {case}: {qdd:?} {alpha}");
        }
    }
}

/// The parallelogram stretched out: the row along the bars moves by rounding only, and is dropped.
/// Velocities of which no acceleration comes are a contradiction.
#[test]
fn a_flat_posture_drops_the_row_along_the_bars() {
    let (_, mut s, [a, b], model) = crate::closures::parallelogram();
    let pi = core::f64::consts::PI;
    for q in [[0.0, 0.0, 0.0], [pi, -pi, pi], [-pi, pi, pi]] {
        s.q = q.to_vec();
        for rate in [0.0, 1.0] {
            s.v = vec![rate, -rate, rate];
            let mut case = Case::new(&model, vec![Closure::Revolute(a, b)]);
            let (qdd, _) = case.solve(&s).expect("consistent");
            assert_eq!(case.memory.dependent_rows().count(), 4);
            // what is left: the ends of coupler and rocker rise alike
            let coupler = 2.0 * (qdd[0] + qdd[1]) * (q[0] + q[1]).cos();
            let rises = [qdd[0] * q[0].cos() + coupler, qdd[2] * q[2].cos()];
            assert!((rises[0] - rises[1]).abs() < 1e-9, "{qdd:?}");
            assert!(qdd.iter().all(|x| x.abs() < 100.0), "{qdd:?}");
        }
        // the coupler turns about its first end: its other end rises with the rocker's, but is pulled
        // to the first one
        s.v = vec![0.0, 1.0, 2.0 * (q[0] + q[1]).cos() / q[2].cos()];
        let error = Case::new(&model, vec![Closure::Revolute(a, b)]).solve(&s);
        let error = error.expect_err("no acceleration");
        assert!(matches!(error, ClosureError::Inconsistent { .. }), "{error}");
    }
}

/// A second bar beside the first that drifted off: refused, or let pass.
#[test]
fn what_drifted_is_tolerated_on_request() {
    let (_, s, [a, b], model) = crate::closures::parallelogram();
    let elsewhere = Attachment {
        frame: Transform::new(Mat3::identity(), Vec3::from_f64([1.0 + 1e-3, 0.0, 0.0])),
        ..b
    };
    let pins = vec![Closure::Spherical(a, b), Closure::Spherical(a, elsewhere)];
    let stabilization = Stabilization { alpha: 10.0, beta: 10.0 };
    let mut case = Case::stabilized(&model, pins, stabilization);
    let error = case.solve(&s).expect_err("a contradiction of 0.1 m/s²");
    assert!(error.to_string().contains("tolerate"), "{error}");
    case.closures.tolerate(1.0);
    let (qdd, _) = case.solve(&s).expect("tolerated");
    let left = case.memory.acceleration_residuals().fold(0.0_f64, |m, x| m.max(x.abs()));
    // β² times a millimetre, and what the bars have of it in their directions
    assert!((0.01..1.0).contains(&left), "{left}");
    assert!(qdd.iter().all(|x| x.is_finite()));
}

/// A pin beside the first, 1e-5 m off: two pins hold the bars, one that drifted does not.
#[test]
fn a_row_that_drifted_is_dropped_on_request() {
    let (_, mut s, [a, b], model) = crate::closures::parallelogram();
    s.v.fill(0.0);
    let beside = |x: Attachment<f64>| Attachment {
        frame: Transform::new(
            Mat3::identity(),
            x.frame.translation + Vec3::from_f64([1e-5, 0.0, 0.0]),
        ),
        ..x
    };
    let rank_of = |closures: Vec<Closure<f64>>, drift: f64| {
        let mut case = Case::new(&model, closures);
        case.closures.tolerate(1.0);
        case.closures.set_drift(drift);
        let (qdd, _) = case.solve(&s).expect("tolerated");
        (case.closures.rows() - case.memory.dependent_rows().count(), qdd)
    };
    let pin = Closure::Spherical(a, b);
    let pins = vec![pin, Closure::Spherical(beside(a), beside(b))];
    let (expected, moves) = rank_of(vec![pin], 0.0);
    assert_eq!(rank_of(pins.clone(), 0.0).0, expected + 1);
    let (rank, qdd) = rank_of(pins, 1e-3);
    assert_eq!(rank, expected);
    for (found, expected) in qdd.iter().zip(&moves) {
        assert!((found - expected).abs() < 1e-3 * (1.0 + expected.abs()), "{qdd:?} {moves:?}");
    }
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
