//! Tests of `pommel-kkt` through its public interface.

mod builder;
mod compare;
mod damage;
mod dense;
mod derivatives;
mod detection;
#[cfg(feature = "faer")]
mod faer;
mod honesty;
mod input;
mod input_errors;
mod lanes;
mod matrices;
mod matrix_market;
mod mechanisms;
mod numbers;
mod options;
mod orders;
mod partition;
mod readme;
mod scalars;
mod sparse;
mod sparse_scalars;
#[cfg(feature = "sprs")]
mod sprs;
#[cfg(feature = "serde")]
mod stored;
mod system;
mod systems;
#[cfg(feature = "rayon")]
mod threads;
mod workspace;

#[global_allocator]
static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
