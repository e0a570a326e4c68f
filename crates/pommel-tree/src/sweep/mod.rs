//! The three sweeps of forward dynamics.
//!
//! | here         | meaning                                                    | Saha    | Featherstone |
//! |--------------|------------------------------------------------------------|---------|--------------|
//! | `p`          | joint column: unit vector along z, angular or linear       | `p_i`   | `S_i`        |
//! | `M`          | inertia of a link and all it bears, joints beyond it free  | `M̂_i,i+1` | `I^A_i`    |
//! | `psi`        | `M p`                                                      | `ψ_i`   | `U_i`        |
//! | `pivot`      | `pᵀ ψ`                                                     | `m̂_i`   | `D_i`        |
//! | `psi_hat`    | `ψ / m̂`, the column of `U`                                 | `ψ̂_i`   | `U_i D_i⁻¹`  |
//! | `tau_hat`    | `τ − pᵀ z`, what is left of the joint force                | `φ̂_i`   | `u_i`        |
//! | `z`          | wrench of the reference motion plus what came from beyond  | `η̃_i`   | `p^A_i`      |
//! | `mu`         | rate of the twist relative to the reference motion         | `μ_i`   | `a_i − c_i`  |

pub(crate) mod ball;
pub(crate) mod bias;
pub(crate) mod eliminate;
pub(crate) mod planar;
pub(crate) mod root;
pub(crate) mod second;
pub(crate) mod single;
pub(crate) mod substitute;
pub(crate) mod tip;
pub(crate) mod turn;
