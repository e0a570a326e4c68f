//! Implicit Runge-Kutta methods as checked tables of coefficients.
//!
//! The stages of a step of size `h` from `(t, y)` solve
//!
//! ```text
//! z_i = h Σ_j a_ij f(t + c_i h, y + z_j)      y₁ = y + Σ_i d_i z_i,   d = A⁻ᵀ b
//! ```
//!
//! From the nodes follow dense output, the continuous weights that integrate all polynomials of degree
//! below s, `b_i(θ) = ∫₀^θ l_i` with Lagrange's polynomials `l_i`, and an error estimate of order s: the
//! difference to the quadrature with one node more, 0, of weight γ₀ [HW96, section IV.8].

use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;

use super::{Part, TableauError, check_order, check_rows, finite};

mod blocks;

pub(crate) use blocks::Block;
use blocks::Blocks;

/// Coefficients of an implicit method, not checked yet: the input of [`ImplicitTableau::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitParts {
    /// A name for people.
    pub name: String,
    /// Row `i` holds `a_i0, a_i1, …`, as many as there are stages.
    pub a: Vec<Vec<f64>>,
    /// The weights; their number is the number of stages.
    pub b: Vec<f64>,
    /// The nodes, all different.
    pub c: Vec<f64>,
    /// The order of the result.
    pub order: usize,
}

/// A checked implicit Runge-Kutta method.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitTableau {
    name: String,
    stages: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    order: usize,
    /// A⁻¹, row by row
    pub(crate) inverse: Vec<f64>,
    /// `y₁ = y + Σ d_i z_i`
    pub(crate) d: Vec<f64>,
    /// whether `y₁` is the last stage
    pub(crate) stiffly_accurate: bool,
    /// coefficients of `θ, θ², …` of `b_i(θ)`, row by row
    pub(crate) continuous: Vec<Vec<f64>>,
    pub(crate) blocks: Blocks,
    /// γ₀ and `e`: the error is that of `h γ₀ f(y) + Σ e_i z_i`
    pub(crate) gamma: f64,
    pub(crate) error: Vec<f64>,
}

