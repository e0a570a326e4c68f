//! Tests of the sweeps, one module a claim.

mod derived;
mod designs;
mod directories;
mod evenness;
mod examples;
mod execution;
mod faults;
mod lists;
mod one_at_a_time;
mod plans;
mod results;
mod settings;
mod shards;
mod storage;
mod support;
