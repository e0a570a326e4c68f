//! The same mechanism built in another way: joints as chains of simpler joints, geared rotors as
//! bodies.

use nalgebra::{DMatrix, DVector, Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use pommel_testkit::{
    Rng, Robot, RobotBody, RobotJoint, RobotRotor, RobotState, random_state, relative_error,
};

use crate::{mechanisms, wrenches};

/// Another model with coordinates `q`, velocities `G v` and accelerations `G (v̇ − offset)`.
struct Equivalent {
    robot: Robot,
    q: Vec<f64>,
    map: DMatrix<f64>,
    offset: DVector<f64>,
    /// Places of the bodies of the first model; bodies beyond take no wrench.
    places: Vec<usize>,
}

impl Equivalent {
    /// That inertia matrix, bias, energies and momentum of both models agree.
    fn check(&self, rng: &mut Rng, robot: &Robot, s: &RobotState, case: usize) {
        let mut external = wrenches(rng, robot);
        external[self.places.len()..].fill([0.0; 6]);
        let mut moved = vec![[0.0; 6]; self.robot.bodies.len()];
        self.places.iter().zip(&external).for_each(|(&k, w)| moved[k] = *w);
        let v = &self.map * DVector::from_column_slice(&s.v);
        let (q, v) = (&self.q[..], v.as_slice());
        let terms = robot.terms(&s.q, &s.v, Some(&external));
        let truth = self.robot.terms(q, v, Some(&moved));
        let h = self.map.transpose() * &truth.mass_matrix * &self.map;
        // armature acts on the accelerations of each model as they are
        let armature = (robot.bodies.iter()).flat_map(|b| &b.armature[..b.joint.velocity_count()]);
        let armature = DVector::from_iterator(s.v.len(), armature.copied());
        let inertia = &h - DMatrix::from_diagonal(&armature);
        let bias = self.map.transpose() * truth.bias - inertia * &self.offset;
        let close = |got: &[f64], truth: &[f64], what: &str| {
            let error = relative_error(got, truth);
            assert!(error < 1e-13, "case {case}, {what}: {error:.1e}");
        };
        close(terms.mass_matrix.as_slice(), h.as_slice(), "H");
        close(terms.bias.as_slice(), bias.as_slice(), "h");
        let (t, truth) = (robot.kinetic_energy(&s.q, &s.v), self.robot.kinetic_energy(q, v));
        close(&[t], &[truth], "kinetic energy");
        let (p, truth) = (robot.momentum(&s.q, &s.v), self.robot.momentum(q, v));
        close(p.linear.as_slice(), truth.linear.as_slice(), "linear momentum");
        close(p.angular.as_slice(), truth.angular.as_slice(), "angular momentum");
        close(p.centre.as_slice(), truth.centre.as_slice(), "mass centre");
    }
}

/// Angles about x, y and z in this order.
fn rpy(rotation: Rotation3<f64>) -> [f64; 3] {
    rotation.euler_angles().into()
}

/// Every joint of two or three coordinates, and every helical joint, as a chain of revolute and
/// prismatic joints with massless bodies between.
fn chains(robot: &Robot, s: &RobotState) -> Equivalent {
    use RobotJoint::{Cylindrical, Helical, Planar, Prismatic, Revolute, Spherical, Universal};
    let nv = robot.sizes().1;
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let (mut bodies, mut q, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let mut map: Vec<DVector<f64>> = Vec::new();
    let mut offset = DVector::zeros(nv);
    for (i, body) in robot.bodies.iter().enumerate() {
        let (own_q, own_v) = robot.coordinates(i);
        let (own_q, u) = (&s.q[own_q], &s.v[own_v.clone()]);
        let mut body = RobotBody { parent: body.parent.map(|p| places[p]), ..body.clone() };
        let steps = match body.joint {
            Helical(axis, _) | Cylindrical(axis) => vec![Revolute(axis), Prismatic(axis)],
            Universal(first, second) => vec![Revolute(first), Revolute(second)],
            Planar => vec![Prismatic(x), Prismatic(y), Revolute(z)],
            Spherical => vec![Revolute(x), Revolute(y), Revolute(z)],
            other => vec![other],
        };
        match body.joint {
            Helical(_, pitch) => {
                q.extend([own_q[0], pitch * own_q[0]]);
                let row = unit(nv, own_v.start);
                map.extend([row.clone(), row * pitch]);
            }
            Spherical => {
                // angles that begin at zero from where the joint is; their second derivatives
                // are zero when the angular velocity in child axes has this rate
                let turned = Quaternion::new(own_q[0], own_q[1], own_q[2], own_q[3]);
                let turned = UnitQuaternion::from_quaternion(turned).to_rotation_matrix();
                let [roll, pitch, yaw] = body.rpy;
                body.rpy = rpy(Rotation3::from_euler_angles(roll, pitch, yaw) * turned);
                let rate = [u[1] * u[2], -u[0] * u[2], u[0] * u[1]];
                offset.rows_mut(own_v.start, 3).copy_from_slice(&rate);
                q.extend([0.0; 3]);
                map.extend(own_v.clone().map(|k| unit(nv, k)));
            }
            _ => {
                q.extend(own_q);
                map.extend(own_v.clone().map(|k| unit(nv, k)));
            }
        }
        let armature = body.armature;
        for (k, joint) in steps.iter().enumerate() {
            let mut step = RobotBody::new(body.parent, *joint);
            if k == 0 {
                step = step.placed(body.rpy, body.origin);
                step.rotor = body.rotor;
            } else {
                step.parent = Some(bodies.len() - 1);
            }
            if steps.len() == 1 {
                step.armature = armature;
            } else if k < own_v.len() {
                step.armature[0] = armature[k];
            }
            if k + 1 == steps.len() {
                step = step.with_inertia(body.mass, body.centre, body.inertia);
                places.push(bodies.len());
            }
            bodies.push(step);
        }
    }
    let map = DMatrix::from_fn(map.len(), nv, |r, c| map[r][c]);
    Equivalent { robot: Robot { bodies, ..robot.clone() }, q, map, offset, places }
}

fn unit(n: usize, k: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| f64::from(i == k))
}

#[test]
fn joints_equal_chains_of_simpler_joints() {
    let mut rng = Rng::new(21);
    for (case, robot) in mechanisms(20, 200).iter().enumerate() {
        let s = random_state(&mut rng, robot);
        chains(robot, &s).check(&mut rng, robot, &s, case);
    }
}

/// A body with the axial inertia of the rotor, its mass centre on the spin axis.
fn rotor_body(body: &RobotBody, rotor: &RobotRotor, joint: RobotJoint) -> RobotBody {
    let axis = Vector3::from(rotor.axis);
    let across = 0.7 * rotor.inertia;
    let i = Matrix3::identity() * across + axis * axis.transpose() * (rotor.inertia - across);
    RobotBody::new(body.parent, joint).placed(body.rpy, [0.1, 0.05, -0.02]).with_inertia(
        0.4,
        (axis * 0.03).into(),
        [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]],
    )
}

