//! An accepted step, as observers see it.

use pommel_math::{Mask, Real, dispatch};

use crate::kernels::{Interpolate, Polynomial};
use crate::nodes::Visits;

/// An accepted step with its interpolant.
///
/// With several lanes, [`advanced`](Step::advanced) tells which of them accepted a step this time;
/// the others stand still, with `t_old = t_new`.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a, T> {
    pub(crate) t_old: T,
    pub(crate) t_new: T,
    pub(crate) h: T,
    pub(crate) advanced: Mask,
    pub(crate) y_old: &'a [T],
    pub(crate) y_new: &'a [T],
    pub(crate) dy_new: &'a [T],
    pub(crate) k: &'a [T],
    pub(crate) polynomials: &'a [Polynomial<T>],
    pub(crate) visits: Option<Visits<'a>>,
}

impl<'a, T: Real> Step<'a, T> {
    /// Time before the step.
    pub fn t_old(&self) -> T {
        self.t_old
    }

    /// Time after the step.
    pub fn t_new(&self) -> T {
        self.t_new
    }

    /// State before the step.
    pub fn y_old(&self) -> &'a [T] {
        self.y_old
    }

    /// State after the step, projected.
    pub fn y_new(&self) -> &'a [T] {
        self.y_new
    }

    /// Derivative after the step.
    pub fn dy_new(&self) -> &'a [T] {
        self.dy_new
    }

    /// Where a step over what is hard to look at has looked ([`Bridge`](crate::Bridge)); none for steps of methods,
    /// within which a system can be evaluated anywhere.
    pub fn visits(&self) -> Option<Visits<'a>> {
        self.visits
    }

    /// The lanes that accepted a step.
    pub fn advanced(&self) -> Mask {
        self.advanced
    }

    /// The state at time `t` between `t_old` and `t_new`, both included.
    ///
    /// At `t_new` it is `y_new`, bit for bit. A lane whose `t` lies outside its step gets NaN, not
    /// an extrapolation.
    ///
    /// # Panics
    /// If `out` has another length than the state.
    pub fn interpolate(&self, t: T, out: &mut [T]) {
        assert_eq!(out.len(), self.y_new.len(), "output length against dimension of the state");
        let lanes = T::LANES;
        let theta = (t - self.t_old) / (self.t_new - self.t_old);
        dispatch(Interpolate {
            h: self.h,
            theta,
            y0: self.y_old,
            y1: self.y_new,
            k: self.k,
            polynomials: self.polynomials,
            out,
        });
        let at_end = t.le(self.t_new) & self.t_new.le(t);
        let between = (self.t_old.le(t) & t.le(self.t_new)) | (self.t_new.le(t) & t.le(self.t_old));
        if at_end.any() {
            for (out, &y) in out.iter_mut().zip(self.y_new) {
                *out = T::select(at_end, y, *out);
            }
        }
        if !between.is_all(lanes) {
            for out in out {
                *out = T::select(between, *out, T::from_f64(f64::NAN));
            }
        }
    }
}
