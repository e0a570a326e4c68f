//! Joint coordinates from where the bodies are.

use std::collections::HashMap;
use std::f64::consts::TAU;

use pommel_math::{Mat3, Quaternion, Transform, Vec3};
use pommel_model::{Body, Driver, JointType, Mechanism};

use super::PlanarAngle;
use crate::System;
use crate::constraint::Coordinate;
use crate::space::{Planar, Space, Spatial, VectorOf};
use crate::system::{Attached, Bodies, Joints, transform};

/// The coordinates of all tree joints, in the plane or in space.
#[derive(Clone, Debug)]
pub(super) enum Relative {
    Planar(RelativeOf<Planar>),
    Spatial(RelativeOf<Spatial>),
}

#[derive(Clone, Debug)]
pub(super) struct RelativeOf<S: Space> {
    items: Vec<Item<S>>,
    poses: Vec<S::Pose<f64>>,
    scratch: [Vec<f64>; 3],
}

/// A tree joint.
#[derive(Clone, Debug)]
struct Item<S: Space> {
    joint: usize,
    /// where its coordinates and velocities start
    q: usize,
    v: usize,
    kind: ItemKind<S>,
}

#[derive(Clone, Debug)]
enum ItemKind<S: Space> {
    Coordinates(Vec<Coordinate<f64, S>>),
    /// an angle whose full turns the displacement along its axis tells, by the pitch
    Screw {
        angle: Coordinate<f64, S>,
        slide: Coordinate<f64, S>,
        pitch: f64,
    },
    Ball([Attached; 2]),
    Free(Attached),
}

impl Relative {
    pub(super) fn new(mechanism: &Mechanism) -> Self {
        if mechanism.is_planar() {
            Relative::Planar(RelativeOf::new(mechanism))
        } else {
            Relative::Spatial(RelativeOf::new(mechanism))
        }
    }

    pub(super) fn write(&mut self, q: &[f64], v: &[f64], theta: &mut [f64], rates: &mut [f64]) {
        match self {
            Relative::Planar(of) => {
                of.place(q, v);
                of.items.iter().for_each(|item| of.write_planar(item, theta, rates));
            }
            Relative::Spatial(of) => {
                of.place(q, v);
                of.items.iter().for_each(|item| of.write_spatial(item, theta, rates));
            }
        }
    }

    pub(super) fn add_forces(&mut self, q: &[f64], v: &[f64], tau: &[f64], force: &mut [f64]) {
        match self {
            Relative::Planar(of) => {
                of.place(q, v);
                of.items.iter().for_each(|item| of.add_planar(item, tau, force));
            }
            Relative::Spatial(of) => {
                of.place(q, v);
                of.items.iter().for_each(|item| of.add_spatial(item, tau, force));
            }
        }
    }

    /// Only the joints that carry bodies which the model places.
    pub(super) fn write_of(
        &mut self,
        mechanism: &Mechanism,
        placed: &[bool],
        (q, v): (&[f64], &[f64]),
        theta: &mut [f64],
        rates: &mut [f64],
    ) {
        let carries =
            |joint: usize| mechanism.joints()[joint].child.is_some_and(|child| placed[child]);
        match self {
            Relative::Planar(of) => {
                of.place(q, v);
                let items = of.items.iter().filter(|item| carries(item.joint));
                items.for_each(|item| of.write_planar(item, theta, rates));
            }
            Relative::Spatial(of) => {
                of.place(q, v);
                let items = of.items.iter().filter(|item| carries(item.joint));
                items.for_each(|item| of.write_spatial(item, theta, rates));
            }
        }
    }
}

impl<S: Joints> RelativeOf<S> {
    fn new(mechanism: &Mechanism) -> Self {
        let bodies = Bodies::new(mechanism);
        let links = bodies.links(mechanism);
        let planar = mechanism.is_planar();
        let mut items = Vec::new();
        for joint in mechanism.tree_joints() {
            let link = &links[joint];
            let resolved = link.joint;
            if resolved.v.is_empty() {
                continue;
            }
            let screw = (resolved.joint_type == JointType::Helical).then(|| S::screw(link));
            let kind = match (resolved.joint_type, screw.flatten()) {
                (JointType::Spherical, _) => ItemKind::Ball(link.ends),
                (JointType::Free, _) if !planar => ItemKind::Free(link.ends[1]),
                (_, Some([angle, slide])) => {
                    ItemKind::Screw { angle, slide, pitch: resolved.pitch }
                }
                _ => ItemKind::Coordinates(
                    (0..resolved.v.len()).filter_map(|k| S::coordinate(link, k)).collect(),
                ),
            };
            items.push(Item { joint, q: resolved.q.start, v: resolved.v.start, kind });
        }
        let count = bodies.count;
        RelativeOf {
            items,
            poses: vec![S::Pose::<f64>::default(); count + 1],
            scratch: [(); 3].map(|()| vec![0.0; count]),
        }
    }

