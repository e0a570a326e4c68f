//! The equations of motion at one state, as numbers.

use pommel_kkt::Pattern;

/// `M q̈ + Φ_qᵀ λ = Q`, `Φ_q q̈ = γ` at one state.
///
/// `n` unknowns, `m` rows. Values of M and Φ_q stand where the pattern's builder said.
#[derive(Clone, Copy, Debug)]
pub struct Equations<'a> {
    /// Where M and Φ_q have entries.
    pub pattern: &'a Pattern,
    /// Values of M, length [`Pattern::mass_len`]; kg, kg·m².
    pub mass: &'a [f64],
    /// Values of Φ_q, length [`Pattern::jacobian_len`].
    pub jacobian: &'a [f64],
    /// Q, length n; N, N·m.
    pub force: &'a [f64],
    /// γ, length m.
    pub gamma: &'a [f64],
    /// The state that the numbers belong to, for methods in other coordinates.
    pub state: Option<State<'a>>,
}

/// A state in absolute coordinates.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// s.
    pub time: f64,
    /// Coordinates; m, rad, unit quaternions.
    pub q: &'a [f64],
    /// Velocities; m/s, rad/s.
    pub v: &'a [f64],
}
