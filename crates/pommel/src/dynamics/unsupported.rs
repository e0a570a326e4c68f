//! What joint coordinates cannot express yet: named, never ignored.

use std::fmt;

use pommel_model::{Force, Joint, JointType, Mechanism};

/// A feature of a mechanism that the chosen formulation does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// Where it stands in the model.
    pub path: String,
    /// What it is.
    pub feature: Feature,
}

/// The kinds of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// A joint that closes a loop.
    Loop,
    /// A constraint between bodies or joints.
    Constraint,
    /// A prescribed motion.
    Driver,
    /// A contact.
    Contact,
    /// Dry friction.
    Friction,
    /// A spring in a joint with several coordinates.
    JointSpring,
    /// A bushing.
    Bushing,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match self.feature {
            Feature::Loop => f.write_str("joints that close loops are not available yet"),
            Feature::Constraint => f.write_str(
                "constraints are not available yet (URDF: a <mimic> is one between two joints)",
            ),
            Feature::Driver => f.write_str("drivers are not available yet"),
            Feature::Contact => f.write_str("contacts are not available yet"),
            Feature::Friction => {
                f.write_str("dry friction is not available yet; set it to 0 (URDF: friction in <dynamics>), or use \
                 damping")
            }
            Feature::JointSpring => {
                f.write_str("springs in joints with quaternions are not available")
            }
            Feature::Bushing => f.write_str(
                "bushings are not available yet; forces of type \"spring_damper\" between points \
                 of the two bodies are",
            ),
        }
    }
}

/// Everything in a mechanism that [`super::TreeDynamics`] does not know.
pub(super) fn find(mechanism: &Mechanism) -> Vec<Unsupported> {
    let description = mechanism.description();
    let mut found = Vec::new();
    let mut note = |path: String, feature| found.push(Unsupported { path, feature });
    for (j, joint) in description.joints.iter().enumerate() {
        let path = format!("joints[{j}] '{}'", joint.name);
        if mechanism.joints()[j].closes_loop {
            note(path, Feature::Loop);
            continue;
        }
        for feature in joint_features(joint) {
            note(path.clone(), feature);
        }
    }
    for (i, force) in description.forces.iter().enumerate() {
        if let Force::Bushing(_) = force {
            note(format!("forces[{i}]"), Feature::Bushing);
        }
    }
    let lists = [
        ("constraints", description.constraints.len(), Feature::Constraint),
        ("drivers", description.drivers.len(), Feature::Driver),
        ("contacts", description.contacts.len(), Feature::Contact),
    ];
    for (list, count, feature) in lists {
        for i in 0..count {
            note(format!("{list}[{i}]"), feature);
        }
    }
    found
}

fn joint_features(joint: &Joint) -> Vec<Feature> {
    let mut features = Vec::new();
    let any = |x: &[f64]| x.iter().any(|&x| x != 0.0);
    let friction = joint.friction.iter().flat_map(|f| f.as_slice());
    if friction.into_iter().any(|f| f.coulomb != 0.0 || f.static_limit() != 0.0) {
        features.push(Feature::Friction);
    }
    let whole = matches!(joint.joint_type, JointType::Free | JointType::Spherical);
    if whole && any(joint.stiffness.as_slice()) {
        features.push(Feature::JointSpring);
    }
    features
}
