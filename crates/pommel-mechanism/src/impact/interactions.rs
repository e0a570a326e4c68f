//! What of a mechanism may stick, come to a stop, or touch.

use pommel_model::{Friction, JointType, Limits, Mechanism};

use super::{ImpactError, Target, UnsupportedInteraction};
use crate::constraint::{Coordinate, CoordinateAt};
use crate::space::{Planar, Space, Spatial};
use crate::system::{Bodies, Joints};
use crate::{Evaluation, System};

/// Dry friction in a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rub {
    /// Name of the coordinate: that of the joint, with a suffix if it has several.
    pub name: String,
    /// Index of the joint in the model.
    pub joint: usize,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// The friction.
    pub friction: Friction,
}

/// What kind of one-sided condition it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapKind {
    /// A joint coordinate does not fall below its lower limit.
    LowerLimit,
    /// A joint coordinate does not rise above its upper limit.
    UpperLimit,
    /// A sphere does not enter a plane.
    Contact,
}

/// A condition `g ≥ 0` of a stop or a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Name, such as `slide (lower limit)`, or that of the contact.
    pub name: String,
    /// What kind it is.
    pub kind: GapKind,
    /// The coordinate `c` of which it is a condition.
    pub target: Target,
    /// `g = sign · (c − bound)`; 1 or −1.
    pub sign: f64,
    /// The limit, rad or m; zero for contacts.
    pub bound: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

/// A coordinate at one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// rad, m.
    pub value: f64,
    /// rad/s, m/s.
    pub rate: f64,
    /// What is left of its acceleration when all bodies have none; rad/s², m/s².
    pub bias: f64,
}

/// All that may stick, stop or touch in a mechanism: friction first, then gaps.
///
/// Coordinates are counted in that order, see [`count`](Interactions::count).
#[derive(Clone, Debug)]
pub struct Interactions {
    rubs: Vec<Rub>,
    gaps: Vec<Gap>,
    coordinates: Coordinates,
}

#[derive(Clone, Debug)]
enum Coordinates {
    Planar(Vec<Coordinate<f64, Planar>>),
    Spatial(Vec<Coordinate<f64, Spatial>>),
}

impl Interactions {
    /// Those of a model. What acts between bodies that do not move is left out.
    ///
    /// # Errors
    /// [`ImpactError::Unsupported`] for friction or limits of joints whose coordinates are no angles or
    /// displacements, and for friction in contacts.
    pub fn new(mechanism: &Mechanism) -> Result<Self, ImpactError> {
        let (rubs, gaps) = (rubs(mechanism)?, gaps(mechanism)?);
        let (rubs, gaps, coordinates) = if mechanism.is_planar() {
            let (rubs, gaps, list) = resolve::<Planar>(mechanism, rubs, gaps);
            (rubs, gaps, Coordinates::Planar(list))
        } else {
            let (rubs, gaps, list) = resolve::<Spatial>(mechanism, rubs, gaps);
            (rubs, gaps, Coordinates::Spatial(list))
        };
        Ok(Interactions { rubs, gaps, coordinates })
    }

    /// Dry friction, in the order of joints.
    pub fn rubs(&self) -> &[Rub] {
        &self.rubs
    }

    /// Stops in the order of joints, lower before upper, then contacts.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Number of coordinates: one for each of [`rubs`](Self::rubs), then one for each of [`gaps`](Self::gaps).
    pub fn count(&self) -> usize {
        self.rubs.len() + self.gaps.len()
    }

    /// A coordinate at the state that was evaluated or placed last, next to `near` if it is an angle in
    /// space, which states know up to full turns only.
    ///
    /// # Panics
    /// If there is no such coordinate, or the evaluation is that of another mechanism.
    pub fn measure(&self, index: usize, near: f64, evaluation: &Evaluation<f64>) -> Measured {
        match &self.coordinates {
            Coordinates::Planar(list) => measure(&list[index], near, &evaluation.planar),
            Coordinates::Spatial(list) => measure(&list[index], near, &evaluation.spatial),
        }
    }

    /// The row of a coordinate: derivatives of its rate by the velocities of the system, into `row` of
    /// length [`System::nv`].
    ///
    /// # Panics
    /// If there is no such coordinate, the row has another length, or the evaluation is that of another
    /// mechanism.
    pub fn row(
        &self,
        index: usize,
        system: &System<f64>,
        evaluation: &Evaluation<f64>,
        row: &mut [f64],
    ) {
        assert_eq!(row.len(), system.nv(), "a row has nv entries");
        row.fill(0.0);
        match &self.coordinates {
            Coordinates::Planar(list) => write(&list[index], &evaluation.planar, row),
            Coordinates::Spatial(list) => write(&list[index], &evaluation.spatial, row),
        }
    }
}

fn measure<S: Space>(c: &Coordinate<f64, S>, near: f64, poses: &[S::Pose<f64>]) -> Measured {
    let CoordinateAt { value, rate, bias, .. } = c.at(poses);
    Measured { value: c.unwrap(value, near), rate, bias }
}

