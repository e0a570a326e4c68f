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
use crate::nodes::{MOST_NODES, Visits, basis, chebyshev, integral};

/// A step over what is hard to look at, with its memory.
#[derive(Clone, Debug)]
pub struct Bridge {
    n: usize,
    /// where the integral begins
    t0: f64,
    y0: Vec<f64>,
    nodes: Vec<f64>,
    k: Vec<f64>,
    /// states at nodes, on the manifold, and how far the integral was from them in the last iteration
    visited: Vec<f64>,
    missed: f64,
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
impl Bridge {
    /// The most nodes of a step.
    pub const MOST_NODES: usize = MOST_NODES;

    /// Memory for systems of `dim` components.
    pub fn new(dim: usize) -> Self {
        let zeros = || vec![0.0; dim];
        Bridge {
            n: dim,
            t0: 0.0,
            y0: zeros(),
            nodes: Vec::new(),
            k: Vec::new(),
            visited: Vec::new(),
            missed: f64::INFINITY,
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
    /// time from the beginning to the farthest node, or none if iterations do not come to rest. Whether that change is
    /// small enough is for the caller to say: they also come to rest where they only repeat themselves.
    ///
    /// # Arguments
    /// - `from` time and state that the integral begins with
    /// - `nodes` times where derivatives are to be found, all different; they are visited in this order, one iteration
    ///   after another
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
            self.missed = 0.0;
            for (i, &t) in nodes.iter().enumerate() {
                combine(&self.y0, &self.a[i * s..(i + 1) * s], &self.k, &mut self.stage);
                let visited = &mut self.visited[i * n..(i + 1) * n];
                visited.copy_from_slice(&self.stage);
                rate(t, visited, &mut self.rate)?;
                self.missed = larger(self.missed, difference(&self.stage, visited));
                let k = &mut self.k[i * n..(i + 1) * n];
                for ((k, new), y) in k.iter_mut().zip(&self.rate).zip(visited) {
                    change = larger(change, (span * (new - *k)).abs() / (1.0 + y.abs()));
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

    /// How far the integral was from the manifold at nodes in the last iteration, the largest `|Δy| / (1 + |y|)`.
    pub fn missed(&self) -> f64 {
        self.missed
    }

    /// The derivative at a time, by the polynomial.
    ///
    /// # Panics
    /// If `dy` has another length than the dimension.
    pub fn rate(&self, t: f64, dy: &mut [f64]) {
        assert_eq!(dy.len(), self.n, "length of the derivative");
        dy.fill(0.0);
        for (j, k) in self.k.chunks_exact(self.n.max(1)).enumerate() {
            let weight = basis(&self.nodes, j, t);
            dy.iter_mut().zip(k).for_each(|(to, k)| *to += weight * k);
        }
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
            let series = chebyshev(parts.len(), |x| integral(&parts, j, 0.0, x));
            // less its share in the end, as interpolants have it
            let weight = integral(&parts, j, 0.0, 1.0);
            let coefficients = vec![0.0, -3.0 * weight, 2.0 * weight];
            self.polynomials.push(Polynomial { offset: j * self.n, coefficients, series });
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
            visits: Some(Visits { times: &self.nodes, states: &self.visited }),
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
        self.visited.resize(s * self.n, 0.0);
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

/// The larger one; what is NaN stays so.
fn larger(a: f64, b: f64) -> f64 {
    if b <= a || a.is_nan() { a } else { b }
}

/// The largest `|Δy| / (1 + |y|)`.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| larger(most, (a - b).abs() / (1.0 + b.abs())))
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
            assert!((y[0] - t * t * t).abs() < 1e-13, "{t}: {}", y[0]);
        }
        let mut wild = |t: f64, y: &mut [f64], dy: &mut [f64]| -> Result<(), ()> {
            dy[0] = 1.0 / t.powi(3) + 1e3 * y[0] * y[0];
            Ok(())
        };
        let found = bridge.solve(from, &nodes, &mut guess, &mut wild);
        assert!(found.is_ok_and(|change| change.is_none_or(|change| change > 1.0)));
    }

    /// Sixteen nodes on two sides of a gap interpolate Chebyshev's polynomial of degree 16, which is what powers of the
    /// time lose most digits of; its rate, too. `cos(16 arccos t)` knows nothing of nodes.
    #[test]
    fn interpolants_of_many_nodes_keep_their_digits() {
        let turns = |t: f64| 16.0 * t.acos();
        let exact = |t: f64| turns(t).cos();
        let slope = |t: f64| 16.0 * turns(t).sin() / t.acos().sin();
        // eight on each side, the denser the nearer to 0.1 and 0.95
        let side = |i: i32| {
            let x = (std::f64::consts::PI * (f64::from(i) + 0.5) / 8.0).cos();
            (0.5 * (0.01 + 0.9025) - 0.5 * (0.9025 - 0.01) * x).sqrt()
        };
        let nodes: Vec<f64> = (0..8).flat_map(|i| [-side(i), side(i)]).collect();
        let mut bridge = Bridge::new(1);
        let mut guess = |_: f64, y: &mut [f64]| y[0] = 0.0;
        let mut rate = |t: f64, _: &mut [f64], dy: &mut [f64]| -> Result<(), ()> {
            dy[0] = slope(t);
            Ok(())
        };
        let from = (-0.95, &[exact(-0.95)][..]);
        let found = bridge.solve(from, &nodes, &mut guess, &mut rate);
        assert!(found.is_ok_and(|change| change == Some(0.0)));
        let step = bridge.step((-0.6, &[exact(-0.6)]), (0.95, &[exact(0.95)]), &[slope(0.95)]);
        let mut y = [0.0];
        for i in 0..=100 {
            let t = (-0.6 + 0.0155 * f64::from(i)).min(0.95);
            step.interpolate(t, &mut y);
            // slopes are as large as 50: their rounding is that of the values
            assert!((y[0] - exact(t)).abs() < 1e-13, "{t}: {:e}", y[0] - exact(t));
        }
        for t in [-0.5, -0.05, 0.0, 0.07, 0.8] {
            bridge.rate(t, &mut y);
            assert!((y[0] - slope(t)).abs() < 1e-12, "{t}: {:e}", y[0] - slope(t));
        }
        let visited: Vec<f64> = bridge
            .step(from, (0.95, &[exact(0.95)]), &[slope(0.95)])
            .visits()
            .map_or(Vec::new(), |visits| visits.iter().map(|(t, y)| y[0] - exact(t)).collect());
        assert_eq!(visited.len(), 16);
        assert!(visited.iter().all(|off| off.abs() < 1e-13), "{visited:?}");
    }

    /// Iterations that only repeat themselves come to rest with a change that tells so, and what is brought back onto a
    /// manifold by more than that is missed.
    #[test]
    fn rest_without_convergence_is_told() {
        let mut bridge = Bridge::new(1);
        let mut guess = |_: f64, y: &mut [f64]| y[0] = 1.0;
        let mut sign = 1.0;
        let mut rate = |_: f64, y: &mut [f64], dy: &mut [f64]| -> Result<(), ()> {
            sign = -sign;
            y[0] = 5.0;
            dy[0] = sign;
            Ok(())
        };
        let found = bridge.solve((0.0, &[1.0]), &[0.25, 0.5, 1.0], &mut guess, &mut rate);
        assert!(found.is_ok_and(|change| change.is_some_and(|change| change > 0.1)), "{found:?}");
        assert!(bridge.missed() > 0.5, "{}", bridge.missed());
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
