//! From a model to a system.

use std::collections::HashSet;

use pommel_kkt::Pattern;
use pommel_math::{Sym3, Vec3};
use pommel_model::{Constraint, JointType, Mechanism, OneOrMany};

use super::attach::{Attached, Bodies, transform};
use super::joints::{Joints, Link, NamedPart};
use super::names::{constraint_name, driver_name};
use super::{About, Elements, Side, Spaces, System, SystemError, UnsupportedFeature, loads};
use crate::constraint::{
    ConstraintInfo, Coordinate, Disc, End, Kind, Leader, Part, Relation, Roll, Support,
};
use crate::force::Element;
use crate::function::Function;
use crate::impact::ActiveSet;
use crate::law::Laws;
use crate::space::{Planar, Space, Spatial, planar, spatial};

impl System<f64> {
    /// The equations of a mechanism.
    ///
    /// # Errors
    /// [`SystemError`]: no body moves, a constraint acts on the ground alone, a link has no length,
    /// or the model has something that absolute coordinates do not know.
    pub fn new(mechanism: &Mechanism) -> Result<Self, SystemError> {
        if !mechanism.description().contacts.is_empty() {
            let path = "contacts[0]".to_owned();
            return Err(SystemError::Unsupported { path, feature: UnsupportedFeature::Contact });
        }
        Self::build(mechanism, None, &[])
    }

    /// The equations of a mechanism in which some coordinates are held, and others rub in a known sense; joints of
    /// the model for which `embedded` says so have no rows.
    pub(crate) fn build(
        mechanism: &Mechanism,
        active: Option<&ActiveSet>,
        embedded: &[bool],
    ) -> Result<Self, SystemError> {
        refuse_unsupported(mechanism)?;
        let bodies = Bodies::new(mechanism);
        if bodies.count == 0 {
            return Err(SystemError::NothingMoves { name: mechanism.name().to_owned() });
        }
        refuse_zero_length(mechanism, &bodies)?;
        let (spaces, about) = if mechanism.is_planar() {
            let (elements, about) = build::<Planar>(mechanism, bodies, active, embedded)?;
            (Spaces::Planar(elements), about)
        } else {
            let (elements, about) = build::<Spatial>(mechanism, bodies, active, embedded)?;
            (Spaces::Spatial(elements), about)
        };
        Ok(System { spaces, about: about.into(), laws: Laws::default() })
    }
}

/// `c = 0`
pub(super) fn locked<S: Space>(follower: Coordinate<f64, S>) -> Relation<f64, S> {
    Relation { follower, leader: None, motion: None, ends: Vec::new(), turns: 0 }
}

/// `slide = pitch · angle`
pub(super) fn screw<S: Space>(
    slide: Coordinate<f64, S>,
    angle: Coordinate<f64, S>,
    pitch: f64,
) -> Relation<f64, S> {
    let leader = Leader::Gear { coordinate: angle, ratio: pitch, offset: 0.0 };
    Relation { leader: Some(leader), ..locked(slide) }
}

/// What of building depends on the space and needs the model.
pub(super) trait Masses: Joints {
    fn inertia(body: &pommel_model::Body) -> Self::Inertia<f64>;
    /// The entries of M on and below the diagonal: row, column, value.
    fn mass_entries(inertia: &Self::Inertia<f64>) -> Vec<(usize, usize, f64)>;
    fn weight(inertia: &Self::Inertia<f64>, gravity: [f64; 3]) -> Vec<f64>;
}

impl Masses for Planar {
    fn inertia(body: &pommel_model::Body) -> planar::Inertia<f64> {
        planar::Inertia { mass: body.mass, moment: body.inertia.about_z() }
    }
    fn mass_entries(inertia: &planar::Inertia<f64>) -> Vec<(usize, usize, f64)> {
        vec![(0, 0, inertia.mass), (1, 1, inertia.mass), (2, 2, inertia.moment)]
    }
    fn weight(inertia: &planar::Inertia<f64>, g: [f64; 3]) -> Vec<f64> {
        vec![inertia.mass * g[0], inertia.mass * g[1], 0.0]
    }
}

