//! Tests of pommel-tree against dense truth.

mod accelerations;
mod allocation;
mod closure_refusals;
mod closures;
mod common;
mod counts;
mod derivatives;
mod edges;
mod factor;
mod factor_products;
mod hard_cases;
mod kinematics;
mod matrices;
mod planar;
mod readme;
mod redundancy;
mod refusals;
mod regressor;
mod roots;
mod scalars;
mod traced;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
