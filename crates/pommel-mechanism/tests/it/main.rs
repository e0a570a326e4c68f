//! Tests of pommel-mechanism.

mod accelerations;
mod closed_forms;
mod dataset;
mod formulations;
mod linear;
mod linear_random;
mod mechanisms;
mod refusals;
mod support;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
