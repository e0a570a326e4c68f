//! Every fault of structure, bodies and joints: its path, its line, its words.

use crate::support::{FOUR_BAR, changed_faults, fault_with, faults, faults_with, line_of};
use pommel_model::{
    AngularVelocity, Body, Description, FaultKind, Inertia, Joint, JointType, LoadOptions,
    Mechanism, Severity,
};

#[test]
fn an_unknown_key_is_found_with_its_line_and_a_suggestion() {
    // a line of its own, below the mass; the closest key is given already, so all are listed
    let line = line_of("mass = 2.5") + 1;
    assert_eq!(
        fault_with("mass = 2.5", "mass = 2.5\nineria = 3.0"),
        format!(
            "bodies[1] 'upper' (line {line}): unknown key 'ineria'; known are name, mass, com, \
             inertia, position, rpy, quaternion, angle, velocity, angular_velocity"
        )
    );
    assert_eq!(
        fault_with("com = [0.1, 0.2, 0.3]", "con = [0.1, 0.2, 0.3]"),
        format!(
            "bodies[0] 'base' (line {}): unknown key 'con'; did you mean 'com'?",
            line_of("com =")
        )
    );
}

#[test]
fn an_unknown_key_inside_of_a_tagged_table_is_found() {
    let line = line_of("rest_length");
    assert_eq!(
        fault_with("rest_length = 0.9", "restlength = 0.9"),
        format!(
            "forces[0] 'leg' (line {line}): unknown key 'restlength'; did you mean 'rest_length'?"
        )
    );
    let fault = fault_with("amplitude = 2.0", "amplitud = 2.0, amplitude = 2.0");
    assert!(fault.starts_with("joints[1] 'shoulder'.torque[1] (line "), "{fault}");
    assert!(fault.contains("unknown key 'amplitud'; known are type, offset"), "{fault}");
}

#[test]
fn a_missing_key_is_found() {
    let fault = fault_with("mass = 2.5", "");
    let line = line_of("name = \"upper\"") - 1;
    assert_eq!(fault, format!("bodies[1] 'upper' (line {line}): the key 'mass' is missing"));
    let fault = fault_with("length = 0.7", "");
    assert!(fault.starts_with("constraints[0] 'rod'"), "{fault}");
    assert!(fault.ends_with("the key 'length' is missing"), "{fault}");
}

#[test]
fn a_value_of_the_wrong_type_is_found_with_its_path() {
    let line = line_of("mass = 2.5");
    assert_eq!(
        fault_with("mass = 2.5", "mass = \"heavy\""),
        format!("bodies[1] 'upper'.mass (line {line}): expected a number, found the text 'heavy'")
    );
    let fault = fault_with("stiffness = 2000.0", "stiffness = [1.0]");
    assert!(fault.starts_with("forces[0] 'leg'.stiffness (line "), "{fault}");
    assert!(fault.ends_with("expected a number, found a list of 1"), "{fault}");
    let fault = fault_with("coordinate = 2", "coordinate = 1.5");
    assert!(fault.ends_with("expected a whole number, found the number 1.5"), "{fault}");
}

#[test]
fn a_list_of_the_wrong_length_is_found() {
    let fault = fault_with("com = [0.1, 0.2, 0.3]", "com = [0.1, 0.2]");
    assert!(fault.ends_with(".com (line 11): expected 3 values, found 2"), "{fault}");
    let fault = changed_faults(FOUR_BAR, "com = [0.5, 0.0]", "com = [0.5]");
    assert!(fault[0].ends_with("expected 2 to 3 values, found 1"), "{fault:?}");
    let fault = fault_with("inertia = [1e-4, 1e-4, 1e-4]", "inertia = [1e-4, 1e-4]");
    assert!(
        fault.contains("[xx, yy, zz, xy, xz, yz] or 3 rows of 3, found a list of 2"),
        "{fault}"
    );
}

