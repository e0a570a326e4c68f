//! Bodies in space, joined by revolute joints of five rows.

use nalgebra::{DMatrix, Matrix3, Rotation3, Unit, Vector3};

use super::SaddleMechanism;
use super::builder::Builder;
use crate::Rng;

/// Normally distributed (Box and Muller).
pub(super) fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * rng.uniform(f64::MIN_POSITIVE, 1.0).ln()).sqrt();
    radius * rng.uniform(0.0, core::f64::consts::TAU).cos()
}

pub(super) fn normal_vector(rng: &mut Rng) -> Vector3<f64> {
    Vector3::from_fn(|_, _| normal(rng))
}

/// A rotation about a random axis.
pub(super) fn random_rotation(rng: &mut Rng, angle: f64) -> Matrix3<f64> {
    let axis = Unit::new_normalize(normal_vector(rng));
    *Rotation3::from_axis_angle(&axis, angle * normal(rng)).matrix()
}

/// Block of M for a reference point from which the mass centre is at `centre` (world axes); the
/// moments of inertia are principal, in the axes of the body, about the mass centre.
pub(super) fn body_mass(
    mass: f64,
    axes: &Matrix3<f64>,
    moments: Vector3<f64>,
    centre: Vector3<f64>,
) -> DMatrix<f64> {
    let s = centre.cross_matrix();
    let mut block = DMatrix::zeros(6, 6);
    let inertia = axes * Matrix3::from_diagonal(&moments) * axes.transpose() - mass * s * s;
    block.view_mut((0, 0), (3, 3)).copy_from(&(mass * Matrix3::identity()));
    block.view_mut((0, 3), (3, 3)).copy_from(&(-mass * s));
    block.view_mut((3, 0), (3, 3)).copy_from(&(mass * s));
    block.view_mut((3, 3), (3, 3)).copy_from(&inertia);
    block
}

/// Rows for the acceleration of the point at `s` (world axes) of a body, times `sign`.
pub(super) fn point(s: Vector3<f64>, sign: f64) -> DMatrix<f64> {
    let mut block = DMatrix::zeros(3, 6);
    block.view_mut((0, 0), (3, 3)).copy_from(&(sign * Matrix3::identity()));
    block.view_mut((0, 3), (3, 3)).copy_from(&(-sign * s.cross_matrix()));
    block
}

/// Rows of a revolute joint for one of its bodies.
fn revolute_block(s: Vector3<f64>, normals: &[Vector3<f64>; 2], sign: f64) -> DMatrix<f64> {
    let mut block = point(s, sign).resize_vertically(5, 0.0);
    for (row, normal) in normals.iter().enumerate() {
        block.view_mut((3 + row, 3), (1, 3)).copy_from(&(-sign * normal.transpose()));
    }
    block
}

/// A revolute joint about `axis` between points of two bodies, or of one and the ground.
fn revolute(
    builder: &mut Builder,
    first: Option<(usize, Vector3<f64>)>,
    second: (usize, Vector3<f64>),
    axis: Vector3<f64>,
) {
    let aside = if axis.x.abs() < 0.8 { Vector3::x() } else { Vector3::y() };
    let one = axis.cross(&aside).normalize();
    let normals = [one, axis.cross(&one)];
    let mut blocks = Vec::new();
    if let Some((body, s)) = first {
        blocks.push((body, revolute_block(s, &normals, 1.0)));
    }
    blocks.push((second.0, revolute_block(second.1, &normals, -1.0)));
    builder.constraint(&blocks);
}

/// A tree of bodies joined by revolute joints, in maximal coordinates; body 0 hangs on the ground.
///
/// `parent(i)` is an earlier body, for `i > 0`; `mass(i)` is in kg. Bodies are links of 0.3 m at
/// random orientations, with the reference point away from the mass centre.
pub fn revolute_tree(
    bodies: usize,
    parent: impl Fn(usize) -> usize,
    mass: impl Fn(usize) -> f64,
    seed: u64,
) -> SaddleMechanism {
    let mut rng = Rng::new(seed);
    let mut builder = Builder::new();
    let half = Vector3::new(0.15, 0.0, 0.0);
    let axes: Vec<_> = (0..bodies).map(|_| random_rotation(&mut rng, 0.7)).collect();
    for (i, axes) in axes.iter().enumerate() {
        let moments = mass(i) * Vector3::new(1e-3, 8e-3, 8.2e-3);
        let centre = axes * Vector3::new(0.02, 0.01, -0.015);
        builder.body(&body_mass(mass(i), axes, moments, centre));
    }
    for i in 0..bodies {
        let first = (i > 0).then(|| (parent(i), axes[parent(i)] * half));
        let axis = axes[i].column(2).into_owned();
        revolute(&mut builder, first, (i, axes[i] * -half), axis);
    }
    builder.finish(seed, Some(0))
}

/// A chain of such bodies.
pub fn revolute_chain(bodies: usize, mass: impl Fn(usize) -> f64, seed: u64) -> SaddleMechanism {
    revolute_tree(bodies, |i| i - 1, mass, seed)
}

/// The `N`-four-bar mechanism with bodies in space and revolute joints of five rows: each loop has
/// three rows that depend on others, one force and two torques that joints share in any way.
pub fn spatial_four_bars(loops: usize) -> SaddleMechanism {
    let mut builder = Builder::new();
    let (level, z) = (Matrix3::identity(), Vector3::z());
    let inclined = *Rotation3::from_axis_angle(&Vector3::z_axis(), 1.1).matrix();
    let moments = Vector3::new(1e-4, 1.0 / 12.0, 1.0 / 12.0);
    let (mut cranks, mut couplers) = (Vec::new(), Vec::new());
    for i in 0..=loops {
        cranks.push(builder.body(&body_mass(1.0, &inclined, moments, Vector3::zeros())));
        if i < loops {
            couplers.push(builder.body(&body_mass(1.0, &level, moments, Vector3::zeros())));
        }
    }
    let along = Vector3::new(0.5, 0.0, 0.0);
    let up = inclined * along;
    for (i, &crank) in cranks.iter().enumerate() {
        revolute(&mut builder, None, (crank, -up), z);
        if i < loops {
            revolute(&mut builder, Some((crank, up)), (couplers[i], -along), z);
        }
        if i > 0 {
            revolute(&mut builder, Some((crank, up)), (couplers[i - 1], along), z);
        }
    }
    builder.finish(loops as u64, Some(3 * loops))
}
