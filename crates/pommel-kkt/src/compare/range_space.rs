//! Multipliers first: `S λ = J M⁻¹ f − g` with `S = J M⁻¹ Jᵀ + C`.
//!
//! | here | meaning                                              | shape |
//! |------|------------------------------------------------------|-------|
//! | `l`  | `M = L Lᵀ`, body by body                             | n × n |
//! | `w`  | `L⁻¹ Jᵀ`                                             | n × m |
//! | `s`  | `Wᵀ W + C`                                           | m × m |

use pommel_math::Real;

use super::lanewise::{Instance, Lanewise};
use super::parts::Parts;
use super::{SaddleSolver, Summary};
use crate::dense::{RookFactor, cholesky, solve_lower, solve_lower_transposed};
use crate::error::KktError;
use crate::inertia::Inertia;
use crate::pattern::{Pattern, Values};

/// The range-space method: M is inverted, the multipliers come first. Needs M positive definite
/// ([`KktError::MassNotPositive`]); rows of J may depend on each other.
///
/// Cost: `Σ w³/6` for bodies of width `w`, `n m²/2` for `J M⁻¹ Jᵀ`, `m³/3` for its factor and four
/// times as much for the errors of entries. It squares the condition number of J.
#[derive(Clone, Debug)]
pub struct RangeSpace<T>(Lanewise<T, Single<T>, Single<f64>>);

impl<T: Real> RangeSpace<T> {
    /// Room for systems of this pattern.
    pub fn new(pattern: &Pattern) -> Self {
        RangeSpace(Lanewise::new(pattern))
    }
}

impl<T: Real> SaddleSolver<T> for RangeSpace<T> {
    fn name(&self) -> &'static str {
        "range space"
    }
    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        self.0.factorize(values)
    }
    fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        self.0.solve(rhs, solution);
    }
    fn set_row_tolerance(&mut self, share: f64) -> Result<(), KktError> {
        self.0.set_row_tolerance(share)
    }
}

/// One instance.
#[derive(Clone, Debug)]
struct Single<T> {
    parts: Parts<T>,
    blocks: Vec<u32>,
    growth: Vec<f64>,
    w: Vec<T>,
    s: Vec<T>,
    /// Sums of the sizes of what was added up in `s`.
    magnitudes: Vec<f64>,
    factor: RookFactor<T>,
}

impl<T: Real> Single<T> {
    /// M = L Lᵀ
    fn factorize_mass(&mut self) -> Result<(), KktError> {
        let n = self.parts.n;
        for (body, rows) in self.blocks.windows(2).enumerate() {
            let (first, end) = (rows[0] as usize, rows[1] as usize);
            if first == end {
                continue;
            }
            let block = &mut self.parts.mass[first * n + first..];
            if !cholesky(block, end - first, n, &mut self.growth) {
                return Err(KktError::MassNotPositive { body });
            }
        }
        Ok(())
    }

    /// `b ← L⁻¹ b`, or `L⁻ᵀ b`.
    fn solve_mass(parts: &Parts<T>, blocks: &[u32], b: &mut [T], transposed: bool) {
        let solve = if transposed { solve_lower_transposed } else { solve_lower };
        for rows in blocks.windows(2) {
            let (first, end) = (rows[0] as usize, rows[1] as usize);
            if first < end {
                solve(&parts.mass[first * parts.n + first..], parts.n, &mut b[first..end]);
            }
        }
    }
}

impl<T: Real> Instance<T> for Single<T> {
    fn new(pattern: &Pattern) -> Self {
        let parts = Parts::new(pattern);
        let (n, m) = (parts.n, parts.m);
        Single {
            blocks: parts.mass_blocks(),
            parts,
            growth: vec![0.0; n],
            w: vec![T::zero(); n * m],
            s: vec![T::zero(); m * m],
            magnitudes: vec![0.0; m * m],
            factor: RookFactor::new(m),
        }
    }

    fn set_row_tolerance(&mut self, share: f64) {
        self.factor.set_inexact(0, share);
    }

    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        self.parts.fill(values)?;
        self.factorize_mass()?;
        let (n, m) = (self.parts.n, self.parts.m);
        for i in 0..m {
            let column = &mut self.w[i * n..(i + 1) * n];
            for (k, x) in column.iter_mut().enumerate() {
                *x = self.parts.jacobian[k * m + i];
            }
            Self::solve_mass(&self.parts, &self.blocks, column, false);
        }
        // S = Wᵀ W + C
        for j in 0..m {
            for i in j..m {
                let mut sum = self.parts.compliance[j * m + i];
                let mut magnitude = sum.lane(0).abs();
                for k in 0..n {
                    let (x, y) = (self.w[i * n + k], self.w[j * n + k]);
                    sum = x.mul_add(y, sum);
                    magnitude += (x.lane(0) * y.lane(0)).abs();
                }
                self.s[j * m + i] = sum;
                self.magnitudes[j * m + i] = magnitude;
            }
        }
        let (s, magnitudes) = (&self.s, &self.magnitudes);
        self.factor.factorize(|i, j| s[j * m + i], |i, j| magnitudes[j * m + i]);
        // eigenvalues of S come with the other sign
        let of_s = self.factor.inertia();
        let inertia =
            Inertia { positive: n + of_s.negative, negative: of_s.positive, zero: of_s.zero };
        Ok(Summary { inertia, dependent_rows: of_s.zero, rank: inertia.rank() })
    }

    fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        let (n, m) = (self.parts.n, self.parts.m);
        solution.copy_from_slice(rhs);
        let (x, lambda) = solution.split_at_mut(n);
        // S λ = Wᵀ L⁻¹ f − g
        Self::solve_mass(&self.parts, &self.blocks, x, false);
        for i in 0..m {
            let mut sum = -lambda[i];
            for k in 0..n {
                sum = self.w[i * n + k].mul_add(x[k], sum);
            }
            lambda[i] = sum;
        }
        self.factor.solve(lambda);
        // Lᵀ x = L⁻¹ f − W λ
        for i in 0..m {
            for k in 0..n {
                x[k] = (-self.w[i * n + k]).mul_add(lambda[i], x[k]);
            }
        }
        Self::solve_mass(&self.parts, &self.blocks, x, true);
    }
}
