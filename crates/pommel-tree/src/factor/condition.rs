//! An estimate of the condition of `M`, without a matrix.

use pommel_math::{Mask, Real};

use super::UdutFactor;
use super::perform::Operation;

/// Times that the search climbs to another column.
const CLIMBS: usize = 4;

impl<T: Real> UdutFactor<'_, T> {
    /// An estimate of the condition of the inertia matrix in the 1-norm, `κ₁ = ‖M‖₁ ‖M⁻¹‖₁`; one
    /// without velocities.
    ///
    /// Each of the two norms is estimated from below by the norms of a few columns and of some
    /// other vectors, so the estimate is a lower bound but for rounding, and usually near the
    /// truth: on random mechanisms it is above a tenth of it, and for more than half of them exact
    /// (tests `factor_products`). The relative error of a solution is up to about `κ₁` units of rounding.
    ///
    /// `M` mixes units where angles stand beside lengths: `κ₁` is that of its numbers in rad and m,
    /// and changes with the unit of length. It says how rounding acts, not how well a robot moves.
    ///
    /// # Cost
    /// Four to ten solves, and as many products with `M`; no allocation. For scalars with several
    /// lanes as much as the slowest of them needs; a lane has the bits of a single factor.
    ///
    /// # Source
    /// Hager's method with the changes of `[Hig88]`; `M` is symmetric and stands for its
    /// transpose. Vectors of signs are not compared: where they agree, the next column is the same
    /// one, and the search ends then.
    pub fn condition_estimate(&mut self) -> T {
        if self.model.nv() == 0 {
            return T::one();
        }
        self.norm_estimate(Operation::Multiply) * self.norm_estimate(Operation::Solve)
    }

    /// An estimate from below of the 1-norm of a symmetric operation.
    fn norm_estimate(&mut self, operation: Operation) -> T {
        let n = self.model.nv();
        self.row().fill(T::from_f64(1.0 / n as f64));
        self.perform(operation);
        let mut norm = norm_of(self.row());
        if n == 1 {
            return norm;
        }
        let mut climbing = Mask::all(T::LANES);
        let mut column = T::from_f64(-1.0);
        for _ in 0..CLIMBS {
            // the gradient of the norm, and its steepest direction
            for x in self.row() {
                *x = T::select(x.lt(T::zero()), -T::one(), T::one());
            }
            self.perform(operation);
            let steepest = largest(self.row());
            climbing &= !same(steepest, column);
            if climbing.is_none() {
                break;
            }
            column = steepest;
            for (i, x) in self.row().iter_mut().enumerate() {
                let here = same(column, T::from_f64(i as f64));
                *x = T::select(here, T::one(), T::zero());
            }
            self.perform(operation);
            let found = norm_of(self.row());
            climbing &= norm.lt(found);
            norm = T::select(climbing, found, norm);
            if climbing.is_none() {
                break;
            }
        }
        // a vector of alternating signs, where the search was misled
        for (i, x) in self.row().iter_mut().enumerate() {
            let size = 1.0 + i as f64 / (n - 1) as f64;
            *x = T::from_f64(if i % 2 == 0 { size } else { -size });
        }
        self.perform(operation);
        let found = norm_of(self.row()) * T::from_f64(2.0 / (3.0 * n as f64));
        norm.max(found)
    }
}

/// The sum of absolute values.
fn norm_of<T: Real>(x: &[T]) -> T {
    x.iter().fold(T::zero(), |sum, x| sum + x.abs())
}

/// The index of the largest absolute value, of the first if there are several.
fn largest<T: Real>(x: &[T]) -> T {
    let (mut index, mut size) = (T::zero(), x[0].abs());
    for (i, x) in x.iter().enumerate().skip(1) {
        let larger = size.lt(x.abs());
        index = T::select(larger, T::from_f64(i as f64), index);
        size = T::select(larger, x.abs(), size);
    }
    index
}

/// Where two indices agree.
fn same<T: Real>(a: T, b: T) -> Mask {
    a.le(b) & b.le(a)
}
