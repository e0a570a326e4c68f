//! From the index of an instance to the values of its parameters.

use crate::draw::Draws;
use crate::spread::Spread;

/// Number of combinations; none if it exceeds 64 bits.
pub(crate) fn grid_length(counts: &[u64]) -> Option<u64> {
    counts.iter().try_fold(1_u64, |product, count| product.checked_mul(*count))
}

/// The values of instance `index` of a grid, the last parameter varying fastest.
pub(crate) fn grid_point<'a>(
    spreads: impl DoubleEndedIterator<Item = &'a Spread>,
    index: u64,
) -> Vec<f64> {
    let mut rest = index;
    let mut values: Vec<_> = spreads
        .rev()
        .map(|spread| {
            let count = spread.count().unwrap_or(1);
            let digit = rest % count;
            rest /= count;
            // the digit is below the count; a grid has lists only
            spread.value(digit).unwrap_or(f64::NAN)
        })
        .collect();
    values.reverse();
    values
}

/// The values of instance `index` of a random design.
pub(crate) fn random_point<'a>(
    spreads: impl Iterator<Item = &'a Spread>,
    seed: u64,
    index: u64,
) -> Vec<f64> {
    let mut draws = Draws::new(seed, index);
    spreads.enumerate().map(|(parameter, spread)| spread.draw(draws.at(parameter))).collect()
}
