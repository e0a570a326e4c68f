//! What cannot be solved or built says so.

use pommel_math::{Lanes, Mask, Real, Vec3};
use pommel_tree::{
    BodySpec, Joint, Model, Quantity, TreeBuilder, TreeError, Workspace, forward_dynamics,
};

const Z: Joint = Joint::Revolute { axis: [0.0, 0.0, 1.0] };

fn arm(tip_mass: f64) -> Model<f64> {
    let mut builder = TreeBuilder::new();
    let x = Vec3::from_f64([1.0, 0.0, 0.0]);
    let first = BodySpec::new("upper", None, Z).with_inertia(1.0, x, [0.1; 6].map(|i| i * 0.5));
    let upper = builder.add(first).expect("valid");
    let mut tip = BodySpec::new("tip", Some(upper), Z).with_inertia(tip_mass, x, [0.0; 6]);
    tip.in_parent.translation = x;
    builder.add(tip).expect("valid");
    builder.build().expect("valid")
}

#[test]
fn a_massless_tip_is_named() {
    let model = arm(0.0);
    let mut qdd = [0.0; 2];
    let error = forward_dynamics(
        &model,
        &mut Workspace::new(&model),
        &[0.1; 2],
        &[0.0; 2],
        &[0.0; 2],
        None,
        &mut qdd,
    )
    .expect_err("nothing to accelerate");
    let TreeError::SingularPivot { body, pivot, lanes, .. } = &error else { panic!("{error}") };
    assert_eq!((body.as_str(), *pivot, *lanes), ("tip", 0.0, Mask::all(1)));
    assert!(qdd.iter().all(|x| x.is_nan()));
    assert!(error.to_string().contains("'tip' (velocity 0) feels no inertia"), "{error}");
}

#[test]
fn a_lane_that_fails_leaves_the_others_valid() {
    let models = [arm(1.0), arm(0.0), arm(2.0), arm(3.0)];
    let packed = Model::pack::<Lanes<4>>(&models.iter().collect::<Vec<_>>()).expect("same arms");
    let x = [Lanes::from_f64(0.4); 2];
    let mut qdd = [Lanes::default(); 2];
    let error = forward_dynamics(&packed, &mut Workspace::new(&packed), &x, &x, &x, None, &mut qdd)
        .expect_err("lane 1 has a massless tip");
    let TreeError::SingularPivot { lanes, .. } = error else { panic!("{error}") };
    assert_eq!(lanes.bits(), 0b0010);
    for lane in [0, 2, 3] {
        let x = [0.4; 2];
        let mut alone = [0.0; 2];
        let model = &models[lane];
        forward_dynamics(model, &mut Workspace::new(model), &x, &x, &x, None, &mut alone)
            .expect("regular");
        assert_eq!([qdd[0].lane(lane), qdd[1].lane(lane)], alone);
    }
    assert!(qdd.iter().all(|x| x.lane(1).is_nan()));
}

