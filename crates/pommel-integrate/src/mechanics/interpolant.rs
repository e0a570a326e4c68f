//! What observers see of a step: Hermite's polynomial between its ends, through its middle if that is known.

use pommel_math::Mask;

use super::Mechanics;
use super::start::Motion;
use crate::Step;
use crate::kernels::Polynomial;

/// The last step as `y = (q, v)`, and the rates and values that its polynomial is made of.
#[derive(Clone)]
pub(super) struct Interpolant {
    coordinates: usize,
    y_old: Vec<f64>,
    y_new: Vec<f64>,
    dy_new: Vec<f64>,
    /// slope and value at the middle stand between the slopes at the ends
    k: Vec<f64>,
    cubic: Vec<Polynomial<f64>>,
    quintic: Vec<Polynomial<f64>>,
}

impl Interpolant {
    /// Memory for these numbers of coordinates and velocities.
    pub(super) fn new(coordinates: usize, velocities: usize) -> Self {
        let dim = coordinates + velocities;
        let polynomial = |part: usize, coefficients: &[f64]| Polynomial {
            offset: part * dim,
            coefficients: coefficients.to_vec(),
            series: Vec::new(),
        };
        Interpolant {
            coordinates,
            y_old: vec![0.0; dim],
            y_new: vec![0.0; dim],
            dy_new: vec![0.0; dim],
            k: vec![0.0; 4 * dim],
            // θ (1 − θ)², −θ² (1 − θ)
            cubic: vec![polynomial(0, &[1.0, -2.0, 1.0]), polynomial(3, &[0.0, -1.0, 1.0])],
            // θ (1 − θ)² (1 − 2θ)², 16 θ² (1 − θ)² (θ − ½), 16 θ² (1 − θ)², −θ² (1 − θ) (1 − 2θ)²
            quintic: vec![
                polynomial(0, &[1.0, -6.0, 13.0, -12.0, 4.0]),
                polynomial(1, &[0.0, -8.0, 32.0, -40.0, 16.0]),
                polynomial(2, &[0.0, 16.0, -32.0, 16.0]),
                polynomial(3, &[0.0, -1.0, 5.0, -8.0, 4.0]),
            ],
        }
    }

    /// A step of size `h` between two states, through a middle one if there is one.
    pub(super) fn step<S: Mechanics>(
        &mut self,
        system: &S,
        h: f64,
        [now, next]: [&Motion; 2],
        middle: Option<&Motion>,
    ) -> Step<'_, f64> {
        let (nq, dim) = (self.coordinates, self.y_old.len());
        let state = |m: &Motion, to: &mut [f64]| {
            to[..nq].copy_from_slice(&m.q);
            to[nq..].copy_from_slice(&m.v);
        };
        state(now, &mut self.y_old);
        state(next, &mut self.y_new);
        let rate = |m: &Motion, to: &mut [f64]| {
            system.position_rate(&m.q, &m.v, &mut to[..nq]);
            to[nq..].copy_from_slice(&m.a);
        };
        rate(next, &mut self.dy_new);
        rate(now, &mut self.k[..dim]);
        self.k[3 * dim..].copy_from_slice(&self.dy_new);
        if let Some(middle) = middle {
            // the middle, beside a cubic between the ends whose rates vanish there
            let (slope, value) = self.k[dim..3 * dim].split_at_mut(dim);
            rate(middle, slope);
            state(middle, value);
            for i in 0..dim {
                let (old, change) = (self.y_old[i], self.y_new[i] - self.y_old[i]);
                slope[i] -= 1.5 * change / h;
                value[i] = (value[i] - old - 0.5 * change) / h;
            }
        }
        Step {
            t_old: now.t,
            t_new: next.t,
            h,
            advanced: Mask::all(1),
            y_old: &self.y_old,
            y_new: &self.y_new,
            dy_new: &self.dy_new,
            k: &self.k,
            polynomials: if middle.is_some() { &self.quintic } else { &self.cubic },
            visits: None,
        }
    }
}
