//! Motion of the mass centres.

use nalgebra::{DMatrix, Matrix3, Rotation3, Vector3};

use super::{Robot, RobotBody, RobotJoint};

/// Motion of a body and its mass centre in world axes.
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
    /// Angular velocity over velocity of the mass centre against `v`, 6 × nv.
    pub jacobian: DMatrix<f64>,
    /// Angular acceleration at v̇ = 0, rad/s².
    pub bias_angular_acceleration: Vector3<f64>,
    /// Acceleration of the mass centre at v̇ = 0, without gravity, m/s².
    pub bias_acceleration: Vector3<f64>,
}

/// Motion of a body with its origin as the point of reference.
#[derive(Clone)]
struct Frame {
    rotation: Matrix3<f64>,
    origin: Vector3<f64>,
    omega: Vector3<f64>,
    velocity: Vector3<f64>,
    alpha: Vector3<f64>,
    acceleration: Vector3<f64>,
    jacobian: DMatrix<f64>,
}

impl Frame {
    fn ground(nv: usize) -> Self {
        let zero = Vector3::zeros();
        Self {
            rotation: Matrix3::identity(),
            origin: zero,
            omega: zero,
            velocity: zero,
            alpha: zero,
            acceleration: zero,
            jacobian: DMatrix::zeros(6, nv),
        }
    }

    /// The point at `arm` (world axes) from the origin as the point of reference.
    fn shifted(&self, arm: &Vector3<f64>) -> Self {
        let mut shifted = self.clone();
        shifted.origin += arm;
        shifted.velocity += self.omega.cross(arm);
        shifted.acceleration += self.alpha.cross(arm) + self.omega.cross(&self.omega.cross(arm));
        for mut column in shifted.jacobian.column_iter_mut() {
            let omega: Vector3<f64> = column.fixed_rows::<3>(0).into();
            let mut linear = column.fixed_rows_mut::<3>(3);
            linear += omega.cross(arm);
        }
        shifted
    }

    /// The body on this parent; `first` is the place of the joint's velocities in `v`.
    fn child(&self, body: &RobotBody, q: &[f64], v: &[f64], first: usize) -> Self {
        let relative = body.joint.motion(q, v);
        // a free joint is in world axes, wherever its frame is
        let axes = match body.joint {
            RobotJoint::Free => Matrix3::identity(),
            _ => body.joint_axes(&self.rotation),
        };
        let place = match body.joint {
            RobotJoint::Free => Vector3::zeros(),
            _ => self.rotation * Vector3::from(body.origin),
        };
        let mut child = self.shifted(&(place + axes * relative.displacement));
        let (mut omega, mut velocity) = (Vector3::zeros(), Vector3::zeros());
        for (k, (angular, linear)) in relative.columns.iter().enumerate() {
            let (angular, linear) = (axes * angular, axes * linear);
            child.jacobian.fixed_view_mut::<3, 1>(0, first + k).copy_from(&angular);
            child.jacobian.fixed_view_mut::<3, 1>(3, first + k).copy_from(&linear);
            omega += angular * v[k];
            velocity += linear * v[k];
        }
        child.rotation = axes * relative.rotation;
        child.omega += omega;
        child.velocity += velocity;
        child.alpha += self.omega.cross(&omega) + axes * relative.angular_acceleration;
        child.acceleration += 2.0 * self.omega.cross(&velocity);
        child
    }
}

impl RobotBody {
    /// Axes of the joint frame, → world, on a parent of this orientation.
    pub(super) fn joint_axes(&self, parent: &Matrix3<f64>) -> Matrix3<f64> {
        let [roll, pitch, yaw] = self.rpy;
        parent * Rotation3::from_euler_angles(roll, pitch, yaw).matrix()
    }

    /// Inertia about the mass centre in world axes, kg·m².
    pub(super) fn world_inertia(&self, rotation: &Matrix3<f64>) -> Matrix3<f64> {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        let local = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        rotation * local * rotation.transpose()
    }
}

impl Robot {
    /// The motion of every body; quaternions are normalised first.
    ///
    /// # Panics
    ///
    /// If the lengths of `q` and `v` are not those of [`sizes`](Robot::sizes).
    pub fn motions(&self, q: &[f64], v: &[f64]) -> Vec<Motion> {
        assert_eq!((q.len(), v.len()), self.sizes(), "numbers of positions and velocities");
        let ground = Frame::ground(v.len());
        let mut frames: Vec<Frame> = Vec::new();
        let mut motions = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let (own_q, own_v) = self.coordinates(i);
            let parent = body.parent.map_or(&ground, |p| &frames[p]);
            let frame = parent.child(body, &q[own_q], &v[own_v.clone()], own_v.start);
            let at_centre = frame.shifted(&(frame.rotation * Vector3::from(body.centre)));
            motions.push(Motion {
                rotation: at_centre.rotation,
                centre: at_centre.origin,
                angular_velocity: at_centre.omega,
                velocity: at_centre.velocity,
                jacobian: at_centre.jacobian,
                bias_angular_acceleration: at_centre.alpha,
                bias_acceleration: at_centre.acceleration,
            });
            frames.push(frame);
        }
        motions
    }

    /// The rates `q̇` of the positions at the velocities `v`, length nq.
    pub fn position_rates(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let rates = |(i, body): (usize, &RobotBody)| {
            let (own_q, own_v) = self.coordinates(i);
            body.joint.position_rates(&q[own_q], &v[own_v])
        };
        self.bodies.iter().enumerate().flat_map(rates).collect()
    }
}
