//! Random robots and states.

use nalgebra::Vector3;

use super::{Robot, RobotBody, RobotJoint, RobotRotor};
use crate::Rng;

/// A random tree of revolute, prismatic and fixed joints with physical bodies; body 0 is on a
/// free base or on the ground. Some placements are special: parallel, antiparallel, nearly
/// parallel and coincident axes, right angles.
pub fn random_robot(rng: &mut Rng, bodies: usize, free: bool) -> Robot {
    let mut list: Vec<RobotBody> = Vec::new();
    for i in 0..bodies {
        let joint = match (i, rng.below(8)) {
            (0, _) if free => RobotJoint::Free,
            (_, 0) => RobotJoint::Fixed,
            (_, 1 | 2) => RobotJoint::Prismatic(random_axis(rng)),
            _ => RobotJoint::Revolute(random_axis(rng)),
        };
        list.push(random_body(rng, i, joint));
    }
    Robot { bodies: list, gravity: rng.vector(10.0) }
}

/// A random tree of joints of all kinds with physical bodies, armature on some joints and rotors
/// on some joints of one coordinate; body 0 is on a free base or on the ground by any joint.
/// Placements are as in [`random_robot`]. Free joints have no armature, so that the momentum of a
/// robot on a free base changes by external wrenches only.
pub fn random_mechanism(rng: &mut Rng, bodies: usize, free: bool) -> Robot {
    let mut list: Vec<RobotBody> = Vec::new();
    for i in 0..bodies {
        let joint = if free && i == 0 { RobotJoint::Free } else { random_joint(rng) };
        let mut body = random_body(rng, i, joint);
        if body.joint != RobotJoint::Free && rng.below(3) == 0 {
            for a in &mut body.armature[..body.joint.velocity_count()] {
                *a = rng.uniform(0.0, 2.0);
            }
        }
        if body.joint.velocity_count() == 1 && rng.below(2) == 0 {
            let inertia = rng.uniform(0.0005, 0.01);
            let ratio = if rng.below(4) == 0 { 1.0 } else { rng.symmetric(60.0) };
            body.rotor = Some(RobotRotor { inertia, ratio, axis: random_axis(rng) });
            // the carrier counts the rotor's inertia, here that of a ball
            if let Some(p) = body.parent {
                list[p].inertia[..3].iter_mut().for_each(|x| *x += inertia);
            }
        }
        list.push(body);
    }
    Robot { bodies: list, gravity: rng.vector(10.0) }
}

/// A state of a [`Robot`].
#[derive(Clone, Debug, PartialEq)]
pub struct RobotState {
    /// Positions, length nq; quaternions have unit length.
    pub q: Vec<f64>,
    /// Velocities, length nv.
    pub v: Vec<f64>,
    /// Joint forces, conjugate to the velocities, length nv.
    pub tau: Vec<f64>,
}

/// A random state: positions within ±3 (rad, m), velocities within ±2, joint forces within ±20.
pub fn random_state(rng: &mut Rng, robot: &Robot) -> RobotState {
    let (nq, nv) = robot.sizes();
    let mut q = rng.list(nq, 3.0);
    for (i, body) in robot.bodies.iter().enumerate() {
        if let Some(offset) = body.joint.quaternion_offset() {
            let start = robot.coordinates(i).0.start + offset;
            let quaternion = &mut q[start..start + 4];
            let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
            quaternion.iter_mut().for_each(|x| *x /= norm);
        }
    }
    RobotState { q, v: rng.list(nv, 2.0), tau: rng.list(nv, 20.0) }
}

/// Body `i` with this joint, on an earlier body or the ground.
fn random_body(rng: &mut Rng, i: usize, joint: RobotJoint) -> RobotBody {
    // chains more often than bushes
    let parent = match (i, rng.below(3)) {
        (0, _) => None,
        (_, 0) => Some(rng.below(i)),
        _ => Some(i - 1),
    };
    let (rpy, origin) = random_placement(rng);
    let size = rng.vector(0.3).map(|s| s.abs() + 0.05);
    let mass = rng.uniform(0.5, 5.0);
    let (x, y, z) = (size[0] * size[0], size[1] * size[1], size[2] * size[2]);
    // a box about its own axes, with a small physical tilt in the products
    let tilt = 0.1 * mass * x.min(y).min(z);
    let inertia = [mass * (y + z), mass * (x + z), mass * (x + y), tilt, -tilt, 0.5 * tilt];
    RobotBody::new(parent, joint).placed(rpy, origin).with_inertia(mass, rng.vector(0.3), inertia)
}

fn random_joint(rng: &mut Rng) -> RobotJoint {
    match rng.below(10) {
        0 => RobotJoint::Fixed,
        1 => RobotJoint::Prismatic(random_axis(rng)),
        2 => RobotJoint::Helical(random_axis(rng), rng.symmetric(0.2)),
        3 => RobotJoint::Cylindrical(random_axis(rng)),
        4 => {
            let first = random_axis(rng);
            RobotJoint::Universal(first, second_axis(rng, first))
        }
        5 => RobotJoint::Spherical,
        6 => RobotJoint::Planar,
        _ => RobotJoint::Revolute(random_axis(rng)),
    }
}

fn random_axis(rng: &mut Rng) -> [f64; 3] {
    match rng.below(5) {
        0 => [1.0, 0.0, 0.0],
        1 => [0.0, -1.0, 0.0],
        2 => [0.0, 0.0, 1.0],
        _ => {
            let v = Vector3::from(rng.vector(1.0)) + Vector3::new(0.0, 0.0, 1.5);
            v.normalize().into()
        }
    }
}

/// An axis at 45° or more to the first, sometimes at a right angle.
fn second_axis(rng: &mut Rng, first: [f64; 3]) -> [f64; 3] {
    let first = Vector3::from(first);
    // the unit vector most across the first axis, and any other direction across it
    let across = first.cross(&Vector3::ith(first.iamin(), 1.0)).normalize();
    let angle = rng.symmetric(3.0);
    let across = across * angle.cos() + first.cross(&across) * angle.sin();
    let lean = if rng.below(2) == 0 { 0.0 } else { rng.symmetric(1.0) };
    (across + first * lean).normalize().into()
}

fn random_placement(rng: &mut Rng) -> ([f64; 3], [f64; 3]) {
    use std::f64::consts::{FRAC_PI_2, PI};
    let rpy = match rng.below(8) {
        0 => [0.0; 3],
        1 => [PI, 0.0, 0.0],
        2 => [FRAC_PI_2, 0.0, -FRAC_PI_2],
        3 => [1e-9, -2e-9, 0.4],
        4 => [1e-3, 0.0, PI],
        _ => rng.vector(3.0),
    };
    let origin = match rng.below(5) {
        0 => [0.0; 3],
        1 => [0.0, 0.0, rng.symmetric(0.5)],
        _ => rng.vector(0.5),
    };
    (rpy, origin)
}
