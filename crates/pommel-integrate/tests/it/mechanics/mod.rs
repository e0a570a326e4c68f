//! Methods that solve for constraints in every step.

mod conservation;
mod failures;
mod orders;
mod systems;
mod tolerances;
