//! Any body at the root.

use pommel_math::{Dual, Lanes, Quaternion, Real, Vec3, Wrench};
use pommel_testkit::{
    Rng, Robot, RobotBody, RobotJoint, count_allocations, random_mechanism, relative_error,
};
use pommel_tree::{
    BodyAcceleration, BodyId, BodyMotion, Elimination, Model, Obstacle, TreeError, Workspace,
    forward_accelerations, forward_dynamics, forward_kinematics, inverse_dynamics,
};

use crate::common::{
    State, builder, dh_chain, lift, model, model_towards_free_body, random_state, two_trees,
    wrenches,
};

fn accelerations<T: Real>(model: &Model<T>, s: &State, external: bool) -> Vec<T> {
    let mut qdd = vec![T::zero(); model.nv()];
    let list = wrenches::<T>(&s.wrenches);
    let list = external.then_some(&list[..]);
    let (q, v, tau) = (lift::<T>(&s.q), lift::<T>(&s.v), lift::<T>(&s.tau));
    forward_dynamics(model, &mut Workspace::new(model), &q, &v, &tau, list, &mut qdd)
        .expect("regular");
    qdd
}

fn body(model: &Model<f64>, i: usize) -> BodyId {
    model.topology().bodies().nth(i).expect("a body")
}

/// Random free mechanisms without what keeps a body from being a root.
fn free_mechanism(rng: &mut Rng, bodies: usize) -> Robot {
    let mut robot = random_mechanism(rng, bodies, true);
    for body in &mut robot.bodies {
        if body.joint == RobotJoint::Spherical {
            body.armature = [0.0; 6];
        }
        body.rotor = None;
        if body.parent.is_none() && body.joint != RobotJoint::Free {
            body.parent = Some(0);
        }
    }
    robot
}

/// Rounding of up to 15 joints of mass ratios up to ten, eliminated in two orders.
const TOLERANCE: f64 = 2e-12;

#[test]
fn elimination_towards_any_body_gives_the_same_accelerations() {
    let mut rng = Rng::new(91);
    let mut spherical = 0;
    for case in 0..200 {
        let robot = free_mechanism(&mut rng, 2 + case % 14);
        let s = random_state(&mut rng, &robot);
        let usual = model_towards_free_body(&robot);
        assert_eq!(usual.elimination_roots().count(), 0);
        let external = case % 3 != 0;
        let truth = accelerations(&usual, &s, external);
        for i in 1..robot.bodies.len() {
            let root = body(&usual, i);
            let mut other = builder(&robot);
            other.eliminate_towards(Elimination::Body(root));
            let other = other.build().expect("any body can be the root");
            assert!(other.elimination_roots().eq([root]));
            let found = accelerations(&other, &s, external);
            let error = relative_error(&found, &truth);
            assert!(error < TOLERANCE, "case {case}, body {i}: {error:.1e}");
        }
        spherical += robot.bodies.iter().filter(|b| b.joint == RobotJoint::Spherical).count();
    }
    assert!(spherical > 50, "only {spherical} spherical joints were met");
}

/// A balanced wheel on some body.
fn with_wheel(rng: &mut Rng, mut robot: Robot) -> Robot {
    let wheel =
        RobotBody::new(Some(rng.below(robot.bodies.len())), RobotJoint::Revolute([0.0, 0.0, 1.0]))
            .placed(rng.vector(2.0), rng.vector(0.4))
            .with_inertia(1.0, [0.0, 0.0, 0.3], [0.2, 0.2, 0.3, 0.0, 0.0, 0.0]);
    robot.bodies.push(wheel);
    robot
}

