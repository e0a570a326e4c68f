//! A robot by the book: dense matrices in world axes, no recursion in the solve.
//!
//! The natural orthogonal complement: with the twist of every body `t_i = J_i v` at its mass
//! centre, `H = Σ J_iᵀ M_i J_i` and `h = Σ J_iᵀ (M_i ṫ_i° + [ω × I ω; 0] − w_i)`, where `ṫ_i°` is the
//! rate of the twist at `v̇ = 0`.

use nalgebra::{DMatrix, DVector, Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use crate::Rng;

/// A joint of a [`Robot`]; axes have unit length in the joint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RobotJoint {
    /// Rotation.
    Revolute([f64; 3]),
    /// Translation.
    Prismatic([f64; 3]),
    /// No motion.
    Fixed,
    /// Six degrees of freedom, on the ground, in world axes.
    Free,
}

/// A body of a [`Robot`]; its frame is the joint frame after the joint's motion.
#[derive(Clone, Debug)]
pub struct RobotBody {
    /// Parent, an earlier body; none for the ground.
    pub parent: Option<usize>,
    /// The joint to the parent.
    pub joint: RobotJoint,
    /// Roll, pitch, yaw of the joint frame in the parent, rad.
    pub rpy: [f64; 3],
    /// Origin of the joint frame in the parent, m.
    pub origin: [f64; 3],
    /// Mass, kg.
    pub mass: f64,
    /// Mass centre, m.
    pub centre: [f64; 3],
    /// Central inertia `xx, yy, zz, xy, xz, yz`, kg·m².
    pub inertia: [f64; 6],
}

/// A tree of bodies.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Bodies, parents first.
    pub bodies: Vec<RobotBody>,
    /// Gravity in world axes, m/s².
    pub gravity: [f64; 3],
}

/// Motion of a body's mass centre in world axes.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Orientation, body → world.
    pub rotation: Matrix3<f64>,
    /// Mass centre, m.
    pub centre: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Velocity of the mass centre, m/s.
    pub velocity: Vector3<f64>,
}

/// `H v̇ + h = τ`.
#[derive(Clone, Debug)]
pub struct DenseTerms {
    /// `H`, nv × nv.
    pub mass_matrix: DMatrix<f64>,
    /// `h`: velocity terms, gravity and (minus) external wrenches, length nv.
    pub bias: DVector<f64>,
    /// Motion of every body.
    pub motions: Vec<Motion>,
}

struct State {
    rotation: Matrix3<f64>,
    origin: Vector3<f64>,
    omega: Vector3<f64>,
    velocity: Vector3<f64>,
    alpha: Vector3<f64>,
    acceleration: Vector3<f64>,
    columns: DMatrix<f64>,
}

impl Robot {
    /// Numbers of positions and velocities.
    pub fn sizes(&self) -> (usize, usize) {
        self.bodies.iter().fold((0, 0), |(q, v), body| match body.joint {
            RobotJoint::Revolute(_) | RobotJoint::Prismatic(_) => (q + 1, v + 1),
            RobotJoint::Free => (q + 7, v + 6),
            RobotJoint::Fixed => (q, v),
        })
    }

