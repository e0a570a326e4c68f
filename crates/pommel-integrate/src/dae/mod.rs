//! General differential-algebraic systems `F(t, y, y') = 0`.
//!
//! | step                                  | here                                              |
//! |---------------------------------------|---------------------------------------------------|
//! | write the residual, once              | [`Dae`], [`QuasilinearDae`]                       |
//! | what the pattern says                 | [`structure`]: the Σ-method                       |
//! | index, hidden constraints             | [`analyze`]: ranks of the derivative array        |
//! | start values                          | [`consistent_state`]: Gauss-Newton on it          |
//! | `y' = f(t, y)`                        | [`ReducedDae`], a [`System`](crate::System)       |
//! | no drift                              | its Baumgarte polynomial, its projection          |
//!
//! Symbols: F residual, y unknowns, n their number; differentiated equations are those of the derivative
//! array (`array.rs`), ν is the differentiation index.

mod array;
mod completion;
mod error;
mod initial;
mod levels;
mod lu;
mod options;
mod problem;
mod projector;
mod rank;
mod reduced;
mod search;
mod structure;

use std::fmt;

pub use error::DaeError;
pub use initial::{ConsistentState, Moved, analyze, consistent_state};
pub use options::DaeOptions;
pub use problem::{Dae, MatrixTimes, Quasilinear, QuasilinearDae};
pub use reduced::ReducedDae;
pub use structure::{Structure, structure};

/// A constraint on the state: an equation differentiated by time, with derivatives of y eliminated by the
/// other equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenConstraint {
    /// The equation.
    pub equation: usize,
    /// How often it is differentiated; 0 for the equation itself.
    pub differentiated: usize,
}

/// Index and constraints of a system at a consistent state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Differentiation index ν: how often the equations are differentiated until they determine y', by
    /// numerical ranks \[BCP96\].
    pub index: usize,
    /// What the pattern says; its index need not be this one.
    pub structure: Structure,
    /// Whether the Σ-method succeeds, its system Jacobian having an inverse at the state: if so, its degrees
    /// of freedom are right and its index is not too low; if not, nothing of it holds.
    pub structure_holds: bool,
    /// For each number of differentiations, `0..ν`: how many constraints appear with it.
    pub levels: Vec<usize>,
    /// All of them, those of one equation together, in the order of differentiation.
    pub constraints: Vec<HiddenConstraint>,
}

impl Analysis {
    /// Number of components that may be chosen freely at one time: n without the constraints.
    pub fn degrees_of_freedom(&self) -> usize {
        self.structure.dim() - self.constraints.len()
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { index, structure, levels, .. } = self;
        write!(f, "differentiation index {index}, structural index {}", structure.index())?;
        if !self.structure_holds {
            f.write_str(" (not valid: its Jacobian is singular)")?;
        }
        write!(
            f,
            "; {} components, {} degrees of freedom; constraints by level: {levels:?}",
            structure.dim(),
            self.degrees_of_freedom()
        )
    }
}

/// Checks what every function of a system and a state asks for.
fn check_input<D: Dae>(dae: &D, t: f64, y: &[f64]) -> Result<(), DaeError> {
    let n = dae.dim();
    if n == 0 {
        return Err(DaeError::Empty);
    }
    if y.len() != n {
        return Err(DaeError::Dimension { expected: n, found: y.len() });
    }
    if !t.is_finite() {
        return Err(DaeError::Time);
    }
    match y.iter().position(|y| !y.is_finite()) {
        Some(component) => Err(DaeError::State { component }),
        None => Ok(()),
    }
}
