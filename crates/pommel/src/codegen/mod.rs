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
    /// each by its place in the model. Whoever calls the code adds them to `tau`.
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
