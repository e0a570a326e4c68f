//! Andrews' squeezing mechanism: where it starts and where it ends.
//!
//! Numbers are those of the *Test Set for Initial Value Problem Solvers* and of E. Hairer, G. Wanner, *Solving Ordinary
//! Differential Equations II*, section VII.7.

/// End of the motion, s.
pub const END: f64 = 0.03;

/// The angles β, Θ, γ, φ, δ, Ω, ε at the start, rad; the mechanism starts at rest.
pub const START: [f64; 7] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_88,
    0.487_364_979_543_842_56,
    -0.222_668_390_165_885_88,
    1.230_547_444_549_821_2,
];

/// The angles at the end as published, rad.
pub const PUBLISHED: [f64; 7] = [
    15.810_771_196_299_04,
    -15.756_371_059_842_98,
    0.040_822_240_130_731_01,
    -0.534_730_116_322_649_9,
    0.524_409_965_880_530_4,
    0.534_730_116_322_649_9,
    1.048_080_741_042_263,
];

/// The largest relative error of an angle against [`PUBLISHED`].
pub fn error(angles: &[f64; 7]) -> f64 {
    let relative = angles.iter().zip(&PUBLISHED).map(|(a, b)| ((a - b) / b).abs());
    relative.fold(0.0, f64::max)
}

/// The angles of the partners from absolute orientations of K1 to K7, given those at the start.
pub fn angles(now: &[f64; 7], start: &[f64; 7]) -> [f64; 7] {
    let turned: [f64; 7] = std::array::from_fn(|i| now[i] - start[i]);
    let [k1, k2, k3, k4, k5, k6, k7] = turned;
    let change = [k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7];
    std::array::from_fn(|i| START[i] + change[i])
}
