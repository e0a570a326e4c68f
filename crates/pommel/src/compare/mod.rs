//! Every formulation on one mechanism: the same equations, the same integrator, side by side.
//!
//! Each formulation gives the accelerations of the same equations `M v̇ + Φ_qᵀ λ = Q`, `Φ_q v̇ = γ` in
//! absolute coordinates, also those that work in other coordinates inside; so all trajectories are
//! the same up to rounding, and as many calls are made. The equations are integrated as they are,
//! without stabilization, as in the comparison of \[dFGP08\].
//!
//! \[dFGP08\]: D. de Falco, D. Guida, E. Pennestrì, *A review of multibody dynamics formulations*, First
//! AAM, New Orleans 2008.

mod growth;
mod ode;
mod published;
mod report;
mod run;

pub use growth::{FourBars, GrowthPoint, growth};
pub use published::{Published, published};
pub use report::{csv, markdown};
pub use run::{CompareOptions, Comparison, Row, Status, compare};
