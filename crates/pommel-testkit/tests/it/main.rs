//! Tests of the reference robot against published digits, other models of the same mechanism and
//! the laws of mechanics.

mod equivalents;
mod laws;
mod references;
mod saddle;

use pommel_testkit::{Rng, Robot, RobotJoint, random_mechanism};

/// Fixed and free mechanisms, and for each kind of joint at least one.
fn mechanisms(seed: u64, count: usize) -> Vec<Robot> {
    let mut rng = Rng::new(seed);
    let robots: Vec<Robot> =
        (0..count).map(|k| random_mechanism(&mut rng, 1 + k % 9, k % 2 == 0)).collect();
    let has = |test: fn(&RobotJoint) -> bool| {
        robots.iter().any(|r| r.bodies.iter().any(|b| test(&b.joint)))
    };
    assert!(has(|j| matches!(j, RobotJoint::Revolute(_))));
    assert!(has(|j| matches!(j, RobotJoint::Prismatic(_))));
    assert!(has(|j| matches!(j, RobotJoint::Helical(..))));
    assert!(has(|j| matches!(j, RobotJoint::Cylindrical(_))));
    assert!(has(|j| matches!(j, RobotJoint::Universal(..))));
    assert!(has(|j| *j == RobotJoint::Spherical));
    assert!(has(|j| *j == RobotJoint::Planar));
    assert!(has(|j| *j == RobotJoint::Fixed));
    assert!(has(|j| *j == RobotJoint::Free));
    let bodies = || robots.iter().flat_map(|r| &r.bodies);
    assert!(bodies().any(|b| b.rotor.is_some() && b.parent.is_some()));
    assert!(bodies().any(|b| b.rotor.is_some() && b.parent.is_none()));
    assert!(bodies().any(|b| b.armature != [0.0; 6]));
    robots
}

/// Moments and forces on all bodies.
fn wrenches(rng: &mut Rng, robot: &Robot) -> Vec<[f64; 6]> {
    let list = robot.bodies.iter().map(|_| rng.list(6, 5.0));
    list.map(|w| w.try_into().expect("six")).collect()
}
