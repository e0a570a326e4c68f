//! Tests of pommel-tree against dense truth.

mod accelerations;
mod allocation;
mod closures;
mod common;
mod counts;
mod derivatives;
mod edges;
mod factor;
mod hard_cases;
mod kinematics;
mod matrices;
mod refusals;
mod regressor;
mod scalars;
mod traced;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
