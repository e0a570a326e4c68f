//! Tests of the facade: models from files against reference results.

mod codegen;
mod constrained;
mod datasets;
mod loads;
mod nonsmooth;
mod nonsmooth_mechanisms;
mod open_loop;
mod references;
mod simulation;
mod workspace;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
