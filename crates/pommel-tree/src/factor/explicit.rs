//! The factors and their products as matrices, on request.

use pommel_math::Real;

use super::perform::Operation;
use super::{BLOCK, UdutFactor};

impl<T: Real> UdutFactor<'_, T> {
    /// Writes `U`.
    ///
    /// # Arguments
    /// - `matrix` **out**, [`nv`](crate::Model::nv) × `nv`, row by row: ones on the diagonal, `U_ji`
    ///   for the velocities `j` of the joints that carry joint `i`, and zeros. Within a joint with
    ///   several velocities that is taken apart (cylindrical, universal, planar), the first carries
    ///   the next. Upper triangular if velocities are numbered from the root to the tips.
    ///
    /// # Panics
    /// If the slice has another length than stated.
    ///
    /// # Cost
    /// A sweep for eight columns: quadratic in the number of velocities; no allocation.
    pub fn write_u(&mut self, matrix: &mut [T]) {
        self.write(Operation::Upper, matrix);
    }

    /// Writes `D`.
    ///
    /// # Arguments
    /// - `matrix` **out**, [`nv`](crate::Model::nv) × `nv`, row by row, symmetric; kg·m², kg·m, kg.
    ///   Blocks of a free body (6 × 6) and of spherical joints (3 × 3), pivots elsewhere on the
    ///   diagonal, and zeros.
    ///
    /// # Panics
    /// If the slice has another length than stated.
    ///
    /// # Cost
    /// Quadratic in the number of velocities; no allocation.
    /// [`pivots`](UdutFactor::pivots) is linear.
    pub fn write_d(&mut self, matrix: &mut [T]) {
        self.write(Operation::Diagonal, matrix);
    }

    /// Writes the generalized inertia matrix, `M = U D Uᵀ`.
    ///
    /// For the matrix alone, [`mass_matrix`](crate::mass_matrix) is faster; it finds it by another
    /// way and agrees but for rounding.
    ///
    /// # Arguments
    /// - `matrix` **out**, [`nv`](crate::Model::nv) × `nv`, row by row, symmetric to the bit; kg·m²,
    ///   kg·m, kg. Entries of joints of which none carries the other are zero.
    ///
    /// # Panics
    /// If the slice has another length than stated.
    ///
    /// # Cost
    /// Two sweeps for eight columns: quadratic in the number of velocities; no allocation.
    pub fn write_mass_matrix(&mut self, matrix: &mut [T]) {
        self.write(Operation::Multiply, matrix);
    }

    /// Writes the inverse of the generalized inertia matrix, `M⁻¹ = U⁻ᵀ D⁻¹ U⁻¹`.
    ///
    /// To solve with it, [`solve`](UdutFactor::solve) is faster and loses fewer digits.
    ///
    /// # Arguments
    /// - `matrix` **out**, [`nv`](crate::Model::nv) × `nv`, row by row, symmetric to the bit;
    ///   1/(kg·m²), 1/(kg·m), 1/kg. Dense for joints of one tree, zero between trees that hang on
    ///   the ground side by side.
    ///
    /// # Panics
    /// If the slice has another length than stated.
    ///
    /// # Cost
    /// Two sweeps for eight columns: quadratic in the number of velocities; no allocation.
    pub fn write_inverse(&mut self, matrix: &mut [T]) {
        self.write(Operation::Solve, matrix);
    }

    /// Writes the matrix of an operation, by its columns; of a symmetric one by what stands on and
    /// above the diagonal.
    fn write(&mut self, operation: Operation, matrix: &mut [T]) {
        let nv = self.model.nv();
        assert_eq!(matrix.len(), nv * nv, "the matrix is nv × nv");
        let symmetric = operation != Operation::Upper;
        let width = if T::LANES > 1 { 1 } else { BLOCK };
        for first in (0..nv).step_by(width) {
            let columns = first..nv.min(first + width);
            if T::LANES > 1 {
                self.row().fill(T::zero());
                self.row()[first] = T::one();
                self.perform(operation);
            } else {
                self.block().fill([T::zero(); BLOCK]);
                for k in columns.clone() {
                    self.block()[k][k - first] = T::one();
                }
                self.perform_block(operation);
            }
            for k in columns {
                let rows = if symmetric { k + 1 } else { nv };
                for r in 0..rows {
                    let entry =
                        if T::LANES > 1 { self.row()[r] } else { self.block()[r][k - first] };
                    matrix[r * nv + k] = entry;
                    if symmetric {
                        matrix[k * nv + r] = entry;
                    }
                }
            }
        }
    }
}
