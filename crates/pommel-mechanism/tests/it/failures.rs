//! Models that are wrong are refused with the names of what is wrong.

use std::fmt::Write as _;

use pommel_mechanism::formulation::{FormulationError, Method};
use pommel_mechanism::kinematics::{
    AssembleOptions, Assembler, DrivenMotion, KinematicsError, VelocityProjector, mobility,
};
use pommel_mechanism::{Evaluation, System, SystemError};

use crate::models::{Sample, mechanism};
use crate::support::methods;

/// A body of the plane: name, mass centre, angle.
pub(crate) type Bar<'a> = (&'a str, [f64; 2], f64);
/// A hinge: name, parent, x in the parent, child, x in the child.
pub(crate) type Hinge<'a> = (&'a str, &'a str, f64, &'a str, f64);

pub(crate) fn linkage(bars: &[Bar<'_>], hinges: &[Hinge<'_>], more: &str) -> String {
    let mut text = String::from("name = \"linkage\"\nkind = \"planar\"\n");
    for (name, [x, y], angle) in bars {
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = 0.1\nposition = [{x}, {y}]\n\
             angle = {angle}"
        );
    }
    for (name, parent, at, child, from) in hinges {
        let _ = writeln!(
            text,
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
             child = \"{child}\"\nin_parent = {{ position = [{at}, 0.0] }}\n\
             in_child = {{ position = [{from}, 0.0] }}"
        );
    }
    text + more
}

const UP: f64 = std::f64::consts::FRAC_PI_2;

/// Cranks of 1 m, `gap` apart, and a coupler.
fn four_bar(gap: f64, coupler: f64, more: &str) -> String {
    let half = coupler / 2.0;
    let bars =
        [("left", [0.0, 0.5], UP), ("right", [gap, 0.5], UP), ("top", [gap / 2.0, 1.0], 0.0)];
    let hinges = [
        ("A", "ground", 0.0, "left", -0.5),
        ("D", "ground", gap, "right", -0.5),
        ("B", "left", 0.5, "top", -half),
        ("C", "right", 0.5, "top", half),
    ];
    linkage(&bars, &hinges, more)
}

pub(crate) fn start(text: &str) -> (Sample, Vec<f64>) {
    let mut sample = Sample::new(text);
    let (q, _) = sample.space.initial_state(&sample.mechanism, &sample.system);
    (sample, q)
}

/// Whether an error tells a name, in quotes or with the row behind it.
fn tells(error: &impl ToString, names: &[&str]) -> bool {
    let text = error.to_string();
    names
        .iter()
        .any(|name| text.contains(&format!("'{name}'")) || text.contains(&format!("'{name} (")))
}

#[test]
fn a_loop_that_is_too_wide_cannot_be_assembled() {
    // 1 + 1 + 0.5 m do not reach over 3 m
    let (sample, mut q) = start(&four_bar(3.0, 0.5, ""));
    let mut assembler = Assembler::new(&sample.system).unwrap();
    let found = assembler.assemble(&sample.system, 0.0, &mut q, &AssembleOptions::default());
    let error = found.unwrap_err();
    let KinematicsError::CannotAssemble { open, .. } = &error else { panic!("{error}") };
    assert!(!open.is_empty() && tells(&error, &["A", "B", "C", "D"]), "{error}");
    // the gap of 0.5 m is shared by the joints
    let gap: f64 = open.iter().map(|row| row.residual.abs()).sum();
    assert!((0.45..2.0).contains(&gap), "{error}");
}

