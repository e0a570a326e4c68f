//! The equations of motion at one state, as numbers.

use pommel_kkt::{Pattern, Values};

/// `M q̈ + Φ_qᵀ λ = Q`, `Φ_q q̈ = γ` at one state.
///
/// `n` unknowns, `m` rows. Values of M and Φ_q stand where the pattern's builder said.
#[derive(Clone, Copy, Debug)]
pub struct Equations<'a, T = f64> {
    /// Where M and Φ_q have entries.
    pub pattern: &'a Pattern,
    /// Values of M, length [`Pattern::mass_len`]; kg, kg·m².
    pub mass: &'a [T],
    /// Values of Φ_q, length [`Pattern::jacobian_len`].
    pub jacobian: &'a [T],
    /// Q, length n; N, N·m.
    pub force: &'a [T],
    /// γ, length m.
    pub gamma: &'a [T],
    /// The state that the numbers belong to, for methods in other coordinates.
    pub state: Option<State<'a, T>>,
}

/// A state in absolute coordinates.
#[derive(Clone, Copy, Debug)]
pub struct State<'a, T = f64> {
    /// s.
    pub time: T,
    /// Coordinates; m, rad, unit quaternions.
    pub q: &'a [T],
    /// Velocities; m/s, rad/s.
    pub v: &'a [T],
}

impl<'a, T> Equations<'a, T> {
    /// M and Φ_q as `pommel-kkt` takes them.
    pub fn values(&self) -> Values<'a, T> {
        Values::new(self.mass, self.jacobian)
    }
}
