//! What can be integrated.

use std::convert::Infallible;
use std::marker::PhantomData;

use pommel_math::Real;

/// An ordinary differential equation `y' = f(t, y)`.
///
/// With a scalar of several lanes each lane has its own time, and the system is evaluated for all
/// lanes at once, also for those that are finished or failed: they see their last valid state
/// again, or whatever state they failed with.
pub trait System<T: Real> {
    /// Why an evaluation failed.
    type Error;

    /// Number of components of the state.
    fn dim(&self) -> usize;

    /// Writes `f(t, y)` into `dy`; both slices have length [`dim`](System::dim).
    ///
    /// A lane whose derivative does not exist gets NaN in its entries, the other lanes stay valid.
    /// The integrator cuts the step of that lane and tries again.
    ///
    /// # Errors
    /// `Err` stands for all lanes: every running lane cuts its step.
    fn rhs(&mut self, t: T, y: &[T], dy: &mut [T]) -> Result<(), Self::Error>;

    /// Brings `y` back onto its manifold (unit quaternions, say) after every accepted step.
    ///
    /// `dy` holds `f(t, y)` as evaluated before the projection and serves as the first stage of the
    /// next step, so it must be changed consistently: either re-evaluated or corrected to the order
    /// of the method. Lanes that accepted no step see their old state, and what is written for them
    /// is dropped. The default does nothing.
    #[inline(always)]
    fn project(&mut self, t: T, y: &mut [T], dy: &mut [T]) {
        let _ = (t, y, dy);
    }
}

impl<T: Real, S: System<T> + ?Sized> System<T> for &mut S {
    type Error = S::Error;

    #[inline]
    fn dim(&self) -> usize {
        (**self).dim()
    }
    #[inline]
    fn rhs(&mut self, t: T, y: &[T], dy: &mut [T]) -> Result<(), Self::Error> {
        (**self).rhs(t, y, dy)
    }
    #[inline]
    fn project(&mut self, t: T, y: &mut [T], dy: &mut [T]) {
        (**self).project(t, y, dy);
    }
}

/// A closure `f(t, y, dy)` as a [`System`]; see [`from_fn`].
#[derive(Clone, Debug)]
pub struct FnSystem<T, F> {
    dim: usize,
    f: F,
    scalar: PhantomData<fn(T)>,
}

/// The system whose right-hand side is the closure `f(t, y, dy)`, which cannot fail.
pub fn from_fn<T: Real, F: FnMut(T, &[T], &mut [T])>(dim: usize, f: F) -> FnSystem<T, F> {
    FnSystem { dim, f, scalar: PhantomData }
}

impl<T: Real, F: FnMut(T, &[T], &mut [T])> System<T> for FnSystem<T, F> {
    type Error = Infallible;

    #[inline]
    fn dim(&self) -> usize {
        self.dim
    }
    #[inline]
    fn rhs(&mut self, t: T, y: &[T], dy: &mut [T]) -> Result<(), Infallible> {
        (self.f)(t, y, dy);
        Ok(())
    }
}

/// A fallible closure `f(t, y, dy)` as a [`System`]; see [`try_from_fn`].
#[derive(Clone, Debug)]
pub struct TryFnSystem<T, F> {
    dim: usize,
    f: F,
    scalar: PhantomData<fn(T)>,
}

/// The system whose right-hand side is the closure `f(t, y, dy)`, which may fail.
pub fn try_from_fn<T, F, E>(dim: usize, f: F) -> TryFnSystem<T, F>
where
    T: Real,
    F: FnMut(T, &[T], &mut [T]) -> Result<(), E>,
{
    TryFnSystem { dim, f, scalar: PhantomData }
}

impl<T, F, E> System<T> for TryFnSystem<T, F>
where
    T: Real,
    F: FnMut(T, &[T], &mut [T]) -> Result<(), E>,
{
    type Error = E;

    #[inline]
    fn dim(&self) -> usize {
        self.dim
    }
    #[inline]
    fn rhs(&mut self, t: T, y: &[T], dy: &mut [T]) -> Result<(), E> {
        (self.f)(t, y, dy)
    }
}
