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

    /// Adds each sum to what `base` says, into `out`. What is rounding of its terms is zero: rows that others imply
    /// cancel, and what rounding leaves of them must not pass for a row of its own.
    #[inline(always)]
    pub(super) fn write(&self, a: &[f64], b: &[f64], base: impl Fn(usize) -> f64, out: &mut [f64]) {
        let mut first = 0;
        for ((sum, end), out) in self.ends.iter().enumerate().zip(out) {
            let end = *end as usize;
            let mut total = base(sum);
            let mut size = total.abs();
            for &[i, j] in &self.terms[first..end] {
                let (a, b) = (a[i as usize], b[j as usize]);
                total = a.mul_add(b, total);
                size = a.abs().mul_add(b.abs(), size);
            }
            *out = if total.abs() <= ROUNDING * size { 0.0 } else { total };
            first = end;
        }
    }
}