    /// The equations of motion. `external` holds, per body, the moment about the mass centre and
    /// the force, in world axes.
    pub fn terms(&self, q: &[f64], v: &[f64], external: Option<&[[f64; 6]]>) -> DenseTerms {
        let (_, nv) = self.sizes();
        let mut mass_matrix = DMatrix::zeros(nv, nv);
        let mut bias = DVector::zeros(nv);
        let mut motions = Vec::new();
        let mut states: Vec<State> = Vec::new();
        let (mut iq, mut iv) = (0, 0);
        for (i, body) in self.bodies.iter().enumerate() {
            let state = self.state(body, &states, q, v, &mut iq, &mut iv);
            let arm = state.rotation * Vector3::from(body.centre);
            let centre = state.origin + arm;
            let transport = &state.columns;
            // columns at the mass centre: v_C = v_O + ω × arm
            let mut jacobian = transport.clone();
            for c in 0..nv {
                let omega: Vector3<f64> = transport.fixed_view::<3, 1>(0, c).into();
                let linear: Vector3<f64> = transport.fixed_view::<3, 1>(3, c).into();
                jacobian.fixed_view_mut::<3, 1>(3, c).copy_from(&(linear + omega.cross(&arm)));
            }
            let [xx, yy, zz, xy, xz, yz] = body.inertia;
            let local = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let inertia = state.rotation * local * state.rotation.transpose();
            let mut m = DMatrix::zeros(6, 6);
            m.fixed_view_mut::<3, 3>(0, 0).copy_from(&inertia);
            m.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * body.mass));
            let acceleration = state.acceleration
                + state.alpha.cross(&arm)
                + state.omega.cross(&state.omega.cross(&arm))
                - Vector3::from(self.gravity);
            let moment = inertia * state.alpha + state.omega.cross(&(inertia * state.omega));
            let force = acceleration * body.mass;
            let mut wrench = DVector::zeros(6);
            wrench.fixed_rows_mut::<3>(0).copy_from(&moment);
            wrench.fixed_rows_mut::<3>(3).copy_from(&force);
            if let Some(external) = external {
                wrench -= DVector::from_row_slice(&external[i]);
            }
            mass_matrix += jacobian.transpose() * m * &jacobian;
            bias += jacobian.transpose() * wrench;
            motions.push(Motion {
                rotation: state.rotation,
                centre,
                angular_velocity: state.omega,
                velocity: state.velocity + state.omega.cross(&arm),
            });
            states.push(state);
        }
        DenseTerms { mass_matrix, bias, motions }
    }

    /// Accelerations by a dense solve; none if the mass matrix is not positive definite.
    pub fn accelerations(
        &self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        external: Option<&[[f64; 6]]>,
    ) -> Option<Vec<f64>> {
        let terms = self.terms(q, v, external);
        let right = DVector::from_row_slice(tau) - terms.bias;
        let solution = terms.mass_matrix.cholesky()?.solve(&right);
        Some(solution.iter().copied().collect())
    }

    fn state(
        &self,
        body: &RobotBody,
        states: &[State],
        q: &[f64],
        v: &[f64],
        iq: &mut usize,
        iv: &mut usize,
    ) -> State {
        let (_, nv) = self.sizes();
        let ground = State {
            rotation: Matrix3::identity(),
            origin: Vector3::zeros(),
            omega: Vector3::zeros(),
            velocity: Vector3::zeros(),
            alpha: Vector3::zeros(),
            acceleration: Vector3::zeros(),
            columns: DMatrix::zeros(6, nv),
        };
        let p = body.parent.map_or(&ground, |p| &states[p]);
        let [roll, pitch, yaw] = body.rpy;
        let joint_frame = p.rotation * Rotation3::from_euler_angles(roll, pitch, yaw).matrix();
        let mut arm = p.rotation * Vector3::from(body.origin);
        let mut rotation = joint_frame;
        let (mut omega, mut alpha) = (p.omega, p.alpha);
        let (mut own_velocity, mut own_acceleration) = (Vector3::zeros(), Vector3::zeros());
        let mut own: Vec<(usize, Vector3<f64>, Vector3<f64>)> = Vec::new();
        match body.joint {
            RobotJoint::Fixed => {}
            RobotJoint::Revolute(axis) => {
                let e = joint_frame * Vector3::from(axis);
                let turn = Rotation3::from_scaled_axis(Vector3::from(axis) * q[*iq]);
                rotation = joint_frame * turn.matrix();
                omega += e * v[*iv];
                alpha += p.omega.cross(&(e * v[*iv]));
                own.push((*iv, e, Vector3::zeros()));
                *iq += 1;
                *iv += 1;
            }
            RobotJoint::Prismatic(axis) => {
                let e = joint_frame * Vector3::from(axis);
                arm += e * q[*iq];
                own_velocity = e * v[*iv];
                own_acceleration = 2.0 * p.omega.cross(&own_velocity);
                own.push((*iv, Vector3::zeros(), e));
                *iq += 1;
                *iv += 1;
            }
            RobotJoint::Free => {
                let x = &q[*iq..*iq + 7];
                let u = &v[*iv..*iv + 6];
                let quaternion = Quaternion::new(x[3], x[4], x[5], x[6]);
                let unit = UnitQuaternion::from_quaternion(quaternion);
                rotation = *unit.to_rotation_matrix().matrix();
                arm = Vector3::new(x[0], x[1], x[2]);
                omega = Vector3::new(u[0], u[1], u[2]);
                own_velocity = Vector3::new(u[3], u[4], u[5]);
                for k in 0..3 {
                    let e = Vector3::ith(k, 1.0);
                    own.push((*iv + k, e, Vector3::zeros()));
                    own.push((*iv + 3 + k, Vector3::zeros(), e));
                }
                *iq += 7;
                *iv += 6;
            }
        }
        // columns of the parent, moved to this origin
        let mut columns = p.columns.clone();
        for c in 0..nv {
            let w: Vector3<f64> = columns.fixed_view::<3, 1>(0, c).into();
            let u: Vector3<f64> = columns.fixed_view::<3, 1>(3, c).into();
            columns.fixed_view_mut::<3, 1>(3, c).copy_from(&(u + w.cross(&arm)));
        }
        for (c, angular, linear) in own {
            columns.fixed_view_mut::<3, 1>(0, c).copy_from(&angular);
            columns.fixed_view_mut::<3, 1>(3, c).copy_from(&linear);
        }
        State {
            rotation,
            origin: p.origin + arm,
            omega,
            velocity: p.velocity + p.omega.cross(&arm) + own_velocity,
            alpha,
            acceleration: p.acceleration
                + p.alpha.cross(&arm)
                + p.omega.cross(&p.omega.cross(&arm))
                + own_acceleration,
            columns,
        }
    }
}

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
        let inertia = [mass * (y + z), mass * (x + z), mass * (x + y), 0.0, 0.0, 0.0];
        let tilt = 0.1 * mass * x.min(y).min(z);
        let inertia = [inertia[0], inertia[1], inertia[2], tilt, -tilt, 0.5 * tilt];
        list.push(RobotBody { parent, joint, rpy, origin, mass, centre: rng.vector(0.3), inertia });
    }
    Robot { bodies: list, gravity: rng.vector(10.0) }
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