impl ImplicitTableau {
    /// Checks shape, row sums and all order conditions.
    ///
    /// # Errors
    /// [`TableauError`] names the first condition that does not hold to rounding, and its residual;
    /// [`TableauError::SingularMatrix`] if a stage is explicit, [`TableauError::RepeatedNode`], and
    /// [`TableauError::Defective`] if A is neither triangular nor has s different eigenvectors.
    pub fn new(parts: ImplicitParts) -> Result<ImplicitTableau, TableauError> {
        let ImplicitParts { name, a: rows, b, c, order } = parts;
        let stages = b.len();
        if stages == 0 {
            return Err(TableauError::Empty);
        }
        let lengths = [(Part::A, rows.len()), (Part::C, c.len())].into_iter();
        for (part, found) in lengths.chain(rows.iter().map(|row| (Part::A, row.len()))) {
            if found != stages {
                return Err(TableauError::Length { part, expected: stages, found });
            }
        }
        finite(Part::A, rows.iter().map(Vec::as_slice))?;
        finite(Part::B, b.iter().map(std::slice::from_ref))?;
        finite(Part::C, c.iter().map(std::slice::from_ref))?;
        let a = rows.concat();
        check_rows(&a, &c)?;
        check_order(Part::B, &a, &b, order)?;
        for second in 1..stages {
            if let Some(first) = (0..second).find(|&first| c[first] == c[second]) {
                return Err(TableauError::RepeatedNode { first, second });
            }
        }
        let inverse = inverse(&a, stages).ok_or(TableauError::SingularMatrix)?;
        let blocks = Blocks::of(&inverse, stages)?;
        let gamma = blocks.gamma();
        let across = |weights: &[f64]| -> Vec<f64> {
            let of = |j: usize| weights.iter().enumerate().map(move |(i, w)| (i, j, *w));
            (0..stages).map(|j| of(j).map(|(i, j, w)| w * inverse[i * stages + j]).sum()).collect()
        };
        let continuous = continuous_weights(&c);
        // b̂ − b: the first moment lacks γ₀
        let lacking: Vec<f64> = with_moments(&c, gamma, &b);
        let stiffly_accurate = c[stages - 1] == 1.0 && a[(stages - 1) * stages..] == b[..];
        let mut d = across(&b);
        if stiffly_accurate {
            d.fill(0.0);
            d[stages - 1] = 1.0;
        }
        Ok(ImplicitTableau {
            error: across(&lacking),
            stiffly_accurate,
            d,
            name,
            stages,
            a,
            b,
            c,
            order,
            inverse,
            continuous,
            blocks,
            gamma,
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.stages
    }

    /// The coefficient `a_ij`.
    ///
    /// # Panics
    /// If `i` or `j` is not below [`stages`](ImplicitTableau::stages).
    pub fn a(&self, i: usize, j: usize) -> f64 {
        assert!(j < self.stages, "column {j} of a tableau with {} stages", self.stages);
        self.a[i * self.stages + j]
    }

    /// The weights.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// The nodes.
    pub fn c(&self) -> &[f64] {
        &self.c
    }

    /// The order of the result.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Whether a step ends in its last stage, so that what is algebraic holds there.
    pub fn is_stiffly_accurate(&self) -> bool {
        self.stiffly_accurate
    }

    /// The order of the error estimate: its error goes as `h` to the power of one more.
    pub fn estimate_order(&self) -> usize {
        self.stages
    }
}

/// The inverse of a small matrix, row by row; none if it is singular.
fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let a = Mat::from_fn(n, n, |i, j| a[i * n + j]);
    let inverse = a.partial_piv_lu().inverse();
    let largest = a.norm_max() * inverse.norm_max();
    let list = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    (largest < 1e12).then(|| list.map(|(i, j)| inverse[(i, j)]).collect())
}

/// Weights on the nodes with the given first moments `Σ w_i c_i^k`, k = 0, 1, …
fn weights_of(c: &[f64], moments: impl Fn(usize) -> f64) -> Vec<f64> {
    let n = c.len();
    let powers = Mat::from_fn(n, n, |k, i| c[i].powi(k as i32));
    let rhs = Mat::from_fn(n, 1, |k, _| moments(k));
    let found = faer::linalg::solvers::Solve::solve(&powers.partial_piv_lu(), &rhs);
    (0..n).map(|i| found[(i, 0)]).collect()
}

/// `b̂ − b`, where b̂ with γ₀ at the node 0 integrates polynomials of degree below s.
fn with_moments(c: &[f64], gamma: f64, b: &[f64]) -> Vec<f64> {
    let hat = weights_of(c, |k| {
        let whole = 1.0 / (k + 1) as f64;
        if k == 0 { whole - gamma } else { whole }
    });
    hat.iter().zip(b).map(|(hat, b)| hat - b).collect()
}

/// Coefficients of `θ, θ², …` of `∫₀^θ l_i`.
fn continuous_weights(c: &[f64]) -> Vec<Vec<f64>> {
    // the weight on c_i of θ^k/k is that of the moment k − 1
    let n = c.len();
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|power| weights_of(c, |k| if k == power { 1.0 / (k + 1) as f64 } else { 0.0 }))
        .collect();
    (0..n).map(|i| (0..n).map(|power| columns[power][i]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ImplicitMethod;

    /// [HW96, eq. IV.8.17]: `γ₀/3 (−13 − 7√6, −13 + 7√6, −1)` with the inverse γ₀ of the real eigenvalue.
    #[test]
    fn the_error_weights_of_radau5_are_those_that_are_published() {
        let tableau = ImplicitMethod::Radau5.tableau();
        let real = 3.0 + 3f64.cbrt() * (3f64.cbrt() - 1.0);
        assert!((1.0 / tableau.gamma - real).abs() < 1e-13, "{}", 1.0 / tableau.gamma);
        let s = 6f64.sqrt();
        let published = [-13.0 - 7.0 * s, -13.0 + 7.0 * s, -1.0].map(|e| e / (3.0 * real));
        for (found, published) in tableau.error.iter().zip(published) {
            assert!((found - published).abs() < 1e-13, "{:?} {published:?}", tableau.error);
        }
    }

    #[test]
    fn blocks_make_up_the_inverse() {
        for method in ImplicitMethod::ALL {
            let tableau = method.tableau();
            let (s, blocks) = (tableau.stages(), &tableau.blocks);
            let product = |x: &[f64], y: &[f64]| -> Vec<f64> {
                let of = |i: usize, j: usize| (0..s).map(|k| x[i * s + k] * y[k * s + j]).sum();
                (0..s * s).map(|k| of(k / s, k % s)).collect()
            };
            let again = product(&product(&blocks.to, &blocks.lambda), &blocks.from);
            let unit = product(&tableau.a, &tableau.inverse);
            for k in 0..s * s {
                assert!((again[k] - tableau.inverse[k]).abs() < 1e-12, "{}", method.name());
                let one = if k / s == k % s { 1.0 } else { 0.0 };
                assert!((unit[k] - one).abs() < 1e-13, "{}", method.name());
            }
        }
    }
}
