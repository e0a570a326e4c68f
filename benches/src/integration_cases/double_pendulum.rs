//! Double pendulums of point masses: the first is 1 kg on 1 m, the second is drawn.

/// End of the motion, s.
pub const END: f64 = 10.0;
/// Acceleration of gravity, m/s².
pub const GRAVITY: f64 = 9.81;
/// Absolute angles from hanging down, rad, and their rates.
pub const START: [f64; 4] = [2.0, 1.0, 0.0, 0.0];

/// The second pendulum.
#[derive(Clone, Copy, Debug)]
pub struct Second {
    /// kg.
    pub mass: f64,
    /// m.
    pub length: f64,
}

impl Second {
    /// Number `k` of a sequence that fills the square from 0.5 to 1.5 evenly (R. Roberts's R2).
    pub fn drawn(k: usize) -> Self {
        let part = |ratio: f64| (0.5 + k as f64 * ratio).fract();
        Second {
            mass: 0.5 + part(0.754_877_666_246_692_7),
            length: 0.5 + part(0.569_840_290_998_053_2),
        }
    }

    /// The equations of motion in absolute angles, written out.
    #[inline]
    pub fn rates(&self, y: &[f64; 4]) -> [f64; 4] {
        let Second { mass, length } = *self;
        let (s1, c1) = y[0].sin_cos();
        let (s2, c2) = y[1].sin_cos();
        let (s, c) = (s1 * c2 - c1 * s2, c1 * c2 + s1 * s2);
        let total = 1.0 + mass;
        let first = -mass * length * y[3] * y[3] * s - total * GRAVITY * s1;
        let second = y[2] * y[2] * s - GRAVITY * s2;
        let inverse = 1.0 / (1.0 + mass * s * s);
        let turn = (first - mass * c * second) * inverse;
        [y[2], y[3], turn, (total * second - c * first) * inverse / length]
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self, y: &[f64; 4]) -> f64 {
        let Second { mass, length } = *self;
        let total = 1.0 + mass;
        let crossed = mass * length * y[2] * y[3] * (y[0] - y[1]).cos();
        let speed = 0.5 * total * y[2] * y[2] + 0.5 * mass * length * length * y[3] * y[3];
        speed + crossed - GRAVITY * (total * y[0].cos() + mass * length * y[1].cos())
    }

    /// How much of the energy at the start a state has lost or won.
    pub fn drift(&self, y: &[f64; 4]) -> f64 {
        let start = self.energy(&START);
        ((self.energy(y) - start) / start).abs()
    }
}
