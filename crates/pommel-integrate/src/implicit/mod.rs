//! Implicit Runge-Kutta methods, for stiff systems and for differential-algebraic ones.
//!
//! Steps solve their stages by simplified Newton iterations with dense factors, one a distinct
//! eigenvalue of the method, which are kept over steps as long as they serve. Errors are estimated as in
//! RADAU5 [HW96, section IV.8], for all methods alike; as the estimate has the order of the stages only,
//! Gauss methods and [`Radau5`](crate::ImplicitMethod::Radau5) do better than the tolerance asks.

mod control;
mod linear;
mod newton;
mod options;
mod stages;
mod stepper;
mod system;

pub use options::ImplicitOptions;
pub use stepper::ImplicitStepper;
pub use system::StiffSystem;

use pommel_math::Mask;
use stepper::Tried;

use crate::drive::outcome_of_one;
use crate::{Control, InputError, IntegrateError, Observer, Outcome};

/// Integrates `system` from `t0` to `t1` by an implicit method, forward or backward, and leaves the end
/// state in `y`; as [`integrate`](crate::integrate) does by an explicit one.
///
/// ```
/// use pommel_integrate::{Adaptive, ImplicitMethod, ImplicitOptions, from_fn, integrate_implicit};
///
/// // stiff: the fast part is gone after a millisecond
/// let mut system = from_fn(1, |t: f64, y: &[f64], dy: &mut [f64]| dy[0] = -1e4 * (y[0] - t.cos()));
/// let settings = Adaptive::new(1e-8, 1e-8);
/// let options = ImplicitOptions::adaptive(ImplicitMethod::Radau5.tableau(), settings);
/// let mut y = [0.0];
/// let outcome = integrate_implicit(&mut system, 0.0, 1.0, &mut y, &options, &mut ())?;
/// // x = cos t − ε sin t − …
/// assert!((y[0] - (1f64.cos() + 1e-4 * 1f64.sin())).abs() < 2e-8);
/// assert!(outcome.statistics(0).steps < 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`integrate`](crate::integrate).
///
/// # Cost
/// Allocates the memory of an [`ImplicitStepper`] once, with some dense matrices of the size of the state.
pub fn integrate_implicit<S: StiffSystem>(
    system: &mut S,
    t0: f64,
    t1: f64,
    y: &mut [f64],
    options: &ImplicitOptions,
    observer: &mut impl Observer<f64>,
) -> Result<Outcome<f64>, IntegrateError<S::Error>> {
    ImplicitStepper::new(system.dim(), options)?.run(system, t0, t1, y, observer)
}

impl ImplicitStepper {
    /// A whole integration, as [`integrate_implicit`] does it, in the memory of this stepper.
    ///
    /// # Errors
    /// As [`integrate_implicit`].
    pub fn run<S: StiffSystem>(
        &mut self,
        system: &mut S,
        t0: f64,
        t1: f64,
        y: &mut [f64],
        observer: &mut impl Observer<f64>,
    ) -> Result<Outcome<f64>, IntegrateError<S::Error>> {
        for found in [system.dim(), y.len()] {
            if found != self.n {
                return Err(InputError::Dimension { expected: self.n, found }.into());
            }
        }
        self.start(system, t0, t1, y).map_err(IntegrateError::Failed)?;
        observer.start(t0, y);
        let mut stopped = Mask::NONE;
        while !self.is_done() && stopped.is_none() {
            match self.attempt(system) {
                Tried::Rejected => {}
                Tried::Accepted => match observer.step(&self.last_step()) {
                    Control::Continue => {}
                    Control::Stop => stopped = Mask::all(1),
                    Control::StopLanes(lanes) => stopped = lanes,
                },
                Tried::Failed(failure) => {
                    y.copy_from_slice(&self.y);
                    return Err(IntegrateError::Failed(failure));
                }
            }
        }
        y.copy_from_slice(&self.y);
        Ok(outcome_of_one(self.t, stopped, self.statistics))
    }
}