    fn place(&mut self, q: &[f64], v: &[f64]) {
        S::place(q, v, &mut self.scratch, &mut self.poses);
    }

    fn add_planar(&self, item: &Item<S>, tau: &[f64], force: &mut [f64]) {
        if let ItemKind::Screw { angle, .. } = &item.kind {
            let at = angle.at(&self.poses);
            for (body, row) in angle.bodies.into_iter().zip(&at.rows) {
                add::<S>(body, row, tau[item.v], force);
            }
        }
        if let ItemKind::Coordinates(list) = &item.kind {
            for (k, coordinate) in list.iter().enumerate() {
                let at = coordinate.at(&self.poses);
                for (body, row) in coordinate.bodies.into_iter().zip(&at.rows) {
                    add::<S>(body, row, tau[item.v + k], force);
                }
            }
        }
    }

    fn write_planar(&self, item: &Item<S>, theta: &mut [f64], rates: &mut [f64]) {
        if let ItemKind::Screw { angle, slide, pitch } = &item.kind {
            let at = angle.at(&self.poses);
            let turns = (slide.at(&self.poses).value / pitch - at.value) / TAU;
            theta[item.q] = at.value + if turns.is_finite() { TAU * turns.round() } else { 0.0 };
            rates[item.v] = at.rate;
        }
        if let ItemKind::Coordinates(list) = &item.kind {
            for (k, coordinate) in list.iter().enumerate() {
                let at = coordinate.at(&self.poses);
                theta[item.q + k] = at.value;
                rates[item.v + k] = at.rate;
            }
        }
    }
}

impl RelativeOf<Spatial> {
    fn add_spatial(&self, item: &Item<Spatial>, tau: &[f64], force: &mut [f64]) {
        match &item.kind {
            ItemKind::Coordinates(_) | ItemKind::Screw { .. } => {
                self.add_planar(item, tau, force);
            }
            ItemKind::Ball(ends) => {
                let [p, c] = ends.map(|end| &self.poses[end.pose as usize]);
                let axes = c.rotation * ends[1].axes;
                let moment = axes * Vec3::from_slice(&tau[item.v..]);
                add::<Spatial>(ends[0].pose, &Spatial::spin_row(p, -moment), 1.0, force);
                add::<Spatial>(ends[1].pose, &Spatial::spin_row(c, moment), 1.0, force);
            }
            ItemKind::Free(end) => {
                let pose = &self.poses[end.pose as usize];
                let at = Spatial::point_at(pose, end.point);
                let moment = Vec3::from_slice(&tau[item.v..]);
                let push = Vec3::from_slice(&tau[item.v + 3..]);
                add::<Spatial>(end.pose, &Spatial::spin_row(pose, moment), 1.0, force);
                add::<Spatial>(end.pose, &Spatial::point_row(pose, at.arm, push), 1.0, force);
            }
        }
    }

    fn write_spatial(&self, item: &Item<Spatial>, theta: &mut [f64], rates: &mut [f64]) {
        match &item.kind {
            ItemKind::Coordinates(_) | ItemKind::Screw { .. } => {
                self.write_planar(item, theta, rates);
            }
            ItemKind::Ball(ends) => {
                let [p, c] = ends.map(|end| &self.poses[end.pose as usize]);
                let (from, to) = (p.rotation * ends[0].axes, c.rotation * ends[1].axes);
                let turned = from.transpose() * to;
                Quaternion::from_rotation(turned).write_to(&mut theta[item.q..]);
                to.transpose_mul(c.omega - p.omega).write_to(&mut rates[item.v..]);
            }
            ItemKind::Free(end) => {
                let pose = &self.poses[end.pose as usize];
                let at = Spatial::point_at(pose, end.point);
                at.position.write_to(&mut theta[item.q..]);
                Quaternion::from_rotation(pose.rotation).write_to(&mut theta[item.q + 3..]);
                pose.omega.write_to(&mut rates[item.v..]);
                at.velocity.write_to(&mut rates[item.v + 3..]);
            }
        }
    }
}

/// Adds `factor · row` to the forces on a body; the ground feels nothing.
fn add<S: Space>(body: u32, row: &S::Row<f64>, factor: f64, force: &mut [f64]) {
    let start = body as usize * S::WIDTH;
    if start < force.len() {
        let force = &mut force[start..start + S::WIDTH];
        force.iter_mut().zip(row.as_ref()).for_each(|(to, from)| *to += factor * from);
    }
}

