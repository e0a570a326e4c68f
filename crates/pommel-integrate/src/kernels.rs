//! The arithmetic of a step, compiled for the best instruction set.
//!
//! Components are taken in blocks of [`BLOCK`], or of [`WIDE`]: the accumulators of a block stay in
//! registers while the loop runs over the stages, and the block is a few vectors of `f64` or of
//! lanes. Every component sees the same operations in the same order, whatever the scalar and the
//! block; sums over components go through [`BLOCK`] partial sums for every scalar alike.

use pommel_math::{Kernel, Real};

const BLOCK: usize = 4;
/// Components of a block of scalars so small that of [`BLOCK`] of them the loop over the stages
/// would cost more than the sums.
const WIDE: usize = 16;

/// Whether a wide block of scalars fits into the registers.
const fn is_small<T>() -> bool {
    size_of::<T>() <= 8
}

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
    fn run(mut self) {
        let n = self.out.len();
        let wide = if is_small::<T>() { n - n % WIDE } else { 0 };
        let blocked = n - n % BLOCK;
        for i in (0..wide).step_by(WIDE) {
            self.take::<WIDE>(i);
        }
        for i in (wide..blocked).step_by(BLOCK) {
            self.take::<BLOCK>(i);
        }
        for i in blocked..n {
            self.take::<1>(i);
        }
    }
}

impl<T: Real> Combine<'_, T> {
    /// The components from `i` on.
    #[inline(always)]
    fn take<const W: usize>(&mut self, i: usize) {
        let sum = weighted::<T, W>(self.k, self.row, i);
        let (y, out) = (&self.y[i..i + W], &mut self.out[i..i + W]);
        // all before the first is written: nobody tells the compiler that `y` is not `out`
        let mut end = [T::zero(); W];
        for l in 0..W {
            end[l] = self.h.mul_add(sum[l], y[l]);
        }
        out.copy_from_slice(&end);
    }
}

/// The scale of errors, `atol + rtol max(|y0|, |y1|)`.
#[derive(Clone, Copy)]
pub(crate) struct Scale<'a, T> {
    pub(crate) rtol: &'a [T],
    pub(crate) atol: &'a [T],
    pub(crate) y0: &'a [T],
    pub(crate) y1: &'a [T],
}

/// The size of an error that the PI controller allows.
#[inline(always)]
fn sum_of_parts<T: Real>(rtol: T, magnitude: T, atol: T) -> T {
    rtol.mul_add(magnitude, atol)
}

/// The size of an error that `ode45` allows.
#[inline(always)]
fn greater_part<T: Real>(rtol: T, magnitude: T, atol: T) -> T {
    (rtol * magnitude).max(atol)
}

impl<'a, T: Real> Scale<'a, T> {
    #[inline(always)]
    fn of(&self, i: usize) -> T {
        let magnitude = self.y0[i].abs().max(self.y1[i].abs());
        sum_of_parts(self.rtol[i], magnitude, self.atol[i])
    }

    /// The scale of the `n` components from `i` on.
    #[inline(always)]
    fn part(&self, i: usize, n: usize) -> Self {
        let cut = |x: &'a [T]| &x[i..i + n];
        Scale { rtol: cut(self.rtol), atol: cut(self.atol), y0: cut(self.y0), y1: cut(self.y1) }
    }
}

/// The partial sums, added pairwise.
#[inline(always)]
fn total<T: Real>(partial: [T; BLOCK]) -> T {
    (partial[0] + partial[1]) + (partial[2] + partial[3])
}

/// The error of a step, component by component, as a part of what is allowed.
pub(crate) struct Errors<'a, T> {
    pub(crate) h: T,
    pub(crate) k: &'a [T],
    pub(crate) row: &'a [(usize, T)],
    pub(crate) scale: Scale<'a, T>,
    /// Memory for the ratios.
    pub(crate) ratios: &'a mut [T],
}

impl<'a, T: Real> Errors<'a, T> {
    /// Writes `h Σ_j e_j k_ji / size_i`, where `size(rtol_i, max(|y0_i|, |y1_i|), atol_i)` is the
    /// size of an error that is just allowed.
    #[inline(always)]
    fn write(&mut self, size: impl Fn(T, T, T) -> T + Copy) {
        let n = self.ratios.len();
        let wide = if is_small::<T>() { n - n % WIDE } else { 0 };
        let blocked = n - n % BLOCK;
        for i in (0..wide).step_by(WIDE) {
            self.take::<WIDE>(i, size);
        }
        for i in (wide..blocked).step_by(BLOCK) {
            self.take::<BLOCK>(i, size);
        }
        for i in blocked..n {
            self.take::<1>(i, size);
        }
    }

