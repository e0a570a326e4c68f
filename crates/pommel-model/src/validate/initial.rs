//! The initial state.

use super::Validator;
use crate::description::{Joint, OneOrMany};
use crate::fault::FaultKind;
use crate::path::push_key;
use crate::rotation::norm;
use std::collections::BTreeMap;

impl Validator<'_> {
    pub(super) fn initial(&mut self) {
        let initial = &self.description.initial;
        let planar = self.planar();
        self.by_joint("initial.q", &initial.q, |joint| joint.joint_type.nq(planar));
        self.by_joint("initial.v", &initial.v, |joint| joint.joint_type.nv(planar));
        for (name, values) in &initial.q {
            let joint = self.joints.get(name.as_str()).map(|&j| &self.description.joints[j]);
            let offset = joint.and_then(|joint| joint.joint_type.quaternion_offset(planar));
            let quaternion = offset.and_then(|at| values.as_slice().get(at..at + 4));
            if quaternion.is_some_and(|quaternion| norm(quaternion) == 0.0) {
                let mut path = "initial.q".to_owned();
                push_key(&mut path, name);
                self.push(path, FaultKind::ZeroQuaternion);
            }
        }
    }

    /// Every name is a joint, every list has its length.
    fn by_joint(
        &mut self,
        path: &str,
        map: &BTreeMap<String, OneOrMany<f64>>,
        length: impl Fn(&Joint) -> usize,
    ) {
        for (name, values) in map {
            let mut below = path.to_owned();
            push_key(&mut below, name);
            let Some(joint) = self.joint(below.clone(), name) else { continue };
            let (expected, found) = (length(joint), values.as_slice().len());
            if expected != found {
                let kind = FaultKind::WrongLength { expected: expected.to_string(), found };
                self.push(below, kind);
            }
        }
    }
}
