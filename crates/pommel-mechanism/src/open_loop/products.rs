//! Sums of products of chosen numbers, in the order in which they are written.

/// A sum below this part of the sizes of its terms is rounding of them.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// `Σ a_i b_j` for each of several sums.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    /// where the terms of each sum end
    ends: Vec<u32>,
    terms: Vec<[u32; 2]>,
}

impl Products {
    /// From sums and their terms.
    pub(super) fn new(sums: usize, mut list: Vec<(usize, [u32; 2])>) -> Self {
        // stable: terms are added in the order in which they were found
        list.sort_by_key(|(sum, _)| *sum);
        let ends = (0..sums).map(|sum| list.partition_point(|(of, _)| *of <= sum) as u32).collect();
        Products { ends, terms: list.into_iter().map(|(_, term)| term).collect() }
    }

    /// The sums, into `out`.
    #[inline(always)]
    pub(super) fn write(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        let mut first = 0;
        for (&end, out) in self.ends.iter().zip(out) {
            let mut total = 0.0;
            for &[i, j] in &self.terms[first..end as usize] {
                total = a[i as usize].mul_add(b[j as usize], total);
            }
            *out = total;
            first = end as usize;
        }
    }

    /// Adds each sum to one of `base`, into `out`. What is rounding of its terms is zero: rows that others imply
    /// cancel, and what rounding leaves of them must not pass for a row of its own.
    #[inline(always)]
    pub(super) fn add_to(&self, base: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) {
        for ((sum, &base), out) in base.iter().enumerate().zip(out) {
            let (total, size) = self.sum(sum, base, a, b);
            *out = if total.abs() <= ROUNDING * size { 0.0 } else { total };
        }
    }

    /// Whether each sum is rounding of its terms, and these are not all zero.
    pub(super) fn cancelled(&self, a: &[f64], b: &[f64]) -> Vec<bool> {
        (0..self.ends.len())
            .map(|sum| {
                let (total, size) = self.sum(sum, 0.0, a, b);
                size > 0.0 && total.abs() <= ROUNDING * size
            })
            .collect()
    }

    /// Makes these sums zero.
    pub(super) fn clear(&mut self, sums: &[bool]) {
        let mut terms = Vec::new();
        for (sum, is_zero) in sums.iter().enumerate() {
            if !is_zero {
                terms.extend(self.of(sum).iter().map(|&term| (sum, term)));
            }
        }
        *self = Products::new(self.ends.len(), terms);
    }

    /// Terms of a sum.
    #[inline(always)]
    fn of(&self, sum: usize) -> &[[u32; 2]] {
        let first = if sum == 0 { 0 } else { self.ends[sum - 1] };
        &self.terms[first as usize..self.ends[sum] as usize]
    }

    /// A number and a sum, and the size of all terms.
    #[inline(always)]
    fn sum(&self, sum: usize, base: f64, a: &[f64], b: &[f64]) -> (f64, f64) {
        self.of(sum).iter().fold((base, base.abs()), |(total, size), &[i, j]| {
            let (a, b) = (a[i as usize], b[j as usize]);
            (a.mul_add(b, total), a.abs().mul_add(b.abs(), size))
        })
    }
}
