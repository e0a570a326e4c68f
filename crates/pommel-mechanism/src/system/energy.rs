//! Energy.

use pommel_math::Real;

use super::{Elements, Evaluation, Spaces, System};
use crate::space::Space;

/// Kinetic and potential energy, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy<T> {
    /// Of the motion.
    pub kinetic: T,
    /// Of gravity (zero at the origin) and of springs.
    pub potential: T,
}

impl<T: Real> System<T> {
    /// Energy at the state evaluated last; `v` are its velocities.
    ///
    /// # Panics
    /// If `v` has another length than [`nv`](System::nv).
    pub fn energy(&self, v: &[T], evaluation: &Evaluation<T>) -> Energy<T> {
        assert_eq!(v.len(), self.nv(), "v must have nv entries");
        match &self.spaces {
            Spaces::Planar(elements) => energy(elements, v, &evaluation.planar, &evaluation.turns),
            Spaces::Spatial(elements) => {
                energy(elements, v, &evaluation.spatial, &evaluation.turns)
            }
        }
    }
}

fn energy<T: Real, S: Space>(
    elements: &Elements<T, S>,
    v: &[T],
    poses: &[S::Pose<T>],
    turns: &[T],
) -> Energy<T> {
    let (mut kinetic, mut potential) = (T::zero(), T::zero());
    let half = T::from_f64(0.5);
    for (i, inertia) in elements.inertia.iter().enumerate() {
        kinetic += half * S::twice_kinetic(inertia, &v[i * S::WIDTH..(i + 1) * S::WIDTH]);
        let height = S::components(S::centre(&poses[i]));
        for k in 0..3 {
            potential += -(S::mass(inertia) * elements.gravity[k] * height[k]);
        }
    }
    for element in &elements.forces {
        potential += element.potential(poses, turns);
    }
    Energy { kinetic, potential }
}
