//! What a differential-algebraic system is.

use pommel_math::Real;

/// A differential-algebraic system `F(t, y, y') = 0` of as many equations as unknowns.
///
/// The residual is written once, over [`Real`]: derivatives of F by time and by its arguments, of any
/// order, come from running it over other scalars. It must be smooth where it is used; a value that does
/// not exist is NaN. No equation needs to contain derivatives.
pub trait Dae {
    /// Number of equations, and of components of y.
    fn dim(&self) -> usize;

    /// Writes `F(t, y, y')` into `r`; all slices have length [`dim`](Dae::dim), `yp` is y'.
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]);
}

impl<D: Dae + ?Sized> Dae for &D {
    fn dim(&self) -> usize {
        (**self).dim()
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        (**self).residual(t, y, yp, r);
    }
}

/// A differential-algebraic system `E(t, y) y' = G(t, y)`, the explicit form of \[Zam19, section 1.3\];
/// [`Quasilinear`] makes a [`Dae`] of it.
///
/// ```
/// use pommel_integrate::{DaeOptions, MatrixTimes, Quasilinear, QuasilinearDae, analyze};
/// use pommel_math::Real;
///
/// /// `x2' = sin t − x1`, `x3' + t x2' = 1 − 2 x2`, `0 = 2 − t x2 − x3`
/// struct Chain;
///
/// impl QuasilinearDae for Chain {
///     fn dim(&self) -> usize {
///         3
///     }
///     fn matrix<S: Real>(&self, t: S, _y: &[S], e: &mut MatrixTimes<'_, S>) {
///         e.add(0, 1, S::one());
///         e.add(1, 2, S::one());
///         e.add(1, 1, t);
///     }
///     fn right_side<S: Real>(&self, t: S, y: &[S], g: &mut [S]) {
///         g[0] = t.sin_cos().0 - y[0];
///         g[1] = S::one() - y[1] - y[1];
///         g[2] = S::from_f64(2.0) - t * y[1] - y[2];
///     }
/// }
///
/// let analysis = analyze(&Quasilinear(Chain), 0.5, &[0.0; 3], &DaeOptions::default())?;
/// assert_eq!((analysis.index, analysis.degrees_of_freedom()), (3, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait QuasilinearDae {
    /// Number of equations, and of components of y.
    fn dim(&self) -> usize;

    /// Adds the entries of E, n × n, that are not zero; several at one place add up.
    fn matrix<S: Real>(&self, t: S, y: &[S], e: &mut MatrixTimes<'_, S>);

    /// Writes G, length n.
    fn right_side<S: Real>(&self, t: S, y: &[S], g: &mut [S]);
}

/// Takes the entries of the matrix E of a [`QuasilinearDae`] and keeps no more of them than `E y'`.
#[derive(Debug)]
pub struct MatrixTimes<'a, S> {
    yp: &'a [S],
    product: &'a mut [S],
}

impl<S: Real> MatrixTimes<'_, S> {
    /// Adds `value` to the entry of this row (equation) and column (component of y').
    ///
    /// # Panics
    /// If row or column is not below the dimension.
    #[inline(always)]
    pub fn add(&mut self, row: usize, column: usize, value: S) {
        self.product[row] = value.mul_add(self.yp[column], self.product[row]);
    }
}

/// A [`QuasilinearDae`] as a [`Dae`] with the residual `E y' − G`.
#[derive(Clone, Copy, Debug)]
pub struct Quasilinear<P>(
    /// The system.
    pub P,
);

impl<P: QuasilinearDae> Dae for Quasilinear<P> {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        self.0.right_side(t, y, r);
        r.iter_mut().for_each(|r| *r = -*r);
        self.0.matrix(t, y, &mut MatrixTimes { yp, product: r });
    }
}