fn angle_of(end: &Attached) -> f64 {
    end.axes.y.x.atan2(end.axes.x.x)
}

/// How angles add up along the tree; empty in space.
pub(super) fn planar_angles(mechanism: &Mechanism) -> Vec<PlanarAngle> {
    if !mechanism.is_planar() {
        return Vec::new();
    }
    let bodies = Bodies::new(mechanism);
    let links = bodies.links(mechanism);
    let of = |b: &usize| {
        let body = bodies.moving[*b]?;
        let link = &links[mechanism.bodies()[*b].tree_joint];
        let parent = link.ends[0].pose as usize;
        let coordinate = match link.joint.joint_type {
            JointType::Revolute => Some((link.joint.q.start, 1.0_f64.copysign(link.joint.axis[2]))),
            JointType::Planar | JointType::Free => Some((link.joint.q.start + 2, 1.0)),
            _ => None,
        };
        Some(PlanarAngle {
            body,
            parent: (parent < bodies.count).then_some(parent),
            coordinate,
            constant: angle_of(&link.ends[0]) - angle_of(&link.ends[1]),
        })
    };
    mechanism.order().iter().filter_map(of).collect()
}

/// Bodies whose start is where the model places them: their joint has no coordinate of its own in
/// the initial state.
pub(super) fn placed_bodies(mechanism: &Mechanism) -> Vec<bool> {
    let description = mechanism.description();
    (mechanism.bodies().iter().zip(&description.bodies))
        .map(|(at, body)| {
            let joint = &description.joints[at.tree_joint];
            body.placement().is_some()
                && joint.joint_type != JointType::Free
                && !description.initial.q.contains_key(&joint.name)
        })
        .collect()
}

/// Puts a body where the model places it.
pub(super) fn place_body(body: &Body, planar: bool, i: usize, q: &mut [f64], v: &mut [f64]) {
    let frame = body.placement().unwrap_or_default();
    let placed: Transform<f64> = transform(&frame);
    let arm = placed.rotation * Vec3::from_f64(body.com);
    let centre = placed.translation + arm;
    let omega = Vec3::from_f64(body.angular_velocity.map(|w| w.vector()).unwrap_or_default());
    let velocity = Vec3::from_f64(body.velocity.unwrap_or_default()).plus(omega.cross(arm));
    if planar {
        let rotation = placed.rotation;
        let angle = frame.angle.unwrap_or_else(|| rotation.y.x.atan2(rotation.x.x));
        q[3 * i..3 * i + 3].copy_from_slice(&[centre.x, centre.y, angle]);
        v[3 * i..3 * i + 3].copy_from_slice(&[velocity.x, velocity.y, omega.z]);
    } else {
        centre.write_to(&mut q[7 * i..]);
        let quaternion = match frame.quaternion {
            // a quaternion given as such keeps its digits and its sign
            Some(given) => {
                let [w, x, y, z] = given;
                Quaternion::new(w, x, y, z).normalized()
            }
            None => Quaternion::from_rotation(Mat3::from_f64(frame.rotation())),
        };
        quaternion.write_to(&mut q[7 * i + 3..]);
        placed.rotation.transpose_mul(omega).write_to(&mut v[6 * i..]);
        velocity.write_to(&mut v[6 * i + 3..]);
    }
}

/// Brings angles of bodies in the plane to the turn that their joint means: that of a joint without
/// rotation, or of a driver.
pub(super) fn count_turns(mechanism: &Mechanism, system: &System<f64>, q: &mut [f64]) {
    let description = mechanism.description();
    // the bodies of the model that move
    let mut body_of = vec![usize::MAX; system.body_count()];
    for body in 0..mechanism.bodies().len() {
        if let Some(moving) = system.body_of_model(body) {
            body_of[moving] = body_of[moving].min(body);
        }
    }
    let drivers: HashMap<(&str, usize), &Driver> =
        description.drivers.iter().rev().map(|d| ((d.joint.as_str(), d.coordinate), d)).collect();
    for at in planar_angles(mechanism) {
        let body = body_of[at.body];
        let joint = mechanism.bodies()[body].tree_joint;
        let goal = match at.coordinate {
            None => 0.0,
            Some((k, sign)) => {
                let coordinate = k.wrapping_sub(mechanism.joints()[joint].q.start);
                let name = description.joints[joint].name.as_str();
                let Some(driver) = drivers.get(&(name, coordinate)) else { continue };
                sign * driver.motion.value(0.0)
            }
        };
        let parent = at.parent.map_or(0.0, |parent| q[3 * parent + 2]);
        let relative = q[3 * at.body + 2] - parent - at.constant;
        q[3 * at.body + 2] += TAU * ((goal - relative) / TAU).round();
    }
}
