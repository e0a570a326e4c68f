//! The scalars behind [`Real`](crate::Real).

mod array;
mod counted;
mod dual;
mod float;
mod jet;
mod lanes;
mod registers;
mod tangent;
mod traced;
mod trig;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use counted::{Counted, OperationCount, count_operations};
pub use dual::Dual;
pub use jet::Jet;
pub use lanes::Lanes;
pub use registers::{LaneJob, UnsupportedLanes, lane_scalar, with_lanes};
pub use tangent::Tangent;
pub use traced::{Function, Operand, Operation, Program, Traced, trace};