/// Two free trees in one world, each with a wheel and a heavy tip: both are eliminated towards their
/// tips, or one towards any of its bodies, wheels among them.
#[test]
fn each_of_two_trees_has_its_own_root() {
    let mut rng = Rng::new(99);
    for case in 0..60 {
        let tree = |rng: &mut Rng, n| {
            let mut robot = free_mechanism(rng, n);
            let last = robot.bodies.last_mut().expect("not empty");
            if last.joint == RobotJoint::Fixed {
                last.joint = RobotJoint::Prismatic([0.0, 0.6, -0.8]);
            }
            last.mass *= 100.0;
            last.inertia = last.inertia.map(|x| x * 100.0);
            with_wheel(rng, robot)
        };
        let first = tree(&mut rng, 2 + case % 5);
        let robot = two_trees(&first, &tree(&mut rng, 2 + case % 7));
        let s = random_state(&mut rng, &robot);
        let usual = model_towards_free_body(&robot);
        let truth = accelerations(&usual, &s, true);
        let compare = |model: &Model<f64>, what: &str| {
            let error = relative_error(&accelerations(model, &s, true), &truth);
            // the tips are a hundred times heavier: digits are lost towards the bases
            assert!(error < 10.0 * TOLERANCE, "case {case} {what}: {error:.1e}");
        };
        let heaviest = model(&robot);
        let tips = [first.bodies.len() - 2, robot.bodies.len() - 2].map(|i| body(&usual, i));
        assert!(heaviest.elimination_roots().eq(tips), "case {case}");
        compare(&heaviest, "heaviest");
        for i in 0..robot.bodies.len() {
            let mut other = builder(&robot);
            other.eliminate_towards(Elimination::Body(body(&usual, i)));
            compare(&other.build().expect("any body can be the root"), &format!("body {i}"));
        }
    }
}

/// The same input that the usual way refuses, with the same error.
#[test]
fn what_is_no_number_is_refused_by_way_of_another_root() {
    let robot = heavy_target(1e3);
    let (heaviest, usual) = (model(&robot), model_towards_free_body(&robot));
    assert_eq!(heaviest.elimination_roots().count(), 1);
    let s = random_state(&mut Rng::new(100), &robot);
    let attempt = |model: &Model<f64>, q: &[f64], v: &[f64], tau: &[f64]| {
        let mut qdd = vec![0.0; model.nv()];
        let result = forward_dynamics(model, &mut Workspace::new(model), q, v, tau, None, &mut qdd);
        assert!(qdd.iter().all(|x| x.is_nan()), "{result:?}");
        result.expect_err("no number")
    };
    for bad in [f64::NAN, f64::INFINITY] {
        for list in 0..3 {
            for k in 0..[robot.bodies.len() + 6, 13, 13][list] {
                let mut lists = [s.q.clone(), s.v.clone(), s.tau.clone()];
                lists[list][k] = bad;
                let [q, v, tau] = &lists;
                // where a robot is does not matter to its accelerations
                if list == 0 && k < 3 || list == 1 && (3..6).contains(&k) {
                    continue;
                }
                let found = attempt(&heaviest, q, v, tau);
                let truth = attempt(&usual, q, v, tau);
                if list == 0 {
                    let TreeError::PositionNotFinite { position, .. } = &found else {
                        panic!("position {k}: {found}")
                    };
                    assert_eq!((*position, &found), (k, &truth));
                }
                assert_eq!(
                    core::mem::discriminant(&found),
                    core::mem::discriminant(&truth),
                    "list {list} entry {k}: {found} / {truth}"
                );
            }
        }
    }
}

/// One lane of four fails by way of another root: it is named, and the others keep their bits.
#[test]
fn a_lane_that_fails_by_way_of_another_root_is_named() {
    let robot = heavy_target(1e3);
    let single = model(&robot);
    let s = random_state(&mut Rng::new(101), &robot);
    let alone = accelerations(&single, &s, false);
    let wide = single.cast::<Lanes<4>>();
    let mut q = lift::<Lanes<4>>(&s.q);
    let last = q.len() - 1;
    q[last] = Lanes::from_lanes(|i| if i == 2 { f64::NAN } else { s.q[last] });
    let mut qdd = vec![Lanes::<4>::zero(); wide.nv()];
    let (v, tau) = (lift(&s.v), lift(&s.tau));
    let mut ws = Workspace::new(&wide);
    let error = forward_dynamics(&wide, &mut ws, &q, &v, &tau, None, &mut qdd).expect_err("lane 2");
    let TreeError::PositionNotFinite { lanes, .. } = &error else { panic!("{error}") };
    assert_eq!(lanes.bits(), 0b0100, "{error}");
    for lane in [0, 1, 3] {
        assert!(qdd.iter().zip(&alone).all(|(a, b)| a.lane(lane).to_bits() == b.to_bits()));
    }
}

