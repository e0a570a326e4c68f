//! Units of coordinates.

use pommel_model::{JointType, Mechanism};

/// The unit of each position coordinate, in the order of [`Mechanism::coordinate_names`].
pub fn coordinate_units(mechanism: &Mechanism) -> Vec<&'static str> {
    let planar = mechanism.is_planar();
    units(mechanism, &|kind| match kind {
        JointType::Revolute | JointType::Helical => &["rad"],
        JointType::Prismatic => &["m"],
        JointType::Cylindrical => &["rad", "m"],
        JointType::Universal => &["rad", "rad"],
        JointType::Spherical => &["1", "1", "1", "1"],
        JointType::Free if !planar => &["m", "m", "m", "1", "1", "1", "1"],
        JointType::Planar | JointType::Free => &["m", "m", "rad"],
        JointType::Fixed => &[],
    })
}

/// The unit of each velocity coordinate, in the order of [`Mechanism::velocity_names`]; those of a
/// free joint are in world axes, those of a spherical joint in the axes of its child.
pub fn velocity_units(mechanism: &Mechanism) -> Vec<&'static str> {
    let planar = mechanism.is_planar();
    units(mechanism, &|kind| match kind {
        JointType::Revolute | JointType::Helical => &["rad/s"],
        JointType::Prismatic => &["m/s"],
        JointType::Cylindrical => &["rad/s", "m/s"],
        JointType::Universal => &["rad/s", "rad/s"],
        JointType::Spherical => &["rad/s", "rad/s", "rad/s"],
        JointType::Free if !planar => &["rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"],
        JointType::Planar | JointType::Free => &["m/s", "m/s", "rad/s"],
        JointType::Fixed => &[],
    })
}

/// The unit of the rate of each velocity, in the order of [`Mechanism::velocity_names`].
pub fn acceleration_units(mechanism: &Mechanism) -> Vec<&'static str> {
    let rate = |unit| if unit == "m/s" { "m/s²" } else { "rad/s²" };
    velocity_units(mechanism).into_iter().map(rate).collect()
}

fn units(
    mechanism: &Mechanism,
    of: &dyn Fn(JointType) -> &'static [&'static str],
) -> Vec<&'static str> {
    let joints = mechanism.tree_joints().map(|j| mechanism.joints()[j].joint_type);
    joints.flat_map(of).copied().collect()
}
