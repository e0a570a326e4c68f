//! What implicit methods can integrate.

use crate::{FnSystem, System, TryFnSystem};

/// `M y' = f(t, y)` with a constant matrix M, which may be singular; f is [`System::rhs`].
///
/// A row of zeros in M makes an algebraic equation, `0 = f_i(t, y)`. All methods have defaults: an ordinary
/// differential equation without known derivatives.
///
/// ```
/// use pommel_integrate::{StiffSystem, System};
///
/// /// `x' = −1000 (x − y)`, `0 = y − cos t`.
/// struct Follower;
///
/// impl System<f64> for Follower {
///     type Error = std::convert::Infallible;
///     fn dim(&self) -> usize {
///         2
///     }
///     fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Self::Error> {
///         dy[0] = -1000.0 * (y[0] - y[1]);
///         dy[1] = y[1] - t.cos();
///         Ok(())
///     }
/// }
///
/// impl StiffSystem for Follower {
///     fn mass(&self, mass: &mut [f64]) -> bool {
///         mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
///         true
///     }
/// }
/// ```
pub trait StiffSystem: System<f64> {
    /// Writes `∂f/∂y`, row by row, and returns true; false if it is not known: it is then found by
    /// differences, at the cost of an evaluation a component.
    ///
    /// # Errors
    /// As [`System::rhs`].
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut [f64]) -> Result<bool, Self::Error> {
        let _ = (t, y, jacobian);
        Ok(false)
    }

    /// Writes M, row by row, and returns true; false if it is the unit matrix. It is asked for once an
    /// integration.
    fn mass(&self, mass: &mut [f64]) -> bool {
        let _ = mass;
        false
    }

    /// The index of a component: 1 for those that are differential, or that algebraic equations determine;
    /// 2 for those that are found by differentiating these once, as multipliers of constraints on
    /// velocities, 3 by twice, as multipliers of constraints on positions. Errors of components of index
    /// i are weighted by `h^(i − 1)` [HW96, section VII.7].
    fn index(&self, component: usize) -> u8 {
        let _ = component;
        1
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> StiffSystem for FnSystem<f64, F> {}

impl<F, E> StiffSystem for TryFnSystem<f64, F> where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>
{
}

impl<S: StiffSystem + ?Sized> StiffSystem for &mut S {
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut [f64]) -> Result<bool, Self::Error> {
        (**self).jacobian(t, y, jacobian)
    }
    fn mass(&self, mass: &mut [f64]) -> bool {
        (**self).mass(mass)
    }
    fn index(&self, component: usize) -> u8 {
        (**self).index(component)
    }
}