    /// The components from `i` on.
    #[inline(always)]
    fn take<const W: usize>(&mut self, i: usize, size: impl Fn(T, T, T) -> T) {
        let sum = weighted::<T, W>(self.k, self.row, i);
        let Scale { rtol, atol, y0, y1 } = self.scale.part(i, W);
        let mut ratio = [T::zero(); W];
        for l in 0..W {
            let magnitude = y0[l].abs().max(y1[l].abs());
            ratio[l] = self.h * sum[l] / size(rtol[l], magnitude, atol[l]);
        }
        self.ratios[i..i + W].copy_from_slice(&ratio);
    }
}

/// `Σ_i (h Σ_j e_j k_ji / (atol_i + rtol_i max(|y0_i|, |y1_i|)))²`.
pub(crate) struct ErrorSquare<'a, T>(pub(crate) Errors<'a, T>);

impl<T: Real> Kernel for ErrorSquare<'_, T> {
    type Output = T;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(mut self) -> T {
        self.0.write(sum_of_parts);
        let mut partial = [T::zero(); BLOCK];
        let (blocks, rest) = self.0.ratios.as_chunks::<BLOCK>();
        for ratio in blocks {
            for l in 0..BLOCK {
                partial[l] = ratio[l].mul_add(ratio[l], partial[l]);
            }
        }
        for (ratio, partial) in rest.iter().zip(&mut partial) {
            *partial = ratio.mul_add(*ratio, *partial);
        }
        total(partial)
    }
}

/// `max_i |h Σ_j e_j k_ji| / max(atol_i, rtol_i max(|y0_i|, |y1_i|))`, NaN if one of them is not
/// finite.
pub(crate) struct ErrorMaximum<'a, T>(pub(crate) Errors<'a, T>);

impl<T: Real> Kernel for ErrorMaximum<'_, T> {
    type Output = T;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(mut self) -> T {
        self.0.write(greater_part);
        // a maximum does not keep NaN, 0 · x does
        let (mut largest, mut probe) = ([T::zero(); BLOCK], [T::zero(); BLOCK]);
        let (blocks, rest) = self.0.ratios.as_chunks::<BLOCK>();
        for ratio in blocks {
            for l in 0..BLOCK {
                largest[l] = ratio[l].abs().max(largest[l]);
                probe[l] += ratio[l] * T::zero();
            }
        }
        for (ratio, (largest, probe)) in rest.iter().zip(largest.iter_mut().zip(&mut probe)) {
            *largest = ratio.abs().max(*largest);
            *probe += *ratio * T::zero();
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
        let scale = self.scale.part(0, n);
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
        let blocked = n - n % BLOCK;
        let mut partial = [T::zero(); BLOCK];
        for i in (0..blocked).step_by(BLOCK) {
            for l in 0..BLOCK {
                partial[l] += probe(self.a[i + l], b[i + l]);
            }
        }
        for i in blocked..n {
            partial[0] += probe(self.a[i], b[i]);
        }
        total(partial)
    }
}

/// 0 · x is 0 for finite numbers and NaN for all others.
#[inline(always)]
fn probe<T: Real>(a: T, b: T) -> T {
    a * T::zero() + b * T::zero()
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
    /// Those of Chebyshev's polynomials on 0 to 1, beside: for degrees at which powers lose digits.
    pub(crate) series: Vec<T>,
}

impl<T: Real> Polynomial<T> {
    #[inline(always)]
    fn at(&self, theta: T) -> T {
        let mut value = T::zero();
        for &c in self.coefficients.iter().rev() {
            value = value.mul_add(theta, c);
        }
        value * theta + self.series_at(theta)
    }

    /// By Clenshaw's recursion.
    #[inline(always)]
    fn series_at(&self, theta: T) -> T {
        let x = theta + theta - T::one();
        let (mut now, mut before) = (T::zero(), T::zero());
        for &c in self.series.iter().rev() {
            (now, before) = ((x + x).mul_add(now, c - before), now);
        }
        now - x * before
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
