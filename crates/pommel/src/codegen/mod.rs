//! Code for one robot: its equations of motion as a source file without branches.
//!
//! The kernels of `pommel-tree` run once over the scalar that records ([`pommel_math::Traced`]),
//! with the numbers of the robot as constants. What multiplies by zero or one is left out, so that a
//! robot with right angles between its axes needs far fewer operations than the kernels, which know
//! its joints but not its numbers. The functions need no workspace, no library but that of the
//! language's mathematics, and no memory but the stack.
//!
//! * [`Programs::trace`] gives the operations;
//! * [`generate`] writes them in C or Rust, with a comment that names coordinates and units.
//!
//! The size of the code grows with the number of joints, that of the inertia matrix with its square:
//! `pommel convert --codegen` prints the number of statements. Compilers take more than linear time for
//! one long function, so for long chains the kernels are the better choice.
//!
//! ```
//! use pommel::codegen::{Language, Programs, generate};
//! use pommel::prelude::*;
//!
//! let pendulum = Mechanism::from_toml_str(r#"
//!     name = "pendulum"
//!     gravity = [0.0, -9.81, 0.0]
//!
//!     [[bodies]]
//!     name = "rod"
//!     mass = 1.0
//!     com = [1.0, 0.0, 0.0]
//!     inertia = [1.0, 1.0, 1.0]
//!
//!     [[joints]]
//!     name = "hinge"
//!     type = "revolute"
//!     axis = [0.0, 0.0, 1.0]
//!     parent = "ground"
//!     child = "rod"
//! "#)?;
//! let dynamics = TreeDynamics::new(&pendulum)?;
//!
//! let code = generate(&pendulum, &dynamics, Language::C)?;
//! assert_eq!(code.functions[0].name, "pendulum_forward_dynamics");
//! assert!(code.text.contains(
//!     "void pendulum_forward_dynamics(const double q[1], const double v[1], \
//!      const double tau[1], double qdd[1])"
//! ));
//! // nothing of the model is missing in the code
//! assert!(code.left_out.is_empty());
//!
//! // the same operations, evaluated here: q, v, tau → −m g l / (I + m l²)
//! let programs = Programs::trace(dynamics.model())?;
//! let qdd = programs.forward_dynamics.evaluate(&[0.0, 0.0, 0.0]);
//! assert!((qdd[0] + 4.905).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod language;
mod programs;
mod source;

pub use language::Language;
pub use programs::{CodeFunction, Programs};

use pommel_math::OperationCount;
use pommel_model::Mechanism;
use pommel_tree::TreeError;

use crate::TreeDynamics;

/// A generated source file.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The file's text.
    pub text: String,
    /// What is in it, in the order of the file.
    pub functions: Vec<FunctionSummary>,
    /// Forces of the model that are not part of the code: springs, dampers, torques and wrenches,
    /// each by its place in the model and what it is. Whoever calls the code adds them to `tau`.
    pub left_out: Vec<String>,
}

/// One function of a generated file.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSummary {
    /// Its name in the file.
    pub name: String,
    /// What it computes.
    pub function: CodeFunction,
    /// Assignments of temporaries.
    pub statements: usize,
    /// Operations of one call.
    pub operations: OperationCount,
}

/// Why there is no code for a mechanism.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CodegenError {
    /// The equations of motion cannot be solved at any state.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// There are no coordinates.
    #[error("nothing moves in this model: there is no code to write")]
    NothingMoves,
    /// A constant of the code is too large for a number.
    #[error(
        "{} has a constant that is infinite or no number; look for very large or very small numbers \
         in the model", .0.name()
    )]
    NotFinite(CodeFunction),
}

/// The equations of motion of a mechanism as a source file.
///
/// The file has three functions: accelerations from joint forces, joint forces from accelerations,
/// the inertia matrix. Their names begin with the model's name, made an identifier. Gravity is that
/// of the mechanism. Other forces of the mechanism are not in the code: [`Code::left_out`].
///
/// # Arguments
/// - `dynamics` of this mechanism
///
/// # Errors
/// [`CodegenError`]
pub fn generate(
    mechanism: &Mechanism,
    dynamics: &TreeDynamics,
    language: Language,
) -> Result<Code, CodegenError> {
    if mechanism.nv() == 0 {
        return Err(CodegenError::NothingMoves);
    }
    let programs = Programs::trace(dynamics.model())?;
    let left_out = dynamics.load_places(mechanism);
    source::write(mechanism, &programs, language, left_out)
}
