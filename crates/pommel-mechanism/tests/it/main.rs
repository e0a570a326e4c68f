//! Tests of pommel-mechanism.

mod accelerations;
mod dataset;
mod linear;
mod linear_random;
mod support;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
