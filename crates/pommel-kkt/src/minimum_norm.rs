//! The shortest multipliers.
//!
//! With dependent rows the multipliers are not unique: any `λ` with the same `Jᵀ λ` (and `C λ`) solves
//! the system. The shortest of them solves a saddle-point system itself,
//!
//! ```text
//! ⎡ I  Aᵀ ⎤ ⎡ λ ⎤   ⎡ 0    ⎤
//! ⎣ A  0  ⎦ ⎣ μ ⎦ = ⎣ A λ₀ ⎦,   A = [Jᵀ; C],
//! ```
//!
//! in which rows are constraints and bodies are their rows: as many of these depend on others as the
//! system has freedoms.

use pommel_math::{Mask, Real};

use crate::analysis::Analysis;
use crate::error::{KktError, check_length};
use crate::numeric::{Refinement, Report, Workspace};
use crate::pattern::{Pattern, Values};

/// Finds the shortest multipliers that bear the same forces; owns all memory for it.
///
/// ```
/// use pommel_kkt::{Analysis, MinimumNorm, Pattern, Refinement, Values, Workspace};
///
/// // 2 x + λ₀ + λ₁ = 4, and x = 1 twice
/// let pattern = Pattern::from_places(&[1], &[1, 1], &[(0, 0)], &[(0, 0), (1, 0)], &[])?;
/// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
/// let values = Values::new(&[2.0], &[1.0, 1.0]);
/// let mut solution = [0.0; 3];
/// let mut factor = workspace.factorize(&values)?;
/// factor.solve(&[4.0, 1.0, 1.0], &mut solution, &Refinement::default())?;
/// // one of the rows was left out
/// assert!(solution[1..].contains(&0.0) && solution[1..].contains(&2.0));
/// MinimumNorm::new(&pattern)?.apply(&values, &mut solution)?;
/// assert!(solution[1..].iter().all(|x: &f64| (x - 1.0).abs() < 1e-15));
/// # Ok::<(), pommel_kkt::KktError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MinimumNorm<T> {
    workspace: Workspace<T>,
    /// Ones.
    mass: Vec<T>,
    /// Values of A: those of J, those of C, those of C again above the diagonal.
    values: Vec<T>,
    /// For every value of A: its index among those of J, or of C.
    sources: Vec<(bool, u32)>,
    rhs: Vec<T>,
    solution: Vec<T>,
    unknowns: usize,
    lengths: [usize; 2],
}

impl<T: Real> MinimumNorm<T> {
    /// Analyses the patterns of J and C.
    ///
    /// # Errors
    /// [`KktError::TooLarge`] if the mirrored system, or its factor, is.
    pub fn new(pattern: &Pattern) -> Result<Self, KktError> {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let bodies: Vec<usize> =
            (0..pattern.constraint_count()).map(|i| pattern.constraint(i).len()).collect();
        let mut constraints: Vec<usize> =
            (0..pattern.body_count()).map(|i| pattern.body(i).len()).collect();
        let mass: Vec<_> = (0..m).map(|i| (i, i)).collect();
        let (mut places, mut sources) = (Vec::new(), Vec::new());
        for (row, column, index) in pattern.jacobian_entries() {
            places.push((column, row));
            sources.push((true, index as u32));
        }
        if pattern.compliance_entries().next().is_some() {
            constraints.extend_from_slice(&bodies);
        }
        for (row, column, index) in pattern.compliance_entries() {
            places.push((n + row, column));
            sources.push((false, index as u32));
            if row != column {
                places.push((n + column, row));
                sources.push((false, index as u32));
            }
        }
        let mirrored = Pattern::from_places(&bodies, &constraints, &mass, &places, &[])?;
        let total = m + mirrored.rows();
        Ok(MinimumNorm {
            workspace: Workspace::new(&Analysis::new(&mirrored)?),
            mass: vec![T::one(); m],
            values: vec![T::zero(); places.len()],
            sources,
            rhs: vec![T::zero(); total],
            solution: vec![T::zero(); total],
            unknowns: n,
            lengths: [pattern.jacobian_len(), pattern.compliance_len()],
        })
    }

    /// Replaces the multipliers in `solution = [x; λ]` by the shortest ones with the same `Jᵀ λ` and
    /// `C λ`; does not allocate. In lanes where the verdict is not good, they stay as they are.
    /// `values.mass` is not read.
    ///
    /// # Errors
    /// [`KktError::Length`].
    pub fn apply(
        &mut self,
        values: &Values<'_, T>,
        solution: &mut [T],
    ) -> Result<Report<T>, KktError> {
        let m = self.mass.len();
        check_length("jacobian", self.lengths[0], values.jacobian.len())?;
        check_length("compliance", self.lengths[1], values.compliance.len())?;
        check_length("solution", self.unknowns + m, solution.len())?;
        for (value, &(of_jacobian, index)) in self.values.iter_mut().zip(&self.sources) {
            let list = if of_jacobian { values.jacobian } else { values.compliance };
            *value = list[index as usize];
        }
        let multipliers = &mut solution[self.unknowns..];
        self.rhs.fill(T::zero());
        for (row, column, index) in self.workspace.pattern().jacobian_entries() {
            self.rhs[m + row] = self.values[index].mul_add(multipliers[column], self.rhs[m + row]);
        }
        let numbers = Values::new(&self.mass, &self.values);
        let mut factor = self.workspace.factorize(&numbers)?;
        let report = factor.solve(&self.rhs, &mut self.solution, &Refinement::quick())?;
        let good = Mask::from_fn(T::LANES, |lane| report.verdict(lane).is_good());
        for (multiplier, shortest) in multipliers.iter_mut().zip(&self.solution[..m]) {
            *multiplier = T::select(good, *shortest, *multiplier);
        }
        Ok(report)
    }
}
