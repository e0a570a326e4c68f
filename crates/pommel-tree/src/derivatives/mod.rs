//! Analytic derivatives of the dynamics, along the tangent of the velocities.
//!
//! Everything is written in one frame per tree: world axes, about the origin of the tree's root, in
//! the inertial frame in which that origin is at rest at the instant. There a link's twist and its
//! acceleration are sums over the joints that carry it, and the composite quantities of a subtree
//! are plain sums over its links. The velocity of a free root's origin is a uniform motion and does
//! not enter.
//!
//! | here | meaning | source |
//! |------|---------|--------|
//! | `S_k` | twist of the velocity `k` (6) | `S_k` |
//! | `V_i`, `A_i` | twist of link `i`, its rate less gravity (6) | `v_i`, `a_i` |
//! | `ψ_k` | `V_p × S_k`, with the link `p` before the joint of `k` | `Ψ̇_k` |
//! | `ψ′_k` | `A_p × S_k + V_p × ψ_k` | `Ψ̈_k` |
//! | `χ_k` | `ψ_k + V_i × S_k` | `Ψ̇_k + Ṡ_k` |
//! | `I`, `F` | inertia and wrench of a subtree (10, 6) | `I^C`, `f^C` |
//! | `B` | `p ↦ Σ 2 m (r × (p × u), p × u)` over the points of a subtree | `2 B^C` |
//! | `E` | `p ↦ Σ (p × n + c × (p × f), p × f)` over its external wrenches `n, f` at `c` | – |
//!
//! A small motion of the joint of `k` by `S_k` moves the links beyond it rigidly, and leaves the
//! wrench `δF = S_k ×* F + I ψ′_k + B ψ_k + E S_k`; a change of the velocity `k` leaves
//! `δF = I χ_k + B S_k`. `B` and `E` feel only the angular part of what they are applied to: the
//! force of a mass point at `r` with the velocity `u` changes by `2 m p × u`, so nine numbers
//! `Σ m u rᵀ` and the momentum are all of `B`. With `f_k = I S_k`, for `j` before `k`,
//!
//! ```text
//! M_kj     = f_k · S_j                                M_jk     = M_kj
//! ∂τ_k/∂q_j = f_k · ψ′_j + (Bᵀ S_k) · ψ_j + (Eᵀ S_k) · S_j
//! ∂τ_j/∂q_k = S_j · (S_k ×* F + I ψ′_k + B ψ_k + E S_k)
//! ∂τ_k/∂v_j = f_k · χ_j + (Bᵀ S_k) · S_j               ∂τ_j/∂v_k = S_j · (I χ_k + B S_k)
//! ```
//!
//! with the composite quantities of the link that `k` moves. Between velocities of one spherical
//! joint the second line holds, because its axes turn with the child; the axes of a free body stay,
//! and the third holds. For a free body `V_p`, `A_p` are its own: its coordinates carry a frame
//! along, relative to which the small rotation turns the body. Its position and its linear velocity
//! change no force: both columns are zero.
//!
//! A geared rotor with `L = N J e` adds `ω_p × L q̇ + L q̈` to the wrench on its carrier and `L · α_p`
//! to the joint force: `L` joins `f_k`, `ω_p × L` joins `Bᵀ S_k` and `B S_k`, and `−L q̇ ×` joins the
//! moment of the carrier's `B`.
//!
//! # Sources
//!
//! * S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of rigid-body dynamics
//!   using spatial vector algebra*, IEEE Robotics and Automation Letters 7 (2022): the method. The
//!   nine numbers of `B`, external wrenches, rotors and free bodies are derived here.
//! * J. Carpentier, N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*,
//!   Robotics: Science and Systems 2018: `∂q̈ = −M⁻¹ ∂τ`.
//! * `[Fea08, Tables 6.3 to 6.5]`: `M = Lᵀ D L` with the sparsity of the tree.

mod composite;
mod factors;
mod feel;
mod forward;
mod inverse;
mod memory;
mod motion;
mod regressor;
mod relation;
mod rows;
mod solve;

use core::ops::{Deref, DerefMut};

use pommel_math::Real;

pub use forward::{ForwardDynamicsDerivatives, forward_dynamics_derivatives};
pub use inverse::{InverseDynamicsDerivatives, inverse_dynamics_derivatives};
pub use memory::DerivativeWorkspace;
pub use regressor::{PARAMETERS, inertial_parameter_regressor};

/// Velocities that are treated side by side.
const WIDTH: usize = 8;

/// One number for each of [`WIDTH`] neighbouring velocities, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Tile<T>([T; WIDTH]);

impl<T: Real> Tile<T> {
    #[inline(always)]
    fn zero() -> Self {
        Tile([T::zero(); WIDTH])
    }
}

impl<T> Deref for Tile<T> {
    type Target = [T; WIDTH];

    #[inline(always)]
    fn deref(&self) -> &[T; WIDTH] {
        &self.0
    }
}

impl<T> DerefMut for Tile<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; WIDTH] {
        &mut self.0
    }
}
