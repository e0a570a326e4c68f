//! What cannot be solved or built says so.

use pommel_math::{Lanes, Mask, Real, Vec3};
use pommel_tree::{
    BodyId, BodySpec, Elimination, Joint, Model, Quantity, TreeBuilder, TreeError, Workspace,
    factorize, forward_dynamics,
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
    let says = "the joint of body 'tip' (velocity 0) feels no inertia; give body 'tip' mass and \
                inertia, or fix the joint";
    assert_eq!(error.to_string(), says);
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

/// Lanes fail for several reasons: all of them are named, and NaN.
#[test]
fn lanes_that_fail_otherwise_are_named_as_well() {
    let models = [arm(1.0), arm(0.0), arm(2.0), arm(3.0)];
    let packed = Model::pack::<Lanes<4>>(&models.iter().collect::<Vec<_>>()).expect("same arms");
    let x = [Lanes::from_f64(0.4); 2];
    let (mut q, mut tau) = (x, x);
    tau[1] = Lanes::from_lanes(|i| if i == 2 { f64::INFINITY } else { 0.4 });
    q[0] = Lanes::from_lanes(|i| if i == 3 { f64::NAN } else { 0.4 });
    let mut qdd = [Lanes::default(); 2];
    let mut ws = Workspace::new(&packed);
    let error = forward_dynamics(&packed, &mut ws, &q, &x, &tau, None, &mut qdd)
        .expect_err("three lanes fail");
    let TreeError::SingularPivot { lanes, .. } = error else { panic!("{error}") };
    assert_eq!(lanes.bits(), 0b1110);
    for lane in 1..4 {
        assert!(qdd.iter().all(|x| x.lane(lane).is_nan()), "{qdd:?}");
    }
    assert!(qdd.iter().all(|x| x.lane(0).is_finite()));
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
    let axis = TreeError::NotFinite { body: "b".into(), quantity: Quantity::Axis };
    assert_eq!(builder.add(nan), Err(axis));

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
        matches!(&error, TreeError::PositionNotFinite { body, position: 1, .. } if body == "tip"),
        "{error}"
    );
    assert!(qdd.iter().all(|x| x.is_nan()));
    assert_eq!(factorize(&model, &mut ws, &q).map(|_| ()), Err(error));
    // a position that is a number, of a model that is too large for numbers
    let mut builder = TreeBuilder::new();
    let far = Vec3::from_f64([1e200, 0.0, 0.0]);
    builder.add(BodySpec::new("far", None, Z).with_inertia(1.0, far, [0.0; 6])).expect("valid");
    let model = builder.build().expect("valid");
    let mut ws = Workspace::new(&model);
    let error = forward_dynamics(&model, &mut ws, &[0.1], &[0.0], &[0.0], None, &mut qdd[..1])
        .expect_err("no inertia");
    assert!(
        matches!(&error, TreeError::PivotNotFinite { body, joint, .. } if body == joint),
        "{error}"
    );
}

/// A free body of the mass `base` with a chain of two heavy ones.
fn floating(base: f64, joint: Joint, armature: Vec<f64>) -> TreeBuilder<f64> {
    let mut builder = TreeBuilder::new();
    let x = Vec3::from_f64([1.0, 0.0, 0.0]);
    let about = |i: f64| [i, i, i, 0.0, 0.0, 0.0];
    let free = BodySpec::new("base", None, Joint::Free).with_inertia(base, x, about(base));
    let mut parent = builder.add(free).expect("valid");
    for (name, joint) in [("first", joint), ("second", Z)] {
        let mut link = BodySpec::new(name, Some(parent), joint).with_inertia(50.0, x, about(20.0));
        link.in_parent.translation = x;
        if name == "first" {
            link.armature.clone_from(&armature);
        }
        parent = builder.add(link).expect("valid");
    }
    builder
}

