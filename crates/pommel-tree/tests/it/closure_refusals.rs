//! Closures that are refused, and the memory of those that are not.

use pommel_math::{Mat3, Transform, Vec3};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint};
use pommel_tree::{
    Attachment, BodyId, Closure, ClosureError, ClosureQuantity, LoopClosures, Stabilization,
    TreeError, Workspace,
};

use crate::closures::{Case, parallelogram, random_frame};
use crate::common::{State, model, random_state, wrenches};

/// A second closure that asks for another distance contradicts the first.
#[test]
fn contradicting_closures_are_an_error_that_names_them() {
    let (_, s, [a, b], model) = parallelogram();
    let elsewhere = Attachment {
        frame: Transform::new(Mat3::identity(), Vec3::from_f64([1.0, 0.3, 0.0])),
        ..b
    };
    let pins = vec![Closure::Spherical(a, b), Closure::Spherical(a, elsewhere)];
    let error = Case::new(&model, pins).solve(&s).expect_err("a contradiction");
    let ClosureError::Inconsistent { closure, residual, limit, .. } = &error else {
        panic!("{error}");
    };
    assert!(*closure < 2 && residual > limit, "{error}");
    assert!(error.to_string().contains("contradicts"), "{error}");
}

/// A clone has the bits and the room of its original.
#[test]
fn a_clone_of_the_memory_serves_as_well() {
    let mut rng = Rng::new(98);
    let robot = crate::common::dh_chain(12, true, 4);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let frame = |rng: &mut Rng| random_frame(rng);
    let closures = vec![
        Closure::Weld(
            Attachment::on(bodies[2], frame(&mut rng)),
            Attachment::on(bodies[11], frame(&mut rng)),
        ),
        Closure::Spherical(
            Attachment::on(bodies[5], frame(&mut rng)),
            Attachment::ground(frame(&mut rng)),
        ),
    ];
    let mut case = Case::new(&model, closures);
    let fresh = case.memory.clone();
    let truth = case.solve(&s).expect("regular");
    let used = case.memory.clone();
    for memory in [fresh, used] {
        case.memory = memory;
        let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; 9]);
        let external = wrenches(&s.wrenches);
        let (result, allocations) = pommel_testkit::count_allocations(|| {
            case.solve_into(&s, Some(&external), &mut qdd, &mut lambda)
        });
        result.expect("regular");
        assert_eq!((allocations, (qdd, lambda)), (0, truth.clone()));
    }
}

/// Closures of a chain on a tree with as many links.
#[test]
#[should_panic(expected = "the closures were made for another model")]
fn closures_of_another_tree_are_refused() {
    let z = RobotJoint::Revolute([0.0, 0.0, 1.0]);
    let bar = |parent| {
        RobotBody::new(parent, z).placed([0.1, 0.2, 0.3], [1.0, 0.0, 0.0]).with_inertia(
            1.5,
            [0.5, 0.0, 0.0],
            [0.01, 0.2, 0.2, 0.0, 0.0, 0.0],
        )
    };
    let robot = |parents: [Option<usize>; 3]| Robot {
        bodies: parents.into_iter().map(bar).collect(),
        gravity: [0.0; 3],
    };
    let (chain, tree) =
        (model(&robot([None, Some(0), Some(1)])), model(&robot([None, Some(0), Some(0)])));
    let bodies: Vec<BodyId> = chain.topology().bodies().collect();
    let identity = Transform::identity();
    let closure = Closure::Spherical(
        Attachment::on(bodies[0], identity),
        Attachment::on(bodies[2], identity),
    );
    let mut case = Case::new(&chain, vec![closure]);
    case.model = &tree;
    case.ws = Workspace::new(&tree);
    let s = random_state(&mut Rng::new(1), &robot([None, Some(0), Some(0)]));
    let _ = case.solve(&s);
}

