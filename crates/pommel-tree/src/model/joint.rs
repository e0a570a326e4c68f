//! Bodies and joints as their user describes them.

use pommel_math::{Mask, Mat3, Real, Transform, Vec3};

use super::BodyId;
use super::placement::z_to;
use crate::TreeError;
use crate::error::Quantity;

/// How a body moves relative to its parent.
///
/// Axes are in the joint frame and need not have unit length. Positions and velocities of a joint
/// follow each other in `q` and `v` in the order named here.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Joint {
    /// Rotation about an axis; coordinate rad.
    Revolute {
        /// The axis.
        axis: [f64; 3],
    },
    /// Translation along an axis; coordinate m.
    Prismatic {
        /// The axis.
        axis: [f64; 3],
    },
    /// Rotation about an axis with a translation `pitch · angle` along it; coordinate rad; force
    /// N·m.
    Helical {
        /// The axis.
        axis: [f64; 3],
        /// Translation per angle, m/rad.
        pitch: f64,
    },
    /// Rotation about and translation along one axis; coordinates rad, m.
    Cylindrical {
        /// The axis.
        axis: [f64; 3],
    },
    /// Rotation about `axis`, then about `axis2`; two coordinates, rad.
    Universal {
        /// The first axis.
        axis: [f64; 3],
        /// The second axis, in the frame after the first rotation.
        axis2: [f64; 3],
    },
    /// All rotations about the origin of the joint frame. Four positions: the quaternion `w x y z`
    /// that takes components in the joint frame of the child to those in that of the parent. Three
    /// velocities: the relative angular velocity in the child's joint frame, rad/s; accelerations
    /// are their time derivatives; forces are the moment in the child's joint frame, N·m.
    Spherical,
    /// Translations along x and y of the joint frame, then a rotation about its z; coordinates m,
    /// m, rad.
    Planar,
    /// No motion: the body is counted with the body that carries it.
    Fixed,
    /// Free motion relative to the ground.
    ///
    /// Seven positions: origin of the body frame in world axes (m), quaternion `w x y z`
    /// (body → world). Six velocities: angular velocity (rad/s), velocity of the origin (m/s), both
    /// in world axes; accelerations are their time derivatives; forces are the moment about the
    /// origin (N·m) and the force (N), in world axes.
    Free,
}

impl Joint {
    /// Number of position coordinates.
    pub const fn nq(self) -> usize {
        match self {
            Joint::Spherical => 4,
            Joint::Free => 7,
            _ => self.nv(),
        }
    }

    /// Number of velocities.
    pub const fn nv(self) -> usize {
        match self {
            Joint::Fixed => 0,
            Joint::Revolute { .. } | Joint::Prismatic { .. } | Joint::Helical { .. } => 1,
            Joint::Cylindrical { .. } | Joint::Universal { .. } => 2,
            Joint::Spherical | Joint::Planar => 3,
            Joint::Free => 6,
        }
    }

    fn axes(self) -> [Option<[f64; 3]>; 2] {
        match self {
            Joint::Revolute { axis }
            | Joint::Prismatic { axis }
            | Joint::Helical { axis, .. }
            | Joint::Cylindrical { axis } => [Some(axis), None],
            Joint::Universal { axis, axis2 } => [Some(axis), Some(axis2)],
            Joint::Spherical | Joint::Planar | Joint::Fixed | Joint::Free => [None, None],
        }
    }
}

/// A rotor on the parent that a joint turns through a gear.
///
/// The rotor spins with `ratio · q̇` relative to the parent about an axis fixed in the parent. Its
/// mass and its whole inertia are counted with the parent body; what it adds is its spin: the
/// inertia `ratio² · inertia` at the joint, and the coupling `ratio · inertia` between the joint
/// and the rotation of the parent with its gyroscopic moment. On the ground only the first remains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotor<T> {
    /// Inertia about the rotor's axis, kg·m².
    pub inertia: T,
    /// Speed of the rotor relative to the parent, divided by that of the joint.
    pub ratio: T,
    /// The rotor's axis in the joint frame on the side of the parent; need not have unit length.
    pub axis: [f64; 3],
}

