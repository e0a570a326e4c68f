//! The tree that the joints span.

use crate::support::{FOUR_BAR, RICH, changed_faults, faults};
use pommel_model::{Description, LoadOptions, Mechanism};

fn four_bar() -> Description {
    Description::from_toml_str(FOUR_BAR).expect("four-bar")
}

#[test]
fn the_last_joint_of_a_four_bar_closes_its_loop() {
    let mechanism = Mechanism::from_toml_str(FOUR_BAR).expect("four-bar");
    assert_eq!(mechanism.loop_joints().collect::<Vec<_>>(), [3]);
    assert_eq!(mechanism.coordinate_names(), ["a", "b", "c"]);
    assert_eq!((mechanism.nq(), mechanism.nv(), mechanism.is_tree()), (3, 3, false));
    assert_eq!(mechanism.bodies()[1].parent, Some(0));
    assert_eq!(mechanism.bodies()[2].parent, None);
    assert_eq!(mechanism.total_mass(), 6.0);
    assert_eq!(mechanism.gravity(), [0.0, -9.81, 0.0]);
}

#[test]
fn a_chain_is_found_in_every_order_of_its_joints() {
    let mut description = four_bar();
    description.joints.truncate(3);
    description.joints[2].parent = "coupler".into();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut shuffled = description.clone();
        shuffled.joints = order.map(|j| description.joints[j].clone()).to_vec();
        let mechanism = Mechanism::new(shuffled).expect("chain");
        let parents: Vec<_> = mechanism.bodies().iter().map(|body| body.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1)], "{order:?}");
        assert_eq!(mechanism.order(), [0, 1, 2], "{order:?}");
        // coordinates are numbered in file order, not in tree order
        let names: Vec<_> = order.iter().map(|&j| ["a", "b", "c"][j]).collect();
        assert_eq!(mechanism.coordinate_names(), names);
        for (number, joint) in mechanism.tree_joints().enumerate() {
            assert_eq!(mechanism.joints()[joint].q, number..number + 1);
        }
    }
}

#[test]
fn parents_come_before_children_in_the_order() {
    let mechanism = Mechanism::from_toml_str(RICH).expect("rich");
    let mut seen = vec![false; mechanism.bodies().len()];
    for &body in mechanism.order() {
        assert!(mechanism.bodies()[body].parent.is_none_or(|parent| seen[parent]));
        seen[body] = true;
    }
    assert!(seen.iter().all(|seen| *seen));
}

#[test]
fn roles_choose_what_closes_the_loop() {
    let mut description = four_bar();
    description.joints[2].role = pommel_model::Role::Loop;
    let mechanism = Mechanism::new(description).expect("loop");
    assert_eq!(mechanism.loop_joints().collect::<Vec<_>>(), [2]);
    let mut description = four_bar();
    description.joints[3].role = pommel_model::Role::Tree;
    let mechanism = Mechanism::new(description).expect("tree");
    assert_eq!(mechanism.coordinate_names(), ["a", "b", "d"]);
}

#[test]
fn a_joint_to_ground_closes_a_loop() {
    let mut description = four_bar();
    description.joints[2].parent = "rocker".into();
    description.joints[2].child = "ground".into();
    let mechanism = Mechanism::new(description.clone()).expect("loop to ground");
    assert_eq!(mechanism.coordinate_names(), ["a", "b", "d"]);
    assert_eq!(mechanism.joints()[2].child, None);
    description.joints[2].role = pommel_model::Role::Tree;
    let error = Mechanism::new(description).expect_err("tree to ground").to_string();
    assert!(
        error.contains("joints[2] 'c'.role: a joint that ends at ground closes a loop"),
        "{error}"
    );
}

#[test]
fn two_tree_joints_for_one_body_are_refused() {
    let text = FOUR_BAR.replace("child = \"rocker\"", "child = \"rocker\", role = \"tree\"");
    let faults: Vec<_> = faults(&text).iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        ["joints[3] 'd'.role (line 13): joint 'c' already carries 'rocker'; only one joint with \
          role \"tree\" may"]
    );
}

#[test]
fn parents_that_go_round_in_a_circle_are_named() {
    let faults = changed_faults(
        FOUR_BAR,
        "parent = \"ground\", child = \"crank\"",
        "parent = \"coupler\", child = \"crank\"",
    );
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].contains("the parents go round in a circle: crank -> coupler -> crank;"),
        "{faults:?}"
    );
}

#[test]
fn a_body_without_a_joint_is_not_connected() {
    let faults =
        changed_faults(FOUR_BAR, "bodies = [", "bodies = [\n    { name = \"stray\", mass = 1.0 },");
    assert_eq!(
        faults,
        [
            "bodies[0] 'stray' (line 5): body 'stray' is not connected to ground; add a joint of type \
          \"free\""
        ]
    );
}

