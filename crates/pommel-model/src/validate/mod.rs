//! Whether a description makes sense: all faults at once, each with its path.

mod bodies;
mod elements;
mod initial;
mod joints;
mod time;

use crate::GROUND;
use crate::description::{Description, Joint};
use crate::fault::{Entity, Fault, FaultKind, suggestion};
use crate::leaves::visit;
use crate::path::{Lines, list_item};
use crate::rotation::norm;
use crate::topology::Names;
use std::collections::HashMap;

/// Collects the faults of one description.
pub(crate) struct Validator<'a> {
    description: &'a Description,
    names: Names<'a>,
    joints: HashMap<&'a str, usize>,
    lines: &'a Lines,
    faults: Vec<Fault>,
}

/// All faults and warnings of a description; not those of its topology.
pub(crate) fn validate<'a>(description: &'a Description, lines: &'a Lines) -> Validator<'a> {
    let mut joints = HashMap::with_capacity(description.joints.len());
    for (index, joint) in description.joints.iter().enumerate() {
        joints.entry(joint.name.as_str()).or_insert(index);
    }
    let names = Names::new(description);
    let mut validator = Validator { description, names, joints, lines, faults: Vec::new() };
    validator.numbers();
    validator.gravity();
    validator.bodies();
    validator.all_joints();
    validator.frames();
    validator.forces();
    validator.constraints();
    validator.drivers();
    validator.contacts();
    validator.initial();
    validator
}

impl<'a> Validator<'a> {
    /// Adds a fault.
    pub(crate) fn push(&mut self, path: impl Into<String>, kind: FaultKind) {
        let path = path.into();
        let name = list_item(&path).and_then(|(list, index, _)| self.name_of(list, index));
        let line = self.lines.find(&path);
        self.faults.push(Fault { path, name, line, kind });
    }

    /// The faults, in the order in which they were found.
    pub(crate) fn finish(self) -> Vec<Fault> {
        self.faults
    }

    fn name_of(&self, list: &str, index: usize) -> Option<String> {
        let d = self.description;
        let name = match list {
            "bodies" => d.bodies.get(index).map(|item| item.name.as_str()),
            "joints" => d.joints.get(index).map(|item| item.name.as_str()),
            "frames" => d.frames.get(index).map(|item| item.name.as_str()),
            "forces" => d.forces.get(index).and_then(|item| item.name()),
            "constraints" => d.constraints.get(index).and_then(|item| item.name()),
            "drivers" => d.drivers.get(index).and_then(|item| item.name.as_deref()),
            "contacts" => d.contacts.get(index).and_then(|item| item.name.as_deref()),
            _ => None,
        };
        name.filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// Every number is finite.
    fn numbers(&mut self) {
        let mut found = Vec::new();
        visit(self.description, None, &mut |trail, value| {
            if !value.is_finite() {
                found.push((trail.text(), value));
            }
        });
        for (path, value) in found {
            self.push(path, FaultKind::NotFinite { value });
        }
    }

    fn gravity(&mut self) {
        self.in_plane("gravity", self.description.gravity());
    }

    fn planar(&self) -> bool {
        self.description.is_planar()
    }

    /// The third component vanishes in a planar model.
    fn in_plane(&mut self, path: impl Into<String>, vector: [f64; 3]) {
        if self.planar() && vector[2] != 0.0 {
            self.push(path, FaultKind::OutOfPlane { value: vector[2] });
        }
    }

    fn not_negative(&mut self, path: impl Into<String>, value: f64) {
        if value < 0.0 {
            self.push(path, FaultKind::Negative { value });
        }
    }

    fn in_range(&mut self, path: impl Into<String>, value: f64, [lower, upper]: [f64; 2]) {
        if value < lower || value > upper {
            self.push(path, FaultKind::OutOfRange { value, lower, upper });
        }
    }

    /// The vector has a direction.
    fn direction(&mut self, path: impl Into<String>, vector: [f64; 3]) {
        if norm(&vector) == 0.0 {
            self.push(path, FaultKind::ZeroVector);
        }
    }

    /// At most one orientation, and one that the kind of model has.
    fn orientation(
        &mut self,
        path: &str,
        rpy: Option<[f64; 3]>,
        quaternion: Option<[f64; 4]>,
        angle: Option<f64>,
    ) {
        let given = [
            ("rpy", rpy.is_some()),
            ("quaternion", quaternion.is_some()),
            ("angle", angle.is_some()),
        ];
        let given: Vec<_> =
            given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
        if given.len() > 1 {
            self.push(path, FaultKind::AmbiguousOrientation { given });
        }
        if quaternion.is_some_and(|quaternion| norm(&quaternion) == 0.0) {
            self.push(format!("{path}.quaternion"), FaultKind::ZeroQuaternion);
        }
        if self.planar() {
            let tilt = rpy.map(|[roll, pitch, _]| roll.abs().max(pitch.abs()));
            if let Some(value) = tilt.filter(|tilt| *tilt != 0.0) {
                self.push(format!("{path}.rpy"), FaultKind::OutOfPlane { value });
            }
            let tilt = quaternion.map(|[_, x, y, _]| x.abs().max(y.abs()));
            if let Some(value) = tilt.filter(|tilt| *tilt != 0.0) {
                self.push(format!("{path}.quaternion"), FaultKind::OutOfPlane { value });
            }
        } else if angle.is_some() {
            self.push(format!("{path}.angle"), FaultKind::PlanarOnly { what: "an angle" });
        }
    }

    /// Names are given, not reserved, and unique in their list.
    fn unique<'n>(&mut self, list: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = HashMap::new();
        for (index, name) in names.enumerate() {
            let path = format!("{list}[{index}].name");
            if name.is_empty() {
                self.push(path, FaultKind::EmptyName);
            } else if name == GROUND {
                self.push(path, FaultKind::ReservedName);
            } else if let Some(&first) = seen.get(name) {
                self.push(path, FaultKind::DuplicateName { name: name.to_owned(), first });
            } else {
                seen.insert(name, index);
            }
        }
    }

    /// The name is that of a body or of ground.
    fn body_or_ground(&mut self, path: String, name: &str) {
        if self.names.find(name).is_none() {
            let known = self.description.bodies.iter().map(|body| body.name.as_str());
            let suggestion = suggestion(name, known.chain([GROUND]));
            let kind =
                FaultKind::UnknownName { entity: Entity::Body, name: name.to_owned(), suggestion };
            self.push(path, kind);
        }
    }

    /// The name is that of a joint.
    fn joint(&mut self, path: String, name: &str) -> Option<&'a Joint> {
        let description = self.description;
        let found = self.joints.get(name).map(|&index| &description.joints[index]);
        if found.is_none() {
            let known = description.joints.iter().map(|joint| joint.name.as_str());
            let suggestion = suggestion(name, known);
            let kind =
                FaultKind::UnknownName { entity: Entity::Joint, name: name.to_owned(), suggestion };
            self.push(path, kind);
        }
        found
    }

    /// Two different ends.
    fn different(&mut self, path: String, a: &str, b: &str) {
        if a == b {
            self.push(path, FaultKind::SameEnds { name: a.to_owned() });
        }
    }
}
