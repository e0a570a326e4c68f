//! One long step of high order that looks at chosen places only, over what no short steps pass.
//!
//! A system may have derivatives that are hard to tell next to a time where its solution is as smooth as anywhere:
//! accelerations of a mechanism that passes a singular position are quotients of numbers that vanish together. Here
//! the derivative of the solution is a polynomial through its values at nodes, all of them away from that time, on
//! both sides of it:
//!
//! ```text
//! p(t_i) = f(t_i, y_i),   y_i = y_0 + ∫ p from t_0 to t_i
//! ```
//!
//! That is collocation \[HNW93, II.7\] with nodes that are not those of a quadrature, so of the order of their number.
//! They are iterated, each with the latest derivatives at the others; that converges where the step is short against
//! the times in which the system changes, as fast as the series of Picard and Lindelöf.
//!
//! `[HNW93]` E. Hairer, S. P. Nørsett, G. Wanner, *Solving Ordinary Differential Equations I*, Springer 1993.

use pommel_math::Mask;

use crate::Step;
use crate::kernels::Polynomial;

/// A step over what is hard to look at, with its memory.
#[derive(Clone, Debug)]
pub struct Bridge {
    n: usize,
    /// where the integral begins
    t0: f64,
    y0: Vec<f64>,
    nodes: Vec<f64>,
    k: Vec<f64>,
    /// `∫ ℓ_j` from the beginning to each node, node by node
    a: Vec<f64>,
    weights: Vec<f64>,
    polynomials: Vec<Polynomial<f64>>,
    t_old: f64,
    t_new: f64,
    y_old: Vec<f64>,
    y_new: Vec<f64>,
    dy_new: Vec<f64>,
    stage: Vec<f64>,
    rate: Vec<f64>,
}

/// Most iterations of the nodes.
const SWEEPS: usize = 40;
/// Nodes that change by no more than this have converged.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Iterations that do not shrink changes by this factor have come to an end.
const SHRINKS: f64 = 0.7;
/// If so many of them did not.
const PATIENCE: usize = 3;
/// Half of Gauss's rule with ten nodes on −1 to 1, exact for polynomials up to degree 19.
const GAUSS: [[f64; 2]; 5] = [
    [0.148_874_338_981_631_21, 0.295_524_224_714_752_87],
    [0.433_395_394_129_247_2, 0.269_266_719_309_996_35],
    [0.679_409_568_299_024_4, 0.219_086_362_515_982_04],
    [0.865_063_366_688_984_5, 0.149_451_349_150_580_6],
    [0.973_906_528_517_171_7, 0.066_671_344_308_688_14],
];

impl Bridge {
    /// The most nodes of a step.
    pub const MOST_NODES: usize = 20;

    /// Memory for systems of `dim` components.
    pub fn new(dim: usize) -> Self {
        let zeros = || vec![0.0; dim];
        Bridge {
            n: dim,
            t0: 0.0,
            y0: zeros(),
            nodes: Vec::new(),
            k: Vec::new(),
            a: Vec::new(),
            weights: Vec::new(),
            polynomials: Vec::new(),
            t_old: 0.0,
            t_new: 0.0,
            y_old: zeros(),
            y_new: zeros(),
            dy_new: zeros(),
            stage: zeros(),
            rate: zeros(),
        }
    }

