//! Why a formulation gives no accelerations.

use super::Method;

/// What a method needs and does not find, with the numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormulationError {
    /// A number of the equations is NaN or infinite.
    #[error("{array}[{index}] is not a finite number")]
    NotFinite {
        /// Which array: `mass`, `jacobian`, `force` or `gamma`.
        array: &'static str,
        /// Where in it.
        index: usize,
    },
    /// A mass matrix that is not positive definite.
    #[error(
        "{method} needs a positive definite mass matrix: that of body {body} is not; \
        sparse_kkt, dense_kkt and the null-space methods do without"
    )]
    MassNotPositive {
        /// The method.
        method: Method,
        /// Index of the body in the pattern.
        body: usize,
    },
    /// Some motion that the constraints allow has no inertia.
    #[error(
        "{method}: of {dimension} motions that the constraints allow, only {positive} have \
        inertia; accelerations are not unique"
    )]
    MotionWithoutInertia {
        /// The method.
        method: Method,
        /// Number of motions left free.
        dimension: usize,
        /// How many of them meet inertia.
        positive: usize,
    },
    /// Rows that depend on others ask for something else than they do.
    #[error("{method}: row {row} depends on others but contradicts them by {defect:e}")]
    Inconsistent {
        /// The method.
        method: Method,
        /// The row of Φ_q.
        row: usize,
        /// What it asks for beyond the others, m/s² or rad/s².
        defect: f64,
    },
}
