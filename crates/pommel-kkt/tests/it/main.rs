//! Tests of pommel-kkt against dense truth.

mod compare;
mod dense;
mod scalars;
mod systems;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
