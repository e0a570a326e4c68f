//! Derivatives of solutions by the numbers of the system.

use pommel_math::Real;

use super::factored::Factor;
use super::refine::{Refinement, Report};
use crate::error::{KktError, check_length};
use crate::pattern::Entries;

/// Where derivatives by the numbers of a system go, each list in the order of its values.
#[derive(Debug)]
pub struct Gradient<'a, T> {
    /// By the values of M; length [`Pattern::mass_len`](crate::Pattern::mass_len).
    pub mass: &'a mut [T],
    /// By the values of J; length [`Pattern::jacobian_len`](crate::Pattern::jacobian_len).
    pub jacobian: &'a mut [T],
    /// By the values of C; length [`Pattern::compliance_len`](crate::Pattern::compliance_len).
    pub compliance: &'a mut [T],
    /// By the right-hand side `[f; g]`; length `n + m`.
    pub rhs: &'a mut [T],
}

impl<T: Real> Factor<'_, T> {
    /// Pulls derivatives by the solution back to the numbers of the system.
    ///
    /// With `K s = b` and a scalar function `φ(s)`, `cotangent = ∂φ/∂s` gives `z = K⁻¹ ∂φ/∂s`,
    /// `∂φ/∂b = z` and `∂φ/∂K = −z sᵀ`; a value below the diagonal of M or C, or in J, stands at two
    /// places of K and gets the sum of both. Costs one solution, whatever the number of values.
    ///
    /// Dependent rows are held fixed: the derivative is that of the system without them.
    /// Values that have no place in the matrix get zero. The report is that of `z`: where its verdict is
    /// not good, the derivatives are not either.
    ///
    /// ```
    /// use pommel_kkt::{Analysis, Gradient, Pattern, Refinement, Values, Workspace};
    ///
    /// // M x + J λ = f, J x = g with M = 2, J = 1, f = 5, g = 1
    /// let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[])?;
    /// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
    /// let mut factor = workspace.factorize(&Values::new(&[2.0], &[1.0]))?;
    /// let mut solution = [0.0; 2];
    /// factor.solve(&[5.0, 1.0], &mut solution, &Refinement::default())?;
    /// // the derivatives of λ = f / J − M g / J²
    /// let (mut mass, mut jacobian, mut rhs) = ([0.0], [0.0], [0.0; 2]);
    /// let mut gradient = Gradient {
    ///     mass: &mut mass,
    ///     jacobian: &mut jacobian,
    ///     compliance: &mut [],
    ///     rhs: &mut rhs,
    /// };
    /// factor.pull_back(&solution, &[0.0, 1.0], &mut gradient)?;
    /// assert_eq!((mass, jacobian, rhs), ([-1.0], [-1.0], [1.0, -2.0]));
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    ///
    /// # Errors
    /// [`KktError::Length`].
    pub fn pull_back(
        &mut self,
        solution: &[T],
        cotangent: &[T],
        gradient: &mut Gradient<'_, T>,
    ) -> Result<Report<T>, KktError> {
        check_length("solution", self.len(), solution.len())?;
        check_length("cotangent", self.len(), cotangent.len())?;
        let pattern = self.workspace.pattern.clone();
        check_length("gradient.rhs", self.len(), gradient.rhs.len())?;
        check_length("gradient.mass", pattern.mass_len(), gradient.mass.len())?;
        check_length("gradient.jacobian", pattern.jacobian_len(), gradient.jacobian.len())?;
        check_length("gradient.compliance", pattern.compliance_len(), gradient.compliance.len())?;
        let report = self.solve(cotangent, gradient.rhs, &Refinement::quick())?;
        let n = pattern.unknowns();
        let (z, s) = (&*gradient.rhs, solution);
        let sign = T::from_f64(if pattern.negated { -1.0 } else { 1.0 });
        fill(&pattern.mass, gradient.mass, -T::one(), [0, 0], z, s);
        fill(&pattern.jacobian, gradient.jacobian, -T::one(), [n, 0], z, s);
        fill(&pattern.compliance, gradient.compliance, sign, [n, n], z, s);
        Ok(report)
    }
}

/// `sign (z_i s_j + z_j s_i)` for every entry, the term once on the diagonal.
fn fill<T: Real>(entries: &Entries, out: &mut [T], sign: T, offset: [usize; 2], z: &[T], s: &[T]) {
    out.fill(T::zero());
    for (row, column, index) in entries.iter() {
        let (i, j) = (row + offset[0], column + offset[1]);
        let once = z[i] * s[j];
        out[index] = sign * if i == j { once } else { z[j].mul_add(s[i], once) };
    }
}
