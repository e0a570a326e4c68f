//! Reproducible random numbers.

/// SplitMix64: the same numbers on every machine, from any seed.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with the given seed.
    pub const fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// Uniform in `[−size, size)`.
    pub fn symmetric(&mut self, size: f64) -> f64 {
        self.uniform(-size, size)
    }

    /// Uniform among `0..count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Three numbers in `[−size, size)`.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [self.symmetric(size), self.symmetric(size), self.symmetric(size)]
    }

    /// A list of numbers in `[−size, size)`.
    pub fn list(&mut self, count: usize, size: f64) -> Vec<f64> {
        (0..count).map(|_| self.symmetric(size)).collect()
    }
}