#[test]
fn closures_that_cannot_be_are_refused() {
    let (_, _, [a, b], model) = parallelogram();
    let made = |closure, alpha, beta| {
        let stabilization = Stabilization { alpha, beta };
        LoopClosures::new(&model, vec![closure], stabilization).expect_err("refused")
    };
    let pin = Closure::Spherical(a, b);
    for (alpha, beta) in [(-1.0, 0.0), (0.0, f64::NAN), (f64::INFINITY, 0.0)] {
        assert_eq!(made(pin, alpha, beta), ClosureError::InvalidStabilization);
    }
    let invalid = |closure, quantity| {
        assert_eq!(made(closure, 0.0, 0.0), ClosureError::Invalid { closure: 0, quantity });
    };
    for length in [0.0, -2.0, f64::NAN] {
        invalid(Closure::Distance(a, b, length), ClosureQuantity::Distance);
    }
    let mut wrong = a;
    wrong.frame.translation.x = f64::NAN;
    invalid(Closure::Spherical(wrong, b), ClosureQuantity::Frame);
    let mut mirrored = a;
    mirrored.frame.rotation.z = -mirrored.frame.rotation.z;
    invalid(Closure::Weld(mirrored, b), ClosureQuantity::Rotation);
    let gear = Closure::Gear { a: 0, b: 1, ratio: f64::NAN, offset: 0.0 };
    invalid(gear, ClosureQuantity::Gear);
    let gear = Closure::Gear { a: 1, b: 1, ratio: 1.0, offset: 0.0 };
    assert_eq!(made(gear, 0.0, 0.0), ClosureError::SameVelocity { closure: 0, velocity: 1 });
}

#[test]
fn closures_that_close_nothing_are_refused() {
    let (_, _, [a, _], model) = parallelogram();
    let none = Stabilization::default();
    let same = LoopClosures::new(&model, vec![Closure::Spherical(a, a)], none);
    assert_eq!(same.expect_err("same link"), ClosureError::SameLink { closure: 0 });
    let gear = Closure::Gear { a: 0, b: 9, ratio: 1.0, offset: 0.0 };
    let wrong = LoopClosures::new(&model, vec![gear], none).expect_err("no such velocity");
    assert_eq!(wrong, ClosureError::NotOneCoordinate { closure: 0, velocity: 9 });
}

#[test]
fn nothing_is_allocated() {
    let mut rng = Rng::new(97);
    let robot = crate::common::dh_chain(12, true, 4);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let closure = Closure::Weld(
        Attachment::on(bodies[2], random_frame(&mut rng)),
        Attachment::on(bodies[11], random_frame(&mut rng)),
    );
    let mut case = Case::new(&model, vec![closure]);
    let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; 6]);
    let (result, allocations) =
        pommel_testkit::count_allocations(|| case.solve_into(&s, None, &mut qdd, &mut lambda));
    result.expect("regular");
    assert_eq!(allocations, 0);
}

/// Numbers that are none, and a distance between coincident points: an error that says where, and no
/// number in the outputs.
#[test]
fn what_is_no_number_is_an_error_and_leaves_none() {
    let (_, s, [a, b], model) = parallelogram();
    let attempt = |closure: Closure<f64>, s: &State| {
        let mut case = Case::new(&model, vec![closure]);
        let (mut qdd, mut lambda) = (vec![0.0; 3], vec![0.0; case.closures.rows()]);
        let error = case.solve_into(s, None, &mut qdd, &mut lambda).expect_err("no number");
        assert!(qdd.iter().chain(&lambda).all(|x| x.is_nan()), "{error}");
        error
    };
    for bad in [f64::NAN, f64::INFINITY] {
        for k in 0..3 {
            let mut wrong = s.clone();
            wrong.q[k] = bad;
            let error = attempt(Closure::Revolute(a, b), &wrong);
            let ClosureError::Tree(TreeError::PositionNotFinite { position, body, .. }) = &error
            else {
                panic!("{error}")
            };
            assert_eq!((*position, body.as_str()), (k, &*format!("body{k}")));
            let mut wrong = s.clone();
            wrong.v[k] = bad;
            let error = attempt(Closure::Revolute(a, b), &wrong);
            assert!(matches!(error, ClosureError::NotFinite { closure: 0, .. }), "{error}");
            let mut wrong = s.clone();
            wrong.tau[k] = bad;
            let error = attempt(Closure::Revolute(a, b), &wrong);
            let known = matches!(
                error,
                ClosureError::NotFinite { closure: 0, .. }
                    | ClosureError::Tree(TreeError::AccelerationNotFinite { .. })
            );
            assert!(known, "{error}");
        }
    }
    let error = attempt(Closure::Distance(a, b, 1.0), &s);
    assert_eq!(error, ClosureError::NotFinite { closure: 0, row: 0 });
}
