//! The scalars behind [`Real`](crate::Real).

mod counted;
mod dual;
mod float;
mod lanes;
mod trig;

pub use counted::{Counted, OperationCount, count_operations};
pub use dual::Dual;
pub use lanes::Lanes;
