//! Tests of the sweeps, one module a claim.

mod designs;
mod directories;
mod execution;
mod faults;
mod plans;
mod results;
mod shards;
mod storage;
mod support;
