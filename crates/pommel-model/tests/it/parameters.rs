//! Parameter paths.

use crate::support::RICH;
use pommel_model::{Description, Mechanism, ParameterError, ParameterPath};
use serde_json::Value;

fn rich() -> Description {
    Description::from_toml_str(RICH).expect("rich")
}

fn get(path: &str) -> f64 {
    let rich = rich();
    let parameter = ParameterPath::parse(path).expect(path).resolve(&rich).expect(path);
    parameter.get(&rich).expect(path)
}

fn error(path: &str) -> String {
    match ParameterPath::parse(path).and_then(|path| path.resolve(&rich())) {
        Ok(_) => panic!("{path} exists"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn numbers_are_found_by_name_and_by_index() {
    for (path, value) in [
        ("bodies.upper.mass", 2.5),
        ("bodies[1].mass", 2.5),
        ("bodies['left.arm'].mass", 1e-3),
        ("bodies[\"left.arm\"].inertia[2]", 1e-4),
        ("bodies.base.inertia[0][1]", 0.1),
        ("bodies.base.com[0]", 0.1),
        ("gravity[2]", -9.81),
        ("joints.elbow.damping", 0.3),
        ("joints.elbow.friction.static", 0.3),
        ("joints.root.damping[5]", 0.2),
        ("joints.shoulder.torque[1].amplitude", 2.0),
        ("joints.thread.torque.to", 1.0),
        ("joints.guide.torque[1]", 4.0),
        ("joints.elbow.torque.values[3]", 0.5),
        ("joints.shoulder.in_parent.rpy[2]", 0.3),
        ("forces.leg.stiffness", 2000.0),
        ("forces[2].force[1].offset", 1.0),
        ("constraints.pair.ratio", -2.0),
        ("drivers.motor.motion.coefficients[1]", 1.0),
        ("contacts.foot.plane.normal[2]", 1.0),
        ("initial.q.elbow", 0.5),
        ("initial.q.shoulder[1]", 0.2),
    ] {
        assert_eq!(get(path), value, "{path}");
    }
}

#[test]
fn numbers_that_the_file_leaves_at_their_default_can_be_set() {
    let mut rich = rich();
    let path = ParameterPath::parse("joints.thread.damping").expect("path");
    let parameter = path.resolve(&rich).expect("resolved");
    assert_eq!(parameter.set(&mut rich, 7.0), Some(0.0));
    assert_eq!(rich.joints[4].damping.as_slice(), [7.0]);
    assert!(Mechanism::new(rich).is_ok());
}

#[test]
fn every_number_in_the_file_has_a_path_that_reads_and_sets_it() {
    let rich = rich();
    let mut in_file = 0;
    count_numbers(&serde_json::to_value(&rich).expect("value"), &mut in_file);
    let parameters = rich.parameters();
    // one whole number, the coordinate of the driver, is not a parameter
    assert!(parameters.len() > in_file - 1, "{} {in_file}", parameters.len());
    for (path, value) in parameters {
        let parameter = ParameterPath::parse(&path).expect(&path).resolve(&rich).expect(&path);
        assert_eq!(parameter.path().to_string(), path);
        assert_eq!(parameter.get(&rich), Some(value), "{path}");
        let mut changed = rich.clone();
        assert_eq!(parameter.set(&mut changed, 12.5), Some(value), "{path}");
        assert_eq!(parameter.get(&changed), Some(12.5), "{path}");
        // exactly one number differs
        let differ =
            rich.parameters().iter().zip(changed.parameters()).filter(|(a, b)| *a != b).count();
        assert_eq!(differ, usize::from(value != 12.5), "{path}");
    }
}

fn count_numbers(value: &Value, count: &mut usize) {
    match value {
        Value::Number(_) => *count += 1,
        Value::Array(items) => items.iter().for_each(|item| count_numbers(item, count)),
        Value::Object(map) => map.values().for_each(|item| count_numbers(item, count)),
        _ => {}
    }
}

#[test]
fn a_parameter_of_another_shape_changes_nothing() {
    let rich = rich();
    let parameter =
        ParameterPath::parse("bodies[7].mass").expect("path").resolve(&rich).expect("mass");
    let mut other = Description::from_toml_str(crate::support::FOUR_BAR).expect("four-bar");
    let before = other.clone();
    assert_eq!(parameter.get(&other), None);
    assert_eq!(parameter.set(&mut other, 1.0), None);
    assert_eq!(other, before);
}

#[test]
fn unknown_steps_are_answered_with_what_exists() {
    assert_eq!(
        error("bodies.uper.mass"),
        "'bodies.uper.mass': bodies has no 'uper'; did you mean 'upper'?"
    );
    assert_eq!(
        error("bodis.upper.mass"),
        "'bodis.upper.mass': the model has no 'bodis'; did you mean 'bodies'?"
    );
    assert_eq!(
        error("joints.thread.torque.slope"),
        "'joints.thread.torque.slope': joints.thread.torque has no 'slope'; there \
         are from, to, start, end"
    );
    let text = error("bodies.upper.weight");
    assert!(text.ends_with("bodies.upper has no 'weight'; there are mass, com, inertia"), "{text}");
    assert!(error("bodies[8].mass").contains("bodies has no '8'; there are base, upper"));
    assert_eq!(
        error("joints.elbow.limits.lower"),
        "'joints.elbow.limits.lower': joints.elbow.limits has no 'lower'; the file \
         gives nothing here"
    );
}

#[test]
fn a_path_to_more_than_a_number_is_refused() {
    assert_eq!(
        error("contacts.foot.plane"),
        "'contacts.foot.plane' is not one number; there are point, normal"
    );
    assert_eq!(error("bodies.base.com"), "'bodies.base.com' is not one number; there are 0, 1, 2");
}

#[test]
fn text_that_is_no_path_is_refused_with_its_column() {
    for (text, at) in [
        ("", 1),
        (".mass", 1),
        ("bodies.", 8),
        ("bodies..mass", 8),
        ("bodies[x].mass", 8),
        ("bodies[1", 8),
        ("bodies['a].mass", 8),
        ("bodies[1]mass", 10),
    ] {
        match ParameterPath::parse(text) {
            Err(ParameterError::Syntax { column, .. }) => assert_eq!(column, at, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn names_with_quotes_and_brackets_can_be_written() {
    let mut rich = rich();
    rich.bodies[3].name = "it's [odd].".to_owned();
    let paths = rich.parameters();
    assert!(!paths.is_empty());
    let path = ParameterPath::parse("bodies['it\\'s [odd].'].mass").expect("path");
    assert_eq!(path.resolve(&rich).expect("resolved").get(&rich), Some(0.5));
    assert_eq!(path.to_string().parse::<ParameterPath>().expect("again"), path);
}
