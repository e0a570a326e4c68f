//! One long step of high order that looks at few places within, for what no short steps pass.
//!
//! Gauss's method with `s` stages: the polynomial of degree `s` through the state at the start whose derivative is
//! that of the system at the `s` zeros of Legendre's polynomial. Its end is of order `2s`, and neither the start
//! nor the end, nor anything between the zeros is evaluated, so that a system may be singular there as long as its
//! solution is not. Stages are iterated, `k_i ← f(t_i, y_0 + h Σ a_ij k_j)`, which converges where `h` is short
//! against the times in which the system changes.
//!
//! `[HNW93]` E. Hairer, S. P. Nørsett, G. Wanner, *Solving Ordinary Differential Equations I*, Springer 1993, II.7.

use pommel_math::{Mask, Real};

use crate::Step;
use crate::kernels::Polynomial;

/// A step by Gauss's method of any order, with its memory.
#[derive(Clone, Debug)]
pub struct Collocation {
    n: usize,
    nodes: Vec<f64>,
    weights: Vec<f64>,
    /// `a_ij`, stage by stage
    a: Vec<f64>,
    polynomials: Vec<Polynomial<f64>>,
    t_old: f64,
    t_new: f64,
    k: Vec<f64>,
    y_old: Vec<f64>,
    y_new: Vec<f64>,
    dy_new: Vec<f64>,
    stage: Vec<f64>,
    rate: Vec<f64>,
}

/// Most iterations of the stages.
const SWEEPS: usize = 40;
/// Stages that change by no more than this have converged.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Iterations that do not shrink changes by this factor have come to an end.
const SHRINKS: f64 = 0.7;

impl Collocation {
    /// Memory for steps with `stages` stages of systems of `dim` components.
    ///
    /// # Panics
    /// If there are no stages.
    pub fn gauss(stages: usize, dim: usize) -> Self {
        assert!(stages > 0, "a step has a stage");
        let nodes = gauss_nodes(stages);
        let weights: Vec<f64> = nodes.iter().map(|&c| weight(stages, c)).collect();
        // ∫ of a basis polynomial from 0 to c_i, by the same quadrature, which is exact for it
        let below = |c: f64, j: usize| {
            let terms = nodes.iter().zip(&weights);
            c * terms.map(|(x, w)| w * basis(&nodes, j, c * x)).sum::<f64>()
        };
        let a = nodes.iter().flat_map(|&c| (0..stages).map(move |j| (c, j)));
        let a = a.map(|(c, j)| below(c, j)).collect();
        let polynomials = (0..stages).map(|j| {
            // less its share in the end, as interpolants have it
            let mut coefficients = integrated_basis(&nodes, j);
            coefficients.resize(stages.max(3), 0.0);
            coefficients[1] -= 3.0 * weights[j];
            coefficients[2] += 2.0 * weights[j];
            Polynomial { offset: j * dim, coefficients }
        });
        let polynomials = polynomials.collect();
        let zeros = || vec![0.0; dim];
        Collocation {
            n: dim,
            a,
            polynomials,
            t_old: 0.0,
            t_new: 0.0,
            k: vec![0.0; stages * dim],
            y_old: zeros(),
            y_new: zeros(),
            dy_new: zeros(),
            stage: zeros(),
            rate: zeros(),
            nodes,
            weights,
        }
    }

