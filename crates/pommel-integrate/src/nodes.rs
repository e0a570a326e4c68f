//! Polynomials through values at nodes that are no quadrature's.

use pommel_math::sin_cos;

/// Half of Gauss's rule with ten nodes on −1 to 1, exact for polynomials up to degree 19.
const GAUSS: [[f64; 2]; 5] = [
    [0.148_874_338_981_631_21, 0.295_524_224_714_752_87],
    [0.433_395_394_129_247_2, 0.269_266_719_309_996_35],
    [0.679_409_568_299_024_4, 0.219_086_362_515_982_04],
    [0.865_063_366_688_984_5, 0.149_451_349_150_580_6],
    [0.973_906_528_517_171_7, 0.066_671_344_308_688_14],
];

/// The most nodes that integrals are exact for.
pub(crate) const MOST_NODES: usize = 20;

/// `ℓ_j(x) = Π_{m≠j} (x − c_m) / (c_j − c_m)`.
pub(crate) fn basis(nodes: &[f64], j: usize, x: f64) -> f64 {
    let others = nodes.iter().enumerate().filter(|(m, _)| *m != j);
    others.map(|(_, c)| (x - c) / (nodes[j] - c)).product()
}

/// Its integral from a to b.
pub(crate) fn integral(nodes: &[f64], j: usize, a: f64, b: f64) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let pair = |[x, w]: &[f64; 2]| {
        let (left, right) = (middle - half * x, middle + half * x);
        w * (basis(nodes, j, left) + basis(nodes, j, right))
    };
    half * GAUSS.iter().map(pair).sum::<f64>()
}

/// Chebyshev's coefficients on 0 to 1 of a polynomial up to a degree. Powers of x would lose a digit with every second
/// degree, these lose none.
pub(crate) fn chebyshev(degree: usize, value: impl Fn(f64) -> f64) -> Vec<f64> {
    let count = degree + 1;
    // cosines of all multiples of a part of a turn
    let cosines: Vec<f64> = (0..4 * count)
        .map(|k| sin_cos(core::f64::consts::FRAC_PI_2 * k as f64 / count as f64).1)
        .collect();
    let values: Vec<f64> = (0..count).map(|i| value(0.5 * (1.0 + cosines[2 * i + 1]))).collect();
    (0..count)
        .map(|m| {
            let terms = values.iter().enumerate();
            let sum: f64 = terms.map(|(i, x)| x * cosines[m * (2 * i + 1) % (4 * count)]).sum();
            sum * if m == 0 { 1.0 } else { 2.0 } / count as f64
        })
        .collect()
}

/// Where a step over what is hard to look at has looked: states on the manifold of the system, before, in and after the
/// step, none of them near what it passes.
///
/// What is smooth along the motion, but hard to tell near that, is found from its values here.
#[derive(Clone, Copy, Debug)]
pub struct Visits<'a> {
    pub(crate) times: &'a [f64],
    pub(crate) states: &'a [f64],
}

impl<'a> Visits<'a> {
    /// How many there are, up to 20.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none, which does not happen.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Times and states, in the order in which the bridge was given them.
    pub fn iter(&self) -> impl Iterator<Item = (f64, &'a [f64])> + use<'a> {
        let dim = self.states.len() / self.times.len().max(1);
        self.times.iter().copied().zip(self.states.chunks_exact(dim.max(1)))
    }

    /// `∫ p` from a to b, where p is the polynomial with these values at the times.
    ///
    /// # Panics
    /// If there are more or fewer values than visits.
    pub fn integral(&self, values: &[f64], (a, b): (f64, f64)) -> f64 {
        assert_eq!(values.len(), self.times.len(), "one value a visit");
        values.iter().enumerate().map(|(j, x)| x * integral(self.times, j, a, b)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrals of a polynomial through values are those of the function that has them.
    #[test]
    fn visits_integrate_what_is_smooth() {
        let times: Vec<f64> = (0..8).map(|i| 0.25 * f64::from(i) - 1.1).collect();
        let states: Vec<f64> = times.iter().flat_map(|t| [*t, t * t]).collect();
        let visits = Visits { times: &times, states: &states };
        let values: Vec<f64> = visits.iter().map(|(t, y)| t * y[1].powi(3) - 2.0 * y[0]).collect();
        let found = visits.integral(&values, (-0.5, 0.6));
        let exact = |t: f64| t.powi(8) / 8.0 - t * t;
        assert!((found - exact(0.6) + exact(-0.5)).abs() < 1e-14, "{found}");
    }
}