/// A massless body inside a branch is no fault: what hangs on it has mass.
#[test]
fn a_massless_body_inside_is_solved() {
    let mut builder = TreeBuilder::<f64>::new();
    let hinge = BodySpec::new("hinge", None, Joint::Revolute { axis: [1.0, 0.0, 0.0] });
    let hinge = builder.add(hinge).expect("valid");
    let rod = BodySpec::new("rod", Some(hinge), Joint::Revolute { axis: [0.0, 1.0, 0.0] })
        .with_inertia(1.0, Vec3::from_f64([0.2, 0.1, 0.5]), [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
    builder.add(rod).expect("valid");
    let model = builder.build().expect("valid");
    let mut qdd = [0.0; 2];
    forward_dynamics(
        &model,
        &mut Workspace::new(&model),
        &[0.3, 0.2],
        &[1.0, 2.0],
        &[0.5, 0.1],
        None,
        &mut qdd,
    )
    .expect("the rod gives both joints inertia");
    assert!(qdd.iter().all(|x| x.is_finite()));
}

/// An antiparallel axis carries only rounding errors of inertia: sin π is not quite zero.
#[test]
fn inertia_that_is_rounding_only_counts_as_none() {
    let mut builder = TreeBuilder::<f64>::new();
    let massless = builder.add(BodySpec::new("massless", None, Z)).expect("valid");
    let mut wheel = BodySpec::new("wheel", Some(massless), Z).with_inertia(
        1.0,
        Vec3::zero(),
        [0.5, 0.5, 1.0, 0.0, 0.0, 0.0],
    );
    wheel.in_parent.rotation = pommel_math::Mat3::from_rpy([std::f64::consts::PI, 0.0, 0.0]);
    builder.add(wheel).expect("valid");
    let model = builder.build().expect("valid");
    let mut qdd = [0.0; 2];
    let error = forward_dynamics(
        &model,
        &mut Workspace::new(&model),
        &[0.3; 2],
        &[0.0; 2],
        &[1.0; 2],
        None,
        &mut qdd,
    )
    .expect_err("two joints about one axis with one inertia");
    assert!(matches!(error, TreeError::SingularPivot { ref body, .. } if body == "massless"));
}

#[test]
fn the_builder_refuses_what_makes_no_tree() {
    let mut builder = TreeBuilder::<f64>::new();
    let zero = BodySpec::new("a", None, Joint::Revolute { axis: [0.0; 3] });
    assert_eq!(builder.add(zero), Err(TreeError::ZeroAxis { body: "a".into() }));
    let nan = BodySpec::new("b", None, Joint::Prismatic { axis: [f64::NAN, 0.0, 1.0] });
    assert_eq!(builder.add(nan), Err(TreeError::ZeroAxis { body: "b".into() }));

    let base = builder.add(BodySpec::new("base", None, Joint::Free)).expect("valid");
    let second = BodySpec::new("second", Some(base), Joint::Free);
    let error = builder.add(second).expect_err("a free joint inside the tree");
    assert_eq!(error, TreeError::FreeJointNotOnGround { body: "second".into() });

    let heavy =
        BodySpec::new("heavy", Some(base), Z).with_inertia(f64::INFINITY, Vec3::zero(), [1.0; 6]);
    let quantity = Quantity::Inertia;
    assert_eq!(builder.add(heavy), Err(TreeError::NotFinite { body: "heavy".into(), quantity }));

    let mut other = TreeBuilder::<f64>::new();
    let stray = BodySpec::new("stray", Some(base), Z);
    let error = other.add(stray).expect_err("the parent belongs to another builder");
    assert_eq!(error, TreeError::UnknownParent { body: "stray".into(), parent: 0, bodies: 0 });
}

#[test]
fn coordinates_may_be_permuted_but_not_shared() {
    let build = |first: (usize, usize), second: (usize, usize)| {
        let mut builder = TreeBuilder::<f64>::new();
        let mut a = BodySpec::new("a", None, Z).with_inertia(1.0, Vec3::zero(), [1.0; 6]);
        a.coordinates = Some(first);
        let a = builder.add(a).expect("valid");
        let mut b = BodySpec::new("b", Some(a), Joint::Prismatic { axis: [1.0, 0.0, 0.0] })
            .with_inertia(2.0, Vec3::zero(), [1.0; 6]);
        b.coordinates = Some(second);
        builder.add(b).expect("valid");
        builder.build()
    };
    let solve = |model: &Model<f64>, x: [f64; 2]| {
        let mut qdd = [0.0; 2];
        forward_dynamics(model, &mut Workspace::new(model), &x, &x, &x, None, &mut qdd)
            .expect("regular");
        qdd
    };
    let straight = solve(&build((0, 0), (1, 1)).expect("valid"), [0.3, 0.7]);
    let swapped = solve(&build((1, 1), (0, 0)).expect("valid"), [0.7, 0.3]);
    assert_eq!(straight, [swapped[1], swapped[0]]);
    let shared = build((0, 0), (0, 0)).expect_err("both claim coordinate 0");
    assert_eq!(shared, TreeError::Coordinates { body: Some("b".into()), index: 0 });
}

#[test]
fn a_position_that_is_not_a_number_is_told_from_a_massless_body() {
    let model = arm(1.0);
    let mut ws = Workspace::new(&model);
    let mut qdd = [0.0; 2];
    let q = [0.1, f64::NAN];
    let error = forward_dynamics(&model, &mut ws, &q, &[0.0; 2], &[0.0; 2], None, &mut qdd)
        .expect_err("no position");
    assert!(
        matches!(error, TreeError::PivotNotFinite { ref body, .. } if body == "upper"),
        "{error}"
    );
    assert!(qdd.iter().all(|x| x.is_nan()));
}

#[test]
fn a_zero_quaternion_or_an_endless_force_is_an_error() {
    let mut builder = TreeBuilder::<f64>::new();
    let body = BodySpec::new("body", None, Joint::Free).with_inertia(
        1.0,
        Vec3::zero(),
        [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    );
    builder.add(body).expect("valid");
    let model = builder.build().expect("valid");
    let mut ws = Workspace::new(&model);
    let mut solve = |q: &[f64; 7], tau: &[f64; 6]| {
        let mut qdd = [0.0; 6];
        let result = forward_dynamics(&model, &mut ws, q, &[0.0; 6], tau, None, &mut qdd);
        result.map(|()| qdd)
    };
    let upright = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    assert!(solve(&upright, &[1.0; 6]).is_ok());
    let error = solve(&[0.0; 7], &[1.0; 6]).expect_err("no orientation");
    assert!(matches!(error, TreeError::AccelerationNotFinite { velocity: 0, .. }), "{error}");
    let error = solve(&upright, &[0.0, 0.0, 0.0, 0.0, f64::INFINITY, 0.0]).expect_err("no number");
    assert!(matches!(error, TreeError::AccelerationNotFinite { .. }), "{error}");
}

#[test]
fn rotors_and_armatures_that_fit_no_joint_are_refused() {
    let mut builder = TreeBuilder::<f64>::new();
    let mut ball = BodySpec::new("ball", None, Joint::Spherical);
    ball.rotor = Some(pommel_tree::Rotor { inertia: 0.1, ratio: 50.0, axis: [0.0, 0.0, 1.0] });
    let error = builder.add(ball).expect_err("three velocities");
    assert_eq!(error, TreeError::RotorNeedsOneVelocity { body: "ball".to_owned() });
    let mut hinge = BodySpec::new("hinge", None, Joint::Revolute { axis: [0.0, 0.0, 1.0] });
    hinge.armature = vec![0.1, 0.2];
    let error = builder.add(hinge.clone()).expect_err("one velocity");
    let body = "hinge".to_owned();
    assert_eq!(error, TreeError::WrongNumberOfArmatures { body, given: 2, needed: 1 });
    hinge.armature = vec![f64::NAN];
    assert!(matches!(builder.add(hinge), Err(TreeError::NotFinite { .. })));
}
