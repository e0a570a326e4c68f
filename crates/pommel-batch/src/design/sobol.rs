//! Points of the Sobol sequence, scrambled after Owen.
//!
//! The direction numbers are those of Joe and Kuo (2008, `new-joe-kuo-6`), the order is that of the
//! Gray code. A scrambling turns every binary digit of a coordinate or leaves it, as a keyed coin
//! says for the digits before it: nested uniform scrambling (Owen 1995) with a hash for the random
//! numbers, over 52 digits. Every 2ᵏ instances from a multiple of 2ᵏ on remain as evenly spread as
//! those of the sequence, and every instance alone is uniform.

use crate::draw::{coin, keys};
use sobol::params::JoeKuoD6;

/// The largest number of instances: two to the number of digits.
pub(crate) const LARGEST: u64 = 1 << DIGITS;
/// The largest number of parameters.
pub(crate) const DIMENSIONS: usize = 1000;

/// Binary digits of a coordinate. Half a unit of the last more, and it is in (0, 1) and exact.
const DIGITS: u32 = 52;

/// The sequence for a number of parameters.
#[derive(Debug, Clone)]
pub(crate) struct Sobol {
    /// For every parameter the direction numbers, the first digit uppermost in 64 bits.
    directions: Vec<Vec<u64>>,
    keys: Vec<u64>,
}

impl Sobol {
    /// The sequence; parameters beyond [`DIMENSIONS`] have no numbers.
    pub(crate) fn new(seed: u64, parameters: usize) -> Self {
        let dimensions = parameters.min(DIMENSIONS);
        let directions = sobol::Sobol::<u64>::init_direction_vals::<u32>(
            dimensions,
            DIGITS as usize,
            &JoeKuoD6::standard(),
        );
        let keys = (0..dimensions).map(|p| keys(seed, p).next().unwrap_or_default()).collect();
        Self { directions, keys }
    }

    /// The number of an instance in (0, 1).
    pub(crate) fn unit(&self, parameter: usize, index: u64) -> f64 {
        let digits = scramble(self.point(parameter, index), self.keys[parameter]);
        // 2 n + 1 has 53 bits
        (2 * digits + 1) as f64 / (1_u64 << (DIGITS + 1)) as f64
    }

    /// The digits of a coordinate before they are scrambled.
    fn point(&self, parameter: usize, index: u64) -> u64 {
        let gray = index ^ (index >> 1);
        let list = self.directions[parameter].iter().enumerate();
        let chosen = list.filter(|(bit, _)| gray >> bit & 1 == 1);
        chosen.fold(0, |sum, (_, direction)| sum ^ direction) >> (u64::BITS - DIGITS)
    }
}

/// Turns every digit or not, as the digits before it say.
fn scramble(digits: u64, key: u64) -> u64 {
    (0..DIGITS).fold(digits, |scrambled, digit| {
        let place = DIGITS - 1 - digit;
        // a leading one tells how many digits there are
        let before = (1 << digit) | (digits >> (place + 1));
        scrambled ^ (u64::from(coin(key, before)) << place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: f64 = (1_u64 << DIGITS) as f64;

    /// The first points as published with the direction numbers.
    #[test]
    fn unscrambled_points_are_those_of_joe_and_kuo() {
        let sobol = Sobol::new(0, 3);
        let point = |index| [0, 1, 2].map(|p| sobol.point(p, index) as f64 / ONE);
        let expected = [
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
            [0.1875, 0.3125, 0.9375],
            [0.6875, 0.8125, 0.4375],
        ];
        for (index, point_expected) in expected.into_iter().enumerate() {
            assert_eq!(point(index as u64), point_expected, "{index}");
        }
    }

    /// In every dimension, every interval of length 2⁻ᵏ holds one of the first 2ᵏ points, scrambled
    /// or not.
    #[test]
    fn every_dimension_is_stratified() {
        let sobol = Sobol::new(9, DIMENSIONS);
        for p in (0..DIMENSIONS).step_by(37).chain([DIMENSIONS - 1]) {
            let (mut plain, mut scrambled) = ([0; 1024], [0; 1024]);
            for index in 0..1024 {
                plain[(sobol.point(p, index) >> (DIGITS - 10)) as usize] += 1;
                scrambled[(sobol.unit(p, index) * 1024.0) as usize] += 1;
            }
            assert_eq!((plain, scrambled), ([1; 1024], [1; 1024]), "dimension {p}");
        }
    }

    /// What is common to the digits of two numbers stays common, and no more.
    #[test]
    fn scrambling_keeps_common_digits() {
        for (a, b) in [(3_u64 << 40, 5 << 40), (12_345, 12_346), (0, LARGEST - 1)] {
            let common = |a: u64, b: u64| (a ^ b).leading_zeros();
            for key in 0..100 {
                assert_eq!(common(scramble(a, key), scramble(b, key)), common(a, b));
            }
        }
    }

    /// Every scrambled instance is uniform over the seeds: mean ½ and variance 1/12 with standard
    /// errors 1/√(12 n) and 1/√(180 n).
    #[test]
    fn every_instance_is_uniform_over_the_seeds() {
        let n = 10_000;
        for index in [0, 1, 77] {
            let units: Vec<_> = (0..n).map(|seed| Sobol::scrambled_alone(seed, index)).collect();
            let n = n as f64;
            let mean = units.iter().sum::<f64>() / n;
            let variance = units.iter().map(|u| (u - 0.5).powi(2)).sum::<f64>() / n;
            assert!((mean - 0.5).abs() < 5.0 / (12.0 * n).sqrt(), "{mean}");
            assert!((variance - 1.0 / 12.0).abs() < 5.0 / (180.0 * n).sqrt(), "{variance}");
        }
    }

    impl Sobol {
        /// The number of the first dimension, without the tables of all.
        fn scrambled_alone(seed: u64, index: u64) -> f64 {
            let directions = vec![(1..=DIGITS).map(|i| 1_u64 << (64 - i)).collect()];
            let keys = vec![keys(seed, 0).next().expect("a key")];
            Self { directions, keys }.unit(0, index)
        }
    }
}
