//! Tests of pommel-tree against dense truth.

mod accelerations;
mod allocation;
mod common;
mod counts;
mod edges;
mod factor;
mod kinematics;
mod matrices;
mod refusals;
mod scalars;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
