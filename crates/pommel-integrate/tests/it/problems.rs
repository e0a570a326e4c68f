//! Problems with known solutions.

use std::convert::Infallible;

use pommel_integrate::{Adaptive, ExplicitMethod, Options, StiffSystem, System, Tableau};
use pommel_math::Real;

/// `y0' = 2 t y0 ln y1`, `y1' = −2 t y1 ln y0` with `y = (1, e)` at 0: coupled, non-linear, explicit in
/// time. Solution `y0 = exp(sin t²)`, `y1 = exp(cos t²)`.
pub(crate) struct ExponentialOfCircle;

impl ExponentialOfCircle {
    pub(crate) fn exact(t: f64) -> [f64; 2] {
        let (s, c) = (t * t).sin_cos();
        [s.exp(), c.exp()]
    }
}

impl<T: Real> System<T> for ExponentialOfCircle {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2
    }
    fn rhs(&mut self, t: T, y: &[T], dy: &mut [T]) -> Result<(), Infallible> {
        let two_t = t + t;
        dy[0] = two_t * y[0] * y[1].ln();
        dy[1] = -(two_t * y[1] * y[0].ln());
        Ok(())
    }
}

/// `q'' = −ω² sin q` in `(q, q')`, which counts its evaluations.
pub(crate) struct Pendulum<T> {
    pub(crate) omega_squared: T,
    pub(crate) calls: u64,
}

impl<T: Real> Pendulum<T> {
    pub(crate) fn new(omega_squared: T) -> Self {
        Pendulum { omega_squared, calls: 0 }
    }
}

impl<T: Real> System<T> for Pendulum<T> {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2
    }
    fn rhs(&mut self, _t: T, y: &[T], dy: &mut [T]) -> Result<(), Infallible> {
        self.calls += 1;
        dy[0] = y[1];
        dy[1] = -(self.omega_squared * y[0].sin_cos().0);
        Ok(())
    }
}

impl StiffSystem for Pendulum<f64> {}

pub(crate) fn dormand_prince(tolerance: f64) -> Options {
    Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(tolerance, tolerance))
}

/// All methods that come with the crate.
pub(crate) fn methods() -> [Tableau; ExplicitMethod::ALL.len()] {
    ExplicitMethod::ALL.map(ExplicitMethod::tableau)
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The slope of `ln(errors)` over `ln(sizes)`, by least squares.
pub(crate) fn slope(sizes: &[f64], errors: &[f64]) -> f64 {
    let n = sizes.len() as f64;
    let x: Vec<f64> = sizes.iter().map(|x| x.ln()).collect();
    let y: Vec<f64> = errors.iter().map(|y| y.ln()).collect();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let covariance: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    covariance / x.iter().map(|x| (x - mx) * (x - mx)).sum::<f64>()
}
