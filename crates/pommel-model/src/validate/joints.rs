//! Joints.

use super::Validator;
use crate::description::{Frame, Friction, Joint, JointType, Limits, OneOrMany};
use crate::fault::FaultKind;
use crate::rotation::{norm, normalised};

/// Below this sine the second rotation of a universal joint hardly differs from the first.
const PARALLEL: f64 = 1e-9;

impl Validator<'_> {
    pub(super) fn all_joints(&mut self) {
        let joints = &self.description.joints;
        self.unique("joints", joints.iter().map(|joint| joint.name.as_str()));
        for (index, joint) in joints.iter().enumerate() {
            let path = format!("joints[{index}]");
            self.body_or_ground(format!("{path}.parent"), &joint.parent);
            self.body_or_ground(format!("{path}.child"), &joint.child);
            self.different(path.clone(), &joint.parent, &joint.child);
            self.joint_frame(&format!("{path}.in_parent"), &joint.in_parent);
            self.joint_frame(&format!("{path}.in_child"), &joint.in_child);
            self.axes(&path, joint);
            self.joint_kind(&path, joint);
            self.joint_laws(&path, joint);
        }
    }

    pub(super) fn joint_frame(&mut self, path: &str, frame: &Frame) {
        self.in_plane(format!("{path}.position"), frame.position);
        self.orientation(path, frame.rpy, frame.quaternion, frame.angle);
    }

    fn axes(&mut self, path: &str, joint: &Joint) {
        let Joint { joint_type, axis, .. } = joint;
        let rotates = matches!(
            joint_type,
            JointType::Revolute
                | JointType::Helical
                | JointType::Cylindrical
                | JointType::Universal
        );
        let uses_axis = rotates || *joint_type == JointType::Prismatic;
        let axis_path = format!("{path}.axis");
        if uses_axis {
            self.direction(axis_path.clone(), *axis);
        }
        let off_z = axis[0] != 0.0 || axis[1] != 0.0;
        match joint_type {
            JointType::Revolute if self.planar() && off_z => {
                self.push(axis_path, FaultKind::AxisNotZ { axis: *axis });
            }
            JointType::Planar if off_z || axis[2] <= 0.0 => {
                self.push(axis_path, FaultKind::AxisNotZ { axis: *axis });
            }
            JointType::Prismatic => self.in_plane(axis_path, *axis),
            _ => {}
        }
        match (joint_type, joint.axis2) {
            (JointType::Universal, None) => {
                let (joint_type, what) = (joint_type.name(), "axis2");
                self.push(path, FaultKind::NeededForThisJoint { joint_type, what });
            }
            (JointType::Universal, Some(second)) => {
                let second_path = format!("{path}.axis2");
                self.direction(second_path.clone(), second);
                if let (Some([a, b, c]), Some([x, y, z])) = (normalised(*axis), normalised(second))
                {
                    let sine = norm(&[b * z - c * y, c * x - a * z, a * y - b * x]);
                    if sine < PARALLEL {
                        self.push(second_path, FaultKind::ParallelAxes { sine });
                    }
                }
            }
            (_, Some(_)) => {
                let (joint_type, what) = (joint_type.name(), "second axis");
                let kind = FaultKind::NotForThisJoint { joint_type, what };
                self.push(format!("{path}.axis2"), kind);
            }
            (_, None) => {}
        }
    }

    fn joint_kind(&mut self, path: &str, joint: &Joint) {
        let name = joint.joint_type.name();
        match (joint.joint_type, joint.pitch) {
            (JointType::Helical, None) => {
                let what = "a pitch";
                self.push(path, FaultKind::NeededForThisJoint { joint_type: name, what });
            }
            (JointType::Helical, Some(_)) | (_, None) => {}
            (_, Some(_)) => {
                let kind = FaultKind::NotForThisJoint { joint_type: name, what: "pitch" };
                self.push(format!("{path}.pitch"), kind);
            }
        }
        let planar = matches!(
            joint.joint_type,
            JointType::Revolute
                | JointType::Prismatic
                | JointType::Planar
                | JointType::Fixed
                | JointType::Free
        );
        if self.planar() && !planar {
            let what = match joint.joint_type {
                JointType::Helical => "a helical joint",
                JointType::Cylindrical => "a cylindrical joint",
                JointType::Universal => "a universal joint",
                _ => "a spherical joint",
            };
            self.push(format!("{path}.type"), FaultKind::SpatialOnly { what });
        }
        let placed = joint.in_parent.is_identity() && joint.in_child.is_identity();
        let from_body = self.names.find(&joint.parent).is_some_and(|parent| parent.is_some());
        if joint.joint_type == JointType::Free && (from_body || !placed) {
            self.push(path, FaultKind::FreeNotFromGround);
        }
    }

    /// What acts in the joint.
    fn joint_laws(&mut self, path: &str, joint: &Joint) {
        let nv = joint.joint_type.nv(self.planar());
        let vector_like = joint.joint_type.nq(self.planar()) == nv;
        let at = |key: &str| format!("{path}.{key}");
        for (key, values) in [("damping", &joint.damping), ("armature", &joint.armature)] {
            self.per_coordinate(at(key), joint, values, nv);
            self.each_not_negative(&at(key), values);
        }
        for (key, values) in [("stiffness", &joint.stiffness), ("rest", &joint.rest)] {
            self.per_coordinate(at(key), joint, values, nv);
            if !vector_like && values.as_slice().iter().any(|value| *value != 0.0) {
                let what = "coordinates for a spring to act on one by one; set it to 0, and add \
                            forces of type \"spring_damper\" between points of its bodies";
                let kind = FaultKind::NotForThisJoint { joint_type: joint.joint_type.name(), what };
                self.push(at(key), kind);
            }
        }
        if let Some(torque) = &joint.torque {
            self.count(at("torque"), torque, nv);
            self.each(at("torque"), torque, |this, path, function| this.time(path, function));
        }
        if let Some(limits) = &joint.limits {
            self.count(at("limits"), limits, nv);
            if !vector_like {
                let what = "coordinates to limit one by one";
                let kind = FaultKind::NotForThisJoint { joint_type: joint.joint_type.name(), what };
                self.push(at("limits"), kind);
            }
            self.each(at("limits"), limits, |this, path, limits| this.limits(path, limits));
        }
        if let Some(friction) = &joint.friction {
            self.count(at("friction"), friction, nv);
            self.each(at("friction"), friction, |this, path, friction| {
                this.friction(path, friction);
            });
        }
        if let Some(rotor) = &joint.rotor {
            if nv != 1 {
                let what = "single coordinate to gear a rotor to";
                let kind = FaultKind::NotForThisJoint { joint_type: joint.joint_type.name(), what };
                self.push(at("rotor"), kind);
            }
            self.not_negative(at("rotor.inertia"), rotor.inertia);
            if let Some(axis) = rotor.axis {
                self.direction(at("rotor.axis"), axis);
                if self.planar() && (axis[0] != 0.0 || axis[1] != 0.0) {
                    self.push(at("rotor.axis"), FaultKind::AxisNotZ { axis });
                }
            }
        }
    }

    /// One number serves all coordinates; a list has one for each.
    fn per_coordinate(&mut self, path: String, joint: &Joint, values: &OneOrMany<f64>, nv: usize) {
        match values {
            OneOrMany::Many(list) if list.len() != nv => {
                let kind = FaultKind::WrongLength { expected: nv.to_string(), found: list.len() };
                self.push(path, kind);
            }
            OneOrMany::One(value) if nv == 0 && *value != 0.0 => {
                let joint_type = joint.joint_type.name();
                let what = "coordinates";
                self.push(path, FaultKind::NotForThisJoint { joint_type, what });
            }
            _ => {}
        }
    }

    /// As many items as coordinates.
    fn count<T>(&mut self, path: String, items: &OneOrMany<T>, nv: usize) {
        let found = items.as_slice().len();
        if found != nv {
            self.push(path, FaultKind::WrongLength { expected: nv.to_string(), found });
        }
    }

    /// Calls `check` with every item and its path.
    fn each<T>(&mut self, path: String, items: &OneOrMany<T>, check: impl Fn(&mut Self, &str, &T)) {
        match items {
            OneOrMany::One(item) => check(self, &path, item),
            OneOrMany::Many(items) => {
                for (index, item) in items.iter().enumerate() {
                    check(self, &format!("{path}[{index}]"), item);
                }
            }
        }
    }

    fn each_not_negative(&mut self, path: &str, values: &OneOrMany<f64>) {
        self.each(path.to_owned(), values, |this, path, value| this.not_negative(path, *value));
    }

    fn limits(&mut self, path: &str, limits: &Limits) {
        if let (Some(lower), Some(upper)) = (limits.lower, limits.upper)
            && lower > upper
        {
            self.push(path, FaultKind::LimitOrder { lower, upper });
        }
        self.in_range(format!("{path}.restitution"), limits.restitution, [0.0, 1.0]);
        self.not_negative(format!("{path}.effort"), limits.effort.unwrap_or(0.0));
        self.not_negative(format!("{path}.velocity"), limits.velocity.unwrap_or(0.0));
    }

    fn friction(&mut self, path: &str, friction: &Friction) {
        self.not_negative(format!("{path}.coulomb"), friction.coulomb);
        self.not_negative(format!("{path}.viscous"), friction.viscous);
        let (stuck, sliding) = (friction.static_limit(), friction.coulomb);
        if stuck < sliding {
            self.push(path, FaultKind::StaticFriction { stuck, sliding });
        }
    }
}
