//! Systems in which some coordinates are held and others rub in a known sense.

use core::ops::Range;

use pommel_math::{Real, Vec3};
use pommel_model::{Mechanism, TimeFunction};

use crate::constraint::{Coordinate, CoordinateKind};
use crate::system::{Bodies, Joints, Link};
use crate::{System, SystemError};

/// A scalar of a mechanism that can be held, rub or come to a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A coordinate of a joint; rad, m.
    Joint {
        /// Index of the joint in the model.
        joint: usize,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// The gap of a contact: distance of the sphere's surface from the plane, m; negative inside.
    Gap {
        /// Index of the contact in the model.
        contact: usize,
    },
}

impl Target {
    /// The coordinate, if there is one such.
    pub(crate) fn coordinate<S: Joints>(
        self,
        mechanism: &Mechanism,
        bodies: &Bodies,
        links: &[Link<'_>],
    ) -> Option<Coordinate<f64, S>> {
        let description = mechanism.description();
        match self {
            Target::Joint { joint, coordinate } => S::coordinate(links.get(joint)?, coordinate),
            Target::Gap { contact } => {
                let contact = description.contacts.get(contact)?;
                let normal = Vec3::<f64>::from_f64(contact.plane.normal);
                let normal = normal.scale(normal.norm().recip());
                let touching = bodies.point(description.body_index(&contact.body), contact.point);
                // the plane moved by the radius: the centre has the distance of the surface
                let plane = Vec3::from_f64(contact.plane.point) + normal.scale(contact.radius);
                let kind = CoordinateKind::Slide {
                    points: [S::to_vector(plane), S::to_vector(touching.point)],
                    axis: S::to_vector(normal),
                };
                Some(Coordinate { bodies: [bodies.count as u32, touching.pose], kind })
            }
        }
    }
}

/// A coordinate that follows a function of time: a row `c − f(t) = 0` more.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// What is held.
    pub target: Target,
    /// Where it is held: `c(t)`; rad, m.
    pub motion: TimeFunction,
    /// Name of the row's constraint.
    pub name: String,
}

/// Sliding friction in a joint whose sense is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sliding {
    /// Index of the joint in the model.
    pub joint: usize,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// Force on the coordinate: `−μ sign(sliding velocity)` with the friction μ; N, N·m.
    pub force: f64,
}

/// What holds in a mechanism for a while: which coordinates are held, which joints rub in which sense.
///
/// A joint that sticks has its coordinate held, a stop or contact that is closed its limit or gap. Of a joint
/// that slides the friction has one sense, whatever the sign of its velocity becomes within a step, so that
/// equations stay smooth until an event ends the while. Viscous friction acts by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActiveSet {
    /// Coordinates that are held, in the order of their rows.
    pub held: Vec<Held>,
    /// Joints that slide; in all others dry friction is left out.
    pub sliding: Vec<Sliding>,
}

impl ActiveSet {
    /// The friction on a coordinate.
    pub(crate) fn sliding_in(&self, joint: usize, coordinate: usize) -> f64 {
        let here = |s: &&Sliding| (s.joint, s.coordinate) == (joint, coordinate);
        self.sliding.iter().find(here).map_or(0.0, |s| s.force)
    }
}

impl System<f64> {
    /// The equations of a mechanism while an active set holds: those of [`System::new`] with a row for each
    /// coordinate that is held, after all others, and the friction that the set says in place of the
    /// model's. Contacts and limits do nothing unless they are held.
    ///
    /// # Errors
    /// As [`System::new`]; contacts are welcome.
    pub fn with_active(mechanism: &Mechanism, active: &ActiveSet) -> Result<Self, SystemError> {
        Self::build(mechanism, Some(active), &[])
    }
}

impl<T: Real> System<T> {
    /// Rows of coordinates that are held by an [`ActiveSet`]; empty without one.
    pub fn held_rows(&self) -> Range<usize> {
        let held = self.about.held_turns.len() / 2;
        self.rows() - held..self.rows()
    }

    /// Turns of the same mechanism without an active set, from those with this one ([`crate::Evaluation::turns`]).
    ///
    /// # Panics
    /// If there are more or fewer of them than this system tracks.
    pub fn free_turns(&self, turns: &[f64]) -> Vec<f64> {
        assert_eq!(turns.len(), self.about.tracked, "turns of this system");
        let held = &self.about.held_turns;
        [&turns[..held.start], &turns[held.end..]].concat()
    }

    /// Turns with this active set, from those without one.
    ///
    /// # Panics
    /// If there are more or fewer of them than the system tracks without the active set.
    pub fn held_turns(&self, free: &[f64]) -> Vec<f64> {
        let held = &self.about.held_turns;
        assert_eq!(free.len() + held.len(), self.about.tracked, "turns without the active set");
        let zeros = vec![0.0; held.len()];
        [&free[..held.start], &zeros, &free[held.start..]].concat()
    }
}
