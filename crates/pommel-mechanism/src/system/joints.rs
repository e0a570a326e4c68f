//! Joints of a model as parts of constraints and as relative coordinates.

use pommel_math::Vec3;
use pommel_model::{JointType, ResolvedJoint};

use super::attach::Attached;
use crate::constraint::{Coordinate, CoordinateKind, Kind};
use crate::space::{Planar, Space, Spatial, VectorOf, planar, spatial};

/// A joint between two frames.
pub(crate) struct Link<'a> {
    pub(crate) joint: &'a ResolvedJoint,
    /// joint frames on the parent's and on the child's side
    pub(crate) ends: [Attached; 2],
}

/// Some rows, and the names of each.
pub(crate) type NamedPart<S> = (Kind<f64, S>, &'static [&'static str]);

/// What of building depends on the space.
pub(crate) trait Joints: Space {
    fn parts(link: &Link<'_>) -> Vec<NamedPart<Self>>;
    /// A coordinate of a joint that has as many coordinates as velocities.
    fn coordinate(link: &Link<'_>, index: usize) -> Option<Coordinate<f64, Self>>;
    /// Angle and displacement of a helical joint.
    fn screw(link: &Link<'_>) -> Option<[Coordinate<f64, Self>; 2]> {
        let _ = link;
        None
    }
    fn axis_names() -> &'static [&'static str];
    fn frames(ends: [&Attached; 2]) -> Self::Frames<f64>;

    fn to_vector(v: Vec3<f64>) -> Self::Vector<f64> {
        Self::vector(v.to_array())
    }
}

fn points<S: Joints>(link: &Link<'_>) -> [S::Vector<f64>; 2] {
    link.ends.map(|end| S::to_vector(end.point))
}

fn coincide<S: Joints>(link: &Link<'_>) -> NamedPart<S> {
    (Kind::Coincide { points: points::<S>(link) }, S::axis_names())
}

fn along<S: Joints>(
    link: &Link<'_>,
    normal: Vec3<f64>,
    name: &'static [&'static str],
) -> NamedPart<S> {
    let normal = S::to_vector(link.ends[0].axes * normal);
    (Kind::Along { points: points::<S>(link), normal }, name)
}

fn slide<S: Joints>(link: &Link<'_>, axis: Vec3<f64>) -> Coordinate<f64, S> {
    let axis = S::to_vector(link.ends[0].axes * axis);
    let kind = CoordinateKind::Slide { points: points::<S>(link), axis };
    Coordinate { bodies: link.ends.map(|end| end.pose), kind }
}

/// The angle of a frame in the plane.
fn angle_of(end: &Attached) -> f64 {
    end.axes.y.x.atan2(end.axes.x.x)
}

/// `φ₂ − φ₁` measured between the joint frames.
fn planar_angle(ends: [&Attached; 2], sign: f64) -> planar::Angle<f64> {
    planar::Angle { sign, offset: sign * (angle_of(ends[0]) - angle_of(ends[1])) }
}

impl Joints for Planar {
    fn axis_names() -> &'static [&'static str] {
        &["x", "y"]
    }

    fn frames(ends: [&Attached; 2]) -> planar::Angle<f64> {
        planar_angle(ends, 1.0)
    }

    fn parts(link: &Link<'_>) -> Vec<NamedPart<Self>> {
        let angle = || {
            let kind = CoordinateKind::Angle(planar_angle([&link.ends[0], &link.ends[1]], 1.0));
            let follower = Coordinate { bodies: link.ends.map(|end| end.pose), kind };
            (Kind::Relation(Box::new(super::build::locked(follower))), &["angle"][..])
        };
        match link.joint.joint_type {
            JointType::Revolute => vec![coincide::<Self>(link)],
            JointType::Prismatic => {
                let [x, y, _] = link.joint.axis;
                vec![along::<Self>(link, Vec3::new(-y, x, 0.0), &["normal"]), angle()]
            }
            JointType::Fixed => vec![coincide::<Self>(link), angle()],
            _ => Vec::new(),
        }
    }

    fn coordinate(link: &Link<'_>, index: usize) -> Option<Coordinate<f64, Self>> {
        let bodies = link.ends.map(|end| end.pose);
        let ends = [&link.ends[0], &link.ends[1]];
        let angle = |sign: f64| {
            let kind = CoordinateKind::Angle(planar_angle(ends, sign));
            Coordinate { bodies, kind }
        };
        let axis = |k: usize| {
            let mut unit = [0.0; 3];
            unit[k] = 1.0;
            Vec3::from_f64(unit)
        };
        match (link.joint.joint_type, index) {
            (JointType::Revolute, 0) => Some(angle(1.0_f64.copysign(link.joint.axis[2]))),
            (JointType::Prismatic, 0) => Some(slide(link, Vec3::from_f64(link.joint.axis))),
            (JointType::Planar | JointType::Free, 0 | 1) => Some(slide(link, axis(index))),
            (JointType::Planar | JointType::Free, 2) => Some(angle(1.0)),
            _ => None,
        }
    }
}

/// Two directions that make a right-handed frame with a unit vector.
fn across(n: Vec3<f64>) -> [Vec3<f64>; 2] {
    let [x, y] = Spatial::tangents(n);
    // n × x = y
    [x, y]
}

