//! Tests of `pommel-kkt` through its public interface.

mod builder;
mod damage;
mod dense;
mod detection;
#[cfg(feature = "faer")]
mod faer;
mod input;
mod input_errors;
mod matrix_market;
#[cfg(feature = "sprs")]
mod sprs;
mod system;