/// A second crank that is driven apart from the first.
#[test]
fn drivers_that_contradict_each_other_are_named() {
    let drivers = |second: &str| {
        format!(
            "[[drivers]]\nname = \"first\"\njoint = \"A\"\n\
             motion = {{ type = \"polynomial\", coefficients = [{UP}, 1.0] }}\n\
             [[drivers]]\nname = \"second\"\njoint = \"D\"\n\
             motion = {{ type = \"polynomial\", coefficients = {second} }}\n"
        )
    };
    // apart from the start
    let (sample, q) = start(&four_bar(2.0, 2.0, &drivers("[1.0, 1.0]")));
    let error = DrivenMotion::new(&sample.system).unwrap().at(0.0, &q).unwrap_err();
    assert!(matches!(error, KinematicsError::CannotAssemble { .. }), "{error}");
    assert!(tells(&error, &["first", "second"]), "{error}");

    // at one position with different speeds
    let (sample, q) = start(&four_bar(2.0, 2.0, &drivers(&format!("[{UP}, 2.0]"))));
    let error = DrivenMotion::new(&sample.system).unwrap().at(0.0, &q).unwrap_err();
    assert!(matches!(error, KinematicsError::Contradiction { .. }), "{error}");
    assert!(tells(&error, &["first", "second"]), "{error}");
    let mut v = vec![0.0; sample.system.nv()];
    let mut projector = VelocityProjector::new(&sample.system);
    let error = projector.project(&sample.system, 0.0, &q, &mut v, 1e-9).unwrap_err();
    assert!(matches!(error, KinematicsError::Contradiction { .. }), "{error}");
    assert!(tells(&error, &["first", "second"]), "{error}");

    // alike, they agree: one of the rows is redundant, and named with the other
    let (sample, q) = start(&four_bar(2.0, 2.0, &drivers(&format!("[{UP}, 1.0]"))));
    let sound = DrivenMotion::new(&sample.system).unwrap().at(0.0, &q).unwrap();
    assert!((sound.v[2] - 1.0).abs() < 1e-12 && (sound.v[5] - 1.0).abs() < 1e-12);
    let found = mobility(&sample.system, 0.0, &q).unwrap();
    assert_eq!((found.degrees_of_freedom, found.redundant.len()), (0, 1));
}

#[test]
fn a_link_of_length_zero_is_refused_with_its_joints() {
    let text = four_bar(2.0, 0.0, "");
    let found = System::new(&mechanism(&text)).unwrap_err();
    let SystemError::ZeroLengthLink { body, joints } = &found else { panic!("{found}") };
    assert_eq!(body, "top");
    let mut joints = joints.clone();
    joints.sort();
    assert_eq!(joints, ["B", "C"]);
    assert!(tells(&found, &["B"]) && tells(&found, &["C"]) && tells(&found, &["top"]), "{found}");
}

/// Three parallel cranks: the third is redundant, and here a little too long.
fn parallel_cranks(third: f64) -> String {
    let bars = [
        ("one", [0.0, 0.5], UP),
        ("two", [1.0, 0.5], UP),
        ("three", [2.0, third / 2.0], UP),
        ("top", [1.0, 1.0], 0.0),
    ];
    let half = third / 2.0;
    let hinges = [
        ("A1", "ground", 0.0, "one", -0.5),
        ("A2", "ground", 1.0, "two", -0.5),
        ("A3", "ground", 2.0, "three", -half),
        ("B1", "one", 0.5, "top", -1.0),
        ("B2", "two", 0.5, "top", 0.0),
        ("B3", "three", half, "top", 1.0),
    ];
    linkage(&bars, &hinges, "")
}

#[test]
fn redundant_constraints_that_contradict_each_other_are_named() {
    let (sample, q) = start(&parallel_cranks(1.0));
    let found = mobility(&sample.system, 0.0, &q).unwrap();
    assert_eq!((found.degrees_of_freedom, found.redundant.len()), (1, 1));

    // rows that depend on others, with accelerations that these do not allow
    let mut evaluation = Evaluation::new(&sample.system);
    let v = vec![0.0; sample.system.nv()];
    sample.system.evaluate(0.0, &q, &v, &mut evaluation);
    evaluation.gamma_mut()[found.redundant[0].row] += 1.0;
    let equations = sample.system.equations(&evaluation, (&q, &v));
    let (mut a, mut lambda) = (v.clone(), vec![0.0; sample.system.rows()]);
    for method in methods() {
        let mut formulation = method.build(&equations).unwrap();
        let error = formulation.solve(&equations, &mut a, &mut lambda).unwrap_err();
        let FormulationError::Inconsistent { row, .. } = error else { panic!("{method}: {error}") };
        let place = sample.system.place_of(&error).unwrap();
        assert_eq!(place, format!("row {row} is '{}'", sample.system.row_name(row)));
        assert!(["A", "B"].iter().any(|joint| place.contains(&format!("'{joint}"))), "{place}");
    }
}

