//! From the testkit's robots to models.

use pommel_math::{Mat3, Real, Transform, Vec3};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, RobotState};
use pommel_tree::{BodyId, BodySpec, Elimination, Joint, Model, Rotor, TreeBuilder};

/// The model of a robot, over any scalar; `adjust` may change the bodies before they are added.
pub(crate) fn model_with<T: Real>(
    robot: &Robot,
    adjust: impl Fn(usize, BodySpec<T>) -> BodySpec<T>,
) -> Model<T> {
    builder_with(robot, adjust).build().expect("the robot is valid")
}

/// The builder of a robot: its bodies have their numbers.
pub(crate) fn builder(robot: &Robot) -> TreeBuilder<f64> {
    builder_with(robot, |_, spec| spec)
}

fn builder_with<T: Real>(
    robot: &Robot,
    adjust: impl Fn(usize, BodySpec<T>) -> BodySpec<T>,
) -> TreeBuilder<T> {
    let mut builder = TreeBuilder::new();
    builder.gravity(Vec3::from_f64(robot.gravity));
    let mut ids: Vec<BodyId> = Vec::new();
    for (i, body) in robot.bodies.iter().enumerate() {
        let joint = match body.joint {
            RobotJoint::Revolute(axis) => Joint::Revolute { axis },
            RobotJoint::Prismatic(axis) => Joint::Prismatic { axis },
            RobotJoint::Helical(axis, pitch) => Joint::Helical { axis, pitch },
            RobotJoint::Cylindrical(axis) => Joint::Cylindrical { axis },
            RobotJoint::Universal(axis, axis2) => Joint::Universal { axis, axis2 },
            RobotJoint::Spherical => Joint::Spherical,
            RobotJoint::Planar => Joint::Planar,
            RobotJoint::Fixed => Joint::Fixed,
            RobotJoint::Free => Joint::Free,
        };
        let rotation = Mat3::from_rpy(body.rpy.map(T::from_f64));
        let mut spec = BodySpec::new(format!("body{i}"), body.parent.map(|p| ids[p]), joint)
            .placed(Transform::new(rotation, Vec3::from_f64(body.origin)))
            .with_inertia(
                T::from_f64(body.mass),
                Vec3::from_f64(body.centre),
                body.inertia.map(T::from_f64),
            );
        if body.armature != [0.0; 6] {
            spec.armature = lift(&body.armature[..joint.nv()]);
        }
        spec.rotor = body.rotor.map(|rotor| Rotor {
            inertia: T::from_f64(rotor.inertia),
            ratio: T::from_f64(rotor.ratio),
            axis: rotor.axis,
        });
        ids.push(builder.add(adjust(i, spec)).expect("the robot is valid"));
    }
    builder
}

pub(crate) fn model(robot: &Robot) -> Model<f64> {
    model_with(robot, |_, spec| spec)
}

/// The model that is eliminated towards its free body, whatever masses an instance has.
pub(crate) fn model_towards_free_body(robot: &Robot) -> Model<f64> {
    let mut builder = builder(robot);
    builder.eliminate_towards(Elimination::FreeBody);
    builder.build().expect("the robot is valid")
}

/// A serial chain of revolute joints with general Denavit–Hartenberg parameters.
pub(crate) fn dh_chain(n: usize, free: bool, seed: u64) -> Robot {
    let mut rng = Rng::new(seed);
    let mut robot = Robot { bodies: Vec::new(), gravity: [0.0, 0.0, -9.81] };
    for i in 0..n + usize::from(free) {
        let alpha = rng.symmetric(1.5);
        let (a, d) = (rng.uniform(0.1, 0.5), rng.uniform(0.05, 0.3));
        let joint = match i {
            0 if free => RobotJoint::Free,
            _ => RobotJoint::Revolute([0.0, 0.0, 1.0]),
        };
        robot.bodies.push(
            RobotBody::new(i.checked_sub(1), joint)
                .placed([alpha, 0.0, 0.0], [a, -d * alpha.sin(), d * alpha.cos()])
                .with_inertia(
                    rng.uniform(1.0, 5.0),
                    rng.vector(0.1),
                    [0.3, 0.25, 0.2, 0.01, 0.02, 0.015],
                ),
        );
    }
    robot
}

/// Two robots in one world.
pub(crate) fn two_trees(a: &Robot, b: &Robot) -> Robot {
    let first = a.bodies.len();
    let moved = b.bodies.iter().map(|body| {
        let parent = body.parent.map(|p| p + first);
        RobotBody { parent, ..body.clone() }
    });
    Robot { bodies: a.bodies.iter().cloned().chain(moved).collect(), gravity: a.gravity }
}

/// A random state: positions (with unit quaternions), velocities, joint forces, wrenches.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    pub(crate) wrenches: Vec<[f64; 6]>,
}

pub(crate) fn random_state(rng: &mut Rng, robot: &Robot) -> State {
    let RobotState { q, v, tau } = pommel_testkit::random_state(rng, robot);
    let wrench = |rng: &mut Rng| {
        let (n, f) = (rng.vector(5.0), rng.vector(5.0));
        [n[0], n[1], n[2], f[0], f[1], f[2]]
    };
    State { q, v, tau, wrenches: robot.bodies.iter().map(|_| wrench(rng)).collect() }
}

/// Wrenches as the model takes them.
pub(crate) fn wrenches<T: Real>(list: &[[f64; 6]]) -> Vec<pommel_math::Wrench<T>> {
    let vector = |w: &[f64]| Vec3::from_f64([w[0], w[1], w[2]]);
    list.iter().map(|w| pommel_math::Wrench::new(vector(&w[..3]), vector(&w[3..]))).collect()
}

pub(crate) fn lift<T: Real>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x)).collect()
}