#[test]
fn a_body_that_is_only_a_parent_is_told_to_swap() {
    let faults = changed_faults(
        FOUR_BAR,
        "parent = \"ground\", child = \"crank\"",
        "parent = \"crank\", child = \"ground\"",
    );
    // the coupler hangs on the crank, which is the one to report
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].contains("no joint has it as child: swap parent and child of joint 'a'"),
        "{faults:?}"
    );
}

#[test]
fn an_empty_model_is_refused() {
    let faults = faults("name = \"nothing\"");
    assert_eq!(faults[0].to_string(), "bodies: the model has no bodies");
}

#[test]
fn a_long_chain_in_reverse_order_is_spanned() {
    let mut description = Description { name: "chain".into(), ..Description::default() };
    for i in 0..300 {
        let parent = if i == 0 { "ground".to_owned() } else { format!("b{}", i - 1) };
        description.bodies.push(pommel_model::Body {
            name: format!("b{i}"),
            mass: 1.0,
            ..Default::default()
        });
        description.joints.insert(
            0,
            pommel_model::Joint {
                name: format!("j{i}"),
                joint_type: pommel_model::JointType::Revolute,
                parent,
                child: format!("b{i}"),
                ..Default::default()
            },
        );
    }
    let mechanism = Mechanism::new(description).expect("chain");
    assert_eq!(mechanism.nq(), 300);
    assert_eq!(mechanism.coordinate_names()[0], "j299");
}

#[test]
fn coordinates_of_every_joint_type_have_names() {
    let mechanism = Mechanism::from_toml_str(RICH).expect("rich");
    assert_eq!(
        mechanism.coordinate_names(),
        [
            "root.x",
            "root.y",
            "root.z",
            "root.qw",
            "root.qx",
            "root.qy",
            "root.qz",
            "shoulder.angle1",
            "shoulder.angle2",
            "elbow",
            "socket.qw",
            "socket.qx",
            "socket.qy",
            "socket.qz",
            "thread",
            "guide.angle",
            "guide.slide",
            "table.x",
            "table.y",
            "table.angle",
            "hatch"
        ]
    );
    assert_eq!(
        mechanism.velocity_names(),
        [
            "root.wx",
            "root.wy",
            "root.wz",
            "root.vx",
            "root.vy",
            "root.vz",
            "shoulder.angle1",
            "shoulder.angle2",
            "elbow",
            "socket.wx",
            "socket.wy",
            "socket.wz",
            "thread",
            "guide.angle",
            "guide.slide",
            "table.x",
            "table.y",
            "table.angle",
            "hatch"
        ]
    );
}

#[test]
fn axes_are_normalised() {
    let mechanism = Mechanism::from_toml_str(RICH).expect("rich");
    assert_eq!(mechanism.joints()[1].axis, [1.0, 0.0, 0.0]);
    assert_eq!(mechanism.joints()[1].axis2, [0.0, 1.0, 0.0]);
    assert_eq!(mechanism.joints()[4].pitch, 0.01);
}

#[test]
fn gravity_may_be_overridden() {
    let options = LoadOptions { gravity: Some([1.0, 2.0, 3.0]), ..LoadOptions::default() };
    let description = Description::from_toml_str(RICH).expect("rich");
    let mechanism = Mechanism::new(options.apply(description).expect("options")).expect("rich");
    assert_eq!(mechanism.gravity(), [1.0, 2.0, 3.0]);
}

#[test]
fn a_floating_base_keeps_its_place() {
    let text = r#"
        name = "arm"
        bodies = [{ name = "base", mass = 1.0 }, { name = "link", mass = 1.0 }]
        [[joints]]
        name = "mount"
        type = "fixed"
        parent = "ground"
        child = "base"
        in_parent = { position = [1.0, 2.0, 3.0], rpy = [0.0, 0.0, 1.5707963267948966] }
        in_child = { position = [0.5, 0.0, 0.0] }
        [[joints]]
        name = "hinge"
        type = "revolute"
        parent = "base"
        child = "link"
    "#;
    let fixed = Mechanism::from_toml_str(text).expect("fixed");
    assert_eq!((fixed.nq(), fixed.total_mass()), (1, 1.0));
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let free =
        Mechanism::new(options.apply(fixed.into_description()).expect("free")).expect("free");
    assert_eq!((free.nq(), free.nv(), free.total_mass()), (8, 7, 2.0));
    // the child's origin is at (1, 2, 3) - Rz(90°) (0.5, 0, 0)
    let expected = [1.0, 1.5, 3.0, 0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()];
    for (found, expected) in free.initial_state().q.iter().zip(expected) {
        // 8: one rotation of numbers up to 3
        assert!((found - expected).abs() < 8.0 * f64::EPSILON * 3.0, "{found} {expected}");
    }
    // a model that floats already is left alone
    assert!(options.apply(free.into_description()).is_ok());
}

#[test]
fn a_floating_base_needs_one_fixed_body() {
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let error = options.apply(four_bar()).expect_err("nothing fixed").to_string();
    assert!(
        error.contains("exactly one body fixed to ground by a fixed joint, found 0"),
        "{error}"
    );
}
