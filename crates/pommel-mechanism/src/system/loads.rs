//! Forces of a model as elements.

use pommel_math::{Mat3, Vec3};
use pommel_model::{
    Force, Friction, Joint, JointType, Mechanism, OneOrMany, TimeFunction, WrenchAxes,
};

use super::attach::{Bodies, transform};
use super::joints::{Joints, Link};
use crate::force::{
    Bushing, Element, FreeLoad, JointLoad, SpinLoad, Spring, TorqueLoad, WrenchLoad,
};
use crate::function::Function;
use crate::impact::ActiveSet;

/// The forces of a mechanism besides gravity.
pub(super) fn elements<S: Joints>(
    mechanism: &Mechanism,
    bodies: &Bodies,
    links: &[Link<'_>],
    active: Option<&ActiveSet>,
) -> Vec<Element<f64, S>> {
    let description = mechanism.description();
    let mut found = Vec::new();
    for (index, (link, joint)) in links.iter().zip(&description.joints).enumerate() {
        in_joint(link, (index, joint), active, &mut found);
    }
    let ground = bodies.count as u32;
    for force in &description.forces {
        let point = |name: &str, point| bodies.point(description.body_index(name), point);
        let element = match force {
            Force::SpringDamper(s) => {
                let ends = [point(&s.body1, s.point1), point(&s.body2, s.point2)];
                Element::Spring(Spring {
                    bodies: ends.map(|end| end.pose),
                    points: ends.map(|end| S::to_vector(end.point)),
                    stiffness: s.stiffness,
                    damping: s.damping,
                    rest_length: s.rest_length,
                    preload: s.preload,
                })
            }
            Force::Bushing(b) => {
                let frame = |name: &str, frame| {
                    bodies.attach(description.body_index(name), transform(frame))
                };
                let ends = [frame(&b.body1, &b.frame1), frame(&b.body2, &b.frame2)];
                Element::Bushing(Box::new(Bushing {
                    bodies: ends.map(|end| end.pose),
                    points: ends.map(|end| S::to_vector(end.point)),
                    axes: columns::<S>(ends[0].axes),
                    frames: S::frames([&ends[0], &ends[1]]),
                    stiffness: b.stiffness,
                    damping: b.damping,
                    torsional_stiffness: b.torsional_stiffness,
                    torsional_damping: b.torsional_damping,
                }))
            }
            Force::Wrench(w) => {
                let at = point(&w.body, w.point);
                Element::Wrench(Box::new(WrenchLoad {
                    body: at.pose,
                    point: S::to_vector(at.point),
                    in_body_axes: w.frame == WrenchAxes::Body,
                    force: w.force.clone().map(Function::new),
                    moment: w.moment.clone().map(Function::new),
                }))
            }
            Force::Torque(t) => {
                let ends = [point(&t.body1, [0.0; 3]), point(&t.body2, [0.0; 3])];
                let axis = Vec3::<f64>::from_f64(t.axis);
                let axis = ends[0].axes * axis.scale(axis.norm().recip());
                Element::Torque(Box::new(TorqueLoad {
                    bodies: ends.map(|end| end.pose),
                    axis: (S::DIMENSION == 3).then(|| S::to_vector(axis)),
                    sign: 1.0_f64.copysign(t.axis[2]),
                    torque: Function::new(t.torque.clone()),
                }))
            }
        };
        // what acts on the ground alone moves nothing
        let felt = match &element {
            Element::Wrench(load) => load.body != ground,
            _ => true,
        };
        if felt {
            found.push(element);
        }
    }
    found
}

/// Axes of a frame as vectors; the third is zero in the plane.
fn columns<S: Joints>(axes: Mat3<f64>) -> [S::Vector<f64>; 3] {
    let columns = axes.transpose();
    [columns.x, columns.y, columns.z].map(S::to_vector)
}

fn in_joint<S: Joints>(
    link: &Link<'_>,
    (index, joint): (usize, &Joint),
    active: Option<&ActiveSet>,
    found: &mut Vec<Element<f64, S>>,
) {
    let planar = S::DIMENSION == 2;
    let nv = joint.joint_type.nv(planar);
    let pick = |list: &OneOrMany<f64>, k: usize| list.get(k).copied().unwrap_or(0.0);
    let torque = |k: usize| -> Option<TimeFunction> {
        joint.torque.as_ref().and_then(|t| t.get(k)).filter(|t| !t.is_zero()).cloned()
    };
    let torques = |k: usize| Function::new(torque(k).unwrap_or_default());
    let driven = (0..nv).any(|k| torque(k).is_some());
    let damped = (0..nv).any(|k| pick(&joint.damping, k) != 0.0);
    match joint.joint_type {
        JointType::Spherical if driven || damped => {
            found.push(Element::Spin(Box::new(SpinLoad {
                bodies: link.ends.map(|end| end.pose),
                axes: columns::<S>(link.ends[1].axes),
                damping: std::array::from_fn(|k| pick(&joint.damping, k)),
                torque: driven.then(|| std::array::from_fn(torques)),
            })));
        }
        JointType::Free if !planar && (driven || damped) => {
            found.push(Element::Free(Box::new(FreeLoad {
                body: link.ends[1].pose,
                origin: S::to_vector(link.ends[1].point),
                damping: std::array::from_fn(|k| pick(&joint.damping, k)),
                torque: driven.then(|| std::array::from_fn(torques)),
            })));
        }
        _ => {
            for k in 0..nv {
                let Some(coordinate) = S::coordinate(link, k) else { continue };
                let friction: Friction =
                    joint.friction.as_ref().and_then(|f| f.get(k)).copied().unwrap_or_default();
                let mut load = JointLoad {
                    coordinate,
                    torque: torque(k).map(Function::new),
                    stiffness: pick(&joint.stiffness, k),
                    rest: pick(&joint.rest, k),
                    damping: pick(&joint.damping, k),
                    coulomb: friction.coulomb,
                    viscous: friction.viscous,
                    surface_velocity: friction.surface_velocity,
                    sliding: 0.0,
                    turns: 0,
                };
                let numbers = [load.stiffness, load.damping, load.coulomb, load.viscous];
                if let Some(active) = active {
                    (load.coulomb, load.sliding) = (0.0, active.sliding_in(index, k));
                }
                if load.torque.is_some() || numbers.iter().any(|&x| x != 0.0) {
                    found.push(Element::Joint(Box::new(load)));
                }
            }
        }
    }
}