/// Motion of a body's origin as the state of a free joint; placement, then angular and linear
/// velocity.
fn as_free(motion: &BodyMotion<f64>, centre: Vec3<f64>) -> ([f64; 7], [f64; 6]) {
    let rotation = motion.placement.rotation;
    let p = motion.placement.translation;
    let q = Quaternion::from_rotation(rotation);
    let w = motion.angular_velocity;
    let v = motion.velocity - w.cross(rotation * centre);
    ([p.x, p.y, p.z, q.w, q.x, q.y, q.z], [w.x, w.y, w.z, v.x, v.y, v.z])
}

/// Saha's form: the twist of another body is the generalized speed. Joint accelerations and the
/// accelerations of all bodies are those of the form with the base twist.
#[test]
fn the_twist_of_any_body_can_be_the_generalized_speed() {
    let mut rng = Rng::new(92);
    for case in 0..100 {
        let robot = free_mechanism(&mut rng, 2 + case % 12);
        let i = 1 + rng.below(robot.bodies.len() - 1);
        let base = model(&robot);
        let root = body(&base, i);
        let other = builder(&robot).build_with_root(root).expect("any body can be the root");
        let s = random_state(&mut rng, &robot);
        let mut t = s.clone();
        // the state of the free joint is that of the other body
        let mut motions = vec![BodyMotion::default(); base.body_count()];
        forward_kinematics(&base, &mut Workspace::new(&base), &s.q, &s.v, &mut motions);
        let (q, v) = as_free(&motions[i], base.centre_of_mass(root));
        t.q[..7].copy_from_slice(&q);
        t.v[..6].copy_from_slice(&v);
        // the wrench on the free joint becomes one on the first body, about its mass centre
        t.tau[..6].fill(0.0);
        let arm = motions[0].centre - motions[0].placement.translation;
        let force = Vec3::from_slice(&s.tau[3..]);
        let moment = Vec3::from_slice(&s.tau) - arm.cross(force);
        for k in 0..3 {
            t.wrenches[0][k] += moment.to_array()[k];
            t.wrenches[0][3 + k] += force.to_array()[k];
        }
        // spherical joints between are described from the other side
        let mut path = Vec::new();
        let mut at = Some(i);
        while let Some(k) = at {
            path.push(k);
            at = robot.bodies[k].parent;
        }
        for &k in path.iter().filter(|&&k| robot.bodies[k].joint == RobotJoint::Spherical) {
            let (q, v) = robot.coordinates(k);
            let rotation = Quaternion::from_slice(&s.q[q.start..]).rotation();
            for x in &mut t.q[q.start + 1..q.end] {
                *x = -*x;
            }
            for list in [&mut t.v, &mut t.tau] {
                let turned = -(rotation * Vec3::from_slice(&list[v.start..]));
                turned.write_to(&mut list[v.start..]);
            }
        }
        let truth = bodies(&base, &s.q, &s.v, &accelerations(&base, &s, true));
        let found = bodies(&other, &t.q, &t.v, &accelerations(&other, &t, true));
        let error = relative_error(&found, &truth);
        assert!(error < TOLERANCE, "case {case}: {error:.1e}");
        // and back by inverse dynamics of the other form
        let qdd = accelerations(&other, &t, true);
        let mut tau = vec![0.0; other.nv()];
        let list = wrenches(&t.wrenches);
        let mut ws = Workspace::new(&other);
        inverse_dynamics(&other, &mut ws, &t.q, &t.v, &qdd, Some(&list), &mut tau);
        let scale = s.tau.iter().fold(1e3, |m: f64, x| m.max(x.abs()));
        let error = tau.iter().zip(&t.tau).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-11 * scale, "case {case}: {error:.1e}");
    }
}

/// Angular and linear accelerations of all bodies.
fn bodies(model: &Model<f64>, q: &[f64], v: &[f64], qdd: &[f64]) -> Vec<f64> {
    let mut list = vec![BodyAcceleration::default(); model.body_count()];
    forward_accelerations(model, &mut Workspace::new(model), q, v, qdd, &mut list);
    list.iter().flat_map(|b| [b.angular.to_array(), b.linear.to_array()].concat()).collect()
}