    /// Finds the derivatives at nodes; the largest change `|T Δk| / (1 + |y|)` of the last iteration, where `T` is the
    /// time from the beginning to the last node, or none if iterations do not converge.
    ///
    /// # Arguments
    /// - `from` time and state that the integral begins with
    /// - `nodes` times where derivatives are to be found, in any order, all different
    /// - `guess` writes about the state at a time
    /// - `rate` brings a state onto the manifold of the system and writes its derivative
    ///
    /// # Errors
    /// That of `rate`.
    ///
    /// # Panics
    /// If the state has another length than the dimension, if there are no nodes, or more than
    /// [`MOST_NODES`](Self::MOST_NODES).
    pub fn solve<E>(
        &mut self,
        from: (f64, &[f64]),
        nodes: &[f64],
        guess: &mut impl FnMut(f64, &mut [f64]),
        rate: &mut impl FnMut(f64, &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<Option<f64>, E> {
        self.prepare(from, nodes);
        let (n, s) = (self.n, nodes.len());
        for (i, &t) in nodes.iter().enumerate() {
            guess(t, &mut self.stage);
            rate(t, &mut self.stage, &mut self.k[i * n..(i + 1) * n])?;
        }
        let span = nodes.iter().fold(0.0_f64, |most, t| most.max((t - self.t0).abs()));
        let (mut before, mut patience) = (f64::INFINITY, PATIENCE);
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for (i, &t) in nodes.iter().enumerate() {
                combine(&self.y0, &self.a[i * s..(i + 1) * s], &self.k, &mut self.stage);
                rate(t, &mut self.stage, &mut self.rate)?;
                let k = &mut self.k[i * n..(i + 1) * n];
                for ((k, new), y) in k.iter_mut().zip(&self.rate).zip(&self.stage) {
                    let part = (span * (new - *k)).abs() / (1.0 + y.abs());
                    // what is NaN stays so
                    change = if part <= change || change.is_nan() { change } else { part };
                    *k = *new;
                }
            }
            if !change.is_finite() {
                return Ok(None);
            }
            let shrinks = change <= SHRINKS * before;
            patience -= usize::from(!shrinks);
            if change <= ROUNDING || patience == 0 {
                return Ok(Some(change));
            }
            before = change;
        }
        Ok(None)
    }

    /// The state at a time, by the integral.
    ///
    /// # Panics
    /// If `y` has another length than the dimension.
    pub fn state(&mut self, t: f64, y: &mut [f64]) {
        let Bridge { nodes, weights, t0, .. } = self;
        for (j, weight) in weights.iter_mut().enumerate() {
            *weight = integral(nodes, j, *t0, t);
        }
        combine(&self.y0, &self.weights, &self.k, y);
    }

    /// The bridge as a step between two states on it, which interpolates by the polynomial.
    ///
    /// # Arguments
    /// - `old`, `new` time and state
    /// - `dy` the derivative at the new one
    ///
    /// # Panics
    /// If a slice has another length than the dimension.
    pub fn step(&mut self, old: (f64, &[f64]), new: (f64, &[f64]), dy: &[f64]) -> Step<'_, f64> {
        (self.t_old, self.t_new) = (old.0, new.0);
        self.y_old.copy_from_slice(old.1);
        self.y_new.copy_from_slice(new.1);
        self.dy_new.copy_from_slice(dy);
        let h = new.0 - old.0;
        let parts: Vec<f64> = self.nodes.iter().map(|t| (t - old.0) / h).collect();
        self.polynomials.clear();
        for j in 0..parts.len() {
            let mut coefficients = integrated(&parts, j);
            let weight: f64 = coefficients.iter().sum();
            coefficients.resize(parts.len().max(3), 0.0);
            // less its share in the end, as interpolants have it
            coefficients[1] -= 3.0 * weight;
            coefficients[2] += 2.0 * weight;
            self.polynomials.push(Polynomial { offset: j * self.n, coefficients });
        }
        Step {
            t_old: self.t_old,
            t_new: self.t_new,
            h,
            advanced: Mask::all(1),
            y_old: &self.y_old,
            y_new: &self.y_new,
            dy_new: &self.dy_new,
            k: &self.k,
            polynomials: &self.polynomials,
        }
    }

    fn prepare(&mut self, from: (f64, &[f64]), nodes: &[f64]) {
        let s = nodes.len();
        assert!(s > 0, "a bridge needs a node");
        assert!(s <= Self::MOST_NODES, "{s} nodes are more than {}", Self::MOST_NODES);
        self.t0 = from.0;
        self.y0.copy_from_slice(from.1);
        self.nodes.clear();
        self.nodes.extend_from_slice(nodes);
        self.k.resize(s * self.n, 0.0);
        self.weights.resize(s, 0.0);
        self.a.clear();
        for &t in nodes {
            self.a.extend((0..s).map(|j| integral(nodes, j, self.t0, t)));
        }
    }
}

