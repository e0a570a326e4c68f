//! A mechanism in absolute coordinates.

mod attach;
mod build;
mod elements;
mod energy;
mod error;
mod evaluate;
mod joints;
mod length;
mod loads;
mod names;

pub(crate) use attach::{Attached, Bodies, transform};
pub(crate) use elements::{Elements, Spaces};
pub use energy::Energy;
pub use error::{PackError, SystemError, UnsupportedFeature};
pub use evaluate::Evaluation;
pub(crate) use joints::{Joints, Link};

use std::sync::Arc;

use pommel_kkt::Pattern;
use pommel_math::Real;

use crate::constraint::ConstraintInfo;
use crate::law::Laws;
use crate::{Equations, State};

/// The equations of motion of a mechanism in absolute coordinates.
///
/// ```text
/// M v̇ + Φ_qᵀ λ = Q(q, v, t)      Φ(q, t) = 0      Φ_q v = ν(q, t)      Φ_q v̇ = γ(q, v, t)
/// ```
///
/// | body      | coordinates `q`                            | velocities `v`                         | M |
/// |-----------|--------------------------------------------|----------------------------------------|---|
/// | in the plane | `x y φ`: mass centre (m), angle (rad)   | `ẋ ẏ φ̇`                                | `m m J` |
/// | in space  | `x y z w i j k`: mass centre (m), unit quaternion body → world | `ω` in **body** axes (rad/s), then `ẋ ẏ ż` in world axes (m/s) | `J`, `m m m` |
///
/// In both, M is constant. Bodies that fixed joints hold to the ground are part of the ground. The
/// accelerations `v̇` are the time derivatives of the components of `v`.
///
/// Immutable, made from a model ([`System::new`]) and then for other scalars
/// ([`cast`](System::cast), [`pack`](System::pack)); an [`Evaluation`] owns what changes.
#[derive(Clone, Debug)]
pub struct System<T: Real> {
    pub(crate) spaces: Spaces<T>,
    pub(crate) about: Arc<About>,
    pub(crate) laws: Laws,
}

/// What does not depend on numbers.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) pattern: Pattern,
    pub(crate) constraints: Vec<ConstraintInfo>,
    /// names of the bodies that move
    pub(crate) bodies: Vec<String>,
    /// for each body of the model its index here; none if it is part of the ground
    pub(crate) moving: Vec<Option<usize>>,
    /// number of angles that are tracked
    pub(crate) tracked: usize,
    /// those of them that belong to coordinates that an active set holds
    pub(crate) held_turns: core::ops::Range<usize>,
    /// what velocities are multiplied by to be those of turns
    pub(crate) scales: Vec<f64>,
    /// by which turns count as displacements, m
    pub(crate) length: f64,
    /// axes that joints in space hold parallel, not opposite
    pub(crate) sides: Vec<Side>,
}

/// Two axes that point the same way, one on either side of a joint.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) joint: String,
    pub(crate) poses: [u32; 2],
    pub(crate) axes: [pommel_math::Vec3<f64>; 2],
}

impl<T: Real> System<T> {
    /// Number of bodies that move.
    pub fn body_count(&self) -> usize {
        self.about.bodies.len()
    }

    /// Whether it lives in the plane.
    pub fn is_planar(&self) -> bool {
        matches!(self.spaces, Spaces::Planar(_))
    }

    /// Coordinates of a body: 3 in the plane, 7 in space.
    pub fn coordinates_per_body(&self) -> usize {
        if self.is_planar() { 3 } else { 7 }
    }

    /// Velocities of a body: 3 in the plane, 6 in space.
    pub fn velocities_per_body(&self) -> usize {
        if self.is_planar() { 3 } else { 6 }
    }

    /// Number of coordinates.
    pub fn nq(&self) -> usize {
        self.body_count() * self.coordinates_per_body()
    }

    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.body_count() * self.velocities_per_body()
    }

    /// Number of rows of Φ.
    pub fn rows(&self) -> usize {
        self.about.pattern.rows()
    }

    /// Where M and Φ_q have entries.
    pub fn pattern(&self) -> &Pattern {
        &self.about.pattern
    }

    /// What velocities are multiplied by to be those of turns, [`Equations::scales`].
    pub fn scales(&self) -> &[f64] {
        &self.about.scales
    }

    /// Values of M, which are constant; kg, kg·m².
    pub fn mass(&self) -> &[T] {
        match &self.spaces {
            Spaces::Planar(elements) => &elements.mass,
            Spaces::Spatial(elements) => &elements.mass,
        }
    }

    /// The constraints, in the order of their rows: joints, constraints, drivers of the model.
    pub fn constraints(&self) -> &[ConstraintInfo] {
        &self.about.constraints
    }

    /// Index here of a body of the model; none if it is part of the ground.
    ///
    /// # Panics
    /// If the model has no such body.
    pub fn body_of_model(&self, body: usize) -> Option<usize> {
        self.about.moving[body]
    }

    /// The equations of motion as a formulation takes them, with the numbers of an evaluation.
    ///
    /// `q` and `v` are those that were evaluated.
    pub fn equations<'a>(
        &'a self,
        evaluation: &'a Evaluation<T>,
        (q, v): (&'a [T], &'a [T]),
    ) -> Equations<'a, T> {
        Equations {
            pattern: &self.about.pattern,
            mass: self.mass(),
            jacobian: evaluation.jacobian(),
            force: evaluation.force(),
            gamma: evaluation.gamma(),
            phi: evaluation.phi(),
            scales: &self.about.scales,
            state: Some(State { time: evaluation.time(), q, v }),
        }
    }
}
