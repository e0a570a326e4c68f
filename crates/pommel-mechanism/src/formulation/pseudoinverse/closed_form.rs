//! Closed forms of the pseudoinverse of the saddle-point matrix, as matrices.
//!
//! Both fulfil the four conditions of Penrose, with rows that depend on others, too. They are for
//! tests and for small systems; to solve one, [`DeFalco1`](super::DeFalco1) and
//! [`DeFalco2`](super::DeFalco2) form nothing of the kind.

use pommel_kkt::Pattern;

use super::super::dense::{
    Left, Mass, MassFactor, Svd, SymmetricEigen, System, check_equations, largest,
};
use super::super::{GRAM_TOLERANCE, RANK_TOLERANCE};
use super::{Equations, FormulationError, Matrix, Method, add_scaled, dot};

/// `[M Φ_qᵀ; Φ_q 0]⁺` by way of `M⁻¹` \[dFGP08, eqs. 37, 38\]:
///
/// ```text
/// ⎡ M⁻¹ − M⁻¹ Φᵀ S⁺ Φ M⁻¹    M⁻¹ Φᵀ S⁺ ⎤
/// ⎣ S⁺ Φ M⁻¹                 −S⁺       ⎦,   S = Φ M⁻¹ Φᵀ
/// ```
///
/// Returns (n + m)² numbers, column by column (the matrix is symmetric). `force` and `gamma` are
/// not used. Allocates. Eigenvalues of S count as zero below
/// [`GRAM_TOLERANCE`](super::super::GRAM_TOLERANCE) of the largest.
///
/// # Errors
/// [`FormulationError::MassNotPositive`], [`FormulationError::NotFinite`].
///
/// # Panics
/// If a slice of the equations has another length than the pattern says.
pub fn saddle_pseudoinverse_by_mass(
    equations: &Equations<'_>,
) -> Result<Vec<f64>, FormulationError> {
    let method = Method::DeFalco1;
    let (system, rows) = unscaled(equations)?;
    let (n, m) = (system.n(), system.m());
    let mut factor = MassFactor::new(equations.pattern);
    factor.factorize(&system.mass, method)?;
    // D = L⁻¹ Φᵀ,  S = Dᵀ D,  X = M⁻¹ Φᵀ
    let mut d = rows;
    (0..m).for_each(|i| factor.solve_lower(d.column_mut(i)));
    let gram = product(m, m, |i, j| dot(d.column(i), d.column(j)));
    let inverse =
        symmetric_pseudoinverse(&gram, |values| GRAM_TOLERANCE * largest(values), method)?;
    let mut x = d;
    (0..m).for_each(|i| factor.solve_upper(x.column_mut(i)));
    let mut mass_inverse = Matrix::new(n, n);
    mass_inverse.set_identity();
    for j in 0..n {
        factor.solve_lower(mass_inverse.column_mut(j));
        factor.solve_upper(mass_inverse.column_mut(j));
    }
    // Y = X S⁺
    let mut y = Matrix::new(n, m);
    (0..m).for_each(|j| x.add_product(1.0, inverse.column(j), y.column_mut(j)));
    let mut upper = mass_inverse;
    for k in 0..m {
        for j in 0..n {
            let s = -x[(j, k)];
            add_scaled(upper.column_mut(j), s, y.column(k));
        }
    }
    Ok(blocks(&upper, m, |i, j| y[(j, i)], |i, j| -inverse[(i, j)]))
}

