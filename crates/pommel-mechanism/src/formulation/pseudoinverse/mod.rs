//! Methods by pseudoinverses.
//!
//! All give the shortest multipliers, in the sense of rows of unit length as [the formulations](super) see them (the first and third: of
//! rows of D of unit length). `M^(−1/2)` may be any `W` with `W Wᵀ = M⁻¹`: here it is `L⁻ᵀ` with
//! `M = L Lᵀ`, which serves blocks as well as diagonals.
//!
//! [`saddle_pseudoinverse_by_mass`] and [`saddle_pseudoinverse_by_projection`] build the closed
//! forms of the pseudoinverse of the whole saddle-point matrix, which de Falco's methods come from.
//!
//! The key `[dFGP08]` is that of [the formulations](super).

mod closed_form;
mod de_falco;
mod udwadia_kalaba;
mod udwadia_phohomsiri;
mod weighted;

pub use closed_form::{saddle_pseudoinverse_by_mass, saddle_pseudoinverse_by_projection};

use super::dense::{Matrix, System, add_scaled, dot};
use super::driver::{Solver, formulations};
use super::{FormulationError, INERTIA_TOLERANCE, Method};
use crate::Equations;

formulations! {
    /// Gauss' principle of least constraint \[dFGP08, eqs. 30 to 33\] (Udwadia and Kalaba 1992).
    ///
    /// ```text
    /// q̈ = q̈_f + W D⁺ (γ − Φ_q q̈_f),   q̈_f = M⁻¹ Q,   D = Φ_q W,   W Wᵀ = M⁻¹
    /// ```
    ///
    /// The listing printed there weighs by `v.^1/2`, half the inverse masses: its accelerations
    /// hold the constraints and are wrong.
    UdwadiaKalaba(udwadia_kalaba::LeastConstraint);

    /// `q̈ = [(I − Φ_q⁺ Φ_q) M; Φ_q]⁺ [Q; γ]` \[dFGP08, eqs. 34, 35\] (Udwadia and Phohomsiri 2006).
    ///
    /// Where accelerations are unique the stacked matrix has full column rank, and its
    /// pseudoinverse is applied by orthogonal factors. M may be singular; one that is not positive
    /// on what the rows leave free is not noticed.
    UdwadiaPhohomsiri(udwadia_phohomsiri::Stacked);

    /// `q̈ = (I − H Φ_q) M⁻¹ Q + H γ`, `H = M⁻¹ Φ_qᵀ (Φ_q M⁻¹ Φ_qᵀ)⁺` \[dFGP08, eqs. 39 to 41\] (de
    /// Falco, Pennestrì and Vita).
    DeFalco1(de_falco::ByMass);

    /// `q̈ = P Q + (Φ_q⁺ − P M Φ_q⁺) γ`, `P = (E M E)⁺`, `E = I − Φ_q⁺ Φ_q` \[dFGP08, eqs. 42 to 45\]
    /// (de Falco, Pennestrì and Vita). M may be singular.
    DeFalco2(de_falco::ByProjection);
}
