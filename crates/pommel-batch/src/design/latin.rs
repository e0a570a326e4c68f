//! Latin hypercubes without memory: every parameter visits each of `n` strata once, in an order
//! that a keyed permutation gives.

use crate::draw::{Draws, coin, keys};

/// The largest number of instances: a place in a stratum needs bits, too.
pub(crate) const LARGEST: u64 = 1 << 40;

/// The order of the strata for every parameter.
#[derive(Debug, Clone)]
pub(crate) struct LatinHypercube {
    seed: u64,
    count: u64,
    /// Places in a stratum.
    places: f64,
    orders: Vec<Permutation>,
}

impl LatinHypercube {
    pub(crate) fn new(seed: u64, count: u64, parameters: usize) -> Self {
        let orders = (0..parameters).map(|p| Permutation::new(keys(seed, p), count)).collect();
        // stratum and place together have 48 bits: neither their sum nor the division by the count
        // rounds across the border of a stratum
        let places = (1_u64 << (48 - bits(count).min(48))) as f64;
        Self { seed, count, places, orders }
    }

    /// The number of an instance in (0, 1): its stratum, and a random place in it.
    pub(crate) fn unit(&self, parameter: usize, index: u64) -> f64 {
        let stratum = self.orders[parameter].at(index);
        let draw = Draws::new(self.seed, index).at(parameter).unit();
        let place = (libm::floor(draw * self.places) + 0.5) / self.places;
        (stratum as f64 + place) / self.count as f64
    }
}

/// A permutation of 0, …, n − 1 by swap-or-not (Hoang, Morris and Rogaway 2012).
///
/// Every round pairs x with K − x modulo n and swaps a pair or not, as a keyed coin says.
#[derive(Debug, Clone)]
struct Permutation {
    count: u64,
    /// For every round K and the key of the coin.
    rounds: Vec<[u64; 2]>,
}

impl Permutation {
    fn new(mut keys: impl Iterator<Item = u64>, count: u64) -> Self {
        let mut below = |n: u64| {
            let key = keys.next().unwrap_or_default();
            ((u128::from(key) * u128::from(n)) >> 64) as u64
        };
        let rounds = 6 * bits(count).max(8);
        Self { count, rounds: (0..rounds).map(|_| [below(count), below(u64::MAX)]).collect() }
    }

    fn at(&self, index: u64) -> u64 {
        self.rounds.iter().fold(index, |x, [sum, key]| {
            let other = if *sum >= x { sum - x } else { self.count - (x - sum) };
            if coin(*key, x.max(other)) { other } else { x }
        })
    }
}

/// Number of binary digits of the largest index.
fn bits(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn permutations_take_every_number_once() {
        for count in (1..70).chain([255, 256, 257, 1000, 4097]) {
            let order = Permutation::new(keys(3, 1), count);
            let mut seen: Vec<_> = (0..count).map(|x| order.at(x)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    /// All 24 orders of four strata, odd ones too, are equally likely over the seeds: chi-square
    /// with 23 degrees of freedom is above 58 once in 10⁴ times, and the seeds are fixed.
    #[test]
    fn all_orders_are_equally_likely() {
        let seeds = 24_000;
        let mut tally: HashMap<Vec<u64>, f64> = HashMap::new();
        for seed in 0..seeds {
            let order = Permutation::new(keys(seed, 0), 4);
            *tally.entry((0..4).map(|x| order.at(x)).collect()).or_default() += 1.0;
        }
        let expected = seeds as f64 / 24.0;
        let square: f64 = tally.values().map(|n| (n - expected).powi(2) / expected).sum();
        assert_eq!(tally.len(), 24);
        assert!(square < 58.0, "{square}");
    }

    #[test]
    fn the_largest_design_stays_in_its_strata() {
        let latin = LatinHypercube::new(5, LARGEST, 1);
        for index in [0, 1, 12_345, LARGEST / 2, LARGEST - 1] {
            let stratum = latin.orders[0].at(index);
            assert_eq!((latin.unit(0, index) * LARGEST as f64) as u64, stratum);
        }
    }
}