/// A light chaser has caught a target with an arm of seven joints.
fn heavy_target(mass: f64) -> Robot {
    let mut robot = dh_chain(7, true, 5);
    robot.gravity = [0.0; 3];
    let last = &mut robot.bodies[7];
    last.mass = mass;
    last.inertia = [3.0, 4.0, 5.0, 0.01, -0.02, 0.03].map(|x| x * mass);
    robot
}

/// The joint accelerations in single precision against double precision: the digits that are lost
/// there are lost in double precision, too.
#[test]
fn the_heaviest_body_is_the_root_by_default_and_keeps_the_digits() {
    let robot = heavy_target(1e3);
    let by_default = model(&robot);
    assert!(by_default.elimination_roots().eq([body(&by_default, 7)]));
    let usual = model_towards_free_body(&robot);
    let mut rng = Rng::new(93);
    let (mut best, mut worst) = (0.0_f64, 0.0_f64);
    for _ in 0..50 {
        let s = random_state(&mut rng, &robot);
        let truth = accelerations(&by_default, &s, false);
        let error = |model: &Model<f64>| {
            let found = accelerations(&model.cast::<f32>(), &s, false);
            let found: Vec<f64> = found.iter().map(|&x| f64::from(x)).collect();
            relative_error(&found[6..], &truth[6..])
        };
        best = best.max(error(&by_default));
        worst = worst.max(error(&usual));
    }
    // a hundred roundings of single precision
    assert!(best < 1e-5, "{best:.1e}");
    assert!(worst > 10.0 * best, "the rule would not be worth it: {worst:.1e} and {best:.1e}");
    // a base that is not ten times lighter than all others stays the root
    let even = model(&dh_chain(7, true, 5));
    assert_eq!(even.elimination_roots().count(), 0);
}

#[test]
fn lanes_and_dual_numbers_go_by_way_of_another_root() {
    let robot = heavy_target(1e5);
    let single = model(&robot);
    let mut rng = Rng::new(94);
    let s = random_state(&mut rng, &robot);
    let alone = accelerations(&single, &s, true);
    let wide = accelerations(&single.cast::<Lanes<4>>(), &s, true);
    for (a, b) in alone.iter().zip(&wide) {
        assert!((0..4).all(|lane| b.lane(lane).to_bits() == a.to_bits()));
    }
    // ∂q̈/∂τ is a column of the inverse inertia matrix, here by Cholesky
    let dual = single.cast::<Dual<1>>();
    let tau: Vec<Dual<1>> = (s.tau.iter().enumerate())
        .map(|(i, &x)| if i == 6 { Dual::variable(x, 0) } else { Dual::from_f64(x) })
        .collect();
    let mut qdd = vec![Dual::zero(); dual.nv()];
    let (q, v) = (lift(&s.q), lift(&s.v));
    let mut ws = Workspace::new(&dual);
    forward_dynamics(&dual, &mut ws, &q, &v, &tau, None, &mut qdd).expect("regular");
    let found: Vec<f64> = qdd.iter().map(|x| x.gradient()[0]).collect();
    let mass_matrix = robot.terms(&s.q, &s.v, None).mass_matrix;
    let mut unit = nalgebra::DVector::zeros(single.nv());
    unit[6] = 1.0;
    let truth = mass_matrix.cholesky().expect("positive definite").solve(&unit);
    // the dense matrix loses the digits of a mass ratio of 1e5
    let error = relative_error(&found, truth.as_slice());
    assert!(error < 1e-9, "{error:.1e}");
}

