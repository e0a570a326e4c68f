//! Frames of a model as points and axes of the bodies that move.

use pommel_math::{Mat3, Transform, Vec3};
use pommel_model::{Frame, Mechanism};

use super::joints::Link;

/// A frame in the world or in another one.
pub(crate) type Placement = Transform<f64>;

/// A frame on a body that moves, or on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    /// index among the poses; the ground is the last
    pub(crate) pose: u32,
    /// origin from the mass centre, in body axes
    pub(crate) point: Vec3<f64>,
    /// axes of the frame in body axes
    pub(crate) axes: Mat3<f64>,
}

/// Which bodies move, and where those are that do not.
pub(crate) struct Bodies {
    /// for each body of the model its index among those that move
    pub(crate) moving: Vec<Option<usize>>,
    /// mass centres of those that move, in body frames
    pub(super) centres: Vec<[f64; 3]>,
    /// placements of those that do not
    pub(super) grounded: Vec<Option<Placement>>,
    pub(crate) count: usize,
}

/// A frame of a description as a transform.
pub(crate) fn transform(frame: &Frame) -> Placement {
    Transform::new(Mat3::from_f64(frame.rotation()), Vec3::from_f64(frame.position))
}

impl Bodies {
    pub(crate) fn new(mechanism: &Mechanism) -> Self {
        let description = mechanism.description();
        let mut found = Bodies {
            moving: vec![None; mechanism.bodies().len()],
            centres: Vec::new(),
            grounded: vec![None; mechanism.bodies().len()],
            count: 0,
        };
        for (b, body) in mechanism.bodies().iter().enumerate() {
            if !body.grounded {
                found.moving[b] = Some(found.count);
                found.centres.push(description.bodies[b].com);
                found.count += 1;
            }
        }
        // parents come before children
        for &b in mechanism.order() {
            let body = &mechanism.bodies()[b];
            if body.grounded {
                let joint = &description.joints[body.tree_joint];
                let parent = body.parent.and_then(|p| found.grounded[p]).unwrap_or_default();
                let placed =
                    parent * transform(&joint.in_parent) * transform(&joint.in_child).inverse();
                found.grounded[b] = Some(placed);
            }
        }
        found
    }

    /// Where a body is that does not move.
    pub(crate) fn placement_on_ground(&self, body: usize) -> Placement {
        self.grounded[body].unwrap_or_default()
    }

    /// A frame on a body of the model, or on the ground.
    pub(crate) fn attach(&self, body: Option<usize>, frame: Placement) -> Attached {
        let ground = self.count as u32;
        let Some(b) = body else {
            return Attached { pose: ground, point: frame.translation, axes: frame.rotation };
        };
        match (self.moving[b], self.grounded[b]) {
            (Some(index), _) => Attached {
                pose: index as u32,
                point: frame.translation - Vec3::from_f64(self.centres[index]),
                axes: frame.rotation,
            },
            (None, placement) => {
                let placed = placement.unwrap_or_default() * frame;
                Attached { pose: ground, point: placed.translation, axes: placed.rotation }
            }
        }
    }

    /// The joints of the model, between the frames of both sides.
    pub(crate) fn links<'a>(&self, mechanism: &'a Mechanism) -> Vec<Link<'a>> {
        let data = &mechanism.description().joints;
        (mechanism.joints().iter().zip(data))
            .map(|(joint, data)| Link {
                joint,
                ends: [
                    self.attach(joint.parent, transform(&data.in_parent)),
                    self.attach(joint.child, transform(&data.in_child)),
                ],
            })
            .collect()
    }

    /// A point of a body, with its axes.
    pub(crate) fn point(&self, body: Option<usize>, point: [f64; 3]) -> Attached {
        self.attach(body, Transform::new(Mat3::identity(), Vec3::from_f64(point)))
    }
}