/// `out = y + Σ w_j k_j`.
fn combine(y: &[f64], weights: &[f64], k: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (w, k) in weights.iter().zip(k.chunks_exact(y.len())) {
        out.iter_mut().zip(k).for_each(|(to, k)| *to += w * k);
    }
    out.iter_mut().zip(y).for_each(|(to, y)| *to += y);
}

/// `Π_{m≠j} (x − c_m) / (c_j − c_m)`.
fn basis(nodes: &[f64], j: usize, x: f64) -> f64 {
    let others = nodes.iter().enumerate().filter(|(m, _)| *m != j);
    others.map(|(_, c)| (x - c) / (nodes[j] - c)).product()
}

/// Its integral from a to b.
fn integral(nodes: &[f64], j: usize, a: f64, b: f64) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let pair = |[x, w]: &[f64; 2]| {
        let (left, right) = (middle - half * x, middle + half * x);
        w * (basis(nodes, j, left) + basis(nodes, j, right))
    };
    half * GAUSS.iter().map(pair).sum::<f64>()
}

/// Its integral from 0: coefficients of `x, x², …`.
fn integrated(nodes: &[f64], j: usize) -> Vec<f64> {
    let mut product = vec![1.0];
    for (_, c) in nodes.iter().enumerate().filter(|(m, _)| *m != j) {
        let scale = 1.0 / (nodes[j] - c);
        let mut next = vec![0.0; product.len() + 1];
        for (power, x) in product.iter().enumerate() {
            next[power + 1] += x * scale;
            next[power] -= x * c * scale;
        }
        product = next;
    }
    product.iter().enumerate().map(|(power, x)| x / (power as f64 + 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `y = t³` by a derivative that is a quotient of zeros at 0 is passed to rounding, and so is its interpolant; what
    /// blows up is not.
    #[test]
    fn a_quotient_of_zeros_is_passed() {
        let nodes: Vec<f64> =
            (1..=6).flat_map(|i| [-0.1 * f64::from(i), 0.1 * f64::from(i)]).collect();
        let mut bridge = Bridge::new(1);
        let mut guess = |t: f64, y: &mut [f64]| y[0] = t * t * t + 0.01 * (t + 0.7);
        let mut rate = |t: f64, y: &mut [f64], dy: &mut [f64]| -> Result<(), ()> {
            dy[0] = 3.0 * t * t * t / t + 0.3 * (y[0] - t * t * t) * f64::cos(t) / (1.0 + y[0]);
            Ok(())
        };
        let from = (-0.6, &[-0.216][..]);
        let found = bridge.solve(from, &nodes, &mut guess, &mut rate);
        assert!(found.is_ok_and(|change| change.is_some_and(|change| change < 1e-14)));
        let mut y = [0.0];
        bridge.state(0.7, &mut y);
        assert!((y[0] - 0.343).abs() < 1e-13, "{}", y[0]);
        let step = bridge.step((-0.5, &[-0.125]), (0.5, &[0.125]), &[0.75]);
        for t in [-0.45, -0.2, 0.0, 0.1, 0.33] {
            step.interpolate(t, &mut y);
            assert!((y[0] - t * t * t).abs() < 1e-10, "{t}: {}", y[0]);
        }
        let mut wild = |t: f64, y: &mut [f64], dy: &mut [f64]| -> Result<(), ()> {
            dy[0] = 1.0 / t.powi(3) + 1e3 * y[0] * y[0];
            Ok(())
        };
        let found = bridge.solve(from, &nodes, &mut guess, &mut wild);
        assert!(found.is_ok_and(|change| change.is_none_or(|change| change > 1.0)));
    }

    /// A component without numbers is not hidden by one that has them.
    #[test]
    fn one_component_that_is_nan_ends_the_iterations() {
        let mut bridge = Bridge::new(2);
        let mut guess = |t: f64, y: &mut [f64]| y.copy_from_slice(&[t, t]);
        let mut rate = |_: f64, _: &mut [f64], dy: &mut [f64]| -> Result<(), ()> {
            dy.copy_from_slice(&[f64::NAN, 1.0]);
            Ok(())
        };
        let found = bridge.solve((0.0, &[0.0, 0.0]), &[0.25, 0.75], &mut guess, &mut rate);
        assert_eq!(found, Ok(None));
    }
}
