//! What a caller may override when a model is loaded.

use crate::GROUND;
use crate::description::{Description, Frame, Joint, JointType};
use crate::error::ModelError;
use crate::fault::{Fault, FaultKind};
use crate::rotation::{apply, multiply, quaternion_of, transpose};

/// What a caller may override when a model is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoadOptions {
    /// Gravitational acceleration in world axes, m/s², instead of the model's.
    pub gravity: Option<[f64; 3]>,
    /// Turns the one fixed joint between ground and a body into a free joint. Nothing changes if
    /// the model has a free joint already.
    pub floating_base: bool,
}

impl LoadOptions {
    /// Applies the options to a description.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] with [`FaultKind::NoBaseToFree`], or with [`FaultKind::OutOfPlane`] if the model
    /// is planar and gravity is not in its plane.
    pub fn apply(&self, mut description: Description) -> Result<Description, ModelError> {
        if let Some(gravity) = self.gravity {
            if description.is_planar() && gravity[2] != 0.0 {
                let kind = FaultKind::OutOfPlane { value: gravity[2] };
                let path = "gravity of the options".to_owned();
                let fault = Fault { path, name: None, line: None, kind };
                return Err(ModelError::Invalid { path: None, faults: vec![fault] });
            }
            description.gravity = Some(gravity);
        }
        if self.floating_base {
            free_base(&mut description).map_err(|found| {
                let kind = FaultKind::NoBaseToFree { found };
                let fault = Fault { path: "joints".to_owned(), name: None, line: None, kind };
                ModelError::Invalid { path: None, faults: vec![fault] }
            })?;
        }
        Ok(description)
    }
}

/// Frees the one body that is fixed to ground, or says how many there are.
fn free_base(description: &mut Description) -> Result<(), usize> {
    let from_ground = |joint: &Joint, kind| joint.joint_type == kind && joint.parent == GROUND;
    let joints = &description.joints;
    if joints.iter().any(|joint| from_ground(joint, JointType::Free)) {
        return Ok(());
    }
    let fixed = |&joint: &usize| from_ground(&joints[joint], JointType::Fixed);
    let bases: Vec<_> = (0..joints.len()).filter(fixed).collect();
    let [base] = bases[..] else { return Err(bases.len()) };
    make_free(description, base);
    Ok(())
}

/// Turns joint `index` from ground into a free joint; the child keeps its placement as its start.
pub(crate) fn make_free(description: &mut Description, index: usize) {
    let planar = description.is_planar();
    let joint = &mut description.joints[index];
    joint.joint_type = JointType::Free;
    let in_parent = std::mem::take(&mut joint.in_parent);
    let in_child = std::mem::take(&mut joint.in_child);
    let child = joint.child.clone();
    if in_parent.is_identity() && in_child.is_identity() {
        return;
    }
    let placement = placement(&in_parent, &in_child);
    if let Some(body) = description.body_index(&child) {
        let body = &mut description.bodies[body];
        if body.placement().is_some() {
            return;
        }
        body.position = Some(placement.0);
        if planar {
            body.angle = Some(placement.1[1][0].atan2(placement.1[0][0]));
        } else {
            body.quaternion = Some(quaternion_of(&placement.1));
        }
    }
}

/// `in_parent · in_child⁻¹`: position and rotation of the child of a joint at rest.
fn placement(in_parent: &Frame, in_child: &Frame) -> ([f64; 3], [[f64; 3]; 3]) {
    let rotation = multiply(&in_parent.rotation(), &transpose(&in_child.rotation()));
    let offset = apply(&rotation, in_child.position);
    let position = [0, 1, 2].map(|i| in_parent.position[i] - offset[i]);
    (position, rotation)
}