fn write<S: Space>(c: &Coordinate<f64, S>, poses: &[S::Pose<f64>], row: &mut [f64]) {
    let found = c.at(poses);
    for (body, part) in c.bodies.iter().zip(&found.rows) {
        let start = *body as usize * S::WIDTH;
        // the ground has no velocities
        if start < row.len() {
            let to = &mut row[start..start + S::WIDTH];
            to.iter_mut().zip(part.as_ref()).for_each(|(to, from)| *to += from);
        }
    }
}

/// Finds the coordinates, and leaves out what moves no body.
fn resolve<S: Joints>(
    mechanism: &Mechanism,
    mut rubs: Vec<Rub>,
    mut gaps: Vec<Gap>,
) -> (Vec<Rub>, Vec<Gap>, Vec<Coordinate<f64, S>>) {
    let bodies = Bodies::new(mechanism);
    let links = bodies.links(mechanism);
    let mut list = Vec::new();
    let mut keep = |target: Target| {
        let found = target.coordinate::<S>(mechanism, &bodies, &links);
        let found = found.filter(|c| c.bodies.iter().any(|b| (*b as usize) < bodies.count));
        let kept = found.is_some();
        list.extend(found);
        kept
    };
    rubs.retain(|rub| keep(Target::Joint { joint: rub.joint, coordinate: rub.coordinate }));
    gaps.retain(|gap| keep(gap.target));
    (rubs, gaps, list)
}

/// Whether the coordinates of a joint are angles and displacements.
fn has_coordinates(joint_type: JointType, planar: bool) -> bool {
    match joint_type {
        JointType::Spherical => false,
        JointType::Free => planar,
        _ => true,
    }
}

/// Name of a coordinate of a joint.
fn coordinate_name(mechanism: &Mechanism, joint: usize, coordinate: usize) -> String {
    let data = &mechanism.description().joints[joint];
    let suffixes = data.joint_type.velocity_suffixes(mechanism.is_planar());
    format!("{}{}", data.name, suffixes.get(coordinate).copied().unwrap_or_default())
}

fn unsupported(path: String, feature: UnsupportedInteraction) -> ImpactError {
    ImpactError::Unsupported { path, feature }
}

fn rubs(mechanism: &Mechanism) -> Result<Vec<Rub>, ImpactError> {
    let planar = mechanism.is_planar();
    let mut found = Vec::new();
    for (j, joint) in mechanism.description().joints.iter().enumerate() {
        let Some(list) = &joint.friction else { continue };
        for k in 0..joint.joint_type.nv(planar) {
            let Some(&friction) = list.get(k) else { continue };
            if friction.coulomb == 0.0 && friction.static_limit() == 0.0 && friction.viscous == 0.0
            {
                continue;
            }
            if !has_coordinates(joint.joint_type, planar) {
                let path = format!("joints[{j}] '{}'", joint.name);
                return Err(unsupported(path, UnsupportedInteraction::JointFriction));
            }
            if friction.static_limit() > 0.0 {
                let name = coordinate_name(mechanism, j, k);
                found.push(Rub { name, joint: j, coordinate: k, friction });
            }
        }
    }
    Ok(found)
}

fn gaps(mechanism: &Mechanism) -> Result<Vec<Gap>, ImpactError> {
    let planar = mechanism.is_planar();
    let mut found = Vec::new();
    for (j, joint) in mechanism.description().joints.iter().enumerate() {
        let Some(list) = &joint.limits else { continue };
        for k in 0..joint.joint_type.nv(planar) {
            let Some(&Limits { lower, upper, restitution, .. }) = list.get(k) else { continue };
            let sides = [
                (lower, 1.0, GapKind::LowerLimit, "lower limit"),
                (upper, -1.0, GapKind::UpperLimit, "upper limit"),
            ];
            for (bound, sign, kind, word) in sides {
                let Some(bound) = bound else { continue };
                if !has_coordinates(joint.joint_type, planar) {
                    let path = format!("joints[{j}] '{}'", joint.name);
                    return Err(unsupported(path, UnsupportedInteraction::JointLimits));
                }
                let name = format!("{} ({word})", coordinate_name(mechanism, j, k));
                let target = Target::Joint { joint: j, coordinate: k };
                found.push(Gap { name, kind, target, sign, bound, restitution });
            }
        }
    }
    for (index, contact) in mechanism.description().contacts.iter().enumerate() {
        let name = contact.name.clone().unwrap_or_else(|| format!("contacts[{index}]"));
        if contact.friction != 0.0 {
            let path = format!("contacts[{index}] '{name}'");
            return Err(unsupported(path, UnsupportedInteraction::ContactFriction));
        }
        found.push(Gap {
            name,
            kind: GapKind::Contact,
            target: Target::Gap { contact: index },
            sign: 1.0,
            bound: 0.0,
            restitution: contact.restitution,
        });
    }
    Ok(found)
}
