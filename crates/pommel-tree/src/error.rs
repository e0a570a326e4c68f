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
        /// Name of the body that lacks inertia: the one that the joint moves, or the one on the
        /// joint's other side where the elimination runs towards another body than the one with the
        /// free joint ([`Elimination`](crate::Elimination)).
        body: String,
        /// Name of the body whose joint it is.
        joint: String,
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
        /// Name of the body on the side that is eliminated, as for
        /// [`SingularPivot`](TreeError::SingularPivot).
        body: String,
        /// Name of the body whose joint it is.
        joint: String,
        /// Which of the joint's velocities, counted from 0.
        velocity: usize,
        /// The lanes that failed.
        lanes: Mask,
    },
    /// A position coordinate is infinite or NaN, so that there are no accelerations or factors.
    ///
    /// As for [`SingularPivot`](TreeError::SingularPivot), only the lanes in `lanes` failed.
    PositionNotFinite {
        /// Name of the body whose joint has the coordinate.
        body: String,
        /// Index of the first such position coordinate.
        position: usize,
        /// The lanes that failed.
        lanes: Mask,
    },
    /// An acceleration is infinite or NaN: a velocity, a force or a number of the model is, a
    /// quaternion is zero, or a number is so large that it overflows.
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
    /// The axis of a joint or of a rotor.
    Axis,
}

impl TreeError {
    /// With further lanes that failed.
    pub(crate) fn and_lanes(mut self, more: Mask) -> Self {
        if let TreeError::SingularPivot { lanes, .. }
        | TreeError::PivotNotFinite { lanes, .. }
        | TreeError::PositionNotFinite { lanes, .. }
        | TreeError::AccelerationNotFinite { lanes, .. } = &mut self
        {
            *lanes |= more;
        }
        self
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::SingularPivot { body, joint, velocity, pivot, limit, lanes } => {
                singular_pivot(f, (body, joint, *velocity), *pivot, *limit)?;
                failed_lanes(f, *lanes)
            }
            TreeError::PivotNotFinite { body, joint, velocity, lanes } => {
                write!(f, "the inertia at ")?;
                joint_of(f, (body, joint, *velocity))?;
                write!(
                    f,
                    " is infinite or NaN; a number of the state or of the model is, or is far too \
                     large"
                )?;
                failed_lanes(f, *lanes)
            }
            TreeError::PositionNotFinite { body, position, lanes } => {
                write!(
                    f,
                    "position {position}, of the joint of body '{body}', is infinite or NaN; give \
                     it a finite number"
                )?;
                failed_lanes(f, *lanes)
            }
            TreeError::AccelerationNotFinite { velocity, lanes } => {
                write!(
                    f,
                    "acceleration {velocity} is infinite or NaN; a number of the state, the forces \
                     or the model is, or is far too large, or a quaternion is zero"
                )?;
                failed_lanes(f, *lanes)
            }
            TreeError::NoOperationalInertia { body, velocities, share, limit, lanes } => {
                write!(f, "body '{body}' cannot move in all six directions: ")?;
                if *velocities < 6 {
                    match velocities {
                        0 => write!(f, "no velocity carries it")?,
                        1 => write!(f, "only 1 velocity carries it")?,
                        _ => write!(f, "only {velocities} velocities carry it")?,
                    }
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
                failed_lanes(f, *lanes)
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
                "body '{body}' names parent {parent}, but the number of bodies so far is {bodies}; \
                 add parents before children"
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
                "armatures given for the joint of body '{body}': {given}, velocities of that \
                 joint: {needed}; give one for each velocity, or none"
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
                    Quantity::Axis => "joint or rotor axis",
                };
                write!(f, "the {what} of body '{body}' is infinite or NaN")
            }
            TreeError::DifferentTopology { instance } => write!(
                f,
                "instance {instance} has other bodies or joints than instance 0; only instances of \
                 one topology run side by side"
            ),
            TreeError::WrongNumberOfInstances { lanes, instances } => {
                write!(
                    f,
                    "lanes: {lanes}, instances given for them: {instances}; pad the last group"
                )
            }
        }
    }
}

/// Where a pivot stands: the body that is eliminated, the body whose joint it is, and which of the
/// joint's velocities.
type Place<'a> = (&'a str, &'a str, usize);

fn joint_of(f: &mut fmt::Formatter<'_>, (body, joint, velocity): Place<'_>) -> fmt::Result {
    write!(f, "the joint of body '{joint}' (velocity {velocity})")?;
    if body == joint { Ok(()) } else { write!(f, ", on the side of body '{body}',") }
}

fn singular_pivot(
    f: &mut fmt::Formatter<'_>,
    place: Place<'_>,
    pivot: f64,
    limit: f64,
) -> fmt::Result {
    if pivot < -limit {
        write!(f, "the inertia at ")?;
        joint_of(f, place)?;
        return write!(
            f,
            " is negative, {pivot:.3e}: an inertia of the model is not that of a body, or the \
             state has grown beyond what numbers can hold"
        );
    }
    joint_of(f, place)?;
    write!(f, " feels no inertia")?;
    // without any inertia there is no rounding of it to compare with
    if limit > 0.0 {
        write!(f, ": its pivot is {pivot:.3e}, and up to {limit:.3e} may be rounding")?;
    }
    write!(f, "; give body '{}' mass and inertia, or fix the joint", place.0)
}

fn failed_lanes(f: &mut fmt::Formatter<'_>, lanes: Mask) -> fmt::Result {
    if lanes.bits() > 1 { write!(f, " (lanes {lanes:?})") } else { Ok(()) }
}

impl core::error::Error for TreeError {}