impl Joints for Spatial {
    fn axis_names() -> &'static [&'static str] {
        &["x", "y", "z"]
    }

    fn frames(ends: [&Attached; 2]) -> spatial::Frames<f64> {
        spatial::Frames { first: ends[0].axes, second: ends[1].axes }
    }

    fn parts(link: &Link<'_>) -> Vec<NamedPart<Self>> {
        let axis = Vec3::from_f64(link.joint.axis);
        let [x, y] = across(axis);
        let square =
            |a: Vec3<f64>, b: Vec3<f64>, name: &'static [&'static str]| -> NamedPart<Self> {
                let (a, b) = (link.ends[0].axes * a, link.ends[1].axes * b);
                (Kind::Perpendicular(spatial::Perpendicular { a, b, cosine: 0.0 }), name)
            };
        let parallel = || [square(x, axis, &["axis 1"]), square(y, axis, &["axis 2"])];
        let beside = || [along(link, x, &["normal 1"]), along(link, y, &["normal 2"])];
        let spin = || square(x, y, &["spin"]);
        let mut parts = Vec::new();
        match link.joint.joint_type {
            JointType::Revolute => {
                parts.push(coincide(link));
                parts.extend(parallel());
            }
            JointType::Spherical => parts.push(coincide(link)),
            JointType::Fixed => {
                parts.push(coincide(link));
                parts.extend(parallel());
                parts.push(spin());
            }
            JointType::Prismatic => {
                parts.extend(beside());
                parts.extend(parallel());
                parts.push(spin());
            }
            JointType::Cylindrical => {
                parts.extend(beside());
                parts.extend(parallel());
            }
            JointType::Helical => {
                parts.extend(beside());
                parts.extend(parallel());
                // displacement = pitch · angle
                let screw = super::build::screw(
                    slide(link, axis),
                    about(link, axis, [x, y]),
                    link.joint.pitch,
                );
                parts.push((Kind::Relation(Box::new(screw)), &["screw"]));
            }
            JointType::Universal => {
                parts.push(coincide(link));
                let axis2 = Vec3::from_f64(link.joint.axis2);
                let (a, b) = (link.ends[0].axes * axis, link.ends[1].axes * axis2);
                let cosine = axis.dot(axis2);
                let axes = spatial::Perpendicular { a, b, cosine };
                parts.push((Kind::Perpendicular(axes), &["cross"]));
            }
            JointType::Planar => {
                let z = Vec3::new(0.0, 0.0, 1.0);
                let [x, y] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
                parts.push(along(link, z, &["normal"]));
                parts.push(square(x, z, &["axis 1"]));
                parts.push(square(y, z, &["axis 2"]));
            }
            JointType::Free => {}
        }
        parts
    }

    fn screw(link: &Link<'_>) -> Option<[Coordinate<f64, Self>; 2]> {
        let axis = Vec3::from_f64(link.joint.axis);
        Some([about(link, axis, across(axis)), slide(link, axis)])
    }

    fn coordinate(link: &Link<'_>, index: usize) -> Option<Coordinate<f64, Self>> {
        let axis = Vec3::from_f64(link.joint.axis);
        match (link.joint.joint_type, index) {
            (JointType::Revolute | JointType::Helical | JointType::Cylindrical, 0) => {
                Some(about(link, axis, across(axis)))
            }
            (JointType::Prismatic, 0) | (JointType::Cylindrical, 1) => Some(slide(link, axis)),
            (JointType::Planar, 0) => Some(slide(link, Vec3::new(1.0, 0.0, 0.0))),
            (JointType::Planar, 1) => Some(slide(link, Vec3::new(0.0, 1.0, 0.0))),
            (JointType::Planar, 2) => {
                let [x, y] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
                Some(about(link, Vec3::new(0.0, 0.0, 1.0), [x, y]))
            }
            (JointType::Universal, 0 | 1) => Some(universal(link, index == 1)),
            _ => None,
        }
    }
}

/// The angle about an axis that both frames share.
fn about(link: &Link<'_>, axis: Vec3<f64>, [x, y]: [Vec3<f64>; 2]) -> Coordinate<f64, Spatial> {
    let [first, second] = link.ends;
    let angle = spatial::Angle::About {
        axis: first.axes * axis,
        x1: first.axes * x,
        y1: first.axes * y,
        x2: second.axes * x,
    };
    Coordinate { bodies: [first.pose, second.pose], kind: CoordinateKind::Angle(angle) }
}

/// An angle of a universal joint.
fn universal(link: &Link<'_>, second: bool) -> Coordinate<f64, Spatial> {
    let (a, b) = (Vec3::from_f64(link.joint.axis), Vec3::from_f64(link.joint.axis2));
    let cosine = a.dot(b);
    // the part of one axis that is perpendicular to the other
    let beside = |v: Vec3<f64>, n: Vec3<f64>| {
        let part = v.minus(n.scale(cosine));
        part.scale(part.norm().recip())
    };
    let (x1, x2) = (beside(b, a), beside(a, b));
    let [first, last] = link.ends;
    let angle = spatial::Angle::Universal {
        axis: first.axes * a,
        x1: first.axes * x1,
        y1: first.axes * a.cross(x1),
        axis2: last.axes * b,
        x2: last.axes * x2,
        y2: last.axes * b.cross(x2),
        cosine,
        second,
    };
    Coordinate { bodies: [first.pose, last.pose], kind: CoordinateKind::Angle(angle) }
}
