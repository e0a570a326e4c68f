//! Tests of the integrators, one module a claim.

mod allocations;
mod arenstorf;
mod dae;
mod dense;
mod derivatives;
mod end_points;
mod events;
mod failures;
mod general_dae;
mod implicit;
mod inputs;
mod lanes;
mod mechanics;
mod observers;
mod ode45;
mod orders;
mod problems;
mod projection;
mod sampling;
mod single_precision;
mod statistics;
mod tableaux;
mod tolerances;
