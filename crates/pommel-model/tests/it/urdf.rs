//! URDF in.

use crate::support::datasets;
use pommel_model::{
    Constraint, Description, Inertia, Joint, JointType, LoadOptions, Mechanism, ModelError,
};
use std::fmt::Write;

/// The URDF of a native robot whose joints URDF has, with numbers in their shortest exact form.
fn urdf_of(description: &Description) -> String {
    let list = |v: &[f64]| v.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ");
    let mut text = "<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"world\"/>".to_owned();
    for body in &description.bodies {
        let i = body.inertia.tensor();
        write!(
            text,
            "<link name=\"{}\"><inertial><origin xyz=\"{}\" rpy=\"0 0 0\"/><mass value=\"{:?}\"/>\
             <inertia ixx=\"{:?}\" iyy=\"{:?}\" izz=\"{:?}\" ixy=\"{:?}\" ixz=\"{:?}\" \
             iyz=\"{:?}\"/></inertial></link>",
            body.name,
            list(&body.com),
            body.mass,
            i[0][0],
            i[1][1],
            i[2][2],
            i[0][1],
            i[0][2],
            i[1][2]
        )
        .unwrap();
    }
    for joint in &description.joints {
        let kind = match joint.joint_type {
            JointType::Revolute => "continuous",
            JointType::Prismatic => "prismatic",
            JointType::Fixed => "fixed",
            JointType::Free => "floating",
            other => panic!("URDF has no {other:?}"),
        };
        let parent = if joint.parent == "ground" { "world" } else { &joint.parent };
        write!(
            text,
            "<joint name=\"{}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{}\"/>\
             <origin xyz=\"{}\" rpy=\"{}\"/><axis xyz=\"{}\"/></joint>",
            joint.name,
            joint.child,
            list(&joint.in_parent.position),
            list(&joint.in_parent.rpy.unwrap_or_default()),
            list(&joint.axis)
        )
        .unwrap();
    }
    text + "</robot>"
}

#[test]
fn robots_written_as_urdf_read_back_number_by_number() {
    for name in
        ["puma560_fixed", "ets7_free", "dual_iiwa_free", "planar2_papadopoulos", "sc3dof_wheels"]
    {
        let path = datasets("robots").join(name).join("model.toml");
        let native = Description::from_path(path).expect(name);
        let urdf = Description::from_urdf_str(&urdf_of(&native)).expect(name);
        assert_eq!(urdf.joints, native.joints, "{name}");
        assert_eq!(urdf.bodies.len(), native.bodies.len());
        for (urdf, native) in urdf.bodies.iter().zip(&native.bodies) {
            assert_eq!((&urdf.name, urdf.mass, urdf.com), (&native.name, native.mass, native.com));
            assert_eq!(urdf.inertia.tensor(), native.inertia.tensor());
        }
        let mechanism = Mechanism::new(urdf).expect(name);
        assert_eq!(mechanism.gravity(), [0.0, 0.0, -9.81]);
    }
}

#[test]
fn the_puma_urdf_has_its_root_fixed_and_the_coordinates_of_the_native_model() {
    let folder = datasets("robots/puma560_fixed");
    let native = Mechanism::from_path(folder.join("model.toml")).expect("native");
    let urdf = Mechanism::from_path(folder.join("model.urdf")).expect("urdf");
    assert_eq!(urdf.coordinate_names(), native.coordinate_names());
    assert_eq!(urdf.total_mass(), native.total_mass());
    assert!(urdf.bodies()[0].grounded);
    assert_eq!(urdf.description().bodies[0].name, "base");
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let free = Mechanism::from_path_with(folder.join("model.urdf"), &options).expect("free");
    assert_eq!((free.nq(), free.nv()), (13, 12));
    assert_eq!(free.coordinate_names()[0], "root.x");
}

const ARM: &str = r#"<robot name="arm">
<link name="pedestal"/>
<link name="base"><inertial><origin xyz="0 0 1"/><mass value="5"/>
  <inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
  <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link>
<link name="hand"/><link name="cart"/><link name="finger"/>
<joint name="stand" type="fixed"><parent link="pedestal"/><child link="base"/>
  <origin xyz="0 0 2"/></joint>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 2 0"/>
  <limit lower="-1" upper="1.5" effort="10" velocity="3"/>
  <dynamics damping="0.5" friction="0.25"/></joint>
<joint name="spin" type="continuous"><parent link="arm"/><child link="hand"/>
  <limit lower="-1" upper="1" effort="4" velocity="0"/></joint>
<joint name="roll" type="planar"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/></joint>
<joint name="grip" type="revolute"><parent link="hand"/><child link="finger"/>
  <mimic joint="spin" multiplier="-2" offset="0.5"/></joint>
</robot>"#;

fn arm() -> Description {
    Description::from_urdf_str(ARM).expect("arm")
}

fn joint<'a>(description: &'a Description, name: &str) -> &'a Joint {
    &description.joints[description.joint_index(name).expect(name)]
}

