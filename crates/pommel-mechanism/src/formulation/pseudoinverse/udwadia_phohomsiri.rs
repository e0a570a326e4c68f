//! The pseudoinverse of `[(I − Φ_q⁺ Φ_q) M; Φ_q]` \[dFGP08, eqs. 34, 35\].
//!
//! Masses are in units of the largest. Instead of `Φ_q = V Σ Uᵀ` the stacked matrix has `Σ Uᵀ`, and
//! the right-hand side `Vᵀ γ`: an orthogonal factor, which leaves the product with the
//! pseudoinverse as it is, and leaves out what counts as zero. (The listing has `eye(m)` for
//! `eye(n)`.)

use pommel_kkt::Pattern;

use super::super::dense::{Left, Reflections, Svd};
use super::{Equations, FormulationError, INERTIA_TOLERANCE, Matrix, Method, Solver, System};
use super::{add_scaled, dot};

/// `Φ_qᵀ = U Σ Vᵀ`, and the orthogonal factor of the stacked matrix.
#[derive(Debug)]
pub(in crate::formulation) struct Stacked {
    svd: Svd,
    unit: f64,
    /// `M U`.
    product: Matrix,
    factor: Reflections,
    b: Vec<f64>,
    rest: Vec<f64>,
}

impl Solver for Stacked {
    const METHOD: Method = Method::UdwadiaPhohomsiri;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        let size = n.min(m);
        Stacked {
            svd: Svd::new(n, m, Left::Thin),
            unit: 1.0,
            product: Matrix::new(n, size),
            factor: Reflections::new(n + size, n),
            b: vec![0.0; n + size],
            rest: vec![0.0; n],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        let n = system.n();
        let Stacked { svd, product, factor, .. } = self;
        let rank = svd.decompose(&system.rows, system.rank_tolerance, Self::METHOD)?;
        let largest = system.mass.largest();
        self.unit = if largest > 0.0 { largest } else { 1.0 };
        product.reshape(n, rank);
        product.data_mut().fill(0.0);
        for k in 0..rank {
            let scale = 1.0 / self.unit;
            system.mass.add_product(scale, svd.u.column(k), product.column_mut(k));
        }
        let a = &mut factor.a;
        a.reshape(n + rank, n);
        a.data_mut().fill(0.0);
        for (i, j, value) in system.mass.entries() {
            a[(i, j)] = value / self.unit;
            a[(j, i)] = value / self.unit;
        }
        // (I − U Uᵀ) M = M − U (M U)ᵀ above, Σ Uᵀ below
        for j in 0..n {
            let column = a.column_mut(j);
            for k in 0..rank {
                add_scaled(&mut column[..n], -product[(j, k)], svd.u.column(k));
                column[n + k] = svd.sizes[k] * svd.u[(j, k)];
            }
        }
        let found = factor.factorize_pivoted(INERTIA_TOLERANCE);
        if found < n {
            let (method, dimension) = (Self::METHOD, n - rank);
            let positive = dimension.saturating_sub(n - found);
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
        let (n, rank) = (system.n(), self.svd.rank);
        let Stacked { svd, factor, b, rest, unit, .. } = self;
        let b = &mut b[..n + rank];
        b.iter_mut().zip(force).for_each(|(b, f)| *b = f / *unit);
        // what lies along rows is no business of the upper part; left in, it would cost digits
        for k in 0..rank {
            let along = dot(svd.u.column(k), &b[..n]);
            add_scaled(&mut b[..n], -along, svd.u.column(k));
            b[n + k] = svd.along_right(k, gamma);
        }
        factor.apply_transposed(b);
        factor.solve(&mut b[..n]);
        b.iter().zip(factor.order()).for_each(|(x, &j)| qdd[j] = *x);
        system.inertial_rest(force, qdd, rest);
        svd.pseudo_solve(rest, lambda);
        Ok(())
    }
}
