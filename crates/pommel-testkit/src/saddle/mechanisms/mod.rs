//! Constrained mechanisms as saddle-point systems: the families that solvers are compared on.
//!
//! | family                 | unknowns per body             | rows per constraint           | J       |
//! |------------------------|-------------------------------|-------------------------------|---------|
//! | [`planar_four_bars`]   | 3: position, angle            | 2: points coincide            | regular |
//! | [`revolute_tree`]      | 6: reference point, angles    | 5: point and axis coincide    | regular |
//! | [`plate_lattice`]      | 6                             | 3: points coincide            | regular; flat: not |
//! | [`cloth`]              | 3: position                   | 1: a link keeps its length    | regular |
//! | [`spatial_four_bars`]  | 6                             | 5                             | three rows too many a loop |
//!
//! Unknowns are accelerations in world axes, `[linear; angular]`, multipliers are forces of joints.
//! Bodies and constraints are numbered as they are made, links of a lattice by rows of nodes.

mod builder;
mod cloth;
mod lattice;
mod planar;
mod spatial;

pub use cloth::cloth;
pub use lattice::plate_lattice;
pub use planar::planar_four_bars;
pub use spatial::{revolute_chain, revolute_tree, spatial_four_bars};

use super::SaddleSystem;

/// A mechanism and what is known about its matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct SaddleMechanism {
    /// The system; its right-hand side is that of the unknowns and multipliers of its
    /// [`truth`](SaddleSystem::truth), formed with twice the digits and rounded once.
    pub system: SaddleSystem,
    /// Number of rows of J that depend on others, where a formula tells it.
    pub dependent_rows: Option<usize>,
}

/// A mass between 10⁻⁶ and 10⁶ kg, far from that of neighbours: `10^((7919 k mod 13) − 6)`.
pub fn scattered_mass(k: usize) -> f64 {
    10.0_f64.powi((k * 7919 % 13) as i32 - 6)
}