#[test]
fn an_unknown_word_is_found_with_a_suggestion() {
    let fault = fault_with("type = \"helical\"", "type = \"helicall\"");
    assert!(fault.starts_with("joints[4] 'thread'.type (line "), "{fault}");
    assert!(fault.ends_with("unknown value 'helicall'; did you mean 'helical'?"), "{fault}");
    let fault = fault_with("type = \"ramp\"", "type = \"stairs\"");
    assert!(fault.contains(".torque.type (line "), "{fault}");
    assert!(fault.ends_with("known are constant, sine, polynomial, ramp, table"), "{fault}");
    let fault = fault_with("type = \"distance\"", "type = \"distnce\"");
    assert!(fault.ends_with("'distnce'; did you mean 'distance'?"), "{fault}");
    let fault = fault_with("type = \"ramp\", ", "");
    assert!(fault.ends_with("the key 'type' is missing"), "{fault}");
}

#[test]
fn numbers_that_are_not_finite_are_found() {
    let fault = fault_with("mass = 2.5", "mass = nan");
    let line = line_of("mass = 2.5");
    assert_eq!(fault, format!("bodies[1] 'upper'.mass (line {line}): NaN is not a finite number"));
    let fault = fault_with("torque = 0.1", "torque = -inf");
    assert!(fault.starts_with("forces[3].torque (line "), "{fault}");
    assert!(fault.ends_with("-inf is not a finite number"), "{fault}");
}

#[test]
fn numbers_that_are_not_finite_are_found_in_descriptions_built_in_code() {
    let mut description = Description::from_toml_str(crate::support::RICH).expect("rich");
    description.bodies[0].com[1] = f64::NAN;
    description.joints[1].in_parent.position[2] = f64::INFINITY;
    let error = Mechanism::new(description).expect_err("not finite").to_string();
    assert!(error.contains("bodies[0] 'base'.com[1]: NaN is not a finite number"), "{error}");
    let expected = "joints[1] 'shoulder'.in_parent.position[2]: inf is not a finite number";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = crate::support::RICH
        .replace("mass = 2.5", "mass = -1.0\nmas = 1.0")
        .replace("length = 0.7", "length = 0.0")
        .replace("joint1 = \"elbow\"", "joint1 = \"elbw\"")
        .replace("radius = 0.05", "radius = inf");
    let paths: Vec<_> = faults(&text).into_iter().map(|fault| fault.path).collect();
    assert_eq!(
        paths,
        [
            "contacts[0].radius",
            "bodies[1]",
            "bodies[1].mass",
            "constraints[0].length",
            "constraints[1].joint1"
        ]
    );
}

#[test]
fn a_negative_mass_is_refused_and_zero_is_not() {
    let fault = fault_with("mass = 2.5", "mass = -2.5");
    assert!(
        fault.ends_with("bodies[1] 'upper'.mass (line 20): -2.5 must not be negative"),
        "{fault}"
    );
    let text = crate::support::RICH
        .replace("mass = 2.5\ninertia = [0.1, 0.1, 0.05, 0.0, 0.01, 0.0]", "mass = 0");
    assert!(Mechanism::from_toml_str(&text).is_ok());
}

#[test]
fn an_indefinite_inertia_is_refused_with_its_eigenvalue() {
    let fault = fault_with("inertia = [1e-4, 1e-4, 1e-4]", "inertia = [1.0, 1.0, -2.1e-3]");
    assert!(fault.starts_with("bodies[2] 'left.arm'.inertia (line "), "{fault}");
    assert!(fault.ends_with("not positive definite (eigenvalue -2.1e-3)"), "{fault}");
}

#[test]
fn an_inertia_that_no_body_has_is_a_warning() {
    let text =
        crate::support::RICH.replace("inertia = [1e-4, 1e-4, 1e-4]", "inertia = [1.0, 1.0, 2.5]");
    let mechanism = Mechanism::from_toml_str(&text).expect("usable");
    let [warning] = mechanism.warnings() else { panic!("{:?}", mechanism.warnings()) };
    assert_eq!(warning.severity(), Severity::Warning);
    assert_eq!(warning.path, "bodies[2].inertia");
    assert_eq!(warning.kind, FaultKind::TriangleInequality { moments: [1.0, 1.0, 2.5] });
}

