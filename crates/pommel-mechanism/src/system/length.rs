//! A length that is typical for a mechanism, by which turns count as displacements.

use pommel_math::Real;

use super::{Elements, System};
use crate::constraint::Kind;
use crate::space::{Space, VectorOf};

/// The largest distance of a joint's point from the mass centre of its body, 1 m if there is none.
pub(super) fn typical_length<S: Space>(elements: &Elements<f64, S>) -> f64 {
    let mut largest = 0.0_f64;
    for part in &elements.parts {
        let (Kind::Coincide { points }
        | Kind::Along { points, .. }
        | Kind::Distance { points, .. }) = &part.kind
        else {
            continue;
        };
        let ground = elements.inertia.len();
        for (end, point) in part.ends.iter().zip(points) {
            if (end.body as usize) < ground {
                largest = largest.max(point.dot(*point).sqrt());
            }
        }
    }
    if largest > 0.0 && largest.is_finite() { largest } else { 1.0 }
}

/// What velocities are multiplied by to be those of turns: displacements by the inverse of a length.
pub(super) fn scales(planar: bool, bodies: usize, length: f64) -> Vec<f64> {
    let place = 1.0 / length;
    let body: &[f64] =
        if planar { &[place, place, 1.0] } else { &[1.0, 1.0, 1.0, place, place, place] };
    body.repeat(bodies)
}

impl<T: Real> System<T> {
    /// The length by which turns count as displacements; m.
    pub(crate) fn typical_length(&self) -> f64 {
        self.about.length
    }
}
