//! Motion under constraints, with the constraints themselves in every step.
//!
//! ```text
//! q̇ = S(q) v      M v̇ + Φ_qᵀ λ = Q(t, q, v)      Φ(t, q) = 0      Φ_q v = ν
//! ```
//!
//! Whoever has accelerations that satisfy `Φ_q v̇ = γ` (index 1) may take [`integrate`](crate::integrate), and
//! positions drift. The methods here solve for positions, velocities or both on the constraints at the end of
//! each step (index 3 and 2):
//!
//! | scheme                                             | order of q, v | Φ = 0   | Φ_q v = ν | keeps                       |
//! |----------------------------------------------------|---------------|---------|-----------|-----------------------------|
//! | [`SymplecticEuler`](Scheme::SymplecticEuler)       | 1             | yes     | yes       | momentum, energy on average |
//! | [`Rattle`](Scheme::Rattle) (Störmer–Verlet)        | 2             | yes     | yes       | momentum, energy on average |
//! | [`GeneralizedAlpha`](Scheme::GeneralizedAlpha)     | 2             | yes     | to order 2 | damps violations of velocities |
//! | [`Radau`](Scheme::Radau) at [`Level::Stabilized`]  | 2s − 1        | yes     | yes       |                             |
//! | the same at [`Level::Velocity`]                    | 2s − 1        | drifts  | yes       |                             |
//! | the same at [`Level::Position`]                    | 2s − 1, s     | yes     | to order s |                            |
//!
//! A [`Mechanics`] knows the terms of the equations and factors `[M Φ_qᵀ; Φ_q 0]`, once a step at its start:
//! all equations of the step are solved by simplified Newton iterations with that factor, and it also gives
//! the accelerations `Φ_q v̇ = γ` at which the step before ended, which generalized-α methods take for v̇ there.
//! Changes of forces with positions and velocities are not in the matrix: iterations of generalized-α methods converge
//! where `(h ω)² < (1 − α_m) / (β (1 − α_f))` for the fastest oscillation ω that forces make, those of the others for
//! `h ω` of about as much; stiffer ones are for
//! [`integrate_implicit`](crate::integrate_implicit), not damped away.
//!
//! With fixed steps equations are solved to rounding, with adaptive ones to a thousandth of the tolerance.
//!
//! # Sources
//!
//! * `[HW96]` E. Hairer, G. Wanner, *Solving ordinary differential equations II*, sections VII.2, VII.4.
//! * `[HLW06]` E. Hairer, C. Lubich, G. Wanner, *Geometric numerical integration*, section VII.1.
//! * `[AB07]` M. Arnold, O. Brüls, *Convergence of the generalized-α scheme for constrained mechanical
//!   systems*, Multibody Syst. Dyn. 18 (2007).
//! * `[BCA12]` O. Brüls, A. Cardona, M. Arnold, *Lie group generalized-α time integration of constrained
//!   flexible multibody systems*, Mech. Mach. Theory 48 (2012).
//! * `[BM09]` N. Bou-Rabee, J. E. Marsden, *Hamilton–Pontryagin integrators on Lie groups*, Found. Comput.
//!   Math. 9 (2009): momenta of rotations by Cayley's transform.
//! * `[GGL85]` C. W. Gear, B. Leimkuhler, G. K. Gupta, *Automatic integration of Euler–Lagrange equations with
//!   constraints*, J. Comput. Appl. Math. 12–13 (1985).

mod drive;
mod engine;
mod generalized_alpha;
mod interpolant;
mod newton;
mod options;
mod radau;
mod scheme;
mod start;
mod system;
mod variational;

pub use drive::{MechanicsStepper, integrate_mechanics};
pub use options::MechanicsOptions;
pub use scheme::{Level, Scheme, SchemeError};
pub use system::Mechanics;