#[test]
fn inertias_at_the_edge_of_the_possible_are_accepted_without_a_word() {
    // a rod, a flat plate, and a rod across the axes
    for inertia in ["[0.0, 1.0, 1.0]", "[1.0, 2.0, 3.0]", "[1.0, 1.0, 2.0, -1.0, 0.0, 0.0]"] {
        let inertia = format!("inertia = {inertia}");
        let text = crate::support::RICH.replace("inertia = [1e-4, 1e-4, 1e-4]", &inertia);
        let mechanism = Mechanism::from_toml_str(&text).expect("usable");
        assert_eq!(mechanism.warnings(), [], "{inertia}");
    }
}

#[test]
fn an_asymmetric_inertia_is_refused() {
    let fault = fault_with("[[1.0, 0.1, 0.0]", "[[1.0, 0.2, 0.0]");
    assert!(fault.contains("not symmetric: [0][1] and [1][0] differ by 1e-1"), "{fault}");
}

#[test]
fn names_must_be_unique_given_and_not_reserved() {
    let faults = faults_with("name = \"table\"", "name = \"guide\"");
    assert!(faults[0].ends_with("the name 'guide' is taken by item 5"), "{faults:?}");
    let faults = faults_with("name = \"screw\"", "name = \"ground\"");
    assert!(faults[0].contains("'ground' is the reserved name"), "{faults:?}");
    let faults = faults_with("name = \"tool\"", "name = \"\"");
    assert!(faults[0].starts_with("frames[0].name (line "), "{faults:?}");
    assert!(faults[0].ends_with("the name is empty"), "{faults:?}");
    let twice = "[[bodies]]\nname = \"ball\"\nmass = 1.0\n\n[[joints]]\nname = \"root\"";
    let faults = faults_with("[[joints]]\nname = \"root\"", twice);
    assert!(faults.iter().any(|f| f.contains("the name 'ball' is taken by item 3")), "{faults:?}");
}

#[test]
fn unknown_bodies_are_found_with_a_suggestion() {
    let fault = fault_with("child = \"screw\"", "child = \"scrw\"");
    assert!(fault.starts_with("joints[4] 'thread'.child (line "), "{fault}");
    assert!(fault.ends_with("there is no body 'scrw'; did you mean 'screw'?"), "{fault}");
    let fault = fault_with("body = \"left.arm\"", "body = \"nothing\"");
    assert!(fault.ends_with("there is no body 'nothing'"), "{fault}");
    let fault = fault_with("parent = \"ground\"", "parent = \"Ground\"");
    assert!(fault.contains("did you mean 'ground'?"), "{fault}");
}

#[test]
fn a_joint_from_a_body_to_itself_is_refused() {
    let faults = faults_with("parent = \"plate\"", "parent = \"lid\"");
    assert!(faults.iter().any(|f| f.contains("both ends are 'lid'")), "{faults:?}");
}

#[test]
fn an_axis_of_zero_length_is_refused() {
    let fault = fault_with("axis = [1.0, 0.0, 0.0]\nrole", "axis = [0.0, 0.0, 0.0]\nrole");
    assert!(fault.starts_with("joints[7] 'hatch'.axis (line "), "{fault}");
    assert!(fault.ends_with("the zero vector has no direction"), "{fault}");
    let fault = fault_with("normal = [0.0, 0.0, 1.0]", "normal = [0.0, 0.0, 0.0]");
    assert!(fault.starts_with("contacts[0] 'foot'.plane.normal"), "{fault}");
}

#[test]
fn a_quaternion_of_zero_length_is_refused() {
    let fault = fault_with("quaternion = [1.0, 1.0, 0.0, 0.0]", "quaternion = [0.0, 0, 0, 0]");
    assert!(fault.starts_with("joints[2] 'elbow'.in_child.quaternion"), "{fault}");
    assert!(fault.contains("the zero quaternion is no rotation"), "{fault}");
    let fault = fault_with("socket = [0.5, 0.5, -0.5, 0.5]", "socket = [0, 0, 0, 0]");
    assert!(fault.starts_with("initial.q.socket"), "{fault}");
}

