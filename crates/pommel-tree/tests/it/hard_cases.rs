//! Trees that other programs get wrong, each against the dense robot.

use nalgebra::DVector;
use pommel_math::Vec3;
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, relative_error};
use pommel_tree::{BodySpec, Joint, TreeBuilder, TreeError, Workspace, forward_dynamics};

use crate::common::{State, model, random_state, wrenches};

const Z: RobotJoint = RobotJoint::Revolute([0.0, 0.0, 1.0]);

fn arm(rng: &mut Rng, parent: Option<usize>, joint: RobotJoint) -> RobotBody {
    RobotBody::new(parent, joint).placed(rng.vector(1.5), rng.vector(0.4)).with_inertia(
        rng.uniform(0.5, 3.0),
        rng.vector(0.2),
        [0.3, 0.25, 0.2, 0.01, 0.02, 0.015],
    )
}

fn accelerations(robot: &Robot, s: &State) -> Vec<f64> {
    let model = model(robot);
    let mut qdd = vec![0.0; model.nv()];
    let external = wrenches(&s.wrenches);
    let mut ws = Workspace::new(&model);
    forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, Some(&external), &mut qdd)
        .expect("regular");
    qdd
}

/// Residual of the dense equations, relative to their terms.
fn residual(robot: &Robot, s: &State, qdd: &[f64]) -> f64 {
    let terms = robot.terms(&s.q, &s.v, Some(&s.wrenches));
    let x = DVector::from_row_slice(qdd);
    let residual = &terms.mass_matrix * &x + &terms.bias - DVector::from_row_slice(&s.tau);
    let size = (terms.mass_matrix.abs() * x.abs() + terms.bias.abs()).amax();
    residual.amax() / size
}

fn check(robot: &Robot, seed: u64, tolerance: f64) {
    let s = random_state(&mut Rng::new(seed), robot);
    let qdd = accelerations(robot, &s);
    let truth = robot.accelerations(&s.q, &s.v, &s.tau, Some(&s.wrenches)).expect("regular");
    let error = relative_error(&qdd, &truth);
    assert!(error < tolerance, "{error:.1e}");
}

/// Two arms on one link in the middle of a chain: what each passes on must be added, not replaced.
#[test]
fn two_arms_on_one_link() {
    let mut rng = Rng::new(101);
    let mut bodies = vec![arm(&mut rng, None, RobotJoint::Free)];
    for parent in [0, 1, 2, 3, 2, 5, 6] {
        bodies.push(arm(&mut rng, Some(parent), Z));
    }
    check(&Robot { bodies, gravity: [0.0, 0.0, -9.81] }, 1, 1e-12);
}

/// Joints listed level by level, the limbs interleaved.
#[test]
fn breadth_first_joint_order() {
    let mut rng = Rng::new(102);
    let mut bodies = vec![arm(&mut rng, None, RobotJoint::Free)];
    for level in 0..4 {
        for limb in 0..3 {
            let parent = if level == 0 { 0 } else { 1 + 3 * (level - 1) + limb };
            bodies.push(arm(&mut rng, Some(parent), Z));
        }
    }
    check(&Robot { bodies, gravity: [1.0, 2.0, -9.0] }, 2, 1e-12);
}

/// Bodies without mass between others, in a row.
#[test]
fn massless_intermediate_bodies() {
    let mut rng = Rng::new(103);
    let mut bodies = Vec::new();
    for i in 0..7_usize {
        let mut body = arm(&mut rng, i.checked_sub(1), Z);
        if matches!(i, 1 | 3 | 4) {
            body = body.with_inertia(0.0, [0.0; 3], [0.0; 6]);
        }
        bodies.push(body);
    }
    check(&Robot { bodies, gravity: [0.0, 0.0, -9.81] }, 3, 1e-11);
}