/// A body, and the joint that carries it.
#[derive(Clone, Debug)]
pub struct BodySpec<T> {
    /// Name, used in error messages.
    pub name: String,
    /// The body that carries it; none for the ground.
    pub parent: Option<BodyId>,
    /// The joint.
    pub joint: Joint,
    /// The joint frame in the parent's frame (in world, on the ground). Not used by a free joint.
    pub in_parent: Transform<T>,
    /// The joint frame, after the motion of the joint, in the frame of this body. Not used by a
    /// free joint.
    pub in_child: Transform<T>,
    /// Mass, kg.
    pub mass: T,
    /// Mass centre in the frame of this body, m.
    pub centre: Vec3<T>,
    /// Inertia tensor about the mass centre, in the axes of this body, kg·m²; its entries `xx, yy,
    /// zz, xy, xz, yz`.
    pub inertia: [T; 6],
    /// Inertia added to the diagonal of the inertia matrix, one number per velocity of the joint,
    /// kg·m² or kg; empty or zeros for none. The usual approximation of a geared motor, without
    /// gyroscopic effects.
    pub armature: Vec<T>,
    /// A geared rotor on the parent; for joints with one velocity.
    pub rotor: Option<Rotor<T>>,
    /// First position coordinate and first velocity of the joint in `q` and `v`; none to number on.
    /// Either all bodies say so or none.
    pub coordinates: Option<(usize, usize)>,
}

impl<T: Real> BodySpec<T> {
    /// A massless body with its joint at the parent's origin.
    pub fn new(name: impl Into<String>, parent: Option<BodyId>, joint: Joint) -> Self {
        BodySpec {
            name: name.into(),
            parent,
            joint,
            in_parent: Transform::identity(),
            in_child: Transform::identity(),
            mass: T::zero(),
            centre: Vec3::zero(),
            inertia: [T::zero(); 6],
            armature: Vec::new(),
            rotor: None,
            coordinates: None,
        }
    }

    /// Sets the joint frame in the parent's frame.
    pub fn placed(mut self, in_parent: Transform<T>) -> Self {
        self.in_parent = in_parent;
        self
    }

    /// Sets mass (kg), mass centre (m) and central inertia (kg·m², `xx, yy, zz, xy, xz, yz`).
    pub fn with_inertia(mut self, mass: T, centre: Vec3<T>, inertia: [T; 6]) -> Self {
        self.mass = mass;
        self.centre = centre;
        self.inertia = inertia;
        self
    }

    /// What is wrong with the body, not counting its parent.
    pub(super) fn check(&self) -> Result<(), TreeError> {
        let body = || self.name.clone();
        let axes = self.joint.axes().into_iter().flatten().chain(self.rotor.iter().map(|r| r.axis));
        if axes.into_iter().flatten().any(|x| !x.is_finite()) {
            return Err(TreeError::NotFinite { body: body(), quantity: Quantity::Axis });
        }
        if self.joint.axes().into_iter().flatten().any(|axis| z_to(axis).is_none()) {
            return Err(TreeError::ZeroAxis { body: body() });
        }
        if self.joint == Joint::Free && self.parent.is_some() {
            return Err(TreeError::FreeJointNotOnGround { body: body() });
        }
        if let Some(rotor) = &self.rotor {
            if self.joint.nv() != 1 {
                return Err(TreeError::RotorNeedsOneVelocity { body: body() });
            }
            if z_to(rotor.axis).is_none() {
                return Err(TreeError::ZeroAxis { body: body() });
            }
        }
        if !(self.armature.is_empty() || self.armature.len() == self.joint.nv()) {
            let (given, needed) = (self.armature.len(), self.joint.nv());
            return Err(TreeError::WrongNumberOfArmatures { body: body(), given, needed });
        }
        match self.not_finite() {
            Some(quantity) => Err(TreeError::NotFinite { body: body(), quantity }),
            None => Ok(()),
        }
    }

    fn not_finite(&self) -> Option<Quantity> {
        let mut ok = Mask::all(T::LANES);
        let rotation = |r: Mat3<T>| [r.x, r.y, r.z];
        for frame in [self.in_parent, self.in_child] {
            for v in rotation(frame.rotation).into_iter().chain([frame.translation]) {
                v.to_array().into_iter().for_each(|x| ok &= x.is_finite());
            }
        }
        if let Joint::Helical { pitch, .. } = self.joint
            && !pitch.is_finite()
        {
            return Some(Quantity::Placement);
        }
        if !ok.is_all(T::LANES) {
            return Some(Quantity::Placement);
        }
        ok &= self.mass.is_finite();
        let rotor = self.rotor.iter().flat_map(|r| [r.inertia, r.ratio]);
        let numbers = self.centre.to_array().into_iter().chain(self.inertia);
        numbers.chain(rotor).chain(self.armature.clone()).for_each(|x| ok &= x.is_finite());
        (!ok.is_all(T::LANES)).then_some(Quantity::Inertia)
    }
}