#[test]
fn two_orientations_at_once_are_refused() {
    let fault =
        fault_with("rpy = [0.1, 0.2, 0.3]", "rpy = [0.1, 0.2, 0.3], quaternion = [1, 0, 0, 0]");
    assert!(fault.ends_with("give only one of rpy, quaternion"), "{fault}");
}

#[test]
fn what_a_joint_needs_and_what_it_cannot_have_is_checked() {
    let fault = fault_with("pitch = 0.01", "");
    assert!(fault.ends_with("a helical joint needs a pitch"), "{fault}");
    let fault = fault_with("axis2 = [0.0, 3.0, 0.0]", "");
    assert!(fault.ends_with("a universal joint needs axis2"), "{fault}");
    let fault = fault_with("axis2 = [0.0, 3.0, 0.0]", "axis2 = [-1.0, 0.0, 0.0]");
    assert!(fault.contains("axis and axis2 of a universal joint must not be parallel"), "{fault}");
    let fault = fault_with("damping = 0.3", "damping = 0.3\npitch = 1.0");
    assert!(fault.ends_with("a revolute joint has no pitch"), "{fault}");
    let fault = fault_with("damping = 0.3", "damping = 0.3\naxis2 = [1.0, 0.0, 0.0]");
    assert!(fault.ends_with("a revolute joint has no second axis"), "{fault}");
    let fault = fault_with("child = \"ball\"", "child = \"ball\"\nstiffness = 1.0");
    assert!(fault.contains("a spherical joint has no coordinates for a spring"), "{fault}");
    let fault = fault_with("child = \"plate\"", "child = \"plate\"\naxis = [1.0, 0.0, 0.0]");
    assert!(fault.contains("not about [1.0, 0.0, 0.0]"), "{fault}");
    let fault = fault_with("role = \"loop\"", "role = \"loop\"\ndamping = 1.0");
    assert!(fault.ends_with("a fixed joint has no coordinates"), "{fault}");
}

#[test]
fn a_free_joint_starts_at_ground_and_has_no_frames() {
    let faults = faults_with(
        "parent = \"ground\"",
        "parent = \"ground\"\nin_parent = { position = [1, 0, 0] }",
    );
    assert!(faults[0].contains("a free joint connects ground with a body"), "{faults:?}");
    let faults = faults_with("type = \"planar\"", "type = \"free\"");
    assert!(faults.iter().any(|f| f.contains("joints[6] 'table'")), "{faults:?}");
}

#[test]
fn laws_of_joints_have_one_entry_a_coordinate_and_sensible_values() {
    let fault = fault_with("stiffness = [10.0, 20.0]", "stiffness = [10.0, 20.0, 30.0]");
    assert!(fault.ends_with("expected 2 values, found 3"), "{fault}");
    let fault = fault_with("torque = [1.5,", "torque = [1.5, 2.5,");
    let line = line_of("torque = [1.5");
    assert_eq!(
        fault,
        format!("joints[1] 'shoulder'.torque (line {line}): expected 2 values, found 3")
    );
    let fault = fault_with("lower = -1.0, upper = 1.0", "lower = 2.0, upper = 1.0");
    assert!(fault.contains("limits[0] (line "), "{fault}");
    assert!(fault.ends_with("the lower limit 2 exceeds the upper limit 1"), "{fault}");
    let fault = fault_with("restitution = 0.5", "restitution = 1.5");
    assert!(fault.ends_with("1.5 is not between 0 and 1"), "{fault}");
    let fault = fault_with("static = 0.3", "static = 0.1");
    assert!(fault.ends_with("static friction 0.1 is less than sliding friction 0.2"), "{fault}");
    let fault = fault_with("damping = 0.3", "damping = -0.3");
    let line = line_of("damping = 0.3");
    assert_eq!(
        fault,
        format!("joints[2] 'elbow'.damping (line {line}): -0.3 must not be negative")
    );
}

