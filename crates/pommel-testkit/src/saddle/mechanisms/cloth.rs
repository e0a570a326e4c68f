//! Particles on links.

use nalgebra::{DMatrix, Vector3};

use super::SaddleMechanism;
use super::builder::Builder;
use super::spatial::normal_vector;
use crate::Rng;

/// A cloth of `side × side` particles of 10 g, neighbours 5 cm apart at the ends of links that keep
/// their lengths; one corner is held, another along one axis.
pub fn cloth(side: usize, seed: u64) -> SaddleMechanism {
    let mut rng = Rng::new(seed);
    let mut builder = Builder::new();
    let mut places = Vec::new();
    for y in 0..side {
        for x in 0..side {
            builder.body(&(0.01 * DMatrix::identity(3, 3)));
            let place = 0.05 * Vector3::new(x as f64, y as f64, 0.0);
            places.push(place + 0.01 * normal_vector(&mut rng));
        }
    }
    if side > 1 {
        builder.constraint(&[(0, DMatrix::identity(3, 3))]);
        builder.constraint(&[(side - 1, DMatrix::identity(1, 3))]);
    }
    for i in 0..side * side {
        let right = (i % side + 1 < side).then_some(i + 1);
        let above = (i / side + 1 < side).then_some(i + side);
        for j in right.into_iter().chain(above) {
            let along = (places[i] - places[j]).normalize().transpose();
            let block = |sign: f64| DMatrix::from_fn(1, 3, |_, c| sign * along[c]);
            builder.constraint(&[(i, block(1.0)), (j, block(-1.0))]);
        }
    }
    builder.finish(seed, Some(0))
}
