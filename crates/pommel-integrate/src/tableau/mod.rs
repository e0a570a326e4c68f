//! Explicit Runge-Kutta methods as checked tables of coefficients.
//!
//! A step of size `h` from `(t, y)` evaluates the stages `k_i = f(t + c_i h, y + h Σ_j a_ij k_j)` and
//! ends in `y + h Σ_i b_i k_i`. An embedded pair has second weights `b̂`, whose difference to `b`
//! estimates the error; dense output has weights `b_i(θ)` for the point `t + θ h`.
//!
//! [`Tableau::new`] verifies what it is told: shape, `c_i = Σ_j a_ij`, and all order conditions of
//! the claimed orders, one per [`RootedTree`]. A mistyped coefficient is an error, not a method
//! that quietly converges more slowly.

mod dense;
mod dop853;
mod error;
mod implicit;
mod implicit_methods;
mod methods;
mod named;
mod trees;

pub use error::{Part, TableauError};
pub(crate) use implicit::Block;
pub use implicit::{ImplicitParts, ImplicitTableau};
pub use implicit_methods::ImplicitMethod;
pub use named::ExplicitMethod;
pub use trees::RootedTree;

/// Coefficients of a method, not checked yet: the input of [`Tableau::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct TableauParts {
    /// A name for people.
    pub name: String,
    /// Row `i` holds `a_i0, a_i1, …`; trailing zeros may be left out.
    pub a: Vec<Vec<f64>>,
    /// The weights; their number is the number of stages.
    pub b: Vec<f64>,
    /// The nodes.
    pub c: Vec<f64>,
    /// The order of the result.
    pub order: usize,
    /// The second weights of an embedded pair.
    pub embedded: Option<Embedded>,
    /// Dense output; without it, cubic Hermite interpolation is used.
    pub dense: Option<DenseParts>,
}

/// The second weights of an embedded pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// The weights `b̂`.
    pub weights: Vec<f64>,
    /// Their order.
    pub order: usize,
    /// Third weights, of a lower order yet, for methods whose two estimates fall off too slowly
    /// for their result: with the norms `e` of the difference to the second weights and `ẽ` of that
    /// to the third, the error is `e² / √(e² + 0.01 ẽ²)`, which goes as `h^order` \[HNW93, eq. II.10.17\].
    pub lower: Option<LowerWeights>,
}

/// Third weights of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct LowerWeights {
    /// The weights.
    pub weights: Vec<f64>,
    /// Their order.
    pub order: usize,
}

/// The weights of dense output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseParts {
    /// Row `i` holds the coefficients of `θ, θ², θ³, …` of `b_i(θ)`: a row for each stage, and with
    /// extra stages one for the derivative of the new state (unless that is the last stage) and one for
    /// each of these.
    pub weights: Vec<Vec<f64>>,
    /// The order of the continuous result.
    pub order: usize,
    /// Stages that are evaluated for dense output only.
    pub extra: Vec<ExtraStage>,
}

/// A stage that is evaluated for dense output only.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtraStage {
    /// Coefficients of the derivatives before it, as in the rows of [`DenseParts::weights`]; trailing
    /// zeros may be left out.
    pub a: Vec<f64>,
    /// The node.
    pub c: f64,
}

/// A checked explicit Runge-Kutta method.
#[derive(Clone, Debug, PartialEq)]
pub struct Tableau {
    name: String,
    stages: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    order: usize,
    embedded: Option<Embedded>,
    dense: Option<DenseParts>,
    first_same_as_last: bool,
}