#[test]
fn spatial_things_are_refused_in_planar_models() {
    let faults = changed_faults(FOUR_BAR, "com = [0.5, 0.0]", "com = [0.5, 0.0, 0.1]");
    assert!(faults[0].contains("leaves the x-y plane of a planar model (0.1)"), "{faults:?}");
    let faults = changed_faults(FOUR_BAR, "inertia = 0.1", "inertia = [0.1, 0.1, 0.1]");
    assert!(faults[0].contains("an inertia tensor is for spatial models"), "{faults:?}");
    let faults = changed_faults(FOUR_BAR, "type = \"revolute\"", "type = \"spherical\"");
    assert!(faults[0].contains("a spherical joint is for spatial models"), "{faults:?}");
    let faults = changed_faults(FOUR_BAR, "child = \"crank\"", "child = \"crank\", axis = [1, 0]");
    assert!(
        faults[0].contains("rotation in a planar model, and of a planar joint, is about z"),
        "{faults:?}"
    );
    let faults =
        changed_faults(FOUR_BAR, "\"crank\" }", "\"crank\", in_parent = { rpy = [0.1, 0, 0] } }");
    assert!(faults[0].contains("'a'.in_parent.rpy"), "{faults:?}");
    let faults =
        changed_faults(FOUR_BAR, "kind = \"planar\"", "kind = \"planar\"\ngravity = [0, 0, -9.81]");
    assert!(faults[0].starts_with("gravity (line 4): leaves the x-y plane"), "{faults:?}");
    // the default axis of a prismatic joint points out of the plane
    let faults = changed_faults(FOUR_BAR, "type = \"revolute\"", "type = \"prismatic\"");
    assert!(faults[0].contains("joints[0] 'a'.axis"), "{faults:?}");
}

#[test]
fn a_planar_model_without_its_kind_is_told_so() {
    let text = FOUR_BAR.replace("kind = \"planar\"\n", "");
    let error = Mechanism::from_toml_str(&text).expect_err("spatial").to_string();
    assert!(error.ends_with("begin the file with kind = \"planar\""), "{error}");
    let error = fault_with("rpy = [0.0, 1.5, 0.0]", "angle = 1.5");
    assert!(!error.contains("begin the file"), "one angle too many: {error}");
}

#[test]
fn gravity_of_the_options_stays_in_the_plane() {
    let mechanism = Mechanism::from_toml_str(FOUR_BAR).expect("planar");
    let description = mechanism.description().clone();
    let options = |z| LoadOptions { gravity: Some([0.0, -1.6, z]), ..LoadOptions::default() };
    assert!(options(0.0).apply(description.clone()).is_ok());
    let error = options(-9.81).apply(description).expect_err("out of the plane").to_string();
    assert_eq!(
        error,
        "gravity of the options: leaves the x-y plane of a planar model (-9.81), where vectors have two components"
    );
}

#[test]
fn planar_things_are_refused_in_spatial_models() {
    let fault = fault_with("inertia = [1e-4, 1e-4, 1e-4]", "inertia = 1e-4");
    assert!(fault.contains("an inertia of one number is for planar models"), "{fault}");
    let fault = fault_with("rpy = [0.0, 1.5, 0.0]", "angle = 1.5");
    assert!(fault.contains("an angle is for planar models"), "{fault}");
    let mut description = Description {
        bodies: vec![Body { name: "a".into(), inertia: Inertia::default(), ..Body::default() }],
        joints: vec![Joint {
            name: "j".into(),
            joint_type: JointType::Free,
            parent: "ground".into(),
            child: "a".into(),
            ..Joint::default()
        }],
        ..Description::default()
    };
    assert!(Mechanism::new(description.clone()).is_ok());
    description.bodies[0].angular_velocity = Some(AngularVelocity::Scalar(1.0));
    let error = Mechanism::new(description).expect_err("planar").to_string();
    assert_eq!(
        error,
        "bodies[0] 'a'.angular_velocity: an angular velocity of one number is for planar models; \
         this one is spatial"
    );
}
