//! Lattices of plates.

use nalgebra::{Matrix3, Vector3};

use super::SaddleMechanism;
use super::builder::Builder;
use super::spatial::{body_mass, normal_vector, point, random_rotation};
use crate::Rng;

/// `side × side` plates with spherical joints between neighbours, one corner held.
///
/// The plates stand askew, and J has full rank; in a `flat` lattice they lie in one plane, and many
/// rows depend on others.
pub fn plate_lattice(side: usize, flat: bool, seed: u64) -> SaddleMechanism {
    let mut rng = Rng::new(seed);
    let mut builder = Builder::new();
    let mut places = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let axes = if flat { Matrix3::identity() } else { random_rotation(&mut rng, 0.4) };
            let moments = Vector3::new(0.1, 0.1, 0.18);
            builder.body(&body_mass(1.0, &axes, moments, Vector3::zeros()));
            let offset = if flat { Vector3::zeros() } else { 0.15 * normal_vector(&mut rng) };
            places.push(Vector3::new(x as f64, y as f64, 0.0) + offset);
        }
    }
    if side > 0 {
        builder.constraint(&[(0, point(Vector3::new(-0.5, -0.5, 0.0), 1.0))]);
    }
    for i in 0..side * side {
        let right = (i % side + 1 < side).then_some(i + 1);
        let above = (i / side + 1 < side).then_some(i + side);
        for j in right.into_iter().chain(above) {
            let middle = 0.5 * (places[i] + places[j]);
            let blocks =
                [(i, point(middle - places[i], 1.0)), (j, point(middle - places[j], -1.0))];
            builder.constraint(&blocks);
        }
    }
    let dependent = if flat { None } else { Some(0) };
    builder.finish(seed, dependent)
}
