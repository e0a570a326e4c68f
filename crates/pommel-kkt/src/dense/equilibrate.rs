//! Scales of rows and columns, as powers of two.

use pommel_math::Real;

/// A diagonal matrix `D` of powers of two such that the largest entry of every row of `D A D` is
/// near 1 [Rui01]; multiplying by powers of two rounds nothing.
#[derive(Clone, Debug)]
pub(crate) struct Equilibration {
    n: usize,
    exponents: Vec<i32>,
    largest: Vec<f64>,
    logarithms: Vec<f64>,
    /// Sum and number of logarithms in every row.
    sums: Vec<(f64, f64)>,
}

/// Row maxima that differ by less than 2¹⁰ are left alone,
const TOLERATED_SPREAD: i32 = 10;

/// unless they are so large or small that squares of squares leave the range of numbers.
const TOLERATED_SIZE: i32 = 100;

/// Each sweep halves the logarithms of what is left to do: 10 reach 2⁰ from 2¹⁰⁰⁰.
const SWEEPS: usize = 10;

/// Means converge like a relaxation, not like halving.
const MEAN_SWEEPS: usize = 40;

impl Equilibration {
    /// No scaling, for matrices of `n` rows.
    pub(crate) fn new(n: usize) -> Self {
        Equilibration {
            n,
            exponents: vec![0; n],
            largest: vec![0.0; n],
            logarithms: vec![0.0; n],
            sums: vec![(0.0, 0.0); n],
        }
    }

    /// Scales matrices of `n` rows from now on; `n` is at most what [`new`](Self::new) made room for.
    pub(crate) fn resize(&mut self, n: usize) {
        self.n = n;
    }

    /// Finds the scales of the symmetric matrix whose entry at row `i`, column `j ≤ i` has the
    /// size `size(i, j)`. Scaled numbers stay in the range of `T`.
    pub(crate) fn find<T: Real>(&mut self, size: impl Fn(usize, usize) -> f64) {
        let reach = reach::<T>();
        self.exponents.fill(0);
        for sweep in 0..SWEEPS {
            self.row_maxima(&size);
            let rows = || self.largest[..self.n].iter().filter(|x| **x > 0.0).map(|x| exponent(*x));
            let (Some(least), Some(greatest)) = (rows().min(), rows().max()) else { return };
            let moderate = least >= -TOLERATED_SIZE && greatest <= TOLERATED_SIZE;
            if sweep == 0 && moderate && greatest - least <= TOLERATED_SPREAD {
                return;
            }
            if least >= -1 && greatest <= 1 {
                return;
            }
            for (e, largest) in self.exponents[..self.n].iter_mut().zip(&self.largest) {
                if *largest > 0.0 {
                    *e = (*e + halved(exponent(*largest))).clamp(-reach, reach);
                }
            }
        }
    }

    /// As [`find`](Self::find), but the mean logarithm of the entries of every row, zeros left out,
    /// becomes that of 1: it finds the units of rows and columns whatever the entries are, and it
    /// is what factors need that judge an entry by the size of others [CR72].
    pub(crate) fn find_by_mean<T: Real>(&mut self, size: impl Fn(usize, usize) -> f64) {
        let reach = f64::from(reach::<T>());
        let n = self.n;
        self.logarithms[..n].fill(0.0);
        for _ in 0..MEAN_SWEEPS {
            self.sums[..n].fill((0.0, 0.0));
            for j in 0..n {
                for i in j..n {
                    let a = size(i, j);
                    if a > 0.0 {
                        let logarithm =
                            f64::from(exponent(a)) + self.logarithms[i] + self.logarithms[j];
                        self.sums[i] = (self.sums[i].0 + logarithm, self.sums[i].1 + 1.0);
                        if i != j {
                            self.sums[j] = (self.sums[j].0 + logarithm, self.sums[j].1 + 1.0);
                        }
                    }
                }
            }
            for (logarithm, (sum, count)) in self.logarithms[..n].iter_mut().zip(&self.sums) {
                if *count > 0.0 {
                    *logarithm -= 0.5 * sum / count;
                }
            }
        }
        for (exponent, logarithm) in self.exponents[..n].iter_mut().zip(&self.logarithms) {
            *exponent = logarithm.round().clamp(-reach, reach) as i32;
        }
    }

    fn row_maxima(&mut self, size: &impl Fn(usize, usize) -> f64) {
        self.largest.fill(0.0);
        for j in 0..self.n {
            for i in j..self.n {
                let a = size(i, j) * self.factor(i) * self.factor(j);
                self.largest[i] = self.largest[i].max(a);
                self.largest[j] = self.largest[j].max(a);
            }
        }
    }

    /// The scale of row `i`.
    pub(crate) fn factor(&self, i: usize) -> f64 {
        f64::from_bits(((self.exponents[i] + 1023) as u64) << 52)
    }

    /// `D A D` at row `i`, column `j`.
    pub(crate) fn scale<T: Real>(&self, i: usize, j: usize, a: T) -> T {
        a * T::from_f64(self.factor(i)) * T::from_f64(self.factor(j))
    }

    /// `D b` at row `i`.
    pub(crate) fn scale_row<T: Real>(&self, i: usize, b: T) -> T {
        b * T::from_f64(self.factor(i))
    }
}

/// How far exponents may go so that numbers of this scalar stay in range.
fn reach<T: Real>() -> i32 {
    if T::EPSILON > 1e-10 { 60 } else { 500 }
}

/// The exponent of a positive number, rounded down.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// The exponent of a scale that, applied twice, takes a number of this exponent to about 1.
fn halved(exponent: i32) -> i32 {
    -((exponent + (exponent > 0) as i32) / 2)
}

#[cfg(test)]
mod tests {
    use super::Equilibration;

    #[test]
    fn units_are_found_and_moderate_matrices_left_alone() {
        let unit = |i: usize| [1.0, 1024.0, 9.094_947_017_729_282e-13][i];
        let size = |i: usize, j: usize| unit(i) * unit(j);
        for way in [Equilibration::find::<f64>, Equilibration::find_by_mean::<f64>] {
            let mut scales = Equilibration::new(3);
            way(&mut scales, size);
            for (i, j) in [(0, 0), (1, 0), (2, 1)] {
                let scaled: f64 = scales.scale(i, j, size(i, j));
                assert!((0.25..=4.0).contains(&scaled), "{scaled}");
            }
        }
        let mut scales = Equilibration::new(2);
        scales.find::<f64>(|i, j| if i == j { 8.0 } else { 2.0 });
        assert_eq!(scales.scale(1, 0, 2.0), 2.0);
    }
}
