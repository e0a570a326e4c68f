//! Projection of a state onto the hidden constraints.

use super::completion::{Completion, Derivatives};
use super::lu::FullPivotLu;

/// The shortest change of a state that removes its residuals: `[1 Hᵀ; H 0] (δ, μ) = (0, −κ)`, where H are
/// the derivatives of κ.
#[derive(Clone, Debug)]
pub(super) struct Projector {
    /// H, row by row
    rows: Vec<f64>,
    lu: FullPivotLu,
    rhs: Vec<f64>,
    change: Vec<f64>,
    kept: Vec<f64>,
}

impl Projector {
    pub(super) fn new(n: usize, count: usize) -> Self {
        let size = n + count;
        Projector {
            rows: vec![0.0; count * n],
            lu: FullPivotLu::new(size, size),
            rhs: vec![0.0; size],
            change: vec![0.0; size],
            kept: vec![0.0; n],
        }
    }

    pub(super) fn keep(&mut self, y: &[f64]) {
        self.kept.copy_from_slice(y);
    }

    pub(super) fn kept(&self) -> &[f64] {
        &self.kept
    }

    /// Changes the state in `of`; gives the change relative to the state, NaN if there is none.
    pub(super) fn step(
        &mut self,
        completion: &mut Completion,
        of: &mut Derivatives,
        n: usize,
    ) -> f64 {
        let Projector { rows, lu, rhs, change, .. } = self;
        for v in 0..n {
            completion.sensitivity(v, |_, kappa| {
                kappa.iter().enumerate().for_each(|(k, x)| rows[k * n + v] = *x);
            });
        }
        let pivot = lu.factorize(|i, j| match (i < n, j < n) {
            (true, true) => f64::from(u8::from(i == j)),
            (true, false) => rows[(j - n) * n + i],
            (false, true) => rows[(i - n) * n + j],
            (false, false) => 0.0,
        });
        if pivot == 0.0 {
            return f64::NAN;
        }
        rhs[..n].fill(0.0);
        rhs[n..].iter_mut().zip(&of.kappa).for_each(|(rhs, kappa)| *rhs = -kappa);
        lu.solve(rhs, change);
        let (mut largest, mut size) = (0.0_f64, 1.0_f64);
        for (y, change) in of.c[..n].iter_mut().zip(&change[..n]) {
            *y += change;
            largest = largest.max(change.abs());
            size = size.max(y.abs());
        }
        largest / size
    }
}