    /// Where in the step stages are, between 0 and 1, in order.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Takes a step of size `h` from a state; the largest change of a stage in the last iteration, `|h Δk| / (1 + |y|)`,
    /// or none if iterations do not converge to `accuracy`, or something is not finite.
    ///
    /// # Arguments
    /// - `guess` writes about the state at a time
    /// - `rate` brings a state onto the manifold of the system and writes its derivative
    ///
    /// # Errors
    /// That of `rate`.
    ///
    /// # Panics
    /// If the state has another length than the dimension.
    pub fn step<E>(
        &mut self,
        (t0, h): (f64, f64),
        y0: &[f64],
        accuracy: f64,
        guess: &mut dyn FnMut(f64, &mut [f64]),
        rate: &mut dyn FnMut(f64, &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<Option<f64>, E> {
        let (n, s) = (self.n, self.nodes.len());
        self.y_old.copy_from_slice(y0);
        (self.t_old, self.t_new) = (t0, t0 + h);
        for i in 0..s {
            let t = t0 + h * self.nodes[i];
            guess(t, &mut self.stage);
            rate(t, &mut self.stage, &mut self.k[i * n..(i + 1) * n])?;
        }
        let mut before = f64::INFINITY;
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for i in 0..s {
                combine(&self.y_old, h, &self.a[i * s..(i + 1) * s], &self.k, &mut self.stage);
                rate(t0 + h * self.nodes[i], &mut self.stage, &mut self.rate)?;
                let k = &mut self.k[i * n..(i + 1) * n];
                for ((k, new), y) in k.iter_mut().zip(&self.rate).zip(&self.stage) {
                    let part = (h * (new - *k)).abs() / (1.0 + y.abs());
                    if std::env::var("SG").is_ok() && part > 1e-6 {
                        eprintln!("        stage {i} part {part:e} new {new:e} old {k:e}");
                    }
                    change = if part <= change { change } else { part };
                    *k = *new;
                }
            }
            if std::env::var("SG").is_ok() {
                eprintln!("      change {change:e}");
            }
            if !change.is_finite() {
                return Ok(None);
            }
            if change <= ROUNDING || change > SHRINKS * before {
                let converged = change <= accuracy;
                combine(&self.y_old, h, &self.weights, &self.k, &mut self.y_new);
                return Ok(converged.then_some(change));
            }
            before = change;
        }
        Ok(None)
    }

    /// The end of the step, to be brought onto the manifold together with its derivative.
    pub fn end_mut(&mut self) -> (f64, &mut [f64], &mut [f64]) {
        (self.t_new, &mut self.y_new, &mut self.dy_new)
    }

    /// The end of the step.
    pub fn end(&self) -> &[f64] {
        &self.y_new
    }

    /// The step, which interpolates by the polynomial of its stages.
    pub fn as_step(&self) -> Step<'_, f64> {
        Step {
            t_old: self.t_old,
            t_new: self.t_new,
            h: self.t_new - self.t_old,
            advanced: Mask::all(1),
            y_old: &self.y_old,
            y_new: &self.y_new,
            dy_new: &self.dy_new,
            k: &self.k,
            polynomials: &self.polynomials,
        }
    }
}

/// `out = y + h Σ w_j k_j`.
fn combine(y: &[f64], h: f64, weights: &[f64], k: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (w, k) in weights.iter().zip(k.chunks_exact(y.len())) {
        out.iter_mut().zip(k).for_each(|(to, k)| *to += w * k);
    }
    out.iter_mut().zip(y).for_each(|(to, y)| *to = y + h * *to);
}

/// Legendre's polynomial of degree `s` and its derivative.
fn legendre(s: usize, x: f64) -> (f64, f64) {
    let (mut before, mut now) = (1.0, x);
    for m in 2..=s {
        let m = m as f64;
        (before, now) = (now, ((2.0 * m - 1.0) * x * now - (m - 1.0) * before) / m);
    }
    (now, s as f64 * (x * now - before) / (x * x - 1.0))
}

/// Its zeros between 0 and 1, by Newton's method.
fn gauss_nodes(s: usize) -> Vec<f64> {
    let mut nodes: Vec<f64> = (0..s)
        .map(|i| {
            let angle = core::f64::consts::PI * (i as f64 + 0.75) / (s as f64 + 0.5);
            let mut x = -Real::sin_cos(angle).1;
            for _ in 0..6 {
                let (p, slope) = legendre(s, x);
                x -= p / slope;
            }
            0.5 + 0.5 * x
        })
        .collect();
    // symmetric to the last bit
    for i in 0..s / 2 {
        nodes[s - 1 - i] = 1.0 - nodes[i];
    }
    if s % 2 == 1 {
        nodes[s / 2] = 0.5;
    }
    nodes
}

/// The weight of Gauss's quadrature for a node between 0 and 1.
fn weight(s: usize, c: f64) -> f64 {
    let x = 2.0 * c - 1.0;
    let (_, slope) = legendre(s, x);
    1.0 / ((1.0 - x * x) * slope * slope)
}

/// `Π_{m≠j} (x − c_m) / (c_j − c_m)`.
fn basis(nodes: &[f64], j: usize, x: f64) -> f64 {
    let others = nodes.iter().enumerate().filter(|(m, _)| *m != j);
    others.map(|(_, c)| (x - c) / (nodes[j] - c)).product()
}

/// Its integral from 0: coefficients of `θ, θ², …`.
fn integrated_basis(nodes: &[f64], j: usize) -> Vec<f64> {
    let mut product = vec![1.0];
    for (m, c) in nodes.iter().enumerate().filter(|(m, _)| *m != j) {
        let scale = 1.0 / (nodes[j] - nodes[m]);
        let mut next = vec![0.0; product.len() + 1];
        for (power, x) in product.iter().enumerate() {
            next[power + 1] += x * scale;
            next[power] -= x * c * scale;
        }
        product = next;
    }
    product.iter().enumerate().map(|(power, x)| x / (power as f64 + 1.0)).collect()
}
