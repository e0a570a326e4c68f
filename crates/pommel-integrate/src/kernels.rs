//! The arithmetic of a step, compiled for the best instruction set.
//!
//! Components are taken in blocks of [`BLOCK`]: the accumulators of a block stay in registers while
//! the loop runs over the stages, and the block is one vector of `f64` or several of lanes. Every
//! component sees the same operations in the same order, whatever the scalar and the block; sums
//! over components go through [`BLOCK`] partial sums for every scalar alike.

use pommel_math::{Kernel, Real};

const BLOCK: usize = 4;

/// A row of a tableau without its zeros: stage offset into `k`, weight.
pub(crate) type Row<T> = Vec<(usize, T)>;

/// `out = y + h Σ_j w_j k_j`.
pub(crate) struct Combine<'a, T> {
    pub(crate) h: T,
    pub(crate) y: &'a [T],
    pub(crate) k: &'a [T],
    pub(crate) row: &'a [(usize, T)],
    pub(crate) out: &'a mut [T],
}

/// `Σ_j w_j k_j` for the components from `i` on.
#[inline(always)]
fn weighted<T: Real, const W: usize>(k: &[T], row: &[(usize, T)], i: usize) -> [T; W] {
    let mut sum = [T::zero(); W];
    for &(offset, weight) in row {
        let k = &k[offset + i..offset + i + W];
        for l in 0..W {
            sum[l] = weight.mul_add(k[l], sum[l]);
        }
    }
    sum
}

impl<T: Real> Kernel for Combine<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let n = self.out.len();
        let y = &self.y[..n];
        let blocked = n - n % BLOCK;
        for i in (0..blocked).step_by(BLOCK) {
            let sum = weighted::<T, BLOCK>(self.k, self.row, i);
            let (y, out) = (&y[i..i + BLOCK], &mut self.out[i..i + BLOCK]);
            for l in 0..BLOCK {
                out[l] = self.h.mul_add(sum[l], y[l]);
            }
        }
        for i in blocked..n {
            let [sum] = weighted::<T, 1>(self.k, self.row, i);
            self.out[i] = self.h.mul_add(sum, y[i]);
        }
    }
}

/// `Σ_i (h Σ_j e_j k_ji / (atol_i + rtol_i max(|y0_i|, |y1_i|)))²`.
pub(crate) struct ErrorSquare<'a, T> {
    pub(crate) h: T,
    pub(crate) k: &'a [T],
    pub(crate) row: &'a [(usize, T)],
    pub(crate) scale: Scale<'a, T>,
}

/// The scale of errors, `atol + rtol max(|y0|, |y1|)`.
#[derive(Clone, Copy)]
pub(crate) struct Scale<'a, T> {
    pub(crate) rtol: &'a [T],
    pub(crate) atol: &'a [T],
    pub(crate) y0: &'a [T],
    pub(crate) y1: &'a [T],
}

impl<T: Real> Scale<'_, T> {
    #[inline(always)]
    pub(crate) fn of(&self, i: usize) -> T {
        let magnitude = self.y0[i].abs().max(self.y1[i].abs());
        self.rtol[i].mul_add(magnitude, self.atol[i])
    }

    /// The scale of `ode45`, `max(atol, rtol max(|y0|, |y1|))`.
    #[inline(always)]
    pub(crate) fn greater_of(&self, i: usize) -> T {
        let magnitude = self.y0[i].abs().max(self.y1[i].abs());
        (self.rtol[i] * magnitude).max(self.atol[i])
    }

    /// The same scale, seen as having exactly `n` components.
    #[inline(always)]
    fn cut(&self, n: usize) -> Self {
        Scale { rtol: &self.rtol[..n], atol: &self.atol[..n], y0: &self.y0[..n], y1: &self.y1[..n] }
    }
}

/// The partial sums, added pairwise.
#[inline(always)]
fn total<T: Real>(partial: [T; BLOCK]) -> T {
    (partial[0] + partial[1]) + (partial[2] + partial[3])
}

impl<T: Real> Kernel for ErrorSquare<'_, T> {
    type Output = T;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> T {
        let n = self.scale.y0.len();
        let scale = self.scale.cut(n);
        let blocked = n - n % BLOCK;
        let mut partial = [T::zero(); BLOCK];
        for i in (0..blocked).step_by(BLOCK) {
            let sum = weighted::<T, BLOCK>(self.k, self.row, i);
            for l in 0..BLOCK {
                let ratio = self.h * sum[l] / scale.of(i + l);
                partial[l] = ratio.mul_add(ratio, partial[l]);
            }
        }
        for i in blocked..n {
            let [sum] = weighted::<T, 1>(self.k, self.row, i);
            let ratio = self.h * sum / scale.of(i);
            partial[i - blocked] = ratio.mul_add(ratio, partial[i - blocked]);
        }
        total(partial)
    }
}

