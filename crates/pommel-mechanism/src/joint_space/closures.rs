//! What is not in the tree, as closures of `pommel-tree`.

use pommel_math::{Mat3, Transform, Vec3};
use pommel_model::{Constraint, JointType, Mechanism};
use pommel_tree::{Attachment, BodyId, Closure};

use crate::space::{Space, Spatial};
use crate::system::transform;

/// A constraint that the recursion does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) constraint: String,
}

/// The loops of a mechanism and its constraints; `ids` are the tree's bodies by those of the model.
pub(crate) fn closures(
    mechanism: &Mechanism,
    ids: &[BodyId],
) -> Result<Vec<Closure<f64>>, Unknown> {
    let description = mechanism.description();
    let attach = |body: Option<usize>, frame: Transform<f64>| Attachment {
        body: body.map(|b| ids[b]),
        frame,
    };
    let unknown = |constraint: String| Unknown { constraint };
    let mut found = Vec::new();
    for j in mechanism.loop_joints() {
        let (joint, data) = (&mechanism.joints()[j], &description.joints[j]);
        // closures have their axis along z
        let axis = Vec3::from_f64(joint.axis);
        let [x, y] = match joint.joint_type {
            JointType::Planar => [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)],
            _ => Spatial::tangents(axis),
        };
        let z = if joint.joint_type == JointType::Planar { Vec3::new(0.0, 0.0, 1.0) } else { axis };
        let turned = Transform::new(Mat3::from_rows(x, y, z).transpose(), Vec3::zero());
        let a = attach(joint.parent, transform(&data.in_parent) * turned);
        let b = attach(joint.child, transform(&data.in_child) * turned);
        found.push(match joint.joint_type {
            JointType::Revolute => Closure::Revolute(a, b),
            JointType::Prismatic => Closure::Prismatic(a, b),
            JointType::Cylindrical => Closure::Cylindrical(a, b),
            JointType::Spherical => Closure::Spherical(a, b),
            JointType::Planar => Closure::Planar(a, b),
            JointType::Fixed => Closure::Weld(a, b),
            JointType::Universal => {
                let axis2 = Vec3::from_f64(joint.axis2);
                if axis.dot(axis2).abs() > 1e-12 {
                    return Err(unknown(data.name.clone()));
                }
                // x of the first along the first axis, y of the second along the second
                let third = axis.cross(axis2);
                let frame = |frame| {
                    let axes = Mat3::from_rows(axis, axis2, third).transpose();
                    transform(frame) * Transform::new(axes, Vec3::zero())
                };
                let a = attach(joint.parent, frame(&data.in_parent));
                let b = attach(joint.child, frame(&data.in_child));
                Closure::Universal(a, b)
            }
            JointType::Helical | JointType::Free => return Err(unknown(data.name.clone())),
        });
    }
    for (index, constraint) in description.constraints.iter().enumerate() {
        let name =
            || constraint.name().map_or_else(|| format!("constraints[{index}]"), str::to_owned);
        let point = |body: &str, point| {
            let at = Transform::new(Mat3::identity(), Vec3::from_f64(point));
            attach(description.body_index(body), at)
        };
        match constraint {
            Constraint::Distance(c) => found.push(Closure::Distance(
                point(&c.body1, c.point1),
                point(&c.body2, c.point2),
                c.length,
            )),
            Constraint::Gear(c) => {
                let velocity = |joint: &str| {
                    let joint = &mechanism.joints()[description.joint_index(joint)?];
                    (!joint.closes_loop).then_some(joint.v.start)
                };
                let (Some(a), Some(b)) = (velocity(&c.joint1), velocity(&c.joint2)) else {
                    return Err(unknown(name()));
                };
                found.push(Closure::Gear { a, b, ratio: c.ratio, offset: c.offset });
            }
            _ => return Err(unknown(name())),
        }
    }
    if let Some(driver) = description.drivers.first() {
        let name = driver.name.clone();
        return Err(unknown(name.unwrap_or_else(|| format!("drivers[0] of '{}'", driver.joint))));
    }
    Ok(found)
}
