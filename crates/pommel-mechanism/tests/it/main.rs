//! Tests of pommel-mechanism.

mod accelerations;
mod allocations;
mod assembly;
mod backward_errors;
mod closed_forms;
mod constraints;
mod dataset;
mod derivatives;
mod drift;
mod failures;
mod forces;
mod formulations;
mod frames;
mod impact;
mod kinematics;
mod lanes;
mod linear;
mod linear_random;
mod mechanisms;
mod models;
mod open_loop;
mod projection;
mod refusals;
mod rolling;
mod singular;
mod support;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
