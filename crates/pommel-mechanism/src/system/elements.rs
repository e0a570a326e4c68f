//! The numbers of a system, in the plane or in space.

use pommel_math::Real;

use super::{About, PackError, System};
use crate::constraint::{Kind, Leader, Part};
use crate::force::Element;
use crate::gather::{field, number};
use crate::space::{Planar, Space, Spatial};

/// Everything that has numbers.
#[derive(Clone, Debug)]
pub(crate) struct Elements<T: Real, S: Space> {
    pub(crate) inertia: Vec<S::Inertia<T>>,
    /// values of M
    pub(crate) mass: Vec<T>,
    /// gravity's forces on all bodies
    pub(crate) weight: Vec<T>,
    pub(crate) gravity: [T; 3],
    pub(crate) parts: Vec<Part<T, S>>,
    pub(crate) forces: Vec<Element<T, S>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Spaces<T: Real> {
    Planar(Elements<T, Planar>),
    Spatial(Elements<T, Spatial>),
}

impl<T: Real, S: Space> Elements<T, S> {
    /// Rows whose entries follow the slope of a profile.
    fn rows_of_cams(&self) -> Vec<usize> {
        let is_cam = |kind: &Kind<T, S>| match kind {
            Kind::Relation(relation) => matches!(relation.leader, Some(Leader::Cam { .. })),
            _ => false,
        };
        self.parts.iter().filter(|part| is_cam(&part.kind)).map(|part| part.row as usize).collect()
    }
}

impl<T: Real> System<T> {
    /// Rows of cams.
    pub(crate) fn rows_of_cams(&self) -> Vec<usize> {
        match &self.spaces {
            Spaces::Planar(elements) => elements.rows_of_cams(),
            Spaces::Spatial(elements) => elements.rows_of_cams(),
        }
    }
}

impl<S: Space> Elements<f64, S> {
    fn gather<T: Real>(list: &[&Self]) -> Elements<T, S> {
        /// Item by item of lists of one length.
        fn each<A, B>(lists: &[&Vec<A>], gather: impl Fn(&[&A]) -> B) -> Vec<B> {
            (0..lists[0].len()).map(|i| gather(&field(lists, |list| &list[i]))).collect()
        }
        let plain = |x: &[&f64]| number(x, |x| *x);
        Elements {
            inertia: each(&field(list, |e| &e.inertia), S::gather_inertia),
            mass: each(&field(list, |e| &e.mass), plain),
            weight: each(&field(list, |e| &e.weight), plain),
            gravity: std::array::from_fn(|k| number(list, |e| e.gravity[k])),
            parts: each(&field(list, |e| &e.parts), Part::gather),
            forces: each(&field(list, |e| &e.forces), Element::gather),
        }
    }

    /// Whether all parts and forces are of the same kinds, in the same order.
    fn same_kinds(&self, other: &Self) -> bool {
        let mut parts = self.parts.iter().zip(&other.parts);
        let mut forces = self.forces.iter().zip(&other.forces);
        self.parts.len() == other.parts.len()
            && self.forces.len() == other.forces.len()
            && parts.all(|(a, b)| a.alike(b))
            && forces.all(|(a, b)| a.alike(b))
    }
}

impl System<f64> {
    /// The same system over another scalar, alike in all lanes.
    pub fn cast<T: Real>(&self) -> System<T> {
        System { spaces: gather(&[self]), about: self.about.clone(), laws: self.laws.lost() }
    }

    /// Several variants of one mechanism side by side: lane `i` is `instances[i]`. If there are
    /// fewer instances than lanes, the last one fills the others.
    ///
    /// # Errors
    /// [`PackError`] if there is no instance, if there are more than lanes, or if they are not the
    /// same mechanism but for its numbers.
    pub fn pack<T: Real>(instances: &[&System<f64>]) -> Result<System<T>, PackError> {
        let Some(first) = instances.first() else { return Err(PackError::Empty) };
        if instances.len() > T::LANES {
            return Err(PackError::TooMany { instances: instances.len(), lanes: T::LANES });
        }
        for (index, other) in instances.iter().enumerate() {
            let same = same_about(&first.about, &other.about)
                && match (&first.spaces, &other.spaces) {
                    (Spaces::Planar(a), Spaces::Planar(b)) => a.same_kinds(b),
                    (Spaces::Spatial(a), Spaces::Spatial(b)) => a.same_kinds(b),
                    _ => false,
                };
            if !same {
                return Err(PackError::Different { instance: index });
            }
        }
        let (about, laws) = (first.about.clone(), first.laws.lost());
        Ok(System { spaces: gather(instances), about, laws })
    }
}

fn same_about(a: &About, b: &About) -> bool {
    a.pattern == b.pattern && a.constraints == b.constraints && a.moving == b.moving
}

fn gather<T: Real>(instances: &[&System<f64>]) -> Spaces<T> {
    let planar: Vec<_> = instances
        .iter()
        .filter_map(|s| if let Spaces::Planar(e) = &s.spaces { Some(e) } else { None })
        .collect();
    if !planar.is_empty() {
        return Spaces::Planar(Elements::gather(&planar));
    }
    let spatial: Vec<_> = instances
        .iter()
        .filter_map(|s| if let Spaces::Spatial(e) = &s.spaces { Some(e) } else { None })
        .collect();
    Spaces::Spatial(Elements::gather(&spatial))
}