#[test]
fn rotors_equal_bodies_that_turn_in_a_fixed_ratio() {
    let mut rng = Rng::new(31);
    for (case, mechanism) in mechanisms(30, 200).iter().enumerate() {
        let s = random_state(&mut rng, mechanism);
        // rotors welded to their carriers, which count their mass and inertia
        let mut robot = mechanism.clone();
        // rotors with their own coordinates
        let mut turning = mechanism.clone();
        let (mut q, nv) = (s.q.clone(), s.v.len());
        let mut map = DMatrix::identity(nv, nv);
        for (i, body) in mechanism.bodies.iter().enumerate() {
            turning.bodies[i].rotor = None;
            let Some(rotor) = body.rotor else { continue };
            let (own_q, own_v) = mechanism.coordinates(i);
            robot.bodies.push(rotor_body(body, &rotor, RobotJoint::Fixed));
            turning.bodies.push(rotor_body(body, &rotor, RobotJoint::Revolute(rotor.axis)));
            q.push(rotor.ratio * s.q[own_q.start]);
            map = map.clone().insert_row(map.nrows(), 0.0);
            map[(q.len() - s.q.len() + nv - 1, own_v.start)] = rotor.ratio;
        }
        let places = (0..mechanism.bodies.len()).collect();
        let offset = DVector::zeros(nv);
        let equivalent = Equivalent { robot: turning, q, map, offset, places };
        equivalent.check(&mut rng, &robot, &s, case);
    }
}
