//! De Falco's two formulations \[dFGP08, eqs. 37 to 45\].

use pommel_kkt::Pattern;

use super::super::dense::{Left, Svd, SymmetricEigen, largest};
use super::super::gram_tolerance;
use super::weighted::WeightedRows;
use super::{Equations, FormulationError, INERTIA_TOLERANCE, Matrix, Method, Solver, System};
use super::{add_scaled, dot};

/// The pseudoinverse of `S = Φ_q M⁻¹ Φ_qᵀ` by its eigenvectors; S is scaled to a diagonal of ones.
#[derive(Debug)]
pub(in crate::formulation) struct ByMass {
    rows: WeightedRows,
    gram: Matrix,
    eigen: SymmetricEigen,
    /// Eigenvalues before this one are zero.
    first: usize,
    z: Vec<f64>,
    b: Vec<f64>,
}

impl Solver for ByMass {
    const METHOD: Method = Method::DeFalco1;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        ByMass {
            rows: WeightedRows::new(pattern),
            gram: Matrix::new(m, m),
            eigen: SymmetricEigen::new(m),
            first: m,
            z: vec![0.0; n],
            b: vec![0.0; m],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        self.rows.fill(system, Self::METHOD)?;
        let (m, rows) = (system.m(), &self.rows.rows);
        for j in 0..m {
            for i in j..m {
                self.gram[(i, j)] = dot(rows.column(i), rows.column(j));
            }
        }
        self.eigen.decompose(&self.gram, Self::METHOD)?;
        let values = &self.eigen.values;
        let limit = gram_tolerance(system.rank_tolerance) * largest(values);
        self.first = values.iter().take_while(|&&value| value <= limit).count();
        Ok(Some(m - self.first))
    }

    fn apply(
        &mut self,
        _: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError> {
        let ByMass { rows, eigen, first, z, b, .. } = self;
        z.copy_from_slice(force);
        rows.mass.solve_lower(z);
        rows.rest(gamma, z, b);
        // −λ = S⁺ (γ − Φ q̈_f)
        lambda.fill(0.0);
        for k in *first..b.len() {
            let vector = eigen.vectors.column(k);
            add_scaled(lambda, -dot(vector, b) / eigen.values[k], vector);
        }
        // q̈ = q̈_f − M⁻¹ Φᵀ λ
        rows.rows.add_product(-1.0, lambda, z);
        rows.mass.solve_upper(z);
        qdd.copy_from_slice(z);
        lambda.iter_mut().zip(&rows.weight).for_each(|(x, weight)| *x *= weight);
        Ok(())
    }
}

/// The pseudoinverses of `Φ_q`, by singular values, and of `E M E`, by eigenvectors.
#[derive(Debug)]
pub(in crate::formulation) struct ByProjection {
    svd: Svd,
    projector: Matrix,
    /// `M E`, then `E M E`.
    product: Matrix,
    projected: Matrix,
    eigen: SymmetricEigen,
    rest: Vec<f64>,
}

impl Solver for ByProjection {
    const METHOD: Method = Method::DeFalco2;

    fn new(pattern: &Pattern) -> Self {
        let (n, m) = (pattern.unknowns(), pattern.rows());
        ByProjection {
            svd: Svd::new(n, m, Left::Thin),
            projector: Matrix::new(n, n),
            product: Matrix::new(n, n),
            projected: Matrix::new(n, n),
            eigen: SymmetricEigen::new(n),
            rest: vec![0.0; n],
        }
    }

    fn factorize(
        &mut self,
        system: &System,
        _: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError> {
        let n = system.n();
        let ByProjection { svd, projector, product, projected, eigen, .. } = self;
        let rank = svd.decompose(&system.rows, system.rank_tolerance, Self::METHOD)?;
        // E = I − U Uᵀ
        projector.set_identity();
        for k in 0..rank {
            for j in 0..n {
                let u = svd.u.column(k);
                add_scaled(projector.column_mut(j), -u[j], u);
            }
        }
        product.data_mut().fill(0.0);
        for j in 0..n {
            system.mass.add_product(1.0, projector.column(j), product.column_mut(j));
        }
        for j in 0..n {
            for i in j..n {
                projected[(i, j)] = dot(projector.column(i), product.column(j));
            }
        }
        eigen.decompose(projected, Self::METHOD)?;
        // its rank is known: as many eigenvalues as there are freedoms
        let dimension = n - rank;
        let limit = INERTIA_TOLERANCE * system.mass.largest();
        let positive = eigen.values[rank..].iter().filter(|&&value| value > limit).count();
        if positive < dimension {
            let method = Self::METHOD;
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
        let ByProjection { svd, eigen, rest, .. } = self;
        // q̈ = s + P (Q − M s),  s = Φ⁺ γ
        svd.pseudo_solve_transposed(gamma, qdd);
        system.inertial_rest(force, qdd, rest);
        for k in svd.rank..system.n() {
            let vector = eigen.vectors.column(k);
            add_scaled(qdd, dot(vector, rest) / eigen.values[k], vector);
        }
        system.inertial_rest(force, qdd, rest);
        svd.pseudo_solve(rest, lambda);
        Ok(())
    }
}
