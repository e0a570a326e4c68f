//! Why a formulation gives no accelerations.

use pommel_kkt::KktError;

use pommel_tree::{ClosureError, TreeError};

use super::Method;
use crate::linear::LinearError;

/// What a method needs and does not find, with the numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormulationError {
    /// A number of the equations is NaN or infinite, or so large that the solution is.
    #[error("{array}[{index}] is not a finite number")]
    NotFinite {
        /// Which array: `mass`, `jacobian`, `force` or `gamma`; `qdd` or `lambda` if these
        /// overflow.
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
        "{method}: of {dimension} motions that the constraints allow, only {positive} have inertia (more \
        than about 1e-13 of the largest); accelerations are not unique, or masses differ by more than \
        this method can tell apart: give bodies mass, or take another formulation"
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
        /// The row of Φ_q that is violated most.
        row: usize,
        /// What it asks for beyond the others, as a row of unit length; m/s² or rad/s².
        defect: f64,
    },
    /// A state is so far off its constraints that rows are independent which depend on others.
    #[error(
        "{method}: the state has drifted off its constraints, so that {rank} of their rows are independent, of which \
         {of_constraints} are where it is projected onto them: they would stop motions that are free; project states \
         after steps"
    )]
    Drifted {
        /// The method.
        method: Method,
        /// Rank of Φ_q at the state.
        rank: usize,
        /// Rank at the state that is nearest on the constraints.
        of_constraints: usize,
    },
    /// An iteration did not converge.
    #[error(
        "{method} did not converge in {iterations} iterations: the last changed accelerations \
        by {defect:e}"
    )]
    NotConverged {
        /// The method.
        method: Method,
        /// How many iterations were made; 0 if a decomposition of a matrix failed.
        iterations: usize,
        /// The last change, m/s² or rad/s²; NaN if a decomposition of a matrix failed.
        defect: f64,
    },
    /// Too many digits were lost.
    #[error("{method}: the solution has a backward error of {backward_error:e}")]
    Inaccurate {
        /// The method.
        method: Method,
        /// Componentwise relative backward error; infinite if no order of elimination was found.
        backward_error: f64,
    },
    /// A method in other coordinates than those of the equations.
    #[error("{method} needs a model: matrices alone do not tell its coordinates")]
    NeedsModel {
        /// The method.
        method: Method,
    },
    /// The sparse solver refuses the pattern.
    #[error(transparent)]
    Kkt(#[from] KktError),
    /// An elimination failed.
    #[error("{method}: {error}")]
    Elimination {
        /// The method.
        method: Method,
        /// What is wrong with the matrix.
        error: LinearError,
    },
    /// A constraint that the method does not know.
    #[error("{method} does not know the constraint '{constraint}'; the other methods do")]
    UnknownConstraint {
        /// The method.
        method: Method,
        /// Name of the constraint.
        constraint: String,
    },
    /// The tree that the joints span cannot be built.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Loops cannot be closed.
    #[error(transparent)]
    Closure(#[from] ClosureError),
}