impl Masses for Spatial {
    fn inertia(body: &pommel_model::Body) -> spatial::Inertia<f64> {
        let i = body.inertia.tensor();
        let entries = [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]];
        spatial::Inertia { mass: body.mass, tensor: Sym3::from_f64(entries) }
    }
    fn mass_entries(inertia: &spatial::Inertia<f64>) -> Vec<(usize, usize, f64)> {
        let (m, i) = (inertia.mass, inertia.tensor);
        let mut entries: Vec<_> = [i.xx, i.yy, i.zz, m, m, m].into_iter().enumerate().collect();
        let mut entries: Vec<_> = entries.drain(..).map(|(k, x)| (k, k, x)).collect();
        // products of inertia, unless the axes are principal ones
        if [i.xy, i.xz, i.yz] != [0.0; 3] {
            entries.extend([(1, 0, i.xy), (2, 0, i.xz), (2, 1, i.yz)]);
        }
        entries
    }
    fn weight(inertia: &spatial::Inertia<f64>, g: [f64; 3]) -> Vec<f64> {
        let m = inertia.mass;
        vec![0.0, 0.0, 0.0, m * g[0], m * g[1], m * g[2]]
    }
}

fn build<S: Masses>(
    mechanism: &Mechanism,
    bodies: Bodies,
    active: Option<&ActiveSet>,
    embedded: &[bool],
) -> Result<(Elements<f64, S>, About), SystemError> {
    let description = mechanism.description();
    let gravity = mechanism.gravity();
    let mut rows = RowBuilder::<S>::new(bodies.count);
    let (mut inertias, mut mass, mut weight) = (Vec::new(), Vec::new(), Vec::new());
    let mut mass_places = Vec::new();
    for (body, data) in description.bodies.iter().enumerate() {
        if bodies.moving[body].is_some() {
            let inertia = S::inertia(data);
            let first = inertias.len() * S::WIDTH;
            for (row, column, value) in S::mass_entries(&inertia) {
                mass_places.push((first + row, first + column));
                mass.push(value);
            }
            weight.extend(S::weight(&inertia, gravity));
            inertias.push(inertia);
        }
    }
    let links = bodies.links(mechanism);
    for (j, (link, data)) in links.iter().zip(&description.joints).enumerate() {
        if embedded.get(j) == Some(&true) {
            continue;
        }
        let grounded = link.ends.iter().all(|end| end.pose == bodies.count as u32);
        let carries = !link.joint.closes_loop;
        if grounded && carries {
            continue; // a fixed joint that makes its child part of the ground
        }
        let ends = link.ends.map(|end| end.pose);
        rows.push(data.name.clone(), ends, &[], S::parts(link), 0)?;
        if let Some(last) = rows.infos.last_mut().filter(|last| last.name == data.name) {
            last.of_tree = carries;
        }
    }
    for (index, constraint) in description.constraints.iter().enumerate() {
        let name = constraint_name(constraint, index);
        add_constraint(mechanism, &bodies, &links, constraint, name, &mut rows)?;
    }
    for (index, driver) in description.drivers.iter().enumerate() {
        let link = description.joint_index(&driver.joint).map(|j| &links[j]);
        let Some((link, follower)) =
            link.and_then(|link| Some((link, S::coordinate(link, driver.coordinate)?)))
        else {
            continue; // validation allows drivers of coordinates only
        };
        let motion = Some(Function::new(driver.motion.clone()));
        let relation = Relation { motion, ..locked(follower) };
        let parts: Vec<NamedPart<S>> =
            vec![(Kind::Relation(Box::new(relation)), &["coordinate"][..])];
        let name = driver_name(driver, index);
        rows.push(name, link.ends.map(|end| end.pose), &[], parts, 0)?;
    }
    let of_model = 2 * rows.relations;
    for held in active.iter().flat_map(|active| &active.held) {
        let Some(follower) = held.target.coordinate::<S>(mechanism, &bodies, &links) else {
            continue; // a list of what may interact has coordinates only
        };
        let ends = follower.bodies;
        let motion = Some(Function::new(held.motion.clone()));
        let relation = Relation { motion, ..locked(follower) };
        let parts = vec![(Kind::Relation(Box::new(relation)), &["coordinate"][..])];
        rows.push(held.name.clone(), ends, &[], parts, 0)?;
    }
    let mut forces = loads::elements(mechanism, &bodies, &links, active);
    let mut tracked = 2 * rows.relations;
    let held_turns = of_model..tracked;
    for force in &mut forces {
        if let Element::Joint(load) = force {
            load.turns = tracked as u32;
            tracked += 1;
        }
    }
    let elements = Elements { inertia: inertias, mass, weight, gravity, parts: rows.parts, forces };
    let names = (description.bodies.iter().zip(&bodies.moving))
        .filter(|(_, moving)| moving.is_some())
        .map(|(body, _)| body.name.clone())
        .collect();
    let widths = vec![S::WIDTH; bodies.count];
    let heights: Vec<usize> = rows.infos.iter().map(|info| info.rows.len()).collect();
    let pattern = Pattern::from_places(&widths, &heights, &mass_places, &rows.places, &[])?;
    let length = super::length::typical_length(&elements);
    let about = About {
        scales: super::length::scales(mechanism.is_planar(), bodies.count, length),
        length,
        pattern,
        constraints: rows.infos,
        bodies: names,
        moving: bodies.moving,
        tracked,
        held_turns,
        sides: sides(mechanism, &links),
    };
    Ok((elements, about))
}