#[test]
fn the_light_side_of_a_joint_is_named_where_another_body_is_the_root() {
    let mut builder = floating(0.0, Z, Vec::new());
    let mut found = Vec::new();
    for elimination in [Elimination::Heaviest, Elimination::FreeBody] {
        builder.eliminate_towards(elimination);
        let model = builder.clone().build().expect("valid");
        let other_root = elimination == Elimination::Heaviest;
        assert_eq!(model.elimination_roots().count(), usize::from(other_root));
        let (q, v) = (model.zero_configuration(), vec![0.0; model.nv()]);
        let mut qdd = v.clone();
        let mut ws = Workspace::new(&model);
        let error = forward_dynamics(&model, &mut ws, &q, &v, &v, None, &mut qdd)
            .expect_err("a base that turns without inertia");
        assert!(qdd.iter().all(|x| x.is_nan()));
        let TreeError::SingularPivot { body, joint, .. } = &error else { panic!("{error}") };
        assert_eq!(body, "base");
        found.push((joint.clone(), error.to_string()));
    }
    assert_eq!([&found[0].0[..], &found[1].0], ["first", "base"]);
    let says =
        "the joint of body 'first' (velocity 0), on the side of body 'base', feels no inertia";
    assert!(found[0].1.contains(says), "{}", found[0].1);
    assert!(found[0].1.contains("give body 'base' mass and inertia"), "{}", found[0].1);
}

#[test]
fn a_position_that_is_not_a_number_is_named_where_another_body_is_the_root() {
    for joint in
        [Z, Joint::Spherical, Joint::Universal { axis: [1.0, 0.0, 0.0], axis2: [0.0, 1.0, 0.0] }]
    {
        let model = floating(0.5, joint, Vec::new()).build().expect("valid");
        assert_eq!(model.elimination_roots().count(), 1);
        let mut ws = Workspace::new(&model);
        let v = vec![0.0; model.nv()];
        for position in 0..model.nq() {
            let mut q = model.zero_configuration();
            q[position] = f64::NAN;
            let mut qdd = v.clone();
            let result = forward_dynamics(&model, &mut ws, &q, &v, &v, None, &mut qdd);
            // the accelerations do not depend on where the free body is
            if position < 3 {
                result.expect("regular");
                continue;
            }
            let name = match position {
                0..7 => "base",
                _ if position < model.nq() - 1 => "first",
                _ => "second",
            };
            let error = result.expect_err("no position");
            let TreeError::PositionNotFinite { body, position: at, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!((&body[..], *at), (name, position));
            assert!(qdd.iter().all(|x| x.is_nan()));
        }
    }
}

#[test]
fn armature_of_zeros_is_none() {
    let builder = |armature| floating(0.5, Joint::Spherical, armature);
    let solve = |model: &Model<f64>| {
        let mut q = model.zero_configuration();
        q[7..11].copy_from_slice(&[0.8, 0.1, -0.3, 0.2]);
        let v: Vec<f64> = (0..model.nv()).map(|k| 0.1 * k as f64).collect();
        let mut qdd = v.clone();
        forward_dynamics(model, &mut Workspace::new(model), &q, &v, &v, None, &mut qdd)
            .expect("regular");
        qdd
    };
    let without = builder(Vec::new()).build().expect("valid");
    let zeros = builder(vec![0.0; 3]).build().expect("valid");
    let roots = |model: &Model<f64>| model.elimination_roots().collect::<Vec<BodyId>>();
    assert_eq!(roots(&without).len(), 1);
    assert_eq!(roots(&zeros), roots(&without));
    let scale = solve(&without).iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (a, b) in solve(&zeros).iter().zip(solve(&without)) {
        // 100 ε: the blocks of the joint are summed in another order
        assert!((a - b).abs() <= 100.0 * f64::EPSILON * scale, "{a} is not {b}");
    }
    let root = roots(&without)[0];
    builder(vec![0.0; 3]).build_with_root(root).expect("no armature in the way");
    let refused = builder(vec![0.0, 0.1, 0.0]).build_with_root(root);
    assert!(matches!(refused, Err(TreeError::NotARoot { .. })));
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
