//! URDF: links become bodies, joints keep their names, order and laws.

use super::Draft;
use crate::GROUND;
use crate::description::{
    Body, Constraint, Description, Frame, Friction, Gear, Inertia, Joint, JointType, Limits,
    OneOrMany,
};
use crate::error::ModelError;
use crate::options::make_free;
use crate::rotation::{
    multiply, normalised, quaternion_of, rotation_from_z_to, rotation_of_rpy, transpose,
};
use urdf_rs::{JointType as UrdfType, Robot};

/// Reads a URDF robot.
pub(crate) fn parse(text: &str) -> Result<Draft, ModelError> {
    let robot = urdf_rs::read_from_string(text).map_err(|error| ModelError::Syntax {
        path: None,
        line: None,
        column: None,
        message: format!("URDF: {error}{}", remedy(text)),
    })?;
    Ok(Draft { description: describe(&robot), ..Draft::default() })
}

/// What to do about a text that is no URDF.
fn remedy(text: &str) -> &'static str {
    if text.contains("${") || text.contains("<xacro:") {
        "; the file holds xacro macros, expand them first (`xacro FILE`)"
    } else if !text.contains("</robot>") {
        "; the text has no closing </robot>: it is cut off, or no URDF; copy it again"
    } else {
        ""
    }
}

fn describe(robot: &Robot) -> Description {
    let ground = ground_link(robot);
    let name = |link: &str| match ground {
        Some(ground) if ground == link => GROUND.to_owned(),
        _ => link.to_owned(),
    };
    let mut description = Description { name: robot.name.clone(), ..Description::default() };
    description.gravity = Some(description.gravity());
    description.bodies =
        robot.links.iter().filter(|link| Some(link.name.as_str()) != ground).map(body).collect();
    if let (None, Some(root)) = (ground, root_link(robot)) {
        description.joints.push(root_joint(robot, root));
    }
    for urdf in &robot.joints {
        let mut joint = joint(urdf);
        joint.parent = name(&urdf.parent.link);
        joint.child = name(&urdf.child.link);
        description.joints.push(joint);
        if let Some(mimic) = &urdf.mimic {
            description.constraints.push(Constraint::Gear(Gear {
                name: Some(format!("{} mimics {}", urdf.name, mimic.joint)),
                joint1: mimic.joint.clone(),
                joint2: urdf.name.clone(),
                ratio: mimic.multiplier.unwrap_or(1.0),
                offset: mimic.offset.unwrap_or(0.0),
            }));
        }
    }
    let free = |joint: &Joint| joint.joint_type == JointType::Free && joint.parent == GROUND;
    for index in 0..description.joints.len() {
        if free(&description.joints[index]) {
            make_free(&mut description, index);
        }
    }
    description
}

/// The first link that is no joint's child.
fn root_link(robot: &Robot) -> Option<&str> {
    let child = |link: &str| robot.joints.iter().any(|joint| joint.child.link == link);
    robot.links.iter().map(|link| link.name.as_str()).find(|link| !child(link))
}

/// The root link, if it stands for the world: by its name, or because it has no inertia and holds
/// other links by fixed and floating joints only.
fn ground_link(robot: &Robot) -> Option<&str> {
    let root = root_link(robot)?;
    if root == "world" || root == GROUND {
        return Some(root);
    }
    let link = robot.links.iter().find(|link| link.name == root)?;
    let inertia = tensor(&link.inertial.inertia);
    let massless = link.inertial.mass.value == 0.0 && inertia == [[0.0; 3]; 3];
    let mut held = robot.joints.iter().filter(|joint| joint.parent.link == root).peekable();
    let base = held.peek().is_some()
        && held.all(|joint| matches!(joint.joint_type, UrdfType::Fixed | UrdfType::Floating));
    (massless && base).then_some(root)
}

/// A fixed joint from ground to the root link, with a name that no other joint has.
fn root_joint(robot: &Robot, root: &str) -> Joint {
    let mut name = "root".to_owned();
    while robot.joints.iter().any(|joint| joint.name == name) {
        name.push('_');
    }
    Joint {
        name,
        joint_type: JointType::Fixed,
        parent: GROUND.to_owned(),
        child: root.to_owned(),
        ..Joint::default()
    }
}

