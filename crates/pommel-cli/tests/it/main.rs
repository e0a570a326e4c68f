//! Tests of the program as other programs meet it: arguments and files in, exit status and text
//! out.

mod arguments;
mod codegen;
mod comparisons;
mod constrained;
mod conversions;
mod documents;
mod examples;
mod inertia;
mod interruptions;
mod models;
mod motions;
mod outputs;
mod precision;
mod refusals;
mod saddle_points;
mod states;
mod streams;
mod support;
mod sweeps;
mod timing;
mod trajectories;
