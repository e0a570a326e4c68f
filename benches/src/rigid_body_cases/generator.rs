//! The generator of all numbers.

/// Knuth's 64-bit linear congruential generator; the first four numbers are thrown away.
#[derive(Clone, Debug)]
pub(super) struct Lcg(u64);

impl Lcg {
    /// A generator with the given seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut generator = Lcg(seed);
        for _ in 0..4 {
            generator.unit();
        }
        generator
    }

    /// Uniform in `[0, 1)`: the upper 53 bits.
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`. Two roundings: a fused multiply-add would give other numbers.
    pub(super) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}
