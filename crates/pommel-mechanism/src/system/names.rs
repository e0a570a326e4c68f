//! Names of bodies, coordinates, rows.

use pommel_math::Real;
use pommel_model::{Constraint, Driver};

use super::System;
use crate::formulation::FormulationError;

pub(super) fn constraint_name(constraint: &Constraint, index: usize) -> String {
    constraint.name().map_or_else(|| format!("constraints[{index}]"), str::to_owned)
}

pub(super) fn driver_name(driver: &Driver, index: usize) -> String {
    match &driver.name {
        Some(name) => name.clone(),
        None => format!("drivers[{index}] of '{}'", driver.joint),
    }
}

impl<T: Real> System<T> {
    /// Names of the bodies that move, in the order of their coordinates.
    pub fn body_names(&self) -> &[String] {
        &self.about.bodies
    }

    /// Names of the coordinates, such as `rod.x`.
    pub fn coordinate_names(&self) -> Vec<String> {
        let suffixes: &[&str] = if self.is_planar() {
            &["x", "y", "angle"]
        } else {
            &["x", "y", "z", "qw", "qx", "qy", "qz"]
        };
        self.names(suffixes)
    }

    /// Names of the velocities, such as `rod.vx`; angular velocities in space are in body axes.
    pub fn velocity_names(&self) -> Vec<String> {
        let suffixes: &[&str] = if self.is_planar() {
            &["vx", "vy", "w"]
        } else {
            &["wx", "wy", "wz", "vx", "vy", "vz"]
        };
        self.names(suffixes)
    }

    fn names(&self, suffixes: &[&str]) -> Vec<String> {
        let of = |body: &String| -> Vec<String> {
            suffixes.iter().map(|suffix| format!("{body}.{suffix}")).collect()
        };
        self.about.bodies.iter().flat_map(of).collect()
    }

    /// Index of the constraint of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn constraint_of_row(&self, row: usize) -> usize {
        assert!(row < self.rows(), "row {row} of {}", self.rows());
        self.about.constraints.partition_point(|c| c.rows.end <= row)
    }

    /// The name of a row: its constraint, and what the row compares, such as `hinge (x)`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_name(&self, row: usize) -> String {
        let constraint = &self.about.constraints[self.constraint_of_row(row)];
        format!("{} ({})", constraint.name, constraint.row_names[row - constraint.rows.start])
    }

    /// Names of the row or body that a formulation refuses by number, such as
    /// `row 5 is 'hinge (x)'`.
    ///
    /// # Panics
    /// If the error is that of a larger system.
    pub fn place_of(&self, error: &FormulationError) -> Option<String> {
        match *error {
            FormulationError::Inconsistent { row, .. } => {
                Some(format!("row {row} is '{}'", self.row_name(row)))
            }
            FormulationError::MassNotPositive { body, .. } => {
                Some(format!("body {body} is '{}'", self.body_names()[body]))
            }
            _ => None,
        }
    }
}
