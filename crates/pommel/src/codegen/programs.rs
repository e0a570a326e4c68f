//! The kernels as programs.

use pommel_math::{Operand, Program, Traced, trace};
use pommel_tree::{Model, Workspace, forward_dynamics, inverse_dynamics, mass_matrix};

use super::CodegenError;

/// What a generated function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodeFunction {
    /// `q, v, tau → qdd`
    ForwardDynamics,
    /// `q, v, qdd → tau`
    InverseDynamics,
    /// `q → matrix`, `nv × nv`, row by row
    MassMatrix,
}

impl CodeFunction {
    /// All functions, in the order of a generated file.
    pub const ALL: [CodeFunction; 3] =
        [CodeFunction::ForwardDynamics, CodeFunction::InverseDynamics, CodeFunction::MassMatrix];

    /// The name as it ends the name of the function.
    pub fn name(self) -> &'static str {
        match self {
            CodeFunction::ForwardDynamics => "forward_dynamics",
            CodeFunction::InverseDynamics => "inverse_dynamics",
            CodeFunction::MassMatrix => "mass_matrix",
        }
    }
}

/// The three functions of one robot as lists of operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Programs {
    /// Inputs `q`, `v`, `tau` (`nq + 2 nv` numbers), outputs `qdd`.
    pub forward_dynamics: Program,
    /// Inputs `q`, `v`, `qdd` (`nq + 2 nv` numbers), outputs `tau`.
    pub inverse_dynamics: Program,
    /// Inputs `q` (`nq` numbers), outputs the inertia matrix, `nv × nv`, row by row.
    pub mass_matrix: Program,
}

impl Programs {
    /// Records the kernels for a robot without outer forces.
    ///
    /// The numbers are those of [`Model::with_exact_zeros`]. No kernel chooses by the value of a
    /// coordinate: the only comparisons are those with the limits of pivots, and they are not part
    /// of the programs. Where a joint feels no inertia, results are infinite or NaN.
    ///
    /// # Errors
    /// [`CodegenError::Tree`] if a joint feels no inertia at the state at which the kernels are
    /// recorded: then the tip of the robot has no mass. [`CodegenError::NotFinite`] if a number
    /// overflows.
    pub fn trace(model: &Model<f64>) -> Result<Programs, CodegenError> {
        let (nq, nv) = (model.nq(), model.nv());
        let traced = model.with_exact_zeros().cast::<Traced>();
        let sample = sample(model);
        let forward = trace(&sample, |x| {
            let mut qdd = vec![Traced::default(); nv];
            let (q, v, tau) = (&x[..nq], &x[nq..nq + nv], &x[nq + nv..]);
            let mut workspace = Workspace::new(&traced);
            forward_dynamics(&traced, &mut workspace, q, v, tau, None, &mut qdd)?;
            Ok::<_, CodegenError>(qdd)
        })?;
        let inverse = trace(&sample, |x| {
            let mut tau = vec![Traced::default(); nv];
            let (q, v, qdd) = (&x[..nq], &x[nq..nq + nv], &x[nq + nv..]);
            inverse_dynamics(&traced, &mut Workspace::new(&traced), q, v, qdd, None, &mut tau);
            Ok::<_, CodegenError>(tau)
        })?;
        let matrix = trace(&sample[..nq], |q| {
            let mut matrix = vec![Traced::default(); nv * nv];
            mass_matrix(&traced, &mut Workspace::new(&traced), q, &mut matrix);
            Ok::<_, CodegenError>(matrix)
        })?;
        let programs =
            Programs { forward_dynamics: forward, inverse_dynamics: inverse, mass_matrix: matrix };
        match CodeFunction::ALL.into_iter().find(|&f| !is_finite(programs.program(f))) {
            Some(function) => Err(CodegenError::NotFinite(function)),
            None => Ok(programs),
        }
    }

    /// The program of one function.
    pub fn program(&self, function: CodeFunction) -> &Program {
        match function {
            CodeFunction::ForwardDynamics => &self.forward_dynamics,
            CodeFunction::InverseDynamics => &self.inverse_dynamics,
            CodeFunction::MassMatrix => &self.mass_matrix,
        }
    }
}

fn is_finite(program: &Program) -> bool {
    let finite = |x: &Operand| !matches!(x, Operand::Constant(c) if !c.is_finite());
    let mut operations = program.operations().iter();
    program.outputs().iter().all(finite)
        && operations.all(|operation| operation.operands().iter().all(finite))
}

/// A state without symmetry near the zero configuration: `q`, `v` and one more vector.
fn sample(model: &Model<f64>) -> Vec<f64> {
    let mut x = model.zero_configuration();
    x.resize(model.nq() + 2 * model.nv(), 0.0);
    for (k, x) in x.iter_mut().enumerate() {
        // multiples of the golden ratio, without their integral part, never come close to each other
        *x += 0.1 + 0.1 * (0.618_033_988_75 * k as f64).fract();
    }
    x
}
