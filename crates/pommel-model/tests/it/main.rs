//! Tests of the model crate, one binary.

mod faults;
mod faults_of_elements;
mod files;
mod garbage;
mod joint_frames;
mod parameters;
mod robots;
mod states;
mod support;
mod time_functions;
mod topology;
mod urdf;
