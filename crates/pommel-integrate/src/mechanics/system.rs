//! What methods for constrained motion ask of a mechanism.

/// The equations of motion of a mechanism with constraints, and a solver for their saddle-point matrix.
///
/// ```text
/// q̇ = S(q) v      M v̇ + Φ_qᵀ λ = Q(t, q, v)      Φ(t, q) = 0      Φ_q v = ν(t, q)      Φ_q v̇ = γ
/// ```
///
/// n velocities, m rows, M constant. Coordinates q may be more than velocities, as quaternions are.
///
/// Terms are those of the state that was [evaluated](Self::evaluate) last, the factor that of the state that was
/// [factored](Self::factorize) last.
pub trait Mechanics {
    /// Why terms or factors are not to be had.
    type Error;

    /// Number of coordinates q.
    fn coordinates(&self) -> usize;

    /// Number of velocities v.
    fn velocities(&self) -> usize;

    /// Number of rows of Φ.
    fn rows(&self) -> usize;

    /// Whether a row constrains positions, too. Rows that do not have Φ = 0 everywhere.
    fn is_holonomic(&self, row: usize) -> bool {
        let _ = row;
        true
    }

    /// Finds the terms at a state.
    ///
    /// # Errors
    /// What the mechanism says.
    fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), Self::Error>;

    /// Q, length n.
    fn force(&self) -> &[f64];

    /// Φ, length m.
    fn positions(&self) -> &[f64];

    /// ν, length m.
    fn nu(&self) -> &[f64];

    /// γ, length m.
    fn gamma(&self) -> &[f64];

    /// `to ← to + s M x`, lengths n.
    fn add_mass(&self, s: f64, x: &[f64], to: &mut [f64]);

    /// `to ← Φ_q x`, length m.
    fn multiply(&self, x: &[f64], to: &mut [f64]);

    /// `to ← to + s Φ_qᵀ x`, length n.
    fn add_transposed(&self, s: f64, x: &[f64], to: &mut [f64]);

    /// Factors `[M Φ_qᵀ; Φ_q 0]` at the state that was evaluated last, and keeps the factor.
    ///
    /// # Errors
    /// What the mechanism says; rows that depend on others are none.
    fn factorize(&mut self) -> Result<(), Self::Error>;

    /// `x ← [M Φ_qᵀ; Φ_q 0]⁻¹ x` with the factor, length n + m. Rows that depend on others count as zero.
    ///
    /// # Errors
    /// What the mechanism says.
    fn solve(&mut self, x: &mut [f64]) -> Result<(), Self::Error>;

    /// `q̇ = S(q) v`.
    fn position_rate(&self, q: &[f64], v: &[f64], rate: &mut [f64]);

    /// Moves q by a displacement, the coordinates of a chart around q: q + d, or for rotations the
    /// quaternion `q ∘ (1, d/2)`, of unit norm.
    fn displace(&self, q: &mut [f64], d: &[f64]);

    /// `ḋ` of the displacement that moves along with velocities v; v itself where q + d moves q.
    fn displacement_rate(&self, d: &[f64], v: &[f64], rate: &mut [f64]) {
        let _ = d;
        rate.copy_from_slice(v);
    }

    /// The momenta, in the frames that velocities have at the start and at the end, of a step that moves q by
    /// `d = h u` without forces; `M u` both where q + d moves q. They are the same in a frame that does not move:
    /// for a body with moments of inertia J, `J u ± ½ d × J u + ¼ d (d · J u)` \[BM09\].
    fn momenta(&self, h: f64, u: &[f64], start: &mut [f64], end: &mut [f64]) {
        let _ = h;
        for to in [start, end] {
            to.fill(0.0);
            self.add_mass(1.0, u, to);
        }
    }

    /// Takes from Q at velocities v what is no force but the motion of the frames of v:
    /// `−ω × J ω` of bodies whose ω has their own axes.
    fn remove_gyroscopic(&self, v: &[f64], force: &mut [f64]) {
        let _ = (v, force);
    }

    /// After an accepted step, whose state was evaluated last.
    fn accepted(&mut self) {}
}