/// The axes that joints in space keep parallel.
fn sides(mechanism: &Mechanism, links: &[Link<'_>]) -> Vec<Side> {
    if mechanism.is_planar() {
        return Vec::new();
    }
    let joints = links.iter().zip(&mechanism.description().joints);
    let of = |(link, data): (&Link<'_>, &pommel_model::Joint)| -> Vec<Side> {
        let axis = Vec3::from_f64(link.joint.axis);
        let axes = match link.joint.joint_type {
            JointType::Revolute | JointType::Cylindrical | JointType::Helical => vec![axis],
            JointType::Planar => vec![Vec3::new(0.0, 0.0, 1.0)],
            JointType::Prismatic | JointType::Fixed => {
                vec![axis, Spatial::tangents(axis)[0]]
            }
            JointType::Universal | JointType::Spherical | JointType::Free => Vec::new(),
        };
        let side = |axis: Vec3<f64>| Side {
            joint: data.name.clone(),
            poses: link.ends.map(|end| end.pose),
            axes: link.ends.map(|end| end.axes * axis),
        };
        axes.into_iter().map(side).collect()
    };
    joints.flat_map(of).collect()
}

fn add_constraint<S: Masses>(
    mechanism: &Mechanism,
    bodies: &Bodies,
    links: &[Link<'_>],
    constraint: &Constraint,
    name: String,
    rows: &mut RowBuilder<S>,
) -> Result<(), SystemError> {
    let description = mechanism.description();
    let point = |body: &str, point| bodies.point(description.body_index(body), point);
    let link = |joint: &str| description.joint_index(joint).map(|j| &links[j]);
    let (ends, others, parts, nonholonomic): (_, Vec<u32>, Vec<NamedPart<S>>, _) = match constraint
    {
        Constraint::Distance(c) => {
            let ends = [point(&c.body1, c.point1), point(&c.body2, c.point2)];
            let points = ends.map(|end| S::to_vector(end.point));
            let kind = Kind::Distance { points, length: c.length };
            (ends.map(|end| end.pose), vec![], vec![(kind, &["length"][..])], 0)
        }
        Constraint::PointOnLine(c) => {
            let ends = [point(&c.body1, c.point1), point(&c.body2, c.point2)];
            let points = ends.map(|end| S::to_vector(end.point));
            let normals = S::tangents(S::to_vector(ends[0].axes * unit(c.axis)));
            let names: [&'static [&'static str]; 2] = [&["normal 1"], &["normal 2"]];
            let parts = (normals.into_iter().zip(names).take(S::DIMENSION - 1))
                .map(|(normal, name)| (Kind::Along { points, normal }, name))
                .collect();
            (ends.map(|end| end.pose), vec![], parts, 0)
        }
        Constraint::Gear(c) => {
            let pair = [&c.joint1, &c.joint2]
                .map(|joint| link(joint).and_then(|link| S::coordinate(link, 0)));
            let [Some(coordinate), Some(follower)] = pair else { return Ok(()) };
            let (ends, others) = (follower.bodies, coordinate.bodies.to_vec());
            let leader = Leader::Gear { coordinate, ratio: c.ratio, offset: c.offset };
            let relation = Relation { leader: Some(leader), ..locked(follower) };
            let parts = vec![(Kind::Relation(Box::new(relation)), &["coordinate"][..])];
            (ends, others, parts, 0)
        }
        Constraint::Cam(c) => {
            let pair = [&c.joint1, &c.joint2]
                .map(|joint| link(joint).and_then(|link| S::coordinate(link, 0)));
            let [Some(coordinate), Some(follower)] = pair else { return Ok(()) };
            let (ends, others) = (follower.bodies, coordinate.bodies.to_vec());
            let profile = Function::periodic(c.profile.clone(), c.period);
            let leader = Leader::Cam { coordinate, profile };
            let relation = Relation { leader: Some(leader), ..locked(follower) };
            let parts = vec![(Kind::Relation(Box::new(relation)), &["coordinate"][..])];
            (ends, others, parts, 0)
        }
        Constraint::Rolling(c) => {
            let ends = [point(&c.body1, c.plane.point), point(&c.body2, c.point2)];
            let disc = c
                .axis
                .filter(|_| S::DIMENSION == 3)
                .map(|axis| Disc { axis: S::to_vector(ends[1].axes * unit(axis)) });
            let roll = Roll {
                points: ends.map(|end| S::to_vector(end.point)),
                normal: S::to_vector(ends[0].axes * unit(c.plane.normal)),
                radius: c.radius,
                disc,
            };
            let names: &'static [&'static str] = if S::DIMENSION == 3 {
                &["contact", "slip 1", "slip 2"]
            } else {
                &["contact", "slip"]
            };
            let parts = vec![(Kind::Roll(Box::new(roll)), names)];
            (ends.map(|end| end.pose), vec![], parts, S::DIMENSION - 1)
        }
    };
    rows.push(name, ends, &others, parts, nonholonomic)
}