#[test]
fn instances_side_by_side_need_one_root() {
    let heavy = heavy_target(1e5);
    let even = dh_chain(7, true, 5);
    let models = [model(&heavy), model(&even)];
    let pack = |a: &Model<f64>, b: &Model<f64>| Model::pack::<Lanes<2>>(&[a, b]).map(|_| ());
    let different = Err(TreeError::DifferentTopology { instance: 1 });
    assert_eq!(pack(&models[0], &models[1]), different);
    assert_eq!(pack(&models[1], &models[0]), different);
    let towards = |robot: &Robot| {
        let mut builder = builder(robot);
        builder.eliminate_towards(Elimination::Body(body(&models[0], 7)));
        builder.build().expect("valid")
    };
    let both = [towards(&heavy), towards(&even)];
    let packed = Model::pack::<Lanes<2>>(&[&both[0], &both[1]]).expect("one root");
    let s = random_state(&mut Rng::new(95), &heavy);
    let wide = accelerations(&packed, &s, true);
    for (lane, model) in both.iter().enumerate() {
        let alone = accelerations(model, &s, true);
        assert!(wide.iter().zip(&alone).all(|(a, b)| a.lane(lane).to_bits() == b.to_bits()));
    }
}

#[test]
fn what_cannot_be_a_root_is_refused() {
    let mut rng = Rng::new(96);
    let refused = |robot: &Robot, i: usize, obstacle: Obstacle| {
        let root = body(&model(robot), i);
        let error = builder(robot).build_with_root(root).expect_err("no root");
        assert!(
            matches!(&error, TreeError::NotARoot { obstacle: o, .. } if *o == obstacle),
            "{error}"
        );
        let mut builder = builder(robot);
        builder.eliminate_towards(Elimination::Body(root));
        assert_eq!(builder.build().expect_err("no root"), error);
        error.to_string()
    };
    let text = refused(&dh_chain(4, false, 1), 3, Obstacle::Ground);
    assert!(text.contains("'body3'") && text.contains("'body0'"), "{text}");
    let mut geared = heavy_target(1e5);
    geared.bodies[3].rotor =
        Some(pommel_testkit::RobotRotor { inertia: 1e-3, ratio: 50.0, axis: [0.0, 0.0, 1.0] });
    let text = refused(&geared, 7, Obstacle::Rotor);
    assert!(text.contains("'body3'"), "{text}");
    // the rule then leaves the free body at the root
    assert_eq!(model(&geared).elimination_roots().count(), 0);
    let mut stiff = heavy_target(1e5);
    stiff.bodies[2].joint = RobotJoint::Spherical;
    stiff.bodies[2].armature = [0.1, 0.2, 0.3, 0.0, 0.0, 0.0];
    refused(&stiff, 7, Obstacle::Armature);
    // bodies of another tree do not exist here
    let many = model(&random_mechanism(&mut rng, 12, true));
    let unknown = builder(&heavy_target(1e5)).build_with_root(body(&many, 11));
    assert_eq!(unknown.expect_err("none"), TreeError::UnknownBody { index: 11, bodies: 8 });
}

#[test]
fn the_way_by_another_root_does_not_allocate() {
    let robot = heavy_target(1e5);
    let s = random_state(&mut Rng::new(97), &robot);
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let mut qdd = vec![0.0; model.nv()];
    let list: Vec<Wrench<f64>> = wrenches(&s.wrenches);
    let ((), allocations) = count_allocations(|| {
        forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, Some(&list), &mut qdd)
            .expect("regular");
    });
    assert_eq!(allocations, 0);
}

/// A workspace remembers where the elimination of its model went: links that were carried there
/// would be taken for tips.
#[test]
#[should_panic(expected = "the workspace is that of another topology")]
fn a_workspace_of_another_root_is_refused() {
    let robot = heavy_target(1e5);
    let towards = |i: usize| {
        let mut builder = builder(&robot);
        builder.eliminate_towards(Elimination::Body(body(&model(&robot), i)));
        builder.build().expect("valid")
    };
    let (a, b) = (towards(7), towards(3));
    let s = random_state(&mut Rng::new(98), &robot);
    let mut qdd = vec![0.0; a.nv()];
    let _ = forward_dynamics(&b, &mut Workspace::new(&a), &s.q, &s.v, &s.tau, None, &mut qdd);
}

#[test]
fn the_free_body_as_elimination_root_is_no_detour() {
    let robot = heavy_target(1e5);
    let mut builder = builder(&robot);
    builder.eliminate_towards(Elimination::Body(body(&model(&robot), 0)));
    assert_eq!(builder.build().expect("valid").elimination_roots().count(), 0);
}
