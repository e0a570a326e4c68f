//! Tests of pommel-mechanism.

mod accelerations;
mod dataset;