/// A body at the end of a branch without mass: an error that names its joint.
#[test]
fn massless_leaf_is_an_error_that_names_the_joint() {
    let mut builder = TreeBuilder::<f64>::new();
    let z = Joint::Revolute { axis: [0.0, 0.0, 1.0] };
    let inertia = [0.1, 0.1, 0.1, 0.0, 0.0, 0.0];
    let upper = builder
        .add(BodySpec::new("upper", None, z).with_inertia(1.0, Vec3::zero(), inertia))
        .expect("valid");
    builder.add(BodySpec::new("feather", Some(upper), z)).expect("valid");
    let model = builder.build().expect("valid");
    let mut qdd = [0.0; 2];
    let mut ws = Workspace::new(&model);
    let x = [0.1; 2];
    let error =
        forward_dynamics(&model, &mut ws, &x, &x, &x, None, &mut qdd).expect_err("singular");
    assert!(
        matches!(&error, TreeError::SingularPivot { body, .. } if body == "feather"),
        "{error}"
    );
    assert!(error.to_string().contains("'feather'"), "{error}");
    assert!(qdd.iter().all(|x| x.is_nan()));
}

/// A free base without mass that carries arms: they give it inertia.
#[test]
fn zero_mass_base() {
    let mut rng = Rng::new(104);
    let mut bodies = vec![RobotBody::new(None, RobotJoint::Free)];
    for parent in [0, 1, 0, 3] {
        bodies.push(arm(&mut rng, Some(parent), Z));
    }
    check(&Robot { bodies, gravity: [0.0; 3] }, 4, 1e-11);
}

/// Joints that share an axis: each pair turns about one line, with and without a body between.
#[test]
fn coincident_axes() {
    let mut rng = Rng::new(105);
    for free in [false, true] {
        let root = if free { RobotJoint::Free } else { Z };
        let mut bodies = vec![arm(&mut rng, None, root)];
        for i in 1..7 {
            let mut body = arm(&mut rng, Some(i - 1), Z);
            if i % 2 == 0 {
                body = body.placed([0.0; 3], [0.0; 3]);
            }
            bodies.push(body);
        }
        check(&Robot { bodies, gravity: [0.0, -9.81, 0.0] }, 5, 1e-11);
    }
}

/// Neighbours of masses a million times each other's, light on heavy and heavy on light. The
/// accelerations lose what the condition takes; the equations of motion are satisfied.
#[test]
fn mass_ratios_of_a_million() {
    let mut rng = Rng::new(106);
    for free in [false, true] {
        let root = if free { RobotJoint::Free } else { Z };
        let mut bodies = vec![arm(&mut rng, None, root)];
        for i in 1..8_usize {
            let mut body = arm(&mut rng, Some(i - 1), Z);
            let f = if i % 2 == 0 { 1e-3 } else { 1e3 };
            body.mass *= f;
            body.inertia = body.inertia.map(|x| x * f);
            bodies.push(body);
        }
        let robot = Robot { bodies, gravity: [0.0, -9.81, 0.0] };
        let s = random_state(&mut Rng::new(6), &robot);
        let error = residual(&robot, &s, &accelerations(&robot, &s));
        // 1e6 ratios leave 1e-10 of the digits of the light bodies' equations in the worst case
        assert!(error < 1e-11, "free {free}: {error:.1e}");
    }
}

/// Balanced wheels on arms, on the base and in a row with other children, with wrenches on them.
#[test]
fn balanced_wheels_spin_in_closed_form() {
    let mut rng = Rng::new(107);
    for case in 0..40 {
        let root = if case % 2 == 0 { RobotJoint::Free } else { Z };
        let mut bodies = vec![arm(&mut rng, None, root)];
        for i in 1..9 {
            let parent = if i % 3 == 1 { 0 } else { bodies.len() - 1 - (i % 3 == 0) as usize };
            let mut body = arm(&mut rng, Some(parent), Z);
            if i % 3 == 2 || i == 7 {
                let tilt = [0.0, 0.0, rng.symmetric(0.3)];
                body = body.with_inertia(2.0, tilt, [0.3, 0.3, 0.5, 0.0, 0.0, 0.0]);
            }
            bodies.push(body);
        }
        check(&Robot { bodies, gravity: [1.0, 2.0, -9.0] }, case, 1e-11);
    }
}
