//! Tests of the facade: models from files against reference results.

mod codegen;
mod constrained;
mod datasets;
mod energy_of_events;
mod entry_points;
mod forces;
mod loads;
mod nonsmooth;
mod nonsmooth_mechanisms;
mod open_loop;
mod references;
mod scheme_orders;
mod simulation;
mod sweep_settings;
mod sweeps;
mod workspace;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
