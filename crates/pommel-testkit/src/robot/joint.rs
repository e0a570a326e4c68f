//! Joints: coordinates and the motion of a child relative to its joint frame.

use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

/// A joint of a [`Robot`](crate::Robot); axes have unit length in the joint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RobotJoint {
    /// Rotation; the angle, rad.
    Revolute([f64; 3]),
    /// Translation; the displacement, m.
    Prismatic([f64; 3]),
    /// Rotation about an axis with a slide of pitch (m/rad) times the angle along it; the angle,
    /// rad.
    Helical([f64; 3], f64),
    /// Rotation about an axis and independent slide along it; the angle (rad), then the slide (m).
    Cylindrical([f64; 3]),
    /// `R(first, q1) R(second, q2)`, the second axis in the frame after the first rotation; two
    /// angles, rad.
    Universal([f64; 3], [f64; 3]),
    /// Rotation about a point; positions are a quaternion w, x, y, z from child to joint-frame
    /// components, velocities the relative angular velocity in child axes, rad/s.
    Spherical,
    /// Motion in the xy plane of the joint frame; displacements along its x and y (m), then the
    /// angle about its z (rad).
    Planar,
    /// No motion.
    Fixed,
    /// Six degrees of freedom, on the ground, in world axes, wherever the joint frame is.
    /// Positions are the origin (m) and a quaternion w, x, y, z from body to world components,
    /// velocities the angular velocity (rad/s) and the velocity of the origin (m/s).
    Free,
}

/// Motion of the child relative to the joint frame, in axes of the joint frame.
pub(super) struct JointMotion {
    /// Child → joint frame.
    pub(super) rotation: Matrix3<f64>,
    /// Origin of the child, m.
    pub(super) displacement: Vector3<f64>,
    /// Angular velocity and velocity of the origin for a unit of each velocity.
    pub(super) columns: Vec<(Vector3<f64>, Vector3<f64>)>,
    /// Angular acceleration at v̇ = 0, rad/s². The origin has none: it moves along fixed lines.
    pub(super) angular_acceleration: Vector3<f64>,
}

fn turn(axis: [f64; 3], angle: f64) -> Matrix3<f64> {
    *Rotation3::from_scaled_axis(Vector3::from(axis) * angle).matrix()
}

fn rotation_of(q: &[f64]) -> Matrix3<f64> {
    let unit = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
    *unit.to_rotation_matrix().matrix()
}

impl RobotJoint {
    /// Number of positions.
    pub const fn position_count(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute(_) | Self::Prismatic(_) | Self::Helical(..) => 1,
            Self::Cylindrical(_) | Self::Universal(..) => 2,
            Self::Planar => 3,
            Self::Spherical => 4,
            Self::Free => 7,
        }
    }

    /// Number of velocities.
    pub const fn velocity_count(&self) -> usize {
        match self {
            Self::Spherical => 3,
            Self::Free => 6,
            other => other.position_count(),
        }
    }

    /// Where the quaternion begins in the joint's positions, if it has one.
    pub const fn quaternion_offset(&self) -> Option<usize> {
        match self {
            Self::Spherical => Some(0),
            Self::Free => Some(3),
            _ => None,
        }
    }

    /// Quaternions are normalised first. For [`Free`](Self::Free), the joint frame is the world.
    pub(super) fn motion(&self, q: &[f64], v: &[f64]) -> JointMotion {
        let zero = Vector3::zeros();
        let unit = |k| Vector3::ith(k, 1.0);
        let mut motion = JointMotion {
            rotation: Matrix3::identity(),
            displacement: zero,
            columns: Vec::new(),
            angular_acceleration: zero,
        };
        match *self {
            Self::Fixed => {}
            Self::Revolute(axis) => {
                motion.rotation = turn(axis, q[0]);
                motion.columns = vec![(axis.into(), zero)];
            }
            Self::Prismatic(axis) => {
                motion.displacement = Vector3::from(axis) * q[0];
                motion.columns = vec![(zero, axis.into())];
            }
            Self::Helical(axis, pitch) => {
                let slide = Vector3::from(axis) * pitch;
                motion.rotation = turn(axis, q[0]);
                motion.displacement = slide * q[0];
                motion.columns = vec![(axis.into(), slide)];
            }
            Self::Cylindrical(axis) => {
                motion.rotation = turn(axis, q[0]);
                motion.displacement = Vector3::from(axis) * q[1];
                motion.columns = vec![(axis.into(), zero), (zero, axis.into())];
            }
            Self::Universal(first, second) => {
                let half_way = turn(first, q[0]);
                let (first, carried) = (Vector3::from(first), half_way * Vector3::from(second));
                motion.rotation = half_way * turn(second, q[1]);
                motion.columns = vec![(first, zero), (carried, zero)];
                motion.angular_acceleration = (first * v[0]).cross(&(carried * v[1]));
            }
            Self::Spherical => {
                // R v has the rate R (v × v) = 0 at v̇ = 0
                motion.rotation = rotation_of(q);
                motion.columns =
                    motion.rotation.column_iter().map(|c| (c.into_owned(), zero)).collect();
            }
            Self::Planar => {
                motion.rotation = turn([0.0, 0.0, 1.0], q[2]);
                motion.displacement = Vector3::new(q[0], q[1], 0.0);
                motion.columns = vec![(zero, unit(0)), (zero, unit(1)), (unit(2), zero)];
            }
            Self::Free => {
                motion.rotation = rotation_of(&q[3..7]);
                motion.displacement = Vector3::new(q[0], q[1], q[2]);
                let angular = (0..3).map(|k| (unit(k), zero));
                motion.columns = angular.chain((0..3).map(|k| (zero, unit(k)))).collect();
            }
        }
        motion
    }

    /// Rates of the positions.
    pub(super) fn position_rates(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let quaternion = |x: &[f64]| Quaternion::new(x[0], x[1], x[2], x[3]);
        let pure = |x: &[f64]| Quaternion::new(0.0, x[0], x[1], x[2]);
        match self {
            Self::Spherical => {
                let rate = quaternion(q) * pure(v) * 0.5;
                vec![rate.w, rate.i, rate.j, rate.k]
            }
            Self::Free => {
                let rate = pure(v) * quaternion(&q[3..]) * 0.5;
                vec![v[3], v[4], v[5], rate.w, rate.i, rate.j, rate.k]
            }
            _ => v.to_vec(),
        }
    }
}
