//! What dense methods share: equations as dense numbers, and decompositions with memory.

mod cholesky;
mod eigen;
mod mass;
mod matrix;
mod memory;
mod reflections;
mod svd;
mod system;

pub(super) use cholesky::PivotedCholesky;
pub(super) use eigen::SymmetricEigen;
pub(super) use mass::{Mass, MassFactor};
pub(super) use matrix::{Matrix, add_scaled, dot, largest};
pub(super) use memory::Memory;
pub(super) use reflections::Reflections;
pub(super) use svd::{Left, Svd};
pub(super) use system::{RowCheck, System, check_equations};
