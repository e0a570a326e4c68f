//! How far a solution may be from the exact one.
//!
//! Rounding in data and in the residual perturbs the right-hand side by at most
//! `g = |r| + ε (|K| |x| + |b|)`, so the solution by at most `|K⁻¹| g`. The largest entry of that is
//! the 1-norm of `diag(g) K⁻¹ P`, with `P` the part of the solution that is asked for, and is
//! estimated by Hager's method as Higham has it (ACM TOMS 14(4), 1988): a few substitutions.

use pommel_math::{Mask, Real};

use super::factored::Factor;
use super::refine::least;
use super::substitute::substitute;

/// Most rounds of the estimator.
const ROUNDS: usize = 4;

impl<T: Real> Factor<'_, T> {
    /// Estimated relative errors of unknowns and multipliers. Residual and bound of the solution
    /// stand in the workspace; afterwards the bounds of rows that were dropped do, and no others.
    pub(super) fn estimate_errors(&mut self, solution: &[T]) -> (T, T) {
        let n = self.workspace.pattern.unknowns();
        let total = self.workspace.sequence.len();
        let workspace = &mut *self.workspace;
        let mut weight = core::mem::take(&mut workspace.bound);
        // rows that were dropped bear nothing: their bounds wait with the other sign
        for (k, &s) in workspace.sequence.iter().enumerate() {
            let (s, x) = (s as usize, workspace.inverse[k]);
            let kept = x.lt(T::zero()) | T::zero().lt(x);
            let w = T::from_f64(T::EPSILON).mul_add(weight[s], workspace.residual[s].abs());
            weight[s] = T::select(kept, w, -weight[s]);
        }
        let unknowns = self.largest_error(&weight, 0..n) / largest(&solution[..n]);
        let multipliers = self.largest_error(&weight, n..total) / largest(&solution[n..]);
        // the bounds of dropped rows are asked for later
        weight.iter_mut().for_each(|w| *w = w.abs());
        self.workspace.bound = weight;
        (unknowns, multipliers)
    }

    /// `‖P |K⁻¹| weight‖∞`, estimated from below.
    fn largest_error(&mut self, weight: &[T], part: core::ops::Range<usize>) -> T {
        if part.is_empty() {
            return T::zero();
        }
        let workspace = &mut *self.workspace;
        let mut v = core::mem::take(&mut workspace.direction);
        // x ↦ diag(g) K⁻¹ P x, started evenly
        let even = T::from_f64(1.0 / part.len() as f64);
        for i in 0..v.len() {
            v[i] = if part.contains(&i) { even } else { T::zero() };
        }
        let mut best = T::zero();
        // a lane that gets no better has done, whatever the others do
        let mut better = Mask::all(T::LANES);
        for _ in 0..ROUNDS {
            substitute(workspace, &mut v);
            let mut sum = T::zero();
            for (v, g) in v.iter_mut().zip(weight) {
                let g = T::select(g.lt(T::zero()), T::zero(), *g);
                let x = *v * g;
                sum += x.abs();
                // its sign goes back, weighted
                *v = T::select(x.lt(T::zero()), -g, g);
            }
            better &= best.lt(sum);
            best = T::select(better, sum, best);
            if better.is_none() {
                break;
            }
            substitute(workspace, &mut v);
            // the column that promises most, in every lane
            let mut at = [0usize; 8];
            for (lane, at) in at.iter_mut().enumerate().take(T::LANES) {
                let mut most = -1.0;
                for i in part.clone() {
                    let x = v[i].lane(lane).abs();
                    if x > most {
                        (most, *at) = (x, i);
                    }
                }
            }
            for i in 0..v.len() {
                let here = part.contains(&i);
                v[i] = T::from_lanes(|l| if here && at[l] == i { 1.0 } else { 0.0 });
            }
        }
        workspace.direction = v;
        best
    }
}

fn largest<T: Real>(x: &[T]) -> T {
    let mut most: T = least();
    for x in x {
        most = most.max(x.abs());
    }
    most
}
