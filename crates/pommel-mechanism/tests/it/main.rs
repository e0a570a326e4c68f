//! Tests of pommel-mechanism.

mod accelerations;
mod allocations;
mod assembly;
mod constraints;
mod dataset;
mod derivatives;
mod forces;
mod kinematics;
mod lanes;
mod linear;
mod linear_random;
mod models;
mod support;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