fn unit(v: [f64; 3]) -> Vec3<f64> {
    let v = Vec3::<f64>::from_f64(v);
    v.scale(v.norm().recip())
}

/// Collects constraints.
struct RowBuilder<S: Space> {
    bodies: usize,
    parts: Vec<Part<f64, S>>,
    infos: Vec<ConstraintInfo>,
    /// entries of Φ_q, in the order of the values
    places: Vec<(usize, usize)>,
    row: usize,
    relations: usize,
}

impl<S: Space> RowBuilder<S> {
    fn new(bodies: usize) -> Self {
        RowBuilder {
            bodies,
            parts: Vec::new(),
            infos: Vec::new(),
            places: Vec::new(),
            row: 0,
            relations: 0,
        }
    }

    /// Adds a constraint between two poses (and others), whose last rows may be nonholonomic.
    fn push(
        &mut self,
        name: String,
        ends: [u32; 2],
        others: &[u32],
        parts: Vec<NamedPart<S>>,
        nonholonomic: usize,
    ) -> Result<(), SystemError> {
        if parts.is_empty() {
            return Ok(());
        }
        let mut bodies: Vec<u32> = ends.iter().chain(others).copied().collect();
        bodies.retain(|&body| (body as usize) < self.bodies);
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            return Err(SystemError::ActsOnGround { constraint: name });
        }
        let first = self.row;
        let mut row_names = Vec::new();
        for (mut kind, names) in parts {
            let (rows, support) = (kind.rows(), kind.support());
            let blocks: Vec<End> = (bodies.iter())
                .map(|&body| End { body, block: Some(self.place(body, rows, support)) })
                .collect();
            let end = |body: u32| {
                let found = blocks.iter().find(|end| end.body == body);
                found.copied().unwrap_or(End { body, block: None })
            };
            let ends = ends.map(end);
            if let Kind::Relation(relation) = &mut kind {
                relation.ends = blocks;
                relation.turns = 2 * self.relations as u32;
                self.relations += 1;
            }
            row_names.extend_from_slice(names);
            self.parts.push(Part { row: self.row as u32, ends, kind });
            self.row += rows;
        }
        self.infos.push(ConstraintInfo {
            name,
            of_tree: false,
            rows: first..self.row,
            row_names,
            nonholonomic: self.row - nonholonomic..self.row,
            bodies: bodies.iter().map(|&body| body as usize).collect(),
        });
        Ok(())
    }

    /// Places of the entries of some rows for one body; returns the first value.
    fn place(&mut self, body: u32, rows: usize, support: Support) -> u32 {
        let start = self.places.len() as u32;
        let first = body as usize * S::WIDTH;
        for k in 0..rows {
            let columns: Vec<usize> = match support {
                Support::Whole => (0..S::WIDTH).collect(),
                Support::Spin => (S::SPIN..S::SPIN + S::SPINS).collect(),
                Support::Place => (S::SPIN..S::SPIN + S::SPINS).chain([S::PLACE + k]).collect(),
            };
            self.places.extend(columns.into_iter().map(|column| (self.row + k, first + column)));
        }
        start
    }
}

