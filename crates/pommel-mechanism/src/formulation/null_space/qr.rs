//! The orthogonal factor of `Φ_qᵀ`: formed \[dFGP08, eqs. 18 to 21\], or left as reflections
//! \[dFGP08, eqs. 25, 26\].
//!
//! `Φ_qᵀ P = Q R`, where `P` takes the rows in the order of what they add to those before; the
//! first r are independent. With `Q = [Q₁ Q₂]` and the leading triangle `R₁`: `s = Q₁ R₁⁻ᵀ γ`,
//! multipliers are `R₁⁻¹ Q₁ᵀ f`, and zero in the dependent rows.

use pommel_kkt::Pattern;

use super::super::dense::{Matrix, Reflections};
use super::super::{FormulationError, Method};
use super::{Basis, System, add_scaled, dot};

/// `Q` as a matrix.
#[derive(Debug)]
pub(in crate::formulation) struct Explicit {
    factor: Reflections,
    q: Matrix,
    scratch: Vec<f64>,
}

impl Basis for Explicit {
    const METHOD: Method = Method::Qr;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        Explicit {
            factor: Reflections::new(n, m),
            q: Matrix::new(n, n),
            scratch: vec![0.0; n.min(m)],
        }
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        let rank = factorize(&mut self.factor, system);
        for j in 0..system.n() {
            self.factor.unit(j, self.q.column_mut(j));
        }
        Ok(rank)
    }

    fn free(&self) -> &[f64] {
        &self.q.data()[self.factor.rank() * self.q.rows()..]
    }

    fn particular(&mut self, _: &System, gamma: &[f64], s: &mut [f64]) {
        let Explicit { factor, q, scratch } = self;
        let y = &mut scratch[..factor.rank()];
        gather(factor, gamma, y);
        factor.solve_transposed(y);
        s.fill(0.0);
        y.iter().enumerate().for_each(|(k, y)| add_scaled(s, *y, q.column(k)));
    }

    fn multipliers(&mut self, _: &System, f: &[f64], lambda: &mut [f64]) {
        let Explicit { factor, q, scratch } = self;
        let y = &mut scratch[..factor.rank()];
        y.iter_mut().enumerate().for_each(|(k, y)| *y = dot(q.column(k), f));
        factor.solve(y);
        scatter(factor, y, lambda);
    }
}

/// `Q` as the product of its reflections; `[0; I]` is what \[dFGP08\] calls `D₂ᵀ`.
#[derive(Debug)]
pub(in crate::formulation) struct Implicit {
    factor: Reflections,
    v: Matrix,
    scratch: Vec<f64>,
}

impl Basis for Implicit {
    const METHOD: Method = Method::Putd;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        Implicit { factor: Reflections::new(n, m), v: Matrix::new(n, n), scratch: vec![0.0; n] }
    }

    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError> {
        let rank = factorize(&mut self.factor, system);
        self.v.reshape(system.n(), system.n() - rank);
        for j in rank..system.n() {
            self.factor.unit(j, self.v.column_mut(j - rank));
        }
        Ok(rank)
    }

    fn free(&self) -> &[f64] {
        self.v.data()
    }

    fn particular(&mut self, _: &System, gamma: &[f64], s: &mut [f64]) {
        let rank = self.factor.rank();
        s[rank..].fill(0.0);
        gather(&self.factor, gamma, &mut s[..rank]);
        self.factor.solve_transposed(&mut s[..rank]);
        self.factor.apply(s);
    }

    fn multipliers(&mut self, _: &System, f: &[f64], lambda: &mut [f64]) {
        let Implicit { factor, scratch, .. } = self;
        scratch.copy_from_slice(f);
        factor.apply_transposed(scratch);
        let y = &mut scratch[..factor.rank()];
        factor.solve(y);
        scatter(factor, y, lambda);
    }
}

fn factorize(factor: &mut Reflections, system: &System) -> usize {
    factor.a.data_mut().copy_from_slice(system.rows.data());
    factor.factorize_pivoted(system.rank_tolerance)
}

/// Numbers of the independent rows.
fn gather(factor: &Reflections, all: &[f64], independent: &mut [f64]) {
    independent.iter_mut().zip(factor.order()).for_each(|(y, &row)| *y = all[row]);
}

/// And back, with zeros in the others.
fn scatter(factor: &Reflections, independent: &[f64], all: &mut [f64]) {
    all.fill(0.0);
    independent.iter().zip(factor.order()).for_each(|(y, &row)| all[row] = *y);
}