/// Driven from the side to where three cranks of unlike length cannot go.
#[test]
fn redundant_cranks_of_unlike_length_do_not_turn() {
    let driver = "[[drivers]]\nname = \"turn\"\njoint = \"A1\"\n\
                  motion = { type = \"polynomial\", coefficients = [1.5707963267948966, 1.0] }\n";
    // alike, they do
    let (sample, q) = start(&(parallel_cranks(1.0) + driver));
    let times = [0.0, 0.1, 0.2, 0.3];
    let mut samples = Vec::new();
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    motion.motion(&times, &q, &mut samples, |_| ()).unwrap();
    assert!((samples[3].q[2] - UP - 0.3).abs() < 1e-12);

    let (sample, q) = start(&(parallel_cranks(1.02) + driver));
    let mut samples = Vec::new();
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let error = motion.motion(&times, &q, &mut samples, |_| ()).unwrap_err();
    let cannot = matches!(
        error,
        KinematicsError::CannotAssemble { .. } | KinematicsError::Contradiction { .. }
    );
    assert!(cannot, "{error}");
    assert!(tells(&error, &["A1", "A2", "A3", "B1", "B2", "B3", "turn"]), "{error}");
}

/// Numbers that are none are told by place.
#[test]
fn positions_that_are_not_finite_are_told() {
    let (sample, q) = start(&four_bar(2.0, 2.0, ""));
    for value in [f64::NAN, f64::INFINITY] {
        let mut broken = q.clone();
        broken[4] = value;
        let expected = KinematicsError::NotFinite { what: "q", index: 4 };
        let mut assembler = Assembler::new(&sample.system).unwrap();
        let options = AssembleOptions::default();
        let found = assembler.assemble(&sample.system, 0.0, &mut broken.clone(), &options);
        assert_eq!(found.unwrap_err(), expected);
        let mut motion = DrivenMotion::new(&sample.system).unwrap();
        assert_eq!(motion.at(0.0, &broken).unwrap_err(), expected);
        assert_eq!(mobility(&sample.system, 0.0, &broken).unwrap_err(), expected);
    }
}

/// A body without mass is named where a method cannot do without.
#[test]
fn a_body_without_mass_is_named() {
    let text = four_bar(2.0, 2.0, "").replacen(
        "mass = 1.0\ninertia = 0.1",
        "mass = 0.0\ninertia = 0.0",
        1,
    );
    let (sample, q) = start(&text);
    let mut evaluation = Evaluation::new(&sample.system);
    let v = vec![0.0; sample.system.nv()];
    sample.system.evaluate(0.0, &q, &v, &mut evaluation);
    let equations = sample.system.equations(&evaluation, (&q, &v));
    let mut formulation = Method::UdwadiaKalaba.build(&equations).unwrap();
    let (mut a, mut lambda) = (v.clone(), vec![0.0; sample.system.rows()]);
    let error = formulation.solve(&equations, &mut a, &mut lambda).unwrap_err();
    assert_eq!(sample.system.place_of(&error).as_deref(), Some("body 0 is 'left'"));
}

