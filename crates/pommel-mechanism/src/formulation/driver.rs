//! What all dense methods do before and after their own part.

use pommel_kkt::Pattern;

use super::dense::{RowCheck, System, check_equations};
use super::{FormulationError, Method, Outcome, RANK_TOLERANCE};
use crate::Equations;

/// The own part of a dense method.
///
/// It sees turns, and rows of unit length, and returns multipliers of these.
pub(super) trait Solver {
    /// Which method it is.
    const METHOD: Method;
    /// Whether it solves exactly, so that residuals can be solved for in turn.
    const EXACT: bool = true;
    /// What rows may miss at least, relative to the sizes of their terms.
    const ROWS_HOLD_TO: f64 = 10.0 * RANK_TOLERANCE;

    /// Room for systems of a pattern.
    fn new(pattern: &Pattern) -> Self;

    /// All that does not depend on right-hand sides; returns the rank of Φ_q where it is found.
    fn factorize(
        &mut self,
        system: &System,
        equations: &Equations<'_>,
    ) -> Result<Option<usize>, FormulationError>;

    /// Solves for one pair of right-hand sides.
    fn apply(
        &mut self,
        system: &System,
        force: &[f64],
        gamma: &[f64],
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), FormulationError>;
}

/// A solver with the equations, the residuals and the checks around it.
#[derive(Debug)]
pub(super) struct Driver<S> {
    system: System,
    solver: S,
    check: RowCheck,
    force: Vec<f64>,
    gamma: Vec<f64>,
    qdd: Vec<f64>,
    lambda: Vec<f64>,
}

impl<S: Solver> Driver<S> {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let system = System::new(pattern);
        let (n, m) = (system.n(), system.m());
        Driver {
            system,
            solver: S::new(pattern),
            check: RowCheck::new(pattern),
            force: vec![0.0; n],
            gamma: vec![0.0; m],
            qdd: vec![0.0; n],
            lambda: vec![0.0; m],
        }
    }

    pub(super) fn solve(
        &mut self,
        equations: &Equations<'_>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Outcome, FormulationError> {
        check_equations(equations, qdd, lambda)?;
        let Driver { system, solver, .. } = self;
        check_size(equations.pattern, system.n(), system.m());
        system.fill(equations);
        let rank = solver.factorize(system, equations)?;
        solver.apply(system, &system.force, &system.gamma, qdd, lambda)?;
        if S::EXACT {
            // one step of refinement: M δq̈ + Φᵀ δλ = Q − M q̈ − Φᵀ λ,  Φ δq̈ = γ − Φ q̈
            system.inertial_rest(&system.force, qdd, &mut self.force);
            system.rows.add_product(-1.0, lambda, &mut self.force);
            system.constraint_rest(qdd, &mut self.gamma);
            solver.apply(system, &self.force, &self.gamma, &mut self.qdd, &mut self.lambda)?;
            qdd.iter_mut().zip(&self.qdd).for_each(|(x, d)| *x += d);
            lambda.iter_mut().zip(&self.lambda).for_each(|(x, d)| *x += d);
        }
        qdd.iter_mut().zip(&system.unit).for_each(|(x, unit)| *x /= unit);
        lambda.iter_mut().zip(&system.length).for_each(|(x, length)| *x /= length);
        self.check.check(equations, qdd, lambda, S::METHOD, S::ROWS_HOLD_TO)?;
        Ok(Outcome { rank })
    }

    /// The own part, after a solution.
    #[cfg(test)]
    pub(super) fn solver(&self) -> &S {
        &self.solver
    }
}

/// Panics if a pattern has another size than what memory was made for.
#[track_caller]
pub(super) fn check_size(pattern: &Pattern, n: usize, m: usize) {
    let found = (pattern.unknowns(), pattern.rows());
    assert_eq!(found, (n, m), "a pattern of {found:?} unknowns and rows, not {:?}", (n, m));
}

/// A method as a type of its own.
macro_rules! formulations {
    ($($(#[$doc:meta])* $name:ident($solver:ty);)*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name($crate::formulation::driver::Driver<$solver>);

        impl $name {
            /// Room for systems of a pattern.
            pub fn new(pattern: &pommel_kkt::Pattern) -> Self {
                $name($crate::formulation::driver::Driver::new(pattern))
            }
        }

        impl $crate::formulation::Formulation for $name {
            fn method(&self) -> $crate::formulation::Method {
                <$solver as $crate::formulation::driver::Solver>::METHOD
            }

            fn solve(
                &mut self,
                equations: &$crate::Equations<'_>,
                qdd: &mut [f64],
                lambda: &mut [f64],
            ) -> Result<$crate::formulation::Outcome, $crate::formulation::FormulationError> {
                self.0.solve(equations, qdd, lambda)
            }
        }
    )* };
}

pub(super) use formulations;