/// `max_i |h Σ_j e_j k_ji| / max(atol_i, rtol_i max(|y0_i|, |y1_i|))`, NaN if one of them is not
/// finite.
pub(crate) struct ErrorMaximum<'a, T> {
    pub(crate) h: T,
    pub(crate) k: &'a [T],
    pub(crate) row: &'a [(usize, T)],
    pub(crate) scale: Scale<'a, T>,
}

impl<T: Real> ErrorMaximum<'_, T> {
    /// Takes the ratios from component `i` on into `largest`; what is not finite poisons `probe`,
    /// since a maximum does not keep NaN.
    #[inline(always)]
    fn take<const W: usize>(&self, i: usize, largest: &mut [T], probe: &mut [T]) {
        let sum = weighted::<T, W>(self.k, self.row, i);
        for l in 0..W {
            let ratio = (self.h * sum[l]).abs() / self.scale.greater_of(i + l);
            largest[l] = ratio.max(largest[l]);
            probe[l] += ratio * T::zero();
        }
    }
}

impl<T: Real> Kernel for ErrorMaximum<'_, T> {
    type Output = T;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(mut self) -> T {
        let n = self.scale.y0.len();
        self.scale = self.scale.cut(n);
        let blocked = n - n % BLOCK;
        let (mut largest, mut probe) = ([T::zero(); BLOCK], [T::zero(); BLOCK]);
        for i in (0..blocked).step_by(BLOCK) {
            self.take::<BLOCK>(i, &mut largest, &mut probe);
        }
        for i in blocked..n {
            self.take::<1>(i, &mut largest, &mut probe);
        }
        largest[0].max(largest[1]).max(largest[2].max(largest[3])) + total(probe)
    }
}

/// `Σ_i (x_i / scale_i)²`.
pub(crate) struct NormSquare<'a, T> {
    pub(crate) x: &'a [T],
    pub(crate) scale: Scale<'a, T>,
}

impl<T: Real> Kernel for NormSquare<'_, T> {
    type Output = T;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> T {
        let n = self.x.len();
        let scale = self.scale.cut(n);
        let mut partial = [T::zero(); BLOCK];
        for i in 0..n {
            let ratio = self.x[i] / scale.of(i);
            partial[i % BLOCK] = ratio.mul_add(ratio, partial[i % BLOCK]);
        }
        total(partial)
    }
}

/// Zero where all of `a` and `b` is finite, NaN elsewhere.
pub(crate) struct Probe<'a, T> {
    pub(crate) a: &'a [T],
    pub(crate) b: &'a [T],
}

impl<T: Real> Kernel for Probe<'_, T> {
    type Output = T;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> T {
        let n = self.a.len();
        let b = &self.b[..n];
        let mut partial = [T::zero(); BLOCK];
        for i in 0..n {
            // 0 · x is 0 for finite numbers and NaN for all others
            partial[i % BLOCK] += self.a[i] * T::zero() + b[i] * T::zero();
        }
        total(partial)
    }
}

/// Dense output, `out = y0 + (3θ² − 2θ³)(y1 − y0) + h Σ_j r_j(θ) k_j`, where `r_j` are the weights
/// less their share in `y1`: they vanish at both ends.
pub(crate) struct Interpolate<'a, T> {
    pub(crate) h: T,
    pub(crate) theta: T,
    pub(crate) y0: &'a [T],
    pub(crate) y1: &'a [T],
    pub(crate) k: &'a [T],
    pub(crate) polynomials: &'a [Polynomial<T>],
    pub(crate) out: &'a mut [T],
}

/// The polynomial `r_j(θ)` of one stage.
#[derive(Clone, Debug)]
pub(crate) struct Polynomial<T> {
    /// Offset of the stage in `k`.
    pub(crate) offset: usize,
    /// Coefficients of `θ, θ², …`.
    pub(crate) coefficients: Vec<T>,
}

impl<T: Real> Polynomial<T> {
    #[inline(always)]
    fn at(&self, theta: T) -> T {
        let mut value = T::zero();
        for &c in self.coefficients.iter().rev() {
            value = value.mul_add(theta, c);
        }
        value * theta
    }
}

impl<T: Real> Kernel for Interpolate<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let n = self.out.len();
        let (y0, y1) = (&self.y0[..n], &self.y1[..n]);
        let theta = self.theta;
        let blend = theta * theta * (T::from_f64(3.0) - T::from_f64(2.0) * theta);
        for i in 0..n {
            self.out[i] = blend.mul_add(y1[i] - y0[i], y0[i]);
        }
        for polynomial in self.polynomials {
            let weight = self.h * polynomial.at(theta);
            let k = &self.k[polynomial.offset..polynomial.offset + n];
            for i in 0..n {
                self.out[i] = weight.mul_add(k[i], self.out[i]);
            }
        }
    }
}
