//! Random numbers addressed by (seed, instance, parameter): no draw depends on another.
//!
//! ChaCha with 8 rounds is a function from (key, stream, position) to a block of 64 bytes:
//!
//! | here | is |
//! |---|---|
//! | key (32 bytes) | the seed (8, little-endian), the text `pommel sweep design v1`, zeros |
//! | stream (nonce, 64 bits) | the index of the instance |
//! | block | the index of the parameter in the plan |
//!
//! A block holds eight numbers of 64 bits; a draw takes one or two. So the value of a parameter
//! depends neither on the number of instances, nor on the other parameters, nor on what ran
//! before; parameters appended to a plan leave the draws of the others as they are.
//!
//! The keys of permutations come from another key (text `pommel sweep keys v1`), with the index of
//! the parameter for the stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const DESIGN: &[u8; 24] = b"pommel sweep design v1\0\0";
const KEYS: &[u8; 24] = b"pommel sweep keys v1\0\0\0\0";
/// Words of 32 bits in a block.
const BLOCK: u128 = 16;

/// 2⁻⁵³.
const STEP: f64 = 1.0 / (1_u64 << 53) as f64;

/// The random numbers of one instance.
#[derive(Debug, Clone)]
pub(crate) struct Draws {
    generator: ChaCha8Rng,
}

impl Draws {
    pub(crate) fn new(seed: u64, instance: u64) -> Self {
        Self { generator: generator(DESIGN, seed, instance) }
    }

    /// Goes to the block of a parameter.
    pub(crate) fn at(&mut self, parameter: usize) -> &mut Self {
        self.generator.set_word_pos(parameter as u128 * BLOCK);
        self
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * STEP
    }

    /// Standard normal, by the transformation of Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        // 1 − u is in (0, 1], so the logarithm is finite
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Uniform among 0, …, `count` − 1; the bias is less than `count` / 2⁶⁴.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        let product = u128::from(self.generator.next_u64()) * u128::from(count);
        (product >> 64) as u64
    }
}

/// Numbers that no instance draws: the keys of what is done to a parameter.
pub(crate) fn keys(seed: u64, parameter: usize) -> impl Iterator<Item = u64> {
    let mut generator = generator(KEYS, seed, parameter as u64);
    std::iter::repeat_with(move || generator.next_u64())
}

fn generator(domain: &[u8; 24], seed: u64, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..].copy_from_slice(domain);
    let mut generator = ChaCha8Rng::from_seed(key);
    generator.set_stream(stream);
    generator
}

/// A bit that depends on every bit of a key and a number: the finalizer of SplitMix64, twice.
pub(crate) fn coin(key: u64, number: u64) -> bool {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    mix(mix(number.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ key) >> 63 == 1
}
