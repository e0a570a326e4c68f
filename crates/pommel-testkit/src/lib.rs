//! Independent truth for pommel's tests.
//!
//! Nothing here depends on the code under test. Reference solvers are dense, work in world axes
//! and solve with `nalgebra`; they are slow, short and obvious.

mod allocation;
pub mod andrews;
mod compare;
mod random;
mod readme;
mod robot;
mod saddle;

pub use allocation::{CountingAllocator, count_allocations, count_bytes};
pub use compare::{relative_error, scale};
pub use random::Rng;
pub use readme::assert_same_example;
pub use robot::{
    DenseTerms, Motion, Robot, RobotBody, RobotJoint, RobotMomentum, RobotRotor, RobotState,
    random_mechanism, random_robot, random_state,
};
pub use saddle::{
    DenseSaddle, SaddleCompliance, SaddleError, SaddleGraph, SaddleMechanism, SaddleRedundancy,
    SaddleShape, SaddleSystem, SaddleTruth, SaddleUnits, cloth, planar_four_bars, plate_lattice,
    random_saddle, revolute_chain, revolute_tree, scattered_mass, spatial_four_bars,
};

/// The robots of `datasets/robots` with reference results: free and fixed bases; revolute,
/// prismatic, helical, cylindrical, universal, spherical and planar joints; wheels with rotors.
pub const ROBOTS: [&str; 6] = [
    "puma560_fixed",
    "ets7_free",
    "dual_iiwa_free",
    "mixed_joints_free",
    "planar2_papadopoulos",
    "sc3dof_wheels",
];
