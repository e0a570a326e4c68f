//! Sums of products of chosen numbers, in the order in which they are written.

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

    /// Adds each sum to what `base` says, into `out`.
    #[inline(always)]
    pub(super) fn write(&self, a: &[f64], b: &[f64], base: impl Fn(usize) -> f64, out: &mut [f64]) {
        let mut first = 0;
        for ((sum, end), out) in self.ends.iter().enumerate().zip(out) {
            let end = *end as usize;
            let mut total = base(sum);
            for &[i, j] in &self.terms[first..end] {
                total = a[i as usize].mul_add(b[j as usize], total);
            }
            *out = total;
            first = end;
        }
    }
}