#[test]
fn a_root_without_inertia_that_holds_a_fixed_link_is_the_ground() {
    let description = arm();
    assert_eq!(description.body_index("pedestal"), None);
    assert_eq!(joint(&description, "stand").parent, "ground");
    let mechanism = Mechanism::new(description).expect("arm");
    assert!(mechanism.bodies()[0].grounded);
    assert_eq!(mechanism.total_mass(), 2.0);
}

#[test]
fn a_root_with_inertia_is_a_body_fixed_to_ground() {
    let text = ARM.replace("<link name=\"pedestal\"/>", "").replace(
        "<joint name=\"stand\" type=\"fixed\"><parent link=\"pedestal\"/><child link=\"base\"/>\n  <origin xyz=\"0 0 2\"/></joint>",
        "",
    );
    let description = Description::from_urdf_str(&text).expect("arm");
    assert_eq!(description.joints[0].name, "root");
    assert_eq!(description.joints[0].joint_type, JointType::Fixed);
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let free = Mechanism::new(options.apply(description).expect("free")).expect("free");
    assert_eq!(free.total_mass(), 7.0);
    assert_eq!(free.joints()[0].joint_type, JointType::Free);
}

#[test]
fn inertias_are_turned_into_link_axes() {
    let description = arm();
    let body = &description.bodies[description.body_index("arm").expect("arm")];
    assert_eq!(body.com, [1.0, 0.0, 0.0]);
    // a quarter turn about z swaps xx and yy and changes the sign of xy
    let expected = [[2.0, -0.1, 0.0], [-0.1, 1.0, 0.0], [0.0, 0.0, 2.5]];
    let found = body.inertia.tensor();
    for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
        // 16: two products of rotations with numbers up to 2.5
        assert!((found - expected).abs() < 16.0 * f64::EPSILON * 2.5, "{found} {expected}");
    }
    let base = &description.bodies[0];
    assert_eq!(base.inertia, Inertia::Diagonal([1.0, 2.0, 2.5]));
}

#[test]
fn limits_damping_and_friction_are_carried_over() {
    let description = arm();
    let turn = joint(&description, "turn");
    let limits = turn.limits.as_ref().and_then(|limits| limits.get(0)).expect("limits");
    assert_eq!((limits.lower, limits.upper), (Some(-1.0), Some(1.5)));
    assert_eq!((limits.effort, limits.velocity), (Some(10.0), Some(3.0)));
    assert_eq!(turn.damping.as_slice(), [0.5]);
    assert_eq!(turn.friction.as_ref().expect("friction").as_slice()[0].coulomb, 0.25);
    // a continuous joint has no stops
    let spin = joint(&description, "spin");
    let limits = spin.limits.as_ref().and_then(|limits| limits.get(0)).expect("limits");
    assert_eq!((limits.lower, limits.upper, limits.effort), (None, None, Some(4.0)));
    assert_eq!(spin.axis, [1.0, 0.0, 0.0]);
}

#[test]
fn a_mimic_joint_is_a_gear() {
    let description = arm();
    let [Constraint::Gear(gear)] = &description.constraints[..] else {
        panic!("{:?}", description.constraints)
    };
    assert_eq!((gear.joint1.as_str(), gear.joint2.as_str()), ("spin", "grip"));
    assert_eq!((gear.ratio, gear.offset), (-2.0, 0.5));
    assert!(!Mechanism::new(description).expect("arm").is_tree());
}

#[test]
fn a_planar_joint_moves_across_its_axis_and_is_at_rest_where_it_was() {
    let description = arm();
    let roll = joint(&description, "roll");
    let (parent, child) = (roll.in_parent.rotation(), roll.in_child.rotation());
    for i in 0..3 {
        // z of the joint frame is the axis of the file; both sides agree at rest
        assert!((parent[i][2] - [1.0, 0.0, 0.0][i]).abs() < 8.0 * f64::EPSILON);
        for j in 0..3 {
            assert!((parent[i][j] - child[i][j]).abs() < 8.0 * f64::EPSILON);
        }
    }
}

#[test]
fn a_floating_joint_with_an_origin_starts_there() {
    let text = r#"<robot name="r"><link name="world"/><link name="b"/>
        <joint name="f" type="floating"><parent link="world"/><child link="b"/>
        <origin xyz="1 2 3" rpy="0 0 3.141592653589793"/></joint></robot>"#;
    let mechanism = Mechanism::from_urdf_str(text).expect("floating");
    let q = &mechanism.initial_state().q;
    assert_eq!(q[..3], [1.0, 2.0, 3.0]);
    assert!((q[6].abs() - 1.0).abs() < 4.0 * f64::EPSILON, "{q:?}");
}

#[test]
fn text_that_is_no_urdf_is_a_syntax_error() {
    for text in ["", "hello", "<robot>", "<robot name='a'><link/></robot>"] {
        let error = Mechanism::from_urdf_str(text).expect_err(text);
        assert!(matches!(error, ModelError::Syntax { .. } | ModelError::Invalid { .. }), "{error}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_found_in_urdf() {
    let error =
        Mechanism::from_urdf_str(&ARM.replace("<mass value=\"2\"/>", "<mass value=\"nan\"/>"));
    let error = error.expect_err("NaN").to_string();
    assert!(error.contains("bodies[1] 'arm'.mass: NaN is not a finite number"), "{error}");
}