fn tensor(inertia: &urdf_rs::Inertia) -> [[f64; 3]; 3] {
    let urdf_rs::Inertia { ixx, ixy, ixz, iyy, iyz, izz } = *inertia;
    [[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]
}

fn body(link: &urdf_rs::Link) -> Body {
    let inertial = &link.inertial;
    let mut inertia = tensor(&inertial.inertia);
    if inertial.origin.rpy.0 != [0.0; 3] {
        // from the axes of the inertial frame to those of the link: R I Rᵀ
        let r = rotation_of_rpy(inertial.origin.rpy.0);
        inertia = multiply(&multiply(&r, &inertia), &transpose(&r));
    }
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = inertia;
    let inertia = if [xy, xz, yz] == [0.0; 3] {
        Inertia::Diagonal([xx, yy, zz])
    } else {
        Inertia::Symmetric([xx, yy, zz, xy, xz, yz])
    };
    let (mass, com) = (inertial.mass.value, inertial.origin.xyz.0);
    Body { name: link.name.clone(), mass, com, inertia, ..Body::default() }
}

/// The joint without its ends.
fn joint(urdf: &urdf_rs::Joint) -> Joint {
    let rpy = urdf.origin.rpy.0;
    let mut joint = Joint {
        name: urdf.name.clone(),
        joint_type: match urdf.joint_type {
            UrdfType::Revolute | UrdfType::Continuous => JointType::Revolute,
            UrdfType::Prismatic => JointType::Prismatic,
            UrdfType::Fixed => JointType::Fixed,
            UrdfType::Floating => JointType::Free,
            UrdfType::Planar => JointType::Planar,
            UrdfType::Spherical => JointType::Spherical,
        },
        in_parent: Frame {
            position: urdf.origin.xyz.0,
            rpy: (rpy != [0.0; 3]).then_some(rpy),
            ..Frame::default()
        },
        ..Joint::default()
    };
    match joint.joint_type {
        JointType::Revolute | JointType::Prismatic => {
            joint.axis = urdf.axis.xyz.0;
            joint.limits = limits(urdf).map(OneOrMany::One);
        }
        JointType::Planar => plane(&mut joint, urdf.axis.xyz.0),
        _ => {}
    }
    if let (Some(dynamics), true) = (&urdf.dynamics, joint.joint_type != JointType::Fixed) {
        joint.damping = OneOrMany::One(dynamics.damping);
        if dynamics.friction != 0.0 && joint.joint_type.nv(false) == 1 {
            let friction = Friction { coulomb: dynamics.friction, ..Friction::default() };
            joint.friction = Some(OneOrMany::One(friction));
        }
    }
    joint
}

/// Limits as far as they say anything. Lower and upper both zero are what a missing element reads
/// as, and mean no stops.
fn limits(urdf: &urdf_rs::Joint) -> Option<Limits> {
    let limit = &urdf.limit;
    let stops =
        urdf.joint_type != UrdfType::Continuous && !(limit.lower == 0.0 && limit.upper == 0.0);
    let positive = |value: f64| (value > 0.0 && value.is_finite()).then_some(value);
    let limits = Limits {
        lower: Some(limit.lower).filter(|lower| stops && *lower != f64::NEG_INFINITY),
        upper: Some(limit.upper).filter(|upper| stops && *upper != f64::INFINITY),
        effort: positive(limit.effort),
        velocity: positive(limit.velocity),
        ..Limits::default()
    };
    (limits != Limits::default()).then_some(limits)
}

/// A planar joint moves across its axis; ours moves across z, so both its frames are turned.
fn plane(joint: &mut Joint, normal: [f64; 3]) {
    let Some(normal) = normalised(normal).filter(|normal| *normal != [0.0, 0.0, 1.0]) else {
        return;
    };
    let turn = rotation_from_z_to(normal);
    let rotation = multiply(&joint.in_parent.rotation(), &turn);
    joint.in_parent.rpy = None;
    joint.in_parent.quaternion = Some(quaternion_of(&rotation));
    joint.in_child.quaternion = Some(quaternion_of(&turn));
}