/// `[M Φ_qᵀ; Φ_q 0]⁺` by way of `Φ_q⁺` \[dFGP08, unnumbered, with eqs. 42 to 44\]:
///
/// ```text
/// ⎡ 0        Φ⁺      ⎤   ⎡  I  ⎤
/// ⎣ (Φ⁺)ᵀ   −(Φ⁺)ᵀ R ⎦ + ⎣ −Rᵀ ⎦ P [I  −R],   P = (E M E)⁺,  E = I − Φ⁺ Φ,  R = M Φ⁺
/// ```
///
/// M may be singular, on what the rows leave free, too. Returns (n + m)² numbers, column by column.
/// `force` and `gamma` are not used. Allocates.
///
/// # Errors
/// [`FormulationError::NotFinite`], [`FormulationError::NotConverged`].
///
/// # Panics
/// If a slice of the equations has another length than the pattern says.
pub fn saddle_pseudoinverse_by_projection(
    equations: &Equations<'_>,
) -> Result<Vec<f64>, FormulationError> {
    let method = Method::DeFalco2;
    let (system, rows) = unscaled(equations)?;
    let (n, m) = (system.n(), system.m());
    let mut svd = Svd::new(n, m, Left::Thin);
    let rank = svd.decompose(&rows, RANK_TOLERANCE, method)?;
    // Φ⁺, n × m, column by column
    let mut inverse = Matrix::new(n, m);
    for j in 0..m {
        let mut unit = vec![0.0; m];
        unit[j] = 1.0;
        svd.pseudo_solve_transposed(&unit, inverse.column_mut(j));
    }
    let mut e = Matrix::new(n, n);
    e.set_identity();
    for k in 0..rank {
        for j in 0..n {
            let u = svd.u.column(k);
            add_scaled(e.column_mut(j), -u[j], u);
        }
    }
    let mass_times = |a: &Matrix| {
        let mut product = Matrix::new(n, a.columns());
        let times = |mass: &Mass, x: &[f64], y: &mut [f64]| mass.add_product(1.0, x, y);
        (0..a.columns()).for_each(|j| times(&system.mass, a.column(j), product.column_mut(j)));
        product
    };
    let (me, r) = (mass_times(&e), mass_times(&inverse));
    let projected = product(n, n, |i, j| dot(e.column(i), me.column(j)));
    let limit = super::INERTIA_TOLERANCE * system.mass.largest();
    let p = symmetric_pseudoinverse(&projected, |_| limit, method)?;
    // P R, and Rᵀ P R − (Φ⁺)ᵀ R
    let mut pr = Matrix::new(n, m);
    (0..m).for_each(|j| p.add_product(1.0, r.column(j), pr.column_mut(j)));
    let lower =
        |i: usize, j: usize| dot(r.column(i), pr.column(j)) - dot(inverse.column(i), r.column(j));
    Ok(blocks(&p, m, |i, j| inverse[(j, i)] - pr[(j, i)], lower))
}

/// The equations, and `Φ_qᵀ` with rows as they are.
fn unscaled(equations: &Equations<'_>) -> Result<(System, Matrix), FormulationError> {
    let pattern: &Pattern = equations.pattern;
    let (n, m) = (pattern.unknowns(), pattern.rows());
    check_equations(equations, equations.force, equations.gamma)?;
    let mut system = System::new(pattern);
    system.fill(&Equations { scales: &[], ..*equations });
    let mut rows = Matrix::new(n, m);
    for (row, column, index) in pattern.jacobian_entries() {
        rows[(column, row)] = equations.jacobian[index];
    }
    Ok((system, rows))
}

/// A matrix by its entries.
fn product(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
    let mut a = Matrix::new(rows, columns);
    for j in 0..columns {
        for i in 0..rows {
            a[(i, j)] = entry(i, j);
        }
    }
    a
}

/// `A⁺` of a positive semidefinite matrix; eigenvalues that are not above a limit count as zero.
fn symmetric_pseudoinverse(
    a: &Matrix,
    limit: impl Fn(&[f64]) -> f64,
    method: Method,
) -> Result<Matrix, FormulationError> {
    let n = a.rows();
    let mut eigen = SymmetricEigen::new(n);
    eigen.decompose(a, method)?;
    let limit = limit(&eigen.values);
    let mut inverse = Matrix::new(n, n);
    for (k, &value) in eigen.values.iter().enumerate().filter(|(_, value)| **value > limit) {
        let vector = eigen.vectors.column(k);
        for j in 0..n {
            add_scaled(inverse.column_mut(j), vector[j] / value, vector);
        }
    }
    Ok(inverse)
}

/// The symmetric matrix of an upper left, a lower left and a lower right block.
fn blocks(
    upper: &Matrix,
    m: usize,
    beside: impl Fn(usize, usize) -> f64,
    lower: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let n = upper.rows();
    let total = n + m;
    let mut whole = vec![0.0; total * total];
    for j in 0..n {
        whole[j * total..j * total + n].copy_from_slice(upper.column(j));
    }
    for i in 0..m {
        for j in 0..n {
            whole[j * total + n + i] = beside(i, j);
            whole[(n + i) * total + j] = beside(i, j);
        }
        for j in 0..m {
            whole[(n + j) * total + n + i] = lower(i, j);
        }
    }
    whole
}
