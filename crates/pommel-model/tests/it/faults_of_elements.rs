//! Every fault of forces, constraints, drivers, contacts and the initial state.

use crate::support::fault_with;

#[test]
fn forces_are_checked() {
    let fault = fault_with("stiffness = 2000.0", "stiffness = -2000.0");
    assert!(fault.contains("forces[0] 'leg'.stiffness (line "), "{fault}");
    assert!(fault.ends_with("-2000 must not be negative"), "{fault}");
    let fault = fault_with("torsional_damping = [0.4,", "torsional_damping = [-0.4,");
    assert!(fault.contains("forces[1].torsional_damping[0]"), "{fault}");
    let fault = fault_with("body = \"base\"\npoint = [0.1", "body = \"ground\"\npoint = [0.1");
    assert!(fault.contains("forces[2].body"), "{fault}");
    let fault = fault_with("body2 = \"plate\"", "body2 = \"base\"");
    assert!(fault.starts_with("forces[3] (line "), "{fault}");
    assert!(fault.ends_with("both ends are 'base'"), "{fault}");
    let fault = fault_with("axis = [0.0, 1.0, 0.0]\ntorque", "axis = [0.0, 0.0, 0.0]\ntorque");
    assert!(fault.contains("forces[3].axis"), "{fault}");
}

#[test]
fn names_of_elements_need_not_be_given_but_differ() {
    let fault = fault_with("name = \"pair\"", "name = \"rod\"");
    assert!(fault.ends_with("the name 'rod' is taken by item 0"), "{fault}");
}

#[test]
fn constraints_are_checked() {
    let fault = fault_with("length = 0.7", "length = 0.0");
    assert!(fault.contains("constraints[0] 'rod'.length"), "{fault}");
    assert!(fault.ends_with("0 must be positive"), "{fault}");
    let fault = fault_with("joint1 = \"elbow\"", "joint1 = \"socket\"");
    assert!(fault.contains("joint 'socket' of type spherical cannot be used here"), "{fault}");
    let fault = fault_with("joint1 = \"elbow\"", "joint1 = \"elbo\"");
    assert!(fault.ends_with("there is no joint 'elbo'; did you mean 'elbow'?"), "{fault}");
    let fault = fault_with("joint1 = \"elbow\"", "joint1 = \"thread\"");
    assert!(fault.ends_with("both ends are 'thread'"), "{fault}");
    let fault = fault_with("axis = [1.0, 0.0, 0.0]\nbody2", "axis = [0.0, 0.0, 0.0]\nbody2");
    assert!(fault.contains("constraints[2].axis"), "{fault}");
}

#[test]
fn drivers_are_checked() {
    let fault = fault_with("coordinate = 2", "coordinate = 3");
    assert!(
        fault.contains("joint 'table' has 3 coordinates, counted from 0; there is no 3"),
        "{fault}"
    );
    let fault = fault_with("coordinate = 2", "coordinate = -1");
    assert!(fault.ends_with("-1 must not be negative"), "{fault}");
    let fault = fault_with("joint = \"table\"", "joint = \"socket\"");
    assert!(fault.contains("a driver needs a coordinate that is an angle"), "{fault}");
}

#[test]
fn time_functions_are_checked() {
    let fault = fault_with("start = 0.5, end = 1.5", "start = 1.5, end = 1.5");
    assert!(fault.contains("joints[4] 'thread'.torque.end"), "{fault}");
    let fault = fault_with("values = [0.0, 1.0, 0.0, 0.5]", "values = [0.0, 1.0, 0.0]");
    assert!(fault.contains("4 times but 3 values"), "{fault}");
    let fault = fault_with("times = [0.0, 1.0, 1.0, 2.0]", "times = [0.0, 1.0, 0.5, 2.0]");
    assert!(fault.contains("torque.times"), "{fault}");
    assert!(fault.ends_with("0.5 at entry 2"), "{fault}");
    let fault = fault_with("times = [0.0, 1.0, 1.0, 2.0]", "times = [0.0, 1.0, 1.0, 1.0]");
    assert!(fault.ends_with("1 at entry 3"), "{fault}");
}

#[test]
fn contacts_are_checked() {
    let fault = fault_with("radius = 0.05", "radius = -0.05");
    assert!(fault.contains("contacts[0] 'foot'.radius"), "{fault}");
    let fault = fault_with("restitution = 0.8", "restitution = -0.8");
    assert!(fault.ends_with("-0.8 is not between 0 and 1"), "{fault}");
    let fault = fault_with("friction = 0.3", "friction = -0.3");
    assert!(fault.contains("contacts[0] 'foot'.friction"), "{fault}");
}

#[test]
fn the_initial_state_is_checked() {
    let fault = fault_with("elbow = 0.5", "elbw = 0.5");
    assert!(fault.contains("initial.q.elbw (line "), "{fault}");
    assert!(fault.ends_with("there is no joint 'elbw'; did you mean 'elbow'?"), "{fault}");
    let fault = fault_with("shoulder = [0.1, 0.2]", "shoulder = 0.1");
    assert!(fault.ends_with("expected 2 values, found 1"), "{fault}");
    let loops = crate::support::changed_faults(
        crate::support::FOUR_BAR,
        "kind = \"planar\"",
        "kind = \"planar\"\ninitial = { q = { d = 1.0 } }",
    );
    assert_eq!(loops, ["initial.q.d (line 4): joint 'd' closes a loop and has no coordinates"]);
}
