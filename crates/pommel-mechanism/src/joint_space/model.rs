//! The tree that the joints of a mechanism span.

use pommel_math::Vec3;
use pommel_model::{JointType, Mechanism};
use pommel_tree::{BodyId, BodySpec, Joint, Model, Rotor, TreeBuilder, TreeError};

use crate::system::transform;

/// The tree that the joints of a mechanism span, and the tree body of each body.
///
/// Coordinates and velocities are those of [`Mechanism::coordinate_names`] and
/// [`Mechanism::velocity_names`]. Joints that close loops, constraints, drivers and forces are left
/// out.
///
/// # Errors
/// [`TreeError`] if the tree cannot be built.
pub fn tree_model(mechanism: &Mechanism) -> Result<(Model<f64>, Vec<BodyId>), TreeError> {
    let description = mechanism.description();
    let mut builder = TreeBuilder::new();
    builder.gravity(Vec3::from_f64(mechanism.gravity()));
    let mut ids: Vec<Option<BodyId>> = vec![None; mechanism.bodies().len()];
    for &b in mechanism.order() {
        let (resolved, body) = (&mechanism.bodies()[b], &description.bodies[b]);
        let (joint, data) =
            (&mechanism.joints()[resolved.tree_joint], &description.joints[resolved.tree_joint]);
        let axis = joint.axis;
        let planar = mechanism.is_planar();
        let kind = match joint.joint_type {
            JointType::Revolute => Joint::Revolute { axis },
            JointType::Prismatic => Joint::Prismatic { axis },
            JointType::Helical => Joint::Helical { axis, pitch: joint.pitch },
            JointType::Cylindrical => Joint::Cylindrical { axis },
            JointType::Universal => Joint::Universal { axis, axis2: joint.axis2 },
            JointType::Spherical => Joint::Spherical,
            JointType::Planar => Joint::Planar,
            JointType::Free if planar => Joint::Planar,
            JointType::Free => Joint::Free,
            JointType::Fixed => Joint::Fixed,
        };
        let i = body.inertia.tensor();
        let parent = resolved.parent.and_then(|p| ids[p]);
        let mut spec = BodySpec::new(body.name.clone(), parent, kind).with_inertia(
            body.mass,
            Vec3::from_f64(body.com),
            [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]],
        );
        // the coordinates of a free body are its own placement
        if joint.joint_type != JointType::Free {
            spec.in_parent = transform(&data.in_parent);
            spec.in_child = transform(&data.in_child);
        }
        if data.armature.as_slice().iter().any(|&a| a != 0.0) {
            let pick = |k| data.armature.get(k).copied().unwrap_or(0.0);
            spec.armature = (0..joint.v.len()).map(pick).collect();
        }
        spec.rotor = data.rotor.filter(|rotor| rotor.inertia != 0.0).map(|rotor| Rotor {
            inertia: rotor.inertia,
            ratio: rotor.ratio,
            axis: rotor.axis.unwrap_or(axis),
        });
        spec.coordinates = Some((joint.q.start, joint.v.start));
        ids[b] = Some(builder.add(spec)?);
    }
    let ids = ids.into_iter().flatten().collect();
    Ok((builder.build()?, ids))
}
