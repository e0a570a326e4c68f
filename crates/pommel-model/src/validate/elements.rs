//! Forces, constraints, drivers, contacts.

use super::Validator;
use crate::GROUND;
use crate::description::{Bushing, Constraint, Force, Joint, SpringDamper, Torque, Wrench};
use crate::fault::FaultKind;

impl Force {
    /// Name, if one is given.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::SpringDamper(force) => force.name.as_deref(),
            Self::Bushing(force) => force.name.as_deref(),
            Self::Wrench(force) => force.name.as_deref(),
            Self::Torque(force) => force.name.as_deref(),
        }
    }
}

impl Constraint {
    /// Name, if one is given.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Distance(constraint) => constraint.name.as_deref(),
            Self::Gear(constraint) => constraint.name.as_deref(),
            Self::PointOnLine(constraint) => constraint.name.as_deref(),
            Self::Cam(constraint) => constraint.name.as_deref(),
            Self::Rolling(constraint) => constraint.name.as_deref(),
        }
    }
}

impl Validator<'_> {
    pub(super) fn forces(&mut self) {
        let forces = &self.description.forces;
        self.unique_if_given("forces", forces.iter().map(Force::name));
        for (index, force) in forces.iter().enumerate() {
            let path = format!("forces[{index}]");
            match force {
                Force::SpringDamper(force) => self.spring_damper(&path, force),
                Force::Bushing(force) => self.bushing(&path, force),
                Force::Wrench(force) => self.wrench(&path, force),
                Force::Torque(force) => self.torque(&path, force),
            }
        }
    }

    fn spring_damper(&mut self, path: &str, force: &SpringDamper) {
        self.two_points(path, (&force.body1, force.point1), (&force.body2, force.point2));
        self.not_negative(format!("{path}.stiffness"), force.stiffness);
        self.not_negative(format!("{path}.damping"), force.damping);
        self.not_negative(format!("{path}.rest_length"), force.rest_length);
    }

    fn bushing(&mut self, path: &str, force: &Bushing) {
        self.two_bodies(path, &force.body1, &force.body2);
        self.joint_frame(&format!("{path}.frame1"), &force.frame1);
        self.joint_frame(&format!("{path}.frame2"), &force.frame2);
        for (key, values) in [
            ("stiffness", force.stiffness),
            ("damping", force.damping),
            ("torsional_stiffness", force.torsional_stiffness),
            ("torsional_damping", force.torsional_damping),
        ] {
            for (index, value) in values.into_iter().enumerate() {
                self.not_negative(format!("{path}.{key}[{index}]"), value);
            }
        }
    }

    fn wrench(&mut self, path: &str, force: &Wrench) {
        self.real_body(format!("{path}.body"), &force.body);
        self.in_plane(format!("{path}.point"), force.point);
        for (key, functions) in [("force", &force.force), ("moment", &force.moment)] {
            for (index, function) in functions.iter().enumerate() {
                self.time(&format!("{path}.{key}[{index}]"), function);
            }
        }
        let across = [
            ("force[2]", &force.force[2], "a force along z"),
            ("moment[0]", &force.moment[0], "a moment about x"),
            ("moment[1]", &force.moment[1], "a moment about y"),
        ];
        for (key, function, what) in across {
            if self.planar() && !function.is_zero() {
                self.push(format!("{path}.{key}"), FaultKind::SpatialOnly { what });
            }
        }
    }

    fn torque(&mut self, path: &str, force: &Torque) {
        self.two_bodies(path, &force.body1, &force.body2);
        let axis = force.axis;
        self.direction(format!("{path}.axis"), axis);
        if self.planar() && (axis[0] != 0.0 || axis[1] != 0.0) {
            self.push(format!("{path}.axis"), FaultKind::AxisNotZ { axis });
        }
        self.time(&format!("{path}.torque"), &force.torque);
    }

    pub(super) fn constraints(&mut self) {
        let constraints = &self.description.constraints;
        self.unique_if_given("constraints", constraints.iter().map(Constraint::name));
        for (index, constraint) in constraints.iter().enumerate() {
            let path = format!("constraints[{index}]");
            match constraint {
                Constraint::Distance(c) => {
                    self.two_points(&path, (&c.body1, c.point1), (&c.body2, c.point2));
                    if c.length <= 0.0 {
                        let kind = FaultKind::NotPositive { value: c.length };
                        self.push(format!("{path}.length"), kind);
                    }
                }
                Constraint::Gear(c) => {
                    let needs = "a gear needs joints with one coordinate";
                    self.two_joints(&path, &c.joint1, &c.joint2, needs);
                }
                Constraint::Cam(c) => {
                    let needs = "a cam needs joints with one coordinate";
                    self.two_joints(&path, &c.joint1, &c.joint2, needs);
                    self.time(&format!("{path}.profile"), &c.profile);
                    if let Some(value) = c.period.filter(|&period| period <= 0.0) {
                        let kind = FaultKind::NotPositive { value };
                        self.push(format!("{path}.period"), kind);
                    }
                }
                Constraint::Rolling(c) => {
                    self.two_bodies(&path, &c.body1, &c.body2);
                    self.in_plane(format!("{path}.plane.point"), c.plane.point);
                    self.in_plane(format!("{path}.plane.normal"), c.plane.normal);
                    self.direction(format!("{path}.plane.normal"), c.plane.normal);
                    self.in_plane(format!("{path}.point2"), c.point2);
                    if c.radius <= 0.0 {
                        let kind = FaultKind::NotPositive { value: c.radius };
                        self.push(format!("{path}.radius"), kind);
                    }
                    if let Some(axis) = c.axis {
                        self.direction(format!("{path}.axis"), axis);
                        if self.planar() && (axis[0] != 0.0 || axis[1] != 0.0) {
                            self.push(format!("{path}.axis"), FaultKind::AxisNotZ { axis });
                        }
                    }
                }
                Constraint::PointOnLine(c) => {
                    self.two_points(&path, (&c.body1, c.point1), (&c.body2, c.point2));
                    self.direction(format!("{path}.axis"), c.axis);
                    self.in_plane(format!("{path}.axis"), c.axis);
                }
            }
        }
    }

    pub(super) fn drivers(&mut self) {
        let drivers = &self.description.drivers;
        self.unique_if_given("drivers", drivers.iter().map(|driver| driver.name.as_deref()));
        for (index, driver) in drivers.iter().enumerate() {
            let path = format!("drivers[{index}]");
            self.time(&format!("{path}.motion"), &driver.motion);
            let joint_path = format!("{path}.joint");
            let Some(joint) = self.joint(joint_path.clone(), &driver.joint) else { continue };
            let (nq, nv) = (joint.joint_type.nq(self.planar()), joint.joint_type.nv(self.planar()));
            if nq != nv || nv == 0 {
                let needs = "a driver needs a coordinate that is an angle or a displacement";
                self.unsuitable(joint_path, joint, needs);
            } else if driver.coordinate >= nv {
                let kind = FaultKind::NoSuchCoordinate {
                    joint: joint.name.clone(),
                    count: nv,
                    coordinate: driver.coordinate,
                };
                self.push(format!("{path}.coordinate"), kind);
            }
        }
    }

    pub(super) fn contacts(&mut self) {
        let contacts = &self.description.contacts;
        self.unique_if_given("contacts", contacts.iter().map(|contact| contact.name.as_deref()));
        for (index, contact) in contacts.iter().enumerate() {
            let path = format!("contacts[{index}]");
            self.real_body(format!("{path}.body"), &contact.body);
            self.in_plane(format!("{path}.point"), contact.point);
            self.not_negative(format!("{path}.radius"), contact.radius);
            self.not_negative(format!("{path}.friction"), contact.friction);
            self.in_range(format!("{path}.restitution"), contact.restitution, [0.0, 1.0]);
            self.in_plane(format!("{path}.plane.point"), contact.plane.point);
            self.in_plane(format!("{path}.plane.normal"), contact.plane.normal);
            self.direction(format!("{path}.plane.normal"), contact.plane.normal);
        }
    }

    /// Names that need not be given, but must differ.
    fn unique_if_given<'n>(&mut self, list: &str, names: impl Iterator<Item = Option<&'n str>>) {
        let mut seen = std::collections::HashMap::new();
        for (index, name) in names.enumerate() {
            let Some(name) = name else { continue };
            if let Some(&first) = seen.get(name) {
                let kind = FaultKind::DuplicateName { name: name.to_owned(), first };
                self.push(format!("{list}[{index}].name"), kind);
            } else {
                seen.insert(name, index);
            }
        }
    }

    /// Two different joints with one coordinate each.
    fn two_joints(&mut self, path: &str, joint1: &str, joint2: &str, needs: &'static str) {
        self.different(path.to_owned(), joint1, joint2);
        for (key, name) in [("joint1", joint1), ("joint2", joint2)] {
            let path = format!("{path}.{key}");
            if let Some(joint) = self.joint(path.clone(), name)
                && joint.joint_type.nv(self.planar()) != 1
            {
                self.unsuitable(path, joint, needs);
            }
        }
    }

    fn two_bodies(&mut self, path: &str, body1: &str, body2: &str) {
        self.body_or_ground(format!("{path}.body1"), body1);
        self.body_or_ground(format!("{path}.body2"), body2);
        self.different(path.to_owned(), body1, body2);
    }

    fn two_points(&mut self, path: &str, end1: (&str, [f64; 3]), end2: (&str, [f64; 3])) {
        self.two_bodies(path, end1.0, end2.0);
        self.in_plane(format!("{path}.point1"), end1.1);
        self.in_plane(format!("{path}.point2"), end2.1);
    }

    /// The name is that of a body, not of ground.
    fn real_body(&mut self, path: String, name: &str) {
        if name == GROUND {
            self.push(path, FaultKind::ReservedName);
        } else {
            self.body_or_ground(path, name);
        }
    }

    fn unsuitable(&mut self, path: String, joint: &Joint, needs: &'static str) {
        let joint_type = joint.joint_type.name();
        self.push(
            path,
            FaultKind::UnsuitableJoint { joint: joint.name.clone(), joint_type, needs },
        );
    }
}
