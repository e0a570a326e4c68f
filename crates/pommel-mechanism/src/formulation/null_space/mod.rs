//! Null-space methods: constraint forces are eliminated by a basis V of what the rows leave free.
//!
//! With `Φ_q V = 0` and any solution `s` of `Φ_q s = γ`, accelerations are `q̈ = V v̈ + s`, and
//!
//! ```text
//! Vᵀ M V v̈ = Vᵀ (Q − M s)
//! ```
//!
//! \[dFGP08, eqs. 10 to 13\]; eq. 11 prints `Vᵀ Q + …`, its listings have the minus. Multipliers then
//! solve `Φ_qᵀ λ = Q − M q̈`. M may be singular as long as `Vᵀ M V` is not. The key `[dFGP08]` is
//! that of [the formulations](super).
//!
//! The listings of \[dFGP08\] find the rank by Gauss-Jordan reduction of `[Φ_q γ]`, which costs them
//! most of their time, and lets γ raise the rank. Here every decomposition finds the rank itself.

mod gram;
mod qr;
mod qtz;
mod schur;
mod svd;
mod zero_eigenvalue;

use pommel_kkt::Pattern;

use super::dense::{Matrix, PivotedCholesky, System, add_scaled, dot, largest};
use super::driver::{Solver, formulations};
use super::{FormulationError, INERTIA_TOLERANCE, Method};
use crate::Equations;

/// A way to a basis, a solution of the rows, and multipliers.
pub(super) trait Basis {
    /// The method that it makes.
    const METHOD: Method;

    /// Room for systems of a pattern.
    fn new(pattern: &Pattern) -> Self;

    /// Decomposes Φ_q; returns its rank r.
    fn decompose(&mut self, system: &System) -> Result<usize, FormulationError>;

    /// V, n × (n − r), column by column.
    fn free(&self) -> &[f64];

    /// A solution of `Φ_q s = γ`.
    fn particular(&mut self, system: &System, gamma: &[f64], s: &mut [f64]);

    /// A solution of `Φ_qᵀ λ = f`.
    fn multipliers(&mut self, system: &System, f: &[f64], lambda: &mut [f64]);
}

/// The reduced system of a basis.
#[derive(Debug)]
pub(super) struct NullSpace<B> {
    basis: B,
    /// `M V`.
    product: Matrix,
    reduced: PivotedCholesky,
    rest: Vec<f64>,
    free: Vec<f64>,
}

impl<B: Basis> Solver for NullSpace<B> {
    const METHOD: Method = B::METHOD;

    fn new(pattern: &Pattern) -> Self {
        let n = pattern.unknowns();
        NullSpace {
            basis: B::new(pattern),
            product: Matrix::new(n, n),
            reduced: PivotedCholesky::new(n),
            rest: vec![0.0; n],
            free: vec![0.0; n],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        let n = system.n();
        let rank = self.basis.decompose(system)?;
        let dimension = n - rank;
        let (v, product, reduced) = (self.basis.free(), &mut self.product, &mut self.reduced.a);
        product.reshape(n, dimension);
        reduced.reshape(dimension, dimension);
        product.data_mut().fill(0.0);
        for j in 0..dimension {
            system.mass.add_product(1.0, &v[j * n..(j + 1) * n], product.column_mut(j));
        }
        for j in 0..dimension {
            for i in j..dimension {
                reduced[(i, j)] = dot(&v[i * n..(i + 1) * n], product.column(j));
            }
        }
        let diagonal = (0..dimension).map(|j| reduced[(j, j)]).fold(0.0, f64::max);
        let limit = INERTIA_TOLERANCE * diagonal.max(system.mass.largest());
        let positive = self.reduced.factorize(limit);
        if positive < dimension {
            let method = B::METHOD;
            return Err(FormulationError::MotionWithoutInertia { method, dimension, positive });
        }
        Ok(Some(rank))
    }

    fn apply(
        &mut self,
        system: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let (n, dimension) = (system.n(), self.product.columns());
        // s, then q̈ = s + V v̈
        self.basis.particular(system, gamma, qdd);
        system.inertial_rest(force, qdd, &mut self.rest);
        let free = &mut self.free[..dimension];
        let v = self.basis.free();
        for (j, x) in free.iter_mut().enumerate() {
            *x = dot(&v[j * n..(j + 1) * n], &self.rest);
        }
        self.reduced.solve(free);
        for (j, x) in free.iter().enumerate() {
            add_scaled(qdd, *x, &v[j * n..(j + 1) * n]);
        }
        system.inertial_rest(force, qdd, &mut self.rest);
        self.basis.multipliers(system, &self.rest, lambda);
        Ok(())
    }
}

/// The largest part of a row that a basis leaves: of `Φ_q V`.
#[cfg(test)]
fn leak(system: &System, v: &[f64]) -> f64 {
    let n = system.n();
    let columns = v.chunks_exact(n.max(1));
    let rows = || (0..system.m()).map(|i| system.rows.column(i));
    columns.flat_map(|v| rows().map(|row| dot(row, v).abs())).fold(0.0, f64::max)
}

formulations! {
    /// Null space from the eigenvectors of `Φ_qᵀ Φ_q` to the eigenvalue zero
    /// \[dFGP08, eqs. 14 to 17\] (Walton and Steeves 1969).
    ///
    /// Costs one symmetric eigenvalue problem of n × n. It squares the condition of Φ_q: a singular
    /// value below 10⁻⁶ of the largest is zero.
    ZeroEigenvalue(NullSpace<zero_eigenvalue::Eigenvectors>);

    /// Null space from the orthogonal factor of `Φ_qᵀ` \[dFGP08, eqs. 18 to 21\] (Kim and Vanderploeg
    /// 1986).
    ///
    /// `Φ_qᵀ P = Q R`, rows in the order of what they add; `Q` is formed as a whole.
    Qr(NullSpace<qr::Explicit>);

    /// Null space from the left singular vectors of `Φ_qᵀ` \[dFGP08, eqs. 22 to 24\] (Singh and
    /// Likins 1985, Mani, Haug and Atkinson 1985).
    ///
    /// The published comparison has this method fail. That is no property of it: where γ raises the
    /// rank that the listings count, V is too narrow in all of them.
    SvdNullSpace(NullSpace<svd::Vectors>);

    /// Null space from Householder's transform \[dFGP08, eqs. 25, 26\] (Amirouche, Jia and Ider
    /// 1988): pseudo upper triangular decomposition.
    ///
    /// `V = H [0; I]`, where `H` is left as a product of reflections. What is said there to be its
    /// difference from [`Qr`] vanishes: V is the same, to the last bit.
    Putd(NullSpace<qr::Implicit>);

    /// Null space from the complete orthogonal decomposition `Φ_q = Q T Zᵀ` (Vita and Pennestrì
    /// 2004, named in `[dFGP08]`).
    ///
    /// Two orthogonal factors, the second of the rows that the first left. It gives shortest
    /// multipliers and accelerations of least squares without singular values.
    Qtz(NullSpace<qtz::Complete>);

    /// Null space from the Schur vectors of `Φ_qᵀ Φ_q` \[dFGP08, eqs. 27 to 29\] (Pennestrì and
    /// Valentini 2007).
    ///
    /// A symmetric matrix has a diagonal Schur form. Eigenvalues come in the order in which the
    /// iteration finds them, so vectors are chosen by them; the listing takes the first n − r.
    /// Squares the condition as [`ZeroEigenvalue`] does.
    Schur(NullSpace<schur::SchurVectors>);
}

#[cfg(test)]
mod tests;
