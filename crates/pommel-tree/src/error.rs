//! What can go wrong with a tree.

use core::fmt;

use pommel_math::Mask;

/// Why a tree cannot be built or solved.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TreeError {
    /// The inertia felt at a joint is not positive: a massless body at the end of a branch, or one
    /// whose mass lies on the joint axis.
    ///
    /// For a scalar with several lanes, only the lanes in `lanes` failed; the outputs of the
    /// others are valid.
    SingularPivot {
        /// Name of the body that the joint moves.
        body: String,
        /// Which of the joint's velocities, counted from 0.
        velocity: usize,
        /// The pivot `m̂` of the first failed lane, kg or kg·m².
        pivot: f64,
        /// What it must exceed.
        limit: f64,
        /// The lanes that failed.
        lanes: Mask,
    },
    /// The inertia felt at a joint is infinite or NaN: a number of the state or of the model is, or
    /// is so large that it overflows.
    ///
    /// As for [`SingularPivot`](TreeError::SingularPivot), only the lanes in `lanes` failed.
    PivotNotFinite {
        /// Name of the body that the joint moves.
        body: String,
        /// Which of the joint's velocities, counted from 0.
        velocity: usize,
        /// The lanes that failed.
        lanes: Mask,
    },
    /// An acceleration is infinite or NaN: a number of the state, of the forces or of the model is,
    /// a quaternion is zero, or a number is so large that it overflows.
    ///
    /// As for [`SingularPivot`](TreeError::SingularPivot), only the lanes in `lanes` failed.
    AccelerationNotFinite {
        /// Index of the velocity coordinate.
        velocity: usize,
        /// The lanes that failed.
        lanes: Mask,
    },
    /// A body cannot move in all six directions, because fewer than six velocities carry it or
    /// because it stands in a singular posture: to some accelerations belongs no wrench, and there is
    /// no operational-space inertia.
    ///
    /// For a scalar with several lanes, those in `lanes` failed.
    NoOperationalInertia {
        /// Name of the body.
        body: String,
        /// Velocities of the joints that carry it.
        velocities: usize,
        /// Of the first failed lane, and of the direction where it is least: how much a force moves
        /// the body in its direction while others keep the other directions at rest, divided by
        /// how much it does alone; between 0 and 1.
        share: f64,
        /// What the share must exceed: what rounding leaves.
        limit: f64,
        /// The lanes that failed.
        lanes: Mask,
    },
    /// A joint axis has no direction.
    ZeroAxis {
        /// Name of the body that the joint moves.
        body: String,
    },
    /// The orientation of a joint frame carries a derivative while its axis is parallel to that of
    /// the parent's joint. The recursion describes the angle between two axes by twist and turn,
    /// which have no derivative there. Derivatives by lengths, masses, states and forces exist.
    NotDifferentiable {
        /// Name of the body that the joint moves.
        body: String,
    },
    /// A parent is not among the bodies added so far.
    UnknownParent {
        /// Name of the body.
        body: String,
        /// Index that was given as its parent.
        parent: usize,
        /// Number of bodies so far.
        bodies: usize,
    },
    /// A free joint must hang on the ground: its coordinates are in world axes.
    FreeJointNotOnGround {
        /// Name of the body.
        body: String,
    },
    /// A rotor is geared to a joint that has not exactly one velocity.
    RotorNeedsOneVelocity {
        /// Name of the body that the joint moves.
        body: String,
    },
    /// The list of armatures has not one number per velocity of the joint.
    WrongNumberOfArmatures {
        /// Name of the body that the joint moves.
        body: String,
        /// Numbers given.
        given: usize,
        /// Velocities of the joint.
        needed: usize,
    },
    /// Two joints claim the same coordinate, or a coordinate belongs to none.
    Coordinates {
        /// Name of the body whose joint claims a coordinate a second time, or `None` if a
        /// coordinate is left over.
        body: Option<String>,
        /// Index of the coordinate.
        index: usize,
    },
    /// A body cannot be the root of its tree.
    NotARoot {
        /// Name of the body.
        body: String,
        /// Name of the body whose joint is in the way.
        joint: String,
        /// What is in the way.
        obstacle: Obstacle,
    },
    /// There is no such body.
    UnknownBody {
        /// Index that was given.
        index: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// A number in the description is infinite or NaN.
    NotFinite {
        /// Name of the body.
        body: String,
        /// What the number describes.
        quantity: Quantity,
    },
    /// The instances that shall run side by side have not the same bodies and joints.
    DifferentTopology {
        /// Index of the first instance that differs from instance 0.
        instance: usize,
    },
    /// The number of instances is not the number of lanes.
    WrongNumberOfInstances {
        /// Number of lanes of the scalar.
        lanes: usize,
        /// Number of instances given.
        instances: usize,
    },
}

/// Why a body cannot be the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The tree hangs on the ground by a joint that is not free.
    Ground,
    /// A geared rotor is carried by the side that would become the child's.
    Rotor,
    /// Armature of a free or spherical joint is diagonal only in the axes that it has now.
    Armature,
}