impl Tableau {
    /// Checks shape, row sums and all order conditions.
    ///
    /// # Errors
    /// [`TableauError`] names the first condition that does not hold to rounding, and its residual.
    pub fn new(parts: TableauParts) -> Result<Tableau, TableauError> {
        let stages = parts.b.len();
        let a = square(&parts, stages)?;
        let TableauParts { name, b, c, order, embedded, dense, .. } = parts;
        check_rows(&a, &c)?;
        check_order(Part::B, &a, &b, order)?;
        if let Some(pair) = &embedded {
            check_order(Part::Embedded, &a, &pair.weights, pair.order)?;
            if let Some(lower) = &pair.lower {
                check_order(Part::Lower, &a, &lower.weights, lower.order)?;
            }
        }
        let first_same_as_last =
            stages > 1 && c[stages - 1] == 1.0 && a[(stages - 1) * stages..] == b[..];
        if let Some(dense) = &dense {
            dense::check(&a, &b, &c, first_same_as_last, dense)?;
        }
        Ok(Tableau { name, stages, a, b, c, order, embedded, dense, first_same_as_last })
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
    /// If `i` or `j` is not below [`stages`](Tableau::stages).
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

    /// The second weights, if the method is an embedded pair.
    pub fn embedded(&self) -> Option<&Embedded> {
        self.embedded.as_ref()
    }

    /// The weights of dense output; `None` stands for cubic Hermite interpolation.
    pub fn dense(&self) -> Option<&DenseParts> {
        self.dense.as_ref()
    }

    /// The order `q` of the continuous result: within a step its error goes as `h^(q+1)`.
    pub fn dense_order(&self) -> usize {
        self.dense.as_ref().map_or(self.order.min(3), |dense| dense.order)
    }

    /// Whether the last stage is evaluated at the result, so that it serves as the first stage of
    /// the next step.
    pub fn first_same_as_last(&self) -> bool {
        self.first_same_as_last
    }
}

/// The matrix `a` with full rows, once every part has the right length and finite numbers.
fn square(parts: &TableauParts, stages: usize) -> Result<Vec<f64>, TableauError> {
    if stages == 0 {
        return Err(TableauError::Empty);
    }
    let length = |part, found| {
        if found == stages {
            Ok(())
        } else {
            Err(TableauError::Length { part, expected: stages, found })
        }
    };
    length(Part::A, parts.a.len())?;
    length(Part::C, parts.c.len())?;
    finite(Part::B, parts.b.iter().map(std::slice::from_ref))?;
    finite(Part::C, parts.c.iter().map(std::slice::from_ref))?;
    finite(Part::A, parts.a.iter().map(Vec::as_slice))?;
    if let Some(pair) = &parts.embedded {
        length(Part::Embedded, pair.weights.len())?;
        finite(Part::Embedded, pair.weights.iter().map(std::slice::from_ref))?;
        if let Some(lower) = &pair.lower {
            length(Part::Lower, lower.weights.len())?;
            finite(Part::Lower, lower.weights.iter().map(std::slice::from_ref))?;
        }
    }
    let mut a = vec![0.0; stages * stages];
    for (row, coefficients) in parts.a.iter().enumerate() {
        if coefficients.len() > stages {
            return length(Part::A, coefficients.len()).map(|()| a);
        }
        for (column, &value) in coefficients.iter().enumerate() {
            if column >= row && value != 0.0 {
                return Err(TableauError::NotExplicit { row, column, value });
            }
            a[row * stages + column] = value;
        }
    }
    Ok(a)
}

fn finite<'a>(part: Part, rows: impl Iterator<Item = &'a [f64]>) -> Result<(), TableauError> {
    for (row, coefficients) in rows.enumerate() {
        if !coefficients.iter().all(|x| x.is_finite()) {
            return Err(TableauError::NotFinite { part, row });
        }
    }
    Ok(())
}

/// Rounding of a sum whose terms have the absolute sum `scale`: the coefficients are rounded
/// quotients, and a condition of order 5 multiplies five of them.
fn rounding(scale: f64) -> f64 {
    64.0 * f64::EPSILON * scale
}

fn check_rows(a: &[f64], c: &[f64]) -> Result<(), TableauError> {
    let stages = c.len();
    for (row, (coefficients, c)) in a.chunks_exact(stages).zip(c).enumerate() {
        let residual = coefficients.iter().sum::<f64>() - c;
        let scale = c.abs() + coefficients.iter().map(|x| x.abs()).sum::<f64>();
        if residual.abs() > rounding(scale) {
            return Err(TableauError::RowSum { row, residual });
        }
    }
    Ok(())
}

/// `Σ w_i Φ_i − target` and the rounding that it may carry.
fn residual(weights: &[f64], phi: &[f64], phi_abs: &[f64], target: f64) -> (f64, f64) {
    let sum: f64 = weights.iter().zip(phi).map(|(w, phi)| w * phi).sum();
    let scale: f64 = weights.iter().zip(phi_abs).map(|(w, phi)| w.abs() * phi).sum();
    (sum - target, rounding(scale + target))
}

fn check_order(part: Part, a: &[f64], b: &[f64], order: usize) -> Result<(), TableauError> {
    if order == 0 {
        return Err(TableauError::NoOrder { part });
    }
    let stages = b.len();
    let a_abs: Vec<f64> = a.iter().map(|x| x.abs()).collect();
    for tree in RootedTree::up_to(order) {
        let phi = tree.elementary_weights(a, stages);
        let phi_abs = tree.elementary_weights(&a_abs, stages);
        let (residual, limit) = residual(b, &phi, &phi_abs, 1.0 / tree.density());
        if residual.abs() > limit {
            return Err(TableauError::OrderCondition { part, tree, residual, power: 0 });
        }
    }
    Ok(())
}