fn refuse_unsupported(mechanism: &Mechanism) -> Result<(), SystemError> {
    let description = mechanism.description();
    for (j, joint) in description.joints.iter().enumerate() {
        let path = format!("joints[{j}] '{}'", joint.name);
        if joint.armature.as_slice().iter().any(|&x| x != 0.0) {
            return Err(SystemError::Unsupported { path, feature: UnsupportedFeature::Armature });
        }
        if joint.rotor.is_some_and(|rotor| rotor.inertia != 0.0) {
            return Err(SystemError::Unsupported { path, feature: UnsupportedFeature::Rotor });
        }
    }
    Ok(())
}

/// A body that hangs on two joints at one point only can turn about it for ever.
fn refuse_zero_length(mechanism: &Mechanism, bodies: &Bodies) -> Result<(), SystemError> {
    let description = mechanism.description();
    let mut joints: Vec<Vec<(usize, Attached)>> = vec![Vec::new(); bodies.count];
    for (j, joint) in mechanism.joints().iter().enumerate() {
        let data = &description.joints[j];
        let ends = [(joint.parent, &data.in_parent), (joint.child, &data.in_child)];
        for (body, frame) in ends {
            if let Some(moving) = body.and_then(|b| bodies.moving[b]) {
                joints[moving].push((j, bodies.attach(body, transform(frame))));
            }
        }
    }
    let mut others = vec![false; bodies.count];
    for name in description.constraints.iter().flat_map(constrained_bodies) {
        if let Some(moving) = description.body_index(name).and_then(|b| bodies.moving[b]) {
            others[moving] = true;
        }
    }
    // a torque, a gear, a cam or a driver decides how it turns
    let mut driven: HashSet<&str> =
        description.drivers.iter().map(|driver| driver.joint.as_str()).collect();
    for constraint in &description.constraints {
        match constraint {
            Constraint::Gear(c) => driven.extend([c.joint1.as_str(), c.joint2.as_str()]),
            Constraint::Cam(c) => driven.extend([c.joint1.as_str(), c.joint2.as_str()]),
            _ => {}
        }
    }
    for joint in &description.joints {
        let acts = |list: &OneOrMany<f64>| list.as_slice().iter().any(|x| *x != 0.0);
        if acts(&joint.stiffness) || acts(&joint.damping) || joint.torque.is_some() {
            driven.insert(&joint.name);
        }
    }
    let hinge = |j: usize| match mechanism.joints()[j].joint_type {
        JointType::Revolute => mechanism.is_planar(),
        JointType::Spherical => true,
        _ => false,
    };
    for (body, list) in joints.iter().enumerate() {
        let [(a, first), (b, second)] = list[..] else { continue };
        let apart = (first.point - second.point).norm();
        let scale = first.point.norm().max(second.point.norm());
        if hinge(a)
            && hinge(b)
            && !others[body]
            && !driven.contains(description.joints[a].name.as_str())
            && !driven.contains(description.joints[b].name.as_str())
            && apart <= 1e-12 * scale.max(f64::MIN_POSITIVE)
        {
            let name = description.bodies.iter().zip(&bodies.moving);
            let name = name.filter(|(_, m)| **m == Some(body)).map(|(b, _)| b.name.clone()).next();
            return Err(SystemError::ZeroLengthLink {
                body: name.unwrap_or_default(),
                joints: [a, b].map(|j| description.joints[j].name.clone()),
            });
        }
    }
    Ok(())
}

/// Bodies that a constraint names.
fn constrained_bodies(constraint: &Constraint) -> Vec<&str> {
    match constraint {
        Constraint::Distance(c) => vec![&c.body1, &c.body2],
        Constraint::PointOnLine(c) => vec![&c.body1, &c.body2],
        Constraint::Rolling(c) => vec![&c.body1, &c.body2],
        Constraint::Gear(_) | Constraint::Cam(_) => Vec::new(),
    }
}