/// A group of numbers in the description of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// Mass, mass centre or inertia tensor.
    Inertia,
    /// A joint frame.
    Placement,
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::SingularPivot { body, velocity, pivot, limit, lanes } => {
                if *pivot < -limit {
                    write!(
                        f,
                        "the inertia at the joint of body '{body}' (velocity {velocity}) is \
                         negative, {pivot:.3e}: an inertia of the model is not that of a body, or \
                         the state has grown beyond what numbers can hold"
                    )?;
                } else {
                    write!(
                        f,
                        "the joint of body '{body}' (velocity {velocity}) feels no inertia: its pivot \
                     {pivot:.3e} must exceed {limit:.3e}; give the bodies beyond this joint mass, \
                     or fix the joint"
                    )?;
                }
                if lanes.bits() > 1 {
                    write!(f, " (lanes {lanes:?})")?;
                }
                Ok(())
            }
            TreeError::PivotNotFinite { body, velocity, lanes } => {
                write!(
                    f,
                    "the inertia at the joint of body '{body}' (velocity {velocity}) is infinite or \
                     NaN; a number of the state or of the model is, or is far too large"
                )?;
                if lanes.bits() > 1 {
                    write!(f, " (lanes {lanes:?})")?;
                }
                Ok(())
            }
            TreeError::AccelerationNotFinite { velocity, lanes } => {
                write!(
                    f,
                    "acceleration {velocity} is infinite or NaN; a number of the state, the forces \
                     or the model is, or is far too large, or a quaternion is zero"
                )?;
                if lanes.bits() > 1 {
                    write!(f, " (lanes {lanes:?})")?;
                }
                Ok(())
            }
            TreeError::NoOperationalInertia { body, velocities, share, limit, lanes } => {
                write!(f, "body '{body}' cannot move in all six directions: ")?;
                if *velocities < 6 {
                    write!(f, "only {velocities} velocities carry it")?;
                } else {
                    write!(
                        f,
                        "in its posture a share of {share:.3e} of the motion in some direction is \
                         left, which must exceed {limit:.3e}"
                    )?;
                }
                write!(
                    f,
                    "; use the inverse, `inverse_operational_inertia`, in the directions in which \
                     the body moves"
                )?;
                if lanes.bits() > 1 {
                    write!(f, " (lanes {lanes:?})")?;
                }
                Ok(())
            }
            TreeError::ZeroAxis { body } => {
                write!(f, "the joint axis of body '{body}' has length zero; give it a direction")
            }
            TreeError::NotDifferentiable { body } => write!(
                f,
                "the orientation of the joint of body '{body}' carries a derivative, but its axis is \
                 parallel to that of its parent, where the recursion has none; tilt the axis a \
                 little, or take differences"
            ),
            TreeError::UnknownParent { body, parent, bodies } => write!(
                f,
                "body '{body}' names parent {parent}, but only {bodies} bodies exist so far; add \
                 parents before children"
            ),
            TreeError::FreeJointNotOnGround { body } => write!(
                f,
                "body '{body}' has a free joint to another body; a free joint hangs on the ground"
            ),
            TreeError::RotorNeedsOneVelocity { body } => write!(
                f,
                "a rotor is geared to the joint of body '{body}', which has not exactly one \
                 velocity; use a revolute, prismatic or helical joint"
            ),
            TreeError::WrongNumberOfArmatures { body, given, needed } => write!(
                f,
                "the joint of body '{body}' has {needed} velocities, but {given} armatures were \
                 given; give one for each velocity, or none"
            ),
            TreeError::Coordinates { body: Some(body), index } => write!(
                f,
                "the joint of body '{body}' claims coordinate {index}, which another joint has"
            ),
            TreeError::Coordinates { body: None, index } => {
                write!(f, "coordinate {index} belongs to no joint; number coordinates without gaps")
            }
            TreeError::NotARoot { body, joint, obstacle } => {
                write!(f, "body '{body}' cannot be the root: the joint of body '{joint}' ")?;
                match obstacle {
                    Obstacle::Ground => {
                        write!(f, "ties the tree to the ground; give it a free joint")
                    }
                    Obstacle::Rotor => write!(f, "has a geared rotor on its parent; use armature"),
                    Obstacle::Armature => {
                        write!(f, "has armature in several directions; leave it out")
                    }
                }
            }
            TreeError::UnknownBody { index, bodies } => {
                write!(f, "there is no body {index}; the tree has {bodies}")
            }
            TreeError::NotFinite { body, quantity } => {
                let what = match quantity {
                    Quantity::Inertia => "mass, mass centre or inertia",
                    Quantity::Placement => "joint frame",
                };
                write!(f, "the {what} of body '{body}' is infinite or NaN")
            }
            TreeError::DifferentTopology { instance } => write!(
                f,
                "instance {instance} has other bodies or joints than instance 0; only instances of \
                 one topology run side by side"
            ),
            TreeError::WrongNumberOfInstances { lanes, instances } => {
                write!(f, "{instances} instances were given for {lanes} lanes; pad the last group")
            }
        }
    }
}

impl core::error::Error for TreeError {}