/// A truss of two bars stands still, whatever method says so.
#[test]
fn equilibrium_is_no_contradiction() {
    let bars = [("left", [0.25, 0.5], 1.1), ("right", [0.75, 0.5], 2.0)];
    let hinges = [
        ("A", "ground", 0.0, "left", -0.6),
        ("B", "left", 0.6, "right", -0.6),
        ("C", "ground", 1.0, "right", 0.6),
    ];
    let text = linkage(&bars, &hinges, "");
    let (sample, mut q) = start(&format!("gravity = [0.0, -9.81]\n{text}"));
    let mut assembler = Assembler::new(&sample.system).unwrap();
    assembler.assemble(&sample.system, 0.0, &mut q, &AssembleOptions::default()).unwrap();
    let v = vec![0.0; sample.system.nv()];
    let mut evaluation = Evaluation::new(&sample.system);
    sample.system.evaluate(0.0, &q, &v, &mut evaluation);
    let equations = sample.system.equations(&evaluation, (&q, &v));
    let (mut a, mut lambda) = (v.clone(), vec![0.0; sample.system.rows()]);
    for method in Method::ALL {
        let built = method.build_for(&sample.mechanism, &sample.system, &equations);
        let found = built.unwrap().solve(&equations, &mut a, &mut lambda);
        found.unwrap_or_else(|error| panic!("{method}: {error}"));
        let limit = if method.is_exact() { 1e-12 } else { 1e-7 };
        assert!(a.iter().all(|a| a.abs() < limit * 9.81), "{method}: {a:?}");
    }
}

/// Methods in joint coordinates cannot take another γ than that of the joints, and say so.
#[test]
fn demands_that_joints_do_not_make_are_refused_in_joint_coordinates() {
    let (sample, q) = start(&parallel_cranks(1.0));
    let v = vec![0.0; sample.system.nv()];
    for method in [Method::Recursion, Method::VelocityTransformation] {
        for row in 0..sample.system.rows() {
            let mut evaluation = Evaluation::new(&sample.system);
            sample.system.evaluate(0.0, &q, &v, &mut evaluation);
            evaluation.gamma_mut()[row] += 1.0;
            let equations = sample.system.equations(&evaluation, (&q, &v));
            let (mut a, mut lambda) = (v.clone(), vec![0.0; sample.system.rows()]);
            let built = method.build_for(&sample.mechanism, &sample.system, &equations);
            let found = built.unwrap().solve(&equations, &mut a, &mut lambda);
            let refused = matches!(
                found,
                Err(FormulationError::Inconsistent { .. } | FormulationError::Closure(_))
            );
            // loop closures may follow what is demanded of them
            let follows = equations.residual(&a, &lambda) < 1e-12;
            assert!(refused || found.is_ok() && follows, "{method}, row {row}: {found:?}");
        }
    }
}

/// Coordinates of a number of elements that the numbers of joints do not matter to.
#[test]
fn large_loops_are_assembled_as_small_ones() {
    for size in [1e-3, 1.0, 40.0, 1e4] {
        let mut text = String::from("name = \"scaled\"\nkind = \"planar\"\n");
        for (name, x, y, angle) in
            [("left", 0.0, 0.5, UP + 0.35), ("right", 2.0, 0.5, UP - 0.3), ("top", 1.0, 1.0, 0.2)]
        {
            let (x, y) = (size * x, size * y);
            let _ = writeln!(
                text,
                "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = 0.1\n\
                 position = [{x:?}, {y:?}]\nangle = {angle}"
            );
        }
        for (name, parent, at, child, from) in [
            ("A", "ground", 0.0, "left", -0.5),
            ("D", "ground", 2.0, "right", -0.5),
            ("B", "left", 0.5, "top", -1.0),
            ("C", "right", 0.5, "top", 1.0),
        ] {
            let (at, from) = (size * at, size * from);
            let _ = writeln!(
                text,
                "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
                 child = \"{child}\"\nin_parent = {{ position = [{at:?}, 0.0] }}\n\
                 in_child = {{ position = [{from:?}, 0.0] }}"
            );
        }
        let (sample, mut q) = start(&text);
        let mut assembler = Assembler::new(&sample.system).unwrap();
        let options = AssembleOptions::default();
        let found = assembler.assemble(&sample.system, 0.0, &mut q, &options);
        let found = found.unwrap_or_else(|error| panic!("{size}: {error}"));
        assert!(found.iterations < 12, "{size}: {found:?}");
        assert!((q[2] - q[5]).abs() < 1e-9, "{size}: a parallelogram");
    }
}
